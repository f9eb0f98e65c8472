// Reshape: other dimensions, same elements; 0 keeps a dimension (unless allowzero), -1 is worked out.
// SPDX-License-Identifier: MIT
#include "opdef/build.h"
#include "opdef/cases.h"
#include "ops/view.h"

namespace tenon::ops {
namespace {

Status reshape_shape(InferContext& c) {
  auto target = c.elements(1);
  if (!target) {
    auto rank = c.count(1);
    DimVector dims;
    for (int64_t i = 0; rank && i < *rank && i <= kMaxElements; ++i) dims.push_back(Dim::unknown());
    if (rank) c.set(0, c.dtype(0), std::move(dims));
    else c.set(0, c.dtype(0));
    return {};
  }
  bool allow_zero = c.attr("allowzero", 0) != 0;
  DimVector dims;
  int inferred = -1;
  Dim known(1);
  for (size_t i = 0; i < target->size(); ++i) {
    Dim d = (*target)[i];
    if (d.is(-1)) {
      if (inferred >= 0)
        return invalid("Reshape: more than one dimension of the target ", ir::dims_text(*target), " is -1");
      inferred = static_cast<int>(i);
      dims.push_back(Dim::unknown());
      continue;
    }
    if (d.is_const() && d.value() < -1)
      return invalid("Reshape: the target ", ir::dims_text(*target), " has the dimension ", d);
    if (d.is(0) && !allow_zero) {
      if (c.has_shape(0)) {
        if (i >= c.shape(0).size())
          return invalid("Reshape: dimension ", i, " of the target ", ir::dims_text(*target),
                         " copies a dimension that the input ", ir::dims_text(c.shape(0)), " does not have");
        d = c.shape(0)[i];
      } else d = Dim::unknown();
    }
    // Contents of an input are only known when it runs: they may be -1 or 0 then.
    if (!d.is_const() && !ir::is_non_negative(d)) d = Dim::unknown();
    dims.push_back(d);
    known = known * d;
  }
  if (c.has_shape(0)) {
    Dim total = ir::dim_product(c.shape(0));
    if (inferred >= 0) {
      if (known.is(0))
        return invalid("Reshape: -1 cannot be worked out from ", ir::dims_text(c.shape(0)), " for the target ",
                       ir::dims_text(*target));
      if (total.is_const() && known.is_const() && total.value() % known.value() != 0)
        return invalid("Reshape: the input ", ir::dims_text(c.shape(0)), " does not fill the target ",
                       ir::dims_text(*target));
      dims[static_cast<size_t>(inferred)] = floor_div(total, known);
    } else if (total.is_const() && known.is_const() && total.value() != known.value()) {
      return invalid("Reshape: the input ", ir::dims_text(c.shape(0)), " has ", total, " elements, the target ",
                     ir::dims_text(*target), " has ", known);
    }
  }
  c.set(0, c.dtype(0), std::move(dims));
  carry_elements(c);
  return {};
}

/// Before version 5 the target was an attribute.
Status reshape_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 5) return {};
  auto shape = node.ints("shape");
  b.graph().append_input(node, b.ints(std::vector<int64_t>(shape.begin(), shape.end())));
  node.erase("shape");
  node.erase("consumed_inputs");
  return {};
}

}  // namespace

TENON_OP(reshape){
    .name = "Reshape",
    .since = {1, 5, 13, 14, 19, 21, 23, 24, 25, 28},
    .in = {port("data", kAll, "T"), optional(port("shape", kI64Only))},
    .out = {port("reshaped", kAll, "T")},
    .shape = reshape_shape,
    .upgrade = reshape_upgrade,
    .trait = view_trait(),
};
TENON_CPU(reshape) kView;

TENON_CASES(reshape) {
  cases.types(kAll);
  cases.add("flat").in(values({2, 3}, {0, 1, 1, 0, 1, 0})).in(ints({6})).out(values({6}, {0, 1, 1, 0, 1, 0}));
  cases.add("inferred")
      .in(values({2, 3}, {0, 1, 1, 0, 1, 0}))
      .in(ints({3, -1}))
      .out(values({3, 2}, {0, 1, 1, 0, 1, 0}));
  cases.add("kept")
      .in(values({2, 3}, {0, 1, 1, 0, 1, 0}))
      .in(ints({0, 1, -1}))
      .out(values({2, 1, 3}, {0, 1, 1, 0, 1, 0}));
  cases.add("zero allowed").in(values({0, 3}, {})).in(ints({3, 0})).attr("allowzero", 1).out(values({3, 0}, {}));
  cases.add("too many").in(typed(DType::kF32, range({2, 3}, 0, 1))).in(ints({4, 2})).fails("has 6 elements");
  cases.add("two inferred").in(typed(DType::kF32, range({2, 3}, 0, 1))).in(ints({-1, -1})).fails("more than one");
}

}  // namespace tenon::ops
