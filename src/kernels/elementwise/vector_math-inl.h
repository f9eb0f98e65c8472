// Vector mathematics in f32: exp, log, trigonometry, erf and what is made of them, for every Highway target.
// SPDX-License-Identifier: MIT
//
// Include after hwy/highway.h inside a foreach_target file. Coefficients come from fit_polynomials.py, error bounds
// stand in functions.inc and are checked by math_test.cc. Without fused multiply-add the bounds hold too: constants
// that are multiplied by a whole number are split so that the product is exact.
#include <cmath>
#include <cstdint>
#if defined(TENON_KERNELS_VECTOR_MATH_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_KERNELS_VECTOR_MATH_INL_H_
#undef TENON_KERNELS_VECTOR_MATH_INL_H_
#else
#define TENON_KERNELS_VECTOR_MATH_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace vmath {
namespace hn = hwy::HWY_NAMESPACE;

// Horner's scheme, lowest coefficient first.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Poly(D d, V, hn::TFromD<D> c) {
  return hn::Set(d, c);
}
template <class D, class V = hn::Vec<D>, class... C>
HWY_INLINE V Poly(D d, V x, hn::TFromD<D> c, C... rest) {
  return hn::MulAdd(Poly(d, x, rest...), x, hn::Set(d, c));
}

// Clamping that keeps NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V AtLeast(D d, V x, float lo) {
  const V bound = hn::Set(d, lo);
  return hn::IfThenElse(hn::Lt(x, bound), bound, x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V AtMost(D d, V x, float hi) {
  const V bound = hn::Set(d, hi);
  return hn::IfThenElse(hn::Gt(x, bound), bound, x);
}
// The larger and the smaller, NaN if either is.
template <class V>
HWY_INLINE V MaxNaN(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b);
}
template <class V>
HWY_INLINE V MinNaN(V a, V b) {
  return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b);
}

// x = n ln 2 + r with a whole n and |r| <= ln 2 / 2. `shifted` holds n in the low bits of 1.5 * 2^23 + n.
template <class V>
struct ExpParts {
  V shifted, r, q;  // q: (e^r - 1 - r) / r^2
};
template <class D, class V = hn::Vec<D>>
HWY_INLINE ExpParts<V> SplitExp(D d, V x) {
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 1.44269504f), magic);
  const V n = hn::Sub(shifted, magic);
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  const V q = Poly(d, r, 0.5f, 0.166665152f, 0.0416663736f, 0.00836939365f, 0.0013943254f);
  return {shifted, r, q};
}
// 2^n for -126 <= n <= 127 from the shifted form.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V PowerOfTwo(D d, V shifted) {
  const hn::RebindToSigned<D> di;
  return hn::BitCast(d, hn::Add(hn::ShiftLeft<23>(hn::BitCast(di, shifted)), hn::Set(di, 0x3f800000)));
}

/// e^x over the whole range, subnormal results too.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Exp(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V clamped = AtMost(d, AtLeast(d, x, -104.0f), 89.0f);
  const auto p = SplitExp(d, clamped);
  const V e = hn::Add(hn::MulAdd(hn::Mul(p.r, p.r), p.q, p.r), hn::Set(d, 1.0f));
  // Two factors, as 2^n alone may leave the range.
  const auto n = hn::Sub(hn::BitCast(di, p.shifted), hn::Set(di, 0x4b400000));
  const auto half = hn::ShiftRight<1>(n);
  const auto bias = hn::Set(di, 0x3f800000);
  const V s1 = hn::BitCast(d, hn::Add(hn::ShiftLeft<23>(half), bias));
  const V s2 = hn::BitCast(d, hn::Add(hn::ShiftLeft<23>(hn::Sub(n, half)), bias));
  return hn::Mul(hn::Mul(e, s1), s2);
}

/// e^x for x <= 88, cheaper; results below the smallest normal number are 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpFlush(D d, V x) {
  const auto p = SplitExp(d, AtLeast(d, x, -87.3f));
  const V e = hn::Add(hn::MulAdd(hn::Mul(p.r, p.r), p.q, p.r), hn::Set(d, 1.0f));
  return hn::IfThenZeroElse(hn::Lt(x, hn::Set(d, -87.3f)), hn::Mul(e, PowerOfTwo(d, p.shifted)));
}

/// e^x - 1 for x <= 80.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1Limited(D d, V x) {
  const auto p = SplitExp(d, AtLeast(d, x, -87.3f));
  const V e = hn::MulAdd(hn::Mul(p.r, p.r), p.q, p.r);
  const V s = PowerOfTwo(d, p.shifted);
  const V y = hn::MulAdd(e, s, hn::Sub(s, hn::Set(d, 1.0f)));
  return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Expm1(D d, V x) {
  const V limited = Expm1Limited(d, AtMost(d, x, 80.0f));
  const auto large = hn::Gt(x, hn::Set(d, 40.0f));
  if (HWY_LIKELY(hn::AllFalse(d, large))) return limited;
  return hn::IfThenElse(large, Exp(d, x), limited);
}

// log(u) + low for normal positive u (or infinity), plus `shift` powers of two; low is tiny.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V LogOfNormal(D d, V u, V shift, V low) {
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(di, u);
  const auto e = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));  // m in [sqrt 1/2, sqrt 2)
  const V m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(e)));
  const V k = hn::Add(hn::ConvertTo(d, e), shift);
  const V f = hn::Sub(m, hn::Set(d, 1.0f));
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0f)));
  const V z = hn::Mul(s, s);
  const V r = hn::Mul(z, Poly(d, z, 0.666667759f, 0.399775028f, 0.298743874f));
  const V h = hn::Mul(hn::Mul(hn::Set(d, 0.5f), f), f);
  const V tail = hn::MulAdd(k, hn::Set(d, -2.12194440e-4f), low);
  const V t = hn::Sub(hn::MulAdd(s, hn::Add(h, r), tail), h);
  return hn::MulAdd(k, hn::Set(d, 0.693359375f), hn::Add(f, t));
}

/// log x; log 0 = -inf, negative numbers give NaN.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log(D d, V x) {
  const V zero = hn::Zero(d);
  const auto tiny = hn::Lt(x, hn::Set(d, 1.17549435e-38f));
  const V u = hn::IfThenElse(tiny, hn::Mul(x, hn::Set(d, 8388608.0f)), x);
  V y = LogOfNormal(d, u, hn::IfThenElseZero(tiny, hn::Set(d, -23.0f)), zero);
  y = hn::IfThenElse(hn::Gt(x, hn::Set(d, 3.4028234e38f)), x, y);
  y = hn::IfThenElse(hn::Eq(x, zero), hn::Set(d, -HUGE_VALF), y);
  return hn::IfThenElse(hn::Or(hn::Lt(x, zero), hn::IsNaN(x)), hn::NaN(d), y);
}

/// log(1 + x).
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Log1p(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V u = hn::Add(x, one);
  // What the sum lost, exactly.
  V lost = hn::IfThenElse(hn::Lt(x, one), hn::Sub(x, hn::Sub(u, one)), hn::Sub(one, hn::Sub(u, x)));
  lost = hn::IfThenZeroElse(hn::Gt(x, hn::Set(d, 1e10f)), hn::Div(lost, u));
  V y = LogOfNormal(d, u, hn::Zero(d), lost);
  y = hn::IfThenElse(hn::Gt(x, hn::Set(d, 3.4028234e38f)), x, y);
  y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
  y = hn::IfThenElse(hn::Eq(u, hn::Zero(d)), hn::Set(d, -HUGE_VALF), y);
  return hn::IfThenElse(hn::Or(hn::Lt(u, hn::Zero(d)), hn::IsNaN(x)), hn::NaN(d), y);
}

// x = k pi/2 + r, |r| <= pi/4 (a little more for large x). Reduced in f64: right for |x| <= kTrigLimit.
inline constexpr float kTrigLimit = 1e5f;
template <class V, class VI>
struct TrigParts {
  V r;
  VI quadrant;
};
template <class D, class V = hn::Vec<D>>
HWY_INLINE TrigParts<V, hn::Vec<hn::RebindToSigned<D>>> ReduceTrig(D d, V x) {
  const hn::RebindToSigned<D> di;
  const hn::RepartitionToWide<D> dd;
  const hn::Half<D> dh;
  const V magic = hn::Set(d, 12582912.0f);
  const V shifted = hn::MulAdd(x, hn::Set(d, 0.636619772f), magic);
  const V k = hn::Sub(shifted, magic);
  const auto hi = hn::Set(dd, 1.57079632673412561417e+00);  // 33 bits
  const auto lo = hn::Set(dd, 6.07710050650619224932e-11);
  const auto kl = hn::PromoteLowerTo(dd, k), ku = hn::PromoteUpperTo(dd, k);
  const auto rl = hn::NegMulAdd(kl, lo, hn::NegMulAdd(kl, hi, hn::PromoteLowerTo(dd, x)));
  const auto ru = hn::NegMulAdd(ku, lo, hn::NegMulAdd(ku, hi, hn::PromoteUpperTo(dd, x)));
  return {hn::Combine(d, hn::DemoteTo(dh, ru), hn::DemoteTo(dh, rl)), hn::BitCast(di, shifted)};
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V SinPoly(D d, V r, V z) {
  const V p = Poly(d, z, -0.166666672f, 0.0083333794f, -0.000198529742f, 2.83062877e-06f);
  return hn::MulAdd(hn::Mul(r, z), p, r);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V CosPoly(D d, V z) {
  const V p = Poly(d, z, 0.0416666456f, -0.00138873013f, 2.44306648e-05f);
  return hn::MulAdd(hn::Mul(z, z), p, hn::NegMulAdd(z, hn::Set(d, 0.5f), hn::Set(d, 1.0f)));
}
enum class Trig { kSin, kCos, kTan };
// Lanes beyond the limit (infinity and NaN too), one by one in f64.
template <Trig kind, class D, class V = hn::Vec<D>>
HWY_NOINLINE V TrigLarge(D d, hwy::HWY_NAMESPACE::VecArg<V> x, hwy::HWY_NAMESPACE::VecArg<V> y) {
  HWY_ALIGN float in[HWY_MAX_BYTES / sizeof(float)], out[HWY_MAX_BYTES / sizeof(float)];
  hn::Store(x, d, in);
  hn::Store(y, d, out);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (std::fabs(in[i]) <= kTrigLimit) continue;
    const double v = in[i];
    out[i] = static_cast<float>(kind == Trig::kSin ? std::sin(v) : kind == Trig::kCos ? std::cos(v) : std::tan(v));
  }
  return hn::Load(d, out);
}
template <Trig kind, class D, class V = hn::Vec<D>>
HWY_INLINE V SinCosTan(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto parts = ReduceTrig(d, x);
  const V z = hn::Mul(parts.r, parts.r);
  const V s = SinPoly(d, parts.r, z), c = CosPoly(d, z);
  const auto odd = hn::RebindMask(d, hn::TestBit(parts.quadrant, hn::Set(di, 1)));
  V y;
  if constexpr (kind == Trig::kTan) {
    const V n = hn::IfThenElse(odd, hn::Neg(c), s), m = hn::IfThenElse(odd, s, c);
    y = hn::Div(n, m);
  } else {
    const auto q = kind == Trig::kCos ? hn::Add(parts.quadrant, hn::Set(di, 1)) : parts.quadrant;
    const auto sign = hn::ShiftLeft<30>(hn::And(q, hn::Set(di, 2)));
    y = kind == Trig::kSin ? hn::IfThenElse(odd, c, s) : hn::IfThenElse(odd, s, c);
    y = hn::Xor(y, hn::BitCast(d, sign));
  }
  if constexpr (kind != Trig::kCos) y = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, y);
  const auto inside = hn::Le(hn::Abs(x), hn::Set(d, kTrigLimit));
  if (HWY_LIKELY(hn::AllTrue(d, inside))) return y;
  return TrigLarge<kind>(d, x, y);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V AsinPoly(D d, V x, V z) {
  const V p = Poly(d, z, 0.166667536f, 0.0749524981f, 0.0454765297f, 0.0241488498f, 0.0422185212f);
  return hn::MulAdd(hn::Mul(x, z), p, x);
}
/// arc sine; NaN outside [-1, 1].
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Asin(D d, V x) {
  const V a = hn::Abs(x), half = hn::Set(d, 0.5f);
  const auto big = hn::Gt(a, half);
  const V z = hn::IfThenElse(big, hn::Mul(half, hn::Sub(hn::Set(d, 1.0f), a)), hn::Mul(a, a));
  const V p = AsinPoly(d, hn::IfThenElse(big, hn::Sqrt(z), a), z);
  // pi/2 - 2 p, with the low part of pi/2.
  const V far = hn::Add(hn::NegMulAdd(hn::Set(d, 2.0f), p, hn::Set(d, 1.57079637f)), hn::Set(d, -4.37113900e-8f));
  return hn::CopySign(hn::IfThenElse(big, far, p), x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Acos(D d, V x) {
  const V a = hn::Abs(x), half = hn::Set(d, 0.5f), zero = hn::Zero(d);
  const auto big = hn::Gt(a, half);
  const V z = hn::IfThenElse(big, hn::Mul(half, hn::Sub(hn::Set(d, 1.0f), a)), hn::Mul(a, a));
  const V p = AsinPoly(d, hn::IfThenElse(big, hn::Sqrt(z), x), z);
  const V twice = hn::Add(p, p);
  const V near_minus_one = hn::Sub(hn::Set(d, 3.14159274f), hn::Add(twice, hn::Set(d, 8.74227801e-8f)));
  const V far = hn::IfThenElse(hn::Lt(x, zero), near_minus_one, twice);
  const V close = hn::Sub(hn::Set(d, 1.57079637f), hn::Add(p, hn::Set(d, 4.37113900e-8f)));
  return hn::IfThenElse(big, far, close);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Atan(D d, V x) {
  const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
  const auto big = hn::Gt(a, one);
  const V t = hn::IfThenElse(big, hn::Div(one, a), a);
  const V z = hn::Mul(t, t);
  const V p = Poly(d, z, -0.333333015f, 0.199986294f, -0.142651513f, 0.109571025f, -0.0841812119f, 0.058212325f,
                   -0.0314341411f, 0.0110531384f, -0.00182473927f);
  const V y = hn::MulAdd(hn::Mul(t, z), p, t);
  const V far = hn::Sub(hn::Set(d, 1.57079637f), hn::Add(y, hn::Set(d, 4.37113900e-8f)));
  return hn::CopySign(hn::IfThenElse(big, far, y), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sinh(D d, V x) {
  const V a = hn::Abs(x), half = hn::Set(d, 0.5f);
  const V e = Expm1Limited(d, AtMost(d, a, 40.0f));
  V y = hn::Mul(half, hn::Add(e, hn::Div(e, hn::Add(e, hn::Set(d, 1.0f)))));
  const auto large = hn::Gt(a, hn::Set(d, 40.0f));
  if (HWY_UNLIKELY(!hn::AllFalse(d, large))) {
    const V root = Exp(d, hn::Mul(half, a));
    y = hn::IfThenElse(large, hn::Mul(hn::Mul(half, root), root), y);
  }
  return hn::CopySign(y, x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Cosh(D d, V x) {
  const V a = hn::Abs(x), half = hn::Set(d, 0.5f);
  const V e = ExpFlush(d, AtMost(d, a, 40.0f));
  V y = hn::Mul(half, hn::Add(e, hn::Div(hn::Set(d, 1.0f), e)));
  const auto large = hn::Gt(a, hn::Set(d, 40.0f));
  if (HWY_UNLIKELY(!hn::AllFalse(d, large))) {
    const V root = Exp(d, hn::Mul(half, a));
    y = hn::IfThenElse(large, hn::Mul(hn::Mul(half, root), root), y);
  }
  return y;
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Tanh(D d, V x) {
  const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
  const V z = hn::Mul(x, x);
  const V p = Poly(d, z, -0.333332717f, 0.133311465f, -0.0537137166f, 0.0205507129f, -0.005602994f);
  const V small = hn::MulAdd(hn::Mul(x, z), p, x);
  const V a2 = AtMost(d, hn::Add(a, a), 20.0f);
  const auto parts = SplitExp(d, a2);
  const V e = hn::Add(hn::MulAdd(hn::Mul(parts.r, parts.r), parts.q, parts.r), one);
  const V large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::MulAdd(e, PowerOfTwo(d, parts.shifted), one)));
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.625f)), small, large), x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Asinh(D d, V x) {
  const V a = hn::Abs(x), one = hn::Set(d, 1.0f);
  const auto large = hn::Gt(a, hn::Set(d, 1048576.0f));
  const V z = hn::Mul(a, a);
  const V t = hn::Add(a, hn::Div(z, hn::Add(one, hn::Sqrt(hn::Add(z, one)))));
  // Beyond 2^20 asinh a = log 2a; log1p(2a) overflows at the end of the range, so the 2 is added as log 2.
  const V y = hn::Add(Log1p(d, hn::IfThenElse(large, a, t)), hn::IfThenElseZero(large, hn::Set(d, 0.693147181f)));
  return hn::CopySign(y, x);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Acosh(D d, V x) {
  const auto large = hn::Gt(x, hn::Set(d, 1048576.0f));
  const V t = hn::Sub(x, hn::Set(d, 1.0f));
  const V u = hn::Add(t, hn::Sqrt(hn::Mul(t, hn::Add(t, hn::Set(d, 2.0f)))));
  return hn::Add(Log1p(d, hn::IfThenElse(large, x, u)), hn::IfThenElseZero(large, hn::Set(d, 0.693147181f)));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Atanh(D d, V x) {
  const V a = hn::Abs(x);
  const V y = Log1p(d, hn::Div(hn::Add(a, a), hn::Sub(hn::Set(d, 1.0f), a)));
  return hn::CopySign(hn::Mul(hn::Set(d, 0.5f), y), x);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Erf(D d, V x) {
  const V a = hn::Abs(x), z = hn::Mul(x, x);
  const V p = Poly(d, z, 0.128379166f, -0.376126289f, 0.112836242f, -0.026855588f, 0.0051919478f, -0.000804383948f,
                   7.96966342e-05f);
  const V small = hn::MulAdd(x, p, x);
  const V b = AtMost(d, a, 4.0f);
  const V r = Poly(d, b, 0.000181385927f, -1.12955177f, -0.633260071f, -0.108394645f, 0.0252118707f, -0.00421776297f,
                   0.000448878447f, -2.35803782e-05f, 1.83176823e-07f);
  const auto parts = SplitExp(d, r);
  const V one = hn::Set(d, 1.0f);
  const V e = hn::Add(hn::MulAdd(hn::Mul(parts.r, parts.r), parts.q, parts.r), one);
  const V large = hn::NegMulAdd(e, PowerOfTwo(d, parts.shifted), one);
  return hn::CopySign(hn::IfThenElse(hn::Lt(a, hn::Set(d, 0.925f)), small, large), x);
}

/// 1 / (1 + e^-x); results below the smallest normal number are 0.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, 1.0f);
  const V e = ExpFlush(d, hn::Neg(hn::Abs(x)));
  const V s = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one);
  return hn::Div(s, hn::Add(one, e));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Softplus(D d, V x) {
  const V y = Log1p(d, Exp(d, hn::Neg(hn::Abs(x))));
  return hn::Add(y, hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Mish(D d, V x) {
  const V e = Exp(d, AtMost(d, x, 20.0f));
  const V n = hn::Mul(e, hn::Add(e, hn::Set(d, 2.0f)));
  const V y = hn::Mul(AtLeast(d, x, -200.0f), hn::Div(n, hn::Add(n, hn::Set(d, 2.0f))));
  return hn::IfThenElse(hn::Gt(x, hn::Set(d, 20.0f)), x, y);
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Gelu(D d, V x) {
  const V half = hn::Mul(AtLeast(d, x, -1e4f), hn::Set(d, 0.5f));
  return hn::MulAdd(half, Erf(d, hn::Mul(x, hn::Set(d, 0.707106781f))), half);
}
// x * sigmoid(t), with 0 for x = -inf.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V TimesSigmoid(D d, V x, V t) {
  return hn::Mul(AtLeast(d, x, -3.4028234e38f), Sigmoid(d, t));
}
template <class D, class V = hn::Vec<D>>
HWY_INLINE V GeluTanh(D d, V x) {
  const V cubic = hn::MulAdd(hn::Mul(x, x), hn::Set(d, 0.0713548162726f), hn::Set(d, 1.595769121606f));
  return TimesSigmoid(d, x, hn::Mul(x, cubic));
}

// 2^(y log2 |x|) through f64, for one half of the lanes; |x| finite and not 0.
template <class DD, class V = hn::Vec<DD>>
HWY_INLINE V PowWide(DD dd, V x, V y) {
  const hn::RebindToSigned<DD> di;
  const auto bits = hn::BitCast(di, x);
  // The offset is the high part of sqrt(1/2): m in [sqrt 1/2, sqrt 2).
  const auto e = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(di, int64_t{0x3fe6a09e00000000})));
  const V m = hn::BitCast(dd, hn::Sub(bits, hn::ShiftLeft<52>(e)));
  const V one = hn::Set(dd, 1.0);
  const V f = hn::Sub(m, one);
  const V s = hn::Div(f, hn::Add(m, one));
  const V z = hn::Mul(s, s);
  const V r = Poly(dd, z, 0.6666666662898437, 0.40000018062562026, 0.2856861593505421, 0.22413500416304927,
                   0.12265827600869691, 0.839576121236209);
  const V ln = hn::MulAdd(hn::Mul(s, z), r, hn::Add(s, s));
  const V log2 = hn::MulAdd(ln, hn::Set(dd, 1.4426950408889634), hn::ConvertTo(dd, e));
  V t = hn::Mul(y, log2);
  t = hn::IfThenElse(hn::Gt(t, hn::Set(dd, 300.0)), hn::Set(dd, 300.0), t);
  t = hn::IfThenElse(hn::Lt(t, hn::Set(dd, -300.0)), hn::Set(dd, -300.0), t);
  const V magic = hn::Set(dd, 6755399441055744.0);  // 1.5 * 2^52
  const V shifted = hn::Add(t, magic);
  const V g = hn::Sub(t, hn::Sub(shifted, magic));
  const V p = Poly(dd, g, 0.6931471805416236, 0.24022651076310053, 0.055504109626905704, 0.009618036836959849,
                   0.0013333430682725786, 0.0001546713583010802, 1.5314972212337572e-05);
  const V scale =
      hn::BitCast(dd, hn::Add(hn::ShiftLeft<52>(hn::BitCast(di, shifted)), hn::Set(di, int64_t{0x3ff0000000000000})));
  return hn::Mul(hn::MulAdd(p, g, one), scale);
}
/// x to the power y, with the special cases of C's pow.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V Pow(D d, V x, V y) {
  const hn::RepartitionToWide<D> dd;
  const hn::Half<D> dh;
  const V one = hn::Set(d, 1.0f), zero = hn::Zero(d), inf = hn::Inf(d);
  // Squares are common and exact this way.
  const auto square = hn::Eq(y, hn::Set(d, 2.0f));
  if (hn::AllTrue(d, square)) return hn::Mul(x, x);
  const V a = hn::Abs(x);
  const V lo = hn::Combine(d, hn::DemoteTo(dh, PowWide(dd, hn::PromoteUpperTo(dd, a), hn::PromoteUpperTo(dd, y))),
                           hn::DemoteTo(dh, PowWide(dd, hn::PromoteLowerTo(dd, a), hn::PromoteLowerTo(dd, y))));
  V r = lo;
  // Whole exponents: odd ones keep the sign of x. Above 2^24 every float is even.
  const V ay = hn::Abs(y);
  const V half_y = hn::Mul(y, hn::Set(d, 0.5f));
  const auto whole = hn::Eq(hn::Trunc(y), y);
  const auto odd = hn::And(whole, hn::Ne(hn::Trunc(half_y), half_y));
  const auto negative_y = hn::Lt(y, zero);
  // |x| of 0 or infinity: 0 or infinity by the sign of y.
  const auto zero_x = hn::Eq(a, zero), inf_x = hn::Eq(a, inf);
  const auto to_inf = hn::Or(hn::And(zero_x, negative_y), hn::AndNot(negative_y, inf_x));
  r = hn::IfThenElse(hn::Or(zero_x, inf_x), hn::IfThenElseZero(to_inf, inf), r);
  // y infinite.
  const auto inf_y = hn::Eq(ay, inf);
  const auto grows = hn::Xor(hn::Lt(a, one), hn::Gt(y, zero));
  r = hn::IfThenElse(inf_y, hn::IfThenElse(hn::Eq(a, one), one, hn::IfThenElseZero(grows, inf)), r);
  const auto sign_bit = hn::BitCast(d, hn::Set(hn::RebindToSigned<D>(), INT32_MIN));
  r = hn::IfThenElse(odd, hn::Or(r, hn::And(x, sign_bit)), r);
  // A negative finite base and a fraction.
  const auto bad = hn::And(hn::And(hn::Lt(x, zero), hn::Ne(a, inf)), hn::AndNot(inf_y, hn::Not(whole)));
  r = hn::IfThenElse(hn::Or(bad, hn::Or(hn::IsNaN(x), hn::IsNaN(y))), hn::NaN(d), r);
  r = hn::IfThenElse(hn::Or(hn::Eq(x, one), hn::Eq(y, zero)), one, r);
  return hn::IfThenElse(square, hn::Mul(x, x), r);
}

}  // namespace vmath
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#endif
