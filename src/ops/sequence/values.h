// Moving tensors between slots of a run and the values that sequences, optionals and maps hold.
// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;

/// Input i as a value that may outlive the run: a tensor is copied into memory of its own, other values are shared.
Result<ValueRef> own_value(KernelContext& c, size_t i);
/// The sequence at input i; fails when there is none.
Result<ValueRef> sequence_at(KernelContext& c, size_t i);
/// Output i becomes a copy of the tensor, or the value itself when it is no tensor. For operators whose trait says
/// kernel_sizes_output.
Status give_value(KernelContext& c, size_t i, const ValueRef& value);
/// A new sequence with the items of another.
ValueRef copy_sequence(const Value& from);
/// The element type of a sequence or optional input, unknown when it is not stated.
Type element_type(const InferContext& c, size_t i);
/// Position operand i (i32 or i64, one element) in [-count, count + extra), made non-negative.
Result<int64_t> position_at(KernelContext& c, size_t i, int64_t count, int64_t extra);

}  // namespace tenon::ops
