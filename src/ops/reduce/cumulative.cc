// CumSum and CumProd: running sums and products along an axis.
// SPDX-License-Identifier: MIT
#include "kernels/reduce/reduce.h"
#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status cumulative_shape(InferContext& c) {
  if (auto n = c.count(1); n && *n != 1) return invalid(c.node().op, ": the axis input has ", *n, " elements, not one");
  c.copy(0, 0);
  return {};
}

template <bool is_product>
Status run_cumulative(KernelContext& c) {
  TENON_ASSIGN(Dims given, read_ints(c.in(1)));
  if (given.size() != 1) return invalid(c.node().op, ": the axis input has ", given.size(), " elements, not one");
  TENON_ASSIGN(int64_t axis, normal_axis(given[0], c.in(0).rank));
  return cumulative(is_product, c.in(0), axis, c.node().int_or("exclusive", 0) != 0, c.node().int_or("reverse", 0) != 0,
                    c.out(0), c.team());
}

template <bool is_product>
std::vector<CaseTensor> cumulative_reference(const Case& c, const std::vector<CaseTensor>& in) {
  auto& x = in[0];
  size_t rank = x.dims.size();
  int64_t axis = static_cast<int64_t>(in[1].data[0]);
  size_t a = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(rank) : axis);
  int64_t outer = product(x.dims, 0, a), n = x.dims[a], inner = product(x.dims, a + 1, rank);
  CaseTensor out = x;
  out.dtype = DType::kUndefined;
  bool exclusive = c.attr("exclusive", 0) != 0, reverse = c.attr("reverse", 0) != 0;
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      double sum = is_product ? 1 : 0;
      for (int64_t k = 0; k < n; ++k) {
        size_t at = static_cast<size_t>((o * n + (reverse ? n - 1 - k : k)) * inner + i);
        double next = is_product ? sum * x.data[at] : sum + x.data[at];
        out.data[at] = exclusive ? sum : next;
        sum = next;
      }
    }
  return {out};
}

void add_cumulative_cases(Cases& cases, double low, double high) {
  for (int exclusive : {0, 1})
    for (int reverse : {0, 1})
      cases.add(cat("exclusive ", exclusive, " reverse ", reverse))
          .in(range({3, 4, 5}, low, high))
          .in(constant(typed(DType::kI64, values({}, {1}))))
          .attr("exclusive", exclusive)
          .attr("reverse", reverse);
  cases.add("last axis").in(range({2, 9}, low, high)).in(constant(typed(DType::kI32, values({}, {-1}))));
  cases.add("length one, exclusive, reverse")
      .in(range({2, 1}, low, high))
      .in(constant(typed(DType::kI64, values({}, {1}))))
      .attr("exclusive", 1)
      .attr("reverse", 1);
  cases.add("beyond")
      .in(typed(DType::kF32, range({2, 3}, low, high)))
      .in(constant(typed(DType::kI64, values({}, {2}))))
      .fails("axis 2");
}

}  // namespace

TENON_OP(cum_sum){
    .name = "CumSum",
    .since = {11, 14},
    .in = {port("x", kNumbers, "T"), port("axis", kIndices)},
    .out = {port("y", kNumbers, "T")},
    .attributes = {{"exclusive", 'i'}, {"reverse", 'i'}},
    .shape = cumulative_shape,
};
TENON_CPU(cum_sum){{{{.name = "running", .run = run_cumulative<false>}}}};
TENON_CASES(cum_sum) {
  cases.types(TypeSet{DType::kF32, DType::kF64, DType::kI32, DType::kI64});
  cases.reference(cumulative_reference<false>);
  add_cumulative_cases(cases, 0, 59);
}

TENON_OP(cum_prod){
    .name = "CumProd",
    .since = {26},
    .in = {port("x", kNumbers, "T"), port("axis", kIndices)},
    .out = {port("y", kNumbers, "T")},
    .attributes = {{"exclusive", 'i'}, {"reverse", 'i'}},
    .shape = cumulative_shape,
};
TENON_CPU(cum_prod){{{{.name = "running", .run = run_cumulative<true>}}}};
TENON_CASES(cum_prod) {
  cases.types(TypeSet{DType::kF32, DType::kF64});
  cases.reference(cumulative_reference<true>);
  add_cumulative_cases(cases, 0.5, 1.5);
}

}  // namespace tenon::ops
