// What operators share that only change dimensions (trait view): the executor aliases memory; this kernel is for where
// it cannot.
// SPDX-License-Identifier: MIT
#pragma once
#include "opdef/infer.h"
#include "opdef/kernel.h"
#include "opdef/op.h"

namespace tenon::ops {
using namespace opdef;

/// Output 0 has the type, shape and integer contents of input 0.
Status identity_shape(InferContext& c);
/// Copies the elements of input 0 to output 0, or hands the value on when it is no tensor.
Status run_view(KernelContext& c);
/// The CPU facet of a view operator: TENON_CPU(squeeze) kView;
inline constexpr KernelList kView{{{.name = "view", .run = run_view}}};

/// Passes the integer contents of input 0 on to output 0 (same elements, other dimensions).
void carry_elements(InferContext& c);

}  // namespace tenon::ops
