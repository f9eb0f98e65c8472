// Team: how one session or call uses the process-wide worker pool, and parallel_for on it.
// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>

#include "base/function_ref.h"

namespace tenon {

class Pool;

/// A set flag asks running work to stop at the next opportunity. Owned by the run; kernels only read it.
using CancelFlag = std::atomic<bool>;

/// The threads that one run may use: the calling thread and up to width - 1 workers of a pool. Cheap to copy; holds no
/// thread itself. Work is split so that results never depend on the width: bodies write disjoint outputs, and partial
/// sums are formed over ranges fixed by the problem, not by the split.
class Team {
 public:
  /// Only the calling thread.
  Team() = default;
  /// At most `width` threads of the pool, the caller included. width <= 0 means all that the pool has.
  Team(Pool* pool, int width);

  int width() const { return width_; }

  /// Calls body(begin, end) over disjoint ranges that cover [0, n), each at least `grain` items except the last, on up
  /// to width() threads; returns when all are done. Small work runs on the caller: pass a grain worth 10 us or more.
  /// May be called from inside a body (runs serially then). Exceptions must not leave the body.
  void parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t begin, int64_t end)> body) const;

  /// The same with a cost estimate in nanoseconds per item, from which the grain is derived.
  void parallel_for_cost(int64_t n, double ns_per_item, FunctionRef<void(int64_t begin, int64_t end)> body) const;

  /// Calls body(task, slot) for every task in [0, tasks), in no fixed order. No two calls that overlap in time have the
  /// same slot, and slots are below width(): scratch memory is divided by them. Results must not depend on the slot.
  void for_tasks(int64_t tasks, FunctionRef<void(int64_t task, int slot)> body) const;

 private:
  Pool* pool_ = nullptr;
  int width_ = 1;
};

}  // namespace tenon
