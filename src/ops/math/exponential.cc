// Exp, Log, Sqrt, Reciprocal, Erf.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "ops/math/unary.h"

namespace tenon::ops {

TENON_OP(exp) unary_op("Exp", {1, 6, 13}, kFloats, pointwise<Fn::kExp>());
TENON_CPU(exp) kPointwise;
TENON_CASES(exp) {
  unary_cases(cases, [](double x) { return std::exp(x); }, -4, 4);
}

TENON_OP(log) unary_op("Log", {1, 6, 13}, kFloats, pointwise<Fn::kLog>());
TENON_CPU(log) kPointwise;
TENON_CASES(log) {
  unary_cases(cases, [](double x) { return std::log(x); }, 0.25, 90);
}

TENON_OP(sqrt) unary_op("Sqrt", {1, 6, 13}, kFloats, pointwise<Fn::kSqrt>());
TENON_CPU(sqrt) kPointwise;
TENON_CASES(sqrt) {
  unary_cases(cases, [](double x) { return std::sqrt(x); }, 0, 90);
}

TENON_OP(reciprocal) unary_op("Reciprocal", {1, 6, 13}, kFloats, pointwise<Fn::kReciprocal>());
TENON_CPU(reciprocal) kPointwise;
TENON_CASES(reciprocal) {
  unary_cases(cases, [](double x) { return 1 / x; }, 0.25, 9);
}

TENON_OP(erf) unary_op("Erf", {9, 13}, kFloats, pointwise<Fn::kErf>());
TENON_CPU(erf) kPointwise;
TENON_CASES(erf) {
  unary_cases(cases, [](double x) { return std::erf(x); }, -4, 4);
}

}  // namespace tenon::ops
