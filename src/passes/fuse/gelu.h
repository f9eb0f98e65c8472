// gelu: the Gaussian error linear unit, spelled out, becomes Gelu.
// SPDX-License-Identifier: MIT
#pragma once
#include "passes/pattern.h"

namespace tenon::passes {

/// x (1 + erf(x / sqrt 2)) / 2 and its approximation by tanh, in the spellings of exporters.
std::vector<Rule> gelu_rules();

}  // namespace tenon::passes
