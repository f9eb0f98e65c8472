// conv_fold: factors and sums by channel behind a convolution become part of its weights and bias.
// SPDX-License-Identifier: MIT
#pragma once
#include "base/status.h"
#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

/// Conv and ConvTranspose with constant weights take over BatchNormalization (inference), and Mul, Div, Add, Sub by a
/// constant of one value or one value a channel, and Conv a Pad with zeros before it, where nobody else reads what lies
/// between. What is left of
/// BatchNormalization with constant parameters becomes Mul and Add. f32 and f64, subgraphs included. Results agree
/// within 1e-5. Only ONNX operators come out.
Status fold_into_convolutions(ir::Graph& graph, const opdef::Registry& registry);

}  // namespace tenon::passes
