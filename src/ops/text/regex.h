// Regular expressions in the syntax of RE2, compiled to a nondeterministic automaton: linear time, bounded size.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"

namespace tenon::ops {

/// Tells whether whole texts match. Immutable after compile: shared between threads.
class Regex {
 public:
  /// Literals, . [] (with ranges, negation, [:name:] and escapes), groups (their captures are not kept), |, * + ? {m,n}
  /// and their lazy forms, ^ $ \A \z \b \B, \d \D \s \S \w \W, \x, \Q..\E, flags i s m U. Look-around and references
  /// fail, as they do in RE2; so do \p classes, which RE2 has.
  static Result<Regex> compile(std::string_view pattern);
  bool full_match(std::string_view text) const;

 private:
  friend class RegexParser;
  enum class Op : uint8_t { kClass, kSplit, kJump, kBegin, kEnd, kWordEdge, kNoWordEdge, kLineBegin, kLineEnd, kMatch };
  struct Step {
    Op op;
    int32_t a = 0, b = 0;  ///< targets of kSplit and kJump; the class of kClass
  };
  using Class = std::vector<std::pair<uint32_t, uint32_t>>;  ///< ranges of code points, sorted
  std::vector<Step> code_;
  std::vector<Class> classes_;
};

}  // namespace tenon::ops
