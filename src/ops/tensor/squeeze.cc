// Squeeze: dimensions of 1 taken out, the given ones or all.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "ops/operands.h"
#include "ops/view.h"

namespace tenon::ops {
namespace {

Status squeeze_shape(InferContext& c) {
  bool all = !c.has(1) && !c.node().find("axes");
  auto axes = int_operand(c, 1, "axes");
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  const DimVector& in = c.shape(0);
  size_t rank = in.size();
  if (all) {
    for (Dim d : in)
      if (!d.is_const()) {
        c.set(0, c.dtype(0));
        return {};
      }
  } else if (!axes) {
    auto n = c.count(1);
    if (n && *n <= static_cast<int64_t>(rank)) set_rank(c, 0, c.dtype(0), rank - static_cast<size_t>(*n));
    else c.set(0, c.dtype(0));
    return {};
  }
  SmallVector<bool, 8> drop(rank, false);
  if (all) {
    for (size_t i = 0; i < rank; ++i) drop[i] = in[i].is(1);
  } else {
    // Repeated axes name the same dimension; that is harmless here.
    for (int64_t a : *axes) {
      TENON_ASSIGN(int64_t axis, normal_axis(a, static_cast<int64_t>(rank)));
      size_t i = static_cast<size_t>(axis);
      if (in[i].is_const() && !in[i].is(1))
        return invalid("Squeeze: dimension ", axis, " of ", ir::dims_text(in), " is ", in[i],
                       ", only 1 can be taken out");
      drop[i] = true;
    }
  }
  DimVector dims;
  for (size_t i = 0; i < rank; ++i)
    if (!drop[i]) dims.push_back(in[i]);
  c.set(0, c.dtype(0), std::move(dims));
  carry_elements(c);
  return {};
}

/// Before version 13 the axes were an attribute.
Status squeeze_upgrade(ir::Node& node, Build& b) {
  ints_to_input(node, b, "axes", 1);
  return {};
}

}  // namespace

TENON_OP(squeeze){
    .name = "Squeeze",
    .since = {1, 11, 13, 21, 23, 24, 25},
    .in = {port("data", kAll, "T"), optional(port("axes", kI64Only))},
    .out = {port("squeezed", kAll, "T")},
    .attributes = {{"axes", 'I'}},
    .shape = squeeze_shape,
    .upgrade = squeeze_upgrade,
    .trait = view_trait(),
};
TENON_CPU(squeeze) kView;

TENON_CASES(squeeze) {
  cases.types(kAll);
  cases.add("one").in(values({1, 2}, {1, 0})).in(ints({0})).out(values({2}, {1, 0}));
  cases.add("from the end").in(values({1, 2, 1}, {1, 0})).in(ints({-1})).out(values({1, 2}, {1, 0}));
  cases.add("all").in(values({1, 2, 1}, {1, 0})).out(values({2}, {1, 0}));
  cases.add("to a scalar").in(values({1, 1}, {1})).in(ints({0, 1})).out(values({}, {1}));
  cases.add("attribute")
      .in(values({1, 2}, {1, 0}))
      .attr("axes", std::vector<int64_t>{0})
      .opset(11)
      .out(values({2}, {1, 0}));
  cases.add("not 1").in(typed(DType::kF32, range({2, 3}, 0, 1))).in(ints({1})).fails("dimension 1 of [2,3] is 3");
  cases.add("outside").in(typed(DType::kF32, range({2, 3}, 0, 1))).in(ints({5})).fails("axis");
}

}  // namespace tenon::ops
