// Pool: worker threads, started when first needed, that help the callers of Team::parallel_for.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <memory>

#include "base/function_ref.h"

namespace tenon {

/// The processor count this process may use: affinity mask and cgroup quota, at least 1.
int usable_cpus();

/// A pool of workers. The process-wide one is sized by usable_cpus(); a session may ask for a private one.
class Pool {
 public:
  /// The process-wide pool. Never destroyed; its workers restart in a forked child.
  static Pool& process();
  /// A private pool of `width` participants, the caller of a parallel_for included: width - 1 workers.
  explicit Pool(int width);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  int width() const;
  /// Idle workers spin a short time before they sleep when set (the default); off trades latency for power.
  void set_spinning(bool on);
  /// Runs a task on a worker some time later (asynchronous session runs).
  void post(std::function<void()> task);

  struct State;

 private:
  friend class Team;
  std::unique_ptr<State> state_;
};

}  // namespace tenon
