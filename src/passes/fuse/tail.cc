// tail: activations and sums that fused operators take over.
// SPDX-License-Identifier: MIT
#include "passes/fuse/tail.h"

#include <limits>

#include "passes/pattern.h"

namespace tenon::passes {

using ir::kNoValue;
using ir::Node;
using ir::ValueId;

/// The function of a node with one data input, input 0.
std::optional<Activation> activation_of(const ir::Model& m, const Node& n) {
  if (!n.domain.empty()) return std::nullopt;
  if (n.op == "Relu" || n.op == "Sigmoid" || n.op == "Tanh") return Activation{n.op, {}};
  if (n.op == "HardSwish") return Activation{n.op, {}};
  if (n.op == "LeakyRelu") return Activation{n.op, {n.float_or("alpha", 0.01f)}};
  if (n.op == "HardSigmoid") return Activation{n.op, {n.float_or("alpha", 0.2f), n.float_or("beta", 0.5f)}};
  if (n.op == "Swish") return Activation{"Silu", {n.float_or("alpha", 1)}};
  if (n.op == "Gelu") return Activation{n.string_or("approximate", "none") == "tanh" ? "GeluTanh" : "Gelu", {}};
  if (n.op == "Clip") {
    float lo = -std::numeric_limits<float>::infinity(), hi = std::numeric_limits<float>::infinity();
    for (size_t i = 1; i <= 2; ++i) {
      if (n.input(i) == kNoValue) continue;
      auto bound = scalar_constant(m, n.input(i));
      if (!bound) return std::nullopt;
      (i == 1 ? lo : hi) = static_cast<float>(*bound);
    }
    return Activation{"Clip", {lo, hi}};
  }
  return std::nullopt;
}

/// The node gives what `tail` gave; `tail` goes.
void take_over(Node& node, Node& tail) {
  ir::Graph& g = *node.graph;
  ValueId result = tail.output(0);
  node.origins = ir::origins_of({&node, &tail});
  g.set_node_output(tail, 0, kNoValue);
  g.remove(tail);
  g.set_node_output(node, 0, result);
}

/// Readers of the node's result when all are nodes of its own graph.
std::vector<Node*> readers(const ir::Model& m, const Node& node) {
  auto& info = m.value(node.output(0));
  std::vector<Node*> list;
  if (info.output_uses) return list;
  for (auto& u : info.uses) {
    if (u.node->graph != node.graph) return {};
    list.push_back(u.node);
  }
  return list;
}

bool absorb_sum(ir::Model& m, Node& node, size_t at) {
  if (node.input(at) != kNoValue || node.find("activation")) return false;
  auto list = readers(m, node);
  if (list.size() != 1 || list[0]->op != "Add" || !list[0]->domain.empty()) return false;
  Node& add = *list[0];
  const ValueId y = node.output(0);
  const ValueId other = add.input(0) == y ? add.input(1) : add.input(0);
  if (other == y || !same_type(m.value(other).type, m.value(y).type)) return false;
  if (!same_type(m.value(add.output(0)).type, m.value(y).type)) return false;
  ir::Graph& g = *node.graph;
  while (node.inputs().size() <= at) g.append_input(node, kNoValue);
  g.set_input(node, at, other);
  g.move_before(node, &add);  // behind the producer of the other operand
  take_over(node, add);
  return true;
}

bool absorb_activation(ir::Model& m, Node& node) {
  if (node.find("activation")) return false;
  auto list = readers(m, node);
  const ValueId y = node.output(0);
  if (list.size() != 1 || list[0]->input(0) != y || list[0]->outputs().size() != 1) return false;
  Node& last = *list[0];
  auto found = activation_of(m, last);
  if (!found || !same_type(m.value(last.output(0)).type, m.value(y).type)) return false;
  node.set("activation", found->name);
  if (!found->params.empty()) node.set("activation_params", found->params);
  take_over(node, last);
  return true;
}

}  // namespace tenon::passes
