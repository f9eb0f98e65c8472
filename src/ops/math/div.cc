// Div: x / y; integers truncate, x / 0 is 0 with broadcasting.
// SPDX-License-Identifier: MIT
#include "ops/math/arithmetic.h"

namespace tenon::ops {

TENON_OP(div){
    .name = "Div",
    .since = {1, 6, 7, 13, 14},
    .in = {port("A", kNumbers, "T"), port("B", kNumbers, "T")},
    .out = {port("C", kNumbers, "T")},
    .shape = arithmetic_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kDiv>(false),
};
TENON_CPU(div) kPointwise;

TENON_CASES(div) {
  cases.types(kFloats);
  cases.reference(binary_reference([](double x, double y) { return x / y; }));
  add_binary_cases(cases, 1, 9);
}

}  // namespace tenon::ops
