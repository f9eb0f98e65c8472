// Tile kernels of float and double matrix products, packing, and activations.
// SPDX-License-Identifier: MIT
#include "kernels/gemm/micro.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/micro.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/gemm/activation-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {

// Registers: MR * 2 sums, two vectors of B, one broadcast of A.
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
constexpr int kMR = 14;
constexpr int kWide3 = 4;  // panels at once with 3 rows; one row needs many independent sums to hide latency
#elif HWY_TARGET == HWY_AVX2
constexpr int kMR = 6;
constexpr int kWide3 = 2;
#else
constexpr int kMR = 4;
constexpr int kWide3 = 1;
#endif

/// MR rows times P panels of two vectors; P = 0 is the first half of a panel.
template <class D, int MR, int P, class T = hn::TFromD<D>>
HWY_NOINLINE void Tile(D d, int64_t k, const T* HWY_RESTRICT a, int64_t lda, const T* HWY_RESTRICT b, int64_t ldb,
                       int64_t panel_stride, T* HWY_RESTRICT c, int64_t ldc, const TileStore<T>& s) {
  using V = hn::Vec<D>;
  constexpr int kV = P == 0 ? 1 : 2 * P;
  constexpr int kGroups = (MR + 2) / 3;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  V sum[MR][kV];
  HWY_UNROLL(16)
  for (int r = 0; r < MR; ++r) {
    HWY_UNROLL(8)
    for (int v = 0; v < kV; ++v) sum[r][v] = hn::Zero(d);
  }
  // One pointer for three rows: the other two are reached by the addressing modes.
  const T* ap[kGroups];
  HWY_UNROLL(8)
  for (int g = 0; g < kGroups; ++g) ap[g] = a + 3 * g * lda;
  for (int64_t i = 0; i < k; ++i) {
    V bv[kV];
    HWY_UNROLL(8)
    for (int v = 0; v < kV; ++v) bv[v] = hn::LoadU(d, b + (v / 2) * panel_stride + (v % 2) * n);
    HWY_UNROLL(16)
    for (int r = 0; r < MR; ++r) {
      const V av = hn::Set(d, ap[r / 3][(r % 3) * lda]);
      HWY_UNROLL(8)
      for (int v = 0; v < kV; ++v) sum[r][v] = hn::MulAdd(av, bv[v], sum[r][v]);
    }
    b += ldb;
    HWY_UNROLL(8)
    for (int g = 0; g < kGroups; ++g) ++ap[g];
  }
  if (s.alpha != T{1}) {
    const V alpha = hn::Set(d, s.alpha);
    HWY_UNROLL(16)
    for (int r = 0; r < MR; ++r) {
      HWY_UNROLL(8)
      for (int v = 0; v < kV; ++v) sum[r][v] = hn::Mul(alpha, sum[r][v]);
    }
  }
  if (s.accumulate) {
    HWY_UNROLL(16)
    for (int r = 0; r < MR; ++r) {
      HWY_UNROLL(8)
      for (int v = 0; v < kV; ++v) sum[r][v] = hn::Add(sum[r][v], hn::LoadU(d, c + r * ldc + v * n));
    }
  } else if (s.beta != T{0}) {
    const V beta = hn::Set(d, s.beta);
    HWY_UNROLL(16)
    for (int r = 0; r < MR; ++r) {
      HWY_UNROLL(8)
      for (int v = 0; v < kV; ++v) sum[r][v] = hn::MulAdd(beta, hn::LoadU(d, c + r * ldc + v * n), sum[r][v]);
    }
  }
  if (s.last) {
    const V lo = hn::Set(d, s.lo), hi = hn::Set(d, s.hi);
    HWY_UNROLL(8)
    for (int v = 0; v < kV; ++v) {
      const V bias = s.bias ? hn::LoadU(d, s.bias + v * n) : hn::Set(d, T(-0.0));  // x + -0 is x, also for -0
      HWY_UNROLL(16)
      for (int r = 0; r < MR; ++r) sum[r][v] = AtMost(hi, AtLeast(lo, hn::Add(sum[r][v], bias)));
    }
  }
  HWY_UNROLL(16)
  for (int r = 0; r < MR; ++r) {
    HWY_UNROLL(8)
    for (int v = 0; v < kV; ++v) hn::StoreU(sum[r][v], d, c + r * ldc + v * n);
  }
}

/// All panels of a block of MR rows, P panels at a time.
template <class D, int MR, int P, class T = hn::TFromD<D>>
HWY_NOINLINE void Rows(int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, int64_t panel_stride, int64_t cols,
                       T* c, int64_t ldc, const TileStore<T>& store) {
  const D d;
  const int64_t nr = 2 * static_cast<int64_t>(hn::Lanes(d));
  TileStore<T> s = store;
  int64_t j = 0;
  if constexpr (P > 1) {
    for (; j + P * nr <= cols; j += P * nr) {
      Tile<D, MR, P>(d, k, a, lda, b + j / nr * panel_stride, ldb, panel_stride, c + j, ldc, s);
      if (s.bias) s.bias += P * nr;
    }
  }
  for (; j + nr <= cols; j += nr) {
    Tile<D, MR, 1>(d, k, a, lda, b + j / nr * panel_stride, ldb, panel_stride, c + j, ldc, s);
    if (s.bias) s.bias += nr;
  }
  if (j == cols) return;
  // The last columns go through a buffer, because the kernel reads and writes whole vectors.
  const size_t rest = static_cast<size_t>(cols - j);
  constexpr size_t kMaxNR = 2 * hn::MaxLanes(D());
  HWY_ALIGN T buffer[MR * kMaxNR];
  HWY_ALIGN T bias[kMaxNR];
  if (s.accumulate || s.beta != T{0}) {
    std::memset(buffer, 0, sizeof buffer);
    for (int r = 0; r < MR; ++r) std::memcpy(buffer + r * nr, c + r * ldc + j, rest * sizeof(T));
  }
  if (s.bias) {
    std::memset(bias, 0, sizeof bias);
    std::memcpy(bias, s.bias, rest * sizeof(T));
    s.bias = bias;
  }
  const T* panel = b + j / nr * panel_stride;
  if (2 * static_cast<int64_t>(rest) <= nr) Tile<D, MR, 0>(d, k, a, lda, panel, ldb, panel_stride, buffer, nr, s);
  else Tile<D, MR, 1>(d, k, a, lda, panel, ldb, panel_stride, buffer, nr, s);
  for (int r = 0; r < MR; ++r) std::memcpy(c + r * ldc + j, buffer + r * nr, rest * sizeof(T));
}

template <class D, class T = hn::TFromD<D>>
void RowBlock(int rows, int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, int64_t panel_stride, int64_t cols,
              T* c, int64_t ldc, const TileStore<T>& s) {
#define TENON_ROWS(R, P) \
  case R: return Rows<D, (R <= kMR ? R : 1), P>(k, a, lda, b, ldb, panel_stride, cols, c, ldc, s);
  switch (rows) {
    TENON_ROWS(1, 4)
    TENON_ROWS(2, (kWide3 > 1 ? kWide3 : 1))
    TENON_ROWS(3, kWide3)
    TENON_ROWS(4, 1)
    TENON_ROWS(5, 1)
    TENON_ROWS(6, 1)
#if HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
    TENON_ROWS(7, 1)
    TENON_ROWS(8, 1)
    TENON_ROWS(9, 1)
    TENON_ROWS(10, 1)
    TENON_ROWS(11, 1)
    TENON_ROWS(12, 1)
    TENON_ROWS(13, 1)
    TENON_ROWS(14, 1)
#endif
    default: HWY_ABORT("row_block: %d rows", rows);
  }
#undef TENON_ROWS
}

/// out[r][i] = in[i][r] for i < k, r < rows: blocks of 4 x 4 for four-byte types, scalar otherwise and at the edges.
template <class T>
void TransposeRows(const T* HWY_RESTRICT in, int64_t ld_in, int64_t k, int64_t rows, T* HWY_RESTRICT out,
                   int64_t ld_out) {
  int64_t i = 0;
  if constexpr (sizeof(T) == 4) {
    const hn::FixedTag<T, 4> d;
    const hn::Repartition<uint64_t, decltype(d)> d64;
    for (; i + 4 <= k; i += 4) {
      const T* p = in + i * ld_in;
      int64_t r = 0;
      for (; r + 4 <= rows; r += 4) {
        const auto r0 = hn::LoadU(d, p + r), r1 = hn::LoadU(d, p + ld_in + r);
        const auto r2 = hn::LoadU(d, p + 2 * ld_in + r), r3 = hn::LoadU(d, p + 3 * ld_in + r);
        const auto a = hn::BitCast(d64, hn::InterleaveLower(d, r0, r1)),
                   b = hn::BitCast(d64, hn::InterleaveUpper(d, r0, r1));
        const auto c = hn::BitCast(d64, hn::InterleaveLower(d, r2, r3)),
                   e = hn::BitCast(d64, hn::InterleaveUpper(d, r2, r3));
        T* q = out + r * ld_out + i;
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, a, c)), d, q);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, a, c)), d, q + ld_out);
        hn::StoreU(hn::BitCast(d, hn::InterleaveLower(d64, b, e)), d, q + 2 * ld_out);
        hn::StoreU(hn::BitCast(d, hn::InterleaveUpper(d64, b, e)), d, q + 3 * ld_out);
      }
      for (; r < rows; ++r)
        for (int64_t x = 0; x < 4; ++x) out[r * ld_out + i + x] = p[x * ld_in + r];
    }
  }
  for (; i < k; ++i)
    for (int64_t r = 0; r < rows; ++r) out[r * ld_out + i] = in[i * ld_in + r];
}

template <class D, class T = hn::TFromD<D>>
void PackPanels(const T* b, int64_t ldb, bool trans, int64_t k, int64_t n, T* out, int64_t panel_stride) {
  const int64_t nr = 2 * static_cast<int64_t>(hn::Lanes(D()));
  for (int64_t j = 0; j < n; j += nr, out += panel_stride) {
    const int64_t cols = std::min(nr, n - j);
    if (cols < nr) std::memset(out, 0, static_cast<size_t>(k * nr) * sizeof(T));
    if (trans) {
      TransposeRows(b + j * ldb, ldb, cols, k, out, nr);
      continue;
    }
    const T* from = b + j;
    if (cols == nr) {
      const D d;
      const size_t half = hn::Lanes(d);
      for (int64_t i = 0; i < k; ++i) {
        hn::StoreU(hn::LoadU(d, from + i * ldb), d, out + i * nr);
        hn::StoreU(hn::LoadU(d, from + i * ldb + half), d, out + i * nr + half);
      }
    } else {
      for (int64_t i = 0; i < k; ++i) std::memcpy(out + i * nr, from + i * ldb, static_cast<size_t>(cols) * sizeof(T));
    }
  }
}

template <class D, class T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> ActOf(D d, hn::Vec<D> x, Act kind, hn::Vec<D> a, hn::Vec<D> b) {
  if constexpr (sizeof(T) == 4) {
    return ActV(d, x, kind, a, b);
  } else {
    switch (kind) {  // double knows the cheap ones only; the driver refuses the others
      case Act::kRelu: return AtLeast(hn::Zero(d), x);
      case Act::kClip: return AtMost(b, AtLeast(a, x));
      case Act::kLeakyRelu: return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, a), x);
      default: return x;
    }
  }
}

template <class D, class T = hn::TFromD<D>>
void FinishRows(T* c, int64_t ldc, int64_t rows, int64_t n, const Finish<T>& f) {
  const D d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const auto a = hn::Set(d, static_cast<T>(f.act.a)), b = hn::Set(d, static_cast<T>(f.act.b));
  for (int64_t r = 0; r < rows; ++r) {
    T* row = c + r * ldc;
    const T* residual = f.residual ? f.residual + r * f.residual_ld : nullptr;
    const auto bias = hn::Set(d, f.bias_row ? f.bias_row[r] : T(-0.0));
    int64_t j = 0;
    for (; j + step <= n; j += step) {
      auto x = hn::Add(hn::LoadU(d, row + j), bias);
      if (residual) x = hn::Add(x, hn::LoadU(d, residual + j));
      hn::StoreU(ActOf(d, x, f.act.kind, a, b), d, row + j);
    }
    if (j == n) continue;
    const size_t rest = static_cast<size_t>(n - j);
    auto x = hn::Add(hn::LoadN(d, row + j, rest), bias);
    if (residual) x = hn::Add(x, hn::LoadN(d, residual + j, rest));
    hn::StoreN(ActOf(d, x, f.act.kind, a, b), d, row + j, rest);
  }
}

void ApplyActivation(const float* x, float* y, int64_t n, Activation act) {
  const hn::ScalableTag<float> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const auto a = hn::Set(d, act.a), b = hn::Set(d, act.b);
  int64_t i = 0;
  for (; i + step <= n; i += step) hn::StoreU(ActV(d, hn::LoadU(d, x + i), act.kind, a, b), d, y + i);
  const size_t rest = static_cast<size_t>(n - i);
  if (rest) hn::StoreN(ActV(d, hn::LoadN(d, x + i, rest), act.kind, a, b), d, y + i, rest);
}

template <class T>
const MicroKernels<T>& TableOf() {
  using D = hn::ScalableTag<T>;
  static const MicroKernels<T> table = {
      kMR, 2 * static_cast<int>(hn::Lanes(D())), RowBlock<D>, PackPanels<D>, TransposeRows<T>, FinishRows<D>};
  return table;
}
const MicroKernels<float>& TableF32() { return TableOf<float>(); }
const MicroKernels<double>& TableF64() { return TableOf<double>(); }

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(TableF32);
HWY_EXPORT(TableF64);
HWY_EXPORT(ApplyActivation);

const MicroKernels<float>& micro_f32() { return HWY_DYNAMIC_DISPATCH(TableF32)(); }
const MicroKernels<double>& micro_f64() { return HWY_DYNAMIC_DISPATCH(TableF64)(); }
void apply_activation(const float* x, float* y, int64_t n, Activation act) {
  HWY_DYNAMIC_DISPATCH(ApplyActivation)(x, y, n, act);
}

}  // namespace tenon::kernels
#endif
