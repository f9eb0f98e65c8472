// Flatten: a matrix of the dimensions before the axis by those from it on.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "ops/view.h"

namespace tenon::ops {
namespace {

Status flatten_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0), {Dim::unknown(), Dim::unknown()});
    return {};
  }
  int64_t rank = c.rank(0), axis = c.attr("axis", 1);
  if (axis < -rank || axis > rank) return invalid("Flatten: axis ", axis, " is outside of [", -rank, ", ", rank, "]");
  if (axis < 0) axis += rank;
  std::span<const Dim> dims = c.shape(0);
  size_t a = static_cast<size_t>(axis);
  c.set(0, c.dtype(0), {ir::dim_product(dims.subspan(0, a)), ir::dim_product(dims.subspan(a))});
  carry_elements(c);
  return {};
}

}  // namespace

TENON_OP(flatten){
    .name = "Flatten",
    .since = {1, 9, 11, 13, 21, 23, 24, 25},
    .in = {port("input", kAll, "T")},
    .out = {port("output", kAll, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = flatten_shape,
    .trait = view_trait(),
};
TENON_CPU(flatten) kView;

TENON_CASES(flatten) {
  cases.types(kAll);
  cases.add("default").in(values({2, 1, 2}, {1, 0, 0, 1})).out(values({2, 2}, {1, 0, 0, 1}));
  cases.add("axis 0").in(values({2, 2}, {1, 0, 0, 1})).attr("axis", 0).out(values({1, 4}, {1, 0, 0, 1}));
  cases.add("axis at the end").in(values({2, 2}, {1, 0, 0, 1})).attr("axis", 2).out(values({4, 1}, {1, 0, 0, 1}));
  cases.add("from the end").in(values({2, 1, 2}, {1, 0, 0, 1})).attr("axis", -1).out(values({2, 2}, {1, 0, 0, 1}));
  cases.add("empty").in(values({0, 3}, {})).out(values({0, 3}, {}));
  cases.add("outside").in(typed(DType::kF32, range({2}, 0, 1))).attr("axis", 3).fails("axis 3 is outside of [-1, 1]");
}

}  // namespace tenon::ops
