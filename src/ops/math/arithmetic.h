// What the binary arithmetic operators share: shape and element rule, the broadcast attributes of opsets before 7,
// cases. SPDX-License-Identifier: MIT
#pragma once
#include "opdef/build.h"
#include "opdef/cases.h"
#include "ops/pointwise.h"

namespace tenon::ops {

/// Broadcast shape; small integer results carry their contents as expressions.
Status arithmetic_shape(InferContext& c);
/// The same with boolean output.
Status compare_shape(InferContext& c);
/// Sets the contents of output 0 as expressions where those of all inputs (rank 0 or 1) are known.
void carry_expressions(InferContext& c);
/// Before version 7 `broadcast` and `axis` aligned the second input explicitly: reshapes it, drops the attributes.
Status upgrade_legacy_broadcast(ir::Node& node, Build& b);

/// Reference of a binary operator with broadcasting.
Reference binary_reference(double (*f)(double, double));
/// Equal shapes, scalar, row, column, rank mismatch, empty and large, with values in [low, high].
void add_binary_cases(Cases& cases, double low, double high);

}  // namespace tenon::ops
