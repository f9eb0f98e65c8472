// HannWindow, HammingWindow, BlackmanWindow, MelWeightMatrix: tables for spectra.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <numbers>

#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<DType> stated_type(const ir::Node& node) {
  int64_t v = node.int_or("output_datatype", 1);
  DType t = v > 0 && v < kDTypeCount ? static_cast<DType>(v) : DType::kUndefined;
  if (!kNumbers.has(t)) return invalid(node.op, ": output_datatype ", v, " is no number type");
  return t;
}

/// The single integer of input i as an expression; fails when it is known to be below `least`.
Result<Dim> size_operand(const InferContext& c, size_t i, int64_t least) {
  auto e = c.elements(i);
  if (!e) return Dim::unknown();
  if (e->size() != 1) return invalid(c.node().op, ": input ", i, " has ", e->size(), " values; it must be a scalar");
  Dim d = (*e)[0];
  if (d.is_const() && (d.value() < least || d.value() > kMaxSize))
    return invalid(c.node().op, ": input ", i, " is ", d);
  return d;
}

Status window_shape(InferContext& c) {
  TENON_ASSIGN(DType t, stated_type(c.node()));
  TENON_ASSIGN(Dim size, size_operand(c, 0, 0));
  c.set(0, t, {size});
  return {};
}

/// a - b cos(2 pi i / n) + d cos(4 pi i / n).
struct Cosines {
  double a, b, d;
};
constexpr Cosines kHann{0.5, 0.5, 0}, kHamming{25.0 / 46, 21.0 / 46, 0}, kBlackman{0.42, 0.5, 0.08};

double window_value(const Cosines& w, int64_t i, int64_t n) {
  if (n == 0) return 1;
  double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(n);
  return w.a - w.b * std::cos(angle) + w.d * std::cos(2 * angle);
}

template <const Cosines& w>
Status run_window(KernelContext& c) {
  const int64_t size = c.out(0).count, n = c.node().int_or("periodic", 1) ? size : size - 1;
  TENON_ASSIGN(auto out, OutputAs<double>::of(c, 0));
  for (int64_t i = 0; i < size; ++i) out.data()[i] = window_value(w, i, n);
  out.finish();
  return {};
}

template <const Cosines& w>
void window_cases(Cases& cases) {
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor y;
    int64_t size = static_cast<int64_t>(in[0].data[0]), n = c.attr("periodic", 1) ? size : size - 1;
    y.dims = {size};
    y.dtype = static_cast<DType>(c.attr("output_datatype", 1));
    for (int64_t i = 0; i < size; ++i) y.data.push_back(window_value(w, i, n));
    return std::vector<CaseTensor>{y};
  });
  auto scalar = [](double v) { return typed(DType::kI64, constant(values({}, {v}))); };
  cases.add("periodic").in(scalar(10));
  cases.add("symmetric").in(scalar(9)).attr("periodic", 0);
  cases.add("double").in(scalar(9)).attr("output_datatype", 11);
  cases.add("one").in(scalar(1)).attr("periodic", 0);
  cases.add("none").in(scalar(0));
  cases.add("negative").in(scalar(-1)).fails("input 0 is -1");
  cases.add("texts").in(scalar(3)).attr("output_datatype", 8).fails("no number type");
}

Status mel_shape(InferContext& c) {
  TENON_ASSIGN(DType t, stated_type(c.node()));
  TENON_ASSIGN(Dim bands, size_operand(c, 0, 0));
  TENON_ASSIGN(Dim length, size_operand(c, 1, 1));
  c.set(0, t, {floor_div(length, Dim(2)) + Dim(1), bands});
  return {};
}

/// Triangles between neighbouring edges that lie evenly on the mel scale, as ONNX's reference cuts them.
Status run_mel(KernelContext& c) {
  const TensorRef& y = c.out(0);
  const int64_t bins = y.dims[0], bands = y.dims[1];
  const double length = number_at(c.in(1)), rate = number_at(c.in(2)), low = number_at(c.in(3)),
               high = number_at(c.in(4));
  if (!(rate > 0) || !(low > -700) || !(high > -700))
    return invalid("MelWeightMatrix: the sample rate is ", rate, ", the edges are ", low, " and ", high);
  TENON_ASSIGN(auto out, OutputAs<double>::of(c, 0));
  std::fill(out.data(), out.data() + y.count, 0.0);
  auto mel = [](double f) { return 2595 * std::log10(1 + f / 700); };
  const double step = (mel(high) - mel(low)) / static_cast<double>(bands + 2);
  auto edge = [&](int64_t i) {
    double f = 700 * (std::pow(10, (static_cast<double>(i) * step + mel(low)) / 2595) - 1);
    double bin = std::floor((length + 1) * f / rate);
    return static_cast<int64_t>(std::clamp(bin, -1e15, 1e15));
  };
  for (int64_t i = 0; i < bands; ++i) {
    const int64_t lower = edge(i), center = edge(i + 1), higher = edge(i + 2);
    auto put = [&](int64_t j, double v) {
      if (j >= 0 && j < bins) out.data()[j * bands + i] = v;
    };
    if (center == lower) put(center, 1);
    else
      for (int64_t j = std::max<int64_t>(0, lower); j <= std::min(center, bins - 1); ++j)
        put(j, static_cast<double>(j - lower) / static_cast<double>(center - lower));
    for (int64_t j = std::max<int64_t>(0, center); j < std::min(higher, bins); ++j)
      put(j, static_cast<double>(higher - j) / static_cast<double>(higher - center));
  }
  out.finish();
  return {};
}

}  // namespace

TENON_OP(hann_window){
    .name = "HannWindow",
    .since = {17},
    .in = {port("size", kIndices)},
    .out = {port("output", kNumbers)},
    .attributes = {{"output_datatype", 'i'}, {"periodic", 'i'}},
    .shape = window_shape,
};
TENON_CPU(hann_window){{{{.name = "cosines", .run = run_window<kHann>}}}};
TENON_CASES(hann_window) { window_cases<kHann>(cases); }

TENON_OP(hamming_window){
    .name = "HammingWindow",
    .since = {17},
    .in = {port("size", kIndices)},
    .out = {port("output", kNumbers)},
    .attributes = {{"output_datatype", 'i'}, {"periodic", 'i'}},
    .shape = window_shape,
};
TENON_CPU(hamming_window){{{{.name = "cosines", .run = run_window<kHamming>}}}};
TENON_CASES(hamming_window) { window_cases<kHamming>(cases); }

TENON_OP(blackman_window){
    .name = "BlackmanWindow",
    .since = {17},
    .in = {port("size", kIndices)},
    .out = {port("output", kNumbers)},
    .attributes = {{"output_datatype", 'i'}, {"periodic", 'i'}},
    .shape = window_shape,
};
TENON_CPU(blackman_window){{{{.name = "cosines", .run = run_window<kBlackman>}}}};
TENON_CASES(blackman_window) { window_cases<kBlackman>(cases); }

TENON_OP(mel_weight_matrix){
    .name = "MelWeightMatrix",
    .since = {17},
    .in = {port("num_mel_bins", kIndices, "T1"), port("dft_length", kIndices, "T1"),
           port("sample_rate", kIndices, "T1"), port("lower_edge_hertz", kFloats, "T2"),
           port("upper_edge_hertz", kFloats, "T2")},
    .out = {port("output", kNumbers)},
    .attributes = {{"output_datatype", 'i'}},
    .shape = mel_shape,
};
TENON_CPU(mel_weight_matrix){{{{.name = "triangles", .run = run_mel}}}};
TENON_CASES(mel_weight_matrix) {
  auto whole = [](double v) { return typed(DType::kI32, constant(values({}, {v}))); };
  auto real = [](double v) { return typed(DType::kF32, values({}, {v})); };
  cases.add("the example of the specification")
      .in(whole(8))
      .in(whole(16))
      .in(whole(8192))
      .in(real(0))
      .in(real(4096))
      .out(typed(DType::kF32, values({9, 8}, {1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
                                              0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0,
                                              0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})));
  cases.add("no rate").in(whole(8)).in(whole(16)).in(whole(0)).in(real(0)).in(real(4096)).fails("the sample rate is 0");
}

}  // namespace tenon::ops
