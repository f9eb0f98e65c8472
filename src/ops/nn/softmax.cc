// Softmax, LogSoftmax and Hardmax along an axis.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/norm/norm.h"
#include "opdef/build.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;
namespace {

Status softmax_shape(InferContext& c) {
  if (c.has_shape(0) && c.rank(0) > 0) {
    TENON_ASSIGN([[maybe_unused]] int64_t axis, normal_axis(c.attr("axis", -1), c.rank(0)));
  }
  return same_as_input(c);
}

/// Before version 13 all dimensions from the axis (default 1) on were one: a reshape to [outer, rest] around the node.
/// Where the axis is the last one the two agree.
Status softmax_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 13) return {};
  int64_t axis = node.int_or("axis", 1);
  const ir::Type& type = b.model().value(node.input(0)).type;
  if (!type.has_shape)
    return error(Code::kNotImplemented, node.op, "-", node.since, ": the rank of the input must be known");
  int64_t rank = type.rank();
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return invalid(node.op, ": axis ", node.int_or("axis", 1), " is outside of rank ", rank);
  if (axis == rank - 1) {
    node.set("axis", int64_t{-1});
    return {};
  }
  ir::ValueId shape = b.op("Shape", {node.input(0)});
  ir::Node& flat = b.node("Flatten", {node.input(0)});
  flat.set("axis", axis);
  ir::Node& same = b.node(node.op, {flat.output(0)});
  same.set("axis", int64_t{-1});
  b.replace({b.op("Reshape", {same.output(0), shape})});
  return {};
}

template <Softmax kind>
Status run_softmax(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  if (x.rank == 0) return softmax(kind, x.dtype, x.data, y.data, {}, c.team());
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", -1), x.rank));
  return softmax(kind, x.dtype, x.data, y.data, axis_view(x.shape(), axis), c.team());
}

/// f maps one row in place.
template <class F>
Reference row_reference(F f) {
  return [f](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor out = in[0];
    out.dtype = DType::kUndefined;
    if (out.dims.empty()) {
      f(out.data);
      return std::vector<CaseTensor>{out};
    }
    int64_t rank = static_cast<int64_t>(out.dims.size());
    bool old = c.opset && c.opset < 13;
    int64_t axis = c.attr("axis", old ? 1 : -1);
    size_t a = static_cast<size_t>(axis < 0 ? axis + rank : axis);
    int64_t n = old ? product(out.dims, a, out.dims.size()) : out.dims[a];
    int64_t inner = old ? 1 : product(out.dims, a + 1, out.dims.size()), outer = product(out.dims, 0, a);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        std::vector<double> row;
        for (int64_t k = 0; k < n; ++k) row.push_back(out.data[static_cast<size_t>((o * n + k) * inner + i)]);
        f(row);
        for (int64_t k = 0; k < n; ++k)
          out.data[static_cast<size_t>((o * n + k) * inner + i)] = row[static_cast<size_t>(k)];
      }
    return std::vector<CaseTensor>{out};
  };
}

double log_sum(const std::vector<double>& row) {
  double top = *std::max_element(row.begin(), row.end()), sum = 0;
  for (double v : row) sum += std::exp(v - top);
  return top + std::log(sum);
}

void add_softmax_cases(Cases& cases) {
  cases.types(kFloats);
  cases.add("rows").in(range({5, 19}, -4, 4));
  cases.add("columns").in(range({7, 5}, -4, 4)).attr("axis", 0);
  cases.add("middle axis").in(range({3, 6, 5}, -4, 4)).attr("axis", 1);
  cases.add("one element").in(range({4, 1}, -4, 4));
  cases.add("empty").in(range({0, 4}, -4, 4));
  cases.add("long row").in(range({1, 2000}, -4, 4));
  cases.add("all from axis 1").in(range({2, 3, 4}, -4, 4)).opset(11);
  cases.add("beyond").in(typed(DType::kF32, range({2, 3}, 0, 1))).attr("axis", 2).fails("axis 2");
}

}  // namespace

TENON_OP(softmax){
    .name = "Softmax",
    .since = {1, 11, 13},
    .in = {port("input", kFloats, "T")},
    .out = {port("output", kFloats, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = softmax_shape,
    .upgrade = softmax_upgrade,
    .trait = {.in_place = 1},
};
TENON_CPU(softmax){{{{.name = "rows", .run = run_softmax<Softmax::kSoftmax>}}}};
TENON_CASES(softmax) {
  cases.reference(row_reference([](std::vector<double>& row) {
    if (row.empty()) return;
    double all = log_sum(row);
    for (double& v : row) v = std::exp(v - all);
  }));
  add_softmax_cases(cases);
}

TENON_OP(log_softmax){
    .name = "LogSoftmax",
    .since = {1, 11, 13},
    .in = {port("input", kFloats, "T")},
    .out = {port("output", kFloats, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = softmax_shape,
    .upgrade = softmax_upgrade,
    .trait = {.in_place = 1},
};
TENON_CPU(log_softmax){{{{.name = "rows", .run = run_softmax<Softmax::kLogSoftmax>}}}};
TENON_CASES(log_softmax) {
  cases.reference(row_reference([](std::vector<double>& row) {
    if (row.empty()) return;
    double all = log_sum(row);
    for (double& v : row) v -= all;
  }));
  add_softmax_cases(cases);
}

TENON_OP(hardmax){
    .name = "Hardmax",
    .since = {1, 11, 13},
    .in = {port("input", kFloats, "T")},
    .out = {port("output", kFloats, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = softmax_shape,
    .upgrade = softmax_upgrade,
};
TENON_CPU(hardmax){{{{.name = "rows", .run = run_softmax<Softmax::kHardmax>}}}};
TENON_CASES(hardmax) {
  cases.reference(row_reference([](std::vector<double>& row) {
    if (row.empty()) return;
    auto top = std::max_element(row.begin(), row.end()) - row.begin();
    std::fill(row.begin(), row.end(), 0);
    row[static_cast<size_t>(top)] = 1;
  }));
  cases.types(TypeSet{DType::kF32, DType::kF64});
  cases.add("rows").in(range({5, 19}, -4, 4));
  cases.add("columns").in(range({7, 5}, -4, 4)).attr("axis", 0);
  cases.add("ties").in(values({1, 4}, {1, 3, 3, 0}));
}

}  // namespace tenon::ops
