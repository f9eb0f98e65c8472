// The strided copy engine behind slice, expand, tile, concat, pad and transpose.
// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <utility>

#include "kernels/move/copy.h"
#include "kernels/move/loop.h"
#include "kernels/move/rows.h"
#include "kernels/move/transpose.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kSmallRow = 64;  // bytes; shorter rows are not worth a call

using Copy = Loop<2>;  // operand 0: destination, 1: source

// Puts the dimensions in order of falling destination stride, so that writes walk forward.
void sort_by_destination(Copy* loop) {
  for (size_t i = 1; i < loop->dims.size(); ++i) {
    for (size_t j = i; j > 0 && std::abs(loop->strides[0][j - 1]) < std::abs(loop->strides[0][j]); --j) {
      std::swap(loop->dims[j], loop->dims[j - 1]);
      for (Dims& s : loop->strides) std::swap(s[j], s[j - 1]);
    }
  }
}

// A short innermost run that is dense on both sides becomes one wider element where all other strides allow it.
void widen(Copy* loop, int* width) {
  const size_t last = loop->dims.size() - 1;
  if (last == 0 || loop->strides[0][last] != 1 || loop->strides[1][last] != 1) return;
  int64_t factor = 1;
  while (loop->dims[last] % (factor * 2) == 0 && *width * factor * 2 <= 16) factor *= 2;
  for (size_t i = 0; i < last; ++i) {
    while (loop->strides[0][i] % factor != 0 || loop->strides[1][i] % factor != 0) factor /= 2;
  }
  if (factor != loop->dims[last]) return;  // longer runs are copied as rows
  for (size_t i = 0; i < last; ++i) {
    loop->strides[0][i] /= factor;
    loop->strides[1][i] /= factor;
  }
  loop->dims[last] = 1;
  *width *= static_cast<int>(factor);
}

template <class U>
void plain_rows(void* dst, int64_t dm, int64_t dn, const void* src, int64_t sm, int64_t sn, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) store(dst, i * dm + j * dn, load<U>(src, i * sm + j * sn));
  }
}

void copy_rows(void* dst, const void* src, const Copy& loop, int width, const Team& team) {
  const size_t rank = loop.dims.size();
  const int64_t dm = loop.strides[0][rank - 2], dn = loop.strides[0][rank - 1];
  const int64_t sm = loop.strides[1][rank - 2], sn = loop.strides[1][rank - 1];
  for_rows(loop, width, team, [&](const int64_t* offset, int64_t m, int64_t n) {
    char* to = byte_at(dst, offset[0], width);
    const char* from = byte_at(src, offset[1], width);
    const bool vector = dn == 1 && (sn == 0 || sn == 1 || sn == -1) && n * width >= kSmallRow;
    if (!vector) {
      by_width(width, [&](auto u) { plain_rows<decltype(u)>(to, dm, dn, from, sm, sn, m, n); });
      return;
    }
    for (int64_t i = 0; i < m; ++i, to += dm * width, from += sm * width) {
      if (sn == 1) std::memcpy(to, from, static_cast<size_t>(n * width));
      else if (sn == 0) fill_row(to, from, n, width);
      else reverse_row(to, from - (n - 1) * width, n, width);
    }
  });
}

// The destination is dense along the last dimension, the source along dimension `dense`: blocks of the plane that the
// two span are transposed.
void copy_planes(void* dst, const void* src, Copy loop, size_t dense, int width, const Team& team) {
  const size_t last = loop.dims.size() - 1;
  const int64_t rows = loop.dims[last], row_stride = loop.strides[1][last];
  const int64_t cols = loop.dims[dense], col_stride = loop.strides[0][dense];
  loop.dims.erase(last);
  loop.dims.erase(dense);
  for (Dims& s : loop.strides) {
    s.erase(last);
    s.erase(dense);
  }
  const int64_t line = 64 / width;  // block edges are whole cache lines
  const int64_t row_block = std::min(rows, rows < 2 * line ? rows : std::max<int64_t>(line, 256 / width));
  const int64_t col_block = std::min(cols, std::max(line, 16384 / width / row_block / line * line));
  const int64_t row_blocks = (rows + row_block - 1) / row_block, col_blocks = (cols + col_block - 1) / col_block;
  const int64_t per_outer = row_blocks * col_blocks;
  const double ns = 5.0 + 0.3 * static_cast<double>(row_block * col_block * width);
  team.parallel_for_cost(product(loop.dims) * per_outer, ns, [&](int64_t begin, int64_t end) {
    Odometer<2> at(loop, loop.dims.size(), begin / per_outer);
    int64_t block = begin % per_outer;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t c0 = block / row_blocks * col_block, r0 = block % row_blocks * row_block;
      transpose_2d(byte_at(dst, at.offset[0] + c0 * col_stride + r0, width), col_stride,
                   byte_at(src, at.offset[1] + r0 * row_stride + c0, width), row_stride, std::min(row_block, rows - r0),
                   std::min(col_block, cols - c0), width);
      if (++block == per_outer) {
        block = 0;
        at.next();
      }
    }
  });
}

}  // namespace

void copy_bytes(void* dst, const void* src, int64_t bytes, const Team& team) {
  if (bytes <= 0) return;
  constexpr int64_t kBlock = 65536;
  if (bytes <= kBlock) {
    std::memcpy(dst, src, static_cast<size_t>(bytes));
    return;
  }
  team.parallel_for_cost((bytes + kBlock - 1) / kBlock, kBlock * 0.1, [&](int64_t begin, int64_t end) {
    const int64_t from = begin * kBlock, to = std::min(end * kBlock, bytes);
    std::memcpy(static_cast<char*>(dst) + from, static_cast<const char*>(src) + from, static_cast<size_t>(to - from));
  });
}

void fill(void* dst, const void* value, int64_t count, int width, const Team& team) {
  team.parallel_for_cost(count, 0.08 * width, [&](int64_t begin, int64_t end) {
    fill_row(byte_at(dst, begin, width), value, end - begin, width);
  });
}

void copy_strided(void* dst, std::span<const int64_t> dst_strides, const void* src,
                  std::span<const int64_t> src_strides, std::span<const int64_t> dims, int width, const Team& team) {
  Copy loop{Dims(dims), {Dims(dst_strides), Dims(src_strides)}};
  if (!collapse(&loop, 1)) return;
  sort_by_destination(&loop);
  if (!collapse(&loop, 1)) return;
  widen(&loop, &width);
  if (!collapse(&loop, 1)) return;
  const size_t last = loop.dims.size() - 1;
  if (last == 0 && loop.strides[0][0] == 1 && loop.strides[1][0] == 1) {
    copy_bytes(dst, src, loop.dims[0] * width, team);
    return;
  }
  if (loop.strides[0][last] == 1 && std::abs(loop.strides[1][last]) > 1 && width < 16) {
    for (size_t i = 0; i < last; ++i) {
      if (loop.strides[1][i] == 1 && loop.dims[i] > 1 && loop.strides[0][i] > 0) {
        copy_planes(dst, src, std::move(loop), i, width, team);
        return;
      }
    }
  }
  if (loop.dims.size() == 1) {
    loop.dims.insert(0, 1);
    for (Dims& s : loop.strides) s.insert(0, 0);
  }
  copy_rows(dst, src, loop, width, team);
}

bool transpose_is_copy(std::span<const int64_t> dims, std::span<const int64_t> perm) {
  int64_t before = -1;
  for (int64_t axis : perm) {
    if (dims[static_cast<size_t>(axis)] == 1) continue;
    if (axis < before) return product(dims) == 0;
    before = axis;
  }
  return true;
}

void transpose(void* dst, const void* src, std::span<const int64_t> dims, std::span<const int64_t> perm, int width,
               const Team& team) {
  const Dims strides = row_major_strides(dims);
  Dims out_dims, src_strides;
  for (int64_t axis : perm) {
    out_dims.push_back(dims[static_cast<size_t>(axis)]);
    src_strides.push_back(strides[static_cast<size_t>(axis)]);
  }
  copy_strided(dst, row_major_strides(out_dims), src, src_strides, out_dims, width, team);
}

}  // namespace tenon::kernels
