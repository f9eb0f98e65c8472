// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/status.h"
#include "tensor/dtype.h"
#include "threads/team.h"

namespace tenon::kernels {

/// How scales and zero points belong to elements. The data is [outer, axis, inner]:
/// per tensor {1, 1, count, 1}: one scale; per axis {outer, axis, inner, 1}: scale [axis]; blocked with block size b on
/// the axis {outer, axis, inner, b} and blocked = true: scale [outer, ceil(axis / b), inner].
struct QuantLayout {
  int64_t outer = 1;
  int64_t axis = 1;
  int64_t inner = 1;
  int64_t block = 1;
  bool blocked = false;
  int64_t count() const { return outer * axis * inner; }
};

/// y = saturate(round_half_even(x / scale) + zero_point). x: f32, f16, bf16, i32 (computed in f32). scale: f32, f16,
/// bf16 (f32 for i32 input), same type for all. y: u8 i8 u16 i16 u4 i4 u2 i2 (the last four packed), f8 types and
/// f4e2m1 (zero point 0 or null; `saturate` applies to f8). zero_point has y's type, or null for 0. NaN gives the zero
/// point (integers). Fails with kNotImplemented for other types.
Status quantize_linear(void* y, DType y_type, const void* x, DType x_type, const void* scale, DType scale_type,
                       const void* zero_point, const QuantLayout& layout, bool saturate, const Team& team);

/// y = (x - zero_point) * scale, computed in f32. x: the types above and i32; y and scale: f32, f16, bf16.
Status dequantize_linear(void* y, DType y_type, const void* x, DType x_type, const void* scale, DType scale_type,
                         const void* zero_point, const QuantLayout& layout, const Team& team);

/// Scale and zero point from the range of x widened to hold 0: scale = (max - min) / 255, or 1 where all of x is 0 (or
/// there is none); zero point = saturate(round_half_even(-min / scale)).
void dynamic_quantize_linear(uint8_t* y, float* scale, uint8_t* zero_point, const float* x, int64_t count,
                             const Team& team);

}  // namespace tenon::kernels
