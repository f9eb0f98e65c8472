// Where, compress, one-hot, triangle.
// SPDX-License-Identifier: MIT
#include "kernels/move/select.h"

#include "kernels/move/loop.h"
#include "kernels/move/rows.h"

namespace tenon::kernels {

Result<Dims> broadcast_strides(std::span<const int64_t> dims, std::span<const int64_t> dst_dims) {
  if (dims.size() > dst_dims.size()) {
    return invalid("shape ", list_text(dims), " does not broadcast to ", list_text(dst_dims));
  }
  const Dims dense = row_major_strides(dims);
  Dims strides(dst_dims.size());
  const size_t lead = dst_dims.size() - dims.size();
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (dims[i] != dst_dims[lead + i]) {
      return invalid("shape ", list_text(dims), " does not broadcast to ", list_text(dst_dims));
    }
    strides[lead + i] = dense[i];
  }
  return strides;
}

void where_move(void* dst, std::span<const int64_t> dst_dims, const uint8_t* condition,
                std::span<const int64_t> condition_strides, const void* a, std::span<const int64_t> a_strides,
                const void* b, std::span<const int64_t> b_strides, int width, const Team& team) {
  Loop<4> loop{Dims(dst_dims),
               {row_major_strides(dst_dims), Dims(condition_strides), Dims(a_strides), Dims(b_strides)}};
  if (!collapse(&loop, 2)) return;
  const size_t rank = loop.dims.size();
  int64_t outer[4], inner[4];
  for (size_t k = 0; k < 4; ++k) {
    outer[k] = loop.strides[k][rank - 2];
    inner[k] = loop.strides[k][rank - 1];
  }
  const auto unit = [](int64_t s) { return s == 0 || s == 1; };
  const bool simple = inner[0] == 1 && unit(inner[1]) && unit(inner[2]) && unit(inner[3]);
  for_rows(loop, 3 * width + 1, team, [&](const int64_t* offset, int64_t m, int64_t n) {
    for (int64_t i = 0; i < m; ++i) {
      char* to = byte_at(dst, offset[0] + i * outer[0], width);
      const uint8_t* c = condition + offset[1] + i * outer[1];
      const char* x = byte_at(a, offset[2] + i * outer[2], width);
      const char* y = byte_at(b, offset[3] + i * outer[3], width);
      if (!simple || n * width < 32) {
        by_width(width, [&](auto u) {
          using U = decltype(u);
          for (int64_t j = 0; j < n; ++j) {
            store(to, j * inner[0], c[j * inner[1]] ? load<U>(x, j * inner[2]) : load<U>(y, j * inner[3]));
          }
        });
      } else if (inner[1] == 1) {
        where_row(to, c, x, inner[2] == 1, y, inner[3] == 1, n, width);
      } else {
        const char* from = *c ? x : y;
        if (inner[*c ? 2 : 3] == 1) std::memcpy(to, from, static_cast<size_t>(n * width));
        else fill_row(to, from, n, width);
      }
    }
  });
}

int64_t count_true(const uint8_t* condition, int64_t n) { return count_nonzero_bytes(condition, n); }

Status compress(void* dst, const void* src, int64_t outer, int64_t axis, int64_t inner, const uint8_t* condition,
                int64_t n, int width, const Team& team) {
  if (n > axis) return invalid("condition has ", n, " entries for an axis of ", axis);
  const int64_t found = count_true(condition, n);
  if (found == 0 || inner == 0) return {};
  team.parallel_for_cost(outer, static_cast<double>(n + found * inner * width) * 0.3, [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      int64_t at = o * found;
      for (int64_t i = 0; i < n;) {
        if (!condition[i]) {
          ++i;
          continue;
        }
        int64_t stop = i + 1;  // runs are copied at once
        while (stop < n && condition[stop]) ++stop;
        std::memcpy(byte_at(dst, at * inner, width), byte_at(src, (o * axis + i) * inner, width),
                    static_cast<size_t>((stop - i) * inner * width));
        at += stop - i;
        i = stop;
      }
    }
  });
  return {};
}

void one_hot(void* dst, const int64_t* indices, int64_t outer, int64_t depth, int64_t inner, const void* off,
             const void* on, int width, const Team& team) {
  team.parallel_for_cost(outer, static_cast<double>(depth * inner * width) * 0.1 + 3.0 * static_cast<double>(inner),
                         [&](int64_t begin, int64_t end) {
                           fill_row(byte_at(dst, begin * depth * inner, width), off, (end - begin) * depth * inner,
                                    width);
                           by_width(width, [&](auto u) {
                             using U = decltype(u);
                             const U hot = load<U>(on, 0);
                             for (int64_t i = begin * inner; i < end * inner; ++i) {
                               int64_t k = indices[i];
                               if (k < 0) k += depth;
                               if (k >= 0 && k < depth) store(dst, (i / inner * depth + k) * inner + i % inner, hot);
                             }
                           });
                         });
}

void triangle(void* dst, const void* src, int64_t batch, int64_t rows, int64_t cols, int64_t k, bool upper, int width,
              const Team& team) {
  // Of row r the columns before its edge are below diagonal k (upper) or kept (lower). k is brought into reach first.
  k = std::clamp(k, -rows - 1, cols + 1);
  team.parallel_for_cost(batch * rows, static_cast<double>(cols * width) * 0.1 + 2, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i % rows;
      const int64_t edge = std::clamp<int64_t>(upper ? r + k : r + k + 1, 0, cols);
      char* to = byte_at(dst, i * cols, width);
      const char* from = byte_at(src, i * cols, width);
      const int64_t low = upper ? edge : 0, high = upper ? cols : edge;
      std::memset(to, 0, static_cast<size_t>(low * width));
      if (to != from) {
        std::memcpy(byte_at(to, low, width), byte_at(from, low, width), static_cast<size_t>((high - low) * width));
      }
      std::memset(byte_at(to, high, width), 0, static_cast<size_t>((cols - high) * width));
    }
  });
}

}  // namespace tenon::kernels
