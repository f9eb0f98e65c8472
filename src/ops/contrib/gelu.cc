// The peer's Gelu family: Gelu, BiasGelu, FastGelu, QuickGelu.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "opdef/cases.h"
#include "ops/pointwise.h"

namespace tenon::ops {
namespace {

double exact_gelu(double x) { return x * 0.5 * (1 + std::erf(x / std::sqrt(2.0))); }
double fast_gelu(double x) { return 0.5 * x * (1 + std::tanh(0.7978845608028654 * (x + 0.044715 * x * x * x))); }

/// An optional bias along the last axis, then the function.
Program with_bias(const ir::Node& n, Fn fn) {
  if (n.input(1) == ir::kNoValue) return Program::single(fn);
  Program p;
  p.inputs = 2;
  uint8_t sum = p.emit(Fn::kAdd, {0, 1});
  p.outputs.push_back(p.emit(fn, {sum}));
  return p;
}

Status bias_shape(InferContext& c) {
  c.copy(0, 0);
  if (!c.has_shape(1)) return {};
  if (c.rank(1) != 1) return invalid(c.node().op, ": the bias has rank ", c.rank(1), ", a vector is needed");
  if (!c.has_shape(0) || c.shape(0).empty()) return {};
  Dim n = c.shape(0).back(), b = c.shape(1)[0];
  if (n.is_const() && b.is_const() && n.value() != b.value())
    return invalid(c.node().op, ": the bias has ", b, " elements, the last dimension is ", n);
  return {};
}

Reference bias_reference(double (*f)(double)) {
  return [f](const Case&, const std::vector<CaseTensor>& in) {
    CaseTensor y = in[0];
    y.dtype = DType::kUndefined;
    for (size_t i = 0; i < y.data.size(); ++i)
      y.data[i] = f(y.data[i] + (in.size() > 1 ? in[1].data[i % in[1].data.size()] : 0));
    return std::vector<CaseTensor>{y};
  };
}

}  // namespace

TENON_OP(ms_gelu){
    .name = "Gelu",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = same_as_input,
    .trait = pointwise<Fn::kGelu>(),
};
TENON_CPU(ms_gelu) kPointwise;
TENON_CASES(ms_gelu) {
  cases.types(kFloats);
  cases.reference(unary_reference(exact_gelu));
  add_unary_cases(cases, -2, 3);
}

TENON_OP(bias_gelu){
    .name = "BiasGelu",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("A", kFloats, "T"), port("B", kFloats, "T")},
    .out = {port("C", kFloats, "T")},
    .shape = bias_shape,
    .trait = pointwise([](const ir::Node& n) { return with_bias(n, Fn::kGelu); }),
};
TENON_CPU(bias_gelu) kPointwise;
TENON_CASES(bias_gelu) {
  cases.types(kFloats);
  cases.reference(bias_reference(exact_gelu));
  cases.add("rows").in(range({3, 17}, -4, 4)).in(range({17}, -1, 1));
  cases.add("wrong bias")
      .in(typed(DType::kF32, range({3, 4}, -4, 4)))
      .in(typed(DType::kF32, range({3}, -1, 1)))
      .fails("the bias has 3");
}

TENON_OP(fast_gelu){
    .name = "FastGelu",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("X", kFloats, "T"), optional(port("bias", kFloats, "T"))},
    .out = {port("Y", kFloats, "T")},
    .shape = bias_shape,
    .trait = pointwise([](const ir::Node& n) { return with_bias(n, Fn::kGeluTanh); }),
};
TENON_CPU(fast_gelu) kPointwise;
TENON_CASES(fast_gelu) {
  cases.types(kFloats);
  cases.reference(bias_reference(fast_gelu));
  cases.add("no bias").in(range({5, 7}, -4, 4));
  cases.add("rows").in(range({3, 17}, -4, 4)).in(range({17}, -1, 1));
}

TENON_OP(quick_gelu){
    .name = "QuickGelu",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"alpha", 'f'}},
    .shape = same_as_input,
    .trait = pointwise([](const ir::Node& n) {
      return Program::single(Fn::kQuickGelu, static_cast<double>(n.float_or("alpha", 1.702f)));
    }),
};
TENON_CPU(quick_gelu) kPointwise;
TENON_CASES(quick_gelu) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double alpha = c.attr_f("alpha", 1.702f);
    return map_elements(in[0], [&](double x) { return x / (1 + std::exp(-alpha * x)); });
  });
  add_unary_cases(cases, -2, 3);
  cases.add("another slope").in(range({9}, -2, 2)).attr_f("alpha", 0.5f);
}

}  // namespace tenon::ops
