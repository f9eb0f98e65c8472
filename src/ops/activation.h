// The attributes "activation" and "activation_params" of fused operators.
// SPDX-License-Identifier: MIT
#pragma once
#include "base/status.h"
#include "ir/graph.h"
#include "kernels/gemm/activation.h"

namespace tenon::ops {

/// None when the attribute is missing. Names: Relu, Clip (lo, hi), LeakyRelu (alpha), Sigmoid, Tanh, HardSigmoid
/// (alpha, beta), HardSwish, Silu or Swish (alpha), Gelu, GeluTanh. Fails on other names and on a wrong number of
/// parameters.
Result<kernels::Activation> activation_of(const ir::Node& node);

}  // namespace tenon::ops
