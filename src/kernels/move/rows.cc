// Vectorised row primitives of the movers.
// SPDX-License-Identifier: MIT
#include "kernels/move/rows.h"

#include "kernels/move/loop.h"
#include "kernels/move/transpose.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/move/rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// --- 2-D transpose ---------------------------------------------------------------------------------------------------
// A block is `kBlocks` groups of L x L elements, L = 16 / width: rows r + g * L of column c..c+L go to the g-th 128-bit
// block of L vectors, which are then transposed inside their blocks by interleaving, and stored as whole destination
// rows.

#if HWY_TARGET != HWY_SCALAR
template <class U>
struct Tiles {
  static constexpr int64_t kLanes = 16 / sizeof(U);
  static constexpr int64_t kBlocks = HWY_MAX_BYTES >= 32 ? 2 : 1;
  static constexpr int64_t kRows = kLanes * kBlocks;
  using D = hn::FixedTag<U, kRows>;
  using Half = hn::FixedTag<U, kLanes>;
};

template <class U>
HWY_INLINE hn::Vec<typename Tiles<U>::D> load_groups(const U* src, int64_t stride) {
  using T = Tiles<U>;
  const typename T::Half half;
  if constexpr (T::kBlocks == 2) {
    return hn::Combine(typename T::D(), hn::LoadU(half, src + T::kLanes * stride), hn::LoadU(half, src));
  } else {
    return hn::LoadU(half, src);
  }
}

// kRows rows x kLanes columns of src to kLanes rows of dst.
template <class U>
HWY_INLINE void transpose_tile(U* HWY_RESTRICT dst, int64_t dst_stride, const U* HWY_RESTRICT src, int64_t src_stride) {
  using T = Tiles<U>;
  const typename T::D d;
  constexpr int64_t n = T::kLanes;
  hn::Vec<typename T::D> v[n], w[n];
  // GCC keeps small loops over vectors rolled, and then the vectors in memory, unless told.
  HWY_UNROLL(16)
  for (int64_t i = 0; i < n; ++i) v[i] = load_groups<U>(src + i * src_stride, src_stride);
  HWY_UNROLL(4)
  for (int64_t step = 1; step < n; step *= 2) {
    HWY_UNROLL(8)
    for (int64_t i = 0; i < n / 2; ++i) {
      w[2 * i] = hn::InterleaveLower(d, v[i], v[i + n / 2]);
      w[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + n / 2]);
    }
    HWY_UNROLL(16)
    for (int64_t i = 0; i < n; ++i) v[i] = w[i];
  }
  HWY_UNROLL(16)
  for (int64_t i = 0; i < n; ++i) hn::StoreU(v[i], d, dst + i * dst_stride);
}
#endif

template <class U>
HWY_INLINE void transpose_plain(U* dst, int64_t dst_stride, const U* src, int64_t src_stride, int64_t r0, int64_t r1,
                                int64_t c0, int64_t c1) {
  for (int64_t c = c0; c < c1; ++c) {
    for (int64_t r = r0; r < r1; ++r) store(dst, c * dst_stride + r, load<U>(src, r * src_stride + c));
  }
}

// Two to four rows laid side by side: what channel-first to channel-last images of few channels are.
template <class U>
bool interleave(U* dst, const U* src, int64_t src_stride, int64_t rows, int64_t cols) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<U> d;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  int64_t c = 0;
  for (; c + n <= cols; c += n) {
    const auto v0 = hn::LoadU(d, src + c), v1 = hn::LoadU(d, src + src_stride + c);
    U* to = dst + c * rows;
    if (rows == 2) hn::StoreInterleaved2(v0, v1, d, to);
    else if (rows == 3) hn::StoreInterleaved3(v0, v1, hn::LoadU(d, src + 2 * src_stride + c), d, to);
    else
      hn::StoreInterleaved4(v0, v1, hn::LoadU(d, src + 2 * src_stride + c), hn::LoadU(d, src + 3 * src_stride + c), d,
                            to);
  }
  transpose_plain(dst, rows, src, src_stride, 0, rows, c, cols);
  return true;
#else
  (void)dst, (void)src, (void)src_stride, (void)rows, (void)cols;
  return false;
#endif
}

template <class U>
bool deinterleave(U* dst, int64_t dst_stride, const U* src, int64_t rows, int64_t cols) {
#if HWY_TARGET != HWY_SCALAR
  const hn::ScalableTag<U> d;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  int64_t r = 0;
  for (; r + n <= rows; r += n) {
    hn::Vec<decltype(d)> v0, v1, v2, v3;
    const U* from = src + r * cols;
    if (cols == 2) {
      hn::LoadInterleaved2(d, from, v0, v1);
    } else if (cols == 3) {
      hn::LoadInterleaved3(d, from, v0, v1, v2);
      hn::StoreU(v2, d, dst + 2 * dst_stride + r);
    } else {
      hn::LoadInterleaved4(d, from, v0, v1, v2, v3);
      hn::StoreU(v2, d, dst + 2 * dst_stride + r);
      hn::StoreU(v3, d, dst + 3 * dst_stride + r);
    }
    hn::StoreU(v0, d, dst + r);
    hn::StoreU(v1, d, dst + dst_stride + r);
  }
  transpose_plain(dst, dst_stride, src, cols, r, rows, 0, cols);
  return true;
#else
  (void)dst, (void)dst_stride, (void)src, (void)rows, (void)cols;
  return false;
#endif
}

template <class U>
void transpose_typed(U* dst, int64_t dst_stride, const U* src, int64_t src_stride, int64_t rows, int64_t cols) {
  if (rows >= 2 && rows <= 4 && dst_stride == rows && interleave(dst, src, src_stride, rows, cols)) return;
  if (cols >= 2 && cols <= 4 && src_stride == cols && deinterleave(dst, dst_stride, src, rows, cols)) return;
  int64_t r = 0;
#if HWY_TARGET != HWY_SCALAR
  using T = Tiles<U>;
  constexpr int64_t kFarRows = 1024;         // bytes
  constexpr int64_t kLine = 64 / sizeof(U);  // elements of a cache line: whole lines of dst are written together
  for (; r + T::kRows <= rows;) {
    const int64_t group = r + kLine <= rows ? std::max<int64_t>(kLine, T::kRows) : T::kRows;
    int64_t c = 0;
    if (group == kLine && src_stride * int64_t{sizeof(U)} >= kFarRows && dst_stride * int64_t{sizeof(U)} >= kFarRows) {
      // Rows far apart fall into few cache sets: squares of whole lines go through a buffer, so that each line of
      // either side is touched once.
      alignas(64) U square[kLine * kLine];
      for (; c + kLine <= cols; c += kLine) {
        for (int64_t k = 0; k < kLine; k += T::kRows) {
          for (int64_t j = 0; j < kLine; j += T::kLanes) {
            transpose_tile<U>(square + j * kLine + k, kLine, src + (r + k) * src_stride + c + j, src_stride);
          }
        }
        for (int64_t j = 0; j < kLine; ++j) std::memcpy(dst + (c + j) * dst_stride + r, square + j * kLine, 64);
      }
    }
    for (; c + T::kLanes <= cols; c += T::kLanes) {
      for (int64_t k = 0; k < group; k += T::kRows) {
        transpose_tile<U>(dst + c * dst_stride + r + k, dst_stride, src + (r + k) * src_stride + c, src_stride);
      }
    }
    transpose_plain(dst, dst_stride, src, src_stride, r, r + group, c, cols);
    r += group;
  }
#endif
  transpose_plain(dst, dst_stride, src, src_stride, r, rows, 0, cols);
}

void transpose_2d(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t rows, int64_t cols,
                  int width) {
  by_width(width, [&](auto u) {
    using U = decltype(u);
    if constexpr (sizeof(U) == 16) {
      transpose_plain(static_cast<U*>(dst), dst_stride, static_cast<const U*>(src), src_stride, 0, rows, 0, cols);
    } else {
      transpose_typed(static_cast<U*>(dst), dst_stride, static_cast<const U*>(src), src_stride, rows, cols);
    }
  });
}

// --- rows
// --------------------------------------------------------------------------------------------------------------

template <class U>
void fill_typed(U* dst, U value, int64_t n) {
  int64_t i = 0;
  if constexpr (sizeof(U) < 16) {
    const hn::ScalableTag<U> d;
    const int64_t step = static_cast<int64_t>(hn::Lanes(d));
    const auto v = hn::Set(d, value);
    for (; i + step <= n; i += step) hn::StoreU(v, d, dst + i);
  }
  for (; i < n; ++i) store(dst, i, value);
}
void fill_row(void* dst, const void* value, int64_t n, int width) {
  by_width(width, [&](auto u) {
    using U = decltype(u);
    fill_typed(static_cast<U*>(dst), load<U>(value, 0), n);
  });
}

void reverse_row(void* dst, const void* src, int64_t n, int width) {
  by_width(width, [&](auto u) {
    using U = decltype(u);
    int64_t i = 0;
    if constexpr (sizeof(U) < 16) {
      const hn::ScalableTag<U> d;
      const int64_t step = static_cast<int64_t>(hn::Lanes(d));
      for (; i + step <= n; i += step) {
        hn::StoreU(hn::Reverse(d, hn::LoadU(d, static_cast<const U*>(src) + n - i - step)), d,
                   static_cast<U*>(dst) + i);
      }
    }
    for (; i < n; ++i) store(dst, i, load<U>(src, n - 1 - i));
  });
}

template <class U, bool kA, bool kB>
void where_typed(U* dst, const uint8_t* condition, const U* a, const U* b, int64_t n) {
  int64_t i = 0;
  if constexpr (sizeof(U) < 16) {
    const hn::ScalableTag<U> d;
    const hn::Rebind<uint8_t, decltype(d)> d8;
    const int64_t step = static_cast<int64_t>(hn::Lanes(d));
    const auto zero = hn::Zero(d);
    const auto va = hn::Set(d, load<U>(a, 0)), vb = hn::Set(d, load<U>(b, 0));
    for (; i + step <= n; i += step) {
      const auto bytes = hn::LoadU(d8, condition + i);
      auto keep = zero;
      if constexpr (sizeof(U) == 1) keep = bytes;
      else keep = hn::PromoteTo(d, bytes);
      const auto x = kA ? hn::LoadU(d, a + i) : va, y = kB ? hn::LoadU(d, b + i) : vb;
      hn::StoreU(hn::IfThenElse(hn::Eq(keep, zero), y, x), d, dst + i);
    }
  }
  for (; i < n; ++i) store(dst, i, condition[i] ? load<U>(a, kA ? i : 0) : load<U>(b, kB ? i : 0));
}
void where_row(void* dst, const uint8_t* condition, const void* a, bool a_step, const void* b, bool b_step, int64_t n,
               int width) {
  by_width(width, [&](auto u) {
    using U = decltype(u);
    U* to = static_cast<U*>(dst);
    const U* x = static_cast<const U*>(a);
    const U* y = static_cast<const U*>(b);
    if (a_step && b_step) where_typed<U, true, true>(to, condition, x, y, n);
    else if (a_step) where_typed<U, true, false>(to, condition, x, y, n);
    else if (b_step) where_typed<U, false, true>(to, condition, x, y, n);
    else where_typed<U, false, false>(to, condition, x, y, n);
  });
}

int64_t count_nonzero_bytes(const uint8_t* x, int64_t n) {
  const hn::ScalableTag<uint8_t> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t found = 0, i = 0;
  for (; i + step <= n; i += step) {
    found += step - static_cast<int64_t>(hn::CountTrue(d, hn::Eq(hn::LoadU(d, x + i), hn::Zero(d))));
  }
  for (; i < n; ++i) found += x[i] != 0;
  return found;
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(transpose_2d);
HWY_EXPORT(fill_row);
HWY_EXPORT(reverse_row);
HWY_EXPORT(where_row);
HWY_EXPORT(count_nonzero_bytes);

void transpose_2d(void* dst, int64_t dst_stride, const void* src, int64_t src_stride, int64_t rows, int64_t cols,
                  int width) {
  HWY_DYNAMIC_DISPATCH(transpose_2d)(dst, dst_stride, src, src_stride, rows, cols, width);
}
void fill_row(void* dst, const void* value, int64_t n, int width) {
  HWY_DYNAMIC_DISPATCH(fill_row)(dst, value, n, width);
}
void reverse_row(void* dst, const void* src, int64_t n, int width) {
  HWY_DYNAMIC_DISPATCH(reverse_row)(dst, src, n, width);
}
void where_row(void* dst, const uint8_t* condition, const void* a, bool a_step, const void* b, bool b_step, int64_t n,
               int width) {
  HWY_DYNAMIC_DISPATCH(where_row)(dst, condition, a, a_step, b, b_step, n, width);
}
int64_t count_nonzero_bytes(const uint8_t* x, int64_t n) { return HWY_DYNAMIC_DISPATCH(count_nonzero_bytes)(x, n); }
}  // namespace tenon::kernels
#endif
