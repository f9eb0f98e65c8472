// Unique: the distinct elements or slices, with first places, inverse and counts.
// SPDX-License-Identifier: MIT
#include "kernels/search/unique.h"

#include <algorithm>

#include "kernels/move/gather.h"
#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status unique_shape(InferContext& c) {
  if (!c.node().find("axis")) c.set(0, c.dtype(0), {Dim::unknown()});
  else if (!c.has_shape(0)) c.set(0, c.dtype(0));
  else {
    TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 0), c.rank(0)));
    DimVector dims = c.shape(0);
    dims[static_cast<size_t>(axis)] = Dim::unknown();
    c.set(0, c.dtype(0), std::move(dims));
  }
  for (size_t i = 1; i < 4; ++i) c.set(i, DType::kI64, {Dim::unknown()});
  return {};
}

Status run_unique(KernelContext& c) {
  const TensorRef& x = c.in(0);
  int64_t outer = 1, items = x.count, inner = 1;
  Dims dims{0};
  size_t axis = 0;
  if (c.node().find("axis")) {
    TENON_ASSIGN(int64_t a, normal_axis(c.node().int_or("axis", 0), x.rank));
    axis = static_cast<size_t>(a);
    outer = product(x.shape(), 0, axis);
    items = x.dims[axis];
    inner = product(x.shape(), axis + 1, x.shape().size());
    dims = Dims(x.shape());
  }
  TENON_ASSIGN(auto found, kernels::unique(x.data, x.dtype, outer, items, inner, c.node().int_or("sorted", 1) != 0));
  int64_t n = static_cast<int64_t>(found.first.size());
  dims[axis] = n;
  if (c.wants(0)) {
    TENON_TRY(c.allocate(0, dims));
    TENON_TRY(kernels::gather(c.out(0).data, x.data, outer, items, inner, {found.first.data(), n, true},
                              byte_width(x.dtype), c.team()));
  }
  const std::vector<int64_t>* lists[3] = {&found.first, &found.inverse, &found.counts};
  for (size_t i = 0; i < 3; ++i) {
    if (!c.wants(i + 1)) continue;
    TENON_TRY(c.allocate(i + 1, Dims{static_cast<int64_t>(lists[i]->size())}));
    std::copy(lists[i]->begin(), lists[i]->end(), c.out(i + 1).as<int64_t>());
  }
  return {};
}

constexpr TypeSet kItems = kNumbers | kBools | kStrings;

}  // namespace

TENON_OP(unique){
    .name = "Unique",
    .since = {11, 28},
    .in = {port("X", kItems | kComplex, "T")},
    .out = {port("Y", kItems | kComplex, "T"), optional(port("indices", kI64Only)),
            optional(port("inverse_indices", kI64Only)), optional(port("counts", kI64Only))},
    .attributes = {{"axis", 'i'}, {"sorted", 'i'}},
    .shape = unique_shape,
    .trait = {.kernel_sizes_output = true},
};
TENON_CPU(unique){
    {{{.name = "sort", .can = [](const KernelQuery& q) { return !kComplex.has(q.in_type(0)); }, .run = run_unique}}}};

TENON_CASES(unique) {
  cases.types(kNumbers);
  auto i = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kI64, values({n}, std::move(v)));
  };
  cases.add("sorted")
      .in(values({6}, {2, 1, 1, 3, 4, 3}))
      .out(values({4}, {1, 2, 3, 4}))
      .out(i({1, 0, 3, 4}))
      .out(i({1, 0, 0, 2, 3, 2}))
      .out(i({2, 1, 2, 1}));
  cases.add("in order")
      .in(values({2, 3}, {2, 1, 1, 3, 4, 3}))
      .attr("sorted", 0)
      .out(values({4}, {2, 1, 3, 4}))
      .out(i({0, 1, 3, 4}))
      .out(i({0, 1, 1, 2, 3, 2}))
      .out(i({1, 2, 2, 1}));
  cases.add("rows")
      .in(values({3, 2}, {1, 0, 1, 0, 0, 3}))
      .attr("axis", 0)
      .out(values({2, 2}, {0, 3, 1, 0}))
      .out(i({2, 0}))
      .out(i({1, 1, 0}))
      .out(i({1, 2}));
}

}  // namespace tenon::ops
