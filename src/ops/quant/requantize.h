// From 32-bit sums back to 8 bits.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "tensor/dtype.h"

namespace tenon::ops {

/// to[i] = saturate(round_half_even(sums[i] * scale) + zero) for n values; `to` holds i8 or u8.
inline void requantize_row(const int32_t* sums, int64_t n, float scale, int32_t zero, DType type, void* to) {
  const float lo = type == DType::kI8 ? -128.0f : 0.0f, hi = type == DType::kI8 ? 127.0f : 255.0f,
              offset = static_cast<float>(zero);
  auto* bytes = static_cast<uint8_t*>(to);
  for (int64_t i = 0; i < n; ++i) {
    const float v = std::nearbyint(static_cast<float>(sums[i]) * scale) + offset;
    bytes[i] = static_cast<uint8_t>(static_cast<int32_t>(std::min(hi, std::max(lo, v))));
  }
}
/// The same with a factor for each value.
inline void requantize_row(const int32_t* sums, int64_t n, const float* scale, int32_t zero, DType type, void* to) {
  auto* bytes = static_cast<uint8_t*>(to);
  for (int64_t i = 0; i < n; ++i) requantize_row(sums + i, 1, scale[i], zero, type, bytes + i);
}

}  // namespace tenon::ops
