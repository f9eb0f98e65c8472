// Ceil, Floor, Round (half to even).
// SPDX-License-Identifier: MIT
#include <cmath>

#include "ops/math/unary.h"

namespace tenon::ops {

TENON_OP(ceil) unary_op("Ceil", {1, 6, 13}, kFloats, pointwise<Fn::kCeil>());
TENON_CPU(ceil) kPointwise;
TENON_CASES(ceil) {
  unary_cases(cases, [](double x) { return std::ceil(x); }, -5, 5);
  cases.add("halves").in(values({7}, {-2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5}));
}

TENON_OP(floor) unary_op("Floor", {1, 6, 13}, kFloats, pointwise<Fn::kFloor>());
TENON_CPU(floor) kPointwise;
TENON_CASES(floor) {
  unary_cases(cases, [](double x) { return std::floor(x); }, -5, 5);
  cases.add("halves").in(values({7}, {-2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5}));
}

TENON_OP(round) unary_op("Round", {11, 22}, kFloats, pointwise<Fn::kRound>());
TENON_CPU(round) kPointwise;
TENON_CASES(round) {
  unary_cases(cases, [](double x) { return std::nearbyint(x); }, -5, 5);
  cases.add("halves").in(values({7}, {-2.5, -1.5, -0.5, 0, 0.5, 1.5, 2.5}));
}

}  // namespace tenon::ops
