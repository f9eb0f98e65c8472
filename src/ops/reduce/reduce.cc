// The ten reductions: ReduceSum, Mean, Max, Min, Prod, L1, L2, SumSquare, LogSum, LogSumExp.
// SPDX-License-Identifier: MIT
#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <cmath>

#include "opdef/build.h"
#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// The axes of a node of this rank: the input (or nothing), all when none are given, none at all with
/// noop_with_empty_axes.
Result<Dims> reduced_axes(const ir::Node& node, std::optional<Dims> given, int64_t rank) {
  if (!given || given->empty()) {
    Dims all;
    if (node.int_or("noop_with_empty_axes", 0)) return all;
    for (int64_t i = 0; i < rank; ++i) all.push_back(i);
    return all;
  }
  return normal_axes(*given, rank, node.op);
}

/// Small integer results: the product of a shape, say.
void reduce_elements(InferContext& c) {
  Dim (*f)(Dim, Dim) = nullptr;
  Dim start(0);
  auto& op = c.node().op;
  if (op == "ReduceProd") f = [](Dim a, Dim b) { return a * b; }, start = Dim(1);
  else if (op == "ReduceSum") f = [](Dim a, Dim b) { return a + b; };
  else if (op == "ReduceMax") f = [](Dim a, Dim b) { return dim_max(a, b); };
  else if (op == "ReduceMin") f = [](Dim a, Dim b) { return dim_min(a, b); };
  if (!f || !kIndices.has(c.dtype(0)) || c.rank(0) != 1) return;
  auto e = c.elements(0);
  if (!e || (e->empty() && op != "ReduceProd" && op != "ReduceSum")) return;
  Dim r = e->empty() ? start : (*e)[0];
  for (size_t i = 1; i < e->size(); ++i) r = f(r, (*e)[i]);
  c.set_elements(0, {r});
}

Status reduce_shape(InferContext& c) {
  bool keep = c.attr("keepdims", 1) != 0;
  DType dtype = c.dtype(0);
  if (!c.has_shape(0)) {
    c.set(0, dtype);
    return {};
  }
  std::optional<Dims> given;
  if (c.has(1)) {
    given = c.integers(1);
    if (!given) {  // axes are known while running only
      if (keep) set_rank(c, 0, dtype, c.shape(0).size());
      else c.set(0, dtype);
      return {};
    }
  }
  TENON_ASSIGN(Dims axes, reduced_axes(c.node(), std::move(given), c.rank(0)));
  DimVector dims;
  for (int64_t i = 0; i < c.rank(0); ++i) {
    bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!gone) dims.push_back(c.shape(0)[static_cast<size_t>(i)]);
    else if (keep) dims.push_back(Dim(1));
  }
  c.set(0, dtype, std::move(dims));
  if (axes.size() == 1 || c.rank(0) == 1) reduce_elements(c);
  return {};
}

/// The axes became an input (ReduceSum at 13, the others at 18).
Status reduce_upgrade(ir::Node& node, Build& b) {
  ints_to_input(node, b, "axes", 1);
  return {};
}

template <Reduction reduction>
Status run_reduce(KernelContext& c) {
  std::optional<Dims> given;
  if (c.has(1)) { TENON_ASSIGN(given, read_ints(c.in(1))); }
  TENON_ASSIGN(Dims axes, reduced_axes(c.node(), std::move(given), c.in(0).rank));
  return reduce(reduction, c.in(0), axes, c.out(0), c.team());
}

/// Reference: f over each group of elements that share their kept coordinates.
Reference reduce_reference(double (*f)(const std::vector<double>&)) {
  return [f](const Case& c, const std::vector<CaseTensor>& in) {
    auto& x = in[0];
    int64_t rank = static_cast<int64_t>(x.dims.size());
    std::vector<bool> gone(x.dims.size(), false);
    bool given = in.size() > 1 && !in[1].missing && !in[1].data.empty();
    if (given)
      for (double a : in[1].data) gone[static_cast<size_t>(a < 0 ? a + static_cast<double>(rank) : a)] = true;
    else if (!c.attr("noop_with_empty_axes", 0)) gone.assign(x.dims.size(), true);
    bool keep = c.attr("keepdims", 1) != 0;
    CaseTensor out;
    int64_t groups = 1;
    for (size_t i = 0; i < x.dims.size(); ++i) {
      if (!gone[i]) {
        out.dims.push_back(x.dims[i]);
        groups *= x.dims[i];
      } else if (keep) out.dims.push_back(1);
    }
    std::vector<std::vector<double>> members(static_cast<size_t>(groups));
    Dims strides = row_major_strides(x.dims);
    for (size_t n = 0; n < x.data.size(); ++n) {
      int64_t group = 0;
      for (size_t i = 0; i < x.dims.size(); ++i)
        if (!gone[i]) group = group * x.dims[i] + static_cast<int64_t>(n) / strides[i] % x.dims[i];
      members[static_cast<size_t>(group)].push_back(x.data[n]);
    }
    for (auto& m : members) out.data.push_back(f(m));
    return std::vector<CaseTensor>{out};
  };
}

void add_reduce_cases(Cases& cases, double low, double high) {
  cases.add("last axis").in(range({3, 17}, low, high)).in(ints({-1}));
  cases.add("first axis, dropped").in(range({5, 9}, low, high)).in(ints({0})).attr("keepdims", 0);
  cases.add("two axes").in(range({2, 3, 4, 5}, low, high)).in(ints({1, 3}));
  cases.add("inner axes").in(range({2, 3, 4, 5}, low, high)).in(ints({2, 3})).attr("keepdims", 0);
  cases.add("all").in(range({4, 7}, low, high));
  cases.add("nothing to do").in(range({4, 3}, low, high)).in(ints({})).attr("noop_with_empty_axes", 1);
  cases.add("long").in(range({2, 1000}, low, high)).in(ints({1})).attr("keepdims", 0);
  cases.add("scalar").in(range({}, low, high));
  cases.add("repeated axis").in(typed(DType::kF32, range({2, 3}, low, high))).in(ints({1, -1})).fails("twice");
}

double sum_of(const std::vector<double>& v) {
  double s = 0;
  for (double x : v) s += x;
  return s;
}

}  // namespace

#define TENON_REDUCTION(id, Name, kind, versions, type_set, case_types, low, high, ...)            \
  TENON_OP(id){                                                                                    \
      .name = Name,                                                                                \
      .since = versions,                                                                           \
      .in = {port("data", type_set, "T"), optional(port("axes", kI64Only))},                       \
      .out = {port("reduced", type_set, "T")},                                                     \
      .attributes = {{"keepdims", 'i'}, {"noop_with_empty_axes", 'i'}},                            \
      .shape = reduce_shape,                                                                       \
      .upgrade = reduce_upgrade,                                                                   \
  };                                                                                               \
  TENON_CPU(id){{{{.name = "reduce", .run = run_reduce<kind>}}}};                                  \
  TENON_CASES(id) {                                                                                \
    cases.types(case_types);                                                                       \
    cases.reference(reduce_reference([](const std::vector<double>& v) -> double { __VA_ARGS__ })); \
    add_reduce_cases(cases, low, high);                                                            \
  }
#define TENON_SINCE(...) {__VA_ARGS__}

TENON_REDUCTION(reduce_sum, "ReduceSum", Reduction::kSum, TENON_SINCE(1, 11, 13), kNumbers, kFloats | kIndices, -2, 3,
                return sum_of(v);)
TENON_REDUCTION(reduce_mean, "ReduceMean", Reduction::kMean, TENON_SINCE(1, 11, 13, 18), kNumbers, kFloats, -2, 3,
                return sum_of(v) / static_cast<double>(v.size());)
TENON_REDUCTION(reduce_max, "ReduceMax", Reduction::kMax, TENON_SINCE(1, 11, 12, 13, 18, 20), kNumbers | kBools,
                kFloats | kSignedInts, -9, 9, return *std::max_element(v.begin(), v.end());)
TENON_REDUCTION(reduce_min, "ReduceMin", Reduction::kMin, TENON_SINCE(1, 11, 12, 13, 18, 20), kNumbers | kBools,
                kFloats | kSignedInts, -9, 9, return *std::min_element(v.begin(), v.end());)
TENON_REDUCTION(reduce_prod, "ReduceProd", Reduction::kProd, TENON_SINCE(1, 11, 13, 18), kNumbers,
                (TypeSet{DType::kF32, DType::kF64}), 0.9, 1.1, double p = 1;
                for (double x : v) p *= x; return p;)
TENON_REDUCTION(reduce_l1, "ReduceL1", Reduction::kL1, TENON_SINCE(1, 11, 13, 18), kNumbers, kFloats, -2, 3,
                double s = 0;
                for (double x : v) s += std::fabs(x); return s;)
TENON_REDUCTION(reduce_l2, "ReduceL2", Reduction::kL2, TENON_SINCE(1, 11, 13, 18), kNumbers, kFloats, -2, 3,
                double s = 0;
                for (double x : v) s += x * x; return std::sqrt(s);)
TENON_REDUCTION(reduce_sum_square, "ReduceSumSquare", Reduction::kSumSquare, TENON_SINCE(1, 11, 13, 18), kNumbers,
                kFloats, -2, 3, double s = 0;
                for (double x : v) s += x * x; return s;)
TENON_REDUCTION(reduce_log_sum, "ReduceLogSum", Reduction::kLogSum, TENON_SINCE(1, 11, 13, 18), kNumbers, kFloats, 1, 3,
                return std::log(sum_of(v));)
TENON_REDUCTION(reduce_log_sum_exp, "ReduceLogSumExp", Reduction::kLogSumExp, TENON_SINCE(1, 11, 13, 18), kNumbers,
                kFloats, -2, 3, double s = 0;
                for (double x : v) s += std::exp(x); return std::log(s);)

}  // namespace tenon::ops
