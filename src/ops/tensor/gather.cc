// Gather, GatherElements, GatherND: elements picked by an index tensor.
// SPDX-License-Identifier: MIT
#include "kernels/move/gather.h"

#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// The contents of the index operand in the form the movers take.
struct KnownIndices {
  Dims items;
  kernels::Indices operand() const { return {items.data(), static_cast<int64_t>(items.size()), true}; }
};

Status gather_shape(InferContext& c) {
  if (!c.has_shape(0) || !c.has_shape(1)) {
    c.set(0, c.dtype(0));
    return {};
  }
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 0), c.rank(0)));
  size_t a = static_cast<size_t>(axis);
  const DimVector &x = c.shape(0), &at = c.shape(1);
  DimVector dims;
  dims.append(x.data(), a);
  dims.append(at.data(), at.size());
  dims.append(x.data() + a + 1, x.size() - a - 1);
  c.set(0, c.dtype(0), std::move(dims));
  auto indices = c.integers(1);
  if (!indices) return {};
  return move_elements(c, [&](void* dst, const void* src) -> Status {
    Dims in = *ir::constant_dims(x);
    return kernels::gather(dst, src, product(in, 0, a), in[a], product(in, a + 1, in.size()),
                           KnownIndices{*indices}.operand(), 8, Team());
  });
}

Status run_gather(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", 0), x.rank));
  size_t a = static_cast<size_t>(axis);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  auto s =
      kernels::gather(to.data(), from, product(x.shape(), 0, a), x.dims[axis],
                      product(x.shape(), a + 1, x.shape().size()), indices_of(c.in(1)), mover_width(x.dtype), c.team());
  if (!s.ok()) return std::move(s).prefix("Gather: ");
  to.finish();
  return {};
}

Status gather_elements_shape(InferContext& c) {
  if (c.has_shape(0) && c.has_shape(1)) {
    if (c.rank(0) != c.rank(1))
      return invalid("GatherElements: the indices have rank ", c.rank(1), ", the data ", c.rank(0));
    TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 0), c.rank(0)));
    for (size_t i = 0; i < c.shape(0).size(); ++i) {
      Dim d = c.shape(0)[i], n = c.shape(1)[i];
      if (static_cast<int64_t>(i) != axis && d.is_const() && n.is_const() && n.value() > d.value())
        return invalid("GatherElements: dimension ", i, " of the indices is ", n, ", of the data ", d);
    }
  }
  if (c.has_shape(1)) c.set(0, c.dtype(0), c.shape(1));
  else if (c.has_shape(0)) set_rank(c, 0, c.dtype(0), c.shape(0).size());
  else c.set(0, c.dtype(0));
  return {};
}

Status run_gather_elements(KernelContext& c) {
  const TensorRef &x = c.in(0), &at = c.in(1);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", 0), x.rank));
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  auto s = kernels::gather_elements(to.data(), from, x.shape(), indices_of(at), at.shape(), axis, mover_width(x.dtype),
                                    c.team());
  if (!s.ok()) return std::move(s).prefix("GatherElements: ");
  to.finish();
  return {};
}

Status gather_nd_shape(InferContext& c) {
  int64_t batch = c.attr("batch_dims", 0);
  if (batch < 0) return invalid("GatherND: batch_dims is ", batch);
  if (!c.has_shape(0) || !c.has_shape(1)) {
    c.set(0, c.dtype(0));
    return {};
  }
  const DimVector &x = c.shape(0), &at = c.shape(1);
  if (at.empty() || x.empty()) return invalid("GatherND: data and indices need at least rank 1");
  if (batch >= c.rank(0) || batch >= c.rank(1))
    return invalid("GatherND: batch_dims is ", batch, " for ranks ", c.rank(0), " and ", c.rank(1));
  for (size_t i = 0; i < static_cast<size_t>(batch); ++i)
    if (x[i].is_const() && at[i].is_const() && x[i].value() != at[i].value())
      return invalid("GatherND: batch dimension ", i, " is ", x[i], " in the data, ", at[i], " in the indices");
  Dim tuple = at.back();
  if (!tuple.is_const()) {
    c.set(0, c.dtype(0));
    return {};
  }
  if (tuple.value() < 1 || tuple.value() + batch > c.rank(0))
    return invalid("GatherND: tuples of ", tuple, " with batch_dims ", batch, " do not fit data of rank ", c.rank(0));
  DimVector dims;
  dims.append(at.data(), at.size() - 1);
  size_t used = static_cast<size_t>(batch + tuple.value());
  dims.append(x.data() + used, x.size() - used);
  c.set(0, c.dtype(0), std::move(dims));
  auto indices = c.integers(1);
  auto at_dims = ir::constant_dims(at);
  if (!indices || !at_dims) return {};
  return move_elements(c, [&](void* dst, const void* src) -> Status {
    return kernels::gather_nd(dst, src, *ir::constant_dims(x), KnownIndices{*indices}.operand(), *at_dims, batch, 8,
                              Team());
  });
}

Status run_gather_nd(KernelContext& c) {
  const TensorRef &x = c.in(0), &at = c.in(1);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  auto s = kernels::gather_nd(to.data(), from, x.shape(), indices_of(at), at.shape(), c.node().int_or("batch_dims", 0),
                              mover_width(x.dtype), c.team());
  if (!s.ok()) return std::move(s).prefix("GatherND: ");
  to.finish();
  return {};
}

}  // namespace

TENON_OP(gather){
    .name = "Gather",
    .since = {1, 11, 13},
    .in = {port("data", kAll, "T"), port("indices", kIndices)},
    .out = {port("output", kAll, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = gather_shape,
};
TENON_CPU(gather){{{{.name = "move", .run = run_gather, .unaligned = 1}}}};

TENON_CASES(gather) {
  cases.types(kAll);
  cases.add("rows")
      .in(values({3, 2}, {1, 0, 0, 1, 1, 1}))
      .in(typed(DType::kI64, values({2}, {2, 0})))
      .out(values({2, 2}, {1, 1, 1, 0}));
  cases.add("a scalar index")
      .in(values({2, 2}, {1, 0, 0, 1}))
      .in(typed(DType::kI64, values({}, {-1})))
      .attr("axis", 1)
      .out(values({2}, {0, 1}));
  cases.add("a matrix of indices, 32 bits")
      .in(values({3}, {1, 0, 1}))
      .in(typed(DType::kI32, values({2, 2}, {0, 1, 1, 2})))
      .out(values({2, 2}, {1, 0, 0, 1}));
  cases.add("no index").in(values({3}, {1, 0, 1})).in(typed(DType::kI64, values({0}, {}))).out(values({0}, {}));
  cases.add("beyond")
      .in(typed(DType::kF32, values({3}, {1, 0, 1})))
      .in(typed(DType::kI64, values({1}, {3})))
      .fails("3");
}

TENON_OP(gather_elements){
    .name = "GatherElements",
    .since = {11, 13},
    .in = {port("data", kAll, "T"), port("indices", kIndices)},
    .out = {port("output", kAll, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = gather_elements_shape,
};
TENON_CPU(gather_elements){{{{.name = "move", .run = run_gather_elements, .unaligned = 1}}}};

TENON_CASES(gather_elements) {
  cases.types(kAll);
  cases.add("columns")
      .in(values({2, 2}, {1, 0, 0, 1}))
      .in(typed(DType::kI64, values({2, 2}, {0, 0, 1, 0})))
      .attr("axis", 1)
      .out(values({2, 2}, {1, 1, 1, 0}));
  cases.add("rows, negative")
      .in(values({3, 2}, {1, 0, 0, 1, 1, 1}))
      .in(typed(DType::kI32, values({1, 2}, {-1, -2})))
      .out(values({1, 2}, {1, 1}));
  cases.add("beyond").in(typed(DType::kF32, values({2}, {1, 0}))).in(typed(DType::kI64, values({1}, {-3}))).fails("-3");
  cases.add("ranks")
      .in(typed(DType::kF32, values({2}, {1, 0})))
      .in(typed(DType::kI64, values({1, 1}, {0})))
      .fails("rank 2");
}

TENON_OP(gather_nd){
    .name = "GatherND",
    .since = {11, 12, 13},
    .in = {port("data", kAll, "T"), port("indices", kI64Only)},
    .out = {port("output", kAll, "T")},
    .attributes = {{"batch_dims", 'i'}},
    .shape = gather_nd_shape,
};
TENON_CPU(gather_nd){{{{.name = "move", .run = run_gather_nd, .unaligned = 1}}}};

TENON_CASES(gather_nd) {
  cases.types(kAll);
  CaseTensor x = values({2, 2}, {1, 0, 0, 1});
  cases.add("elements").in(x).in(typed(DType::kI64, values({2, 2}, {0, 0, 1, 0}))).out(values({2}, {1, 0}));
  cases.add("rows").in(x).in(typed(DType::kI64, values({1, 1}, {-1}))).out(values({1, 2}, {0, 1}));
  cases.add("batch")
      .in(values({2, 2, 1}, {1, 0, 0, 1}))
      .in(typed(DType::kI64, values({2, 1}, {1, 0})))
      .attr("batch_dims", 1)
      .out(values({2, 1}, {0, 0}));
  cases.add("tuple too long")
      .in(typed(DType::kF32, x))
      .in(typed(DType::kI64, values({1, 3}, {0, 0, 0})))
      .fails("tuples of 3");
  cases.add("beyond").in(typed(DType::kF32, x)).in(typed(DType::kI64, values({1, 2}, {0, 2}))).fails("2");
}

}  // namespace tenon::ops
