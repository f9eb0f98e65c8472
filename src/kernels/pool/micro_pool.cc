// Vector loops of pooling: over channels when they are last, else along the line.
// SPDX-License-Identifier: MIT
#include "kernels/pool/micro_pool.h"

#include <algorithm>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/pool/micro_pool.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// start, step, merge of two partial results, end: the four parts of each kind of pooling.
struct MaxOp {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Start(D d) {
    using T = hn::TFromD<D>;
    if constexpr (std::is_floating_point_v<T>) return hn::Neg(hn::Inf(d));
    else return hn::Set(d, hwy::LowestValue<T>());
  }
  template <class V>
  static HWY_INLINE V Step(V sum, V x) {
    return hn::Max(sum, x);
  }
  template <class V>
  static HWY_INLINE V Merge(V a, V b) {
    return hn::Max(a, b);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V End(D, V sum, int64_t) {
    return sum;
  }
};
struct AverageOp {
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V Start(D d) {
    return hn::Zero(d);
  }
  template <class V>
  static HWY_INLINE V Step(V sum, V x) {
    return hn::Add(sum, x);
  }
  template <class V>
  static HWY_INLINE V Merge(V a, V b) {
    return hn::Add(a, b);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V End(D d, V sum, int64_t count) {
    return hn::Div(sum, hn::Set(d, static_cast<hn::TFromD<D>>(std::max<int64_t>(count, 1))));
  }
};
struct AbsOp : AverageOp {
  template <class V>
  static HWY_INLINE V Step(V sum, V x) {
    return hn::Add(sum, hn::Abs(x));
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V End(D, V sum, int64_t) {
    return sum;
  }
};
struct SquareOp : AverageOp {
  template <class V>
  static HWY_INLINE V Step(V sum, V x) {
    return hn::MulAdd(x, x, sum);
  }
  template <class D, class V = hn::Vec<D>>
  static HWY_INLINE V End(D, V sum, int64_t) {
    return hn::Sqrt(sum);
  }
};

/// All taps of one output (or of neighbouring ones); load(p) fetches the inputs at p.
template <class Op, class D, class T = hn::TFromD<D>, class Load>
HWY_INLINE hn::Vec<D> Window(D d, const PoolArgs& a, const PoolWindow* w, const T* origin, int64_t line, int64_t pixel,
                             const Load& load) {
  auto sum = Op::Start(d);
  for (int64_t z = w[0].first; z < w[0].last; ++z) {
    for (int64_t y = w[1].first; y < w[1].last; ++y) {
      const T* p = origin + (z * a.dilation[0] * a.in[1] + y * a.dilation[1]) * line;
      for (int64_t x = w[2].first; x < w[2].last; ++x) sum = Op::Step(sum, load(p + x * a.dilation[2] * pixel));
    }
  }
  return sum;
}

HWY_INLINE int64_t Count(const PoolArgs& a, const PoolWindow* w) {
  int64_t n = 1;
  for (int i = 0; i < 3; ++i) n *= a.count_padding ? w[i].padded : w[i].last - w[i].first;
  return n;
}

constexpr int64_t kMostTaps = 64;

template <class Op, class T>
void LastLines(const PoolArgs& a, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d)), c = a.channels, line = a.in[2] * c;
  PoolWindow w[3];
  for (int64_t l = begin; l < end; ++l) {
    const int64_t oy = l % a.out[1], oz = l / a.out[1] % a.out[0], n = l / (a.out[1] * a.out[0]);
    w[0] = pool_window(a, 0, oz);
    w[1] = pool_window(a, 1, oy);
    const T* image = static_cast<const T*>(a.src) + n * a.in[0] * a.in[1] * line;
    const int64_t z0 = oz * a.stride[0] - a.pad[0], y0 = oy * a.stride[1] - a.pad[1];
    T* out = static_cast<T*>(a.dst) + l * a.out[2] * c;
    // Outputs whose taps all lie in the line, [inner0, inner1), read at fixed distances from their first tap.
    int64_t offsets[kMostTaps];
    int taps = 0;
    int64_t inner0 = 0, inner1 = 0;
    if ((w[0].last - w[0].first) * (w[1].last - w[1].first) * a.kernel[2] <= kMostTaps) {
      for (int64_t z = w[0].first; z < w[0].last; ++z)
        for (int64_t y = w[1].first; y < w[1].last; ++y)
          for (int64_t x = 0; x < a.kernel[2]; ++x)
            offsets[taps++] = (z * a.dilation[0] * a.in[1] + y * a.dilation[1]) * line + x * a.dilation[2] * c;
      const int64_t room = a.in[2] - 1 - (a.kernel[2] - 1) * a.dilation[2] + a.pad[2];
      inner0 = std::min(a.out[2], (a.pad[2] + a.stride[2] - 1) / a.stride[2]);
      inner1 = room < 0 ? inner0 : std::clamp(room / a.stride[2] + 1, inner0, a.out[2]);
    }
    for (int64_t ox = 0; ox < a.out[2]; ++ox, out += c) {
      if (ox >= inner0 && ox < inner1) {
        w[2] = {0, a.kernel[2], a.kernel[2]};
        const int64_t count = Count(a, w);
        const T* origin = image + ((z0 * a.in[1] + y0) * a.in[2] + ox * a.stride[2] - a.pad[2]) * c;
        for (int64_t i = 0; i < c; i += step) {
          const size_t lanes = static_cast<size_t>(std::min(step, c - i));
          const bool whole = lanes == static_cast<size_t>(step);
          auto sum = Op::Start(d);
          for (int t = 0; t < taps; ++t) {
            const T* p = origin + offsets[t] + i;
            sum = Op::Step(sum, whole ? hn::LoadU(d, p) : hn::LoadN(d, p, lanes));
          }
          const auto value = Op::End(d, sum, count);
          if (whole) hn::StoreU(value, d, out + i);
          else hn::StoreN(value, d, out + i, lanes);
        }
        continue;
      }
      w[2] = pool_window(a, 2, ox);
      const int64_t count = Count(a, w);
      const T* origin = image + ((z0 * a.in[1] + y0) * a.in[2] + ox * a.stride[2] - a.pad[2]) * c;
      int64_t i = 0;
      for (; i + step <= c; i += step) {
        const auto sum = Window<Op>(d, a, w, origin + i, line, c, [&](const T* p) HWY_ATTR { return hn::LoadU(d, p); });
        hn::StoreU(Op::End(d, sum, count), d, out + i);
      }
      if (i == c) continue;
      const size_t rest = static_cast<size_t>(c - i);
      const auto sum =
          Window<Op>(d, a, w, origin + i, line, c, [&](const T* p) HWY_ATTR { return hn::LoadN(d, p, rest); });
      hn::StoreN(Op::End(d, sum, count), d, out + i, rest);
    }
  }
}

/// The whole plane as one window: one pass, four sums side by side.
template <class Op, class T>
T WholePlane(const T* p, int64_t n, int64_t count) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> d1;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = Op::Start(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * step <= n; i += 4 * step) {
    s0 = Op::Step(s0, hn::LoadU(d, p + i));
    s1 = Op::Step(s1, hn::LoadU(d, p + i + step));
    s2 = Op::Step(s2, hn::LoadU(d, p + i + 2 * step));
    s3 = Op::Step(s3, hn::LoadU(d, p + i + 3 * step));
  }
  for (; i + step <= n; i += step) s0 = Op::Step(s0, hn::LoadU(d, p + i));
  s0 = Op::Merge(Op::Merge(s0, s1), Op::Merge(s2, s3));
  HWY_ALIGN T lanes[hn::MaxLanes(hn::ScalableTag<T>())];
  hn::Store(s0, d, lanes);
  auto sum = Op::Start(d1);
  for (int64_t k = 0; k < step; ++k) sum = Op::Merge(sum, hn::LoadU(d1, lanes + k));
  for (; i < n; ++i) sum = Op::Step(sum, hn::LoadU(d1, p + i));
  T out;
  hn::StoreU(Op::End(d1, sum, count), d1, &out);
  return out;
}

template <class Op, class T>
void FirstLines(const PoolArgs& a, int64_t begin, int64_t end) {
  const hn::ScalableTag<T> d;
  const hn::CappedTag<T, 1> d1;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d)), line = a.in[2], plane = a.in[0] * a.in[1] * line;
  PoolWindow w[3];
  bool whole = true;
  for (int i = 0; i < 3; ++i)
    whole = whole && a.out[i] == 1 && a.kernel[i] == a.in[i] && a.pad[i] == 0 && a.dilation[i] == 1;
  // Outputs whose taps all lie inside the line, [inner0, inner1), in vectors of neighbours for strides 1 and 2.
  const int64_t reach = (a.kernel[2] - 1) * a.dilation[2], room = line - 1 - reach + a.pad[2];
  const int64_t inner0 = std::clamp<int64_t>((a.pad[2] + a.stride[2] - 1) / a.stride[2], 0, a.out[2]);
  const int64_t inner1 = room < 0 ? inner0 : std::clamp(room / a.stride[2] + 1, inner0, a.out[2]);
  for (int64_t l = begin; l < end; ++l) {
    const int64_t oy = l % a.out[1], oz = l / a.out[1] % a.out[0], n = l / (a.out[1] * a.out[0]);
    const T* image = static_cast<const T*>(a.src) + n * plane;
    T* out = static_cast<T*>(a.dst) + l * a.out[2];
    w[0] = pool_window(a, 0, oz);
    w[1] = pool_window(a, 1, oy);
    if (whole) {
      w[2] = pool_window(a, 2, 0);
      *out = WholePlane<Op>(image, plane, Count(a, w));
      continue;
    }
    const int64_t z0 = oz * a.stride[0] - a.pad[0], y0 = oy * a.stride[1] - a.pad[1];
    const T* base = image + (z0 * a.in[1] + y0) * line - a.pad[2];
    auto one = [&](int64_t ox) HWY_ATTR {
      w[2] = pool_window(a, 2, ox);
      const auto sum =
          Window<Op>(d1, a, w, base + ox * a.stride[2], line, 1, [&](const T* p) HWY_ATTR { return hn::LoadU(d1, p); });
      hn::StoreU(Op::End(d1, sum, Count(a, w)), d1, out + ox);
    };
    int64_t ox = 0;
    for (; ox < inner0; ++ox) one(ox);
    if (a.stride[2] <= 2 && ox < inner1) {
      w[2] = pool_window(a, 2, ox);
      const int64_t count = Count(a, w);
      if (a.stride[2] == 1) {
        for (; ox + step <= inner1; ox += step) {
          const auto sum =
              Window<Op>(d, a, w, base + ox, line, 1, [&](const T* p) HWY_ATTR { return hn::LoadU(d, p); });
          hn::StoreU(Op::End(d, sum, count), d, out + ox);
        }
      } else if constexpr (sizeof(T) >= 4) {
        // Two loads of neighbours; the odd ones are dropped. The last output's second load may reach one too far: leave
        // it out.
        for (; ox + step < inner1; ox += step) {
          const auto sum = Window<Op>(d, a, w, base + 2 * ox, line, 1, [&](const T* p) HWY_ATTR {
            return hn::ConcatEven(d, hn::LoadU(d, p + step), hn::LoadU(d, p));
          });
          hn::StoreU(Op::End(d, sum, count), d, out + ox);
        }
      }
    }
    for (; ox < a.out[2]; ++ox) one(ox);
  }
}

template <class Op, class T>
void Lines(const PoolArgs& a, int64_t begin, int64_t end) {
  if (a.channels_last) LastLines<Op, T>(a, begin, end);
  else FirstLines<Op, T>(a, begin, end);
}

template <class T>
PoolLines<T> Choose(PoolOp op) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (op) {
      case PoolOp::kMax: break;
      case PoolOp::kAverage: return Lines<AverageOp, T>;
      case PoolOp::kAbs: return Lines<AbsOp, T>;
      case PoolOp::kSquare: return Lines<SquareOp, T>;
    }
  }
  return Lines<MaxOp, T>;
}
PoolLines<float> ChooseF32(PoolOp op) { return Choose<float>(op); }
PoolLines<double> ChooseF64(PoolOp op) { return Choose<double>(op); }
PoolLines<int8_t> ChooseI8(PoolOp op) { return Choose<int8_t>(op); }
PoolLines<uint8_t> ChooseU8(PoolOp op) { return Choose<uint8_t>(op); }

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(ChooseF32);
HWY_EXPORT(ChooseF64);
HWY_EXPORT(ChooseI8);
HWY_EXPORT(ChooseU8);
template <>
PoolLines<float> micro_pool<float>(PoolOp op) {
  return HWY_DYNAMIC_DISPATCH(ChooseF32)(op);
}
template <>
PoolLines<double> micro_pool<double>(PoolOp op) {
  return HWY_DYNAMIC_DISPATCH(ChooseF64)(op);
}
template <>
PoolLines<int8_t> micro_pool<int8_t>(PoolOp op) {
  return HWY_DYNAMIC_DISPATCH(ChooseI8)(op);
}
template <>
PoolLines<uint8_t> micro_pool<uint8_t>(PoolOp op) {
  return HWY_DYNAMIC_DISPATCH(ChooseU8)(op);
}
}  // namespace tenon::kernels
#endif
