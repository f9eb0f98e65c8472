// What Pool and Team share: the record of a running parallel_for and the state of a pool.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/function_ref.h"
#include "base/os/threads.h"
#include "threads/pool.h"

namespace tenon {

/// One parallel_for, on its caller's stack. Workers find it in the pool's list under the pool's mutex; the caller takes
/// it off the list and then waits until the last helper has left.
struct Job {
  static constexpr uint32_t kWaiting = 0x80000000u;

  FunctionRef<void(int64_t, int64_t)> body;
  int64_t n;
  int64_t chunk;
  int max_helpers;
  os::Thread caller;
  std::atomic<int64_t> next{0};
  std::atomic<uint32_t> active{0};  ///< helpers inside; kWaiting is set when the caller sleeps until they leave

  bool finished_handing_out() const { return next.load(std::memory_order_relaxed) >= n; }

  void run_chunks() {
    while (true) {
      const int64_t begin = next.fetch_add(chunk, std::memory_order_relaxed);
      if (begin >= n) return;
      body(begin, std::min(begin + chunk, n));
    }
  }
  /// Called by a helper, last of all.
  void leave() {
    const std::atomic<uint32_t>* word = &active;
    if (active.fetch_sub(1, std::memory_order_acq_rel) == (kWaiting | 1)) os::wake_word(word, 1);
  }
};

struct Pool::State {
  struct Worker {
    State* state;
    os::Thread thread;
    bool in_body = false;
  };

  explicit State(int width);
  ~State();

  /// All below with `mutex` held.
  void start_workers(int wanted);
  bool in_body(os::Thread self) const;
  /// Says that there is work for `count` workers; returns how many sleepers to wake once the mutex is free.
  int announce(int count);
  Job* neediest_job() const;
  /// The life of a worker (takes the mutex itself).
  void work(Worker& me);

  const int width;
  std::mutex mutex;
  std::vector<std::unique_ptr<Worker>> workers;
  std::vector<Job*> jobs;
  std::deque<std::function<void()>> tasks;
  int spinners = 0;
  int sleepers = 0;
  bool stopping = false;
  std::atomic<uint32_t> epoch{0};  ///< changes with every announcement; idle workers watch and sleep on it
  std::atomic<bool> spinning{true};
  State* next_pool = nullptr;
};

}  // namespace tenon
