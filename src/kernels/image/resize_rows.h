// Vectorised rows of resize.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

/// dst[i] = sum over k < taps of weight[k * n + i] * src[index[k * n + i]], i < n.
void resample_row(float* dst, const float* src, const int32_t* index, const float* weight, int taps, int64_t n);
void resample_row(double* dst, const double* src, const int32_t* index, const float* weight, int taps, int64_t n);
/// dst[i] = sum over k < taps of weight[k * stride] * rows[k][i], i < n.
void blend_rows(float* dst, const float* const* rows, const float* weight, int64_t stride, int taps, int64_t n);
void blend_rows(double* dst, const double* const* rows, const float* weight, int64_t stride, int taps, int64_t n);

}  // namespace tenon::kernels
