// Vectorised scans of the search kernels.
// SPDX-License-Identifier: MIT
#include "kernels/search/scan.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/search/scan.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE hn::Mask<D> better(D, V x, V bound, bool largest) {
  return largest ? hn::Not(hn::Le(x, bound)) : hn::Lt(x, bound);
}

int64_t scan_better(const float* x, int64_t* from, int64_t n, float bound, bool largest, uint32_t* positions,
                    int64_t room) {
  const hn::ScalableTag<float> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = *from, found = 0;
  // Against a NaN every number is smaller and nothing is greater.
  if (std::isnan(bound)) {
    if (largest) {
      *from = n;
      return 0;
    }
    for (; i < n && found < room; ++i) {
      if (!std::isnan(x[i])) positions[found++] = static_cast<uint32_t>(i);
    }
    *from = i;
    return found;
  }
  const auto limit = hn::Set(d, bound);
  for (; i + 4 * step <= n && found + 4 * step <= room; i += 4 * step) {
    const auto m0 = better(d, hn::LoadU(d, x + i), limit, largest);
    const auto m1 = better(d, hn::LoadU(d, x + i + step), limit, largest);
    const auto m2 = better(d, hn::LoadU(d, x + i + 2 * step), limit, largest);
    const auto m3 = better(d, hn::LoadU(d, x + i + 3 * step), limit, largest);
    if (hn::AllFalse(d, hn::Or(hn::Or(m0, m1), hn::Or(m2, m3)))) [[likely]]
      continue;
    for (int64_t k = 0; k < 4; ++k) {
      const auto m = better(d, hn::LoadU(d, x + i + k * step), limit, largest);
      const auto places = hn::Iota(du, static_cast<uint32_t>(i + k * step));
      found += static_cast<int64_t>(hn::CompressBlendedStore(places, hn::RebindMask(du, m), du, positions + found));
    }
  }
  if (i + 4 * step > n) {
    for (; i < n && found < room; ++i) {
      if (largest ? !(x[i] <= bound) : x[i] < bound) positions[found++] = static_cast<uint32_t>(i);
    }
  }
  *from = i;
  return found;
}

bool overlaps_any(const BoxArrays& b, int64_t n, const float box[5], float threshold) {
  const hn::ScalableTag<float> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const auto y1 = hn::Set(d, box[0]), x1 = hn::Set(d, box[1]), y2 = hn::Set(d, box[2]), x2 = hn::Set(d, box[3]);
  const auto area = hn::Set(d, box[4]), limit = hn::Set(d, threshold), zero = hn::Zero(d);
  if (!(box[4] > 0)) return false;
  int64_t i = 0;
  for (; i + step <= n; i += step) {
    const auto h = hn::Sub(hn::Min(y2, hn::LoadU(d, b.y2 + i)), hn::Max(y1, hn::LoadU(d, b.y1 + i)));
    const auto w = hn::Sub(hn::Min(x2, hn::LoadU(d, b.x2 + i)), hn::Max(x1, hn::LoadU(d, b.x1 + i)));
    const auto meets = hn::And(hn::Gt(h, zero), hn::Gt(w, zero));
    if (hn::AllFalse(d, meets)) continue;
    const auto other = hn::LoadU(d, b.area + i), both = hn::Mul(h, w);
    const auto either = hn::Sub(hn::Add(area, other), both);
    const auto valid = hn::And(meets, hn::And(hn::Gt(other, zero), hn::Gt(either, zero)));
    if (!hn::AllFalse(d, hn::And(valid, hn::Gt(hn::Div(both, either), limit)))) return true;
  }
  for (; i < n; ++i) {
    const float h = std::min(box[2], b.y2[i]) - std::max(box[0], b.y1[i]);
    const float w = std::min(box[3], b.x2[i]) - std::max(box[1], b.x1[i]);
    if (!(h > 0 && w > 0 && b.area[i] > 0)) continue;
    const float both = h * w, either = box[4] + b.area[i] - both;
    if (either > 0 && both / either > threshold) return true;
  }
  return false;
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(scan_better);
HWY_EXPORT(overlaps_any);

int64_t scan_better(const float* x, int64_t* from, int64_t n, float bound, bool largest, uint32_t* positions,
                    int64_t room) {
  return HWY_DYNAMIC_DISPATCH(scan_better)(x, from, n, bound, largest, positions, room);
}
bool overlaps_any(const BoxArrays& boxes, int64_t n, const float box[5], float threshold) {
  return HWY_DYNAMIC_DISPATCH(overlaps_any)(boxes, n, box, threshold);
}
}  // namespace tenon::kernels
#endif
