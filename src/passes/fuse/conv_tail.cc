// conv_tail: residual sums and activations move into the convolutions before them.
// SPDX-License-Identifier: MIT
#include "passes/fuse/conv_tail.h"

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "base/small_float.h"

namespace tenon::passes {
namespace {

using ir::kNoValue;
using ir::Node;
using ir::ValueId;

struct Activation {
  std::string name;
  std::vector<float> params;
};

/// The number in a constant of one element; nothing for others.
std::optional<float> scalar(const ir::Model& m, ValueId v) {
  const Tensor* t = m.constant(v);
  if (!t || t->count() != 1) return std::nullopt;
  switch (t->dtype()) {
    case DType::kF32: return *t->as<float>();
    case DType::kF16: return f16_to_f32(*t->as<uint16_t>());
    case DType::kBF16: return bf16_to_f32(*t->as<uint16_t>());
    default: return std::nullopt;
  }
}

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
      auto bound = scalar(m, n.input(i));
      if (!bound) return std::nullopt;
      (i == 1 ? lo : hi) = *bound;
    }
    return Activation{"Clip", {lo, hi}};
  }
  return std::nullopt;
}

bool same_type(const ir::Type& a, const ir::Type& b) {
  if (a.dtype != b.dtype || !a.has_shape || !b.has_shape || a.shape.size() != b.shape.size()) return false;
  for (size_t i = 0; i < a.shape.size(); ++i)
    if (!(a.shape[i] == b.shape[i])) return false;
  return true;
}

/// The convolution gives what `tail` gave; `tail` goes.
void take_over(Node& conv, Node& tail) {
  ir::Graph& g = *conv.graph;
  ValueId result = tail.output(0);
  for (auto& name : tail.origins.empty() ? std::vector<std::string>{tail.label()} : tail.origins) {
    if (conv.origins.empty()) conv.origins.push_back(conv.label());
    conv.origins.push_back(name);
  }
  g.set_node_output(tail, 0, kNoValue);
  g.remove(tail);
  g.set_node_output(conv, 0, result);
}

/// Readers of the convolution's result when all are nodes of its own graph.
std::vector<Node*> readers(const ir::Model& m, const Node& conv) {
  auto& info = m.value(conv.output(0));
  std::vector<Node*> list;
  if (info.output_uses) return list;
  for (auto& u : info.uses) {
    if (u.node->graph != conv.graph) return {};
    list.push_back(u.node);
  }
  return list;
}

bool absorb_residual(ir::Model& m, Node& conv) {
  if (conv.input(3) != kNoValue || conv.find("activation")) return false;
  auto list = readers(m, conv);
  if (list.size() != 1 || list[0]->op != "Add" || !list[0]->domain.empty()) return false;
  Node& add = *list[0];
  const ValueId y = conv.output(0);
  const ValueId other = add.input(0) == y ? add.input(1) : add.input(0);
  if (other == y || !same_type(m.value(other).type, m.value(y).type)) return false;
  if (!same_type(m.value(add.output(0)).type, m.value(y).type)) return false;
  ir::Graph& g = *conv.graph;
  while (conv.inputs().size() < 4) g.append_input(conv, kNoValue);
  g.set_input(conv, 3, other);
  g.move_before(conv, &add);  // behind the producer of the other operand
  take_over(conv, add);
  return true;
}

bool absorb_activation(ir::Model& m, Node& conv) {
  if (conv.find("activation")) return false;
  auto list = readers(m, conv);
  const ValueId y = conv.output(0);
  std::optional<Activation> found;
  Node* last = nullptr;
  if (list.size() == 1 && list[0]->input(0) == y) {
    last = list[0];
    found = activation_of(m, *last);
  } else if (list.size() == 2) {  // x * gate(x)
    Node* gate = list[0]->op == "Mul" ? list[1] : list[0];
    last = list[0]->op == "Mul" ? list[0] : list[1];
    if (last->op != "Mul" || gate->op == "Mul" || !last->domain.empty() || gate->outputs().size() != 1) return false;
    const auto& between = m.value(gate->output(0));
    if (gate->input(0) != y || between.use_count() != 1 || between.output_uses || between.uses[0].node != last)
      return false;
    auto inner = activation_of(m, *gate);
    if (inner && inner->name == "Sigmoid") found = Activation{"Silu", {1}};
    if (inner && inner->name == "HardSigmoid" && std::fabs(inner->params[0] - 1.0f / 6) < 2e-5f &&
        std::fabs(inner->params[1] - 0.5f) < 5e-5f)
      found = Activation{"HardSwish", {}};
    if (!found) return false;
    conv.set("activation", found->name);
    if (!found->params.empty()) conv.set("activation_params", found->params);
    take_over(conv, *last);
    gate->graph->remove(*gate);
    return true;
  }
  if (!found || last->outputs().size() != 1) return false;
  if (!same_type(m.value(last->output(0)).type, m.value(y).type)) return false;
  conv.set("activation", found->name);
  if (!found->params.empty()) conv.set("activation_params", found->params);
  take_over(conv, *last);
  return true;
}

}  // namespace

void absorb_conv_tails(ir::Graph& graph) {
  ir::Model& m = graph.model();
  std::vector<Node*> convolutions;
  for (Node& n : graph.nodes()) {
    for (ir::Graph* g : n.subgraphs()) absorb_conv_tails(*g);
    if (n.domain == "com.tenon" && (n.op == "ConvNhwc" || n.op == "ConvTransposeNhwc")) convolutions.push_back(&n);
  }
  // From the back: of two convolutions that are added, the one computed last takes the sum.
  for (size_t i = convolutions.size(); i-- > 0;) {
    absorb_residual(m, *convolutions[i]);
    absorb_activation(m, *convolutions[i]);
  }
}

}  // namespace tenon::passes
