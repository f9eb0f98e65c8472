// The vector loops of softmax and normalisation, on f32 pieces.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "kernels/elementwise/tile_kernels.h"

namespace tenon {

/// Loops over n elements. `y` may be `x` everywhere.
struct NormKernels {
  /// y = exp(x - shift); returns the sum, formed in f64 from blocks.
  double (*exp_sum)(const float* x, float shift, float* y, int64_t n);
  /// y = exp(x - shift) * factor.
  void (*exp_scale)(const float* x, float shift, float factor, float* y, int64_t n);
  /// y[i] = exp(x[i] - shift[i]); sum[i] += y[i].
  void (*exp_sum_each)(const float* x, const float* shift, float* y, float* sum, int64_t n);
  /// y[i] = exp(x[i] - shift[i]) * factor[i].
  void (*exp_scale_each)(const float* x, const float* shift, const float* factor, float* y, int64_t n);
  /// y = (x - a) - b.
  void (*subtract)(const float* x, float a, float b, float* y, int64_t n);
  void (*subtract_each)(const float* x, const float* a, const float* b, float* y, int64_t n);
  /// y = x * a, y[i] = x[i] * a[i].
  void (*scale)(const float* x, float a, float* y, int64_t n);
  void (*scale_each)(const float* x, const float* a, float* y, int64_t n);
  /// y = x * a + b (fused where the machine can), then y * sigmoid(y) when silu.
  void (*affine)(const float* x, float a, float b, bool silu, float* y, int64_t n);
  void (*affine_each)(const float* x, const float* a, const float* b, bool silu, float* y, int64_t n);
  /// y = x + s + b; b may be null.
  void (*add)(const float* x, const float* s, const float* b, float* y, int64_t n);
  /// Sum of (x - mean)^2, in f64 from blocks.
  double (*squares_about)(const float* x, float mean, int64_t n);
  /// y = (x - mean) * inv * (scale + offset) + bias; scale and bias may be null.
  void (*normalize)(const float* x, float mean, float inv, const float* scale, float offset, const float* bias,
                    float* y, int64_t n);
  /// sum[i] += x[i]^2.
  void (*add_squares)(const float* x, float* sum, int64_t n);
  /// y[i] = x[i] * (bias + alpha * sum[i])^-beta.
  void (*response)(const float* x, const float* sum, float alpha, float beta, float bias, float* y, int64_t n);
};
const NormKernels& norm_kernels();

/// Reads and writes tensors of f32, f16 and bf16 as f32 pieces of at most kNormPiece elements.
inline constexpr int64_t kNormPiece = 1024;
class FloatPieces {
 public:
  explicit FloatPieces(DType type) : width_(byte_width(type)), load_(find_load(type)), store_(find_store(type)) {}
  /// n elements from index `at`: in place for f32, else converted into `buffer`.
  const float* read(const void* base, int64_t at, int64_t n, float* buffer) const {
    const char* p = static_cast<const char*>(base) + at * width_;
    if (!load_) return reinterpret_cast<const float*>(p);
    load_({buffer, {p, nullptr, nullptr}, {~size_t{0}, 0, 0}, static_cast<size_t>(n), nullptr});
    return buffer;
  }
  /// Where to write n elements for index `at`: the place itself for f32, else `buffer`; then call write().
  float* target(void* base, int64_t at, float* buffer) const {
    return store_ ? buffer : static_cast<float*>(base) + at;
  }
  void write(const float* from, void* base, int64_t at, int64_t n) const {
    if (!store_) return;
    store_({static_cast<char*>(base) + at * width_,
            {from, nullptr, nullptr},
            {~size_t{0}, 0, 0},
            static_cast<size_t>(n),
            nullptr});
  }
  bool converts() const { return load_ != nullptr; }

 private:
  int width_;
  TileFn load_, store_;
};

}  // namespace tenon
