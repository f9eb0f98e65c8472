// The attributes "activation" and "activation_params" of fused operators.
// SPDX-License-Identifier: MIT
#include "ops/activation.h"

namespace tenon::ops {
namespace {
using kernels::Act;
struct Known {
  std::string_view name;
  Act kind;
  size_t parameters;
  float a, b;  ///< when the parameters are not given
};
constexpr Known kKnown[] = {
    {"Relu", Act::kRelu, 0, 0, 0},
    {"Clip", Act::kClip, 2, -3.402823466e38f, 3.402823466e38f},
    {"LeakyRelu", Act::kLeakyRelu, 1, 0.01f, 0},
    {"Sigmoid", Act::kSigmoid, 0, 0, 0},
    {"Tanh", Act::kTanh, 0, 0, 0},
    {"HardSigmoid", Act::kHardSigmoid, 2, 0.2f, 0.5f},
    {"HardSwish", Act::kHardSwish, 0, 0, 0},
    {"Silu", Act::kSilu, 1, 1, 0},
    {"Swish", Act::kSilu, 1, 1, 0},
    {"Gelu", Act::kGeluErf, 0, 0, 0},
    {"GeluTanh", Act::kGeluTanh, 0, 0, 0},
};
}  // namespace

Result<kernels::Activation> activation_of(const ir::Node& node) {
  std::string_view name = node.string_or("activation", "");
  if (name.empty()) return kernels::Activation{};
  for (auto& k : kKnown) {
    if (k.name != name) continue;
    kernels::Activation act{k.kind, k.a, k.b};
    auto* given = node.get<std::vector<float>>("activation_params");
    if (!given || given->empty() || k.parameters == 0) return act;
    if (given->size() != k.parameters)
      return invalid(node.op, ": activation ", name, " takes ", k.parameters, " parameters, activation_params has ",
                     given->size());
    act.a = (*given)[0];
    if (k.parameters > 1) act.b = (*given)[1];
    return act;
  }
  return error(Code::kNotImplemented, node.op, ": activation '", name, "' is not known");
}

}  // namespace tenon::ops
