// Softmax and its relatives, layer, RMS, batch, instance, group, Lp and local response normalisation.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/status.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon {

// Data is dense. A tensor is seen as [outer, axis, inner]; types are f32, f16, bf16 and f64 unless a line says
// otherwise (16-bit floats are computed in f32). In place is allowed: y may be x. Every function returns
// kNotImplemented for other types. Results do not depend on the team.

/// A block of memory as [outer, axis, inner].
struct AxisView {
  int64_t outer = 1, axis = 1, inner = 1;
};
/// The view of a shape around one axis in [0, rank).
AxisView axis_view(std::span<const int64_t> shape, int64_t axis);
/// The view whose axis is all dimensions from `axis` on (inner = 1): layer norm, old softmax.
AxisView axis_from(std::span<const int64_t> shape, int64_t axis);

enum class Softmax : uint8_t { kSoftmax, kLogSoftmax, kHardmax };
/// y = softmax(x) along the axis. A row of -inf only gives NaN, as ONNX's definition does.
Status softmax(Softmax kind, DType type, const void* x, void* y, const AxisView& view, const Team& team);

/// Layer and RMS normalisation of `rows` rows of n elements. Optional parts are null.
struct RowNorm {
  bool rms = false;  ///< divide by the root mean square only; no mean
  double epsilon = 1e-5;
  const void* x = nullptr;          ///< [rows, n]
  const void* skip = nullptr;       ///< added to x first; [skip_rows, n], repeated
  int64_t skip_rows = 0;            ///< rows of skip; rows must be a multiple
  const void* skip_bias = nullptr;  ///< [n], added too
  const void* scale = nullptr;      ///< [n], or [scale_rows, n] repeated when scale_rows > 0
  const void* bias = nullptr;       ///< [n], likewise
  int64_t scale_rows = 0;
  double scale_offset = 0;   ///< added to every scale (1 in models that store scale - 1)
  void* y = nullptr;         ///< [rows, n]
  void* sum = nullptr;       ///< [rows, n]: x + skip + skip_bias
  float* mean = nullptr;     ///< [rows]; f64 data: double*
  float* inv_std = nullptr;  ///< [rows], 1 / sqrt(variance + epsilon); f64 data: double*
};
Status row_norm(const RowNorm& args, DType type, int64_t rows, int64_t n, const Team& team);

/// y = x * scale[c] + shift[c] over [batch, channels, inner]; what batch normalisation is at inference.
/// scale and shift are f32 (f64 data: f64).
Status channel_affine(DType type, const void* x, void* y, int64_t batch, int64_t channels, int64_t inner,
                      const void* scale, const void* shift, const Team& team);
/// scale' = scale / sqrt(var + epsilon), shift' = bias - mean * scale'. `type` is that of the five inputs.
template <class T>
void fold_batch_norm(const T* scale, const T* bias, const T* mean, const T* var, double epsilon, int64_t channels,
                     T* folded_scale, T* folded_shift);

/// Group normalisation of [batch, channels, inner] in `groups` groups of channels; scale and bias of `type`, [channels]
/// (or null). groups = channels is instance normalisation. activation: y = y * sigmoid(y) at the end when `silu`.
Status group_norm(DType type, const void* x, void* y, int64_t batch, int64_t channels, int64_t inner, int64_t groups,
                  const void* scale, const void* bias, double epsilon, bool silu, const Team& team);

/// y = x / (sum |x|^p)^(1/p) along the axis, p = 1 or 2; a norm of 0 gives 0.
Status lp_normalize(DType type, const void* x, void* y, const AxisView& view, int p, const Team& team);

/// Local response normalisation across channels of [batch, channels, inner]:
/// y = x / (bias + alpha / size * sum of x^2 over the window)^beta, the window reaching (size - 1) / 2 below (floor)
/// and above (ceil). y must not be x.
Status local_response_norm(DType type, const void* x, void* y, int64_t batch, int64_t channels, int64_t inner,
                           int64_t size, double alpha, double beta, double bias, const Team& team);

/// y = (x - mean) / (sqrt(variance) + epsilon') over `axes` of a tensor, the MeanVarianceNormalization of ONNX
/// (epsilon' = 1e-9). f32 and f64; axes in [0, rank). Allocates the moments.
Status mean_variance_norm(const TensorRef& x, std::span<const int64_t> axes, const TensorRef& y, const Team& team);

}  // namespace tenon
