// Profile: a trace of runs, written as Chrome trace JSON under the names that the peer's tools read.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "exec/frame.h"
#include "session/session.h"

namespace tenon::session {

struct Session::Profile {
 public:
  explicit Profile(std::string prefix);
  static int64_t now_ns();
  int64_t start_ns() const { return start_ns_; }
  /// Safe from concurrent runs.
  void add_step(const exec::StepTrace& step);
  void add_run(int64_t begin_ns, int64_t end_ns);
  /// Writes the file (temporary name, then renamed) and returns its name; "" when it cannot be written.
  std::string write();

 private:
  void add(std::string_view category, std::string name, int64_t begin_ns, int64_t end_ns, std::string arguments);
  std::string file_;
  int64_t start_ns_;
  std::mutex mutex_;
  std::vector<std::string> events_;
};

}  // namespace tenon::session
