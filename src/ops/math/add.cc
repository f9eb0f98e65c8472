// Add: x + y with broadcasting.
// SPDX-License-Identifier: MIT
#include "ops/math/arithmetic.h"

namespace tenon::ops {

TENON_OP(add){
    .name = "Add",
    .since = {1, 6, 7, 13, 14},
    .in = {port("A", kNumbers, "T"), port("B", kNumbers, "T")},
    .out = {port("C", kNumbers, "T")},
    .shape = arithmetic_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kAdd>(true),
};
TENON_CPU(add) kPointwise;

TENON_CASES(add) {
  cases.types(kNumbers);
  cases.reference(binary_reference([](double x, double y) { return x + y; }));
  add_binary_cases(cases, -7, 9);
}

}  // namespace tenon::ops
