// Pow: x to the power y, of the type of x; the exponent may have another type.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "ops/math/arithmetic.h"

namespace tenon::ops {
namespace {
constexpr TypeSet kBases = kFloats | kIndices;
}  // namespace

TENON_OP(pow){
    .name = "Pow",
    .since = {1, 7, 12, 13, 15},
    .in = {port("X", kBases, "T"), port("Y", kNumbers, "T1")},
    .out = {port("Z", kBases, "T")},
    .shape = arithmetic_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kPow>(),
};
TENON_CPU(pow) kPointwise;

TENON_CASES(pow) {
  cases.types(kBases);
  cases.reference(binary_reference([](double x, double y) { return std::pow(x, y); }));
  cases.add("whole").in(values({3}, {1, 2, 3})).in(values({3}, {4, 5, 6})).tolerance(4e-6);
  cases.add("squares").in(range({2, 9}, -4, 4)).in(values({}, {2}));
  cases.add("negative bases").in(values({4}, {-2, -1, 3, 0})).in(values({2, 1}, {3, 2}));
  cases.add("roots").in(typed(DType::kF32, range({7}, 0, 9))).in(typed(DType::kF32, values({}, {0.5})));
  cases.add("whole exponents of floats")
      .in(typed(DType::kF32, range({7}, -3, 3)))
      .in(typed(DType::kI64, values({}, {3})));
  cases.add("float exponents of whole numbers")
      .in(typed(DType::kI32, values({3}, {1, 4, 9})))
      .in(typed(DType::kF32, values({}, {2})));
}

}  // namespace tenon::ops
