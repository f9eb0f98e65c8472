// Rotation of heads by cosine and sine tables.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>

#include "kernels/attention/attention.h"
#include "threads/team.h"

namespace tenon::ops {

/// One rotation. Vectors of head_size floats at x + b * batch + h * head + s * position; the first `rotated` of them
/// turn, pair (j, j + rotated / 2), or (2 j, 2 j + 1) when interleaved, by the angle j of the token's row.
struct Rotary {
  int64_t batch = 0, heads = 0, positions = 0, head_size = 0, rotated = 0;
  bool interleaved = false;
  const float* x = nullptr;
  float* y = nullptr;
  HeadStrides x_strides, y_strides;
  const float* cos = nullptr;  ///< rows of rotated / 2
  const float* sin = nullptr;
  const int64_t* rows = nullptr;  ///< [batch, positions]: the row of each token; null: row b * positions + s
};

/// Rows must be in range.
inline void rotate(const Rotary& r, const Team& team) {
  const int64_t half = r.rotated / 2;
  team.parallel_for_cost(
      r.batch * r.positions, static_cast<double>(r.heads * r.head_size) * 2, [&](int64_t begin, int64_t end) {
        for (int64_t token = begin; token < end; ++token) {
          const int64_t b = token / r.positions, s = token % r.positions, row = r.rows ? r.rows[token] : token;
          const float *cosine = r.cos + row * half, *sine = r.sin + row * half;
          for (int64_t h = 0; h < r.heads; ++h) {
            const float* x = r.x + b * r.x_strides.batch + h * r.x_strides.head + s * r.x_strides.position;
            float* y = r.y + b * r.y_strides.batch + h * r.y_strides.head + s * r.y_strides.position;
            for (int64_t j = 0; j < half; ++j) {
              const int64_t first = r.interleaved ? 2 * j : j, second = r.interleaved ? 2 * j + 1 : j + half;
              const float a = x[first], c = x[second];
              y[first] = cosine[j] * a - sine[j] * c;
              y[second] = sine[j] * a + cosine[j] * c;
            }
            if (x != y) std::copy(x + r.rotated, x + r.head_size, y + r.rotated);
          }
        }
      });
}

}  // namespace tenon::ops
