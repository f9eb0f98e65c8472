// Concat: tensors joined along one axis.
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"
#include "opdef/build.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/bytes.h"

namespace tenon::ops {
namespace {

Status concat_shape(InferContext& c) {
  DType dtype = c.dtype(0);
  for (size_t i = 0; i < c.in.size(); ++i)
    if (!c.has_shape(i)) {
      c.set(0, dtype);
      return {};
    }
  DimVector dims = c.shape(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 1), c.rank(0)));
  size_t a = static_cast<size_t>(axis);
  for (size_t i = 1; i < c.in.size(); ++i) {
    const DimVector& other = c.shape(i);
    if (other.size() != dims.size())
      return invalid("Concat: input ", i, " has rank ", other.size(), " where input 0 has rank ", dims.size());
    for (size_t d = 0; d < dims.size(); ++d) {
      if (d == a) continue;
      if (dims[d].is_const() && other[d].is_const() && dims[d].value() != other[d].value())
        return invalid("Concat: input ", i, " has ", other[d], " in dimension ", d, " where input 0 has ", dims[d],
                       "; all but axis ", axis, " must agree");
      if (other[d].is_const()) dims[d] = other[d];
    }
    dims[a] = dims[a] + other[a];
  }
  bool small = kIndices.has(dtype) && dims.size() == 1;
  DimVector elements;
  for (size_t i = 0; small && i < c.in.size(); ++i) {
    auto e = c.elements(i);
    if (e) elements.append(e->data(), e->size());
    else if (auto n = c.count(i); n && *n <= kMaxElements)
      for (int64_t k = 0; k < *n; ++k) elements.push_back(Dim::unknown());
    else small = false;
  }
  c.set(0, dtype, std::move(dims));
  if (small) c.set_elements(0, std::move(elements));
  return {};
}

/// Version 1 had axis 1 when none was given; later versions require it.
Status concat_upgrade(ir::Node& node, Build&) {
  if (node.since < 4 && !node.find("axis")) node.set("axis", int64_t{1});
  return {};
}

Status run_concat(KernelContext& c) {
  const TensorRef& out = c.out(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", 1), out.rank));
  size_t a = static_cast<size_t>(axis);
  SmallVector<kernels::AxisPart, 8> parts;
  for (size_t i = 0; i < c.inputs(); ++i) {
    TENON_ASSIGN(const void* p, input_bytes(c, i));
    parts.push_back({const_cast<void*>(p), c.in(i).dims[axis]});
  }
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  kernels::concat(to.data(), parts, product(out.shape(), 0, a), product(out.shape(), a + 1, out.shape().size()),
                  mover_width(out.dtype), c.team());
  to.finish();
  return {};
}

}  // namespace

TENON_OP(concat){
    .name = "Concat",
    .since = {1, 4, 11, 13},
    .in = {variadic(port("inputs", kAll, "T"))},
    .out = {port("concat_result", kAll, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = concat_shape,
    .upgrade = concat_upgrade,
};
TENON_CPU(concat){{{{.name = "move", .run = run_concat}}}};

TENON_CASES(concat) {
  cases.types(kAll);
  cases.add("rows")
      .in(values({1, 2}, {1, 0}))
      .in(values({2, 2}, {0, 1, 1, 1}))
      .attr("axis", 0)
      .out(values({3, 2}, {1, 0, 0, 1, 1, 1}));
  cases.add("columns, axis from the end")
      .in(values({2, 1}, {1, 0}))
      .in(values({2, 2}, {0, 1, 1, 1}))
      .attr("axis", -1)
      .out(values({2, 3}, {1, 0, 1, 0, 1, 1}));
  cases.add("one input").in(values({3}, {1, 0, 1})).attr("axis", 0).out(values({3}, {1, 0, 1}));
  cases.add("an empty part")
      .in(values({0, 2}, {}))
      .in(values({1, 2}, {1, 0}))
      .attr("axis", 0)
      .out(values({1, 2}, {1, 0}));
  cases.add("dimensions differ")
      .in(typed(DType::kF32, range({2, 3}, 0, 1)))
      .in(typed(DType::kF32, range({2, 4}, 0, 1)))
      .attr("axis", 0)
      .fails("has 4 in dimension 1 where input 0 has 3");
}

}  // namespace tenon::ops
