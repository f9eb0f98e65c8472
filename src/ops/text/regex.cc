// Regular expressions: a recursive parser with bounded depth that writes the automaton, and its simulation.
// SPDX-License-Identifier: MIT
#include "ops/text/regex.h"

#include <algorithm>

#include "ops/text/letters.h"

namespace tenon::ops {
namespace {

using Class = std::vector<std::pair<uint32_t, uint32_t>>;
constexpr uint32_t kLast = 0x1100ff;  // beyond Unicode: bytes that are no UTF-8
constexpr size_t kMaxSteps = 100000;
constexpr int kMaxDepth = 200, kMaxRepeat = 1000;

void normalise(Class& c) {
  std::sort(c.begin(), c.end());
  Class out;
  for (auto& r : c) {
    if (!out.empty() && r.first <= out.back().second + 1) out.back().second = std::max(out.back().second, r.second);
    else out.push_back(r);
  }
  c = std::move(out);
}
Class inverse(Class c) {
  normalise(c);
  Class out;
  uint32_t from = 0;
  for (auto& r : c) {
    if (r.first > from) out.push_back({from, r.first - 1});
    from = r.second + 1;
  }
  if (from <= kLast) out.push_back({from, kLast});
  return out;
}
bool holds(const Class& c, uint32_t code) {
  auto it = std::upper_bound(c.begin(), c.end(), code, [](uint32_t v, auto& r) { return v < r.first; });
  return it != c.begin() && std::prev(it)->second >= code;
}
void fold_case(Class& c) {
  Class more;
  for (auto& r : c)
    for (uint32_t v = r.first; v <= std::min<uint32_t>(r.second, 0x1ffff); ++v) {
      uint32_t l = to_lower(v), u = to_upper(v);
      if (l != v) more.push_back({l, l});
      if (u != v) more.push_back({u, u});
    }
  c.insert(c.end(), more.begin(), more.end());
  normalise(c);
}

Class named_class(char letter) {
  switch (letter) {
    case 'd': return {{'0', '9'}};
    case 's': return {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}};
    default: return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
  }
}
bool posix_class(std::string_view name, Class& out) {
  if (name == "alpha") out = {{'A', 'Z'}, {'a', 'z'}};
  else if (name == "digit") out = {{'0', '9'}};
  else if (name == "alnum") out = {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}};
  else if (name == "upper") out = {{'A', 'Z'}};
  else if (name == "lower") out = {{'a', 'z'}};
  else if (name == "space") out = {{'\t', '\r'}, {' ', ' '}};
  else if (name == "blank") out = {{'\t', '\t'}, {' ', ' '}};
  else if (name == "punct") out = {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}};
  else if (name == "xdigit") out = {{'0', '9'}, {'A', 'F'}, {'a', 'f'}};
  else if (name == "word") out = named_class('w');
  else if (name == "cntrl") out = {{0, 31}, {127, 127}};
  else if (name == "print") out = {{' ', '~'}};
  else if (name == "graph") out = {{'!', '~'}};
  else if (name == "ascii") out = {{0, 127}};
  else return false;
  return true;
}

}  // namespace

/// Writes the steps of what it reads; a fragment is code from a step on, left through its end.
class RegexParser {
 public:
  RegexParser(std::string_view pattern, Regex& out) : rest_(pattern), out_(out) {}

  Status parse() {
    TENON_TRY(alternatives(0));
    if (!rest_.empty()) return invalid("unexpected ')'");
    return emit({Regex::Op::kMatch});
  }

 private:
  struct Flags {
    bool fold = false, dot_newline = false, lines = false;
  };

  Status emit(Regex::Step s) {
    if (out_.code_.size() >= kMaxSteps) return invalid("the pattern is too large");
    out_.code_.push_back(s);
    return {};
  }
  int32_t here() const { return static_cast<int32_t>(out_.code_.size()); }
  /// Puts a step in front of the code from `at` on: targets behind it move along.
  Status insert(int32_t at, Regex::Step s) {
    TENON_TRY(emit({}));
    auto& code = out_.code_;
    for (size_t i = code.size() - 1; i > static_cast<size_t>(at); --i) code[i] = code[i - 1];
    code[static_cast<size_t>(at)] = s;
    for (size_t i = static_cast<size_t>(at) + 1; i < code.size(); ++i) shift(code[i], at, 1);
    return {};
  }
  static void shift(Regex::Step& s, int32_t from, int32_t by) {
    if (s.op != Regex::Op::kSplit && s.op != Regex::Op::kJump) return;
    if (s.a >= from) s.a += by;
    if (s.op == Regex::Op::kSplit && s.b >= from) s.b += by;
  }
  Status emit_class(Class c) {
    normalise(c);
    if (flags_.fold) TENON_TRY(fold(c));
    out_.classes_.push_back(std::move(c));
    return emit({Regex::Op::kClass, static_cast<int32_t>(out_.classes_.size()) - 1});
  }

  /// Case folding walks the code points of a class: wide classes are limited in number.
  Status fold(Class& c) {
    for (auto& r : c) fold_work_ += std::min<int64_t>(r.second, 0x1ffff) - std::min<int64_t>(r.first, 0x1ffff) + 1;
    if (fold_work_ > (int64_t{1} << 24)) return invalid("the pattern is too large");
    fold_case(c);
    return {};
  }

  Status alternatives(int depth) {
    if (depth > kMaxDepth) return invalid("groups are nested too deeply");
    Flags kept = flags_;
    int32_t start = here();
    std::vector<int32_t> exits;
    TENON_TRY(sequence(depth));
    while (!rest_.empty() && rest_[0] == '|') {
      rest_.remove_prefix(1);
      TENON_TRY(emit({Regex::Op::kJump}));
      exits.push_back(here() - 1);
      TENON_TRY(insert(start, {Regex::Op::kSplit, start + 1, here() + 1}));
      ++exits.back();  // the split in front moved it
      start = here();
      TENON_TRY(sequence(depth));
    }
    for (int32_t e : exits) out_.code_[static_cast<size_t>(e)].a = here();
    flags_ = kept;
    return {};
  }

  Status sequence(int depth) {
    while (!rest_.empty() && rest_[0] != '|' && rest_[0] != ')') {
      int32_t start = here();
      bool repeatable = true;
      TENON_TRY(item(depth, &repeatable));
      bool repeated = false;
      while (repeatable && !rest_.empty()) {
        int low = 0, high = -1;
        if (!quantifier(low, high)) break;
        if (repeated) return invalid("a repetition operator follows another");
        repeated = true;
        if (low > kMaxRepeat || high > kMaxRepeat || (high >= 0 && high < low))
          return invalid("bad repetition {", low, ",", high, "}");
        TENON_TRY(repeat(start, low, high));
      }
    }
    return {};
  }

  bool quantifier(int& low, int& high) {
    char c = rest_[0];
    if (c == '*') low = 0, high = -1;
    else if (c == '+') low = 1, high = -1;
    else if (c == '?') low = 0, high = 1;
    else if (c == '{') {
      size_t close = rest_.find('}');
      if (close == rest_.npos) return false;
      std::string_view body = rest_.substr(1, close - 1);
      size_t comma = body.find(',');
      int64_t a = 0, b = -1;
      if (!parse_int(body.substr(0, comma), &a) || a < 0 || body[0] == '+') return false;
      if (comma == body.npos) b = a;
      else if (comma + 1 < body.size() && (!parse_int(body.substr(comma + 1), &b) || b < 0)) return false;
      low = static_cast<int>(std::min<int64_t>(a, kMaxRepeat + 1));
      high = static_cast<int>(std::min<int64_t>(b, kMaxRepeat + 1));
      rest_.remove_prefix(close);
    } else return false;
    rest_.remove_prefix(1);
    if (!rest_.empty() && rest_[0] == '?') rest_.remove_prefix(1);  // lazy: the same texts match
    return true;
  }

  /// Replaces the fragment from `start` on by `low` to `high` copies of it.
  Status repeat(int32_t start, int low, int high) {
    std::vector<Regex::Step> body(out_.code_.begin() + start, out_.code_.end());
    auto copy = [&]() -> Status {
      int32_t by = here() - start;
      for (Regex::Step s : body) {
        shift(s, 0, by);
        TENON_TRY(emit(s));
      }
      return {};
    };
    out_.code_.resize(static_cast<size_t>(start));
    for (int i = 0; i < low; ++i) TENON_TRY(copy());
    if (high < 0) {
      int32_t loop = here();
      TENON_TRY(emit({Regex::Op::kSplit, loop + 1}));
      TENON_TRY(copy());
      TENON_TRY(emit({Regex::Op::kJump, loop}));
      out_.code_[static_cast<size_t>(loop)].b = here();
      return {};
    }
    std::vector<int32_t> splits;
    for (int i = low; i < high; ++i) {
      splits.push_back(here());
      TENON_TRY(emit({Regex::Op::kSplit, here() + 1}));
      TENON_TRY(copy());
    }
    for (int32_t s : splits) out_.code_[static_cast<size_t>(s)].b = here();
    return {};
  }

  Status item(int depth, bool* repeatable) {
    char c = rest_[0];
    if (c == '(') {
      rest_.remove_prefix(1);
      return group(depth, repeatable);
    }
    if (c == '[') return bracket();
    if (c == '.') {
      rest_.remove_prefix(1);
      return emit_class(flags_.dot_newline ? Class{{0, kLast}} : inverse({{'\n', '\n'}}));
    }
    if (c == '^' || c == '$') {
      rest_.remove_prefix(1);
      if (flags_.lines) return emit({c == '^' ? Regex::Op::kLineBegin : Regex::Op::kLineEnd});
      return emit({c == '^' ? Regex::Op::kBegin : Regex::Op::kEnd});
    }
    if (c == '*' || c == '+' || c == '?') return invalid("nothing to repeat before '", c, "'");
    if (c == '\\') return escape();
    uint32_t code = take_code_point(rest_);
    return emit_class({{code, code}});
  }

  Status group(int depth, bool* repeatable) {
    if (rest_.starts_with("?")) {
      if (rest_.starts_with("?P<") ||
          (rest_.starts_with("?<") && !rest_.starts_with("?<=") && !rest_.starts_with("?<!"))) {
        size_t close = rest_.find('>');
        if (close == rest_.npos) return invalid("a group's name has no end");
        rest_.remove_prefix(close + 1);
      } else {
        rest_.remove_prefix(1);
        bool on = true;
        Flags f = flags_;
        while (true) {
          if (rest_.empty()) return invalid("a group has no end");
          char c = rest_[0];
          rest_.remove_prefix(1);
          if (c == 'i') f.fold = on;
          else if (c == 's') f.dot_newline = on;
          else if (c == 'm') f.lines = on;
          else if (c == 'U') continue;  // which match is preferred does not matter here
          else if (c == '-') on = false;
          else if (c == ')') {
            flags_ = f;
            *repeatable = false;
            return {};
          } else if (c == ':') break;
          else return invalid("(?", c, " is not supported");
        }
        Flags kept = flags_;
        flags_ = f;
        Status s = alternatives(depth + 1);
        flags_ = kept;
        TENON_TRY(std::move(s));
        return close_group();
      }
    }
    TENON_TRY(alternatives(depth + 1));
    return close_group();
  }
  Status close_group() {
    if (rest_.empty()) return invalid("a group has no end");
    rest_.remove_prefix(1);
    return {};
  }

  /// A class or a single character after a backslash; `out` holds what it stands for.
  Status escaped_class(Class& out) {
    if (rest_.empty()) return invalid("the pattern ends with a backslash");
    char c = rest_[0];
    rest_.remove_prefix(1);
    switch (c) {
      case 'd':
      case 's':
      case 'w': out = named_class(c); return {};
      case 'D':
      case 'S':
      case 'W': out = inverse(named_class(static_cast<char>(c - 'A' + 'a'))); return {};
      case 'n': out = {{'\n', '\n'}}; return {};
      case 't': out = {{'\t', '\t'}}; return {};
      case 'r': out = {{'\r', '\r'}}; return {};
      case 'f': out = {{'\f', '\f'}}; return {};
      case 'v': out = {{'\v', '\v'}}; return {};
      case 'a': out = {{'\a', '\a'}}; return {};
      case 'x': {
        size_t digits = rest_.starts_with("{") ? rest_.find('}') : 2;
        size_t skip = rest_.starts_with("{") ? 1 : 0;
        if (digits == rest_.npos || rest_.size() < digits || digits - skip > 6 || digits == skip)
          return invalid("bad \\x escape");
        uint32_t code = 0;
        for (char h : rest_.substr(skip, digits - skip)) {
          int v = h >= '0' && h <= '9'   ? h - '0'
                  : h >= 'a' && h <= 'f' ? h - 'a' + 10
                  : h >= 'A' && h <= 'F' ? h - 'A' + 10
                                         : -1;
          if (v < 0) return invalid("bad \\x escape");
          code = code * 16 + static_cast<uint32_t>(v);
        }
        if (code > 0x10ffff) return invalid("\\x escape beyond Unicode");
        rest_.remove_prefix(digits + skip);
        out = {{code, code}};
        return {};
      }
      default: break;
    }
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'))
      return invalid("the escape \\", c, " is not supported");
    out = {{static_cast<uint8_t>(c), static_cast<uint8_t>(c)}};
    return {};
  }

  Status escape() {
    rest_.remove_prefix(1);
    if (!rest_.empty()) {
      char c = rest_[0];
      auto anchor = [&](Regex::Op op) {
        rest_.remove_prefix(1);
        return emit({op});
      };
      if (c == 'A') return anchor(Regex::Op::kBegin);
      if (c == 'z') return anchor(Regex::Op::kEnd);
      if (c == 'b') return anchor(Regex::Op::kWordEdge);
      if (c == 'B') return anchor(Regex::Op::kNoWordEdge);
      if (c == 'Q') {
        rest_.remove_prefix(1);
        size_t end = rest_.find("\\E");
        std::string_view literal = rest_.substr(0, end);
        rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 2);
        while (!literal.empty()) {
          uint32_t code = take_code_point(literal);
          TENON_TRY(emit_class({{code, code}}));
        }
        return {};
      }
    }
    Class c;
    TENON_TRY(escaped_class(c));
    return emit_class(std::move(c));
  }

  Status bracket() {
    rest_.remove_prefix(1);
    bool negative = rest_.starts_with("^");
    if (negative) rest_.remove_prefix(1);
    Class all;
    bool first = true;
    while (true) {
      if (rest_.empty()) return invalid("a class has no end");
      if (rest_[0] == ']' && !first) break;
      first = false;
      if (rest_.starts_with("[:")) {
        size_t end = rest_.find(":]");
        if (end != rest_.npos) {
          std::string_view name = rest_.substr(2, end - 2);
          bool other = name.starts_with("^");
          if (other) name.remove_prefix(1);
          Class c;
          if (!posix_class(name, c)) return invalid("unknown class [:", name, ":]");
          if (other) c = inverse(std::move(c));
          all.insert(all.end(), c.begin(), c.end());
          rest_.remove_prefix(end + 2);
          continue;
        }
      }
      Class low;
      TENON_TRY(class_item(low));
      bool single = low.size() == 1 && low[0].first == low[0].second;
      if (single && rest_.size() >= 2 && rest_[0] == '-' && rest_[1] != ']') {
        rest_.remove_prefix(1);
        Class high;
        TENON_TRY(class_item(high));
        if (high.size() != 1 || high[0].first != high[0].second || high[0].first < low[0].first)
          return invalid("a range in a class is reversed");
        low[0].second = high[0].first;
      }
      all.insert(all.end(), low.begin(), low.end());
    }
    rest_.remove_prefix(1);
    normalise(all);
    if (flags_.fold) TENON_TRY(fold(all));
    if (negative) {
      // Case is folded before the class is turned round: [^a] forbids A as well.
      out_.classes_.push_back(inverse(std::move(all)));
      return emit({Regex::Op::kClass, static_cast<int32_t>(out_.classes_.size()) - 1});
    }
    return emit_class(std::move(all));
  }
  Status class_item(Class& out) {
    if (rest_.empty()) return invalid("a class has no end");
    if (rest_[0] == '\\') {
      rest_.remove_prefix(1);
      return escaped_class(out);
    }
    uint32_t code = take_code_point(rest_);
    out = {{code, code}};
    return {};
  }

  std::string_view rest_;
  Regex& out_;
  Flags flags_;
  int64_t fold_work_ = 0;
};

Result<Regex> Regex::compile(std::string_view pattern) {
  Regex r;
  RegexParser parser(pattern, r);
  TENON_TRY(parser.parse());
  return r;
}

bool Regex::full_match(std::string_view text) const {
  constexpr uint32_t kNone = ~0u;
  std::vector<int32_t> now, next, stack;
  std::vector<uint32_t> seen(code_.size(), 0);
  uint32_t mark = 0;
  auto is_word = [](uint32_t c) {
    return c != kNone && (c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'));
  };
  // Follows the steps that read nothing; `before` and `after` are the code points around the place.
  auto add = [&](std::vector<int32_t>& list, int32_t start, uint32_t before, uint32_t after) {
    stack.push_back(start);
    while (!stack.empty()) {
      int32_t at = stack.back();
      stack.pop_back();
      if (seen[static_cast<size_t>(at)] == mark) continue;
      seen[static_cast<size_t>(at)] = mark;
      const Step& s = code_[static_cast<size_t>(at)];
      bool pass = false;
      switch (s.op) {
        case Op::kSplit:
          stack.push_back(s.b);
          stack.push_back(s.a);
          break;
        case Op::kJump: stack.push_back(s.a); break;
        case Op::kBegin: pass = before == kNone; break;
        case Op::kEnd: pass = after == kNone; break;
        case Op::kLineBegin: pass = before == kNone || before == '\n'; break;
        case Op::kLineEnd: pass = after == kNone || after == '\n'; break;
        case Op::kWordEdge: pass = is_word(before) != is_word(after); break;
        case Op::kNoWordEdge: pass = is_word(before) == is_word(after); break;
        case Op::kClass:
        case Op::kMatch: list.push_back(at); break;
      }
      if (pass) stack.push_back(at + 1);
    }
  };
  uint32_t before = kNone;
  std::string_view rest = text;
  uint32_t code = rest.empty() ? kNone : take_code_point(rest);
  ++mark;
  add(now, 0, before, code);
  while (code != kNone) {
    uint32_t after = rest.empty() ? kNone : take_code_point(rest);
    next.clear();
    ++mark;
    for (int32_t at : now) {
      const Step& s = code_[static_cast<size_t>(at)];
      if (s.op == Op::kClass && holds(classes_[static_cast<size_t>(s.a)], code)) add(next, at + 1, code, after);
    }
    now.swap(next);
    if (now.empty()) return false;
    before = code;
    code = after;
  }
  return std::any_of(now.begin(), now.end(),
                     [&](int32_t at) { return code_[static_cast<size_t>(at)].op == Op::kMatch; });
}

}  // namespace tenon::ops
