// RegexFullMatch: whether each string as a whole matches a pattern of RE2 syntax.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"
#include "ops/text/regex.h"

namespace tenon::ops {
using namespace opdef;
namespace {

struct RegexState final : KernelState {
  Regex regex;
};

Result<Regex> regex_of(const ir::Node& n) {
  auto r = Regex::compile(n.string_or("pattern", ""));
  if (!r.ok()) return invalid("RegexFullMatch: pattern '", n.string_or("pattern", ""), "': ", r.status().message());
  return r;
}

Status regex_shape(InferContext& c) {
  if (c.has_shape(0)) c.set(0, DType::kBool, c.shape(0));
  else c.set(0, DType::kBool);
  return {};
}

Result<StatePtr> pack_regex(PackContext& c) {
  auto s = std::make_unique<RegexState>();
  TENON_ASSIGN(s->regex, regex_of(c.node()));
  return StatePtr(std::move(s));
}

Status run_regex(KernelContext& c) {
  const TensorRef& x = c.in(0);
  const Regex& regex = c.state<RegexState>().regex;
  uint8_t* out = c.out(0).as<uint8_t>();
  c.team().parallel_for(x.count, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) out[i] = regex.full_match(x.as<StringRef>()[i].view()) ? 1 : 0;
  });
  return {};
}

}  // namespace

TENON_OP(regex_full_match){
    .name = "RegexFullMatch",
    .since = {20},
    .in = {port("X", kStrings)},
    .out = {port("Y", kBools)},
    .attributes = {{"pattern", 's'}},
    .shape = regex_shape,
};
TENON_CPU(regex_full_match){{{{.name = "automaton", .pack = pack_regex, .run = run_regex}}}};
TENON_CASES(regex_full_match) {
  auto b = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kBool, values({n}, std::move(v)));
  };
  auto check = [&](std::string_view pattern, std::vector<std::string> in, std::vector<double> out) {
    int64_t n = static_cast<int64_t>(in.size());
    cases.add(std::string(pattern)).attr_s("pattern", pattern).in(texts({n}, std::move(in))).out(b(std::move(out)));
  };
  check("www\\.[\\w.-]+\\.\\bcom\\b", {"www.google.com", "www.facebook.com", "www.bbc.co.uk"}, {1, 1, 0});
  check("(\\W|^)[\\w.\\-]{0,25}@(yahoo|gmail)\\.com(\\W|$)", {"account@gmail.com", "account@hotmail.com", "not email"},
        {1, 0, 0});
  check("a|bc|d*", {"a", "bc", "", "ddd", "b", "ad"}, {1, 1, 1, 1, 0, 0});
  check("(ab?){2,3}", {"abab", "aaa", "a", "ababab", "abababab"}, {1, 1, 0, 1, 0});
  check(
      "(?i)stra\xc3\x9f"
      "e[^x]",
      {"STRA\xc3\x9f"
       "E!",
       "strasse!",
       "Stra\xc3\x9f"
       "ex",
       "stra\xc3\x9f"
       "eX"},
      {1, 0, 0, 0});
  check(".", {"\xe2\x82\xac", "\n", "ab"}, {1, 0, 0});
  check("[]a-]+", {"]a-", "b"}, {1, 0});
  check("(a*)*b", {"aaaaaaaaaaaaaaaaaaaaaaaaaaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac"}, {1, 0});
  cases.add("no end").attr_s("pattern", "(a").in(texts({1}, {"a"})).fails("a group has no end");
  cases.add("look-ahead").attr_s("pattern", "(?=a)").in(texts({1}, {"a"})).fails("not supported");
}

}  // namespace tenon::ops
