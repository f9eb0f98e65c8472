// Binary arithmetic: shapes, element expressions, old broadcasting.
// SPDX-License-Identifier: MIT
#include "ops/math/arithmetic.h"

#include <algorithm>

namespace tenon::ops {
namespace {

using BinaryDim = Dim (*)(Dim, Dim);

/// Truncating division as integers have it; expressions only where the operands cannot be negative.
Dim divide(Dim a, Dim b) {
  if (a.is_const() && b.is_const()) return b.is(0) ? Dim::unknown() : Dim(a.value() / b.value());
  return ir::is_non_negative(a) && ir::is_non_negative(b) ? floor_div(a, b) : Dim::unknown();
}

BinaryDim expression_of(std::string_view op) {
  if (op == "Add") return [](Dim a, Dim b) { return a + b; };
  if (op == "Sub") return [](Dim a, Dim b) { return a - b; };
  if (op == "Mul") return [](Dim a, Dim b) { return a * b; };
  if (op == "Div") return divide;
  return nullptr;
}

}  // namespace

Status arithmetic_shape(InferContext& c) {
  TENON_TRY(broadcast_inputs(c));
  BinaryDim f = expression_of(c.node().op);
  if (!f || !kIndices.has(c.dtype(0)) || c.rank(0) > 1 || c.rank(1) > 1) return {};
  auto a = c.elements(0), b = c.elements(1);
  if (!a || !b || a->empty() || b->empty()) return {};
  size_t n = std::max(a->size(), b->size());
  if ((a->size() != n && a->size() != 1) || (b->size() != n && b->size() != 1)) return {};
  DimVector out;
  for (size_t i = 0; i < n; ++i) out.push_back(f((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
  c.set_elements(0, std::move(out));
  return {};
}

Status upgrade_legacy_broadcast(ir::Node& node, Build& b) {
  if (node.since >= 7) return {};
  node.erase("consumed_inputs");
  bool broadcast = node.int_or("broadcast", 0) != 0;
  auto* axis = node.get<int64_t>("axis");
  if (broadcast && axis) {
    const auto& x = b.model().value(node.input(0)).type;
    const auto& y = b.model().value(node.input(1)).type;
    if (!x.has_shape || !y.has_shape)
      return error(Code::kNotImplemented, node.op, "-", node.since, ": broadcast with axis needs known ranks");
    int64_t start = *axis < 0 ? *axis + x.rank() : *axis;
    int64_t tail = x.rank() - start - y.rank();
    if (start < 0 || tail < 0) return invalid(node.op, ": axis ", *axis, " does not fit ranks ", x.rank(), " and ", y.rank());
    if (tail > 0) {
      std::vector<int64_t> axes;
      for (int64_t i = 0; i < tail; ++i) axes.push_back(y.rank() + i);
      b.graph().set_input(node, 1, b.op("Unsqueeze", {node.input(1), b.ints(axes)}));
    }
  }
  node.erase("broadcast");
  node.erase("axis");
  return {};
}

Reference binary_reference(double (*f)(double, double)) {
  return [f](const Case&, const std::vector<CaseTensor>& in) {
    CaseTensor out;
    Shape shape = std::move(broadcast(in[0].dims, in[1].dims)).value();
    out.dims = shape;
    int64_t n = product(shape);
    out.data.resize(static_cast<size_t>(n));
    auto at = [&](const CaseTensor& t, int64_t flat) {
      int64_t index = 0, stride = 1;
      for (size_t d = 0; d < shape.size(); ++d) {
        size_t axis = shape.size() - 1 - d;
        int64_t position = flat % shape[axis];
        flat /= shape[axis];
        if (d >= t.dims.size()) continue;
        int64_t size = t.dims[t.dims.size() - 1 - d];
        index += (size == 1 ? 0 : position) * stride;
        stride *= size;
      }
      return t.data[static_cast<size_t>(index)];
    };
    for (int64_t i = 0; i < n; ++i) out.data[static_cast<size_t>(i)] = f(at(in[0], i), at(in[1], i));
    return std::vector<CaseTensor>{out};
  };
}

void add_binary_cases(Cases& cases, double low, double high) {
  cases.add("equal shapes").in(range({3, 5}, low, high)).in(range({3, 5}, low, high));
  cases.add("scalar on the right").in(range({4, 7}, low, high)).in(range({}, low, high));
  cases.add("scalar on the left").in(range({}, low, high)).in(range({2, 9}, low, high));
  cases.add("row").in(range({2, 3, 17}, low, high)).in(range({17}, low, high));
  cases.add("column").in(range({5, 8}, low, high)).in(range({5, 1}, low, high));
  cases.add("both broadcast").in(range({4, 1, 3}, low, high)).in(range({2, 1}, low, high));
  cases.add("empty").in(range({0, 4}, low, high)).in(range({4}, low, high));
  cases.add("long").in(range({3000}, low, high)).in(range({3000}, low, high));
}

}  // namespace tenon::ops
