// tail: what follows a product or a convolution and can move into it: activations and sums.
// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"

namespace tenon::passes {

/// An activation as fused operators name it (attributes "activation" and "activation_params").
struct Activation {
  std::string name;
  std::vector<float> params;
};
/// The function of a node with one data input, input 0; nothing when it is no activation with constant parameters.
std::optional<Activation> activation_of(const ir::Model& model, const ir::Node& node);
/// `node` gives what `tail`, its reader, gave; `tail` goes. The origins join.
void take_over(ir::Node& node, ir::Node& tail);
/// Readers of output 0 when all are nodes of the node's own graph; else none.
std::vector<ir::Node*> readers(const ir::Model& model, const ir::Node& node);
/// Moves the activation that alone reads the node's result into it. (Gates of their own input have become one node by
/// now, see activations.h.)
bool absorb_activation(ir::Model& model, ir::Node& node);
/// Makes the node, an Add of its result and another value of the same type being the only reader, give the sum:
/// the other value becomes input `at`.
bool absorb_sum(ir::Model& model, ir::Node& node, size_t at);

}  // namespace tenon::passes
