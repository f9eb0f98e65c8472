// TreeEnsemble, TreeEnsembleClassifier and TreeEnsembleRegressor.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/ml/scores.h"
#include "ops/ml/tree_walk.h"

namespace tenon::ops {
namespace {

struct TreeState final : KernelState {
  Forest forest;
  TreeWalk<float> floats;  ///< the one that the type of the input needs is built
  TreeWalk<double> doubles;
  TreeAggregate how = TreeAggregate::kSum;
  PostTransform post = PostTransform::kNone;
  std::vector<double> base;
  Labels labels;
  bool one_score = false;  ///< two classes, weights for a single one
  bool all_positive = false;
};

/// Whether rows are read as double: float does not hold every value of the type.
bool reads_doubles(DType t) { return t == DType::kF64 || t == DType::kI64 || t == DType::kI32; }

void lay_out(TreeState& s, DType input) {
  if (reads_doubles(input)) s.doubles.build(s.forest, s.how);
  else s.floats.build(s.forest, s.how);
}

/// scores [rows, targets] of input 0 in double, in scratch.
Result<double*> raw_scores(KernelContext& c, const TreeState& s, int64_t rows, int64_t columns) {
  const Forest& f = s.forest;
  if (columns < f.features)
    return invalid(c.node().op, ": the input has ", columns, " features, the trees ask for ", f.features);
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(std::max<int64_t>(rows * f.targets, 1)) * sizeof(double)));
  double* scores = static_cast<double*>(p);
  if (reads_doubles(c.in(0).dtype)) {
    TENON_ASSIGN(const double* x, input_as<double>(c, 0));
    s.doubles.evaluate(f, x, rows, columns, scores, c.team());
  } else {
    TENON_ASSIGN(const float* x, input_as<float>(c, 0));
    s.floats.evaluate(f, x, rows, columns, scores, c.team());
  }
  return scores;
}

/// Base values and the transform; writes a row of results.
template <class T>
void finish_row(const TreeState& s, double* scores, T* out) {
  size_t n = static_cast<size_t>(s.forest.targets);
  for (size_t t = 0; t < n && t < s.base.size(); ++t) scores[t] += s.base[t];
  if (s.post == PostTransform::kNone) {
    for (size_t t = 0; t < n; ++t) out[t] = static_cast<T>(scores[t]);
    return;
  }
  SmallVector<float, 16> row(n);
  for (size_t t = 0; t < n; ++t) row[t] = static_cast<float>(scores[t]);
  transform_scores(s.post, std::span<float>(row.data(), n));
  for (size_t t = 0; t < n; ++t) out[t] = static_cast<T>(row[t]);
}

Status run_sum(KernelContext& c) {
  const auto& s = c.state<TreeState>();
  TENON_ASSIGN(auto size, rows_of(c.in(0), c.node().op));
  TENON_ASSIGN(double* scores, raw_scores(c, s, size.first, size.second));
  return with_float(c.out(0).dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    TENON_ASSIGN(auto to, OutputAs<T>::of(c, 0));
    for (int64_t r = 0; r < size.first; ++r)
      finish_row(s, scores + r * s.forest.targets, to.data() + r * s.forest.targets);
    to.finish();
    return {};
  });
}

Result<int64_t> target_count(const ir::Node& n) {
  int64_t t = n.int_or("n_targets", 1);
  if (t < 1 || t > (int64_t{1} << 31)) return invalid(n.op, ": n_targets is ", t);
  return t;
}

Status ensemble_shape(InferContext& c) {
  TENON_ASSIGN(int64_t targets, target_count(c.node()));
  c.set(0, c.node().op == "TreeEnsemble" ? c.dtype(0) : DType::kF32, {row_count(c, 0), Dim(targets)});
  return {};
}

Result<StatePtr> pack_ensemble(PackContext& c) {
  auto s = std::make_unique<TreeState>();
  const ir::Node& n = c.node();
  TENON_ASSIGN(s->forest, forest_of_ensemble(n));
  int64_t how = n.int_or("aggregate_function", 1), post = n.int_or("post_transform", 0);
  if (how < 0 || how > 3) return invalid("TreeEnsemble: aggregate_function ", how, " is outside of 0..3");
  if (post < 0 || post > 4) return invalid("TreeEnsemble: post_transform ", post, " is outside of 0..4");
  s->how = static_cast<TreeAggregate>(how);
  static constexpr PostTransform kPost[] = {PostTransform::kNone, PostTransform::kSoftmax, PostTransform::kLogistic,
                                            PostTransform::kSoftmaxZero, PostTransform::kProbit};
  s->post = kPost[post];
  lay_out(*s, c.in_type(0));
  return StatePtr(std::move(s));
}

Result<StatePtr> pack_regressor(PackContext& c) {
  auto s = std::make_unique<TreeState>();
  const ir::Node& n = c.node();
  TENON_ASSIGN(int64_t targets, target_count(n));
  TENON_ASSIGN(s->forest, forest_of_lists(n, "target", targets));
  TENON_ASSIGN(s->post, post_transform_of(n));
  s->base = real_list(n, "base_values");
  auto how = n.string_or("aggregate_function", "SUM");
  if (how == "SUM") s->how = TreeAggregate::kSum;
  else if (how == "AVERAGE") s->how = TreeAggregate::kAverage;
  else if (how == "MIN") s->how = TreeAggregate::kMin;
  else if (how == "MAX") s->how = TreeAggregate::kMax;
  else return invalid("TreeEnsembleRegressor: aggregate_function '", how, "' is none of SUM, AVERAGE, MIN, MAX");
  lay_out(*s, c.in_type(0));
  return StatePtr(std::move(s));
}

Labels class_labels(const ir::Node& n) { return labels_of(n, "classlabels_int64s", "classlabels_strings"); }

Status tree_classifier_shape(InferContext& c) {
  TENON_TRY(post_transform_of(c.node()).status());
  Labels labels = class_labels(c.node());
  if (labels.size() == 0) return invalid("TreeEnsembleClassifier: class labels are required");
  return classifier_shape(c, labels, labels.size() == 1 ? 2 : static_cast<int64_t>(labels.size()));
}

Result<StatePtr> pack_tree_classifier(PackContext& c) {
  auto s = std::make_unique<TreeState>();
  const ir::Node& n = c.node();
  s->labels = class_labels(n);
  TENON_ASSIGN(s->forest, forest_of_lists(n, "class", std::max<int64_t>(static_cast<int64_t>(s->labels.size()), 1)));
  TENON_ASSIGN(s->post, post_transform_of(n));
  s->base = real_list(n, "base_values");
  const auto& weights = s->forest.weights;
  s->all_positive = std::ranges::all_of(weights, [](auto& w) { return w.value >= 0; });
  s->one_score =
      s->labels.size() <= 2 && std::ranges::all_of(weights, [&](auto& w) { return w.target == weights[0].target; });
  lay_out(*s, c.in_type(0));
  return StatePtr(std::move(s));
}

Status run_tree_classifier(KernelContext& c) {
  const auto& s = c.state<TreeState>();
  TENON_ASSIGN(auto size, rows_of(c.in(0), c.node().op));
  int64_t rows = size.first, classes = s.forest.targets, columns = std::max<int64_t>(classes, 2);
  TENON_ASSIGN(double* scores, raw_scores(c, s, rows, size.second));
  size_t only = s.one_score && !s.forest.weights.empty() ? static_cast<size_t>(s.forest.weights[0].target) : 0;
  for (int64_t r = 0; r < rows; ++r) {
    double* row = scores + r * classes;
    float unused[2], *out = c.wants(1) ? c.out(1).as<float>() + r * columns : nullptr;
    if (!s.one_score) {
      for (size_t t = 0; t < static_cast<size_t>(classes) && t < s.base.size(); ++t) row[t] += s.base[t];
      s.labels.put(c, 0, r, static_cast<size_t>(std::max_element(row, row + classes) - row));
      for (int64_t t = 0; out && t < classes; ++t) out[t] = static_cast<float>(row[t]);
      if (out) transform_scores(s.post, std::span(out, static_cast<size_t>(classes)));
      continue;
    }
    // One score for two classes. Where all weights are positive it is a probability, else a margin around 0.
    if (!out) out = unused;
    double base = s.base.size() == 1 ? s.base[0] : only < s.base.size() ? s.base[only] : 0;
    float v = static_cast<float>(row[only] + base);
    bool positive = s.all_positive ? v > 0.5f : v > 0;
    s.labels.put(c, 0, r, positive ? 1 : 0);
    if (s.post == PostTransform::kProbit) {
      transform_scores(s.post, std::span(&v, 1));
      out[0] = out[1] = v;
    } else if (s.all_positive) {
      out[0] = 1 - v;
      out[1] = v;
    } else if (s.post == PostTransform::kLogistic) {
      out[0] = logistic(-v);
      out[1] = logistic(v);
    } else {
      out[0] = -v;
      out[1] = v;
    }
  }
  return {};
}

constexpr TypeSet kTreeFloats{DType::kF16, DType::kF32, DType::kF64};

Cases::Add stump(Cases& cases, std::string say) {
  return cases.add(std::move(say))
      .attr("nodes_treeids", std::vector<int64_t>{0, 0, 0})
      .attr("nodes_nodeids", std::vector<int64_t>{0, 1, 2})
      .attr("nodes_featureids", std::vector<int64_t>{1, 0, 0})
      .attr_floats("nodes_values", {2, 0, 0})
      .attr("nodes_truenodeids", std::vector<int64_t>{1, 0, 0})
      .attr("nodes_falsenodeids", std::vector<int64_t>{2, 0, 0});
}

}  // namespace

TENON_OP(tree_ensemble){
    .name = "TreeEnsemble",
    .domain = "ai.onnx.ml",
    .since = {5},
    .in = {port("X", kTreeFloats, "T")},
    .out = {port("Y", kTreeFloats, "T")},
    .attributes = {{"aggregate_function", 'i'},
                   {"leaf_targetids", 'I', true},
                   {"leaf_weights", 't', true},
                   {"membership_values", 't'},
                   {"n_targets", 'i'},
                   {"nodes_falseleafs", 'I', true},
                   {"nodes_falsenodeids", 'I', true},
                   {"nodes_featureids", 'I', true},
                   {"nodes_missing_value_tracks_true", 'I'},
                   {"nodes_modes", 't', true},
                   {"nodes_splits", 't', true},
                   {"nodes_trueleafs", 'I', true},
                   {"nodes_truenodeids", 'I', true},
                   {"post_transform", 'i'},
                   {"tree_roots", 'I', true}},
    .shape = ensemble_shape,
};
TENON_CPU(tree_ensemble){{{{.name = "walk", .pack = pack_ensemble, .run = run_sum}}}};
TENON_CASES(tree_ensemble) {
  cases.types(kTreeFloats);
  auto bytes = [](std::vector<uint8_t> v) { return Tensor::of(std::span<const uint8_t>(v)); };
  auto reals = [](std::vector<float> v) { return Tensor::of(std::span<const float>(v)); };
  auto add = [&](std::string say, int64_t circle) {
    auto c = cases.add(std::move(say))
                 .attr("leaf_targetids", std::vector<int64_t>{0, 1})
                 .attr("n_targets", 2)
                 .attr("nodes_falseleafs", std::vector<int64_t>{circle ? 0 : 1})
                 .attr("nodes_falsenodeids", std::vector<int64_t>{circle ? 0 : 1})
                 .attr("nodes_featureids", std::vector<int64_t>{0})
                 .attr("nodes_trueleafs", std::vector<int64_t>{1})
                 .attr("nodes_truenodeids", std::vector<int64_t>{0})
                 .attr("tree_roots", std::vector<int64_t>{0});
    return c.attr_tensor("leaf_weights", reals({5, 7}))
        .attr_tensor("nodes_splits", reals({1}))
        .attr_tensor("nodes_modes", bytes({0}));
  };
  add("a stump", 0).in(values({2, 1}, {1, 2})).out(values({2, 2}, {5, 0, 0, 7}));
  add("a circle", 1).in(typed(DType::kF32, values({1, 1}, {1}))).fails("form a circle");
}

TENON_OP(tree_ensemble_regressor){
    .name = "TreeEnsembleRegressor",
    .domain = "ai.onnx.ml",
    .since = {1, 3, 5},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kF32Only)},
    .attributes =
        {{"nodes_treeids", 'I'}, {"nodes_nodeids", 'I'}, {"nodes_modes", 'S'}, {"target_ids", 'I'}, {"n_targets", 'i'}},
    .shape = ensemble_shape,
};
TENON_CPU(tree_ensemble_regressor){{{{.name = "walk", .pack = pack_regressor, .run = run_sum}}}};
TENON_CASES(tree_ensemble_regressor) {
  cases.types(kMlNumbers);
  stump(cases, "a stump")
      .attr_texts("nodes_modes", {"BRANCH_LEQ", "LEAF", "LEAF"})
      .attr("target_treeids", std::vector<int64_t>{0, 0})
      .attr("target_nodeids", std::vector<int64_t>{1, 2})
      .attr("target_ids", std::vector<int64_t>{0, 0})
      .attr_floats("target_weights", {10, 20})
      .attr_floats("base_values", {0.5f})
      .in(values({2, 2}, {9, 2, 9, 3}))
      .out(typed(DType::kF32, values({2, 1}, {10.5, 20.5})));
  stump(cases, "too few features")
      .attr_texts("nodes_modes", {"BRANCH_LEQ", "LEAF", "LEAF"})
      .attr("target_treeids", std::vector<int64_t>{})
      .in(typed(DType::kF32, values({1, 1}, {1})))
      .fails("the trees ask for 2");
}

TENON_OP(tree_ensemble_classifier){
    .name = "TreeEnsembleClassifier",
    .domain = "ai.onnx.ml",
    .since = {1, 3, 5},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kMlLabels), port("Z", kF32Only)},
    .attributes = {{"nodes_treeids", 'I'},
                   {"nodes_nodeids", 'I'},
                   {"nodes_modes", 'S'},
                   {"class_ids", 'I'},
                   {"classlabels_int64s", 'I'},
                   {"classlabels_strings", 'S'}},
    .shape = tree_classifier_shape,
};
TENON_CPU(tree_ensemble_classifier){{{{.name = "walk", .pack = pack_tree_classifier, .run = run_tree_classifier}}}};
TENON_CASES(tree_ensemble_classifier) {
  cases.types(kMlNumbers);
  auto i = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kI64, values({n}, std::move(v)));
  };
  auto base = [&](std::string say) {
    return stump(cases, std::move(say))
        .attr_texts("nodes_modes", {"BRANCH_LT", "LEAF", "LEAF"})
        .attr("class_treeids", std::vector<int64_t>{0, 0})
        .attr("class_nodeids", std::vector<int64_t>{1, 2});
  };
  base("three classes")
      .attr("class_ids", std::vector<int64_t>{0, 2})
      .attr_floats("class_weights", {1, 1})
      .attr("classlabels_int64s", std::vector<int64_t>{4, 5, 6})
      .in(values({2, 2}, {0, 1, 0, 2}))
      .out(i({4, 6}))
      .out(typed(DType::kF32, values({2, 3}, {1, 0, 0, 0, 0, 1})));
  base("two classes, a margin")
      .attr("class_ids", std::vector<int64_t>{0, 0})
      .attr_floats("class_weights", {-1, 1})
      .attr("classlabels_int64s", std::vector<int64_t>{0, 1})
      .attr_s("post_transform", "LOGISTIC")
      .in(values({2, 2}, {0, 1, 0, 2}))
      .out(i({0, 1}))
      .out(typed(DType::kF32, values({2, 2}, {0.7310586, 0.2689414, 0.2689414, 0.7310586})));
  base("two classes, a probability")
      .attr("class_ids", std::vector<int64_t>{1, 1})
      .attr_floats("class_weights", {0.25f, 0.75f})
      .attr("classlabels_int64s", std::vector<int64_t>{0, 1})
      .in(values({2, 2}, {0, 1, 0, 2}))
      .out(i({0, 1}))
      .out(typed(DType::kF32, values({2, 2}, {0.75, 0.25, 0.25, 0.75})));
}

}  // namespace tenon::ops
