// TfIdfVectorizer: counts of n-grams (with skips) of each row, weighted.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

enum class Mode { kTf, kIdf, kTfIdf };

/// The n-grams of the pool as a tree: from the root by one item at a time. Items are numbers of the pool's entries.
struct NgramTree {
  std::vector<std::map<int64_t, int32_t>> next{1};  ///< node, item -> node
  std::vector<int32_t> output{-1};                  ///< node -> output coordinate, -1: no n-gram ends here
};

struct TfIdfState final : KernelState {
  Mode mode = Mode::kTf;
  int64_t shortest = 1, longest = 1, skips = 0, width = 0;
  std::vector<std::pair<int64_t, float>> weights;  ///< of each output coordinate that an n-gram has
  NgramTree tree;
  std::map<std::string, int64_t, std::less<>> words;  ///< string pools: number of each word
};

Result<int64_t> output_width(const ir::Node& n) {
  int64_t width = 0;
  for (int64_t i : n.ints("ngram_indexes")) {
    if (i < 0 || i >= (int64_t{1} << 31)) return invalid("TfIdfVectorizer: ngram index ", i, " is out of range");
    width = std::max(width, i + 1);
  }
  return width;
}

Status tfidf_shape(InferContext& c) {
  TENON_ASSIGN(int64_t width, output_width(c.node()));
  if (!c.has_shape(0)) {
    c.set(0, DType::kF32);
    return {};
  }
  if (c.rank(0) != 1 && c.rank(0) != 2)
    return invalid("TfIdfVectorizer: the input has rank ", c.rank(0), ", [count] or [batch, count] is needed");
  if (c.rank(0) == 1) c.set(0, DType::kF32, {Dim(width)});
  else c.set(0, DType::kF32, {c.shape(0)[0], Dim(width)});
  return {};
}

Result<StatePtr> pack_tfidf(PackContext& c) {
  auto s = std::make_unique<TfIdfState>();
  const ir::Node& n = c.node();
  std::string_view mode = n.string_or("mode", "");
  if (mode == "TF") s->mode = Mode::kTf;
  else if (mode == "IDF") s->mode = Mode::kIdf;
  else if (mode == "TFIDF") s->mode = Mode::kTfIdf;
  else return invalid("TfIdfVectorizer: mode '", mode, "' is none of TF, IDF, TFIDF");
  s->shortest = n.int_or("min_gram_length", 1);
  s->longest = n.int_or("max_gram_length", 1);
  s->skips = n.int_or("max_skip_count", 0);
  if (s->shortest < 1 || s->longest < s->shortest || s->skips < 0)
    return invalid("TfIdfVectorizer: gram lengths ", s->shortest, " to ", s->longest, " with ", s->skips,
                   " skips make no sense");
  TENON_ASSIGN(s->width, output_width(n));
  auto starts = n.ints("ngram_counts"), outputs = n.ints("ngram_indexes");
  auto* strings = n.get<std::vector<std::string>>("pool_strings");
  auto numbers = n.ints("pool_int64s");
  if ((strings != nullptr) == (n.find("pool_int64s") != nullptr))
    return invalid("TfIdfVectorizer: one of pool_strings and pool_int64s is required");
  int64_t size = strings ? static_cast<int64_t>(strings->size()) : static_cast<int64_t>(numbers.size());
  if (auto* w = n.get<std::vector<float>>("weights")) {
    if (w->size() != outputs.size())
      return invalid("TfIdfVectorizer: ", w->size(), " weights for ", outputs.size(), " n-grams");
  }
  auto* given = n.get<std::vector<float>>("weights");
  std::map<int64_t, float> by_output;
  for (size_t i = 0; i < outputs.size(); ++i) by_output[outputs[i]] = given ? (*given)[i] : 1;
  s->weights.assign(by_output.begin(), by_output.end());
  size_t gram = 0;
  for (size_t k = 0; k < starts.size(); ++k) {
    int64_t begin = starts[k], end = k + 1 < starts.size() ? starts[k + 1] : size, length = static_cast<int64_t>(k) + 1;
    if (begin < 0 || end < begin || end > size || (end - begin) % length != 0)
      return invalid("TfIdfVectorizer: ngram_counts ", list_text(starts), " do not divide a pool of ", size, " items");
    for (int64_t at = begin; at < end; at += length, ++gram) {
      if (gram >= outputs.size()) return invalid("TfIdfVectorizer: fewer ngram_indexes than n-grams");
      int32_t node = 0;
      for (int64_t i = at; i < at + length; ++i) {
        int64_t item =
            strings ? s->words.try_emplace((*strings)[static_cast<size_t>(i)], static_cast<int64_t>(s->words.size()))
                          .first->second
                    : numbers[static_cast<size_t>(i)];
        auto [it, fresh] =
            s->tree.next[static_cast<size_t>(node)].try_emplace(item, static_cast<int32_t>(s->tree.next.size()));
        node = it->second;
        if (fresh) {
          s->tree.next.emplace_back();
          s->tree.output.push_back(-1);
        }
      }
      s->tree.output[static_cast<size_t>(node)] = static_cast<int32_t>(outputs[gram]);
    }
  }
  return StatePtr(std::move(s));
}

void count_row(const TfIdfState& s, const int64_t* items, int64_t n, float* out) {
  auto walk = [&](int64_t start, int64_t step) {
    int32_t node = 0;
    int64_t length = 0;
    for (int64_t i = start; i < n && length < s.longest; i += step) {
      auto& next = s.tree.next[static_cast<size_t>(node)];
      auto it = next.find(items[i]);
      if (it == next.end()) return;
      node = it->second;
      int32_t at = s.tree.output[static_cast<size_t>(node)];
      if (++length >= s.shortest && at >= 0) out[at] += 1;
    }
  };
  // Single items have no distance between them: they count once, whatever the skips.
  for (int64_t skip = 0; skip <= s.skips; ++skip) {
    if (skip > 0 && (s.longest == 1 || skip + 1 >= n)) break;
    for (int64_t start = 0; start < n; ++start) {
      if (skip == 0) {
        walk(start, 1);
        continue;
      }
      // Only the n-grams of two and more items, so without the first node's own output.
      auto it = s.tree.next[0].find(items[start]);
      if (it == s.tree.next[0].end()) continue;
      int32_t first = s.tree.output[static_cast<size_t>(it->second)];
      walk(start, skip + 1);
      if (s.shortest <= 1 && first >= 0) out[first] -= 1;
    }
  }
  if (s.mode == Mode::kTf) return;
  for (auto [at, weight] : s.weights) out[at] = s.mode == Mode::kIdf ? (out[at] > 0 ? weight : 0) : out[at] * weight;
}

Status run_tfidf(KernelContext& c) {
  const auto& s = c.state<TfIdfState>();
  const TensorRef& x = c.in(0);
  if ((x.dtype == DType::kString) != !s.words.empty() && x.count && s.width)
    return invalid("TfIdfVectorizer: the input ", x, " and the pool are of different kinds");
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(x.count) * sizeof(int64_t)));
  int64_t* items = static_cast<int64_t*>(scratch);
  for (int64_t i = 0; i < x.count; ++i) {
    if (x.dtype == DType::kString) {
      auto it = s.words.find(x.as<StringRef>()[i].view());
      items[i] = it == s.words.end() ? -1 : it->second;
    } else {
      items[i] = x.dtype == DType::kI64 ? x.as<int64_t>()[i] : x.as<int32_t>()[i];
    }
  }
  int64_t rows = x.rank == 2 ? x.dims[0] : 1, n = x.rank == 2 ? x.dims[1] : x.count;
  float* out = c.out(0).as<float>();
  std::fill_n(out, c.out(0).count, 0.0f);
  c.team().parallel_for(rows, 16, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) count_row(s, items + r * n, n, out + r * s.width);
  });
  return {};
}

}  // namespace

TENON_OP(tfidf_vectorizer){
    .name = "TfIdfVectorizer",
    .since = {9},
    .in = {port("X", kStrings | kIndices)},
    .out = {port("Y", TypeSet{DType::kF32})},
    .attributes = {{"max_gram_length", 'i', true},
                   {"max_skip_count", 'i', true},
                   {"min_gram_length", 'i', true},
                   {"mode", 's', true},
                   {"ngram_counts", 'I', true},
                   {"ngram_indexes", 'I', true},
                   {"pool_int64s", 'I'},
                   {"pool_strings", 'S'},
                   {"weights", 'F'}},
    .shape = tfidf_shape,
};
TENON_CPU(tfidf_vectorizer){{{{.name = "tree", .pack = pack_tfidf, .run = run_tfidf}}}};
TENON_CASES(tfidf_vectorizer) {
  cases.types(kIndices);
  using I = std::vector<int64_t>;
  auto base = [&](std::string say, int64_t skip, int64_t low, int64_t high) {
    return cases.add(std::move(say))
        .attr_s("mode", "TF")
        .attr("max_skip_count", skip)
        .attr("min_gram_length", low)
        .attr("max_gram_length", high)
        .attr("ngram_counts", I{0, 4})
        .attr("ngram_indexes", I{0, 1, 2, 3, 4, 5, 6})
        .attr("pool_int64s", I{2, 3, 5, 4, 5, 6, 7, 8, 6, 7});
  };
  CaseTensor x = values({12}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8});
  auto f = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kF32, values({n}, std::move(v)));
  };
  base("pairs", 0, 2, 2).in(x).out(f({0, 0, 0, 0, 1, 1, 1}));
  base("singles and pairs", 0, 1, 2).in(x).out(f({0, 3, 1, 0, 1, 1, 1}));
  base("pairs with skips", 5, 2, 2).in(x).out(f({0, 0, 0, 0, 1, 3, 1}));
  base("a batch", 0, 2, 2)
      .in(values({2, 2}, {5, 6, 7, 8}))
      .out(typed(DType::kF32, values({2, 7}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0})));
}

}  // namespace tenon::ops
