// Executor: what each kind of step does.
// SPDX-License-Identifier: MIT
#include "exec/executor.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>

namespace tenon::exec {

namespace {

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Adds what only the executor knows: the node, its domain and the tensors it was given. (The peer's sentence in front
/// of such a message is put there once, by the C table.)
[[gnu::cold]] Status locate(Status s, const ir::Node& node, std::string inputs) {
  return std::move(s)
      .with("node", cat(node.label(), "   (", node.domain_text(), " ", node.op, "-", node.since, ", cpu)"))
      .with("inputs", std::move(inputs));
}

}  // namespace

template <bool kTraced>
Status Executor<kTraced>::kernel(const Step& s) {
  if (s.dynamic) TENON_TRY(f_.check_step(s, true));
  else if (s.check_at_run) TENON_TRY(f_.check_step(s, false));
  std::span<const int32_t> ins(p_.operands_.data() + s.in, s.in_count), outs(p_.operands_.data() + s.out, s.out_count);
  const opdef::KernelState* state = s.state;
  if (s.packing >= 0) {
    TENON_ASSIGN(auto* packing, p_.packed(s.packing, settings_.team));
    state = packing->state.load(std::memory_order_relaxed);
    for (uint64_t left = packing->unpacked; left; left &= left - 1)
      TENON_TRY(p_.read_constant({ins[static_cast<size_t>(std::countr_zero(left))], false}, f_.slots_));
  }
  opdef::KernelContext c(*s.node, state, f_.slots_.data(), ins, outs, settings_.team, f_, settings_.cancel);
  TENON_TRY(s.kernel->run(c));
  f_.reset_scratch();
  return {};
}

/// Gives `to` what `from` holds. Memory that the slot owns is shared unless a copy is asked for.
template <bool kTraced>
Status Executor<kTraced>::move(const Slot& from, Slot& to, bool planned, bool copy) {
  if (from.value && from.value->kind != Value::Kind::kTensor) {
    to.value = from.value;
    return {};
  }
  const TensorRef& t = from.tensor;
  if (planned) {
    if (!std::equal(t.shape().begin(), t.shape().end(), to.tensor.shape().begin(), to.tensor.shape().end()) ||
        t.dtype != to.tensor.dtype)
      return error(Code::kFail, "a value of ", t.to_string(), " was planned as ", to.tensor.to_string());
    if (t.data != to.tensor.data && t.bytes()) std::memmove(to.tensor.data, t.data, static_cast<size_t>(t.bytes()));
    return {};
  }
  to.value = nullptr;
  if (from.memory && !copy) {
    to.memory = from.memory;
    to.dims = Dims(t.shape());
    to.tensor = {t.data, to.dims.data(), t.rank, t.dtype, t.count};
    return {};
  }
  Dims dims(t.shape());
  to.tensor.dtype = t.dtype;
  const void* source = t.data;
  int64_t bytes = t.bytes();
  TENON_TRY(f_.allocate(to, dims));
  if (bytes) std::memcpy(to.tensor.data, source, static_cast<size_t>(bytes));
  return {};
}

template <bool kTraced>
void Executor<kTraced>::start_accumulators(const Step& s) {
  for (int32_t i = 0; i < s.axis; ++i) f_.accumulators_[static_cast<size_t>(s.index + i)] = {};
}

template <bool kTraced>
Status Executor<kTraced>::append(const Step& s) {
  auto& a = f_.accumulators_[s.index];
  const Slot& slot = in(s, 0);
  if (slot.value && slot.value->kind != Value::Kind::kTensor)
    return error(Code::kNotImplemented, s.node->op, ": only tensors can be collected over iterations");
  const TensorRef& t = slot.tensor;
  Dims dims(t.shape());
  if (a.started && !(dims == a.item_dims))
    return error(Code::kFail, s.node->op, ": collected output ", s.index, " has shape ", list_text(dims), " after ",
                 list_text(a.item_dims), " in an earlier iteration");
  a.started = true;
  a.item_dims = dims;
  if (is_sub_byte(t.dtype) && t.count % (8 / bit_width(t.dtype)) != 0)
    return error(Code::kNotImplemented, s.node->op, ": collecting ", t.to_string(), " that does not fill whole bytes");
  int64_t needed = a.used + t.bytes();
  if (!a.memory || static_cast<int64_t>(a.memory->size()) < needed) {
    TENON_ASSIGN(auto larger, Buffer::allocate(static_cast<size_t>(std::max<int64_t>(2 * needed, 1024))));
    if (a.used) std::memcpy(larger->data(), a.memory->data(), static_cast<size_t>(a.used));
    a.memory = std::move(larger);
  }
  if (t.bytes()) std::memcpy(static_cast<char*>(a.memory->data()) + a.used, t.data, static_cast<size_t>(t.bytes()));
  a.used = needed;
  a.items++;
  return {};
}

template <bool kTraced>
Status Executor<kTraced>::collect(const Step& s) {
  auto& a = f_.accumulators_[s.index];
  Slot& to = out(s, 0);
  int32_t slot_index = p_.operands_[s.out];
  auto& info = p_.model_->value(p_.slots_[static_cast<size_t>(slot_index)].value);
  if (!a.started) {  // no iteration: the dimensions of an item are those that the type tells, else 0
    int64_t skip = s.axis < 0 ? s.axis + info.type.rank() : s.axis;
    for (size_t i = 0; info.type.has_shape && i < info.type.shape.size(); ++i)
      if (static_cast<int64_t>(i) != skip)
        a.item_dims.push_back(info.type.shape[i].is_const() ? info.type.shape[i].value() : 0);
  }
  int64_t rank = static_cast<int64_t>(a.item_dims.size()) + 1;
  TENON_ASSIGN(int64_t axis, normal_axis(s.axis, rank, "scan_output_axes"));
  Dims dims = a.item_dims;
  dims.insert(static_cast<size_t>(axis), a.items);
  if (planned(slot_index)) {
    if (!std::equal(dims.begin(), dims.end(), to.tensor.shape().begin(), to.tensor.shape().end()))
      return error(Code::kFail, s.node->op, ": collected output was planned as ", to.tensor.to_string(), " but is ",
                   list_text(dims));
  } else {
    to.tensor.dtype = info.type.dtype;
    TENON_TRY(f_.allocate(to, dims));
  }
  if (!a.used) return {};
  int64_t item = a.used / a.items;
  int64_t outer = product(a.item_dims, 0, static_cast<size_t>(axis));
  if (outer == 0) return {};
  int64_t inner = item / outer;  // bytes
  auto* to_bytes = static_cast<char*>(to.tensor.data);
  auto* from = static_cast<const char*>(a.memory->data());
  for (int64_t i = 0; i < a.items; ++i) {
    int64_t place = s.reverse ? a.items - 1 - i : i;
    for (int64_t o = 0; o < outer; ++o)
      std::memcpy(to_bytes + (o * a.items + place) * inner, from + i * item + o * inner, static_cast<size_t>(inner));
  }
  return {};
}

template <bool kTraced>
Status Executor<kTraced>::scan_begin(const Step& s) {
  auto& loop = f_.loops_[s.loop];
  loop = {-1, 0, true};
  start_accumulators(s);
  for (uint32_t k = 0; k < s.in_count; ++k) {
    const TensorRef& t = in(s, k).tensor;
    auto axes = s.node->ints("scan_input_axes");
    TENON_ASSIGN(int64_t axis, normal_axis(k < axes.size() ? axes[k] : 0, t.rank, "scan_input_axes"));
    int64_t length = t.dims[axis];
    if (loop.trip >= 0 && loop.trip != length)
      return invalid("Scan: scan input ", k, " has ", length, " slices, an earlier one ", loop.trip);
    loop.trip = length;
  }
  if (loop.trip <= 0) pc_ = s.target;
  return {};
}

template <bool kTraced>
Status Executor<kTraced>::scan_slice(const Step& s) {
  auto& loop = f_.loops_[s.loop];
  const TensorRef& t = in(s, 0).tensor;
  Slot& to = out(s, 0);
  TENON_ASSIGN(int64_t axis, normal_axis(s.axis, t.rank, "scan_input_axes"));
  int64_t at = s.reverse ? loop.trip - 1 - loop.iteration : loop.iteration;
  Dims dims(t.shape());
  dims.erase(static_cast<size_t>(axis));
  int64_t outer = product(t.shape(), 0, static_cast<size_t>(axis));
  int64_t inner_count = product(dims, static_cast<size_t>(axis), dims.size());
  int64_t inner = byte_size(t.dtype, inner_count);
  if (is_sub_byte(t.dtype)) return error(Code::kNotImplemented, "Scan: slices of ", t.to_string());
  if (outer == 1 && planned(p_.operands_[s.out])) {
    to.tensor.data = static_cast<char*>(t.data) + at * inner;
    return {};
  }
  Slot& from = in(s, 0);
  to.tensor.dtype = from.tensor.dtype;
  bool was_planned = planned(p_.operands_[s.out]);
  const int64_t* planned_dims = to.tensor.dims;
  TENON_TRY(f_.allocate(to, dims));
  if (was_planned) to.tensor.dims = planned_dims;
  for (int64_t o = 0; o < outer; ++o)
    std::memcpy(static_cast<char*>(to.tensor.data) + o * inner,
                static_cast<const char*>(t.data) + (o * t.dims[axis] + at) * inner, static_cast<size_t>(inner));
  return {};
}

template <bool kTraced>
Status Executor<kTraced>::step(const Step& s) {
  if (!f_.faults_.empty() && (s.kind == StepKind::kKernel || s.kind == StepKind::kView)) [[unlikely]]
    for (auto& [slot, fault] : f_.faults_)
      for (uint32_t k = 0; k < s.out_count; ++k)
        if (p_.operands_[s.out + k] == slot) return fault;
  switch (s.kind) {
    case StepKind::kKernel: return kernel(s);
    case StepKind::kView: {
      if (!s.dynamic) return {};
      const Slot& from = in(s, 0);
      if (from.value && from.value->kind != Value::Kind::kTensor) {
        out(s, 0).value = from.value;
        return {};
      }
      return f_.check_step(s, true);
    }
    case StepKind::kMove: return move(in(s, 0), out(s, 0), planned(p_.operands_[s.out]), s.index == 1);
    case StepKind::kJump: pc_ = s.target; return {};
    case StepKind::kBranch: {
      const TensorRef& t = in(s, 0).tensor;
      if (t.count != 1 || t.dtype != DType::kBool)
        return invalid("If: the condition ", t.to_string(), " is not one boolean");
      if (!*t.as<uint8_t>()) pc_ = s.target;
      return {};
    }
    case StepKind::kLoopBegin: {
      auto& loop = f_.loops_[s.loop];
      loop = {INT64_MAX, 0, true};
      start_accumulators(s);
      if (has_in(s, 0)) {
        const TensorRef& t = in(s, 0).tensor;
        if (t.count != 1 || t.dtype != DType::kI64)
          return invalid("Loop: the trip count ", t.to_string(), " is not one int64");
        loop.trip = *t.as<int64_t>();
      }
      if (has_in(s, 1)) {
        const TensorRef& t = in(s, 1).tensor;
        if (t.count != 1 || t.dtype != DType::kBool)
          return invalid("Loop: the condition ", t.to_string(), " is not one boolean");
        loop.condition = *t.as<uint8_t>() != 0;
      }
      if (loop.trip <= 0 || !loop.condition) pc_ = s.target;
      return {};
    }
    case StepKind::kLoopIndex: {
      auto& loop = f_.loops_[s.loop];
      const TensorRef &iteration = out(s, 0).tensor, &condition = out(s, 1).tensor;
      *iteration.as<int64_t>() = loop.iteration;
      *condition.as<uint8_t>() = loop.condition;
      return {};
    }
    case StepKind::kLoopNext: {
      auto& loop = f_.loops_[s.loop];
      loop.iteration++;
      if (has_in(s, 0)) {
        const TensorRef& t = in(s, 0).tensor;
        if (t.count != 1 || t.dtype != DType::kBool)
          return invalid("Loop: the body's condition ", t.to_string(), " is not one boolean");
        loop.condition = *t.as<uint8_t>() != 0;
      }
      if (loop.iteration < loop.trip && loop.condition) pc_ = s.target;
      return {};
    }
    case StepKind::kAppend: return append(s);
    case StepKind::kCollect: return collect(s);
    case StepKind::kScanBegin: return scan_begin(s);
    case StepKind::kScanSlice: return scan_slice(s);
  }
  return {};
}

template <bool kTraced>
Status Executor<kTraced>::run() {
  const int32_t end = static_cast<int32_t>(p_.steps_.size());
  while (pc_ < end) {
    const Step& s = p_.steps_[static_cast<size_t>(pc_++)];
    if (settings_.cancel && settings_.cancel->load(std::memory_order_relaxed)) [[unlikely]]
      return error(Code::kFail, "Exiting due to terminate flag being set to true.");
    int64_t begin = 0;
    if constexpr (kTraced) begin = now_ns();
    Status status = step(s);
    if (!status.ok()) [[unlikely]] {
      std::string inputs;
      for (uint32_t k = 0; k < s.in_count; ++k)
        if (has_in(s, k))
          inputs += cat(k ? "   " : "",
                        p_.slots_[static_cast<size_t>(p_.operands_[s.in + k])].value == ir::kNoValue
                            ? std::string()
                            : p_.model_->value(p_.slots_[static_cast<size_t>(p_.operands_[s.in + k])].value).name + " ",
                        in(s, k).tensor);
      return locate(std::move(status), *s.node, std::move(inputs));
    }
    if constexpr (kTraced) {
      if (s.kind == StepKind::kKernel || s.kind == StepKind::kView) {
        SmallVector<const Slot*, 8> ins, outs;
        for (uint32_t k = 0; k < s.in_count; ++k) ins.push_back(has_in(s, k) ? &in(s, k) : nullptr);
        for (uint32_t k = 0; k < s.out_count; ++k) outs.push_back(p_.operands_[s.out + k] >= 0 ? &out(s, k) : nullptr);
        (*settings_.trace)({s.node, s.kernel ? s.kernel->name : std::string_view("view"), begin, now_ns(), ins, outs});
      }
    }
    for (uint32_t k = 0; k < s.release_count; ++k) {
      Slot& slot = f_.slots_[static_cast<size_t>(p_.releases_[s.release + k])];
      if (slot.memory && slot.memory->unique() && f_.recycled_.size() < 16)
        f_.recycled_.push_back(std::move(slot.memory));
      slot.memory = nullptr;
      slot.value = nullptr;
    }
  }
  return {};
}

template class Executor<false>;
template class Executor<true>;

}  // namespace tenon::exec
