// Registry: lookup, binding of nodes, choice of kernels and evaluation of single nodes.
// SPDX-License-Identifier: MIT
#include "opdef/registry.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "opdef/infer.h"

namespace tenon::opdef {

namespace {
std::string key_of(std::string_view domain, std::string_view op) { return cat(domain, ":", op); }
}  // namespace

Registry::Registry(std::span<const OpEntry> entries) {
  for (auto& e : entries) add(e);
}
void Registry::add(const OpEntry& entry) {
  by_name_[key_of(entry.op->domain, entry.op->name)] = entries_.size();
  by_op_[entry.op] = entries_.size();
  entries_.push_back(entry);
}
const OpEntry* Registry::find(std::string_view domain, std::string_view op) const {
  auto it = by_name_.find(key_of(domain, op));
  return it == by_name_.end() ? nullptr : &entries_[it->second];
}
const OpEntry* Registry::entry(const OpDef* op) const {
  auto it = by_op_.find(op);
  return it == by_op_.end() ? nullptr : &entries_[it->second];
}

Status bind_node(ir::Node& node, const Registry& registry) {
  const OpEntry* e = registry.find(node.domain, node.op);
  bool onnx = node.domain.empty();
  Code code = onnx ? Code::kInvalidGraph : Code::kFail;
  if (!e)
    return error(code, "node '", node.label(), "': ", node.domain_text(), ":", node.op, "(", node.opset,
                 ") is not a registered function/op");
  node.def = e->op;
  if (node.opset == 0) node.since = e->op->newest();
  else node.since = e->op->since_for(node.opset);
  if (node.since == 0)
    return error(code, "node '", node.label(), "': ", node.domain_text(), ":", node.op, "(", node.opset,
                 ") is not a registered function/op: the operator exists from version ", e->op->since[0], " on");
  return {};
}

Status bind_graph(ir::Graph& graph, const Registry& registry) {
  for (auto& node : graph.nodes()) {
    TENON_TRY(bind_node(node, registry));
    for (ir::Graph* g : node.subgraphs()) TENON_TRY(bind_graph(*g, registry));
  }
  return {};
}

Result<const Kernel*> choose_kernel(const ir::Node& node, const KernelList* list) {
  KernelQuery query(node);
  if (list)
    for (auto& k : list->list)
      if (k.run && (!k.can || k.can(query))) return &k;
  std::string types;
  for (size_t i = 0; i < node.inputs().size(); ++i) {
    if (i) types += ", ";
    types += query.has(i) ? query.in(i).onnx_text() : "-";
  }
  return error(Code::kNotImplemented, "Could not find an implementation for ", node.op, "(", node.since,
               ") node with name '", node.name, "': no kernel of the CPU provider takes (", types, ")");
}

namespace {
/// Memory and scratch for a single evaluation.
class LooseHost final : public KernelHost {
 public:
  Status allocate(Slot& slot, std::span<const int64_t> dims) override {
    slot.dims = Dims(dims);
    TENON_ASSIGN(int64_t count, checked_count(dims));
    TENON_ASSIGN(slot.memory, Buffer::allocate(static_cast<size_t>(byte_size(slot.tensor.dtype, count))));
    slot.tensor = {slot.memory->data(), slot.dims.data(), static_cast<int32_t>(dims.size()), slot.tensor.dtype, count};
    if (slot.tensor.dtype == DType::kString)
      for (auto& s : slot.tensor.items<StringRef>()) s = StringRef();
    return {};
  }
  Result<void*> scratch(size_t bytes) override {
    TENON_ASSIGN(auto b, Buffer::allocate(bytes));
    scratch_.push_back(b);
    return b->data();
  }
  StringArena& strings() override { return *strings_; }
  Ref<StringArena> strings_ = make_ref<StringArena>();

 private:
  std::vector<Ref<Buffer>> scratch_;
};
}  // namespace

Status PackContext::prepare(std::vector<Ref<Buffer>>& scratch) {
  for (size_t i = 0; i < node().inputs().size(); ++i) {
    const Tensor* t = KernelQuery::constant(i);
    if (!t || !t->is_deferred()) continue;
    const void* bytes = t->stored_bytes();
    if (!bytes) {
      TENON_TRY(t->ensure());
      continue;
    }
    const size_t size = static_cast<size_t>(t->bytes());
    auto free = std::find_if(scratch.begin(), scratch.end(), [](const Ref<Buffer>& b) { return b->unique(); });
    if (free == scratch.end()) free = scratch.emplace(scratch.end());
    if (!*free || (*free)->size() < size) { TENON_ASSIGN(*free, Buffer::allocate(size)); }
    std::memcpy((*free)->data(), bytes, size);
    prepared_.emplace_back(i, Tensor(t->dtype(), t->shape(), *free));
  }
  return {};
}

Result<std::vector<Tensor>> evaluate_node(const ir::Node& node, std::span<const Tensor* const> inputs,
                                          const Registry& registry, const Team& team) {
  const OpEntry* entry = registry.entry(node.def);
  TENON_ASSIGN(const Kernel* kernel, choose_kernel(node, entry ? entry->cpu : nullptr));
  StatePtr state;
  if (kernel->pack) {
    PackContext pack(node, team);
    TENON_ASSIGN(state, kernel->pack(pack));
  }
  size_t n_in = inputs.size(), n_out = node.outputs().size();
  std::vector<Slot> slots(n_in + n_out);
  std::vector<int32_t> in(n_in), out(n_out);
  std::vector<TensorRef> refs(n_in);
  std::vector<const TensorRef*> ref_pointers(n_in, nullptr);
  for (size_t i = 0; i < n_in; ++i) {
    in[i] = inputs[i] ? static_cast<int32_t>(i) : -1;
    if (!inputs[i]) continue;
    slots[i].tensor = refs[i] = inputs[i]->ref();
    ref_pointers[i] = &refs[i];
  }
  InferContext c(node, node.since);
  c.out.resize(n_out);
  for (size_t i = 0; i < n_out; ++i) c.out[i].wanted = node.outputs()[i] != ir::kNoValue;
  TENON_TRY(infer_concrete(node, ref_pointers, c));
  LooseHost host;
  for (size_t i = 0; i < n_out; ++i) {
    out[i] = c.out[i].wanted ? static_cast<int32_t>(n_in + i) : -1;
    if (!c.out[i].wanted) continue;
    if (!c.out[i].type.is_tensor())
      return error(Code::kNotImplemented, node.op, ": only nodes that give tensors are evaluated on their own");
    Slot& slot = slots[n_in + i];
    slot.tensor.dtype = c.out[i].type.dtype;
    if (node.def->trait.kernel_sizes_output) continue;
    auto dims = c.out[i].type.has_shape ? ir::constant_dims(c.out[i].type.shape) : std::nullopt;
    if (!dims) return error(Code::kFail, node.op, ": the output's dimensions do not follow from the inputs");
    TENON_TRY(host.allocate(slot, *dims));
  }
  KernelContext context(node, state.get(), slots.data(), in, out, team, host, nullptr);
  TENON_TRY(kernel->run(context));
  std::vector<Tensor> results(n_out);
  for (size_t i = 0; i < n_out; ++i) {
    if (out[i] < 0) continue;
    Slot& slot = slots[n_in + i];
    if (!slot.memory) return error(Code::kFail, node.op, ": output ", i, " was not computed");
    results[i] = Tensor(slot.tensor.dtype, slot.dims, slot.memory);
    if (slot.tensor.dtype == DType::kString) { TENON_ASSIGN(results[i], results[i].clone()); }
  }
  return results;
}

}  // namespace tenon::opdef
