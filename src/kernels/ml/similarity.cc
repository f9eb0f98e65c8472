// Vectorised sums of one row against many vectors.
// SPDX-License-Identifier: MIT
#include "kernels/ml/similarity.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/ml/similarity.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <bool kSquared>
HWY_INLINE void sums_of(const float* HWY_RESTRICT x, const float* HWY_RESTRICT vectors, int64_t features,
                        int64_t stride, double* HWY_RESTRICT sums) {
  const hn::CappedTag<double, 8> d;
  const hn::Rebind<float, decltype(d)> df;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t v = 0; v < stride; v += 4 * step) {
    auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
    const float* at = vectors + v;
    for (int64_t f = 0; f < features; ++f, at += stride) {
      const auto from = hn::Set(d, static_cast<double>(x[f]));
      auto term = [&](int64_t k) HWY_ATTR {
        const auto other = hn::PromoteTo(d, hn::LoadU(df, at + k * step));
        if constexpr (kSquared) {
          const auto distance = hn::Sub(other, from);
          return hn::Mul(distance, distance);
        } else {
          return hn::Mul(other, from);
        }
      };
      s0 = hn::Add(s0, term(0));
      s1 = hn::Add(s1, term(1));
      s2 = hn::Add(s2, term(2));
      s3 = hn::Add(s3, term(3));
    }
    hn::StoreU(s0, d, sums + v);
    hn::StoreU(s1, d, sums + v + step);
    hn::StoreU(s2, d, sums + v + 2 * step);
    hn::StoreU(s3, d, sums + v + 3 * step);
  }
}

void similarity_sums(const float* x, const float* vectors, int64_t features, int64_t stride, bool squared,
                     double* sums) {
  if (squared) sums_of<true>(x, vectors, features, stride, sums);
  else sums_of<false>(x, vectors, features, stride, sums);
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(similarity_sums);

void similarity_sums(const float* x, const float* vectors, int64_t features, int64_t stride, bool squared,
                     double* sums) {
  HWY_DYNAMIC_DISPATCH(similarity_sums)(x, vectors, features, stride, squared, sums);
}

void transpose_vectors(const float* vectors, int64_t count, int64_t features, int64_t stride, float* out) {
  std::fill_n(out, features * stride, 0.0f);
  for (int64_t v = 0; v < count; ++v)
    for (int64_t f = 0; f < features; ++f) out[f * stride + v] = vectors[v * features + f];
}
}  // namespace tenon::kernels
#endif
