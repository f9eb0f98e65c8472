// Movers that choose by a condition or a list: where, compress, one-hot, triangle.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "kernels/move/gather.h"
#include "threads/team.h"

namespace tenon::kernels {

/// dst = condition ? a : b with numpy broadcasting to dst_dims. Strides count elements, 0 where an operand is
/// broadcast; one entry per dimension of dst. The condition is one byte an element, 0 is false.
void where_move(void* dst, std::span<const int64_t> dst_dims, const uint8_t* condition,
                std::span<const int64_t> condition_strides, const void* a, std::span<const int64_t> a_strides,
                const void* b, std::span<const int64_t> b_strides, int width, const Team& team);

/// Strides for where_move and copy_strided: those of a dense operand of shape `dims` that is broadcast to `dst_dims`.
/// Fails when the shapes do not agree.
Result<Dims> broadcast_strides(std::span<const int64_t> dims, std::span<const int64_t> dst_dims);

/// How many of the first min(n, axis) conditions hold: the size of compress's output on the axis.
int64_t count_true(const uint8_t* condition, int64_t n);
/// src [outer, axis, inner], dst [outer, count_true, inner]: the slices whose condition holds. n conditions; those
/// beyond the axis are an error, missing ones are false.
Status compress(void* dst, const void* src, int64_t outer, int64_t axis, int64_t inner, const uint8_t* condition,
                int64_t n, int width, const Team& team);

/// OneHot: dst [outer, depth, inner], indices [outer, inner] as int64 (converted by the caller), `off` and `on` one
/// element each. Indices outside [-depth, depth) select nothing, as ONNX says.
void one_hot(void* dst, const int64_t* indices, int64_t outer, int64_t depth, int64_t inner, const void* off,
             const void* on, int width, const Team& team);

/// Trilu: keeps of each [rows, cols] matrix the upper (or lower) triangle with diagonal k, zero elsewhere. In place
/// works.
void triangle(void* dst, const void* src, int64_t batch, int64_t rows, int64_t cols, int64_t k, bool upper, int width,
              const Team& team);

}  // namespace tenon::kernels
