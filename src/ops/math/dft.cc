// DFT and STFT: discrete Fourier transforms along an axis, and of the windows of a signal.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/math/fourier.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// No transform is longer: tables stay addressable.
constexpr int64_t kLongest = int64_t{1} << 40;

struct Sizes {
  int64_t axis = 0, length = 0, bins = 0;  ///< bins: size of the output along the axis
  bool inverse = false, onesided = false;
};

Result<Dim> dft_length(InferContext& c, size_t axis, bool half_input) {
  if (c.has(1)) {
    auto e = c.elements(1);
    if (!e || e->size() != 1) return Dim::unknown();
    if ((*e)[0].is_const() && ((*e)[0].value() < 1 || (*e)[0].value() > kLongest))
      return invalid("DFT: dft_length is ", (*e)[0]);
    return (*e)[0];
  }
  Dim d = c.shape(0)[axis];
  return half_input ? (d - Dim(1)) * Dim(2) : d;
}

Result<int64_t> checked_axis(int64_t axis, int64_t rank) {
  TENON_ASSIGN(int64_t a, normal_axis(axis, rank));
  if (a == rank - 1) return invalid("DFT: axis ", axis, " is the last one, which holds real and imaginary parts");
  return a;
}

Status dft_shape(InferContext& c) {
  DType dtype = c.dtype(0);
  if (!c.has_shape(0)) {
    c.set(0, dtype);
    return {};
  }
  DimVector out = c.shape(0);
  bool inverse = c.attr("inverse", 0) != 0, onesided = c.attr("onesided", 0) != 0;
  if (out.size() < 2) return invalid("DFT: the input ", ir::dims_text(out), " must have rank 2 or more");
  Dim parts = out.back();
  if (parts.is_const() && !parts.is(1) && !parts.is(2))
    return invalid("DFT: the last dimension is ", parts, "; it must be 1 or 2");
  if (parts.is(2) && onesided && !inverse) return invalid("DFT: onesided needs a real input");
  out.back() = Dim(inverse && onesided ? 1 : 2);
  int64_t axis = c.since() < 20 ? c.attr("axis", 1) : -2;
  if (c.has(2)) {
    auto v = c.integers(2);
    if (!v || v->size() != 1) {
      c.set(0, dtype, DimVector(out.size(), Dim::unknown()));
      return {};
    }
    axis = (*v)[0];
  }
  TENON_ASSIGN(axis, checked_axis(axis, static_cast<int64_t>(out.size())));
  size_t a = static_cast<size_t>(axis);
  TENON_ASSIGN(Dim length, dft_length(c, a, inverse && onesided));
  out[a] = onesided && !inverse ? floor_div(length, Dim(2)) + Dim(1) : length;
  c.set(0, dtype, std::move(out));
  return {};
}

/// Before version 20 the axis was an attribute, 1 by default.
Status dft_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 20) return {};
  put_input(node, b, 2, b.constant(Tensor::scalar<int64_t>(node.int_or("axis", 1))));
  node.erase("axis");
  return {};
}

/// Tables for a length, and the working memory of each thread.
struct Transform {
  Fourier fourier;
  Complex* work;  ///< `each` numbers for a slot
  int64_t each;
  static Result<Transform> of(KernelContext& c, int64_t n, bool inverse) {
    int64_t each = n + Fourier::work_size(n);
    TENON_ASSIGN(void* tables, c.scratch(static_cast<size_t>(Fourier::table_size(n)) * sizeof(Complex)));
    TENON_ASSIGN(void* work, c.scratch(static_cast<size_t>(each * c.team().width()) * sizeof(Complex)));
    return Transform{Fourier(n, inverse, static_cast<Complex*>(tables)), static_cast<Complex*>(work), each};
  }
};

Status run_dft(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  const bool inverse = c.node().int_or("inverse", 0) != 0, half_input = inverse && c.node().int_or("onesided", 0) != 0;
  if (y.count == 0) return {};
  int64_t axis = -2;
  if (c.has(2)) {
    TENON_ASSIGN(Dims v, read_ints(c.in(2)));
    if (v.size() == 1) axis = v[0];
  }
  TENON_ASSIGN(axis, checked_axis(axis, x.rank));
  const size_t a = static_cast<size_t>(axis), last = static_cast<size_t>(x.rank) - 1;
  int64_t length = half_input ? 2 * (x.dims[a] - 1) : x.dims[a];
  if (c.has(1)) {
    TENON_ASSIGN(Dims v, read_ints(c.in(1)));
    if (v.size() == 1) length = v[0];
  }
  if (length < 1 || length > kLongest) return invalid("DFT: the transform's length is ", length);
  const int64_t parts = x.dims[last], have = x.dims[a], bins = y.dims[a], out_parts = y.dims[last];
  const int64_t inner = product(x.shape(), a + 1, last), outer = product(x.shape(), 0, a);
  TENON_ASSIGN(const double* in, input_as<double>(c, 0));
  TENON_ASSIGN(auto out, OutputAs<double>::of(c, 0));
  TENON_ASSIGN(Transform t, Transform::of(c, length, inverse));
  const double scale = inverse ? 1.0 / static_cast<double>(length) : 1.0;
  c.team().for_tasks(outer * inner, [&](int64_t task, int slot) {
    Complex* line = t.work + slot * t.each;
    const int64_t o = task / inner, i = task % inner;
    auto at = [&](int64_t k) {
      const double* p = in + ((o * have + k) * inner + i) * parts;
      return Complex{p[0], parts == 2 ? p[1] : 0.0};
    };
    for (int64_t k = 0; k < length; ++k) line[k] = k < have ? at(k) : Complex{};
    if (half_input)  // the missing half mirrors the given one
      for (int64_t k = length / 2 + 1; k < length; ++k) {
        Complex v = length - k < have ? at(length - k) : Complex{};
        line[k] = {v.re, -v.im};
      }
    t.fourier.run(line, line + length);
    for (int64_t k = 0; k < bins; ++k) {
      double* p = out.data() + ((o * bins + k) * inner + i) * out_parts;
      p[0] = line[k].re * scale;
      if (out_parts == 2) p[1] = line[k].im * scale;
    }
  });
  out.finish();
  return {};
}

/// Step and frame length; nothing when they are not known yet.
struct Frames {
  int64_t step = 0, length = 0, count = 0;
};
Result<Frames> frames_of(int64_t signal, int64_t step, int64_t length) {
  if (step < 1) return invalid("STFT: frame_step is ", step);
  if (length < 1 || length > kLongest) return invalid("STFT: the frame length is ", length);
  if (length > signal) return invalid("STFT: frames of ", length, " are longer than the signal of ", signal);
  return Frames{step, length, (signal - length) / step + 1};
}

Status stft_shape(InferContext& c) {
  DType dtype = c.dtype(0);
  DimVector out{Dim::unknown(), Dim::unknown(), Dim::unknown(), Dim(2)};
  bool onesided = c.attr("onesided", 1) != 0;
  if (c.has_shape(2) && c.rank(2) != 1) return invalid("STFT: the window has rank ", c.rank(2), "; it must be 1");
  if (!c.has_shape(0)) {
    c.set(0, dtype, std::move(out));
    return {};
  }
  const DimVector& x = c.shape(0);
  if (x.size() != 3 && x.size() != 2) return invalid("STFT: the signal has rank ", x.size(), "; it must be 3");
  if (x.size() == 3 && x[2].is(2) && onesided) return invalid("STFT: onesided needs a real signal");
  out[0] = x[0];
  Dim length = x[1];
  auto stated = c.elements(3);
  if (c.has(3)) length = stated && stated->size() == 1 ? (*stated)[0] : Dim::unknown();
  if (c.has(2)) {
    Dim window = c.has_shape(2) ? c.shape(2)[0] : Dim::unknown();
    if (c.has(3) && window.is_const() && length.is_const() && window.value() != length.value())
      return invalid("STFT: the window has ", window, " values for frames of ", length);
    if (!c.has(3)) length = window;
  }
  auto step = c.integers(1);
  if (step && step->size() == 1 && x[1].is_const() && length.is_const())
    TENON_TRY(frames_of(x[1].value(), (*step)[0], length.value()).status());
  if (step && step->size() == 1 && (*step)[0] > 0) out[1] = floor_div(x[1] - length, Dim((*step)[0])) + Dim(1);
  out[2] = onesided ? floor_div(length, Dim(2)) + Dim(1) : length;
  c.set(0, dtype, std::move(out));
  return {};
}

Status run_stft(KernelContext& c) {
  const TensorRef& x = c.in(0);
  const int64_t batch = x.dims[0], signal = x.dims[1], parts = x.rank == 3 ? x.dims[2] : 1, bins = c.out(0).dims[2];
  TENON_ASSIGN(Dims step, read_ints(c.in(1)));
  int64_t length = c.has(2) ? c.in(2).count : signal;
  if (c.has(3)) {
    TENON_ASSIGN(Dims stated, read_ints(c.in(3)));
    if (stated.size() != 1 || (c.has(2) && stated[0] != length))
      return invalid("STFT: the window has ", length, " values for frames of ", list_text(stated));
    length = stated[0];
  }
  if (step.size() != 1 || (parts != 1 && parts != 2))
    return invalid("STFT: frame_step must be a scalar and the signal real or complex");
  TENON_ASSIGN(Frames f, frames_of(signal, step[0], length));
  TENON_ASSIGN(const double* in, input_as<double>(c, 0));
  TENON_ASSIGN(const double* window, input_as<double>(c, 2));
  TENON_ASSIGN(auto out, OutputAs<double>::of(c, 0));
  TENON_ASSIGN(Transform t, Transform::of(c, length, false));
  c.team().for_tasks(batch * f.count, [&](int64_t task, int slot) {
    Complex* line = t.work + slot * t.each;
    const double* from = in + (task / f.count * signal + task % f.count * f.step) * parts;
    for (int64_t k = 0; k < length; ++k) {
      const double w = window ? window[k] : 1.0;
      line[k] = {from[k * parts] * w, parts == 2 ? from[k * parts + 1] * w : 0.0};
    }
    t.fourier.run(line, line + length);
    double* to = out.data() + task * bins * 2;
    for (int64_t k = 0; k < bins; ++k) {
      to[2 * k] = line[k].re;
      to[2 * k + 1] = line[k].im;
    }
  });
  out.finish();
  return {};
}

/// sum of x[n] e^(-+2 pi i k n / length) for one line.
Complex plain(const std::vector<Complex>& x, int64_t k, bool inverse) {
  Complex sum;
  for (size_t n = 0; n < x.size(); ++n) {
    double angle =
        (inverse ? 2 : -2) * M_PI * static_cast<double>(k) * static_cast<double>(n) / static_cast<double>(x.size());
    sum = sum + x[n] * Complex{std::cos(angle), std::sin(angle)};
  }
  return sum;
}

/// Reference of the last signal axis of [rows, length, parts].
std::vector<CaseTensor> dft_reference(const Case& c, const std::vector<CaseTensor>& in) {
  bool inverse = c.attr("inverse", 0) != 0, onesided = c.attr("onesided", 0) != 0;
  size_t rows = static_cast<size_t>(in[0].dims[0]), have = static_cast<size_t>(in[0].dims[1]),
         parts = static_cast<size_t>(in[0].dims[2]);
  size_t length = in.size() > 1 && !in[1].missing ? static_cast<size_t>(in[1].data[0])
                  : inverse && onesided           ? 2 * (have - 1)
                                                  : have;
  size_t bins = onesided && !inverse ? length / 2 + 1 : length;
  CaseTensor y;
  y.dims = {in[0].dims[0], static_cast<int64_t>(bins), inverse && onesided ? 1 : 2};
  for (size_t r = 0; r < rows; ++r) {
    std::vector<Complex> x(length);
    auto at = [&](size_t k) {
      return k < have
                 ? Complex{in[0].data[(r * have + k) * parts], parts == 2 ? in[0].data[(r * have + k) * 2 + 1] : 0.0}
                 : Complex{};
    };
    for (size_t k = 0; k < length; ++k) x[k] = at(k);
    if (inverse && onesided)
      for (size_t k = length / 2 + 1; k < length; ++k) x[k] = {at(length - k).re, -at(length - k).im};
    for (size_t k = 0; k < bins; ++k) {
      Complex v = plain(x, static_cast<int64_t>(k), inverse);
      double scale = inverse ? 1.0 / static_cast<double>(length) : 1;
      y.data.push_back(v.re * scale);
      if (y.dims[2] == 2) y.data.push_back(v.im * scale);
    }
  }
  return {y};
}

}  // namespace

TENON_OP(dft){
    .name = "DFT",
    .since = {17, 20},
    .in = {port("input", kFloats, "T1"), optional(port("dft_length", kIndices)), optional(port("axis", kI64Only))},
    .out = {port("output", kFloats, "T1")},
    .attributes = {{"inverse", 'i'}, {"onesided", 'i'}},
    .shape = dft_shape,
    .upgrade = dft_upgrade,
};
TENON_CPU(dft){{{{.name = "fast", .run = run_dft}}}};
TENON_CASES(dft) {
  cases.types(kFloats);
  cases.reference(dft_reference);
  cases.add("real, power of two").in(range({2, 16, 1}, -1, 1));
  cases.add("complex, odd length").in(range({2, 15, 2}, -1, 1));
  cases.add("prime length").in(range({1, 31, 1}, -1, 1));
  cases.add("one side").in(range({2, 10, 1}, -1, 1)).attr("onesided", 1);
  cases.add("inverse").in(range({2, 12, 2}, -1, 1)).attr("inverse", 1);
  cases.add("inverse of one side").in(range({2, 5, 2}, -1, 1)).attr("inverse", 1).attr("onesided", 1);
  cases.add("padded").in(range({2, 5, 1}, -1, 1)).in(typed(DType::kI64, constant(values({}, {8}))));
  cases.add("cut").in(range({2, 9, 1}, -1, 1)).in(typed(DType::kI64, constant(values({}, {6}))));
  cases.add("single").in(range({2, 1, 1}, 1, 2));
  cases.add("version 17").in(range({2, 8, 1}, -1, 1)).attr("axis", 1).opset(17);
  cases.add("first axis")
      .in(values({2, 2, 1}, {1, 2, 3, 5}))
      .in(missing())
      .in(typed(DType::kI64, constant(values({}, {0}))))
      .out(values({2, 2, 2}, {4, 0, 7, 0, -2, 0, -3, 0}));
  cases.add("three parts").in(typed(DType::kF32, range({2, 8, 3}, -1, 1))).fails("must be 1 or 2");
  cases.add("last axis")
      .in(typed(DType::kF32, range({2, 8, 1}, -1, 1)))
      .in(missing())
      .in(typed(DType::kI64, constant(values({}, {-1}))))
      .fails("real and imaginary");
}

TENON_OP(stft){
    .name = "STFT",
    .since = {17},
    .in = {port("signal", kFloats, "T1"), port("frame_step", kIndices, "T2"), optional(port("window", kFloats, "T1")),
           optional(port("frame_length", kIndices, "T2"))},
    .out = {port("output", kFloats, "T1")},
    .attributes = {{"onesided", 'i'}},
    .shape = stft_shape,
};
TENON_CPU(stft){{{{.name = "fast", .run = run_stft}}}};
TENON_CASES(stft) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    bool windowed = in.size() > 2 && !in[2].missing, onesided = c.attr("onesided", 1) != 0;
    size_t batch = static_cast<size_t>(in[0].dims[0]), signal = static_cast<size_t>(in[0].dims[1]),
           step = static_cast<size_t>(in[1].data[0]);
    size_t length = windowed ? in[2].data.size() : in.size() > 3 ? static_cast<size_t>(in[3].data[0]) : signal;
    size_t frames = (signal - length) / step + 1, bins = onesided ? length / 2 + 1 : length;
    CaseTensor y;
    y.dims = {in[0].dims[0], static_cast<int64_t>(frames), static_cast<int64_t>(bins), 2};
    for (size_t i = 0; i < batch * frames; ++i) {
      std::vector<Complex> x(length);
      for (size_t k = 0; k < length; ++k)
        x[k].re = in[0].data[i / frames * signal + i % frames * step + k] * (windowed ? in[2].data[k] : 1);
      for (size_t k = 0; k < bins; ++k) {
        Complex v = plain(x, static_cast<int64_t>(k), false);
        y.data.push_back(v.re);
        y.data.push_back(v.im);
      }
    }
    return std::vector<CaseTensor>{y};
  });
  auto scalar = [](double v) { return typed(DType::kI64, constant(values({}, {v}))); };
  cases.add("window").in(range({2, 40, 1}, -1, 1)).in(scalar(8)).in(range({16}, 0, 1));
  cases.add("frame length, both sides")
      .in(range({1, 30, 1}, -1, 1))
      .in(scalar(7))
      .in(missing())
      .in(scalar(12))
      .attr("onesided", 0);
  cases.add("frame longer than the signal")
      .in(typed(DType::kF32, range({1, 30, 1}, -1, 1)))
      .in(scalar(7))
      .in(missing())
      .in(scalar(31))
      .fails("STFT");
}

}  // namespace tenon::ops
