// SVMClassifier and SVMRegressor.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/ml/similarity.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/ml/scores.h"

namespace tenon::ops {
namespace {

enum class SvmKernel { kLinear, kPoly, kRbf, kSigmoid };

struct SvmLayout {
  int64_t vectors = 0, classes = 0, scores = 0, columns = 0;
};

struct SvmState final : KernelState {
  SvmKernel kernel = SvmKernel::kLinear;
  float gamma = 0, coef0 = 0, degree = 0;
  PostTransform post = PostTransform::kNone;
  std::vector<float> vectors, coefficients, rho, prob_a, prob_b;
  int64_t count = 0, features = 0;  ///< support vectors; 0: the coefficients are a linear function
  // Classifier.
  Labels labels;
  int64_t classes = 0;
  std::vector<int64_t> per_class, starts;
  bool all_positive = false;  ///< no coefficient is below 0
  SvmLayout layout;
  bool one_class = false;  ///< regressor

  // Rows of numbers to compare with, side by side: the support vectors or, without any, the linear functions.
  std::vector<float> packed;
  int64_t stride = 0;
  // Coefficients by vector: [count, classes - 1].
  std::vector<float> by_vector;

  void pack_rows(const std::vector<float>& rows, int64_t n) {
    stride = (n + kernels::kSimilarityTile - 1) / kernels::kSimilarityTile * kernels::kSimilarityTile;
    packed.resize(static_cast<size_t>(stride * features));
    kernels::transpose_vectors(rows.data(), n, features, stride, packed.data());
  }

  /// near[i] for i in [0, n): the kernel function of x and packed row i. `near` has room for `stride` numbers.
  void similarities(const float* x, int64_t n, double* near) const {
    kernels::similarity_sums(x, packed.data(), features, stride, kernel == SvmKernel::kRbf, near);
    const double g = static_cast<double>(gamma), c = static_cast<double>(coef0), e = static_cast<double>(degree);
    switch (kernel) {
      case SvmKernel::kLinear: return;
      case SvmKernel::kPoly:
        for (int64_t i = 0; i < n; ++i) near[i] = std::pow(g * near[i] + c, e);
        return;
      case SvmKernel::kRbf:
        for (int64_t i = 0; i < n; ++i) near[i] = std::exp(-g * near[i]);
        return;
      case SvmKernel::kSigmoid:
        for (int64_t i = 0; i < n; ++i) near[i] = std::tanh(g * near[i] + c);
        return;
    }
  }
};

Result<std::unique_ptr<SvmState>> svm_state(const ir::Node& n, int64_t count) {
  auto s = std::make_unique<SvmState>();
  auto k = n.string_or("kernel_type", "LINEAR");
  if (k == "LINEAR") s->kernel = SvmKernel::kLinear;
  else if (k == "POLY") s->kernel = SvmKernel::kPoly;
  else if (k == "RBF") s->kernel = SvmKernel::kRbf;
  else if (k == "SIGMOID") s->kernel = SvmKernel::kSigmoid;
  else return invalid(n.op, ": kernel_type '", k, "' is none of LINEAR, POLY, RBF, SIGMOID");
  auto p = float_list(n, "kernel_params");
  if (p.size() >= 3) s->gamma = p[0], s->coef0 = p[1], s->degree = p[2];
  TENON_ASSIGN(s->post, post_transform_of(n));
  auto copy = [&](std::vector<float>& to, std::string_view name) {
    auto v = float_list(n, name);
    to.assign(v.begin(), v.end());
  };
  copy(s->vectors, "support_vectors");
  copy(s->coefficients, "coefficients");
  copy(s->rho, "rho");
  copy(s->prob_a, "prob_a");
  copy(s->prob_b, "prob_b");
  s->count = count;
  if (count < 0 || (count > 0 && (s->vectors.empty() || static_cast<int64_t>(s->vectors.size()) % count)))
    return invalid(n.op, ": ", s->vectors.size(), " numbers do not make ", count, " support vectors");
  if (count) s->features = static_cast<int64_t>(s->vectors.size()) / count;
  if (s->coefficients.empty() || s->rho.empty()) return invalid(n.op, ": coefficients and rho are required");
  return s;
}

Labels class_labels(const ir::Node& n) { return labels_of(n, "classlabels_ints", "classlabels_strings"); }

/// Pairwise scores for support vectors without probabilities, otherwise one for each class; two for a single one.
Result<SvmLayout> layout_of(const ir::Node& n) {
  SvmLayout l;
  for (int64_t v : n.ints("vectors_per_class"))
    if (v < 0 || !checked_add(l.vectors, v, &l.vectors))
      return invalid("SVMClassifier: vectors_per_class ", list_text(n.ints("vectors_per_class")), " is out of range");
  l.classes = static_cast<int64_t>(class_labels(n).size());
  if (l.vectors && static_cast<size_t>(l.classes) != n.ints("vectors_per_class").size())
    return invalid("SVMClassifier: ", n.ints("vectors_per_class").size(), " counts of vectors for ", l.classes,
                   " classes");
  if (l.classes < 1 || l.classes > 30000) return invalid("SVMClassifier: ", l.classes, " classes");
  bool probabilities = !float_list(n, "prob_a").empty();
  l.scores = l.vectors && !probabilities ? l.classes * (l.classes - 1) / 2 : l.classes;
  if (l.scores < 1) return invalid("SVMClassifier: two classes are needed at least");
  l.columns = l.scores == 1 ? 2 : l.scores;
  return l;
}

Status svm_classifier_shape(InferContext& c) {
  TENON_ASSIGN(auto l, layout_of(c.node()));
  return classifier_shape(c, class_labels(c.node()), l.columns);
}

Result<StatePtr> pack_svm_classifier(PackContext& c) {
  const ir::Node& n = c.node();
  TENON_ASSIGN(auto l, layout_of(n));
  TENON_ASSIGN(auto s, svm_state(n, l.vectors));
  s->labels = class_labels(n);
  s->classes = l.classes;
  for (int64_t at = 0; int64_t v : n.ints("vectors_per_class")) {
    s->per_class.push_back(v);
    s->starts.push_back(at);
    at += v;
  }
  size_t pairs = static_cast<size_t>(l.classes * (l.classes - 1) / 2);
  if (l.vectors) {
    if (s->coefficients.size() < static_cast<size_t>((l.classes - 1) * l.vectors) || s->rho.size() < pairs)
      return invalid("SVMClassifier: ", s->coefficients.size(), " coefficients and ", s->rho.size(), " rho for ",
                     l.vectors, " vectors of ", l.classes, " classes");
    if (!s->prob_a.empty() && (s->prob_a.size() < pairs || s->prob_b.size() < pairs))
      return invalid("SVMClassifier: fewer than ", pairs, " prob_a or prob_b");
  } else {
    if (static_cast<int64_t>(s->coefficients.size()) % l.classes)
      return invalid("SVMClassifier: the coefficients are no multiple of ", l.classes, " classes");
    s->features = static_cast<int64_t>(s->coefficients.size()) / l.classes;
  }
  s->pack_rows(l.vectors ? s->vectors : s->coefficients, l.vectors ? l.vectors : l.classes);
  if (l.vectors) {
    s->by_vector.resize(static_cast<size_t>((l.classes - 1) * l.vectors));
    for (int64_t r = 0; r < l.classes - 1; ++r)
      for (int64_t v = 0; v < l.vectors; ++v)
        s->by_vector[static_cast<size_t>(v * (l.classes - 1) + r)] =
            s->coefficients[static_cast<size_t>(r * l.vectors + v)];
  }
  s->all_positive = std::ranges::all_of(s->coefficients, [](float v) { return v >= 0; });
  s->layout = l;
  std::vector<float>().swap(s->vectors);
  std::vector<float>().swap(s->coefficients);
  return StatePtr(std::move(s));
}

/// Probabilities of the classes from those of pairs: Wu, Lin and Weng, "Probability estimates for multi-class
/// classification by pairwise coupling" (2004), second method. r is [k, k].
void couple(int64_t k, const double* r, double* p, double* q, double* qp) {
  auto R = [&](int64_t i, int64_t j) { return r[i * k + j]; };
  for (int64_t t = 0; t < k; ++t) {
    p[t] = 1.0 / static_cast<double>(k);
    q[t * k + t] = 0;
    for (int64_t j = 0; j < k; ++j)
      if (j != t) {
        q[t * k + t] += R(j, t) * R(j, t);
        q[t * k + j] = -R(j, t) * R(t, j);
      }
  }
  const double small = 0.005 / static_cast<double>(k);
  for (int64_t round = 0; round < std::max<int64_t>(100, k); ++round) {
    double pqp = 0, worst = 0;
    for (int64_t t = 0; t < k; ++t) {
      qp[t] = 0;
      for (int64_t j = 0; j < k; ++j) qp[t] += q[t * k + j] * p[j];
      pqp += p[t] * qp[t];
    }
    for (int64_t t = 0; t < k; ++t) worst = std::max(worst, std::fabs(qp[t] - pqp));
    if (worst < small) return;
    for (int64_t t = 0; t < k; ++t) {
      double step = (pqp - qp[t]) / q[t * k + t];
      p[t] += step;
      pqp = (pqp + step * (step * q[t * k + t] + 2 * qp[t])) / (1 + step) / (1 + step);
      for (int64_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + step * q[t * k + j]) / (1 + step);
        p[j] /= 1 + step;
      }
    }
  }
}

/// decision [pairs] of classes i < j: rho + the vectors of i + the vectors of j, in this order. A vector takes part in
/// the pairs of its class with each other one; `sums` [classes] holds these.
void decisions(const SvmState& s, const double* near, double* sums, double* decision) {
  const int64_t k = s.classes;
  auto pair_of = [&](int64_t i, int64_t j) { return i * (2 * k - i - 1) / 2 + j - i - 1; };
  for (int64_t p = 0; p < k * (k - 1) / 2; ++p) decision[p] = static_cast<double>(s.rho[static_cast<size_t>(p)]);
  for (int64_t own = 0; own < k; ++own) {
    auto place = [&](int64_t r) { return r < own ? pair_of(r, own) : pair_of(own, r + 1); };
    for (int64_t r = 0; r < k - 1; ++r) sums[r] = decision[place(r)];
    const int64_t begin = s.starts[static_cast<size_t>(own)], end = begin + s.per_class[static_cast<size_t>(own)];
    for (int64_t v = begin; v < end; ++v) {
      const float* weights = s.by_vector.data() + v * (k - 1);
      for (int64_t r = 0; r < k - 1; ++r) sums[r] += static_cast<double>(weights[r]) * near[v];
    }
    for (int64_t r = 0; r < k - 1; ++r) decision[place(r)] = sums[r];
  }
}

Status run_svm_classifier(KernelContext& c) {
  const auto& s = c.state<SvmState>();
  TENON_ASSIGN(auto size, rows_of(c.in(0), "SVMClassifier"));
  auto [rows, features] = size;
  if (features != s.features)
    return invalid("SVMClassifier: the input has ", features, " features, the vectors ", s.features);
  TENON_ASSIGN(const float* x, input_as<float>(c, 0));
  const SvmLayout& layout = s.layout;
  int64_t k = s.classes, pairs = k * (k - 1) / 2, parts = s.stride + pairs + 4 * k + 2 * k * k;
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(rows * parts) * sizeof(double)));
  TENON_ASSIGN(void* winners, c.scratch(static_cast<size_t>(rows) * sizeof(int64_t)));
  int64_t* best = static_cast<int64_t*>(winners);
  bool probabilities = s.count && !s.prob_a.empty();
  c.team().parallel_for_cost(
      rows, static_cast<double>((s.count + 1) * (s.features + 20)) / 4, [&](int64_t begin, int64_t end) {
        for (int64_t row = begin; row < end; ++row) {
          const float* at = x + row * features;
          double *near = static_cast<double*>(scratch) + row * parts, *decision = near + s.stride,
                 *votes = decision + pairs;
          double *p = votes + k, *qp = p + k, *r = qp + k, *q = r + k * k, *sums = q + k * k;
          float* out = c.wants(1) ? c.out(1).as<float>() + row * layout.columns : nullptr;
          double top = 0;
          int64_t winner = 0;
          if (s.count) {
            s.similarities(at, s.count, near);
            decisions(s, near, sums, decision);
            std::fill_n(votes, k, 0.0);
            for (int64_t i = 0, pair = 0; i < k; ++i)
              for (int64_t j = i + 1; j < k; ++j, ++pair) votes[decision[pair] > 0 ? i : j] += 1;
            winner = std::max_element(votes, votes + k) - votes;
            if (probabilities) {
              for (int64_t i = 0, pair = 0; i < k; ++i)
                for (int64_t j = i + 1; j < k; ++j, ++pair) {
                  double z = decision[pair] * static_cast<double>(s.prob_a[static_cast<size_t>(pair)]) +
                             static_cast<double>(s.prob_b[static_cast<size_t>(pair)]);
                  double v = std::clamp(1 / (1 + std::exp(z)), 1e-7, 1 - 1e-7);
                  r[i * k + j] = v;
                  r[j * k + i] = 1 - v;
                }
              couple(k, r, p, q, qp);
            }
            top = probabilities ? p[winner] : decision[0];
          } else {
            s.similarities(at, k, near);
            for (int64_t i = 0; i < k; ++i) p[i] = near[i] + static_cast<double>(s.rho[0]);
            winner = std::max_element(p, p + k) - p;
            top = p[winner];
          }
          const double* scores = s.count && !probabilities ? decision : p;
          int add = -1;  // how a single score becomes two
          if (s.rho.size() == 1 && !probabilities && s.labels.size() == 2 && layout.scores == 1) {
            // A positive decision speaks for the first class, as libsvm counts votes.
            add = s.all_positive && s.post == PostTransform::kNone ? 0 : 1;
          }
          best[row] = winner;
          if (!out) continue;
          if (layout.scores == 1) {
            float v = static_cast<float>(top);
            if (add == 0) out[0] = 1 - v, out[1] = v;
            else if (s.post == PostTransform::kLogistic) out[0] = logistic(-v), out[1] = logistic(v);
            else out[0] = -v, out[1] = v;
          } else {
            for (int64_t i = 0; i < layout.scores; ++i) out[i] = static_cast<float>(scores[i]);
            transform_scores(s.post, std::span(out, static_cast<size_t>(layout.scores)));
          }
        }
      });
  for (int64_t row = 0; row < rows; ++row) s.labels.put(c, 0, row, static_cast<size_t>(best[row]));
  return {};
}

Status svm_regressor_shape(InferContext& c) {
  c.set(0, DType::kF32, {row_count(c, 0), Dim(1)});
  return {};
}
Result<StatePtr> pack_svm_regressor(PackContext& c) {
  TENON_ASSIGN(auto s, svm_state(c.node(), c.node().int_or("n_supports", 0)));
  s->one_class = c.node().int_or("one_class", 0) != 0;
  if (s->count == 0) s->features = static_cast<int64_t>(s->coefficients.size());
  else if (static_cast<int64_t>(s->coefficients.size()) != s->count)
    return invalid("SVMRegressor: ", s->coefficients.size(), " coefficients for ", s->count, " support vectors");
  s->pack_rows(s->count ? s->vectors : s->coefficients, s->count ? s->count : 1);
  std::vector<float>().swap(s->vectors);
  return StatePtr(std::move(s));
}
Status run_svm_regressor(KernelContext& c) {
  const auto& s = c.state<SvmState>();
  TENON_ASSIGN(auto size, rows_of(c.in(0), "SVMRegressor"));
  auto [rows, features] = size;
  if (features != s.features)
    return invalid("SVMRegressor: the input has ", features, " features, the vectors ", s.features);
  TENON_ASSIGN(const float* x, input_as<float>(c, 0));
  float* y = c.out(0).as<float>();
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(rows * s.stride) * sizeof(double)));
  c.team().parallel_for_cost(
      rows, static_cast<double>((s.count + 1) * (features + 20)) / 4, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          double sum = static_cast<double>(s.rho[0]), *near = static_cast<double*>(scratch) + r * s.stride;
          s.similarities(x + r * features, s.count ? s.count : 1, near);
          for (int64_t v = 0; v < s.count; ++v)
            sum += static_cast<double>(s.coefficients[static_cast<size_t>(v)]) * near[v];
          if (!s.count) sum += near[0];
          y[r] = static_cast<float>(sum);
          if (s.one_class) y[r] = sum > 0 ? 1.0f : -1.0f;
          else transform_scores(s.post, std::span(y + r, 1));
        }
      });
  return {};
}

}  // namespace

TENON_OP(svm_classifier){
    .name = "SVMClassifier",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kMlLabels), port("Z", kF32Only)},
    .attributes = {{"classlabels_ints", 'I'},
                   {"classlabels_strings", 'S'},
                   {"coefficients", 'F'},
                   {"kernel_params", 'F'},
                   {"kernel_type", 's'},
                   {"post_transform", 's'},
                   {"prob_a", 'F'},
                   {"prob_b", 'F'},
                   {"rho", 'F'},
                   {"support_vectors", 'F'},
                   {"vectors_per_class", 'I'}},
    .shape = svm_classifier_shape,
};
TENON_CPU(svm_classifier){{{{.name = "plain", .pack = pack_svm_classifier, .run = run_svm_classifier}}}};
TENON_CASES(svm_classifier) {
  cases.types(kMlNumbers);
  cases.add("two classes with probabilities")
      .in(values({2, 1}, {1, -1}))
      .attr("classlabels_ints", std::vector<int64_t>{3, 4})
      .attr("vectors_per_class", std::vector<int64_t>{1, 1})
      .attr_floats("support_vectors", {1, -1})
      .attr_floats("coefficients", {1, -1})
      .attr_floats("rho", {0})
      .attr_floats("prob_a", {-1})
      .attr_floats("prob_b", {0})
      .tolerance(2e-3)
      .out(typed(DType::kI64, values({2}, {3, 4})))
      .out(typed(DType::kF32, values({2, 2}, {0.880797, 0.119203, 0.119203, 0.880797})));
  cases.add("counts")
      .in(typed(DType::kF32, values({1, 1}, {1})))
      .attr("classlabels_ints", std::vector<int64_t>{3, 4})
      .attr("vectors_per_class", std::vector<int64_t>{1})
      .attr_floats("rho", {0})
      .fails("1 counts of vectors for 2 classes");
}

TENON_OP(svm_regressor){
    .name = "SVMRegressor",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kF32Only)},
    .attributes = {{"coefficients", 'F'},
                   {"kernel_params", 'F'},
                   {"kernel_type", 's'},
                   {"n_supports", 'i'},
                   {"one_class", 'i'},
                   {"post_transform", 's'},
                   {"rho", 'F'},
                   {"support_vectors", 'F'}},
    .shape = svm_regressor_shape,
};
TENON_CPU(svm_regressor){{{{.name = "plain", .pack = pack_svm_regressor, .run = run_svm_regressor}}}};
TENON_CASES(svm_regressor) {
  cases.types(kMlNumbers);
  cases.add("linear")
      .in(values({2, 2}, {1, 2, 3, 4}))
      .attr_floats("coefficients", {1, 10})
      .attr_floats("rho", {0.5f})
      .out(typed(DType::kF32, values({2, 1}, {21.5, 43.5})));
  cases.add("polynomial")
      .in(values({1, 1}, {3}))
      .attr_s("kernel_type", "POLY")
      .attr_floats("kernel_params", {1, 1, 2})
      .attr("n_supports", 1)
      .attr_floats("support_vectors", {1})
      .attr_floats("coefficients", {2})
      .attr_floats("rho", {-1})
      .out(typed(DType::kF32, values({1, 1}, {31})));
  cases.add("one class")
      .in(values({2, 1}, {3, -3}))
      .attr_floats("coefficients", {1})
      .attr_floats("rho", {0})
      .attr("one_class", 1)
      .out(typed(DType::kF32, values({2, 1}, {1, -1})));
}

}  // namespace tenon::ops
