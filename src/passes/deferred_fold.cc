// deferred_fold: a one-node model that is evaluated at most once.
// SPDX-License-Identifier: MIT
#include "passes/deferred_fold.h"

#include <utility>

namespace tenon::passes {
namespace {

class FoldedNode final : public DeferredData {
 public:
  FoldedNode(std::unique_ptr<ir::Model> model, const opdef::Registry& registry)
      : model_(std::move(model)), registry_(registry) {}

 protected:
  Result<Ref<Buffer>> make() override {
    const ir::Node& node = model_->main().nodes().front();
    std::vector<const Tensor*> inputs;
    for (ir::ValueId v : node.inputs()) {
      inputs.push_back(model_->constant(v));
      if (inputs.back()) TENON_TRY(inputs.back()->ensure());
    }
    auto results = opdef::evaluate_node(node, inputs, registry_);
    if (!results.ok()) return std::move(results).status().with("node", node.label());
    Tensor made = std::move((*results)[0]);
    if (made.data() != made.buffer()->data()) { TENON_ASSIGN(made, made.clone()); }
    model_ = nullptr;
    return made.buffer();
  }

 private:
  std::unique_ptr<ir::Model> model_;
  const opdef::Registry& registry_;
};

}  // namespace

bool can_defer(const ir::Node& node) {
  const ir::Model& m = node.graph->model();
  if (!node.def->trait.total || node.outputs().size() != 1 || node.output(0) == ir::kNoValue) return false;
  const ir::Type& type = m.value(node.output(0)).type;
  if (!type.is_tensor() || !type.has_shape || type.dtype == DType::kString || type.dtype == DType::kUndefined)
    return false;
  for (ir::ValueId v : node.inputs())  // texts may be no numbers
    if (v != ir::kNoValue && m.value(v).type.is_tensor() && m.value(v).type.dtype == DType::kString) return false;
  auto dims = ir::constant_dims(type.shape);
  if (!dims) return false;
  auto count = checked_count(*dims);
  return count.ok() && *count >= 8 * kDeferFrom / std::max(1, bit_width(type.dtype));
}

Result<Tensor> defer_node(ir::Node& node, const opdef::Registry& registry) {
  const ir::Model& m = node.graph->model();
  const ir::ValueInfo& result = m.value(node.output(0));
  auto alone = std::make_unique<ir::Model>();
  ir::Graph& g = alone->main();
  std::vector<ir::ValueId> inputs;
  for (ir::ValueId v : node.inputs()) {
    const Tensor* t = v == ir::kNoValue ? nullptr : m.constant(v);
    inputs.push_back(t ? alone->add_constant(m.value(v).name, &g, *t) : ir::kNoValue);
  }
  ir::Node& copy = g.add(node.op, std::move(inputs), {alone->add_value(result.name, &g, result.type)}, node.domain);
  copy.name = node.name;
  copy.opset = node.opset;
  copy.since = node.since;
  copy.def = node.def;
  copy.attributes = std::move(node.attributes);
  Ref<DeferredData> data = make_ref<FoldedNode>(std::move(alone), registry);
  return Tensor(result.type.dtype, *ir::constant_dims(result.type.shape), std::move(data));
}

}  // namespace tenon::passes
