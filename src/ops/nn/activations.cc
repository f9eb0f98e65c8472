// Activation functions of one input: Sigmoid, Tanh, Softplus, Softsign, Mish, Elu, Selu, Celu, HardSigmoid, HardSwish,
// Gelu ... SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "ops/math/unary.h"

namespace tenon::ops {

TENON_OP(sigmoid) unary_op("Sigmoid", {1, 6, 13}, kFloats, pointwise<Fn::kSigmoid>());
TENON_CPU(sigmoid) kPointwise;
TENON_CASES(sigmoid) {
  cases.types(cases.op().in[0].types);
  cases.reference(unary_reference([](double x) { return 1 / (1 + std::exp(-x)); }));
  add_unary_cases(cases, -9, 9);
}

TENON_OP(tanh) unary_op("Tanh", {1, 6, 13}, kFloats, pointwise<Fn::kTanh>());
TENON_CPU(tanh) kPointwise;
TENON_CASES(tanh) {
  cases.types(cases.op().in[0].types);
  cases.reference(unary_reference([](double x) { return std::tanh(x); }));
  add_unary_cases(cases, -4, 4);
}

TENON_OP(softplus) unary_op("Softplus", {1, 22}, kFloats, pointwise<Fn::kSoftplus>());
TENON_CPU(softplus) kPointwise;
TENON_CASES(softplus) {
  cases.types(cases.op().in[0].types);
  cases.reference(unary_reference([](double x) { return std::log1p(std::exp(x)); }));
  add_unary_cases(cases, -9, 9);
}

TENON_OP(softsign) unary_op("Softsign", {1, 22}, kFloats, pointwise<Fn::kSoftsign>());
TENON_CPU(softsign) kPointwise;
TENON_CASES(softsign) {
  cases.types(cases.op().in[0].types);
  cases.reference(unary_reference([](double x) { return x / (1 + std::fabs(x)); }));
  add_unary_cases(cases, -9, 9);
}

TENON_OP(mish) unary_op("Mish", {18, 22}, kFloats, pointwise<Fn::kMish>());
TENON_CPU(mish) kPointwise;
TENON_CASES(mish) {
  cases.types(cases.op().in[0].types);
  cases.reference(unary_reference([](double x) { return x * std::tanh(std::log1p(std::exp(x))); }));
  add_unary_cases(cases, -9, 9);
}

TENON_OP(elu)
unary_op("Elu", {1, 6, 22}, kFloats,
         pointwise([](const ir::Node& n) { return Program::single(Fn::kElu, n.float_or("alpha", 1)); }),
         {{"alpha", 'f'}});
TENON_CPU(elu) kPointwise;
TENON_CASES(elu) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double alpha = c.attr_f("alpha", 1);
    return map_elements(in[0], [&](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
  });
  add_unary_cases(cases, -4, 4);
  cases.add("alpha").in(range({9}, -3, 3)).attr_f("alpha", 0.5f);
}

TENON_OP(selu)
unary_op("Selu", {1, 6, 22}, kFloats, pointwise([](const ir::Node& n) {
           return Program::single(Fn::kSelu, n.float_or("alpha", 1.67326319217681884765625f),
                                  n.float_or("gamma", 1.05070102214813232421875f));
         }),
         {{"alpha", 'f'}, {"gamma", 'f'}});
TENON_CPU(selu) kPointwise;
TENON_CASES(selu) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double alpha = c.attr_f("alpha", 1.67326319217681884765625f), gamma = c.attr_f("gamma", 1.05070102214813232421875f);
    return map_elements(in[0], [&](double x) { return gamma * (x <= 0 ? alpha * std::expm1(x) : x); });
  });
  add_unary_cases(cases, -4, 4);
  cases.add("own").in(range({9}, -3, 3)).attr_f("alpha", 2).attr_f("gamma", 3);
}

TENON_OP(celu)
unary_op("Celu", {12, 28}, kFloats,
         pointwise([](const ir::Node& n) { return Program::single(Fn::kCelu, n.float_or("alpha", 1)); }),
         {{"alpha", 'f'}});
TENON_CPU(celu) kPointwise;
TENON_CASES(celu) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double alpha = c.attr_f("alpha", 1);
    return map_elements(in[0],
                        [&](double x) { return std::max(0.0, x) + std::min(0.0, alpha * std::expm1(x / alpha)); });
  });
  add_unary_cases(cases, -4, 4);
  cases.add("alpha").in(range({9}, -3, 3)).attr_f("alpha", 2);
}

TENON_OP(hard_sigmoid)
unary_op("HardSigmoid", {1, 6, 22}, kFloats, pointwise([](const ir::Node& n) {
           return Program::single(Fn::kHardSigmoid, n.float_or("alpha", 0.2f), n.float_or("beta", 0.5f));
         }),
         {{"alpha", 'f'}, {"beta", 'f'}});
TENON_CPU(hard_sigmoid) kPointwise;
TENON_CASES(hard_sigmoid) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double a = c.attr_f("alpha", 0.2f), b = c.attr_f("beta", 0.5f);
    return map_elements(in[0], [&](double x) { return std::max(0.0, std::min(1.0, a * x + b)); });
  });
  add_unary_cases(cases, -4, 4);
  cases.add("own").in(range({9}, -3, 3)).attr_f("alpha", 0.5f).attr_f("beta", 0.25f);
}

TENON_OP(hard_swish)
unary_op("HardSwish", {14, 22}, kFloats,
         pointwise([](const ir::Node&) { return Program::single(Fn::kHardSwish, 1.0 / 6, 0.5); }));
TENON_CPU(hard_swish) kPointwise;
TENON_CASES(hard_swish) {
  cases.types(cases.op().in[0].types);
  cases.reference(unary_reference([](double x) { return x * std::max(0.0, std::min(1.0, x / 6 + 0.5)); }));
  add_unary_cases(cases, -5, 5);
}

TENON_OP(thresholded_relu)
unary_op("ThresholdedRelu", {10, 22}, kFloats,
         pointwise([](const ir::Node& n) { return Program::single(Fn::kThresholdedRelu, n.float_or("alpha", 1)); }),
         {{"alpha", 'f'}});
TENON_CPU(thresholded_relu) kPointwise;
TENON_CASES(thresholded_relu) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double alpha = c.attr_f("alpha", 1);
    return map_elements(in[0], [&](double x) { return x > alpha ? x : 0.0; });
  });
  add_unary_cases(cases, -4, 4);
  cases.add("alpha").in(range({9}, -3, 3)).attr_f("alpha", 2);
}

TENON_OP(gelu)
unary_op("Gelu", {20}, kFloats, pointwise([](const ir::Node& n) {
           return Program::single(n.string_or("approximate", "none") == "tanh" ? Fn::kGeluTanh : Fn::kGelu);
         }),
         {{"approximate", 's'}});
TENON_CPU(gelu) kPointwise;
TENON_CASES(gelu) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    bool tanh = c.attr_s("approximate", "none") == "tanh";
    return map_elements(in[0], [&](double x) {
      return tanh ? x / 2 * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)))
                  : x / 2 * (1 + std::erf(x / std::sqrt(2.0)));
    });
  });
  add_unary_cases(cases, -5, 5);
  cases.add("tanh").in(range({29}, -3, 3)).attr_s("approximate", "tanh");
}

TENON_OP(swish)
unary_op("Swish", {24}, kFloats,
         pointwise([](const ir::Node& n) { return Program::single(Fn::kQuickGelu, n.float_or("alpha", 1)); }),
         {{"alpha", 'f'}});
TENON_CPU(swish) kPointwise;
TENON_CASES(swish) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double alpha = c.attr_f("alpha", 1);
    return map_elements(in[0], [&](double x) { return x / (1 + std::exp(-alpha * x)); });
  });
  add_unary_cases(cases, -5, 5);
  cases.add("alpha").in(range({9}, -3, 3)).attr_f("alpha", 1.5f);
}

TENON_OP(shrink)
unary_op("Shrink", {9}, kNumbers, pointwise([](const ir::Node& n) {
           return Program::single(Fn::kShrink, n.float_or("bias", 0), n.float_or("lambd", 0.5f));
         }),
         {{"bias", 'f'}, {"lambd", 'f'}});
TENON_CPU(shrink) kPointwise;
TENON_CASES(shrink) {
  cases.types(cases.op().in[0].types);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double bias = c.attr_f("bias", 0), lambd = c.attr_f("lambd", 0.5f);
    return map_elements(in[0], [&](double x) { return x < -lambd ? x + bias : x > lambd ? x - bias : 0.0; });
  });
  add_unary_cases(cases, -5, 5);
  cases.add("own").in(range({9}, -5, 5)).attr_f("bias", 1).attr_f("lambd", 2);
}

}  // namespace tenon::ops
