// activations: gates of their own input, as algebra.
// SPDX-License-Identifier: MIT
#include "passes/fuse/activations.h"

#include <cmath>

namespace tenon::passes {
namespace {

std::optional<Replacement> becomes(Match& m, const char* op) {
  if (!same_type(m.type("x"), m.result_type())) return m.refuse("the result has another shape than x");
  if (!opdef::kFloats.has(m.type("x").dtype)) return m.refuse("the element type is no float");
  return Replacement{op, "", {m["x"]}, {}};
}

/// HardSigmoid with the slope and offset of HardSwish.
bool is_sixth(const ir::Node& n) {
  return std::fabs(n.float_or("alpha", 0.2f) * 6 - 1) < 1e-4f && std::fabs(n.float_or("beta", 0.5f) * 2 - 1) < 1e-4f;
}

}  // namespace

std::vector<Rule> activation_rules() {
  const Term x = any("x");
  const Term clip = op("Clip", {x + 3.0, 0.0, 6.0});
  const Term gate = op("HardSigmoid", {x}).where(is_sixth);
  const double sixth = 1.0 / 6;
  return {
      {"silu", x * op("Sigmoid", {x}), [](Match& m) { return becomes(m, "Swish"); }},
      {"hard-swish", x * gate | x * clip / 6.0 | x * clip * sixth | x * (clip / 6.0) | x * (clip * sixth),
       [](Match& m) { return becomes(m, "HardSwish"); }},
      {"mish", x * op("Tanh", {op("Softplus", {x})}), [](Match& m) { return becomes(m, "Mish"); }},
      {"hard-sigmoid", clip / 6.0 | clip * sixth,
       [](Match& m) -> std::optional<Replacement> {
         auto r = becomes(m, "HardSigmoid");
         if (!r) return r;
         r->attributes.emplace_back("alpha", 1.0f / 6);
         r->attributes.emplace_back("beta", 0.5f);
         return r;
       }},
  };
}

}  // namespace tenon::passes
