// Frame: the memory of one run at a time: slots, arena, scratch; and the binding of a program to concrete shapes.
// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "exec/program.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::exec {

/// One executed step as a trace sees it.
struct StepTrace {
  const ir::Node* node;
  std::string_view kernel;
  int64_t begin_ns, end_ns;
  std::span<const opdef::Slot* const> in, out;
};
using TraceSink = std::function<void(const StepTrace&)>;

/// What a run is given besides values.
struct RunSettings {
  Team team;
  const CancelFlag* cancel = nullptr;
  const TraceSink* trace = nullptr;
};

/// Runs one program, one call at a time. Keeps its memory between runs; shapes that did not change are not bound again.
class Frame final : public opdef::KernelHost {
 public:
  explicit Frame(std::shared_ptr<const Program> program);
  ~Frame();

  /// Runs. inputs[i] is a value for each input of the program (never null). outputs[i]: null gets a new value; a tensor
  /// of the right type and shape is written in place; entries of `wanted` that are false are left alone.
  Status run(std::span<const ValueRef> inputs, std::span<ValueRef> outputs, std::span<const bool> wanted,
             const RunSettings& settings);

  /// Bytes that this frame holds.
  int64_t held_bytes() const;
  /// Gives memory back that is not needed until the next run.
  void shrink();

  // KernelHost
  Status allocate(opdef::Slot& slot, std::span<const int64_t> dims) override;
  Result<void*> scratch(size_t bytes) override;
  StringArena& strings() override { return *strings_; }

 private:
  template <bool kTraced>
  friend class Executor;
  struct Loop {
    int64_t trip = 0, iteration = 0;
    bool condition = true;
  };
  struct Accumulator {
    Ref<Buffer> memory;
    int64_t used = 0, items = 0;
    Dims item_dims;
    bool started = false;
    std::vector<StringRef> strings;
  };

  Status bind(std::span<const ValueRef> inputs);
  bool binding_fits(std::span<const ValueRef> inputs) const;
  Status check_step(const Step& step, bool apply);
  /// Keeps a fault of a conditional slot for the step that would make it; any other fault is returned.
  Status defer(int32_t slot, Status fault);
  Status place_outputs(std::span<const ValueRef> outputs, std::span<const bool> wanted);
  Status take_outputs(std::span<ValueRef> outputs, std::span<const bool> wanted);
  void reset_scratch();

  std::shared_ptr<const Program> program_;
  std::vector<opdef::Slot> slots_;
  std::vector<uint32_t> emptied_;  ///< slots that hold something of one run only
  std::vector<int64_t> symbols_, registers_, dims_, elements_;
  std::vector<int64_t> bound_key_;  ///< dimensions and used elements of the inputs of the current binding
  bool bound_ = false;
  bool constants_read_ = false;
  std::vector<std::pair<int32_t, Status>> faults_;  ///< of conditional slots, found while binding
  Ref<Buffer> arena_;
  std::vector<Ref<Buffer>> scratch_;
  size_t scratch_used_ = 0, scratch_wanted_ = 0;
  std::vector<Ref<Buffer>> recycled_;
  Ref<StringArena> strings_;
  std::vector<Loop> loops_;
  std::vector<Accumulator> accumulators_;
  std::vector<Ref<Buffer>> output_memory_;
};

}  // namespace tenon::exec
