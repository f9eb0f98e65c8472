// Program: a model compiled to a flat list of steps with a symbolic memory plan. Immutable; shared by concurrent runs.
// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "opdef/registry.h"
#include "threads/team.h"

namespace tenon::exec {

/// Where the memory of a slot comes from.
enum class Storage : uint8_t {
  kConstant,  ///< the model
  kInput,     ///< what the run was given
  kArena,     ///< a region of the frame's arena, placed when shapes are bound
  kOutput,    ///< memory that leaves as the run's output
  kAlias,     ///< the memory of another slot, other dimensions
  kElements,  ///< integers that follow from input shapes, written when shapes are bound
  kDynamic,   ///< sized while running; owns its memory
  kSlice,     ///< a moving view that a Scan step sets
};

/// What is known of a slot before a run.
struct SlotPlan {
  Storage storage = Storage::kDynamic;
  DType dtype = DType::kUndefined;
  bool conditional = false;   ///< made in a branch or a loop body, which a run may not reach: faults found while
                              ///< binding count only when it does
  bool static_shape = false;  ///< dimensions follow from the shapes of the run's inputs
  int32_t root = -1;          ///< kAlias: the slot whose memory this is
  int32_t region = -1;        ///< kArena
  int32_t output = -1;        ///< kOutput: which output of the run
  uint32_t dims = 0;          ///< first place in the frame's dimension list, when static
  int32_t rank = 0;
  ir::ValueId value = ir::kNoValue;
};

enum class StepKind : uint8_t {
  kKernel,
  kView,  ///< dynamic view: shares memory, dimensions by the shape rule; else only the place of a fault
  kMove,  ///< in[0] to out[0]: shares owned memory, else copies
  kJump,
  kBranch,     ///< jump to target when the boolean in[0] is false
  kLoopBegin,  ///< in: trip count, condition; jumps to target when no iteration runs
  kLoopNext,   ///< in: condition; jumps back to target for another iteration
  kLoopIndex,  ///< writes iteration number and condition to out
  kAppend,     ///< in[0] is appended to accumulator `index` of the loop
  kCollect,    ///< accumulator `index` becomes out[0]
  kScanBegin,  ///< in: the scan inputs; checks lengths; jumps to target when the length is 0
  kScanSlice,  ///< in[0] at the current iteration along `axis` to out[0]
};

struct Step {
  StepKind kind = StepKind::kKernel;
  bool dynamic = false;        ///< output dimensions are worked out by the shape rule before the kernel runs
  bool check_at_bind = false;  ///< the shape rule is run with numbers when shapes are bound
  bool check_at_run = false;   ///< the same each time before the kernel runs
  bool reverse = false;        ///< kScanSlice, kCollect: from the end
  uint16_t loop = 0;           ///< which loop counter
  uint16_t index = 0;
  int32_t axis = 0;
  int32_t target = -1;
  uint32_t in = 0, in_count = 0, out = 0, out_count = 0;  ///< ranges of Program::operands
  uint32_t release = 0, release_count = 0;                ///< dynamic slots whose last reader this step is
  const ir::Node* node = nullptr;
  const opdef::Kernel* kernel = nullptr;
  const opdef::KernelState* state = nullptr;
  int32_t packing = -1;  ///< place in Program::packings_: the state is made by the first run that needs it
};

/// Facts of a compiled program for reports.
struct ProgramFacts {
  size_t steps = 0, slots = 0, regions = 0, nodes_removed_by_shape_arithmetic = 0;
  int64_t constant_bytes = 0;
};

class Program {
 public:
  /// Compiles a bound and inferred model. `team` is used for packing weights. Takes the model over.
  static Result<std::shared_ptr<const Program>> compile(std::unique_ptr<ir::Model> model,
                                                        const opdef::Registry& registry, const Team& team);
  ~Program();

  const ir::Model& model() const { return *model_; }
  size_t input_count() const { return inputs_.size(); }
  size_t output_count() const { return outputs_.size(); }
  const ProgramFacts& facts() const { return facts_; }
  /// One line a step, with storage of the outputs; for `inspect` and debugging.
  std::string listing() const;

 private:
  friend class Compiler;
  friend class Frame;
  template <bool kTraced>
  friend class Executor;

  /// How a symbol gets its number: a dimension, or an element, of an input.
  struct SymbolSource {
    uint32_t symbol;
    uint16_t input;
    bool element;
    uint32_t at;
  };
  struct Region {
    std::vector<int32_t> members;  ///< arena slots; the largest decides the size
  };
  /// Integers of a kElements slot: registers of the tape.
  struct ElementFill {
    int32_t slot;
    uint32_t first;  ///< in element_registers_
    uint32_t count;
  };

  /// A kernel's state that is made by the first run.
  struct Packing {
    Packing(const ir::Node* n, const opdef::Kernel* k) : node(n), kernel(k) {}
    const ir::Node* node;
    const opdef::Kernel* kernel;
    std::atomic<const opdef::KernelState*> state{nullptr};
    opdef::StatePtr owned;
    uint64_t unpacked = 0;  ///< bit i: constant input i is still read as it is
  };
  /// The packing with its state, made now when this is the first call. Safe from several threads.
  Result<const Packing*> packed(int32_t index, const Team& team) const {
    Packing& packing = packings_[static_cast<size_t>(index)];
    if (!packing.state.load(std::memory_order_acquire)) [[unlikely]]
      TENON_TRY(pack(packing, team));
    return &packing;
  }
  Status pack(Packing& packing, const Team& team) const;
  /// The slot whose memory this one reads: itself unless it is an alias. -1 stays -1.
  int32_t root_of(int32_t slot) const {
    while (slot >= 0 && slots_[static_cast<size_t>(slot)].storage == Storage::kAlias)
      slot = slots_[static_cast<size_t>(slot)].root;
    return slot;
  }
  /// A constant that steps read as it is.
  struct ConstantSlot {
    int32_t slot;
    bool any_address;  ///< all its readers take it at any alignment
  };
  /// Points the slot at its constant; deferred contents are made, or used where they stand.
  Status read_constant(ConstantSlot constant, std::span<opdef::Slot> slots) const;

  std::unique_ptr<ir::Model> model_;
  mutable std::mutex constants_mutex_;  ///< guards the contents of constants and what follows here
  mutable std::deque<Packing> packings_;
  mutable size_t packings_left_ = 0;
  mutable std::vector<Ref<Buffer>> pack_scratch_;
  mutable std::unordered_map<ir::ValueId, int> readers_;  ///< of constants: steps that still need the unpacked form
  std::vector<ConstantSlot> constants_;
  std::vector<Step> steps_;
  std::vector<int32_t> operands_;
  std::vector<int32_t> releases_;
  std::vector<SlotPlan> slots_;
  std::vector<int32_t> inputs_, outputs_;  ///< slots of the run's inputs and outputs
  std::vector<SymbolSource> symbol_sources_;
  size_t symbol_count_ = 0;
  ir::DimTape tape_;
  std::vector<uint32_t> dim_registers_;  ///< register of each place of the frame's dimension list
  std::vector<uint32_t> element_registers_;
  std::vector<ElementFill> elements_;
  std::vector<int32_t> bound_order_;  ///< static slots, roots before their aliases
  std::vector<int32_t> run_aliases_;  ///< aliases of inputs and outputs: pointers set in every run
  std::vector<Region> regions_;
  std::vector<uint32_t> bind_checks_;  ///< steps with check_at_bind
  std::vector<opdef::StatePtr> states_;
  size_t loop_count_ = 0;
  size_t accumulator_count_ = 0;
  ProgramFacts facts_;
};

}  // namespace tenon::exec
