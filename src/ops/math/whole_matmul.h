// Plain matrix product of whole numbers; sums wrap around.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>

#include "threads/team.h"

namespace tenon::ops {

/// C (m, n) = op(A) op(B), dense; A is stored (k, m) when trans_a, B (n, k) when trans_b. T is unsigned: the same bits
/// serve signed numbers.
template <class T>
void whole_matmul(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, bool trans_a, bool trans_b,
                  const Team& team) {
  team.parallel_for_cost(m, static_cast<double>(n) * static_cast<double>(k), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      T* row = c + i * n;
      std::fill(row, row + n, T{0});
      for (int64_t p = 0; p < k; ++p) {
        const T x = trans_a ? a[p * m + i] : a[i * k + p];
        if (trans_b)
          for (int64_t j = 0; j < n; ++j) row[j] += x * b[j * k + p];
        else
          for (int64_t j = 0; j < n; ++j) row[j] += x * b[p * n + j];
      }
    }
  });
}

}  // namespace tenon::ops
