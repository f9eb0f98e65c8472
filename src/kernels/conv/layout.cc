// Batches of matrix transposes, in blocks that stay in the first-level cache.
// SPDX-License-Identifier: MIT
#include "kernels/conv/layout.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/blocking.h"
#include "kernels/gemm/micro.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kBlock = 32;

/// Every matrix (rows, cols) of the batch becomes (cols, rows).
void transpose(const float* in, float* out, int64_t batch, int64_t rows, int64_t cols, const Team& team) {
  if (rows == 0 || cols == 0 || batch == 0) return;
  const int64_t strips = ceil_div(cols, kBlock);  // a task reads a strip of columns and writes whole rows
  const auto& mk = micro_f32();
  team.parallel_for_cost(batch * strips, static_cast<double>(rows * std::min(cols, kBlock)) * 0.5,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t t = begin; t < end; ++t) {
                             const int64_t item = t / strips, c0 = t % strips * kBlock, c = std::min(kBlock, cols - c0);
                             const float* from = in + item * rows * cols + c0;
                             float* to = out + item * rows * cols + c0 * rows;
                             for (int64_t r0 = 0; r0 < rows; r0 += kBlock)
                               mk.transpose(from + r0 * cols, cols, std::min(kBlock, rows - r0), c, to + r0, rows);
                           }
                         });
}

}  // namespace

void to_channels_last(const float* in, float* out, int64_t batch, int64_t channels, int64_t pixels, const Team& team) {
  transpose(in, out, batch, channels, pixels, team);
}

void to_channels_first(const float* in, float* out, int64_t batch, int64_t channels, int64_t pixels, const Team& team) {
  transpose(in, out, batch, pixels, channels, team);
}

}  // namespace tenon::kernels
