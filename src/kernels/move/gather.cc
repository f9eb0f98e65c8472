// Gather, GatherElements, GatherND: indices are checked first, then elements or rows move.
// SPDX-License-Identifier: MIT
#include "kernels/move/gather.h"

#include <atomic>

#include "kernels/move/loop.h"

namespace tenon::kernels {
namespace {

int64_t normal(int64_t i, int64_t size) { return i < 0 ? i + size : i; }

// Lowers `*first` to the first place in [begin, end) that is out of range.
template <class I>
void scan_indices(const I* data, int64_t begin, int64_t end, int64_t size, std::atomic<int64_t>* first) {
  for (int64_t i = begin; i < end; ++i) {
    const int64_t v = data[i];
    if (v >= -size && v < size) [[likely]]
      continue;
    int64_t seen = first->load(std::memory_order_relaxed);
    while (i < seen && !first->compare_exchange_weak(seen, i, std::memory_order_relaxed)) {}
    return;
  }
}

template <class F>
void with_index_type(const Indices& indices, F&& f) {
  if (indices.is64) f(static_cast<const int64_t*>(indices.data));
  else f(static_cast<const int32_t*>(indices.data));
}

void copy_row(char* to, const char* from, int64_t bytes) {
  // Short rows as two overlapping moves of a fixed size: cheaper than a call.
  if (bytes >= 16 && bytes <= 32) {
    const Wide a = load<Wide>(from, 0);
    Wide b;
    std::memcpy(&b, from + bytes - 16, 16);
    store(to, 0, a);
    std::memcpy(to + bytes - 16, &b, 16);
    return;
  }
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

}  // namespace

Status check_indices(const Indices& indices, int64_t size, const Team& team) {
  std::atomic<int64_t> first{indices.count};
  with_index_type(indices, [&](auto* data) {
    team.parallel_for_cost(indices.count, 0.5,
                           [&](int64_t begin, int64_t end) { scan_indices(data, begin, end, size, &first); });
  });
  const int64_t at = first.load();
  if (at < indices.count) [[unlikely]] {
    return invalid("index ", indices[at], " at position ", at, " is outside of [", -size, ", ", size - 1, "]");
  }
  return {};
}

Status gather(void* dst, const void* src, int64_t outer, int64_t axis, int64_t inner, const Indices& indices, int width,
              const Team& team) {
  TENON_TRY(check_indices(indices, axis, team));
  const int64_t n = indices.count, row = inner * width;
  if (outer == 0 || n == 0 || row == 0) return {};
  with_index_type(indices, [&](auto* data) {
    team.parallel_for_cost(outer * n, 1.5 + static_cast<double>(row) * 0.1, [&](int64_t begin, int64_t end) {
      for (int64_t at = begin; at < end;) {
        const int64_t o = at / n, first = at % n, stop = std::min(n, first + end - at);
        char* to = byte_at(dst, o * n * inner, width);
        const char* from = byte_at(src, o * axis * inner, width);
        if (row <= 16 && (row & (row - 1)) == 0) {
          by_width(static_cast<int>(row), [&](auto u) {
            using U = decltype(u);
            for (int64_t i = first; i < stop; ++i) store(to, i, load<U>(from, normal(data[i], axis)));
          });
        } else {
          for (int64_t i = first; i < stop; ++i) copy_row(to + i * row, from + normal(data[i], axis) * row, row);
        }
        at += stop - first;
      }
    });
  });
  return {};
}

Status gather_elements(void* dst, const void* src, std::span<const int64_t> src_dims, const Indices& indices,
                       std::span<const int64_t> index_dims, int64_t axis, int width, const Team& team) {
  const size_t rank = src_dims.size(), a = static_cast<size_t>(axis);
  if (index_dims.size() != rank) return invalid("indices have rank ", index_dims.size(), ", data has rank ", rank);
  for (size_t i = 0; i < rank; ++i) {
    if (i != a && index_dims[i] > src_dims[i]) {
      return invalid("indices have ", index_dims[i], " in dimension ", i, " where data has ", src_dims[i]);
    }
  }
  TENON_TRY(check_indices(indices, src_dims[a], team));
  // The axis keeps a stride of 0 in the source: what the index says is added per element.
  Loop<2> loop{Dims(index_dims), {row_major_strides(index_dims), row_major_strides(src_dims)}};
  const int64_t axis_stride = loop.strides[1][a], size = src_dims[a];
  loop.strides[1][a] = 0;
  if (!collapse(&loop, 2)) return {};
  const size_t r = loop.dims.size();
  with_index_type(indices, [&](auto* data) {
    for_rows(loop, 2 * width + 8, team, [&](const int64_t* offset, int64_t m, int64_t n) {
      by_width(width, [&](auto u) {
        using U = decltype(u);
        for (int64_t i = 0; i < m; ++i) {
          const int64_t to = offset[0] + i * loop.strides[0][r - 2], step = loop.strides[0][r - 1];
          const int64_t from = offset[1] + i * loop.strides[1][r - 2], move = loop.strides[1][r - 1];
          for (int64_t j = 0; j < n; ++j) {
            const int64_t k = to + j * step;
            store(dst, k, load<U>(src, from + j * move + normal(data[k], size) * axis_stride));
          }
        }
      });
    });
  });
  return {};
}

Status gather_nd(void* dst, const void* src, std::span<const int64_t> src_dims, const Indices& indices,
                 std::span<const int64_t> index_dims, int64_t batch_dims, int width, const Team& team) {
  const int64_t rank = static_cast<int64_t>(src_dims.size());
  if (index_dims.empty()) return invalid("indices are a scalar; their last dimension must be the length of a tuple");
  const int64_t tuple = index_dims.back();
  if (batch_dims < 0 || batch_dims >= static_cast<int64_t>(index_dims.size()) || tuple < 1 ||
      batch_dims + tuple > rank) {
    return invalid("tuples of ", tuple, " after ", batch_dims, " batch dimensions do not fit data of rank ", rank);
  }
  for (size_t i = 0; i < static_cast<size_t>(batch_dims); ++i) {
    if (src_dims[i] != index_dims[i]) {
      return invalid("batch dimension ", i, " is ", src_dims[i], " in data and ", index_dims[i], " in indices");
    }
  }
  const size_t b = static_cast<size_t>(batch_dims), t = static_cast<size_t>(tuple);
  const int64_t batches = product(src_dims, 0, b), inner = product(src_dims, b + t, src_dims.size());
  const int64_t per_batch = product(index_dims, b, index_dims.size() - 1), items = batches * per_batch;
  const int64_t batch_stride = product(src_dims, b, src_dims.size());
  const Dims strides = row_major_strides(src_dims);
  std::atomic<int64_t> first{items * tuple};
  team.parallel_for_cost(items, 2.0 * static_cast<double>(tuple), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin * tuple; i < end * tuple; ++i) {
      const int64_t size = src_dims[b + static_cast<size_t>(i % tuple)], v = indices[i];
      if (v >= -size && v < size) [[likely]]
        continue;
      int64_t seen = first.load(std::memory_order_relaxed);
      while (i < seen && !first.compare_exchange_weak(seen, i, std::memory_order_relaxed)) {}
      return;
    }
  });
  if (const int64_t at = first.load(); at < items * tuple) [[unlikely]] {
    const int64_t size = src_dims[b + static_cast<size_t>(at % tuple)];
    return invalid("index ", indices[at], " at position ", at, " is outside of [", -size, ", ", size - 1,
                   "] of dimension ", batch_dims + at % tuple);
  }
  if (inner == 0) return {};
  const int64_t row = inner * width;
  team.parallel_for_cost(items, 3.0 * static_cast<double>(tuple) + static_cast<double>(row) * 0.1,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t i = begin; i < end; ++i) {
                             int64_t from = i / per_batch * batch_stride;
                             for (size_t k = 0; k < t; ++k) {
                               const int64_t v = indices[i * tuple + static_cast<int64_t>(k)];
                               from += normal(v, src_dims[b + k]) * strides[b + k];
                             }
                             copy_row(byte_at(dst, i * inner, width), byte_at(src, from, width), row);
                           }
                         });
  return {};
}

}  // namespace tenon::kernels
