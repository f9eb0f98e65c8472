// Vectorised rows of linear quantisation.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "tensor/dtype.h"

namespace tenon::kernels {

/// Scale and zero point of a row: one for all elements (step 0) or one each (step 1).
struct QuantRow {
  const float* scale = nullptr;
  const int32_t* zero = nullptr;
  int step = 0;
};

/// dst[i] = clamp(round_half_even(x[i] / scale) + zero, low, high). dst is u8, i8, u16 or i16; low and high lie in its
/// range. NaN gives zero clamped.
void quantize_row(void* dst, DType type, const float* x, int64_t n, const QuantRow& row, int32_t low, int32_t high);
/// dst[i] = float(x[i] - zero) * scale; x is u8, i8, u16, i16 or i32.
void dequantize_row(float* dst, const void* x, DType type, int64_t n, const QuantRow& row);
/// dst[i] = saturate(round_half_even(sums[i] * scale) + zero) to u8 or i8; scale: one for all (step 0) or one each.
void requantize_row(void* dst, DType type, const int32_t* sums, int64_t n, const float* scale, int step, int32_t zero);
/// Factors and terms of scale_sums.
struct ScaledRow {
  float row_scale = 1;
  const float* scale = nullptr;  ///< one for all (step 0) or one each
  int step = 0;
  const float* bias = nullptr;  ///< one each, or null
};
/// dst[i] = float(sums[i]) * (row_scale * scale[i]) + bias[i], rounded after each operation.
void scale_sums(float* dst, const int32_t* sums, int64_t n, const ScaledRow& by);
/// Lowers *low and raises *high to the smallest and largest of x; NaN is passed over.
void value_range(const float* x, int64_t n, float* low, float* high);

}  // namespace tenon::kernels
