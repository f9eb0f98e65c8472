// Vectorised row primitives of the movers: fill, reverse, choose, 2-D transpose.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

/// dst[i] = value for i < n; width 1, 2, 4, 8 or 16.
void fill_row(void* dst, const void* value, int64_t n, int width);
/// dst[i] = src[n - 1 - i].
void reverse_row(void* dst, const void* src, int64_t n, int width);
/// dst[i] = condition[i] ? a[i * a_step] : b[i * b_step]; the steps are 0 or 1.
void where_row(void* dst, const uint8_t* condition, const void* a, bool a_step, const void* b, bool b_step, int64_t n,
               int width);
/// How many of n bytes are not 0.
int64_t count_nonzero_bytes(const uint8_t* x, int64_t n);

}  // namespace tenon::kernels
