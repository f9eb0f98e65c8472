// StringConcat, StringSplit and StringNormalizer.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <set>

#include "kernels/move/select.h"
#include "opdef/cases.h"
#include "ops/operands.h"
#include "ops/text/letters.h"

namespace tenon::ops {
namespace {

Status run_string_concat(KernelContext& c) {
  const TensorRef &a = c.in(0), &b = c.in(1), &out = c.out(0);
  TENON_ASSIGN(Dims sa, kernels::broadcast_strides(a.shape(), out.shape()));
  TENON_ASSIGN(Dims sb, kernels::broadcast_strides(b.shape(), out.shape()));
  std::string joined;
  for (int64_t i = 0; i < out.count; ++i) {
    int64_t rest = i, pa = 0, pb = 0;
    for (size_t d = out.shape().size(); d-- > 0;) {
      int64_t at = rest % out.dims[d];
      rest /= out.dims[d];
      pa += at * sa[d];
      pb += at * sb[d];
    }
    joined.assign(a.as<StringRef>()[pa].view());
    joined.append(b.as<StringRef>()[pb].view());
    out.as<StringRef>()[i] = c.strings().add(joined);
  }
  return {};
}

Status string_split_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, DType::kString);
    c.set(1, DType::kI64);
    return {};
  }
  DimVector dims = c.shape(0);
  c.set(1, DType::kI64, dims);
  dims.push_back(Dim::unknown());
  c.set(0, DType::kString, std::move(dims));
  return {};
}

bool is_space(char ch) { return ch == ' ' || (ch >= '\t' && ch <= '\r'); }

/// At most `most` splits (negative: any number). Without a delimiter runs of white space part the words.
void split_text(std::string_view text, std::string_view delimiter, int64_t most, std::vector<std::string_view>& parts) {
  if (!delimiter.empty()) {
    for (size_t at; most != 0 && (at = text.find(delimiter)) != text.npos; --most) {
      parts.push_back(text.substr(0, at));
      text.remove_prefix(at + delimiter.size());
    }
    parts.push_back(text);
    return;
  }
  while (true) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    if (text.empty()) return;
    size_t end = 0;
    while (end < text.size() && !is_space(text[end])) ++end;
    if (most == 0) end = text.size();
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
    --most;
  }
}

Status run_string_split(KernelContext& c) {
  const TensorRef& x = c.in(0);
  std::string_view delimiter = c.node().string_or("delimiter", "");
  int64_t most = c.node().find("maxsplit") ? c.node().int_or("maxsplit", -1) : -1;
  std::vector<std::string_view> parts;
  std::vector<int64_t> counts;
  int64_t longest = 0;
  for (auto& s : x.items<StringRef>()) {
    size_t before = parts.size();
    split_text(s.view(), delimiter, most, parts);
    counts.push_back(static_cast<int64_t>(parts.size() - before));
    longest = std::max(longest, counts.back());
  }
  if (c.wants(1)) {
    TENON_TRY(c.allocate(1, x.shape()));
    std::copy(counts.begin(), counts.end(), c.out(1).as<int64_t>());
  }
  if (!c.wants(0)) return {};
  Dims dims(x.shape());
  dims.push_back(longest);
  TENON_TRY(c.allocate(0, dims));
  StringRef* out = c.out(0).as<StringRef>();
  size_t part = 0;
  for (int64_t n : counts) {
    for (int64_t k = 0; k < longest; ++k) *out++ = k < n ? c.strings().add(parts[part++]) : StringRef();
  }
  return {};
}

Status normalizer_shape(InferContext& c) {
  std::string_view action = c.node().string_or("case_change_action", "NONE");
  if (action != "NONE" && action != "LOWER" && action != "UPPER")
    return invalid("StringNormalizer: case_change_action '", action, "' is none of NONE, LOWER, UPPER");
  if (!c.has_shape(0)) {
    c.set(0, DType::kString);
    return {};
  }
  int rank = c.rank(0);
  if (rank != 1 && !(rank == 2 && !(c.shape(0)[0].is_const() && !c.shape(0)[0].is(1))))
    return invalid("StringNormalizer: the input ", ir::dims_text(c.shape(0)), " must be [count] or [1, count]");
  if (rank == 1) c.set(0, DType::kString, {Dim::unknown()});
  else c.set(0, DType::kString, {Dim(1), Dim::unknown()});
  return {};
}

Status run_normalizer(KernelContext& c) {
  const TensorRef& x = c.in(0);
  if (x.rank == 2 && x.dims[0] != 1)
    return invalid("StringNormalizer: the input ", x, " must be [count] or [1, count]");
  std::string_view action = c.node().string_or("case_change_action", "NONE");
  bool exact = c.node().int_or("is_case_sensitive", 0) != 0;
  std::set<std::string, std::less<>> stop;
  if (auto* words = c.node().get<std::vector<std::string>>("stopwords"))
    for (auto& w : *words) stop.insert(exact ? w : change_case(w, false));
  std::vector<std::string_view> kept;
  for (auto& s : x.items<StringRef>()) {
    bool stopped = !stop.empty() && (exact ? stop.count(s.view()) : stop.count(change_case(s.view(), false)));
    if (!stopped) kept.push_back(s.view());
  }
  if (kept.empty()) kept.push_back("");  // nothing left: one empty string
  Dims dims(x.shape());
  dims.back() = static_cast<int64_t>(kept.size());
  TENON_TRY(c.allocate(0, dims));
  StringRef* out = c.out(0).as<StringRef>();
  for (auto s : kept)
    *out++ = action == "NONE" ? c.strings().add(s) : c.strings().add(change_case(s, action == "UPPER"));
  return {};
}

}  // namespace

TENON_OP(string_concat){
    .name = "StringConcat",
    .since = {20},
    .in = {port("X", kStrings), port("Y", kStrings)},
    .out = {port("Z", kStrings)},
    .shape = broadcast_inputs,
};
TENON_CPU(string_concat){{{{.name = "plain", .run = run_string_concat}}}};
TENON_CASES(string_concat) {
  cases.add("pairs").in(texts({2}, {"a", "bc"})).in(texts({2}, {"1", ""})).out(texts({2}, {"a1", "bc"}));
  cases.add("broadcast")
      .in(texts({2, 1}, {"a", "b"}))
      .in(texts({2}, {"x", "y"}))
      .out(texts({2, 2}, {"ax", "ay", "bx", "by"}));
  cases.add("no fit").in(texts({2}, {"a", "b"})).in(texts({3}, {"a", "b", "c"})).fails("do not broadcast");
}

TENON_OP(string_split){
    .name = "StringSplit",
    .since = {20},
    .in = {port("X", kStrings)},
    .out = {port("Y", kStrings), port("Z", kI64Only)},
    .attributes = {{"delimiter", 's'}, {"maxsplit", 'i'}},
    .shape = string_split_shape,
    .trait = {.kernel_sizes_output = true},
};
TENON_CPU(string_split){{{{.name = "plain", .run = run_string_split}}}};
TENON_CASES(string_split) {
  auto n = [](std::vector<double> v) {
    int64_t k = static_cast<int64_t>(v.size());
    return typed(DType::kI64, values({k}, std::move(v)));
  };
  cases.add("delimiter")
      .in(texts({2}, {"a,b,,c", ""}))
      .attr_s("delimiter", ",")
      .out(texts({2, 4}, {"a", "b", "", "c", "", "", "", ""}))
      .out(n({4, 1}));
  cases.add("white space")
      .in(texts({2}, {" hello  world ", " "}))
      .out(texts({2, 2}, {"hello", "world", "", ""}))
      .out(n({2, 0}));
  cases.add("once").in(texts({1}, {"a b c"})).attr("maxsplit", 1).out(texts({1, 2}, {"a", "b c"})).out(n({2}));
}

TENON_OP(string_normalizer){
    .name = "StringNormalizer",
    .since = {10},
    .in = {port("X", kStrings)},
    .out = {port("Y", kStrings)},
    .attributes = {{"case_change_action", 's'}, {"is_case_sensitive", 'i'}, {"locale", 's'}, {"stopwords", 'S'}},
    .shape = normalizer_shape,
    .trait = {.kernel_sizes_output = true},
};
TENON_CPU(string_normalizer){{{{.name = "plain", .run = run_normalizer}}}};
TENON_CASES(string_normalizer) {
  cases.add("upper")
      .in(texts({2}, {"monday", "\xc3\xa9t\xc3\xa9"}))
      .attr_s("case_change_action", "UPPER")
      .out(texts({2}, {"MONDAY", "\xc3\x89T\xc3\x89"}));
  cases.add("lower, a row")
      .in(texts({1, 2}, {"ABC", "\xd0\x96"}))
      .attr_s("case_change_action", "LOWER")
      .out(texts({1, 2}, {"abc", "\xd0\xb6"}));
  cases.add("unknown action").in(texts({1}, {"a"})).attr_s("case_change_action", "TITLE").fails("'TITLE' is none of");
  cases.add("two rows").in(texts({2, 1}, {"a", "b"})).fails("must be [count] or [1, count]");
}

}  // namespace tenon::ops
