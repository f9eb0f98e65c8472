// ArgMax and ArgMin: the index of the largest or smallest element along an axis, as int64.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/reduce/reduce.h"
#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status arg_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, DType::kI64);
    return {};
  }
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 0), c.rank(0)));
  DimVector dims = c.shape(0);
  size_t a = static_cast<size_t>(axis);
  if (dims[a].is(0)) return invalid(c.node().op, ": axis ", axis, " of ", ir::dims_text(dims), " is empty");
  if (c.attr("keepdims", 1)) dims[a] = Dim(1);
  else dims.erase(a);
  c.set(0, DType::kI64, std::move(dims));
  return {};
}

template <bool largest>
Status run_arg(KernelContext& c) {
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", 0), c.in(0).rank));
  return arg_extreme(largest, c.in(0), axis, c.node().int_or("select_last_index", 0) != 0, c.out(0), c.team());
}

template <bool largest>
std::vector<CaseTensor> arg_reference(const Case& c, const std::vector<CaseTensor>& in) {
  auto& x = in[0];
  int64_t rank = static_cast<int64_t>(x.dims.size()), axis = c.attr("axis", 0);
  if (axis < 0) axis += rank;
  size_t a = static_cast<size_t>(axis);
  int64_t outer = product(x.dims, 0, a), n = x.dims[a], inner = product(x.dims, a + 1, x.dims.size());
  CaseTensor out;
  out.dtype = DType::kI64;
  out.dims = x.dims;
  if (c.attr("keepdims", 1)) out.dims[a] = 1;
  else out.dims.erase(a);
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      int64_t best = 0;
      auto at = [&](int64_t k) { return x.data[static_cast<size_t>((o * n + k) * inner + i)]; };
      for (int64_t k = 1; k < n; ++k) {
        bool better = largest ? at(k) > at(best) : at(k) < at(best);
        if (better || (c.attr("select_last_index", 0) && at(k) == at(best))) best = k;
      }
      out.data.push_back(static_cast<double>(best));
    }
  return {out};
}

void add_arg_cases(Cases& cases) {
  cases.types(kFloats | kInts);
  cases.add("last axis").in(range({3, 37}, 0, 100)).attr("axis", -1);
  cases.add("first axis, dropped").in(range({5, 9}, 0, 100)).attr("axis", 0).attr("keepdims", 0);
  cases.add("middle axis").in(range({2, 7, 3}, 0, 100)).attr("axis", 1);
  cases.add("ties, first").in(values({1, 5}, {1, 7, 1, 7, 1})).attr("axis", 1);
  cases.add("ties, last").in(values({1, 5}, {1, 7, 1, 7, 1})).attr("axis", 1).attr("select_last_index", 1);
}

}  // namespace

TENON_OP(arg_max){
    .name = "ArgMax",
    .since = {1, 11, 12, 13},
    .in = {port("data", kNumbers, "T")},
    .out = {port("reduced", kI64Only)},
    .attributes = {{"axis", 'i'}, {"keepdims", 'i'}, {"select_last_index", 'i'}},
    .shape = arg_shape,
};
TENON_CPU(arg_max){{{{.name = "reduce", .run = run_arg<true>}}}};
TENON_CASES(arg_max) {
  cases.reference(arg_reference<true>);
  add_arg_cases(cases);
}

TENON_OP(arg_min){
    .name = "ArgMin",
    .since = {1, 11, 12, 13},
    .in = {port("data", kNumbers, "T")},
    .out = {port("reduced", kI64Only)},
    .attributes = {{"axis", 'i'}, {"keepdims", 'i'}, {"select_last_index", 'i'}},
    .shape = arg_shape,
};
TENON_CPU(arg_min){{{{.name = "reduce", .run = run_arg<false>}}}};
TENON_CASES(arg_min) {
  cases.reference(arg_reference<false>);
  add_arg_cases(cases);
}

}  // namespace tenon::ops
