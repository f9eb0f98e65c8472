// gelu: both forms as algebra. The result differs from the spelled-out form by a few units in the last place.
// SPDX-License-Identifier: MIT
#include "passes/fuse/gelu.h"

#include <cmath>
#include <numbers>

namespace tenon::passes {
namespace {

std::optional<Replacement> becomes_gelu(Match& m, const char* approximate) {
  if (!same_type(m.type("x"), m.result_type())) return m.refuse("the result has another shape than x");
  if (!opdef::kFloats.has(m.type("x").dtype)) return m.refuse("the element type is no float that Gelu takes");
  Replacement r{"Gelu", "", {m["x"]}, {}};
  r.attributes.emplace_back("approximate", std::string(approximate));
  return r;
}

}  // namespace

std::vector<Rule> gelu_rules() {
  const Term x = any("x");
  const Term erf = op("Erf", {x / std::numbers::sqrt2 | x * (1 / std::numbers::sqrt2)});
  const Term cube = op("Pow", {x, 3.0}) | x * x * x;
  const Term inner = (x + cube * 0.044715) * std::sqrt(2 / std::numbers::pi);
  const Term tanh = op("Tanh", {inner});
  auto half = [&](const Term& gate) { return x * gate * 0.5 | x * 0.5 * gate | x * (gate * 0.5); };
  return {
      {"gelu", half(erf + 1.0), [](Match& m) { return becomes_gelu(m, "none"); }},
      {"gelu-tanh", half(tanh + 1.0), [](Match& m) { return becomes_gelu(m, "tanh"); }},
  };
}

}  // namespace tenon::passes
