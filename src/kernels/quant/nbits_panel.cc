// Inner loops of block-wise weights: codes are unpacked in registers; four bytes at a time meet four activations.
// SPDX-License-Identifier: MIT
#include "kernels/quant/nbits_panel.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/nbits_panel.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::CappedTag<float, 16>;
using DI = hn::RebindToSigned<DF>;
using DU = hn::RebindToUnsigned<DF>;
using DU8 = hn::Repartition<uint8_t, DI>;
using DI8 = hn::Repartition<int8_t, DI>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;

HWY_INLINE VI zeros_of(const PackedNbits& b, const uint8_t* block, int64_t at) {
  const DI d;
  if (!b.has_zeros) return hn::Set(d, b.zero);
  return hn::PromoteTo(d, hn::LoadU(hn::Rebind<uint8_t, DI>(), block + 64 + at));
}

HWY_INLINE hn::Vec<DI8> four_of(const int8_t* a) {
  int32_t four;
  std::memcpy(&four, a, 4);
  return hn::BitCast(DI8(), hn::Set(DI(), four));
}

template <int MR, int kBits>
HWY_NOINLINE void Integers(const PackedNbits& b, const uint8_t* weights, const NbitsRows& rows, float* out) {
  const DF df;
  const DI di;
  const DU8 du8;
  const int64_t n = static_cast<int64_t>(hn::Lanes(df)), ld = rows.blocks * rows.block, stride = b.block_bytes();
  const auto low = hn::Set(du8, 15);
  for (int64_t at = 0; at < kNbitsRows; at += n) {
    VF total[MR];
    HWY_UNROLL(4)
    for (int r = 0; r < MR; ++r) total[r] = hn::Zero(df);
    for (int64_t i = 0; i < rows.blocks; ++i) {
      const uint8_t* block = weights + i * stride;
      const uint8_t* codes = block + b.header_bytes() + at * 4;
      const int8_t* a = rows.bytes + i * rows.block;
      const VI zero = zeros_of(b, block, at);
      VI sum[MR], more[MR];
      HWY_UNROLL(4)
      for (int r = 0; r < MR; ++r) {
        sum[r] = hn::Neg(hn::Mul(zero, hn::Set(di, rows.sums[r * rows.blocks + i])));
        more[r] = hn::Zero(di);
      }
      if constexpr (kBits == 4) {
        for (int64_t k = 0; k < rows.block; k += 8, codes += 64) {
          const auto pair = hn::LoadU(du8, codes);
          const auto first = hn::And(pair, low), second = hn::ShiftRight<4>(pair);
          HWY_UNROLL(4)
          for (int r = 0; r < MR; ++r) {
            sum[r] = hn::SumOfMulQuadAccumulate(di, first, four_of(a + r * ld + k), sum[r]);
            more[r] = hn::SumOfMulQuadAccumulate(di, second, four_of(a + r * ld + k + 4), more[r]);
          }
        }
      } else {
        for (int64_t k = 0; k < rows.block; k += 8, codes += 128) {
          const auto first = hn::LoadU(du8, codes), second = hn::LoadU(du8, codes + 64);
          HWY_UNROLL(4)
          for (int r = 0; r < MR; ++r) {
            sum[r] = hn::SumOfMulQuadAccumulate(di, first, four_of(a + r * ld + k), sum[r]);
            more[r] = hn::SumOfMulQuadAccumulate(di, second, four_of(a + r * ld + k + 4), more[r]);
          }
        }
      }
      const VF scale = hn::LoadU(df, reinterpret_cast<const float*>(block) + at);
      HWY_UNROLL(4)
      for (int r = 0; r < MR; ++r) {
        const VF value = hn::ConvertTo(df, hn::Add(sum[r], more[r]));
        total[r] = hn::MulAdd(hn::Mul(value, hn::Set(df, rows.scales[r * rows.blocks + i])), scale, total[r]);
      }
    }
    HWY_UNROLL(4)
    for (int r = 0; r < MR; ++r) hn::StoreU(total[r], df, out + r * kNbitsRows + at);
  }
}

/// sum[r] += a[r][k + j] * (code - zero) for the four bytes of each lane, from bit kShift of the byte on.
template <int MR, int kShift, int kMask>
HWY_INLINE void add_four(hn::Vec<DU> codes, VI zero, const float* a, int64_t ld, VF* sum) {
  const DF df;
  const DI di;
  const DU du;
  const auto mask = hn::Set(du, kMask);
  const auto add = [&](hn::Vec<DU> code, int64_t j) HWY_ATTR {
    const VF weight = hn::ConvertTo(df, hn::Sub(hn::BitCast(di, hn::And(code, mask)), zero));
    HWY_UNROLL(4)
    for (int r = 0; r < MR; ++r) sum[r] = hn::MulAdd(weight, hn::Set(df, a[r * ld + j]), sum[r]);
  };
  add(hn::ShiftRight<kShift>(codes), 0);
  add(hn::ShiftRight<kShift + 8>(codes), 1);
  add(hn::ShiftRight<kShift + 16>(codes), 2);
  add(hn::ShiftRight<kShift + 24>(codes), 3);
}

template <int MR, int kBits>
HWY_NOINLINE void Floats(const PackedNbits& b, const uint8_t* weights, const NbitsRows& rows, float* out) {
  const DF df;
  const DU du;
  const int64_t n = static_cast<int64_t>(hn::Lanes(df)), ld = rows.blocks * rows.block, stride = b.block_bytes();
  for (int64_t at = 0; at < kNbitsRows; at += n) {
    VF total[MR];
    HWY_UNROLL(4)
    for (int r = 0; r < MR; ++r) total[r] = hn::Zero(df);
    for (int64_t i = 0; i < rows.blocks; ++i) {
      const uint8_t* block = weights + i * stride;
      const uint8_t* codes = block + b.header_bytes() + at * 4;
      const float* a = rows.floats + i * rows.block;
      const VI zero = zeros_of(b, block, at);
      VF sum[MR];
      HWY_UNROLL(4)
      for (int r = 0; r < MR; ++r) sum[r] = hn::Zero(df);
      for (int64_t k = 0; k < rows.block; k += kBits == 4 ? 8 : 4, codes += 64) {
        const auto four = hn::LoadU(du, reinterpret_cast<const uint32_t*>(codes));
        if constexpr (kBits == 4) {
          add_four<MR, 0, 15>(four, zero, a + k, ld, sum);
          add_four<MR, 4, 15>(four, zero, a + k + 4, ld, sum);
        } else {
          add_four<MR, 0, 255>(four, zero, a + k, ld, sum);
        }
      }
      const VF scale = hn::LoadU(df, reinterpret_cast<const float*>(block) + at);
      HWY_UNROLL(4)
      for (int r = 0; r < MR; ++r) total[r] = hn::MulAdd(sum[r], scale, total[r]);
    }
    HWY_UNROLL(4)
    for (int r = 0; r < MR; ++r) hn::StoreU(total[r], df, out + r * kNbitsRows + at);
  }
}

template <int MR>
void Panel(const PackedNbits& b, const uint8_t* weights, const NbitsRows& rows, float* out) {
  if (rows.bytes) return b.bits == 4 ? Integers<MR, 4>(b, weights, rows, out) : Integers<MR, 8>(b, weights, rows, out);
  return b.bits == 4 ? Floats<MR, 4>(b, weights, rows, out) : Floats<MR, 8>(b, weights, rows, out);
}

void PanelOf(const PackedNbits& b, const uint8_t* weights, const NbitsRows& rows, int count, float* out) {
  switch (count) {
    case 1: return Panel<1>(b, weights, rows, out);
    case 2: return Panel<2>(b, weights, rows, out);
    case 3: return Panel<3>(b, weights, rows, out);
    default: return Panel<4>(b, weights, rows, out);
  }
}

void RoundRow(const float* a, int64_t k, int64_t block, int8_t* values, float* scales, int32_t* sums) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<int8_t, decltype(d)> d8;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t from = 0; from < k; from += block, ++scales, ++sums, values += block) {
    const int64_t count = std::min(block, k - from);
    auto most = hn::Zero(d);
    int64_t i = 0;
    for (; i + n <= count; i += n) most = hn::Max(most, hn::Abs(hn::LoadU(d, a + from + i)));
    float largest = hn::ReduceMax(d, most);
    for (; i < count; ++i) largest = std::max(largest, std::fabs(a[from + i]));
    const float scale = largest / 127, inverse = scale > 0 ? 1 / scale : 0;
    const auto factor = hn::Set(d, inverse);
    auto sum = hn::Zero(di);
    for (i = 0; i + n <= count; i += n) {
      const auto v = hn::NearestInt(hn::Mul(hn::LoadU(d, a + from + i), factor));
      sum = hn::Add(sum, v);
      hn::StoreU(hn::DemoteTo(d8, v), d8, values + i);
    }
    int32_t total = hn::ReduceSum(di, sum);
    for (; i < count; ++i) {
      const int32_t v = static_cast<int32_t>(std::clamp(std::nearbyint(a[from + i] * inverse), -128.0f, 127.0f));
      values[i] = static_cast<int8_t>(v);
      total += v;
    }
    std::fill(values + count, values + block, int8_t{0});
    *scales = scale;
    *sums = total;
  }
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(PanelOf);
HWY_EXPORT(RoundRow);
void nbits_panel(const PackedNbits& b, const uint8_t* weights, const NbitsRows& rows, int count, float* out) {
  HWY_DYNAMIC_DISPATCH(PanelOf)(b, weights, rows, count, out);
}
void nbits_round_row(const float* a, int64_t k, int64_t block, int8_t* values, float* scales, int32_t* sums) {
  HWY_DYNAMIC_DISPATCH(RoundRow)(a, k, block, values, scales, sums);
}
}  // namespace tenon::kernels
#endif
