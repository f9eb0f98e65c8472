// Softmax, log-softmax and hardmax along any axis.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/norm/norm.h"
#include "kernels/norm/norm_kernels.h"
#include "kernels/reduce/reduce_kernels.h"

namespace tenon {
namespace {

constexpr int64_t kColumns = 256;
constexpr int64_t kSumRows = 64;  // rows whose f32 sums are added in f64

// One row of n elements, inner = 1.
void softmax_row(const FloatPieces& io, const NormKernels& k, bool log, FoldRow max_row, const void* x, void* y,
                 int64_t at, int64_t n) {
  alignas(64) float buffer[kNormPiece];
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  if (!io.converts()) {
    // The exponentials are kept in y; for log-softmax in the buffer only.
    const float* row = io.read(x, at, n, nullptr);
    float* out = static_cast<float*>(y) + at;
    max_row(row, n, 0, &top);
    const float shift = static_cast<float>(top);
    if (log) {
      for (int64_t i = 0; i < n; i += kNormPiece) sum += k.exp_sum(row + i, shift, buffer, std::min(kNormPiece, n - i));
      k.subtract(row, shift, static_cast<float>(std::log(sum)), out, n);
    } else {
      sum = k.exp_sum(row, shift, out, n);
      k.scale(out, static_cast<float>(1 / sum), out, n);
    }
    return;
  }
  for (int64_t i = 0; i < n; i += kNormPiece) {
    const int64_t m = std::min(kNormPiece, n - i);
    max_row(io.read(x, at + i, m, buffer), m, 0, &top);
  }
  const float shift = static_cast<float>(top);
  for (int64_t i = 0; i < n; i += kNormPiece) {
    const int64_t m = std::min(kNormPiece, n - i);
    sum += k.exp_sum(io.read(x, at + i, m, buffer), shift, buffer, m);
  }
  for (int64_t i = 0; i < n; i += kNormPiece) {
    const int64_t m = std::min(kNormPiece, n - i);
    const float* p = io.read(x, at + i, m, buffer);
    if (log) k.subtract(p, shift, static_cast<float>(std::log(sum)), buffer, m);
    else k.exp_scale(p, shift, static_cast<float>(1 / sum), buffer, m);
    io.write(buffer, y, at + i, m);
  }
}

// `n` neighbouring columns; element (a, c) lies at `at` + a * inner + c.
void softmax_columns(const FloatPieces& io, const NormKernels& k, bool log, FoldColumns max_columns, const void* x,
                     void* y, int64_t at, int64_t axis, int64_t inner, int64_t n) {
  alignas(64) float buffer[kColumns], shift[kColumns], part[kColumns];
  double top[kColumns], sum[kColumns];
  for (int64_t c = 0; c < n; ++c) top[c] = -std::numeric_limits<double>::infinity(), sum[c] = 0;
  if (!io.converts()) {
    max_columns(io.read(x, at, n, buffer), axis, inner, n, nullptr, top);
  } else {
    for (int64_t a = 0; a < axis; ++a) max_columns(io.read(x, at + a * inner, n, buffer), 1, n, n, nullptr, top);
  }
  for (int64_t c = 0; c < n; ++c) shift[c] = static_cast<float>(top[c]);
  const bool keep = !io.converts() && !log;  // exponentials stay in y
  for (int64_t a = 0; a < axis;) {
    const int64_t end = std::min(axis, a + kSumRows);
    std::fill(part, part + n, 0.0f);
    for (; a < end; ++a) {
      const float* row = io.read(x, at + a * inner, n, buffer);
      k.exp_sum_each(row, shift, keep ? static_cast<float*>(y) + at + a * inner : buffer, part, n);
    }
    for (int64_t c = 0; c < n; ++c) sum[c] += static_cast<double>(part[c]);
  }
  for (int64_t c = 0; c < n; ++c) part[c] = static_cast<float>(log ? std::log(sum[c]) : 1 / sum[c]);
  for (int64_t a = 0; a < axis; ++a) {
    const int64_t from = at + a * inner;
    float* out = io.target(y, from, buffer);
    if (keep) {
      k.scale_each(out, part, out, n);
    } else {
      const float* row = io.read(x, from, n, buffer);
      if (log) k.subtract_each(row, shift, part, out, n);
      else k.exp_scale_each(row, shift, part, out, n);
    }
    io.write(out, y, from, n);
  }
}

void softmax_f64(bool log, const double* x, double* y, int64_t axis, int64_t inner) {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (int64_t a = 0; a < axis; ++a) {
    const double v = x[a * inner];
    if (v > top || v != v) top = v;
  }
  for (int64_t a = 0; a < axis; ++a) sum += std::exp(x[a * inner] - top);
  const double log_sum = std::log(sum);
  for (int64_t a = 0; a < axis; ++a) {
    const double c = x[a * inner] - top;
    y[a * inner] = log ? c - log_sum : std::exp(c) / sum;
  }
}

// 1 at the first largest element, 0 elsewhere. T holds the bits of a float type; `value` gives the number.
template <class T, class F>
void hardmax(const T* x, T* y, T one, int64_t axis, int64_t inner, const F& value) {
  int64_t best = 0;
  for (int64_t a = 1; a < axis; ++a) {
    const auto v = value(x[a * inner]), b = value(x[best * inner]);
    if (b == b && (v > b || v != v)) best = a;
  }
  for (int64_t a = 0; a < axis; ++a) y[a * inner] = a == best ? one : T(0);
}

}  // namespace

AxisView axis_view(std::span<const int64_t> shape, int64_t axis) {
  const size_t a = static_cast<size_t>(axis);
  return {product(shape, 0, a), shape[a], product(shape, a + 1, shape.size())};
}
AxisView axis_from(std::span<const int64_t> shape, int64_t axis) {
  const size_t a = static_cast<size_t>(axis);
  return {product(shape, 0, a), product(shape, a, shape.size()), 1};
}

Status softmax(Softmax kind, DType type, const void* x, void* y, const AxisView& v, const Team& team) {
  const bool half = type == DType::kF16 || type == DType::kBF16;
  if (type != DType::kF32 && type != DType::kF64 && !half) {
    return error(Code::kNotImplemented, "softmax: no kernel for ", name(type));
  }
  if (v.outer * v.axis * v.inner == 0) return Status();
  const bool log = kind == Softmax::kLogSoftmax;
  if (kind == Softmax::kHardmax || type == DType::kF64) {
    team.parallel_for_cost(v.outer * v.inner, (kind == Softmax::kHardmax ? 2.0 : 15.0) * static_cast<double>(v.axis),
                           [&](int64_t begin, int64_t end) {
                             const TileFn load = half ? find_load(type) : nullptr;
                             for (int64_t r = begin; r < end; ++r) {
                               const int64_t at = r / v.inner * v.axis * v.inner + r % v.inner;
                               if (type == DType::kF64) {
                                 const double* a = static_cast<const double*>(x) + at;
                                 double* b = static_cast<double*>(y) + at;
                                 if (kind == Softmax::kHardmax)
                                   hardmax(a, b, 1.0, v.axis, v.inner, [](double d) { return d; });
                                 else softmax_f64(log, a, b, v.axis, v.inner);
                               } else if (type == DType::kF32) {
                                 hardmax(static_cast<const float*>(x) + at, static_cast<float*>(y) + at, 1.0f, v.axis,
                                         v.inner, [](float d) { return d; });
                               } else {
                                 const uint16_t one = type == DType::kF16 ? 0x3c00 : 0x3f80;
                                 hardmax(static_cast<const uint16_t*>(x) + at, static_cast<uint16_t*>(y) + at, one,
                                         v.axis, v.inner, [&](uint16_t bits) {
                                           float wide = 0;
                                           load({&wide, {&bits, nullptr, nullptr}, {~size_t{0}, 0, 0}, 1, nullptr});
                                           return wide;
                                         });
                               }
                             }
                           });
    return Status();
  }
  const FloatPieces io(type);
  const NormKernels& k = norm_kernels();
  if (v.inner == 1) {
    const FoldRow max_row = fold_kernels(DType::kF32, Fold::kMax).row;
    team.parallel_for_cost(v.outer, 1.5 * static_cast<double>(v.axis) + 20, [&](int64_t begin, int64_t end) {
      for (int64_t o = begin; o < end; ++o) softmax_row(io, k, log, max_row, x, y, o * v.axis, v.axis);
    });
    return Status();
  }
  const FoldColumns max_columns = fold_kernels(DType::kF32, Fold::kMax).columns;
  const int64_t tiles = (v.inner + kColumns - 1) / kColumns;
  team.parallel_for_cost(v.outer * tiles, 1.5 * static_cast<double>(v.axis * std::min(kColumns, v.inner)) + 50,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t t = begin; t < end; ++t) {
                             const int64_t c = t % tiles * kColumns;
                             softmax_columns(io, k, log, max_columns, x, y, t / tiles * v.axis * v.inner + c, v.axis,
                                             v.inner, std::min(kColumns, v.inner - c));
                           }
                         });
  return Status();
}

}  // namespace tenon
