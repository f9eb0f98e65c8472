// Vectorised rows of linear quantisation.
// SPDX-License-Identifier: MIT
#include "kernels/quant/linear_rows.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/quant/linear_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// One vector: rounded and clamped before the conversion to integers, so that nothing overflows there.
template <bool kEach, class D>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> quantize_vector(D d, const float* x, int64_t i, const QuantRow& row,
                                                          float low, float high) {
  const hn::RebindToSigned<D> di;
  const auto scale = kEach ? hn::LoadU(d, row.scale + i) : hn::Set(d, row.scale[0]);
  const auto zero = kEach ? hn::LoadU(di, row.zero + i) : hn::Set(di, row.zero[0]);
  const auto zf = hn::ConvertTo(d, zero);
  const auto q = hn::Round(hn::Div(hn::LoadU(d, x + i), scale));
  const auto number = hn::IfThenElseZero(hn::Eq(q, q), q);
  const auto limited = hn::Min(hn::Max(number, hn::Sub(hn::Set(d, low), zf)), hn::Sub(hn::Set(d, high), zf));
  return hn::Add(hn::ConvertTo(di, limited), zero);
}

template <bool kEach, class T>
void quantize_typed(T* dst, const float* x, int64_t n, const QuantRow& row, int32_t low, int32_t high) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<T, decltype(d)> dt;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const float lo = static_cast<float>(low), hi = static_cast<float>(high);
  int64_t i = 0;
  for (; i + step <= n; i += step)
    hn::StoreU(hn::DemoteTo(dt, quantize_vector<kEach>(d, x, i, row, lo, hi)), dt, dst + i);
  if (i == n) return;
  // The rest through copies, so that every element sees the same operations.
  float values[hn::MaxLanes(d)] = {}, scales[hn::MaxLanes(d)];
  int32_t zeros[hn::MaxLanes(d)], results[hn::MaxLanes(d)];
  for (int64_t k = 0; k < step; ++k) {
    const int64_t at = i + k < n ? (i + k) * row.step : 0;
    values[k] = i + k < n ? x[i + k] : 0.0f;
    scales[k] = row.scale[at];
    zeros[k] = row.zero[at];
  }
  hn::StoreU(quantize_vector<true>(d, values, 0, QuantRow{scales, zeros, 1}, lo, hi), di, results);
  for (int64_t k = 0; i + k < n; ++k) dst[i + k] = static_cast<T>(results[k]);
}

template <bool kEach, class T>
void dequantize_typed(float* dst, const T* x, int64_t n, const QuantRow& row) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const hn::Rebind<T, decltype(d)> dt;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= n; i += step) {
    hn::Vec<decltype(di)> v;
    if constexpr (sizeof(T) == 4) v = hn::LoadU(di, x + i);
    else v = hn::PromoteTo(di, hn::LoadU(dt, x + i));
    const auto zero = kEach ? hn::LoadU(di, row.zero + i) : hn::Set(di, row.zero[0]);
    const auto scale = kEach ? hn::LoadU(d, row.scale + i) : hn::Set(d, row.scale[0]);
    hn::StoreU(hn::Mul(hn::ConvertTo(d, hn::Sub(v, zero)), scale), d, dst + i);
  }
  for (; i < n; ++i) {
    const int64_t at = i * row.step;
    const uint32_t difference = static_cast<uint32_t>(static_cast<int32_t>(x[i])) - static_cast<uint32_t>(row.zero[at]);
    dst[i] = static_cast<float>(static_cast<int32_t>(difference)) * row.scale[at];
  }
}

template <class T>
void quantize_any(T* dst, const float* x, int64_t n, const QuantRow& row, int32_t low, int32_t high) {
  if (row.step) quantize_typed<true>(dst, x, n, row, low, high);
  else quantize_typed<false>(dst, x, n, row, low, high);
}
template <class T>
void dequantize_any(float* dst, const T* x, int64_t n, const QuantRow& row) {
  if (row.step) dequantize_typed<true>(dst, x, n, row);
  else dequantize_typed<false>(dst, x, n, row);
}

void quantize_row(void* dst, DType type, const float* x, int64_t n, const QuantRow& row, int32_t low, int32_t high) {
  switch (type) {
    case DType::kU8: quantize_any(static_cast<uint8_t*>(dst), x, n, row, low, high); break;
    case DType::kI8: quantize_any(static_cast<int8_t*>(dst), x, n, row, low, high); break;
    case DType::kU16: quantize_any(static_cast<uint16_t*>(dst), x, n, row, low, high); break;
    case DType::kI16: quantize_any(static_cast<int16_t*>(dst), x, n, row, low, high); break;
    default: break;
  }
}

void dequantize_row(float* dst, const void* x, DType type, int64_t n, const QuantRow& row) {
  switch (type) {
    case DType::kU8: dequantize_any(dst, static_cast<const uint8_t*>(x), n, row); break;
    case DType::kI8: dequantize_any(dst, static_cast<const int8_t*>(x), n, row); break;
    case DType::kU16: dequantize_any(dst, static_cast<const uint16_t*>(x), n, row); break;
    case DType::kI16: dequantize_any(dst, static_cast<const int16_t*>(x), n, row); break;
    case DType::kI32: dequantize_any(dst, static_cast<const int32_t*>(x), n, row); break;
    default: break;
  }
}

template <bool kSigned>
void requantize_typed(uint8_t* dst, const int32_t* sums, int64_t n, const float* scale, int step, int32_t zero) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  using Byte = std::conditional_t<kSigned, int8_t, uint8_t>;
  const hn::Rebind<Byte, decltype(d)> d8;
  const float lo = kSigned ? -128.0f : 0.0f, hi = kSigned ? 127.0f : 255.0f, offset = static_cast<float>(zero);
  const auto low = hn::Set(d, lo), high = hn::Set(d, hi), shift = hn::Set(d, offset), one = hn::Set(d, *scale);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto s = step ? hn::LoadU(d, scale + i) : one;
    const auto v = hn::Add(hn::Round(hn::Mul(hn::ConvertTo(d, hn::LoadU(di, sums + i)), s)), shift);
    const auto whole = hn::ConvertTo(di, hn::Min(high, hn::Max(low, v)));
    hn::StoreU(hn::DemoteTo(d8, whole), d8, reinterpret_cast<Byte*>(dst) + i);
  }
  for (; i < n; ++i) {
    const float v = std::nearbyint(static_cast<float>(sums[i]) * scale[step ? i : 0]) + offset;
    dst[i] = static_cast<uint8_t>(static_cast<int32_t>(std::min(hi, std::max(lo, v))));
  }
}
void requantize_any(void* dst, DType type, const int32_t* sums, int64_t n, const float* scale, int step, int32_t zero) {
  auto* bytes = static_cast<uint8_t*>(dst);
  if (type == DType::kI8) requantize_typed<true>(bytes, sums, n, scale, step, zero);
  else requantize_typed<false>(bytes, sums, n, scale, step, zero);
}

template <bool kEach, bool kBias>
void scale_typed(float* dst, const int32_t* sums, int64_t n, const ScaledRow& by) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto row = hn::Set(d, by.row_scale), one = hn::Set(d, by.row_scale * by.scale[0]);
  int64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const auto factor = kEach ? hn::Mul(row, hn::LoadU(d, by.scale + i)) : one;
    auto v = hn::Mul(hn::ConvertTo(d, hn::LoadU(di, sums + i)), factor);
    if constexpr (kBias) v = hn::Add(v, hn::LoadU(d, by.bias + i));
    hn::StoreU(v, d, dst + i);
  }
  for (; i < n; ++i) {
    const float v = static_cast<float>(sums[i]) * (by.row_scale * by.scale[kEach ? i : 0]);
    dst[i] = kBias ? v + by.bias[i] : v;
  }
}
void scale_any(float* dst, const int32_t* sums, int64_t n, const ScaledRow& by) {
  if (n <= 0) return;
  if (by.step) return by.bias ? scale_typed<true, true>(dst, sums, n, by) : scale_typed<true, false>(dst, sums, n, by);
  return by.bias ? scale_typed<false, true>(dst, sums, n, by) : scale_typed<false, false>(dst, sums, n, by);
}

void value_range(const float* x, int64_t n, float* low, float* high) {
  const hn::ScalableTag<float> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  auto l0 = hn::Set(d, *low), h0 = hn::Set(d, *high), l1 = l0, h1 = h0;
  for (; i + 2 * step <= n; i += 2 * step) {
    const auto a = hn::LoadU(d, x + i), b = hn::LoadU(d, x + i + step);
    l0 = hn::IfThenElse(hn::Lt(a, l0), a, l0);
    h0 = hn::IfThenElse(hn::Gt(a, h0), a, h0);
    l1 = hn::IfThenElse(hn::Lt(b, l1), b, l1);
    h1 = hn::IfThenElse(hn::Gt(b, h1), b, h1);
  }
  *low = hn::ReduceMin(d, hn::Min(l0, l1));
  *high = hn::ReduceMax(d, hn::Max(h0, h1));
  for (; i < n; ++i) {
    if (x[i] < *low) *low = x[i];
    if (x[i] > *high) *high = x[i];
  }
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(quantize_row);
HWY_EXPORT(dequantize_row);
HWY_EXPORT(value_range);
HWY_EXPORT(requantize_any);
HWY_EXPORT(scale_any);

void quantize_row(void* dst, DType type, const float* x, int64_t n, const QuantRow& row, int32_t low, int32_t high) {
  HWY_DYNAMIC_DISPATCH(quantize_row)(dst, type, x, n, row, low, high);
}
void dequantize_row(float* dst, const void* x, DType type, int64_t n, const QuantRow& row) {
  HWY_DYNAMIC_DISPATCH(dequantize_row)(dst, x, type, n, row);
}
void requantize_row(void* dst, DType type, const int32_t* sums, int64_t n, const float* scale, int step, int32_t zero) {
  HWY_DYNAMIC_DISPATCH(requantize_any)(dst, type, sums, n, scale, step, zero);
}
void scale_sums(float* dst, const int32_t* sums, int64_t n, const ScaledRow& by) {
  HWY_DYNAMIC_DISPATCH(scale_any)(dst, sums, n, by);
}
void value_range(const float* x, int64_t n, float* low, float* high) {
  HWY_DYNAMIC_DISPATCH(value_range)(x, n, low, high);
}
}  // namespace tenon::kernels
#endif
