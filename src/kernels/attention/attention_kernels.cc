// The vector loops of attention for every instruction set.
// SPDX-License-Identifier: MIT
#include "kernels/attention/attention_kernels.h"

// Accumulators stay in registers only when the loops over them are unrolled.
#if defined(__clang__)
#define TENON_UNROLL _Pragma("unroll")
#else
#define TENON_UNROLL _Pragma("GCC unroll 8")
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/attention/attention_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/elementwise/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;

// kRows x (2 vectors) of C; `left` columns count (up to two vectors).
template <int kRows>
HWY_INLINE void Tile(int64_t k, const float* HWY_RESTRICT a, int64_t lda, const float* HWY_RESTRICT b, int64_t ldb,
                     float* HWY_RESTRICT c, int64_t ldc, int64_t left, bool accumulate) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V acc[kRows][2];
  const bool whole = left >= 2 * lanes;
  const size_t n0 = static_cast<size_t>(left < lanes ? left : lanes);
  const size_t n1 = static_cast<size_t>(left <= lanes ? 0 : left - lanes);
  TENON_UNROLL
  for (int r = 0; r < kRows; ++r) acc[r][0] = acc[r][1] = hn::Zero(d);
  for (int64_t i = 0; i < k; ++i) {
    const float* row = b + i * ldb;
    V b0, b1;
    if (HWY_LIKELY(whole)) {
      b0 = hn::LoadU(d, row);
      b1 = hn::LoadU(d, row + lanes);
    } else {
      b0 = hn::LoadN(d, row, n0);
      b1 = n1 ? hn::LoadN(d, row + lanes, n1) : hn::Zero(d);
    }
    TENON_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const V x = hn::Set(d, a[r * lda + i]);
      acc[r][0] = hn::MulAdd(x, b0, acc[r][0]);
      acc[r][1] = hn::MulAdd(x, b1, acc[r][1]);
    }
  }
  TENON_UNROLL
  for (int r = 0; r < kRows; ++r) {
    float* to = c + r * ldc;
    if (whole) {
      if (accumulate) {
        acc[r][0] = hn::Add(acc[r][0], hn::LoadU(d, to));
        acc[r][1] = hn::Add(acc[r][1], hn::LoadU(d, to + lanes));
      }
      hn::StoreU(acc[r][0], d, to);
      hn::StoreU(acc[r][1], d, to + lanes);
      continue;
    }
    if (accumulate) acc[r][0] = hn::Add(acc[r][0], hn::LoadN(d, to, n0));
    hn::StoreN(acc[r][0], d, to, n0);
    if (n1 == 0) continue;
    if (accumulate) acc[r][1] = hn::Add(acc[r][1], hn::LoadN(d, to + lanes, n1));
    hn::StoreN(acc[r][1], d, to + lanes, n1);
  }
}

void Multiply(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb, float* c,
              int64_t ldc, bool accumulate) {
  const int64_t step = 2 * static_cast<int64_t>(hn::Lanes(D()));
  for (int64_t j = 0; j < n; j += step) {
    const int64_t left = n - j;
    int64_t r = 0;
    for (; r + 6 <= m; r += 6) Tile<6>(k, a + r * lda, lda, b + j, ldb, c + r * ldc + j, ldc, left, accumulate);
    for (; r + 2 <= m; r += 2) Tile<2>(k, a + r * lda, lda, b + j, ldb, c + r * ldc + j, ldc, left, accumulate);
    for (; r < m; ++r) Tile<1>(k, a + r * lda, lda, b + j, ldb, c + r * ldc + j, ldc, left, accumulate);
  }
}

template <int kRows>
HWY_INLINE void DotRow(int64_t k, const float* a, int64_t lda, const float* b, float* c, int64_t ldc) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  V acc[kRows];
  TENON_UNROLL
  for (int r = 0; r < kRows; ++r) acc[r] = hn::Zero(d);
  int64_t i = 0;
  for (; i + lanes <= k; i += lanes) {
    const V x = hn::LoadU(d, b + i);
    TENON_UNROLL
    for (int r = 0; r < kRows; ++r) acc[r] = hn::MulAdd(x, hn::LoadU(d, a + r * lda + i), acc[r]);
  }
  if (i < k) {
    const size_t left = static_cast<size_t>(k - i);
    const V x = hn::LoadN(d, b + i, left);
    TENON_UNROLL
    for (int r = 0; r < kRows; ++r) acc[r] = hn::MulAdd(x, hn::LoadN(d, a + r * lda + i, left), acc[r]);
  }
  TENON_UNROLL
  for (int r = 0; r < kRows; ++r) c[r * ldc] = hn::ReduceSum(d, acc[r]);
}
void Dots(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb, float* c,
          int64_t ldc) {
  for (int64_t j = 0; j < n; ++j) {
    int64_t r = 0;
    for (; r + 4 <= m; r += 4) DotRow<4>(k, a + r * lda, lda, b + j * ldb, c + r * ldc + j, ldc);
    for (; r < m; ++r) DotRow<1>(k, a + r * lda, lda, b + j * ldb, c + r * ldc + j, ldc);
  }
}

void Transpose(int64_t n, int64_t k, const float* from, int64_t ldf, float* to, int64_t ldt) {
  const hn::Full128<float> d;
  const hn::Full128<uint64_t> du;
  int64_t j = 0;
  for (; j + 4 <= n; j += 4) {
    int64_t i = 0;
    for (; i + 4 <= k; i += 4) {
      const float* p = from + j * ldf + i;
      const auto a = hn::LoadU(d, p), b = hn::LoadU(d, p + ldf), e = hn::LoadU(d, p + 2 * ldf),
                 f = hn::LoadU(d, p + 3 * ldf);
      const auto ab0 = hn::BitCast(du, hn::InterleaveLower(d, a, b)),
                 ab1 = hn::BitCast(du, hn::InterleaveUpper(d, a, b));
      const auto ef0 = hn::BitCast(du, hn::InterleaveLower(d, e, f)),
                 ef1 = hn::BitCast(du, hn::InterleaveUpper(d, e, f));
      float* q = to + i * ldt + j;
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(du, ab0, ef0)), d, q);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(du, ab0, ef0)), d, q + ldt);
      hn::StoreU(hn::BitCast(d, hn::InterleaveLower(du, ab1, ef1)), d, q + 2 * ldt);
      hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(du, ab1, ef1)), d, q + 3 * ldt);
    }
    for (; i < k; ++i) {
      for (int64_t t = 0; t < 4; ++t) to[i * ldt + j + t] = from[(j + t) * ldf + i];
    }
  }
  for (; j < n; ++j) {
    for (int64_t i = 0; i < k; ++i) to[i * ldt + j] = from[j * ldf + i];
  }
}

void SoftCap(float cap, float* y, int64_t n) {
  const D d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const V c = hn::Set(d, cap);
  for (int64_t i = 0; i < n; i += lanes) {
    const size_t left = static_cast<size_t>(n - i);
    hn::StoreN(hn::Mul(c, vmath::Tanh(d, hn::Div(hn::LoadN(d, y + i, left), c))), d, y + i, left);
  }
}

constexpr AttentionKernels kTable = {Multiply, Dots, Transpose, SoftCap};

}  // namespace
const AttentionKernels& AttentionLookup() { return kTable; }
}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon {
HWY_EXPORT(AttentionLookup);
const AttentionKernels& attention_kernels() { return HWY_DYNAMIC_DISPATCH(AttentionLookup)(); }
}  // namespace tenon
#endif
