// How matrix products are cut into blocks that fit the caches.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/os/cpu.h"

namespace tenon::kernels {

constexpr int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
constexpr int64_t round_up(int64_t a, int64_t b) { return ceil_div(a, b) * b; }

/// Rows of B that are summed in registers before C is touched. Depends on k alone: it fixes the order of roundings.
template <class T>
int64_t k_block(int64_t k) {
  constexpr int64_t kMost = 1536 / static_cast<int64_t>(sizeof(T));
  if (k <= kMost) return std::max<int64_t>(k, 1);
  return round_up(ceil_div(k, ceil_div(k, kMost)), 8);
}

/// Columns of B, whole panels, whose block of kb rows stays in half of the second-level cache.
template <class T>
int64_t n_block(int64_t kb, int nr) {
  const int64_t columns = os::caches().l2 / 2 / (kb * static_cast<int64_t>(sizeof(T)));
  return std::max<int64_t>(columns / nr, 4) * nr;
}

}  // namespace tenon::kernels
