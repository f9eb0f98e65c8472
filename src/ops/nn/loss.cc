// NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/norm/norm.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

Status loss_shape(InferContext& c) {
  std::string_view reduction = c.node().string_or("reduction", "mean");
  if (reduction != "none" && reduction != "sum" && reduction != "mean")
    return invalid(c.node().op, ": reduction is '", reduction, "'; it must be none, sum or mean");
  if (c.has_shape(0) && c.has_shape(1)) {
    const DimVector &x = c.shape(0), &labels = c.shape(1);
    bool fits = x.size() >= 2 && labels.size() + 1 == x.size();
    for (size_t i = 0; fits && i < labels.size(); ++i) {
      Dim want = x[i == 0 ? 0 : i + 1];
      fits = !labels[i].is_const() || !want.is_const() || labels[i].value() == want.value();
    }
    if (!fits) return invalid(c.node().op, ": labels ", ir::dims_text(labels), " do not fit scores ", ir::dims_text(x));
  }
  if (c.has_shape(0) && c.has_shape(2) && c.rank(0) >= 2) {
    auto n = c.count(2);
    Dim classes = c.shape(0)[1];
    if (n && classes.is_const() && *n != classes.value())
      return invalid(c.node().op, ": ", *n, " weights for ", classes, " classes");
  }
  if (reduction != "none") c.set(0, c.dtype(0), {});
  else if (c.has_shape(1)) c.set(0, c.dtype(0), c.shape(1));
  else c.set(0, c.dtype(0));
  c.copy(1, 0);
  return {};
}

/// The losses of log probabilities [batch, classes, inner]; the result goes to output 0.
template <class T>
Status negative_log(KernelContext& c, const T* log_prob) {
  const TensorRef &x = c.in(0), &labels = c.in(1);
  const int64_t classes = x.dims[1], inner = product(x.shape(), 2, x.shape().size());
  auto* ignored = c.node().get<int64_t>("ignore_index");
  std::string_view reduction = c.node().string_or("reduction", "mean");
  TENON_ASSIGN(const T* weights, input_as<T>(c, 2));
  TENON_ASSIGN(auto out, OutputAs<T>::of(c, 0));
  double sum = 0, total = 0;
  for (int64_t i = 0; i < labels.count; ++i) {
    const int64_t label = labels.dtype == DType::kI64 ? labels.as<int64_t>()[i] : labels.as<int32_t>()[i];
    double loss = 0;
    if (!ignored || label != *ignored) {
      if (label < 0 || label >= classes)
        return invalid(c.node().op, ": label ", label, " is outside of ", classes, " classes");
      const double weight = weights ? static_cast<double>(weights[label]) : 1.0;
      loss = -weight * static_cast<double>(log_prob[(i / inner * classes + label) * inner + i % inner]);
      total += weight;
    }
    sum += loss;
    if (reduction == "none") out.data()[i] = static_cast<T>(loss);
  }
  if (reduction == "sum") out.data()[0] = static_cast<T>(sum);
  if (reduction == "mean") out.data()[0] = static_cast<T>(sum / total);
  out.finish();
  return {};
}

Status run_nll(KernelContext& c) {
  return with_float(c.in(0).dtype, [&]<class T>(T) -> Status {
    TENON_ASSIGN(const T* x, input_as<T>(c, 0));
    return negative_log(c, x);
  });
}
Status run_cross_entropy(KernelContext& c) {
  return with_float(c.in(0).dtype, [&]<class T>(T) -> Status {
    const TensorRef& x = c.in(0);
    TENON_ASSIGN(const T* scores, input_as<T>(c, 0));
    TENON_ASSIGN(auto log_prob, OutputAs<T>::of(c, 1));
    T* data = log_prob.data();
    if (!data) {
      TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(x.count) * sizeof(T)));
      data = static_cast<T*>(p);
    }
    TENON_TRY(softmax(Softmax::kLogSoftmax, dtype_of<T>, scores, data, axis_view(x.shape(), 1), c.team()));
    TENON_TRY(negative_log(c, static_cast<const T*>(data)));
    log_prob.finish();
    return {};
  });
}

/// Reference over log probabilities.
CaseTensor nll_reference(const Case& c, const CaseTensor& x, const CaseTensor& labels, const CaseTensor* weights) {
  std::string reduction = c.attr_s("reduction", "mean");
  int64_t classes = x.dims[1], inner = product(x.dims, 2, x.dims.size()), ignored = c.attr("ignore_index", -12345);
  CaseTensor out;
  double sum = 0, total = 0;
  for (size_t i = 0; i < labels.data.size(); ++i) {
    int64_t k = static_cast<int64_t>(labels.data[i]), at = static_cast<int64_t>(i);
    double w = k == ignored ? 0 : weights ? weights->data[static_cast<size_t>(k)] : 1;
    double loss = k == ignored ? 0 : -w * x.data[static_cast<size_t>((at / inner * classes + k) * inner + at % inner)];
    sum += loss;
    total += w;
    if (reduction == "none") out.data.push_back(loss);
  }
  if (reduction == "none") out.dims = labels.dims;
  else out.data.push_back(reduction == "sum" ? sum : sum / total);
  return out;
}

void add_loss_cases(Cases& cases) {
  for (auto reduction : {"mean", "sum", "none"}) {
    auto labels = typed(DType::kI64, values({3}, {1, 0, 4}));
    auto plane = typed(DType::kI32, values({2, 3}, {1, 0, 2, 3, -1, 1}));
    cases.add("classes").in(range({3, 5}, -2, 0)).in(labels).attr_s("reduction", reduction);
    cases.add("weights").in(range({3, 5}, -2, 0)).in(labels).in(range({5}, 0.5, 2)).attr_s("reduction", reduction);
    cases.add("ignored")
        .in(range({2, 4, 3}, -2, 0))
        .in(plane)
        .in(range({4}, 0.5, 2))
        .attr_s("reduction", reduction)
        .attr("ignore_index", -1);
  }
  auto f32 = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("label out of range")
      .in(f32(range({1, 5}, -2, 0)))
      .in(typed(DType::kI64, values({1}, {5})))
      .fails("outside of 5 classes");
  cases.add("labels do not fit")
      .in(f32(range({2, 5}, -2, 0)))
      .in(typed(DType::kI64, values({3}, {1, 1, 1})))
      .fails("do not fit");
}

}  // namespace

TENON_OP(negative_log_likelihood_loss){
    .name = "NegativeLogLikelihoodLoss",
    .since = {12, 13, 22},
    .in = {port("input", kFloats, "T"), port("target", kIndices), optional(port("weight", kFloats, "T"))},
    .out = {port("loss", kFloats, "T")},
    .attributes = {{"ignore_index", 'i'}, {"reduction", 's'}},
    .shape = loss_shape,
};
TENON_CPU(negative_log_likelihood_loss){{{{.name = "plain", .run = run_nll}}}};
TENON_CASES(negative_log_likelihood_loss) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    return std::vector<CaseTensor>{nll_reference(c, in[0], in[1], in.size() > 2 ? &in[2] : nullptr)};
  });
  add_loss_cases(cases);
}

TENON_OP(softmax_cross_entropy_loss){
    .name = "SoftmaxCrossEntropyLoss",
    .since = {12, 13},
    .in = {port("scores", kFloats, "T"), port("labels", kIndices), optional(port("weights", kFloats, "T"))},
    .out = {port("output", kFloats, "T"), optional(port("log_prob", kFloats, "T"))},
    .attributes = {{"ignore_index", 'i'}, {"reduction", 's'}},
    .shape = loss_shape,
};
TENON_CPU(softmax_cross_entropy_loss){{{{.name = "plain", .run = run_cross_entropy}}}};
TENON_CASES(softmax_cross_entropy_loss) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor log_prob = in[0];
    log_prob.dtype = DType::kUndefined;
    int64_t classes = in[0].dims[1], inner = product(in[0].dims, 2, in[0].dims.size());
    for (int64_t row = 0; row < in[0].dims[0] * inner; ++row) {
      double sum = 0;
      auto at = [&](int64_t k) -> double& {
        return log_prob.data[static_cast<size_t>((row / inner * classes + k) * inner + row % inner)];
      };
      for (int64_t k = 0; k < classes; ++k) sum += std::exp(at(k));
      for (int64_t k = 0; k < classes; ++k) at(k) -= std::log(sum);
    }
    return std::vector<CaseTensor>{nll_reference(c, log_prob, in[1], in.size() > 2 ? &in[2] : nullptr), log_prob};
  });
  add_loss_cases(cases);
}

}  // namespace tenon::ops
