// parallel_for: hands chunks of a range to the caller and to workers of the pool.
// SPDX-License-Identifier: MIT
#include "threads/team.h"

#include <algorithm>
#include <mutex>

#include "base/os/threads.h"
#include "threads/pool.h"
#include "threads/pool_state.h"

namespace tenon {
namespace {

constexpr int kChunksPerThread = 4;     // enough to even out threads of different speed
constexpr double kGrainNs = 10'000;     // a chunk should outweigh its hand-over
constexpr int64_t kEndSpinNs = 50'000;  // how long a caller looks for its helpers' end before it sleeps

void wait_for_helpers(Job& job) {
  if (job.active.load(std::memory_order_acquire) == 0) return;
  const int64_t start = os::monotonic_ns();
  while (os::monotonic_ns() - start < kEndSpinNs) {
    for (int i = 0; i < 8; ++i) {
      if (job.active.load(std::memory_order_acquire) == 0) return;
      os::pause();
    }
  }
  uint32_t seen = job.active.fetch_or(Job::kWaiting, std::memory_order_acq_rel) | Job::kWaiting;
  while (seen != Job::kWaiting) {
    os::wait_word(&job.active, seen);
    seen = job.active.load(std::memory_order_acquire);
  }
}

}  // namespace

Team::Team(Pool* pool, int width) : pool_(pool) {
  const int most = pool ? pool->width() : 1;
  width_ = width <= 0 ? most : std::min(width, most);
}

void Team::parallel_for(int64_t n, int64_t grain, FunctionRef<void(int64_t begin, int64_t end)> body) const {
  if (n <= 0) return;
  grain = std::max<int64_t>(grain, 1);
  if (width_ <= 1 || n <= grain) return body(0, n);
  const int64_t chunk = std::max(grain, n / (int64_t{width_} * kChunksPerThread));
  const int64_t chunks = (n + chunk - 1) / chunk;
  const int helpers = static_cast<int>(std::min<int64_t>(width_ - 1, chunks - 1));
  if (helpers == 0) return body(0, n);

  Job job{body, n, chunk, helpers, os::this_thread()};
  Pool::State& pool = *pool_->state_;
  int wakes = 0;
  bool nested;
  {
    std::lock_guard lock(pool.mutex);
    nested = pool.in_body(job.caller);
    if (!nested) {
      pool.start_workers(helpers);
      pool.jobs.push_back(&job);
      wakes = pool.announce(helpers);
    }
  }
  if (nested) return body(0, n);
  if (wakes) os::wake_word(&pool.epoch, wakes);
  job.run_chunks();
  {
    std::lock_guard lock(pool.mutex);
    std::erase(pool.jobs, &job);
  }
  wait_for_helpers(job);
}

void Team::parallel_for_cost(int64_t n, double ns_per_item, FunctionRef<void(int64_t begin, int64_t end)> body) const {
  const double items = kGrainNs / std::max(ns_per_item, 1e-3);
  parallel_for(n, static_cast<int64_t>(std::clamp(items, 1.0, 1e15)), body);
}

void Team::for_tasks(int64_t tasks, FunctionRef<void(int64_t task, int slot)> body) const {
  if (tasks <= 0) return;
  const int64_t slots = std::min<int64_t>(width_, tasks);
  std::atomic<int64_t> next{0};
  // One item a participant: whoever gets item s works under slot s until no task is left.
  parallel_for(slots, 1, [&](int64_t begin, int64_t end) {
    for (int64_t slot = begin; slot < end; ++slot)
      for (int64_t t; (t = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) body(t, static_cast<int>(slot));
  });
}

}  // namespace tenon
