// Loops over strided operands: dispatch by element width, merging of dimensions, and a parallel walk over rows.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "tensor/shape.h"
#include "threads/team.h"

namespace tenon::kernels {

/// An element of 16 bytes.
struct Wide {
  uint64_t low, high;
};

template <class U>
U load(const void* base, int64_t index) {
  U v;
  std::memcpy(&v, static_cast<const char*>(base) + index * static_cast<int64_t>(sizeof(U)), sizeof(U));
  return v;
}
template <class U>
void store(void* base, int64_t index, U v) {
  std::memcpy(static_cast<char*>(base) + index * static_cast<int64_t>(sizeof(U)), &v, sizeof(U));
}
inline char* byte_at(void* base, int64_t index, int64_t width) { return static_cast<char*>(base) + index * width; }
inline const char* byte_at(const void* base, int64_t index, int64_t width) {
  return static_cast<const char*>(base) + index * width;
}

/// Calls f(U()) with the unsigned type of that many bytes.
template <class F>
void by_width(int width, F&& f) {
  switch (width) {
    case 1: f(uint8_t()); return;
    case 2: f(uint16_t()); return;
    case 4: f(uint32_t()); return;
    case 8: f(uint64_t()); return;
    case 16: f(Wide()); return;
    default: return;
  }
}

/// K operands walked together; strides count elements.
template <size_t K>
struct Loop {
  Dims dims;
  Dims strides[K];
};

/// Drops dimensions of 1 and merges neighbours that are one dimension for every operand. Returns false when there is
/// nothing to do (some dimension is 0). Afterwards there are at least `min_rank` dimensions (1s are put in front).
template <size_t K>
bool collapse(Loop<K>* loop, size_t min_rank) {
  size_t out = 0;
  const size_t rank = loop->dims.size();
  for (size_t i = 0; i < rank; ++i) {
    const int64_t n = loop->dims[i];
    if (n == 0) return false;
    if (n == 1) continue;
    bool merge = out > 0;
    for (size_t k = 0; k < K && merge; ++k) merge = loop->strides[k][out - 1] == loop->strides[k][i] * n;
    if (merge) {
      loop->dims[out - 1] *= n;
      for (size_t k = 0; k < K; ++k) loop->strides[k][out - 1] = loop->strides[k][i];
    } else {
      loop->dims[out] = n;
      for (size_t k = 0; k < K; ++k) loop->strides[k][out] = loop->strides[k][i];
      ++out;
    }
  }
  loop->dims.resize(out);
  for (size_t k = 0; k < K; ++k) loop->strides[k].resize(out);
  while (loop->dims.size() < min_rank) {
    loop->dims.insert(0, 1);
    for (size_t k = 0; k < K; ++k) loop->strides[k].insert(0, 0);
  }
  return true;
}

/// Position in the first `rank` dimensions of a loop, with the offset of every operand there.
template <size_t K>
class Odometer {
 public:
  Odometer(const Loop<K>& loop, size_t rank, int64_t index) : loop_(loop), rank_(rank), at_(rank) {
    for (size_t i = rank; i-- > 0;) {
      at_[i] = index % loop.dims[i];
      index /= loop.dims[i];
      for (size_t k = 0; k < K; ++k) offset[k] += at_[i] * loop.strides[k][i];
    }
  }
  void next() {
    for (size_t i = rank_; i-- > 0;) {
      for (size_t k = 0; k < K; ++k) offset[k] += loop_.strides[k][i];
      if (++at_[i] < loop_.dims[i]) return;
      for (size_t k = 0; k < K; ++k) offset[k] -= at_[i] * loop_.strides[k][i];
      at_[i] = 0;
    }
  }
  int64_t offset[K] = {};

 private:
  const Loop<K>& loop_;
  size_t rank_;
  Dims at_;
};

/// Calls f(offsets, m, n) on blocks of the two innermost dimensions of a collapsed loop (rank >= 2): m rows of n items
/// each. `bytes` is what one item costs in memory traffic.
template <size_t K, class F>
void for_rows(const Loop<K>& loop, int64_t bytes, const Team& team, F&& f) {
  constexpr int64_t kBlockBytes = 32768;
  const size_t rank = loop.dims.size();
  const int64_t rows = loop.dims[rank - 2], row = loop.dims[rank - 1];
  const int64_t outer = product(loop.dims, 0, rank - 2);
  const int64_t n_block = std::min(row, std::max<int64_t>(1, kBlockBytes / bytes));
  const int64_t m_block = std::min(rows, std::max<int64_t>(1, kBlockBytes / (bytes * n_block)));
  const int64_t n_blocks = (row + n_block - 1) / n_block, m_blocks = (rows + m_block - 1) / m_block;
  const int64_t per_outer = n_blocks * m_blocks;
  const double ns = 5.0 + static_cast<double>(m_block) * (1.0 + 0.15 * static_cast<double>(n_block * bytes));
  team.parallel_for_cost(outer * per_outer, ns, [&](int64_t begin, int64_t end) {
    Odometer<K> at(loop, rank - 2, begin / per_outer);
    int64_t block = begin % per_outer;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t m0 = block / n_blocks * m_block, n0 = block % n_blocks * n_block;
      int64_t offsets[K];
      for (size_t k = 0; k < K; ++k) {
        offsets[k] = at.offset[k] + m0 * loop.strides[k][rank - 2] + n0 * loop.strides[k][rank - 1];
      }
      f(offsets, std::min(m_block, rows - m0), std::min(n_block, row - n0));
      if (++block == per_outer) {
        block = 0;
        at.next();
      }
    }
  });
}

}  // namespace tenon::kernels
