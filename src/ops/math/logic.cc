// And, Or, Xor, Not; contents of small tensors stay known.
// SPDX-License-Identifier: MIT
#include "ops/math/arithmetic.h"
#include "ops/math/unary.h"

namespace tenon::ops {
namespace {
Status not_shape(InferContext& c) {
  TENON_TRY(same_as_input(c));
  auto e = c.elements(0);
  if (!e) return {};
  for (Dim& d : *e) d = d.is_const() ? Dim(d.is(0) ? 1 : 0) : Dim::unknown();
  c.set_elements(0, std::move(*e));
  return {};
}
}  // namespace

TENON_OP(logical_and){
    .name = "And",
    .since = {1, 7},
    .in = {port("A", kBools, "T"), port("B", kBools, "T")},
    .out = {port("C", kBools)},
    .shape = arithmetic_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kAnd>(true),
};
TENON_CPU(logical_and) kPointwise;
TENON_CASES(logical_and) {
  cases.types(kBools);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>(x != 0 && y != 0); }));
  cases.add("all four").in(values({4}, {0, 0, 1, 1})).in(values({4}, {0, 1, 0, 1}));
  cases.add("column and row").in(values({2, 1}, {0, 1})).in(values({3}, {0, 1, 1}));
  cases.add("empty").in(values({0, 1}, {})).in(values({3}, {0, 1, 1}));
}

TENON_OP(logical_or){
    .name = "Or",
    .since = {1, 7},
    .in = {port("A", kBools, "T"), port("B", kBools, "T")},
    .out = {port("C", kBools)},
    .shape = arithmetic_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kOr>(true),
};
TENON_CPU(logical_or) kPointwise;
TENON_CASES(logical_or) {
  cases.types(kBools);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>(x != 0 || y != 0); }));
  cases.add("all four").in(values({4}, {0, 0, 1, 1})).in(values({4}, {0, 1, 0, 1}));
  cases.add("column and row").in(values({2, 1}, {0, 1})).in(values({3}, {0, 1, 1}));
  cases.add("empty").in(values({0, 1}, {})).in(values({3}, {0, 1, 1}));
}

TENON_OP(logical_xor){
    .name = "Xor",
    .since = {1, 7},
    .in = {port("A", kBools, "T"), port("B", kBools, "T")},
    .out = {port("C", kBools)},
    .shape = arithmetic_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kXor>(true),
};
TENON_CPU(logical_xor) kPointwise;
TENON_CASES(logical_xor) {
  cases.types(kBools);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>((x != 0) != (y != 0)); }));
  cases.add("all four").in(values({4}, {0, 0, 1, 1})).in(values({4}, {0, 1, 0, 1}));
  cases.add("column and row").in(values({2, 1}, {0, 1})).in(values({3}, {0, 1, 1}));
  cases.add("empty").in(values({0, 1}, {})).in(values({3}, {0, 1, 1}));
}

TENON_OP(logical_not){
    .name = "Not",
    .since = {1},
    .in = {port("X", kBools, "T")},
    .out = {port("Y", kBools, "T")},
    .shape = not_shape,
    .trait = pointwise<Fn::kNot>(),
};
TENON_CPU(logical_not) kPointwise;
TENON_CASES(logical_not) {
  cases.types(kBools);
  cases.reference(unary_reference([](double x) { return x == 0 ? 1.0 : 0.0; }));
  cases.add("both").in(values({2}, {0, 1}));
  cases.add("scalar").in(values({}, {1}));
}

}  // namespace tenon::ops
