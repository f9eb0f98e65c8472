// Vectorised rows of resize.
// SPDX-License-Identifier: MIT
#include "kernels/image/resize_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/image/resize_rows.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void resample_f32(float* dst, const float* src, const int32_t* index, const float* weight, int taps, int64_t n) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  if (taps == 2) {
    for (; i + step <= n; i += step) {
      const auto a = hn::GatherIndex(d, src, hn::LoadU(di, index + i));
      const auto b = hn::GatherIndex(d, src, hn::LoadU(di, index + n + i));
      const auto sum = hn::Mul(hn::LoadU(d, weight + i), a);
      hn::StoreU(hn::MulAdd(hn::LoadU(d, weight + n + i), b, sum), d, dst + i);
    }
  }
  for (; i + step <= n; i += step) {
    auto sum = hn::Mul(hn::LoadU(d, weight + i), hn::GatherIndex(d, src, hn::LoadU(di, index + i)));
    for (int64_t k = 1; k < taps; ++k) {
      sum =
          hn::MulAdd(hn::LoadU(d, weight + k * n + i), hn::GatherIndex(d, src, hn::LoadU(di, index + k * n + i)), sum);
    }
    hn::StoreU(sum, d, dst + i);
  }
  const hn::CappedTag<float, 1> d1;  // the same operations for the tail: a value does not depend on its place
  for (; i < n; ++i) {
    auto sum = hn::Mul(hn::Set(d1, weight[i]), hn::Set(d1, src[index[i]]));
    for (int64_t k = 1; k < taps; ++k) {
      sum = hn::MulAdd(hn::Set(d1, weight[k * n + i]), hn::Set(d1, src[index[k * n + i]]), sum);
    }
    dst[i] = hn::GetLane(sum);
  }
}

template <class T>
HWY_INLINE void blend(T* dst, const T* const* rows, const float* weight, int64_t stride, int taps, int64_t n) {
  const hn::ScalableTag<T> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const auto w0 = hn::Set(d, static_cast<T>(weight[0]));
  int64_t i = 0;
  if (taps == 2) {
    const auto w1 = hn::Set(d, static_cast<T>(weight[stride]));
    for (; i + step <= n; i += step) {
      const auto sum = hn::Mul(w0, hn::LoadU(d, rows[0] + i));
      hn::StoreU(hn::MulAdd(w1, hn::LoadU(d, rows[1] + i), sum), d, dst + i);
    }
  }
  for (; i + step <= n; i += step) {
    auto sum = hn::Mul(w0, hn::LoadU(d, rows[0] + i));
    for (int64_t k = 1; k < taps; ++k) {
      sum = hn::MulAdd(hn::Set(d, static_cast<T>(weight[k * stride])), hn::LoadU(d, rows[k] + i), sum);
    }
    hn::StoreU(sum, d, dst + i);
  }
  const hn::CappedTag<T, 1> d1;
  for (; i < n; ++i) {
    auto sum = hn::Mul(hn::Set(d1, static_cast<T>(weight[0])), hn::Set(d1, rows[0][i]));
    for (int64_t k = 1; k < taps; ++k) {
      sum = hn::MulAdd(hn::Set(d1, static_cast<T>(weight[k * stride])), hn::Set(d1, rows[k][i]), sum);
    }
    dst[i] = hn::GetLane(sum);
  }
}
void blend_f32(float* dst, const float* const* rows, const float* weight, int64_t stride, int taps, int64_t n) {
  blend(dst, rows, weight, stride, taps, n);
}
void blend_f64(double* dst, const double* const* rows, const float* weight, int64_t stride, int taps, int64_t n) {
  blend(dst, rows, weight, stride, taps, n);
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(resample_f32);
HWY_EXPORT(blend_f32);
HWY_EXPORT(blend_f64);

void resample_row(float* dst, const float* src, const int32_t* index, const float* weight, int taps, int64_t n) {
  HWY_DYNAMIC_DISPATCH(resample_f32)(dst, src, index, weight, taps, n);
}
void resample_row(double* dst, const double* src, const int32_t* index, const float* weight, int taps, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t k = 0; k < taps; ++k) sum += static_cast<double>(weight[k * n + i]) * src[index[k * n + i]];
    dst[i] = sum;
  }
}
void blend_rows(float* dst, const float* const* rows, const float* weight, int64_t stride, int taps, int64_t n) {
  HWY_DYNAMIC_DISPATCH(blend_f32)(dst, rows, weight, stride, taps, n);
}
void blend_rows(double* dst, const double* const* rows, const float* weight, int64_t stride, int taps, int64_t n) {
  HWY_DYNAMIC_DISPATCH(blend_f64)(dst, rows, weight, stride, taps, n);
}
}  // namespace tenon::kernels
#endif
