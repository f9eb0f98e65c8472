// Layer, RMS, batch, group, instance, Lp, local response and mean-variance normalisation.
// SPDX-License-Identifier: MIT
#include "kernels/norm/norm.h"

#include <algorithm>
#include <cmath>

#include "kernels/elementwise/cast.h"
#include "kernels/norm/norm_kernels.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_kernels.h"

namespace tenon {
namespace {

Status no_kernel(std::string_view what, DType type) {
  return error(Code::kNotImplemented, what, ": no kernel for ", name(type));
}
bool is_piece_type(DType t) { return t == DType::kF32 || t == DType::kF16 || t == DType::kBF16; }

// One row of a row norm in f32 pieces.
void norm_row(const RowNorm& a, const FloatPieces& io, const NormKernels& k, int64_t row, int64_t n) {
  alignas(64) float buffer[kNormPiece], skip_buffer[kNormPiece], bias_buffer[kNormPiece];
  const int64_t at = row * n, skip_at = a.skip ? row % a.skip_rows * n : 0;
  // The pieces of x + skip + skip_bias. `first`: also leave them in sum, where later passes find exact ones (f32).
  const auto piece = [&](int64_t i, int64_t m, bool first) -> const float* {
    if (!a.skip) return io.read(a.x, at + i, m, buffer);
    if (!first && a.sum && !io.converts()) return io.read(a.sum, at + i, m, buffer);
    const float* x = io.read(a.x, at + i, m, buffer);
    const float* s = io.read(a.skip, skip_at + i, m, skip_buffer);
    const float* b = a.skip_bias ? io.read(a.skip_bias, i, m, bias_buffer) : nullptr;
    float* to = first && a.sum ? io.target(a.sum, at + i, buffer) : buffer;
    k.add(x, s, b, to, m);
    if (first && a.sum) io.write(to, a.sum, at + i, m);
    return to;
  };
  double sum = 0;
  const FoldRow fold = fold_kernels(DType::kF32, a.rms ? Fold::kSumSquare : Fold::kSum).row;
  for (int64_t i = 0; i < n; i += kNormPiece) {
    const int64_t m = std::min(kNormPiece, n - i);
    fold(piece(i, m, true), m, 0, &sum);
  }
  double mean = 0, variance = sum / static_cast<double>(n);
  if (!a.rms) {
    mean = variance;
    variance = 0;
    for (int64_t i = 0; i < n; i += kNormPiece) {
      const int64_t m = std::min(kNormPiece, n - i);
      variance += k.squares_about(piece(i, m, false), static_cast<float>(mean), m);
    }
    variance /= static_cast<double>(n);
  }
  const double inv = 1 / std::sqrt(variance + a.epsilon);
  const int64_t scale_at = a.scale_rows > 0 ? row % a.scale_rows * n : 0;
  for (int64_t i = 0; i < n; i += kNormPiece) {
    const int64_t m = std::min(kNormPiece, n - i);
    const float* p = piece(i, m, false);
    const float* scale = a.scale ? io.read(a.scale, scale_at + i, m, skip_buffer) : nullptr;
    const float* bias = a.bias ? io.read(a.bias, scale_at + i, m, bias_buffer) : nullptr;
    float* to = io.target(a.y, at + i, buffer);
    k.normalize(p, static_cast<float>(mean), static_cast<float>(inv), scale, static_cast<float>(a.scale_offset), bias,
                to, m);
    io.write(to, a.y, at + i, m);
  }
  if (a.mean) a.mean[row] = static_cast<float>(mean);
  if (a.inv_std) a.inv_std[row] = static_cast<float>(inv);
}

void norm_row_f64(const RowNorm& a, int64_t row, int64_t n) {
  const auto d = [](const void* p) { return static_cast<const double*>(p); };
  const double *x = d(a.x) + row * n, *skip = a.skip ? d(a.skip) + row % a.skip_rows * n : nullptr;
  const int64_t scale_at = a.scale_rows > 0 ? row % a.scale_rows * n : 0;
  double* y = static_cast<double*>(a.y) + row * n;
  double* keep = a.sum ? static_cast<double*>(a.sum) + row * n : nullptr;
  const auto at = [&](int64_t i) {
    return x[i] + (skip ? skip[i] : 0) + (skip && a.skip_bias ? d(a.skip_bias)[i] : 0);
  };
  double mean = 0, variance = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!a.rms) mean += at(i);
    if (keep) keep[i] = at(i);
  }
  mean /= static_cast<double>(n);
  for (int64_t i = 0; i < n; ++i) variance += (at(i) - mean) * (at(i) - mean);
  const double inv = 1 / std::sqrt(variance / static_cast<double>(n) + a.epsilon);
  for (int64_t i = 0; i < n; ++i) {
    double t = (at(i) - mean) * inv;
    if (a.scale) t *= d(a.scale)[scale_at + i] + a.scale_offset;
    if (a.bias) t += d(a.bias)[scale_at + i];
    y[i] = t;
  }
  if (a.mean) reinterpret_cast<double*>(a.mean)[row] = mean;
  if (a.inv_std) reinterpret_cast<double*>(a.inv_std)[row] = inv;
}

// y = x * a + b for n elements from index `at`, one factor.
void affine_run(const FloatPieces& io, const NormKernels& k, const void* x, void* y, int64_t at, int64_t n, float a,
                float b, bool silu) {
  alignas(64) float buffer[kNormPiece];
  if (!io.converts()) return k.affine(io.read(x, at, n, nullptr), a, b, silu, static_cast<float*>(y) + at, n);
  for (int64_t i = 0; i < n; i += kNormPiece) {
    const int64_t m = std::min(kNormPiece, n - i);
    k.affine(io.read(x, at + i, m, buffer), a, b, silu, buffer, m);
    io.write(buffer, y, at + i, m);
  }
}

}  // namespace

Status row_norm(const RowNorm& args, DType type, int64_t rows, int64_t n, const Team& team) {
  if (type != DType::kF64 && !is_piece_type(type)) return no_kernel(args.rms ? "RMS norm" : "layer norm", type);
  if (rows <= 0 || n <= 0) return Status();
  if (args.skip && (args.skip_rows <= 0 || rows % args.skip_rows != 0)) {
    return invalid("row norm: ", rows, " rows with a skip of ", args.skip_rows);
  }
  const FloatPieces io(type == DType::kF64 ? DType::kF32 : type);
  const NormKernels& k = norm_kernels();
  team.parallel_for_cost(rows, 0.5 * static_cast<double>(n) + 30, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      if (type == DType::kF64) norm_row_f64(args, r, n);
      else norm_row(args, io, k, r, n);
    }
  });
  return Status();
}

Status channel_affine(DType type, const void* x, void* y, int64_t batch, int64_t channels, int64_t inner,
                      const void* scale, const void* shift, const Team& team) {
  if (batch * channels * inner == 0) return Status();
  if (type == DType::kF64) {
    const double *a = static_cast<const double*>(scale), *b = static_cast<const double*>(shift),
                 *from = static_cast<const double*>(x);
    double* to = static_cast<double*>(y);
    team.parallel_for_cost(batch * channels, static_cast<double>(inner), [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t i = r * inner; i < (r + 1) * inner; ++i) to[i] = from[i] * a[r % channels] + b[r % channels];
      }
    });
    return Status();
  }
  if (!is_piece_type(type)) return no_kernel("channel affine", type);
  const FloatPieces io(type);
  const NormKernels& k = norm_kernels();
  const float *a = static_cast<const float*>(scale), *b = static_cast<const float*>(shift);
  if (inner == 1) {
    team.parallel_for_cost(batch, 0.3 * static_cast<double>(channels), [&](int64_t begin, int64_t end) {
      alignas(64) float buffer[kNormPiece];
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t c = 0; c < channels; c += kNormPiece) {
          const int64_t m = std::min(kNormPiece, channels - c), at = r * channels + c;
          float* to = io.target(y, at, buffer);
          k.affine_each(io.read(x, at, m, buffer), a + c, b + c, false, to, m);
          io.write(to, y, at, m);
        }
      }
    });
    return Status();
  }
  team.parallel_for_cost(batch * channels, 0.3 * static_cast<double>(inner) + 5, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r)
      affine_run(io, k, x, y, r * inner, inner, a[r % channels], b[r % channels], false);
  });
  return Status();
}

template <class T>
void fold_batch_norm(const T* scale, const T* bias, const T* mean, const T* var, double epsilon, int64_t channels,
                     T* folded_scale, T* folded_shift) {
  for (int64_t c = 0; c < channels; ++c) {
    const double s = static_cast<double>(scale[c]) / std::sqrt(static_cast<double>(var[c]) + epsilon);
    const double t = static_cast<double>(bias[c]) - static_cast<double>(mean[c]) * s;
    folded_scale[c] = static_cast<T>(s);
    folded_shift[c] = static_cast<T>(t);
  }
}
template void fold_batch_norm(const float*, const float*, const float*, const float*, double, int64_t, float*, float*);
template void fold_batch_norm(const double*, const double*, const double*, const double*, double, int64_t, double*,
                              double*);

Status group_norm(DType type, const void* x, void* y, int64_t batch, int64_t channels, int64_t inner, int64_t groups,
                  const void* scale, const void* bias, double epsilon, bool silu, const Team& team) {
  if (groups <= 0 || channels % groups != 0)
    return invalid("group norm: ", channels, " channels in ", groups, " groups");
  if (type != DType::kF64 && !is_piece_type(type)) return no_kernel("group norm", type);
  const int64_t per_group = channels / groups, n = per_group * inner;
  if (batch * n == 0) return Status();
  // Factor and shift of channel c of a group, as doubles.
  const auto channel = [&](const void* p, int64_t c, double absent) {
    if (!p) return absent;
    double v = 0;
    convert(type, static_cast<const char*>(p) + c * byte_width(type), DType::kF64, &v, 1);
    return v;
  };
  if (type == DType::kF64) {
    team.parallel_for_cost(batch * groups, 2.0 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
      for (int64_t g = begin; g < end; ++g) {
        const double* from = static_cast<const double*>(x) + g * n;
        double* to = static_cast<double*>(y) + g * n;
        double mean = 0, variance = 0;
        for (int64_t i = 0; i < n; ++i) mean += from[i];
        mean /= static_cast<double>(n);
        for (int64_t i = 0; i < n; ++i) variance += (from[i] - mean) * (from[i] - mean);
        const double inv = 1 / std::sqrt(variance / static_cast<double>(n) + epsilon);
        for (int64_t i = 0; i < n; ++i) {
          const int64_t c = g % groups * per_group + i / inner;
          const double v = (from[i] - mean) * inv * (scale ? static_cast<const double*>(scale)[c] : 1) +
                           (bias ? static_cast<const double*>(bias)[c] : 0);
          to[i] = silu ? v / (1 + std::exp(-v)) : v;
        }
      }
    });
    return Status();
  }
  const FloatPieces io(type);
  const NormKernels& k = norm_kernels();
  const FoldRow fold = fold_kernels(DType::kF32, Fold::kSum).row;
  team.parallel_for_cost(batch * groups, 0.6 * static_cast<double>(n) + 50, [&](int64_t begin, int64_t end) {
    alignas(64) float buffer[kNormPiece], a[kNormPiece], b[kNormPiece];
    for (int64_t g = begin; g < end; ++g) {
      double sum = 0, variance = 0;
      for (int64_t i = 0; i < n; i += kNormPiece) {
        const int64_t m = std::min(kNormPiece, n - i);
        fold(io.read(x, g * n + i, m, buffer), m, 0, &sum);
      }
      const double mean = sum / static_cast<double>(n);
      for (int64_t i = 0; i < n; i += kNormPiece) {
        const int64_t m = std::min(kNormPiece, n - i);
        variance += k.squares_about(io.read(x, g * n + i, m, buffer), static_cast<float>(mean), m);
      }
      const double inv = 1 / std::sqrt(variance / static_cast<double>(n) + epsilon);
      const int64_t first = g % groups * per_group;
      for (int64_t c = 0; c < per_group; c += kNormPiece) {
        const int64_t m = std::min(kNormPiece, per_group - c);
        for (int64_t j = 0; j < m; ++j) {
          const double s = inv * channel(scale, first + c + j, 1);
          a[j] = static_cast<float>(s);
          b[j] = static_cast<float>(channel(bias, first + c + j, 0) - mean * s);
        }
        if (inner == 1) {
          float* to = io.target(y, g * n + c, buffer);
          k.affine_each(io.read(x, g * n + c, m, buffer), a, b, silu, to, m);
          io.write(to, y, g * n + c, m);
        } else {
          for (int64_t j = 0; j < m; ++j) affine_run(io, k, x, y, g * n + (c + j) * inner, inner, a[j], b[j], silu);
        }
      }
    }
  });
  return Status();
}

Status lp_normalize(DType type, const void* x, void* y, const AxisView& v, int p, const Team& team) {
  if (p != 1 && p != 2) return error(Code::kNotImplemented, "Lp norm: p is ", p, ", 1 and 2 are known");
  if (type != DType::kF64 && !is_piece_type(type)) return no_kernel("Lp norm", type);
  if (v.outer * v.axis * v.inner == 0) return Status();
  const FoldKernels fold = fold_kernels(type, p == 1 ? Fold::kSumAbs : Fold::kSumSquare);
  const FloatPieces io(type == DType::kF64 ? DType::kF32 : type);
  const NormKernels& k = norm_kernels();
  const int64_t tiles = (v.inner + kFoldColumns - 1) / kFoldColumns;
  team.parallel_for_cost(v.outer * tiles, 0.8 * static_cast<double>(v.axis * std::min(v.inner, kFoldColumns)) + 30,
                         [&](int64_t begin, int64_t end) {
                           alignas(64) float buffer[kNormPiece], factor[kFoldColumns];
                           double norm[kFoldColumns];
                           for (int64_t t = begin; t < end; ++t) {
                             const int64_t c = t % tiles * kFoldColumns, n = std::min(kFoldColumns, v.inner - c);
                             const int64_t at = t / tiles * v.axis * v.inner + c;
                             const char* from = static_cast<const char*>(x) + at * byte_width(type);
                             std::fill(norm, norm + n, 0.0);
                             if (v.inner == 1) fold.row(from, v.axis, 0, norm);
                             else fold.columns(from, v.axis, v.inner, n, nullptr, norm);
                             for (int64_t i = 0; i < n; ++i) {
                               if (p == 2) norm[i] = std::sqrt(norm[i]);
                               norm[i] = norm[i] == 0 ? 0 : 1 / norm[i];
                               factor[i] = static_cast<float>(norm[i]);
                             }
                             if (type == DType::kF64) {
                               for (int64_t a = 0; a < v.axis; ++a) {
                                 for (int64_t i = 0; i < n; ++i) {
                                   const int64_t j = at + a * v.inner + i;
                                   static_cast<double*>(y)[j] = static_cast<const double*>(x)[j] * norm[i];
                                 }
                               }
                             } else if (v.inner == 1) {
                               affine_run(io, k, x, y, at, v.axis, factor[0], 0, false);
                             } else {
                               for (int64_t a = 0; a < v.axis; ++a) {
                                 float* to = io.target(y, at + a * v.inner, buffer);
                                 k.scale_each(io.read(x, at + a * v.inner, n, buffer), factor, to, n);
                                 io.write(to, y, at + a * v.inner, n);
                               }
                             }
                           }
                         });
  return Status();
}

Status local_response_norm(DType type, const void* x, void* y, int64_t batch, int64_t channels, int64_t inner,
                           int64_t size, double alpha, double beta, double bias, const Team& team) {
  if (size < 1) return invalid("local response norm: size ", size);
  if (type != DType::kF64 && !is_piece_type(type)) return no_kernel("local response norm", type);
  if (batch * channels * inner == 0) return Status();
  const int64_t below = (size - 1) / 2, above = size - 1 - below;
  const FloatPieces io(type == DType::kF64 ? DType::kF32 : type);
  const NormKernels& k = norm_kernels();
  const int64_t tiles = (inner + kNormPiece - 1) / kNormPiece;
  const double share = alpha / static_cast<double>(size);
  team.parallel_for_cost(batch * channels * tiles,
                         static_cast<double>(std::min(inner, kNormPiece)) * (4 + 0.3 * static_cast<double>(size)),
                         [&](int64_t begin, int64_t end) {
                           alignas(64) float buffer[kNormPiece], sum[kNormPiece];
                           for (int64_t t = begin; t < end; ++t) {
                             const int64_t row = t / tiles, c = row % channels, start = t % tiles * kNormPiece;
                             const int64_t n = std::min(kNormPiece, inner - start), at = row * inner + start;
                             const int64_t first = std::max<int64_t>(c - below, 0) - c,
                                           last = std::min(c + above, channels - 1) - c;
                             if (type == DType::kF64) {
                               const double* from = static_cast<const double*>(x) + at;
                               for (int64_t i = 0; i < n; ++i) {
                                 double squares = 0;
                                 for (int64_t w = first; w <= last; ++w)
                                   squares += from[w * inner + i] * from[w * inner + i];
                                 static_cast<double*>(y)[at + i] = from[i] * std::pow(bias + share * squares, -beta);
                               }
                               continue;
                             }
                             std::fill(sum, sum + n, 0.0f);
                             for (int64_t w = first; w <= last; ++w)
                               k.add_squares(io.read(x, at + w * inner, n, buffer), sum, n);
                             float* to = io.target(y, at, buffer);
                             k.response(io.read(x, at, n, buffer), sum, static_cast<float>(share),
                                        static_cast<float>(beta), static_cast<float>(bias), to, n);
                             io.write(to, y, at, n);
                           }
                         });
  return Status();
}

Status mean_variance_norm(const TensorRef& x, std::span<const int64_t> axes, const TensorRef& y, const Team& team) {
  if (x.dtype != DType::kF32 && x.dtype != DType::kF64) return no_kernel("mean-variance norm", x.dtype);
  if (y.dtype != x.dtype || y.count != x.count) return invalid("mean-variance norm: the output must be as the input");
  if (x.count == 0) return Status();
  Shape kept(x.shape());
  int64_t length = 1;
  for (int64_t a : axes) {
    if (a < 0 || a >= x.rank) return invalid("mean-variance norm: axis ", a, " of rank ", x.rank);
    length *= kept[static_cast<size_t>(a)];
    kept[static_cast<size_t>(a)] = 1;
  }
  TENON_ASSIGN(const Tensor moment, Tensor::allocate(x.dtype, kept));
  const DType two[] = {x.dtype, x.dtype};
  TENON_ASSIGN(const PointwisePlan subtract, plan_pointwise(Program::single(Fn::kSub), two));
  // y / (sqrt(sum of squares / length) + 1e-9)
  Program divide;
  divide.inputs = 2;
  const uint8_t root = divide.emit(Fn::kSqrt, {divide.emit(Fn::kMulImm, {1}, 1 / static_cast<double>(length))});
  divide.outputs.push_back(divide.emit(Fn::kDiv, {0, divide.emit(Fn::kAddImm, {root}, 1e-9)}));
  TENON_ASSIGN(const PointwisePlan scale, plan_pointwise(divide, two));
  TENON_TRY(reduce(Reduction::kMean, x, axes, moment.ref(), team));
  const TensorRef centre[] = {x, moment.ref()}, spread[] = {y, moment.ref()};
  run_pointwise(subtract, centre, {&y, 1}, team);
  TENON_TRY(reduce(Reduction::kSumSquare, y, axes, moment.ref(), team));
  run_pointwise(scale, spread, {&y, 1}, team);
  return Status();
}

}  // namespace tenon
