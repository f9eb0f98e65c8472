// Movers with a fixed formula: depth and space, reversed sequences, roll, and the makers range and eye.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "kernels/move/gather.h"
#include "tensor/dtype.h"
#include "threads/team.h"

namespace tenon::kernels {

/// src [n, c, h, w] to dst [n, c / block^2, h * block, w * block]. `columns_first` is mode CRD of ONNX, else DCR.
/// c must be a multiple of block^2 (checked).
Status depth_to_space(void* dst, const void* src, int64_t n, int64_t c, int64_t h, int64_t w, int64_t block,
                      bool columns_first, int width, const Team& team);
/// src [n, c, h, w] to dst [n, c * block^2, h / block, w / block]; h and w must be multiples (checked).
Status space_to_depth(void* dst, const void* src, int64_t n, int64_t c, int64_t h, int64_t w, int64_t block, int width,
                      const Team& team);

/// ReverseSequence on [time, batch, inner] (time_first) or [batch, time, inner]: reverses the first lengths[b] steps of
/// each batch entry. Fails unless 0 <= lengths[b] <= time.
Status reverse_sequence(void* dst, const void* src, int64_t time, int64_t batch, int64_t inner, bool time_first,
                        const Indices& lengths, int width, const Team& team);

/// src [outer, axis, inner]: dst[o, (i + shift) mod axis, k] = src[o, i, k]. Any shift.
void roll(void* dst, const void* src, int64_t outer, int64_t axis, int64_t inner, int64_t shift, int width,
          const Team& team);

/// Number of elements of ONNX Range: max(ceil((limit - start) / delta), 0). Fails on delta 0, NaN or more than kMaxSize
/// elements. The operands point at one element of the type: f32, f64, i16, i32, i64, and f16, bf16.
Result<int64_t> range_count(const void* start, const void* limit, const void* delta, DType dtype);
/// dst[i] = start + i * delta (16-bit floats: computed in f32; integers wrap).
void range(void* dst, const void* start, const void* delta, int64_t count, DType dtype, const Team& team);

/// EyeLike: [rows, cols] of zero bytes with `one` (one element) on diagonal k.
void eye(void* dst, int64_t rows, int64_t cols, int64_t k, const void* one, int width, const Team& team);

}  // namespace tenon::kernels
