// pointwise: regions grow from their last node towards its operands, as long as every reader lies inside.
// SPDX-License-Identifier: MIT
#include "passes/fuse/pointwise.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "kernels/elementwise/pointwise.h"
#include "opdef/infer.h"
#include "opdef/pointwise_program.h"
#include "opdef/registry.h"
#include "passes/pattern.h"

namespace tenon::passes {
namespace {

using ir::kNoValue;
using ir::Node;
using ir::ValueId;

constexpr size_t kMostInputs = 8;  // the tile engine needs no memory of its own up to here
constexpr size_t kMostSteps = 48;

bool is_static_tensor(const ir::Type& t) {
  return t.is_tensor() && t.has_shape && t.dtype != DType::kUndefined && t.dtype != DType::kString;
}

/// The number in a constant of one element that an instruction can hold exactly.
std::optional<double> number_of(const Tensor& t) {
  if (t.count() != 1) return std::nullopt;
  switch (t.dtype()) {
    case DType::kI32: return *t.as<int32_t>();
    case DType::kI64: {
      const int64_t v = *t.as<int64_t>();
      if (v < -(int64_t{1} << 53) || v > int64_t{1} << 53) return std::nullopt;
      return static_cast<double>(v);
    }
    case DType::kBool: return *t.as<uint8_t>();
    default: return scalar_constant(t);
  }
}

class Region {
 public:
  Region(ir::Graph& graph, const std::unordered_map<const Node*, size_t>& order, const opdef::Registry& registry)
      : graph_(graph), m_(graph.model()), order_(order), registry_(registry) {}

  /// Whether the node may stand in a region.
  bool takes(const Node& n) const {
    if (!n.def->trait.program || !n.def->trait.deterministic || n.outputs().size() != 1 || n.output(0) == kNoValue)
      return false;
    const auto& out = m_.value(n.output(0));
    if (!is_static_tensor(out.type) || out.elements) return false;
    for (ValueId v : n.inputs())
      if (v != kNoValue && !is_static_tensor(m_.value(v).type)) return false;
    return true;
  }

  /// Grows the region that ends in `last` and replaces it. False when it stays as it is.
  Result<bool> fuse(Node& last) {
    last_ = &last;
    collect();
    if (nodes_.size() < 2) return false;
    if (!build() || !shape_follows()) return false;
    TENON_TRY(replace());
    return true;
  }

  /// The nodes that went into the last region, deleted now when it was fused.
  const std::vector<Node*>& nodes() const { return nodes_; }

 private:
  void collect() {
    const ir::Type& type = m_.value(last_->output(0)).type;
    std::unordered_map<Node*, int> reads;
    std::vector<Node*> open{last_};
    size_t steps = 0;
    std::unordered_set<ValueId> inputs;
    while (!open.empty()) {
      Node* n = open.back();
      open.pop_back();
      const size_t added = n->def->trait.program(*n).code.size();
      if (!nodes_.empty() && steps + added > kMostSteps) continue;
      size_t fresh = 0;
      for (ValueId v : n->inputs()) fresh += v != kNoValue && !inputs.count(v) && !number(v);
      if (!nodes_.empty() && inputs.size() - inputs.count(n->output(0)) + fresh > kMostInputs) continue;
      steps += added;
      nodes_.push_back(n);
      inputs.erase(n->output(0));
      for (ValueId v : n->inputs()) {
        if (v == kNoValue) continue;
        if (!number(v)) inputs.insert(v);
        auto& info = m_.value(v);
        Node* from = info.producer;
        if (!from || from->graph != &graph_ || info.output_uses || !takes(*from) || !same_shape(info.type, type))
          continue;
        if (++reads[from] == info.use_count()) open.push_back(from);
      }
    }
    std::sort(nodes_.begin(), nodes_.end(), [&](Node* a, Node* b) { return order_.at(a) < order_.at(b); });
  }

  std::optional<double> number(ValueId v) const {
    const Tensor* t = m_.constant(v);
    if (!t || t->count() != 1) return std::nullopt;
    // A constant of higher rank than the result would raise the result's rank.
    if (t->shape().size() > m_.value(last_->output(0)).type.shape.size()) return std::nullopt;
    return number_of(*t);
  }

  /// The program over the region's inputs.
  bool build() {
    std::unordered_set<ValueId> inside;
    for (Node* n : nodes_) inside.insert(n->output(0));
    for (Node* n : nodes_)
      for (ValueId v : n->inputs())
        if (v != kNoValue && !inside.count(v) && !number(v) && !registers_.count(v)) {
          registers_[v] = static_cast<uint8_t>(inputs_.size());
          inputs_.push_back(v);
          types_.push_back(m_.value(v).type.dtype);
        }
    if (inputs_.empty()) return false;
    program_.inputs = static_cast<int>(inputs_.size());
    for (Node* n : nodes_) {
      const Program own = n->def->trait.program(*n);
      std::vector<uint8_t> map;
      for (ValueId v : n->inputs()) {
        if (v == kNoValue) continue;
        auto found = registers_.find(v);
        if (found == registers_.end())
          found = registers_.emplace(v, program_.emit_constant(m_.value(v).type.dtype, *number(v))).first;
        map.push_back(found->second);
      }
      if (static_cast<int>(map.size()) != own.inputs || own.outputs.size() != 1) return false;
      for (Instruction step : own.code) {
        for (int i = 0; i < info(step.fn).arity; ++i) step.in[i] = map[step.in[i]];
        program_.code.push_back(step);
        map.push_back(static_cast<uint8_t>(inputs_.size() + program_.code.size() - 1));
        if (inputs_.size() + program_.code.size() > 250) return false;
      }
      registers_[n->output(0)] = map[own.outputs[0]];
    }
    program_.outputs.push_back(registers_.at(last_->output(0)));
    auto types = register_types(program_, types_);
    return types.ok() && (*types)[program_.outputs[0]] == m_.value(last_->output(0)).type.dtype &&
           plan_pointwise(program_, types_).ok();
  }

  /// The remaining inputs alone must broadcast to the shape of the result.
  bool shape_follows() const {
    ir::DimVector dims;
    for (ValueId v : inputs_) {
      auto joined = opdef::broadcast_dims(dims, m_.value(v).type.shape);
      if (!joined.ok()) return false;
      dims = std::move(joined).value();
    }
    return std::ranges::equal(dims, m_.value(last_->output(0)).type.shape);
  }

  Status replace() {
    const ValueId result = last_->output(0);
    std::string name = last_->name;
    std::vector<std::string> origins = ir::origins_of(nodes_);
    graph_.set_node_output(*last_, 0, kNoValue);
    Node& fused = graph_.add("Pointwise", inputs_, {result}, "com.tenon", last_);
    fused.name = std::move(name);
    fused.origins = std::move(origins);
    opdef::store_program(fused, program_);
    TENON_TRY(opdef::bind_node(fused, registry_));
    for (size_t k = nodes_.size(); k-- > 0;) graph_.remove(*nodes_[k]);
    return {};
  }

  ir::Graph& graph_;
  ir::Model& m_;
  const std::unordered_map<const Node*, size_t>& order_;
  const opdef::Registry& registry_;
  Node* last_ = nullptr;
  std::vector<Node*> nodes_;
  std::vector<ValueId> inputs_;
  SmallVector<DType, 8> types_;
  std::unordered_map<ValueId, uint8_t> registers_;
  Program program_;
};

}  // namespace

Status fuse_pointwise(ir::Graph& graph, const opdef::Registry& registry) {
  std::unordered_map<const Node*, size_t> order;
  std::vector<Node*> nodes;
  for (Node& n : graph.nodes()) {
    for (ir::Graph* g : n.subgraphs()) TENON_TRY(fuse_pointwise(*g, registry));
    order[&n] = nodes.size();
    nodes.push_back(&n);
  }
  std::unordered_set<const Node*> gone;
  for (size_t i = nodes.size(); i-- > 0;) {
    if (gone.count(nodes[i])) continue;
    Region region(graph, order, registry);
    if (!region.takes(*nodes[i])) continue;
    TENON_ASSIGN(bool fused, region.fuse(*nodes[i]));
    if (fused) gone.insert(region.nodes().begin(), region.nodes().end());
  }
  return {};
}

}  // namespace tenon::passes
