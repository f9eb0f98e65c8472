// Unsqueeze: dimensions of 1 put in at the given axes of the result.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "ops/operands.h"
#include "ops/view.h"

namespace tenon::ops {
namespace {

Status unsqueeze_shape(InferContext& c) {
  auto axes = int_operand(c, 1, "axes");
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  size_t rank = c.shape(0).size();
  if (!axes) {
    auto n = c.has(1) ? c.count(1) : std::nullopt;
    if (n && *n <= kMaxElements) set_rank(c, 0, c.dtype(0), rank + static_cast<size_t>(*n));
    else c.set(0, c.dtype(0));
    return {};
  }
  rank += axes->size();
  TENON_ASSIGN(Dims at, normal_axes(*axes, static_cast<int64_t>(rank), "Unsqueeze"));
  DimVector dims(rank, Dim::unknown());
  SmallVector<bool, 8> inserted(rank, false);
  for (int64_t a : at) inserted[static_cast<size_t>(a)] = true;
  for (size_t i = 0, from = 0; i < rank; ++i) dims[i] = inserted[i] ? Dim(1) : c.shape(0)[from++];
  c.set(0, c.dtype(0), std::move(dims));
  carry_elements(c);
  return {};
}

/// Before version 13 the axes were an attribute.
Status unsqueeze_upgrade(ir::Node& node, Build& b) {
  ints_to_input(node, b, "axes", 1);
  return {};
}

}  // namespace

TENON_OP(unsqueeze){
    .name = "Unsqueeze",
    .since = {1, 11, 13, 21, 23, 24, 25},
    .in = {port("data", kAll, "T"), optional(port("axes", kI64Only))},
    .out = {port("expanded", kAll, "T")},
    .attributes = {{"axes", 'I'}},
    .shape = unsqueeze_shape,
    .upgrade = unsqueeze_upgrade,
    .trait = view_trait(),
};
TENON_CPU(unsqueeze) kView;

TENON_CASES(unsqueeze) {
  cases.types(kAll);
  cases.add("in front").in(values({2}, {1, 0})).in(ints({0})).out(values({1, 2}, {1, 0}));
  cases.add("two, unsorted, from the end")
      .in(values({2, 2}, {1, 0, 0, 1}))
      .in(ints({-1, 1}))
      .out(values({2, 1, 2, 1}, {1, 0, 0, 1}));
  cases.add("a scalar").in(values({}, {1})).in(ints({0})).out(values({1}, {1}));
  cases.add("empty").in(values({0, 2}, {})).in(ints({1})).out(values({0, 1, 2}, {}));
  cases.add("attribute")
      .in(values({2}, {1, 0}))
      .attr("axes", std::vector<int64_t>{1})
      .opset(11)
      .out(values({2, 1}, {1, 0}));
  cases.add("outside").in(typed(DType::kF32, values({2}, {1, 0}))).in(ints({2})).fails("axis 2 is outside of [-2, 2)");
  cases.add("twice").in(typed(DType::kF32, values({2}, {1, 0}))).in(ints({0, -3})).fails("axis 0 stands twice");
}

}  // namespace tenon::ops
