// conv_tail: what follows a channels-last convolution becomes part of it: a residual sum and an activation.
// SPDX-License-Identifier: MIT
#pragma once
#include "ir/graph.h"

namespace tenon::passes {

/// ConvNhwc and ConvTransposeNhwc take over an Add of a value of their own shape, then an activation that their kernels
/// know (also x * Sigmoid(x) and x * HardSigmoid(x)), where nobody else reads what lies between. Subgraphs are
/// included. The sum has the same order; activations may differ in the last bits from the operators they replace.
void absorb_conv_tails(ir::Graph& graph);

}  // namespace tenon::passes
