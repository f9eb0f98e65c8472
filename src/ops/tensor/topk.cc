// TopK: the k largest or smallest elements along an axis, with their places.
// SPDX-License-Identifier: MIT
#include "kernels/search/topk.h"

#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status topk_shape(InferContext& c) {
  DType t = c.dtype(0);
  if (!c.has_shape(0)) {
    c.set(0, t);
    c.set(1, DType::kI64);
    return {};
  }
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", -1), c.rank(0)));
  DimVector dims = c.shape(0);
  Dim& d = dims[static_cast<size_t>(axis)];
  Dim k = Dim::unknown();
  if (!c.has(1)) {
    if (c.node().find("k")) k = Dim(c.attr("k", 0));
  } else if (auto e = c.elements(1); e && e->size() == 1) {
    k = (*e)[0];
  } else if (auto n = c.count(1); n && *n != 1) {
    return invalid("TopK: k has ", *n, " elements, one is needed");
  }
  if (k.is_const() && (k.value() < 0 || (d.is_const() && k.value() > d.value())))
    return invalid("TopK: k is ", k, ", dimension ", axis, " has ", d, " elements");
  d = k;
  c.set(0, t, dims);
  c.set(1, DType::kI64, std::move(dims));
  return {};
}

/// Version 1 had k as attribute.
Status topk_upgrade(ir::Node& node, Build& b) {
  const int64_t* k = node.get<int64_t>("k");
  if (node.since >= 10 || !k) return {};
  put_input(node, b, 1, b.ints({*k}));
  node.erase("k");
  return {};
}

Status run_topk(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", -1), x.rank));
  size_t a = static_cast<size_t>(axis);
  int64_t k = c.has(1) ? (c.in(1).count == 1 ? *c.in(1).as<int64_t>() : -1) : c.node().int_or("k", -1);
  if (k < 0 || k > x.dims[axis])
    return invalid("TopK: k is ", k, ", dimension ", axis, " has ", x.dims[axis], " elements");
  kernels::TopkShape shape{product(x.shape(), 0, a),
                           x.dims[axis],
                           product(x.shape(), a + 1, x.shape().size()),
                           k,
                           c.node().int_or("largest", 1) != 0,
                           c.node().int_or("sorted", 1) != 0};
  TENON_ASSIGN(void* scratch,
               c.scratch(static_cast<size_t>(kernels::topk_scratch_bytes(shape, x.dtype, c.team().width()))));
  int64_t n = shape.outer * k * shape.inner;
  void *values = nullptr, *indices = nullptr;
  if (c.wants(0)) values = c.out(0).data;
  else { TENON_ASSIGN(values, c.scratch(static_cast<size_t>(n * byte_width(x.dtype)))); }
  if (c.wants(1)) indices = c.out(1).data;
  else { TENON_ASSIGN(indices, c.scratch(static_cast<size_t>(n) * sizeof(int64_t))); }
  return kernels::topk(values, static_cast<int64_t*>(indices), x.data, x.dtype, shape, scratch, c.team());
}

}  // namespace

TENON_OP(topk){
    .name = "TopK",
    .since = {1, 10, 11, 24},
    .in = {port("X", kNumbers, "T"), optional(port("K", kI64Only))},
    .out = {port("Values", kNumbers, "T"), port("Indices", kI64Only)},
    .attributes = {{"axis", 'i'}, {"largest", 'i'}, {"sorted", 'i'}, {"k", 'i'}},
    .shape = topk_shape,
    .upgrade = topk_upgrade,
};
TENON_CPU(topk){{{{.name = "select", .run = run_topk}}}};

TENON_CASES(topk) {
  cases.types(kNumbers);
  auto i = [](Shape s, std::vector<double> v) { return typed(DType::kI64, values(std::move(s), std::move(v))); };
  CaseTensor x = values({2, 4}, {1, 4, 2, 3, 9, 7, 8, 9});
  cases.add("largest").in(x).in(ints({2})).out(values({2, 2}, {4, 3, 9, 9})).out(i({2, 2}, {1, 3, 0, 3}));
  cases.add("smallest").in(x).in(ints({1})).attr("largest", 0).out(values({2, 1}, {1, 7})).out(i({2, 1}, {0, 1}));
  cases.add("first axis")
      .in(x)
      .in(ints({1}))
      .attr("axis", 0)
      .out(values({1, 4}, {9, 7, 8, 9}))
      .out(i({1, 4}, {1, 1, 1, 1}));
  cases.add("none").in(x).in(ints({0})).out(values({2, 0}, {})).out(i({2, 0}, {}));
  cases.add("all").in(values({3}, {5, 6, 5})).in(ints({3})).out(values({3}, {6, 5, 5})).out(i({3}, {1, 0, 2}));
  cases.add("attribute")
      .in(typed(DType::kF32, x))
      .attr("k", 1)
      .opset(9)
      .out(typed(DType::kF32, values({2, 1}, {4, 9})))
      .out(i({2, 1}, {1, 0}));
  cases.add("too many").in(typed(DType::kF32, x)).in(ints({5})).fails("k is 5, dimension 1 has 4");
}

}  // namespace tenon::ops
