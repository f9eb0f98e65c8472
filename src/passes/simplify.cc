// Simplify: upgrade, inference and folding in one walk.
// SPDX-License-Identifier: MIT
#include "passes/simplify.h"

#include <algorithm>
#include <iterator>

#include "opdef/build.h"
#include "opdef/infer.h"
#include "passes/deferred_fold.h"

namespace tenon::passes {
namespace {

using ir::kNoValue;
using ir::ValueId;

class Walk {
 public:
  Walk(const opdef::Registry& registry, const SimplifyOptions& options) : registry_(registry), options_(options) {}

  /// fold: types of the graph's inputs are final, so that what is constant now stays constant.
  Status graph(ir::Graph& g, bool fold) {
    auto& nodes = g.nodes();
    for (auto it = nodes.begin(); it != nodes.end();) {
      if (++visits_ > kMaxVisits)
        return error(Code::kFail, "loops nested too deeply: inferring their types took more than ", kMaxVisits,
                     " steps");
      auto before = it == nodes.begin() ? nodes.end() : std::prev(it);
      TENON_ASSIGN(bool changed, rewrite(*it));
      if (changed) {  // new nodes stand where this one was, or before it
        it = before == nodes.end() ? nodes.begin() : std::next(before);
        continue;
      }
      auto next = std::next(it);
      TENON_TRY(finish(*it, fold));
      it = next;
    }
    return {};
  }

  Status fold_kept(ir::Graph& g) {
    auto& nodes = g.nodes();
    for (auto it = nodes.begin(); it != nodes.end();) {
      ir::Node& node = *it++;
      const bool transpose = node.op == "Transpose" && node.domain.empty() && g.model().constant(node.input(0));
      if (transpose || is_quantised_weight(node)) TENON_TRY(fold(node));
      else
        for (ir::Graph* s : node.subgraphs()) TENON_TRY(fold_kept(*s));
    }
    return {};
  }

 private:
  /// DequantizeLinear of an 8-bit constant of at least two dimensions.
  static bool is_quantised_weight(const ir::Node& node) {
    if (node.op != "DequantizeLinear" || !node.domain.empty()) return false;
    const Tensor* t = node.graph->model().constant(node.input(0));
    return t && (t->dtype() == DType::kI8 || t->dtype() == DType::kU8) && t->shape().size() >= 2;
  }
  /// Brings the node into its newest form. True when nodes were added or the node was replaced: look again from there.
  Result<bool> rewrite(ir::Node& node) {
    const opdef::OpEntry* entry = registry_.entry(node.def);
    if (node.since < node.def->newest()) {
      if (node.def->upgrade) {
        size_t count = node.graph->nodes().size();
        opdef::Build build(node, registry_);
        std::string op = node.op, label = node.label();
        int since = node.since;
        Status s = node.def->upgrade(node, build);
        if (!s.ok()) return std::move(s).with("node", cat(label, "   (", op, "-", since, ")"));
        if (build.replaced()) return true;
        node.since = node.def->newest();
        node.opset = node.domain.empty() ? opdef::kNewestOpset : node.since;
        if (node.graph->nodes().size() != count) return true;
      }
      node.since = node.def->newest();
    }
    if (entry && entry->body && !(entry->cpu && types_known(node) && opdef::choose_kernel(node, entry->cpu).ok())) {
      opdef::Build build(node, registry_);
      std::string label = node.label(), op = node.op;
      Status s = entry->body(node, build);
      if (!s.ok()) return std::move(s).with("node", cat(label, "   (", op, ")"));
      if (build.replaced()) return true;
    }
    return false;
  }

  static bool types_known(const ir::Node& node) {
    const ir::Model& m = node.graph->model();
    return std::all_of(node.inputs().begin(), node.inputs().end(),
                       [&](ValueId v) { return v == kNoValue || m.value(v).type.known(); });
  }

  Status finish(ir::Node& node, bool may_fold) {
    TENON_TRY(opdef::check_node(node));
    // Types of a loop's states may still widen while its rule runs: nothing is folded in there until it is done.
    TENON_TRY(opdef::infer_node(node, [this](ir::Graph& g) { return graph(g, false); }));
    if (!options_.fold || !may_fold) return {};
    if (node.def->trait.control_flow)
      for (ir::Graph* g : node.subgraphs()) TENON_TRY(graph(*g, true));
    return fold(node);
  }

  Status fold(ir::Node& node) {
    ir::Model& m = node.graph->model();
    if (node.op == "If" && node.domain.empty()) return fold_if(node);
    if (node.def->trait.control_flow || !node.def->trait.deterministic) return {};
    if (options_.keep_quantised && is_quantised_weight(node)) return {};
    if (fold_elements(node)) return {};
    int64_t input_bytes = 0;
    std::vector<const Tensor*> inputs;
    for (ValueId v : node.inputs()) {
      const Tensor* t = m.constant(v);
      if (v != kNoValue && !t) return {};
      inputs.push_back(t);
      if (t) input_bytes += t->bytes();
    }
    int64_t limit = std::max(options_.fold_limit, 4 * input_bytes);
    for (ValueId v : node.outputs()) {
      if (v == kNoValue) continue;
      auto& type = m.value(v).type;
      if (!type.is_tensor() || !type.has_shape) return {};
      if (node.def->trait.kernel_sizes_output) continue;
      auto dims = ir::constant_dims(type.shape);
      if (!dims) return {};
      auto count = checked_count(*dims);
      if (!count.ok() || *count > limit / std::max(1, byte_width(type.dtype))) return {};
    }
    if (node.def->trait.view && inputs[0] && inputs[0]->dtype() != DType::kString) {
      auto dims = ir::constant_dims(m.value(node.output(0)).type.shape);
      if (dims && product(*dims) == inputs[0]->count() && m.value(node.output(0)).type.dtype == inputs[0]->dtype()) {
        set_constant(m, node.output(0), inputs[0]->reshaped(*dims));
        node.graph->remove(node);
        return {};
      }
    }
    if (can_defer(node)) {
      if (options_.keep_transposed && only_for_products(node)) return {};
      TENON_ASSIGN(Tensor later, defer_node(node, registry_));
      set_constant(m, node.output(0), std::move(later));
      node.graph->remove(node);
      return {};
    }
    auto results = opdef::evaluate_node(node, inputs, registry_);
    if (!results.ok()) return {};  // the fault shows again when the node runs, with its place
    for (size_t i = 0; i < node.outputs().size(); ++i) {
      ValueId v = node.outputs()[i];
      if (v == kNoValue) continue;
      set_constant(m, v, std::move((*results)[i]));
    }
    node.graph->remove(node);
    return {};
  }

  static bool only_for_products(const ir::Node& node) {
    if (node.op != "Transpose" || !node.domain.empty()) return false;
    auto& info = node.graph->model().value(node.output(0));
    return !info.output_uses && std::all_of(info.uses.begin(), info.uses.end(), [](const ir::ValueInfo::Use& use) {
      return use.index == 1 && use.node->op == "MatMul" && use.node->domain.empty();
    });
  }

  static void set_constant(ir::Model& m, ValueId v, Tensor t) {
    auto& info = m.value(v);
    ir::DimVector shape;
    for (int64_t d : t.shape()) shape.push_back(d);
    info.type = ir::Type::tensor(t.dtype(), std::move(shape));
    info.elements.reset();
    info.constant = std::move(t);
  }

  /// A node whose integer result is known as numbers (the shape of a value of fixed shape, say).
  bool fold_elements(ir::Node& node) {
    ir::Model& m = node.graph->model();
    if (node.outputs().size() != 1 || node.output(0) == kNoValue) return false;
    auto& info = m.value(node.output(0));
    if (!info.elements || !info.type.has_shape) return false;
    auto values = ir::constant_dims(*info.elements);
    auto dims = ir::constant_dims(info.type.shape);
    if (!values || !dims || product(*dims) != static_cast<int64_t>(values->size())) return false;
    auto made = Tensor::allocate(info.type.dtype, *dims);
    if (!made.ok()) return false;
    for (size_t i = 0; i < values->size(); ++i) {
      if (info.type.dtype == DType::kI64) made->as<int64_t>()[i] = (*values)[i];
      else if (info.type.dtype == DType::kI32) made->as<int32_t>()[i] = static_cast<int32_t>((*values)[i]);
      else if (info.type.dtype == DType::kBool) made->as<uint8_t>()[i] = (*values)[i] != 0;
      else return false;
    }
    ValueId v = node.output(0);
    node.graph->remove(node);
    set_constant(m, v, std::move(made).value());
    return true;
  }

  /// An If whose condition is constant becomes the nodes of the branch taken.
  Status fold_if(ir::Node& node) {
    ir::Model& m = node.graph->model();
    const Tensor* condition = m.constant(node.input(0));
    if (!condition || condition->count() != 1 || condition->dtype() != DType::kBool) return {};
    auto* attribute = node.get<std::unique_ptr<ir::Graph>>(*condition->as<uint8_t>() ? "then_branch" : "else_branch");
    if (!attribute) return {};
    ir::Graph& branch = **attribute;
    branch.give_nodes_to(*node.graph, node);
    std::vector<ValueId> results = branch.outputs();
    for (size_t i = 0; i < results.size(); ++i) branch.set_output(i, kNoValue);
    for (size_t i = 0; i < node.outputs().size(); ++i)
      if (node.outputs()[i] != kNoValue) m.replace_uses(node.outputs()[i], results[i]);
    node.graph->remove(node);
    return {};
  }

  static constexpr int64_t kMaxVisits = 5'000'000;
  const opdef::Registry& registry_;
  const SimplifyOptions options_;
  int64_t visits_ = 0;
};

}  // namespace

Status simplify(ir::Model& model, const opdef::Registry& registry, const SimplifyOptions& options) {
  return Walk(registry, options).graph(model.main(), true);
}

Status fold_kept(ir::Model& model, const opdef::Registry& registry) {
  return Walk(registry, SimplifyOptions()).fold_kept(model.main());
}

void remove_dead_nodes(ir::Graph& graph) {
  ir::Model& m = graph.model();
  auto& nodes = graph.nodes();
  for (auto it = nodes.end(); it != nodes.begin();) {
    --it;
    bool used = false;
    for (ValueId v : it->outputs()) used |= v != kNoValue && m.value(v).use_count() > 0;
    if (used) {
      for (ir::Graph* g : it->subgraphs()) remove_dead_nodes(*g);
      continue;
    }
    auto next = std::next(it);
    graph.remove(*it);
    it = next;
  }
}

}  // namespace tenon::passes
