// Inner loops of 8-bit convolutions: sums to bytes, depthwise rows, sums of quantised tensors.
// SPDX-License-Identifier: MIT
#include "kernels/conv/micro_conv_int8.h"

#include <algorithm>

#include "kernels/conv/conv_int8.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/micro_conv_int8.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using DI = hn::Rebind<int32_t, DF>;
using DS16 = hn::Rebind<int16_t, DF>;
using DU8 = hn::Rebind<uint8_t, DF>;
using DS8 = hn::Rebind<int8_t, DF>;
using VI = hn::Vec<DI>;
using VF = hn::Vec<DF>;

/// A vector of bytes as 32-bit integers.
HWY_INLINE VI LoadBytes(const uint8_t* p, bool is_signed) {
  const DI d;
  return is_signed ? hn::PromoteTo(d, hn::LoadU(DS8(), reinterpret_cast<const int8_t*>(p)))
                   : hn::PromoteTo(d, hn::LoadU(DU8(), p));
}
/// Values within the range of the type.
HWY_INLINE void StoreBytes(VI v, bool is_signed, uint8_t* p) {
  if (is_signed) hn::StoreU(hn::DemoteTo(DS8(), v), DS8(), reinterpret_cast<int8_t*>(p));
  else hn::StoreU(hn::DemoteTo(DU8(), v), DU8(), p);
}

HWY_INLINE VI Round(VI sum, VF factor, VF addend, VF lo, VF hi, VI zero) {
  const DF d;
  const VF v = hn::MulAdd(hn::ConvertTo(d, sum), factor, addend);
  return hn::Add(hn::NearestInt(hn::Min(hi, hn::Max(lo, v))), zero);
}

void RequantiseRow(const int32_t* sums, const Requantise& r, int64_t n, uint8_t* out) {
  const DF d;
  const DI di;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const VI zero = hn::Set(di, r.zero);
  const VF lo = hn::Set(d, static_cast<float>(r.lo - r.zero)), hi = hn::Set(d, static_cast<float>(r.hi - r.zero));
  int64_t i = 0;
  for (; i + step <= n; i += step) {
    const VI sum = hn::Add(hn::LoadU(di, sums + i), hn::LoadU(di, r.correction + i));
    StoreBytes(Round(sum, hn::LoadU(d, r.factor + i), hn::LoadU(d, r.addend + i), lo, hi, zero), r.is_signed, out + i);
  }
  if (i == n) return;
  const size_t rest = static_cast<size_t>(n - i);
  const VI sum = hn::Add(hn::LoadN(di, sums + i, rest), hn::LoadN(di, r.correction + i, rest));
  HWY_ALIGN uint8_t last[hn::MaxLanes(DF())];
  StoreBytes(Round(sum, hn::LoadN(d, r.factor + i, rest), hn::LoadN(d, r.addend + i, rest), lo, hi, zero), r.is_signed,
             last);
  std::copy_n(last, rest, out + i);
}

/// Taps of a dimension that lie in the image: [first, last).
HWY_INLINE void TapsInside(const DepthwiseInt8& a, int dim, int64_t o, int64_t* first, int64_t* last) {
  const int64_t origin = o * a.stride[dim] - a.pad[dim], step = a.dilation[dim];
  *first = origin >= 0 ? 0 : (-origin + step - 1) / step;
  const int64_t room = a.in_size[dim] - origin;
  *last = room <= 0 ? 0 : std::min(a.kernel[dim], (room + step - 1) / step);
  if (*last < *first) *last = *first;
}

void DepthwiseRow(const DepthwiseInt8& a, const Requantise& r) {
  const DF d;
  const DI di;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const VI zero = hn::Set(di, r.zero), x_zero = hn::Set(di, a.x_zero);
  const VF lo = hn::Set(d, static_cast<float>(r.lo - r.zero)), hi = hn::Set(d, static_cast<float>(r.hi - r.zero));
  int64_t d0, d1, h0, h1, w0, w1;
  TapsInside(a, 0, a.plane, &d0, &d1);
  TapsInside(a, 1, a.row, &h0, &h1);
  for (int64_t x = 0; x < a.out_width; ++x) {
    TapsInside(a, 2, x, &w0, &w1);
    for (int64_t c = 0; c < a.channels; c += step) {
      const int64_t rest = std::min(step, a.channels - c);
      VI sum = hn::Zero(di);
      for (int64_t kd = d0; kd < d1; ++kd)
        for (int64_t kh = h0; kh < h1; ++kh) {
          const int64_t z = a.plane * a.stride[0] - a.pad[0] + kd * a.dilation[0];
          const int64_t y = a.row * a.stride[1] - a.pad[1] + kh * a.dilation[1];
          const int64_t from = x * a.stride[2] - a.pad[2] + w0 * a.dilation[2];
          const uint8_t* p = a.in + ((z * a.in_size[1] + y) * a.in_size[2] + from) * a.channels + c;
          const int16_t* w = a.weights + ((kd * a.kernel[1] + kh) * a.kernel[2] + w0) * a.ld + c;
          for (int64_t kw = w0; kw < w1; ++kw, p += a.dilation[2] * a.channels, w += a.ld) {
            VI v;
            if (rest == step) {
              v = LoadBytes(p, a.x_signed);
            } else {
              HWY_ALIGN uint8_t last[hn::MaxLanes(DF())] = {};
              std::copy_n(p, rest, last);
              v = LoadBytes(last, a.x_signed);
            }
            sum = hn::Add(sum, hn::Mul(hn::Sub(v, x_zero), hn::PromoteTo(di, hn::LoadU(DS16(), w))));
          }
        }
      sum = hn::Add(sum, hn::LoadU(di, r.correction + c));
      const VI y = Round(sum, hn::LoadU(d, r.factor + c), hn::LoadU(d, r.addend + c), lo, hi, zero);
      uint8_t* to = a.out + x * a.channels + c;
      if (rest == step) {
        StoreBytes(y, r.is_signed, to);
      } else {
        HWY_ALIGN uint8_t last[hn::MaxLanes(DF())];
        StoreBytes(y, r.is_signed, last);
        std::copy_n(last, rest, to);
      }
    }
  }
}

template <bool kSignedA, bool kSignedB, bool kSignedY>
void AddLoop(const Quantised& a, const Quantised& b, float y_scale, int32_t y_zero, int32_t lo_value, int32_t hi_value,
             uint8_t* y, int64_t begin, int64_t end) {
  const DF d;
  const DI di;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const VI a_zero = hn::Set(di, a.zero), b_zero = hn::Set(di, b.zero), zero = hn::Set(di, y_zero);
  const VF a_scale = hn::Set(d, a.scale), b_scale = hn::Set(d, b.scale), scale = hn::Set(d, y_scale);
  // A product with the reciprocal rounds to the same integer as the quotient, unless it lies close to a half.
  const VF inverse = hn::Set(d, 1.0f / y_scale), near_half = hn::Set(d, 0.5f - 1e-3f);
  const VF lo = hn::Set(d, static_cast<float>(lo_value - y_zero)),
           hi = hn::Set(d, static_cast<float>(hi_value - y_zero));
  HWY_ALIGN uint8_t last[3][hn::MaxLanes(DF())] = {};
  for (int64_t i = begin; i < end; i += step) {
    const uint8_t* from_a = static_cast<const uint8_t*>(a.data) + i;
    const uint8_t* from_b = static_cast<const uint8_t*>(b.data) + i;
    uint8_t* to = y + i;
    const bool whole = i + step <= end;
    if (!whole) {
      std::copy_n(from_a, end - i, last[0]);
      std::copy_n(from_b, end - i, last[1]);
      from_a = last[0];
      from_b = last[1];
      to = last[2];
    }
    const VF fa = hn::Mul(hn::ConvertTo(d, hn::Sub(LoadBytes(from_a, kSignedA), a_zero)), a_scale);
    const VF fb = hn::Mul(hn::ConvertTo(d, hn::Sub(LoadBytes(from_b, kSignedB), b_zero)), b_scale);
    const VF sum = hn::Add(fa, fb);
    VF v = hn::Min(hi, hn::Max(lo, hn::Mul(sum, inverse)));
    VI q = hn::NearestInt(v);
    if (!hn::AllFalse(d, hn::Gt(hn::Abs(hn::Sub(v, hn::ConvertTo(d, q))), near_half))) {
      v = hn::Min(hi, hn::Max(lo, hn::Div(sum, scale)));
      q = hn::NearestInt(v);
    }
    StoreBytes(hn::Add(q, zero), kSignedY, to);
    if (!whole) std::copy_n(last[2], end - i, y + i);
  }
}

void AddRow(const Quantised& a, const Quantised& b, float y_scale, int32_t y_zero, bool y_signed, int32_t lo,
            int32_t hi, uint8_t* y, int64_t begin, int64_t end) {
  auto* loop = AddLoop<false, false, false>;
  switch ((a.is_signed ? 1 : 0) + (b.is_signed ? 2 : 0) + (y_signed ? 4 : 0)) {
    case 1: loop = AddLoop<true, false, false>; break;
    case 2: loop = AddLoop<false, true, false>; break;
    case 3: loop = AddLoop<true, true, false>; break;
    case 4: loop = AddLoop<false, false, true>; break;
    case 5: loop = AddLoop<true, false, true>; break;
    case 6: loop = AddLoop<false, true, true>; break;
    case 7: loop = AddLoop<true, true, true>; break;
    default: break;
  }
  loop(a, b, y_scale, y_zero, lo, hi, y, begin, end);
}

const MicroConvInt8& TableConvInt8() {
  static const MicroConvInt8 table = {RequantiseRow, DepthwiseRow, AddRow};
  return table;
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(TableConvInt8);
const MicroConvInt8& micro_conv_int8() { return HWY_DYNAMIC_DISPATCH(TableConvInt8)(); }
}  // namespace tenon::kernels
#endif
