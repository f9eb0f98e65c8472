// matmul_quant: products of 8-bit matrices from their dequantised spelling.
// SPDX-License-Identifier: MIT
#pragma once
#include "passes/pattern.h"

namespace tenon::passes {

/// QuantizeLinear(MatMul(DequantizeLinear(a), DequantizeLinear(b))) becomes QLinearMatMul: exact integer sums, rounded
/// once, where the spelling rounds float sums.
std::vector<Rule> quantised_matmul_rules();

}  // namespace tenon::passes
