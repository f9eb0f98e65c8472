// LinearClassifier and LinearRegressor.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/gemm/gemm.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/ml/scores.h"

namespace tenon::ops {
namespace {

struct LinearState final : KernelState {
  PostTransform post = PostTransform::kNone;
  Labels labels;
  int64_t outputs = 1, features = 0;
  std::vector<float> coefficients, intercepts;
};

Result<std::unique_ptr<LinearState>> linear_state(const ir::Node& n, int64_t outputs) {
  auto s = std::make_unique<LinearState>();
  TENON_ASSIGN(s->post, post_transform_of(n));
  auto c = float_list(n, "coefficients"), b = float_list(n, "intercepts");
  s->outputs = outputs;
  if (outputs < 1 || c.empty() || static_cast<int64_t>(c.size()) % outputs)
    return invalid(n.op, ": ", c.size(), " coefficients are no multiple of ", outputs, " outputs");
  if (!b.empty() && static_cast<int64_t>(b.size()) != outputs)
    return invalid(n.op, ": ", b.size(), " intercepts for ", outputs, " outputs");
  s->features = static_cast<int64_t>(c.size()) / outputs;
  s->coefficients.assign(c.begin(), c.end());
  s->intercepts.assign(b.begin(), b.end());
  return s;
}

/// y [rows, outputs] = x coefficients^T + intercepts.
Status scores_into(KernelContext& c, const LinearState& s, int64_t rows, int64_t features, float* y) {
  if (features != s.features)
    return invalid(c.node().op, ": the input has ", features, " features, the coefficients ", s.features);
  kernels::Gemm<float> g;
  TENON_ASSIGN(g.a, input_as<float>(c, 0));
  g.m = rows, g.n = s.outputs, g.k = features;
  g.lda = features;
  g.b = s.coefficients.data();
  g.ldb = features;
  g.trans_b = true;
  g.c = y;
  g.ldc = s.outputs;
  g.bias_col = s.intercepts.empty() ? nullptr : s.intercepts.data();
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_scratch_bytes(g, c.team().width()))));
  kernels::gemm(g, c.team(), scratch);
  return {};
}

/// A classifier has one output for each intercept, or for each label.
int64_t classifier_outputs(const ir::Node& n, const Labels& labels) {
  size_t b = float_list(n, "intercepts").size();
  return static_cast<int64_t>(b ? b : std::max<size_t>(labels.size(), 1));
}
Labels class_labels(const ir::Node& n) { return labels_of(n, "classlabels_ints", "classlabels_strings"); }
/// One score with two labels: the score of the other class is added.
bool adds_class(int64_t outputs, const Labels& labels) { return outputs == 1 && labels.size() == 2; }

Status linear_classifier_shape(InferContext& c) {
  TENON_TRY(post_transform_of(c.node()).status());
  Labels labels = class_labels(c.node());
  int64_t outputs = classifier_outputs(c.node(), labels);
  return classifier_shape(c, labels, adds_class(outputs, labels) ? 2 : outputs);
}

Result<StatePtr> pack_linear_classifier(PackContext& c) {
  Labels labels = class_labels(c.node());
  TENON_ASSIGN(auto s, linear_state(c.node(), classifier_outputs(c.node(), labels)));
  s->labels = std::move(labels);
  return StatePtr(std::move(s));
}

Status run_linear_classifier(KernelContext& c) {
  const auto& s = c.state<LinearState>();
  TENON_ASSIGN(auto size, rows_of(c.in(0), "LinearClassifier"));
  auto [rows, features] = size;
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(rows * s.outputs) * sizeof(float)));
  float* raw = static_cast<float*>(p);
  TENON_TRY(scores_into(c, s, rows, features, raw));
  bool add = adds_class(s.outputs, s.labels);
  int64_t columns = add ? 2 : s.outputs;
  for (int64_t r = 0; r < rows; ++r) {
    std::span<float> row(raw + r * s.outputs, static_cast<size_t>(s.outputs));
    size_t best = static_cast<size_t>(std::max_element(row.begin(), row.end()) - row.begin());
    if (s.outputs == 1) best = row[0] > 0 ? 1 : 0;
    s.labels.put(c, 0, r, best);
    if (!c.wants(1)) continue;
    float* out = c.out(1).as<float>() + r * columns;
    if (add) {
      bool curve = s.post == PostTransform::kLogistic;
      out[1] = curve ? logistic(row[0]) : row[0];
      out[0] = curve ? logistic(-row[0]) : 1 - row[0];
      if (!curve && s.post != PostTransform::kNone) transform_scores(s.post, std::span(out, 2));
    } else {
      std::copy(row.begin(), row.end(), out);
      transform_scores(s.post, std::span(out, row.size()));
    }
  }
  return {};
}

Status linear_regressor_shape(InferContext& c) {
  TENON_TRY(post_transform_of(c.node()).status());
  int64_t targets = c.attr("targets", 1);
  if (targets < 1 || targets > (int64_t{1} << 31)) return invalid("LinearRegressor: targets is ", targets);
  c.set(0, DType::kF32, {row_count(c, 0), Dim(targets)});
  return {};
}
Result<StatePtr> pack_linear_regressor(PackContext& c) {
  TENON_ASSIGN(auto s, linear_state(c.node(), c.node().int_or("targets", 1)));
  return StatePtr(std::move(s));
}
Status run_linear_regressor(KernelContext& c) {
  const auto& s = c.state<LinearState>();
  TENON_ASSIGN(auto size, rows_of(c.in(0), "LinearRegressor"));
  float* y = c.out(0).as<float>();
  TENON_TRY(scores_into(c, s, size.first, size.second, y));
  for (int64_t r = 0; r < size.first; ++r)
    transform_scores(s.post, std::span(y + r * s.outputs, static_cast<size_t>(s.outputs)));
  return {};
}

}  // namespace

TENON_OP(linear_classifier){
    .name = "LinearClassifier",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kMlLabels), port("Z", kF32Only)},
    .attributes = {{"classlabels_ints", 'I'},
                   {"classlabels_strings", 'S'},
                   {"coefficients", 'F', true},
                   {"intercepts", 'F'},
                   {"multi_class", 'i'},
                   {"post_transform", 's'}},
    .shape = linear_classifier_shape,
};
TENON_CPU(linear_classifier){{{{.name = "gemm", .pack = pack_linear_classifier, .run = run_linear_classifier}}}};
TENON_CASES(linear_classifier) {
  cases.types(kMlNumbers);
  auto i = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kI64, values({n}, std::move(v)));
  };
  cases.add("three classes")
      .in(values({2, 2}, {1, 0, 0, 2}))
      .attr_floats("coefficients", {1, 0, 0, 1, -1, -1})
      .attr_floats("intercepts", {0, 0, 0.5f})
      .attr("classlabels_ints", std::vector<int64_t>{4, 5, 6})
      .out(i({4, 5}))
      .out(typed(DType::kF32, values({2, 3}, {1, 0, -0.5, 0, 2, -1.5})));
  cases.add("two by one score")
      .in(values({1, 1}, {2}))
      .attr_floats("coefficients", {0.5f})
      .attr_floats("intercepts", {-1})
      .attr_s("post_transform", "LOGISTIC")
      .attr("classlabels_ints", std::vector<int64_t>{7, 8})
      .out(i({7}))
      .out(typed(DType::kF32, values({1, 2}, {0.5, 0.5})));
}

TENON_OP(linear_regressor){
    .name = "LinearRegressor",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kF32Only)},
    .attributes = {{"coefficients", 'F'}, {"intercepts", 'F'}, {"post_transform", 's'}, {"targets", 'i'}},
    .shape = linear_regressor_shape,
};
TENON_CPU(linear_regressor){{{{.name = "gemm", .pack = pack_linear_regressor, .run = run_linear_regressor}}}};
TENON_CASES(linear_regressor) {
  cases.types(kMlNumbers);
  cases.add("two targets")
      .in(values({2, 2}, {1, 2, 3, 4}))
      .attr_floats("coefficients", {1, 1, 2, -1})
      .attr_floats("intercepts", {0.5f, 0})
      .attr("targets", 2)
      .out(typed(DType::kF32, values({2, 2}, {3.5, 0, 7.5, 2})));
  cases.add("one row")
      .in(values({2}, {1, 2}))
      .attr_floats("coefficients", {3, 1})
      .out(typed(DType::kF32, values({1, 1}, {5})));
  cases.add("features")
      .in(typed(DType::kF32, values({1, 3}, {1, 2, 3})))
      .attr_floats("coefficients", {3, 1})
      .fails("has 3 features, the coefficients 2");
}

}  // namespace tenon::ops
