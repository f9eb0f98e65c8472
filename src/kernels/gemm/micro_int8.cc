// Tile kernels of 8-bit matrix products: u8 by s8 in groups of four, exact.
// SPDX-License-Identifier: MIT
#include "kernels/gemm/micro_int8.h"

#include <algorithm>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/gemm/micro_int8.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DI32 = hn::ScalableTag<int32_t>;
using DI8 = hn::Repartition<int8_t, DI32>;
using DU8 = hn::Repartition<uint8_t, DI32>;
using DU32 = hn::Repartition<uint32_t, DI32>;

#if HWY_TARGET <= HWY_AVX3
constexpr int kRows = 12;
#else
constexpr int kRows = 4;
#endif

template <int MR>
HWY_NOINLINE void Tile8(int64_t groups, const uint8_t* HWY_RESTRICT a, int64_t lda, const int8_t* HWY_RESTRICT b,
                        int32_t* HWY_RESTRICT c, int64_t ldc, bool accumulate) {
  const DI32 d;
  const DU32 du;
  const DI8 d8;
  const DU8 du8;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<DI32> sum[MR][2];
  HWY_UNROLL(16)
  for (int r = 0; r < MR; ++r) {
    sum[r][0] = accumulate ? hn::LoadU(d, c + r * ldc) : hn::Zero(d);
    sum[r][1] = accumulate ? hn::LoadU(d, c + r * ldc + n) : hn::Zero(d);
  }
  constexpr int kGroups = (MR + 2) / 3;
  const uint8_t* ap[kGroups];
  HWY_UNROLL(8)
  for (int g = 0; g < kGroups; ++g) ap[g] = a + 3 * g * lda;
  for (int64_t i = 0; i < groups; ++i) {
    const auto b0 = hn::LoadU(d8, b), b1 = hn::LoadU(d8, b + 4 * n);
    b += 8 * n;
    HWY_UNROLL(16)
    for (int r = 0; r < MR; ++r) {
      uint32_t four;
      std::memcpy(&four, ap[r / 3] + (r % 3) * lda, 4);
      const auto av = hn::BitCast(du8, hn::Set(du, four));
      sum[r][0] = hn::SumOfMulQuadAccumulate(d, av, b0, sum[r][0]);
      sum[r][1] = hn::SumOfMulQuadAccumulate(d, av, b1, sum[r][1]);
    }
    HWY_UNROLL(8)
    for (int g = 0; g < kGroups; ++g) ap[g] += 4;
  }
  HWY_UNROLL(16)
  for (int r = 0; r < MR; ++r) {
    hn::StoreU(sum[r][0], d, c + r * ldc);
    hn::StoreU(sum[r][1], d, c + r * ldc + n);
  }
}

template <int MR>
void Rows8(int64_t groups, const uint8_t* a, int64_t lda, const int8_t* b, int64_t panel_stride, int64_t panels,
           int32_t* c, int64_t ldc, bool accumulate) {
  const int64_t nr = 2 * static_cast<int64_t>(hn::Lanes(DI32()));
  for (int64_t p = 0; p < panels; ++p) Tile8<MR>(groups, a, lda, b + p * panel_stride, c + p * nr, ldc, accumulate);
}

void RowBlock8(int rows, int64_t groups, const uint8_t* a, int64_t lda, const int8_t* b, int64_t panel_stride,
               int64_t panels, int32_t* c, int64_t ldc, bool accumulate) {
#define TENON_ROWS(R) \
  case R: return Rows8<(R <= kRows ? R : 1)>(groups, a, lda, b, panel_stride, panels, c, ldc, accumulate);
  switch (rows) {
    TENON_ROWS(1)
    TENON_ROWS(2)
    TENON_ROWS(3)
    TENON_ROWS(4)
#if HWY_TARGET <= HWY_AVX3
        TENON_ROWS(5) TENON_ROWS(6) TENON_ROWS(7) TENON_ROWS(8) TENON_ROWS(9) TENON_ROWS(10) TENON_ROWS(11)
            TENON_ROWS(12)
#endif
                default : HWY_ABORT("row_block of 8 bits: %d rows", rows);
  }
#undef TENON_ROWS
}

void PackPanel8(const uint8_t* b, int64_t ldb, bool trans, int64_t k, int64_t cols, uint8_t flip, int8_t* out,
                int32_t* sums) {
  const int64_t nr = 2 * static_cast<int64_t>(hn::Lanes(DI32()));
  const int64_t groups = (k + 3) / 4;
  std::memset(sums, 0, static_cast<size_t>(nr) * 4);
  if (cols < nr || k % 4) std::memset(out, 0, static_cast<size_t>(groups * nr * 4));
  if (trans) {
    for (int64_t j = 0; j < cols; ++j) {
      const uint8_t* from = b + j * ldb;
      int32_t sum = 0;
      for (int64_t i = 0; i < k; ++i) {
        const int8_t v = static_cast<int8_t>(from[i] ^ flip);
        out[(i / 4 * nr + j) * 4 + i % 4] = v;
        sum += v;
      }
      sums[j] = sum;
    }
    return;
  }
  for (int64_t i = 0; i < k; ++i) {
    const uint8_t* from = b + i * ldb;
    int8_t* to = out + i / 4 * nr * 4 + i % 4;
    for (int64_t j = 0; j < cols; ++j) {
      const int8_t v = static_cast<int8_t>(from[j] ^ flip);
      to[j * 4] = v;
      sums[j] += v;
    }
  }
}

uint32_t StageRow8(const uint8_t* in, int64_t k, uint8_t flip, uint8_t* out, int64_t padded) {
  const DU8 d;
  const hn::Repartition<uint64_t, DU8> d64;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const auto f = hn::Set(d, flip);
  auto sums = hn::Zero(d64);
  int64_t i = 0;
  for (; i + step <= k; i += step) {
    const auto v = hn::Xor(hn::LoadU(d, in + i), f);
    sums = hn::Add(sums, hn::SumsOf8(v));
    hn::StoreU(v, d, out + i);
  }
  uint32_t sum = static_cast<uint32_t>(hn::ReduceSum(d64, sums));
  for (; i < k; ++i) {
    out[i] = in[i] ^ flip;
    sum += out[i];
  }
  for (; i < padded; ++i) out[i] = 0;
  return sum;
}

void Correct8(int32_t* c, int64_t n, const int32_t* sums, const int32_t* b_zero, uint32_t row_sum, uint32_t a_zero,
              uint32_t k) {
  const DI32 d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const auto az = hn::Set(d, static_cast<int32_t>(a_zero));
  const auto factor = hn::Set(d, static_cast<int32_t>(k * a_zero - row_sum));  // both terms with b_zero
  int64_t j = 0;
  for (; j + step <= n; j += step) {
    auto v = hn::Sub(hn::LoadU(d, c + j), hn::Mul(az, hn::LoadU(d, sums + j)));
    v = hn::Add(v, hn::Mul(factor, hn::LoadU(d, b_zero + j)));
    hn::StoreU(v, d, c + j);
  }
  for (; j < n; ++j)
    c[j] = static_cast<int32_t>(static_cast<uint32_t>(c[j]) - a_zero * static_cast<uint32_t>(sums[j]) +
                                (k * a_zero - row_sum) * static_cast<uint32_t>(b_zero[j]));
}

const MicroInt8& Table8() {
  static const MicroInt8 table = {kRows,   2 * static_cast<int>(hn::Lanes(DI32())), RowBlock8, PackPanel8, StageRow8,
                                  Correct8};
  return table;
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(Table8);
const MicroInt8& micro_int8() { return HWY_DYNAMIC_DISPATCH(Table8)(); }
}  // namespace tenon::kernels
#endif
