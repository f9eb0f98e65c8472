// Abs, Neg, Sign; small integers keep their expressions.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "ops/math/unary.h"
#include "ops/view.h"

namespace tenon::ops {

namespace {

/// Output like the input; contents mapped where they are known.
Status mapped_elements(InferContext& c, Dim (*f)(Dim)) {
  TENON_TRY(same_as_input(c));
  if (!kIndices.has(c.dtype(0))) return {};
  auto e = c.elements(0);
  if (!e) return {};
  for (Dim& d : *e) d = f(d);
  c.set_elements(0, std::move(*e));
  return {};
}
Status abs_shape(InferContext& c) {
  return mapped_elements(c, [](Dim d) { return ir::is_non_negative(d) ? d : dim_max(d, Dim(0) - d); });
}
Status neg_shape(InferContext& c) {
  return mapped_elements(c, [](Dim d) { return Dim(0) - d; });
}

}  // namespace

TENON_OP(abs){
    .name = "Abs",
    .since = {1, 6, 13},
    .in = {port("X", kNumbers, "T")},
    .out = {port("Y", kNumbers, "T")},
    .shape = abs_shape,
    .trait = pointwise<Fn::kAbs>(),
};
TENON_CPU(abs) kPointwise;
TENON_CASES(abs) {
  unary_cases(cases, [](double x) { return std::fabs(x); }, -9, 9);
  cases.add("sizes").in(ints({3, -4, 0}));
}

TENON_OP(neg){
    .name = "Neg",
    .since = {1, 6, 13},
    .in = {port("X", kFloats | kSignedInts, "T")},
    .out = {port("Y", kFloats | kSignedInts, "T")},
    .shape = neg_shape,
    .trait = pointwise<Fn::kNeg>(),
};
TENON_CPU(neg) kPointwise;
TENON_CASES(neg) {
  unary_cases(cases, [](double x) { return -x; }, -9, 9);
  cases.add("sizes").in(ints({3, -4, 0}));
}

TENON_OP(sign) unary_op("Sign", {9, 13}, kNumbers, pointwise<Fn::kSign>());
TENON_CPU(sign) kPointwise;
TENON_CASES(sign) {
  unary_cases(cases, [](double x) { return static_cast<double>((x > 0) - (x < 0)); }, -2, 2);
}

}  // namespace tenon::ops
