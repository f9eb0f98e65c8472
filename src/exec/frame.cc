// Frame: binding shapes to memory, and the values that enter and leave a run.
// SPDX-License-Identifier: MIT
#include "exec/frame.h"

#include <algorithm>
#include <cstring>

#include "base/os/memory.h"
#include "exec/executor.h"

namespace tenon::exec {

using opdef::Slot;

namespace {
size_t align_up(size_t n) { return (n + kAlignment - 1) / kAlignment * kAlignment; }
}  // namespace

Frame::Frame(std::shared_ptr<const Program> program) : program_(std::move(program)) {
  const Program& p = *program_;
  slots_.resize(p.slots_.size());
  symbols_.resize(p.symbol_count_);
  registers_.resize(p.tape_.register_count());
  dims_.resize(p.dim_registers_.size());
  elements_.resize(p.element_registers_.size());
  loops_.resize(p.loop_count_);
  accumulators_.resize(p.accumulator_count_);
  output_memory_.resize(p.outputs_.size());
  strings_ = make_ref<StringArena>();
  std::lock_guard lock(p.constants_mutex_);
  for (size_t s = 0; s < slots_.size(); ++s) {
    auto& plan = p.slots_[s];
    slots_[s].tensor.dtype = plan.dtype;
    if (plan.storage == Storage::kDynamic || plan.storage == Storage::kInput)
      emptied_.push_back(static_cast<uint32_t>(s));
    if (plan.storage != Storage::kConstant) continue;
    const Tensor& t = *p.model_->value(plan.value).constant;
    slots_[s].tensor = {t.is_deferred() ? nullptr : t.data(), t.shape().data(), static_cast<int32_t>(t.shape().size()),
                        t.dtype(), t.count()};
  }
}

Frame::~Frame() = default;

int64_t Frame::held_bytes() const {
  int64_t n = arena_ ? static_cast<int64_t>(arena_->size()) : 0;
  for (auto& b : scratch_) n += static_cast<int64_t>(b->size());
  for (auto& b : recycled_) n += static_cast<int64_t>(b->size());
  return n;
}

void Frame::shrink() {
  arena_ = nullptr;
  scratch_.clear();
  recycled_.clear();
  bound_ = false;
}

Status Frame::allocate(opdef::Slot& slot, std::span<const int64_t> dims) {
  slot.dims = Dims(dims);
  TENON_ASSIGN(int64_t count, checked_count(dims));
  int64_t bits;
  if (!checked_mul(count, bit_width(slot.tensor.dtype), &bits))
    return invalid("a tensor of shape ", list_text(dims), " has too many bytes");
  size_t bytes = static_cast<size_t>(byte_size(slot.tensor.dtype, count));
  Ref<Buffer> memory;
  for (size_t i = 0; i < recycled_.size(); ++i) {
    if (recycled_[i]->size() < bytes || recycled_[i]->size() > 2 * bytes + 1024) continue;
    memory = std::move(recycled_[i]);
    recycled_.erase(recycled_.begin() + static_cast<ptrdiff_t>(i));
    break;
  }
  if (!memory) { TENON_ASSIGN(memory, Buffer::allocate(bytes)); }
  slot.memory = std::move(memory);
  slot.value = nullptr;
  slot.tensor = {slot.memory->data(), slot.dims.data(), static_cast<int32_t>(dims.size()), slot.tensor.dtype, count};
  if (slot.tensor.dtype == DType::kString)
    for (auto& s : slot.tensor.items<StringRef>()) s = StringRef();
  return {};
}

Result<void*> Frame::scratch(size_t wanted) {
  const size_t bytes = align_up(wanted ? wanted : 1);
  scratch_wanted_ += bytes;
  if (scratch_.empty() || scratch_used_ + bytes > scratch_.back()->size()) {
    TENON_ASSIGN(auto block, Buffer::allocate(bytes));
    scratch_.push_back(std::move(block));
    scratch_used_ = 0;
  }
  void* p = static_cast<char*>(scratch_.back()->data()) + scratch_used_;
  scratch_used_ += bytes;
  os::allow(p, bytes);
  os::forbid(static_cast<char*>(p) + wanted, bytes - wanted);
  return p;
}

/// After a step: one block as large as all that the step asked for, so that the next time nothing is allocated.
void Frame::reset_scratch() {
  if (scratch_.size() > 1) {
    scratch_.clear();
    if (auto block = Buffer::allocate(scratch_wanted_); block.ok()) scratch_.push_back(std::move(block).value());
  }
  scratch_used_ = scratch_wanted_ = 0;
}

bool Frame::binding_fits(std::span<const ValueRef> inputs) const {
  if (!bound_) return false;
  size_t at = 0;
  for (auto& v : inputs)
    for (int64_t d : v->tensor.shape())
      if (at >= bound_key_.size() || bound_key_[at++] != d) return false;
  for (auto& s : program_->symbol_sources_) {
    if (!s.element) continue;
    const Tensor& t = inputs[s.input]->tensor;
    int64_t v = t.dtype() == DType::kI32 ? t.as<int32_t>()[s.at] : t.as<int64_t>()[s.at];
    if (at >= bound_key_.size() || bound_key_[at++] != v) return false;
  }
  return at == bound_key_.size();
}

namespace {
[[gnu::cold]] Status at_node(Status s, const ir::Node& node) {
  return std::move(s).with("node",
                           cat(node.label(), "   (", node.domain_text(), " ", node.op, "-", node.since, ", cpu)"));
}
}  // namespace

Status Frame::defer(int32_t slot, Status fault) {
  if (slot < 0 || !program_->slots_[static_cast<size_t>(slot)].conditional) return fault;
  faults_.emplace_back(slot, std::move(fault));
  return {};
}

Status Frame::bind(std::span<const ValueRef> inputs) {
  const Program& p = *program_;
  bound_ = false;
  faults_.clear();
  bound_key_.clear();
  std::fill(symbols_.begin(), symbols_.end(), INT64_MIN);
  for (auto& v : inputs)
    for (int64_t d : v->tensor.shape()) bound_key_.push_back(d);
  for (auto& s : p.symbol_sources_) {
    const Tensor& t = inputs[s.input]->tensor;
    int64_t v;
    if (s.element) {
      if (static_cast<int64_t>(s.at) >= t.count()) return invalid("input ", s.input, " has too few elements");
      v = t.dtype() == DType::kI32 ? t.as<int32_t>()[s.at] : t.as<int64_t>()[s.at];
      bound_key_.push_back(v);
    } else {
      if (s.at >= t.shape().size()) return invalid("input ", s.input, " has rank ", t.shape().size());
      v = t.shape()[s.at];
    }
    int64_t& symbol = symbols_[s.symbol];
    if (symbol != INT64_MIN && symbol != v)
      return invalid("the inputs disagree on dimension '", p.model_->dims_handle()->symbol_name(s.symbol),
                     "': ", symbol, " in one, ", v, " in input '",
                     p.model_->value(p.slots_[static_cast<size_t>(p.inputs_[s.input])].value).name, "'")
          .with("contradiction", "dimensions of one name");
    symbol = v;
  }
  for (int64_t& s : symbols_)
    if (s == INT64_MIN) s = 0;
  if (!p.tape_.run(symbols_, registers_))
    return invalid("the sizes of the inputs give a dimension that overflows or divides by zero");
  for (size_t i = 0; i < dims_.size(); ++i) dims_[i] = registers_[p.dim_registers_[i]];
  for (int32_t s : p.bound_order_) {
    auto& plan = p.slots_[static_cast<size_t>(s)];
    TensorRef& t = slots_[static_cast<size_t>(s)].tensor;
    t.dims = dims_.data() + plan.dims;
    t.rank = plan.rank;
    auto count = checked_count(t.shape());
    int64_t bits;
    t.count = count.ok() ? *count : 0;
    if (!count.ok()) TENON_TRY(defer(s, std::move(count).status()));
    else if (!checked_mul(t.count, bit_width(t.dtype), &bits))
      return invalid("a tensor of shape ", list_text(t.shape()), " is too large");
  }
  size_t total = 0;
  std::vector<size_t> offsets(p.regions_.size()), sizes(p.regions_.size());
  for (size_t r = 0; r < p.regions_.size(); ++r) {
    size_t bytes = 0;
    for (int32_t s : p.regions_[r].members)
      bytes = std::max(bytes, static_cast<size_t>(slots_[static_cast<size_t>(s)].tensor.bytes()));
    offsets[r] = total;
    sizes[r] = bytes;
    int64_t sum;
    if (!checked_add(static_cast<int64_t>(total), static_cast<int64_t>(align_up(bytes)), &sum))
      return invalid("the run needs too much memory");
    total = static_cast<size_t>(sum);
  }
  if (!arena_ || arena_->size() < total || arena_->size() / 4 > total + (size_t{1} << 20)) {
    arena_ = nullptr;
    TENON_ASSIGN(arena_, Buffer::allocate(total));
  }
  char* base = static_cast<char*>(arena_->data());
  os::allow(base, total);
  os::forbid(base + total, arena_->size() - total);
  for (size_t r = 0; r < p.regions_.size(); ++r) {
    const size_t end = r + 1 < p.regions_.size() ? offsets[r + 1] : total;
    os::forbid(base + offsets[r] + sizes[r], end - offsets[r] - sizes[r]);
  }
  for (auto& fill : p.elements_) {
    Slot& slot = slots_[static_cast<size_t>(fill.slot)];
    int64_t* to = elements_.data() + fill.first;
    for (uint32_t i = 0; i < fill.count; ++i) {
      int64_t v = registers_[p.element_registers_[fill.first + i]];
      if (slot.tensor.dtype == DType::kI32) reinterpret_cast<int32_t*>(to)[i] = static_cast<int32_t>(v);
      else to[i] = v;
    }
    slot.tensor.data = to;
  }
  for (int32_t s : p.bound_order_) {
    auto& plan = p.slots_[static_cast<size_t>(s)];
    TensorRef& t = slots_[static_cast<size_t>(s)].tensor;
    if (plan.storage == Storage::kArena)
      t.data = plan.region < 0 ? nullptr : base + offsets[static_cast<size_t>(plan.region)];
    else if (plan.storage == Storage::kAlias) {
      const TensorRef& from = slots_[static_cast<size_t>(plan.root)].tensor;
      const ir::Node* node = plan.value == ir::kNoValue ? nullptr : p.model_->value(plan.value).producer;
      if (t.count != from.count && node)
        TENON_TRY(defer(s, at_node(invalid(node->op, ": ", from.to_string(), " does not have the elements of ",
                                           list_text(t.shape())),
                                   *node)));
      t.data = from.data;
    }
  }
  for (uint32_t i : p.bind_checks_) {
    Status s = check_step(p.steps_[i], false);
    if (!s.ok()) TENON_TRY(defer(p.operands_[p.steps_[i].out], at_node(std::move(s), *p.steps_[i].node)));
  }
  bound_ = true;
  return {};
}

/// Runs the step's shape rule with numbers. apply: gives dynamic outputs their memory; otherwise the outputs must have
/// the dimensions that the plan gave them.
Status Frame::check_step(const Step& step, bool apply) {
  const Program& p = *program_;
  SmallVector<TensorRef, 8> views;
  SmallVector<const TensorRef*, 8> inputs;
  for (uint32_t k = 0; k < step.in_count; ++k) {
    int32_t s = p.operands_[step.in + k];
    TensorRef t;
    if (s >= 0) {
      t = slots_[static_cast<size_t>(s)].tensor;
      if (!apply && !step.check_at_run) {  // while binding only constants, inputs and elements hold anything
        auto storage = p.slots_[static_cast<size_t>(p.root_of(s))].storage;
        if (storage == Storage::kArena || storage == Storage::kOutput || storage == Storage::kSlice) t.data = nullptr;
      }
    }
    views.push_back(t);
  }
  for (uint32_t k = 0; k < step.in_count; ++k) inputs.push_back(p.operands_[step.in + k] >= 0 ? &views[k] : nullptr);
  opdef::InferContext c(*step.node, step.node->since);
  c.out.resize(step.out_count);
  for (uint32_t k = 0; k < step.out_count; ++k) c.out[k].wanted = p.operands_[step.out + k] >= 0;
  for (uint32_t k = 0; k < step.in_count; ++k) {
    int32_t s = p.operands_[step.in + k];
    if (s < 0 || !slots_[static_cast<size_t>(s)].value ||
        slots_[static_cast<size_t>(s)].value->kind == Value::Kind::kTensor)
      continue;
    return {};  // sequences and the like: the kernel checks what it gets
  }
  TENON_TRY(opdef::infer_concrete(*step.node, inputs, c));
  for (uint32_t k = 0; k < step.out_count; ++k) {
    int32_t s = p.operands_[step.out + k];
    if (s < 0) continue;
    auto& type = c.out[k].type;
    Slot& slot = slots_[static_cast<size_t>(s)];
    auto dims = type.is_tensor() && type.has_shape ? ir::constant_dims(type.shape) : std::nullopt;
    if (p.slots_[static_cast<size_t>(s)].static_shape) {
      // A rule that cannot tell leaves it to the plan only where the plan is not its own work.
      if (!dims) continue;
      if (!std::equal(dims->begin(), dims->end(), slot.tensor.shape().begin(), slot.tensor.shape().end()))
        return error(Code::kFail, step.node->op, ": output ", k, " was planned with shape ",
                     list_text(slot.tensor.shape()), " but is ", list_text(*dims));
      continue;
    }
    if (!apply) continue;
    if (!type.is_tensor()) continue;
    if (!dims)
      return error(Code::kFail, step.node->op, ": the dimensions of output ", k, " do not follow from the inputs");
    slot.tensor.dtype = type.dtype;
    if (step.kind == StepKind::kView) {
      slot.dims = *dims;
      const Slot& in = slots_[static_cast<size_t>(p.operands_[step.in])];
      TENON_ASSIGN(int64_t count, checked_count(slot.dims));
      if (count != in.tensor.count)
        return error(Code::kInvalidArgument, step.node->op, ": ", in.tensor.to_string(),
                     " does not have the elements of ", list_text(slot.dims));
      slot.tensor = {in.tensor.data, slot.dims.data(), static_cast<int32_t>(slot.dims.size()), in.tensor.dtype, count};
      slot.memory = in.memory;
    } else {
      TENON_TRY(allocate(slot, *dims));
    }
  }
  return {};
}

Status Frame::place_outputs(std::span<const ValueRef> outputs, std::span<const bool> wanted) {
  const Program& p = *program_;
  for (size_t i = 0; i < p.outputs_.size(); ++i) {
    int32_t s = p.outputs_[i];
    int32_t root = p.root_of(s);
    auto& plan = p.slots_[static_cast<size_t>(root)];
    if (plan.storage != Storage::kOutput || plan.output != static_cast<int32_t>(i)) continue;
    const TensorRef& view = slots_[static_cast<size_t>(s)].tensor;
    TensorRef& t = slots_[static_cast<size_t>(root)].tensor;
    const Value* given = wanted[i] ? outputs[i].get() : nullptr;
    if (given && given->kind == Value::Kind::kTensor && given->tensor.dtype() == view.dtype &&
        std::equal(given->tensor.shape().begin(), given->tensor.shape().end(), view.shape().begin(),
                   view.shape().end())) {
      t.data = given->tensor.data();
      output_memory_[i] = nullptr;
      continue;
    }
    if (!output_memory_[i] || !output_memory_[i]->unique() ||
        output_memory_[i]->size() != static_cast<size_t>(t.bytes())) {
      TENON_ASSIGN(output_memory_[i], Buffer::allocate(static_cast<size_t>(t.bytes())));
    }
    t.data = output_memory_[i]->data();
  }
  for (int32_t s : p.run_aliases_) {
    auto& plan = p.slots_[static_cast<size_t>(s)];
    slots_[static_cast<size_t>(s)].tensor.data = slots_[static_cast<size_t>(plan.root)].tensor.data;
  }
  return {};
}

Status Frame::take_outputs(std::span<ValueRef> outputs, std::span<const bool> wanted) {
  const Program& p = *program_;
  for (size_t i = 0; i < p.outputs_.size(); ++i) {
    if (!wanted[i]) continue;
    int32_t s = p.outputs_[i];
    Slot& slot = slots_[static_cast<size_t>(s)];
    const TensorRef& t = slot.tensor;
    if (slot.value && slot.value->kind != Value::Kind::kTensor) {
      outputs[i] = slot.value;
      continue;
    }
    if (!t.data && t.count > 0) return error(Code::kFail, "output ", i, " was not computed");
    int32_t root = p.root_of(s);
    auto& plan = p.slots_[static_cast<size_t>(root)];
    bool leaves = plan.storage == Storage::kOutput && plan.output == static_cast<int32_t>(i);
    bool given = outputs[i] != nullptr && outputs[i]->kind == Value::Kind::kTensor;
    if (given) {
      Tensor& to = outputs[i]->tensor;
      if (to.dtype() != t.dtype)
        return invalid("output '", p.model_->value(p.model_->main().outputs()[i]).name, "' is tensor(",
                       onnx_name(t.dtype), "), the given one tensor(", onnx_name(to.dtype()), ")");
      if (!std::equal(to.shape().begin(), to.shape().end(), t.shape().begin(), t.shape().end()))
        return invalid("output '", p.model_->value(p.model_->main().outputs()[i]).name, "' has shape ",
                       list_text(t.shape()), ", the given one ", list_text(to.shape()));
      if (leaves) continue;
      if (t.dtype == DType::kString) {
        if (!to.strings()) to.set_strings(make_ref<StringArena>());
        copy_strings(t.as<StringRef>(), to.as<StringRef>(), t.count, *to.strings());
      } else if (t.bytes()) {
        std::memmove(to.data(), t.data, static_cast<size_t>(t.bytes()));
      }
      continue;
    }
    if (leaves) {
      outputs[i] = tensor_value(Tensor(t.dtype, Shape(t.shape()), output_memory_[i]));
      output_memory_[i] = nullptr;
    } else if (plan.storage == Storage::kDynamic && slot.memory && t.dtype != DType::kString &&
               slot.memory->data() == t.data) {
      outputs[i] = tensor_value(Tensor(t.dtype, Shape(t.shape()), slot.memory));
    } else {
      Tensor view(t.dtype, Shape(t.shape()), Buffer::wrap(t.data, static_cast<size_t>(t.bytes())));
      TENON_ASSIGN(Tensor copy, view.clone());
      outputs[i] = tensor_value(std::move(copy));
    }
  }
  return {};
}

Status Frame::run(std::span<const ValueRef> inputs, std::span<ValueRef> outputs, std::span<const bool> wanted,
                  const RunSettings& settings) {
  const Program& p = *program_;
  if (!constants_read_) {
    for (auto constant : p.constants_) TENON_TRY(p.read_constant(constant, slots_));
    constants_read_ = true;
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    Slot& slot = slots_[static_cast<size_t>(p.inputs_[i])];
    slot.value = inputs[i];
    if (inputs[i]->kind == Value::Kind::kTensor) slot.tensor = inputs[i]->tensor.ref();
  }
  Status status;
  if (!binding_fits(inputs)) status = bind(inputs);
  if (status.ok()) status = place_outputs(outputs, wanted);
  if (status.ok())
    status = settings.trace ? Executor<true>(*this, settings).run() : Executor<false>(*this, settings).run();
  if (status.ok()) status = take_outputs(outputs, wanted);
  reset_scratch();
  for (uint32_t s : emptied_) {
    slots_[s].value = nullptr;
    slots_[s].memory = nullptr;
    slots_[s].tensor.data = nullptr;
  }
  for (auto& a : accumulators_) a = Accumulator();
  if (strings_->used()) strings_ = make_ref<StringArena>();
  return status;
}

}  // namespace tenon::exec
