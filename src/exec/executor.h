// Executor: walks the steps of a program on a frame. A program counter that could stop and go on at any step.
// SPDX-License-Identifier: MIT
#pragma once
#include "exec/frame.h"

namespace tenon::exec {

using opdef::Slot;

/// The plain form pays nothing for tracing.
template <bool kTraced>
class Executor {
 public:
  Executor(Frame& frame, const RunSettings& settings) : f_(frame), p_(*frame.program_), settings_(settings) {}
  /// Runs to the end. Fails with the first fault, located; stops between steps when the cancel flag is set.
  Status run();

 private:
  Status step(const Step& s);
  Status kernel(const Step& s);
  Status move(const Slot& from, Slot& to, bool planned, bool copy);
  Status append(const Step& s);
  Status collect(const Step& s);
  Status scan_begin(const Step& s);
  Status scan_slice(const Step& s);
  Slot& in(const Step& s, uint32_t i) { return f_.slots_[static_cast<size_t>(p_.operands_[s.in + i])]; }
  Slot& out(const Step& s, uint32_t i) { return f_.slots_[static_cast<size_t>(p_.operands_[s.out + i])]; }
  bool has_in(const Step& s, uint32_t i) const { return i < s.in_count && p_.operands_[s.in + i] >= 0; }
  bool planned(int32_t slot) const { return p_.slots_[static_cast<size_t>(slot)].static_shape; }
  void start_accumulators(const Step& s);

  Frame& f_;
  const Program& p_;
  const RunSettings& settings_;
  int32_t pc_ = 0;
};

}  // namespace tenon::exec
