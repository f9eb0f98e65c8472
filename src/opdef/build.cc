// Build: new nodes and constants before a node.
// SPDX-License-Identifier: MIT
#include "opdef/build.h"

#include "kernels/elementwise/cast.h"
#include "opdef/infer.h"
#include "opdef/registry.h"

namespace tenon::opdef {

ir::Node& Build::node(std::string_view op, std::vector<ir::ValueId> inputs, int outputs, std::string_view domain) {
  std::vector<ir::ValueId> outs;
  std::string base = at_->name.empty() ? std::string(op) : at_->name;
  for (int i = 0; i < outputs; ++i) outs.push_back(model().add_value(model().unique_name(base), &graph_));
  ir::Node& n = graph_.add(std::string(op), std::move(inputs), std::move(outs), std::string(domain), at_);
  n.name = model().unique_name(base);
  n.origins = at_->origin_names();
  const OpEntry* e = registry_->find(domain, op);
  if (e) {
    n.def = e->op;
    n.since = e->op->newest();
    n.opset = domain.empty() ? kNewestOpset : e->op->newest();
  }
  return n;
}

ir::ValueId Build::op(std::string_view op, std::vector<ir::ValueId> inputs, std::string_view domain) {
  return node(op, std::move(inputs), 1, domain).output(0);
}

ir::ValueId Build::constant(Tensor tensor) {
  return model().add_constant(model().unique_name(at_->name.empty() ? "constant" : at_->name), &graph_,
                              std::move(tensor));
}

ir::ValueId Build::ints(std::span<const int64_t> values) { return constant(Tensor::of(values)); }

ir::ValueId Build::scalar(DType dtype, double value) { return constant(scalar_of(dtype, value)); }

void Build::replace(std::initializer_list<ir::ValueId> by) {
  size_t i = 0;
  for (ir::ValueId v : by) {
    ir::ValueId old = at_->output(i++);
    if (old == ir::kNoValue || v == ir::kNoValue) continue;
    // The old value keeps its name: the new producer takes it over when it can.
    ir::ValueInfo& info = model().value(v);
    if (info.producer && info.producer->graph == &graph_ && info.uses.empty() && info.output_uses == 0) {
      ir::Node* producer = info.producer;
      int index = info.producer_index;
      graph_.set_node_output(*at_, i - 1, ir::kNoValue);
      graph_.set_node_output(*producer, static_cast<size_t>(index), old);
    } else {
      model().replace_uses(old, v);
    }
  }
  graph_.remove(*at_);
  replaced_ = true;
}

Tensor scalar_of(DType dtype, double value) {
  Tensor t = std::move(Tensor::allocate(dtype, Shape{})).value();
  convert(DType::kF64, &value, dtype, t.data(), 1);
  return t;
}

}  // namespace tenon::opdef
