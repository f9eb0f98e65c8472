// matmul: transposed operands, bias, residual sum and activation move into the product.
// SPDX-License-Identifier: MIT
#pragma once
#include "passes/pattern.h"

namespace tenon::passes {

/// Transposes of the last two dimensions before a MatMul become flags of com.microsoft FusedMatMul.
std::vector<Rule> matmul_transpose_rules();
/// MatMul with a bias of the last dimension becomes com.tenon FusedMatMulBias; Gemm, FusedMatMulBias take an activation
/// (and the latter a residual sum) that nothing else reads. The bits stay.
Status absorb_matmul_tails(ir::Graph& graph, const opdef::Registry& registry);

}  // namespace tenon::passes
