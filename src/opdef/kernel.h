// Kernel: one way to compute an operator on a device: `can` and `pack` at load, `run` on slots.
// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "opdef/op.h"
#include "tensor/tensor.h"
#include "tensor/value.h"
#include "threads/team.h"

namespace tenon::opdef {

/// What a kernel prepared at load: parsed attributes, packed weights. Shared by concurrent runs, so never changed by
/// run.
struct KernelState {
  virtual ~KernelState() = default;
};
using StatePtr = std::unique_ptr<KernelState>;

/// Facts about a node that `can` may use: pure, never timing or memory.
class KernelQuery {
 public:
  explicit KernelQuery(const ir::Node& node) : node_(&node), model_(&node.graph->model()) {}
  const ir::Node& node() const { return *node_; }
  const ir::Model& model() const { return *model_; }
  bool has(size_t i) const { return node_->input(i) != ir::kNoValue; }
  const ir::Type& in(size_t i) const { return model_->value(node_->input(i)).type; }
  const ir::Type& out(size_t i) const { return model_->value(node_->output(i)).type; }
  DType in_type(size_t i) const { return has(i) ? in(i).dtype : DType::kUndefined; }
  DType out_type(size_t i) const { return node_->output(i) == ir::kNoValue ? DType::kUndefined : out(i).dtype; }
  /// The contents of a constant input, or null.
  const Tensor* constant(size_t i) const { return has(i) ? model_->constant(node_->input(i)) : nullptr; }

 protected:
  const ir::Node* node_;
  const ir::Model* model_;
};

/// The same while packing; `release(i)` says that constant input i is no longer needed in its original form.
class PackContext : public KernelQuery {
 public:
  PackContext(const ir::Node& node, const Team& team) : KernelQuery(node), team_(team) {}
  /// Makes deferred constant inputs readable: bytes that stand somewhere are copied into blocks of `scratch`, which
  /// other calls use again, the rest is made for good. Without it pack sees them made one by one.
  Status prepare(std::vector<Ref<Buffer>>& scratch);
  /// The contents of a constant input, or null. A state may not keep a pointer into them (a Tensor: yes).
  const Tensor* constant(size_t i) const {
    for (auto& [input, tensor] : prepared_)
      if (input == i) return &tensor;
    return KernelQuery::constant(i);
  }
  const Team& team() const { return team_; }
  void release(size_t i) { released_ |= uint64_t{1} << i; }
  uint64_t released() const { return released_; }

 private:
  Team team_;
  uint64_t released_ = 0;
  std::vector<std::pair<size_t, Tensor>> prepared_;
};

/// A place of a run's frame: a tensor view, or a value of another kind. `dims` backs tensor.dims where a kernel or a
/// dynamic step set the size; `memory` then owns the data.
struct Slot {
  TensorRef tensor;
  ValueRef value;  ///< sequences, maps, optionals; also the tensor of a run's input or output
  Dims dims;
  Ref<Buffer> memory;
};

/// Services of a run for kernels.
class KernelHost {
 public:
  /// Gives the slot memory for these dimensions (element type as set in slot.tensor). Fails when the budget is used up.
  virtual Status allocate(Slot& slot, std::span<const int64_t> dims) = 0;
  /// Aligned memory until the kernel returns; several calls give separate blocks. Contents are undefined.
  virtual Result<void*> scratch(size_t bytes) = 0;
  /// Owner of the characters that string outputs refer to.
  virtual StringArena& strings() = 0;

 protected:
  ~KernelHost() = default;
};

/// What a kernel's run gets. Plain pointers: building one costs nothing.
class KernelContext {
 public:
  KernelContext(const ir::Node& node, const KernelState* state, Slot* slots, std::span<const int32_t> in,
                std::span<const int32_t> out, const Team& team, KernelHost& host, const CancelFlag* cancel)
      : node_(&node), state_(state), slots_(slots), in_(in), out_(out), team_(&team), host_(&host), cancel_(cancel) {}

  size_t inputs() const { return in_.size(); }
  size_t outputs() const { return out_.size(); }
  bool has(size_t i) const { return i < in_.size() && in_[i] >= 0; }
  bool wants(size_t i) const { return i < out_.size() && out_[i] >= 0; }
  const TensorRef& in(size_t i) const { return slots_[in_[i]].tensor; }
  /// Sized before run is called, except for operators with trait kernel_sizes_output: those call allocate first.
  const TensorRef& out(size_t i) const { return slots_[out_[i]].tensor; }
  const ValueRef& in_value(size_t i) const { return slots_[in_[i]].value; }
  void set_out_value(size_t i, ValueRef v) { slots_[out_[i]].value = std::move(v); }
  Status allocate(size_t i, std::span<const int64_t> dims) { return host_->allocate(slots_[out_[i]], dims); }

  template <class S>
  const S& state() const {
    return *static_cast<const S*>(state_);
  }
  const ir::Node& node() const { return *node_; }
  const Team& team() const { return *team_; }
  Result<void*> scratch(size_t bytes) { return host_->scratch(bytes); }
  StringArena& strings() { return host_->strings(); }
  const CancelFlag* cancel() const { return cancel_; }
  bool cancelled() const { return cancel_ && cancel_->load(std::memory_order_relaxed); }

 private:
  const ir::Node* node_;
  const KernelState* state_;
  Slot* slots_;
  std::span<const int32_t> in_, out_;
  const Team* team_;
  KernelHost* host_;
  const CancelFlag* cancel_;
};

struct Kernel {
  std::string_view name;  ///< "gemm", "reference": shown by profiles and explain
  /// Whether this kernel serves the node; null: always.
  bool (*can)(const KernelQuery&) = nullptr;
  /// Parses attributes and packs weights once per session; null: no state.
  Result<StatePtr> (*pack)(PackContext&) = nullptr;
  Status (*run)(KernelContext&) = nullptr;
  /// pack only transforms constant inputs (no fault of the model is found by it): it may wait for the first run.
  bool lazy = false;
  /// Bit i: input i is read byte by byte and may lie at any address.
  uint8_t unaligned = 0;
};

/// Kernels of an operator, best first, the plain reference last.
struct KernelList {
  List<Kernel, 8> list;
};

/// Declares the CPU facet: TENON_CPU(softplus) { { {.name = "pointwise", ...}, {...} } };
#define TENON_CPU(id)                               \
  extern const ::tenon::opdef::KernelList cpu_##id; \
  constinit const ::tenon::opdef::KernelList cpu_##id =

}  // namespace tenon::opdef
