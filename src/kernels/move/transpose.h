// Transpose of any rank and permutation by element width.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "tensor/shape.h"
#include "threads/team.h"

namespace tenon::kernels {

/// dst axis k is src axis perm[k]: dst has shape dims[perm[k]]. perm is a permutation of 0..rank-1. Width in bytes: 1,
/// 2, 4, 8 or 16. Both dense, not overlapping.
void transpose(void* dst, const void* src, std::span<const int64_t> dims, std::span<const int64_t> perm, int width,
               const Team& team);

/// True when the permutation moves no element in memory (only axes of size 1 move): the result is a view of the input.
bool transpose_is_copy(std::span<const int64_t> dims, std::span<const int64_t> perm);

/// The 2-D core: dst[c * dst_stride + r] = src[r * src_stride + c] for r < rows, c < cols; strides in elements.
void transpose_2d(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t rows, int64_t cols,
                  int width);

}  // namespace tenon::kernels
