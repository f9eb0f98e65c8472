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

/// 1, 0 or unknown.
Dim truth(std::optional<bool> known) { return known ? Dim(*known ? 1 : 0) : Dim::unknown(); }
/// The sign of a - b where it can be told.
std::optional<int> order(Dim a, Dim b) {
  auto sign = [](int64_t v) { return v > 0 ? 1 : v < 0 ? -1 : 0; };
  if (a.is_unknown() || b.is_unknown()) return std::nullopt;
  if (a.is_const() && b.is_const()) return a.value() < b.value() ? -1 : a.value() > b.value() ? 1 : 0;
  if (auto d = constant_difference(a, b)) return sign(*d);
  if (b.is_const() && b.value() < 0 && ir::is_non_negative(a)) return 1;
  if (a.is_const() && a.value() < 0 && ir::is_non_negative(b)) return -1;
  return std::nullopt;
}
template <class F>
Dim compared(Dim a, Dim b, F&& holds) {
  auto o = order(a, b);
  return truth(o ? std::optional<bool>(holds(*o)) : std::nullopt);
}

BinaryDim expression_of(std::string_view op) {
  struct Known {
    std::string_view op;
    BinaryDim f;
  };
  static constexpr Known kKnown[] = {
      {"Add", [](Dim a, Dim b) { return a + b; }},
      {"Sub", [](Dim a, Dim b) { return a - b; }},
      {"Mul", [](Dim a, Dim b) { return a * b; }},
      {"Div", divide},
      {"Mod",
       [](Dim a, Dim b) {
         return ir::is_non_negative(a) && b.is_const() && b.value() > 0 ? a - floor_div(a, b) * b : Dim::unknown();
       }},
      {"Min", [](Dim a, Dim b) { return dim_min(a, b); }},
      {"Max", [](Dim a, Dim b) { return dim_max(a, b); }},
      {"Equal", [](Dim a, Dim b) { return compared(a, b, [](int o) { return o == 0; }); }},
      {"Less", [](Dim a, Dim b) { return compared(a, b, [](int o) { return o < 0; }); }},
      {"LessOrEqual", [](Dim a, Dim b) { return compared(a, b, [](int o) { return o <= 0; }); }},
      {"Greater", [](Dim a, Dim b) { return compared(a, b, [](int o) { return o > 0; }); }},
      {"GreaterOrEqual", [](Dim a, Dim b) { return compared(a, b, [](int o) { return o >= 0; }); }},
      {"And",
       [](Dim a, Dim b) {
         if (a.is(0) || b.is(0)) return Dim(0);
         return a.is_const() && b.is_const() ? Dim(1) : Dim::unknown();
       }},
      {"Or",
       [](Dim a, Dim b) {
         if ((a.is_const() && !a.is(0)) || (b.is_const() && !b.is(0))) return Dim(1);
         return a.is(0) && b.is(0) ? Dim(0) : Dim::unknown();
       }},
  };
  for (auto& k : kKnown)
    if (k.op == op) return k.f;
  return nullptr;
}

/// Before version 7, `axis` aligned the second operand: the output is shaped like the first.
bool aligned_by_axis(const InferContext& c) {
  return c.since() < 7 && c.node().int_or("broadcast", 0) != 0 && c.node().find("axis");
}

}  // namespace

void carry_expressions(InferContext& c) {
  constexpr TypeSet kept = kIndices | kBools;
  BinaryDim f = expression_of(c.node().op);
  if (!f || !kept.has(c.dtype(0)) || c.in.empty() || aligned_by_axis(c)) return;
  std::optional<DimVector> all;
  for (size_t i = 0; i < c.in.size(); ++i) {
    auto e = c.elements(i);
    if (c.rank(i) > 1 || !e || e->empty()) return;
    if (!all) {
      all = std::move(e);
      continue;
    }
    size_t n = std::max(all->size(), e->size());
    if ((all->size() != n && all->size() != 1) || (e->size() != n && e->size() != 1)) return;
    DimVector next;
    for (size_t k = 0; k < n; ++k) next.push_back(f((*all)[all->size() == 1 ? 0 : k], (*e)[e->size() == 1 ? 0 : k]));
    all = std::move(next);
  }
  c.set_elements(0, std::move(*all));
}

Status arithmetic_shape(InferContext& c) {
  if (aligned_by_axis(c)) {
    c.copy(0, 0);
    return {};
  }
  TENON_TRY(broadcast_inputs(c));
  carry_expressions(c);
  return {};
}

Status compare_shape(InferContext& c) {
  if (aligned_by_axis(c)) {
    Type t = c.type(0);
    t.dtype = DType::kBool;
    c.set(0, std::move(t));
    return {};
  }
  TENON_TRY(broadcast_compare(c));
  carry_expressions(c);
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
    if (start < 0 || tail < 0)
      return invalid(node.op, ": axis ", *axis, " does not fit ranks ", x.rank(), " and ", y.rank());
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
