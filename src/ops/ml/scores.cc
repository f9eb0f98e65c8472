// Labels and score transforms.
// SPDX-License-Identifier: MIT
#include "ops/ml/scores.h"

#include <algorithm>
#include <cmath>

namespace tenon::ops {

Result<PostTransform> post_transform_of(const ir::Node& n) {
  auto t = n.string_or("post_transform", "NONE");
  if (t == "NONE") return PostTransform::kNone;
  if (t == "SOFTMAX") return PostTransform::kSoftmax;
  if (t == "LOGISTIC") return PostTransform::kLogistic;
  if (t == "SOFTMAX_ZERO") return PostTransform::kSoftmaxZero;
  if (t == "PROBIT") return PostTransform::kProbit;
  return invalid(n.op, ": post_transform '", t, "' is none of NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT");
}

float logistic(float x) {
  float v = 1 / (1 + std::exp(-std::fabs(x)));
  return x < 0 ? 1 - v : v;
}

namespace {
/// The inverse of the error function (Winitzki's approximation), as probit is commonly computed.
float inverse_erf(float x) {
  float sign = x < 0 ? -1.0f : 1.0f;
  x = (1 - x) * (1 + x);
  if (x <= 0) return sign * INFINITY;
  float log = std::log(x), v = 2 / (3.14159f * 0.147f) + 0.5f * log, v2 = 1 / 0.147f * log;
  return sign * std::sqrt(-v + std::sqrt(v * v - v2));
}
}  // namespace

void transform_scores(PostTransform t, std::span<float> s) {
  if (s.empty()) return;
  switch (t) {
    case PostTransform::kNone: return;
    case PostTransform::kLogistic:
      for (float& v : s) v = logistic(v);
      return;
    case PostTransform::kProbit:
      for (float& v : s) v = 1.41421356f * inverse_erf(2 * v - 1);
      return;
    case PostTransform::kSoftmax:
    case PostTransform::kSoftmaxZero: {
      bool zero = t == PostTransform::kSoftmaxZero;
      float largest = *std::max_element(s.begin(), s.end()), sum = 0;
      for (float& v : s) {
        // SOFTMAX_ZERO leaves scores at 0 where they are.
        if (!zero || std::fabs(v) > 1e-7f) sum += v = std::exp(v - largest);
        else v *= std::exp(-largest);
      }
      if (sum > 0)
        for (float& v : s) v /= sum;
      return;
    }
  }
}

void Labels::put(KernelContext& c, size_t output, int64_t i, size_t k) const {
  if (!c.wants(output)) return;
  if (text()) c.out(output).as<StringRef>()[i] = k < strings.size() ? c.strings().add(strings[k]) : StringRef();
  else c.out(output).as<int64_t>()[i] = k < ints.size() ? ints[k] : static_cast<int64_t>(k);
}

Labels labels_of(const ir::Node& n, std::string_view ints, std::string_view strings) {
  Labels l;
  auto i = n.ints(ints);
  l.ints.assign(i.begin(), i.end());
  auto s = text_list(n, strings);
  l.strings.assign(s.begin(), s.end());
  return l;
}

Dim row_count(const InferContext& c, size_t i) {
  if (!c.has_shape(i)) return Dim::unknown();
  return c.rank(i) == 1 ? Dim(1) : c.rank(i) == 0 ? Dim(1) : c.shape(i)[0];
}

Status classifier_shape(InferContext& c, const Labels& labels, int64_t columns) {
  if (c.has_shape(0) && (c.rank(0) < 1 || c.rank(0) > 2))
    return invalid(c.node().op, ": the input has rank ", c.rank(0), ", [features] or [rows, features] is needed");
  Dim rows = row_count(c, 0);
  c.set(0, labels.text() ? DType::kString : DType::kI64, {rows});
  c.set(1, DType::kF32, {rows, Dim(columns)});
  return {};
}

Result<std::pair<int64_t, int64_t>> rows_of(const TensorRef& x, std::string_view op) {
  if (x.rank == 1) return std::pair<int64_t, int64_t>(1, x.dims[0]);
  if (x.rank == 2) return std::pair<int64_t, int64_t>(x.dims[0], x.dims[1]);
  return invalid(op, ": the input has rank ", x.rank, ", [features] or [rows, features] is needed");
}

std::span<const float> float_list(const ir::Node& n, std::string_view name) {
  auto* v = n.get<std::vector<float>>(name);
  return v ? std::span<const float>(*v) : std::span<const float>();
}
std::span<const std::string> text_list(const ir::Node& n, std::string_view name) {
  auto* v = n.get<std::vector<std::string>>(name);
  return v ? std::span<const std::string>(*v) : std::span<const std::string>();
}

}  // namespace tenon::ops
