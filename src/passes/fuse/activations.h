// activations: spelled-out forms of SiLU, HardSwish, HardSigmoid and Mish.
// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "passes/pattern.h"

namespace tenon::passes {

/// x * Sigmoid(x), x * HardSigmoid(x), Clip(x + 3, 0, 6) / 6 with or without the factor x, x * Tanh(Softplus(x)). The
/// results differ from the spelled-out forms by a few units in the last place.
std::vector<Rule> activation_rules();

}  // namespace tenon::passes
