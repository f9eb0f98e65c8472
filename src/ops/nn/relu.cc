// Relu: max(0, x); NaN stays.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "ops/pointwise.h"

namespace tenon::ops {

TENON_OP(relu){
    .name = "Relu",
    .since = {1, 6, 13, 14},
    .in = {port("X", kFloats | kSignedInts, "T")},
    .out = {port("Y", kFloats | kSignedInts, "T")},
    .shape = same_as_input,
    .trait = pointwise<Fn::kRelu>(),
};
TENON_CPU(relu) kPointwise;

TENON_CASES(relu) {
  cases.types(kFloats | kSignedInts);
  cases.reference(unary_reference([](double x) { return x < 0 ? 0 : x; }));
  add_unary_cases(cases, -9, 9);
}

}  // namespace tenon::ops
