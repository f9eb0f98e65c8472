// Vector forms of Activation, included once for each instruction set.
// SPDX-License-Identifier: MIT
#if defined(TENON_KERNELS_GEMM_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_KERNELS_GEMM_ACTIVATION_INL_H_
#undef TENON_KERNELS_GEMM_ACTIVATION_INL_H_
#else
#define TENON_KERNELS_GEMM_ACTIVATION_INL_H_
#endif

#include <hwy/highway.h>

#include "kernels/gemm/activation.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// max and min that hand on a NaN in v (x86 instructions return the second operand then).
template <class V>
HWY_INLINE V AtLeast(V lo, V v) {
  return hn::Max(lo, v);
}
template <class V>
HWY_INLINE V AtMost(V hi, V v) {
  return hn::Min(hi, v);
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V Poly(D d, V x, const float* c, int degree) {
  V y = hn::Set(d, c[degree]);
  for (int i = degree - 1; i >= 0; --i) y = hn::MulAdd(y, x, hn::Set(d, c[i]));
  return y;
}

/// e^x for x clamped to [-87.3, 88.3]: x = n ln 2 + r, the power series on r, 2^n by exponent bits.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ExpClamped(D d, V x) {
  const hn::RebindToSigned<D> di;
  x = AtMost(hn::Set(d, 88.3f), AtLeast(hn::Set(d, -87.3f), x));
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 1.44269504f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0.693359375f), x);  // ln 2 in two parts
  r = hn::NegMulAdd(n, hn::Set(d, -2.12194440e-4f), r);
  static constexpr float kSeries[] = {1.0f, 1.0f, 0.5f, 1.0f / 6, 1.0f / 24, 1.0f / 120, 1.0f / 720, 1.0f / 5040};
  const V p = Poly(d, r, kSeries, 7);
  const auto bits = hn::ShiftLeft<23>(hn::Add(hn::ConvertTo(di, n), hn::Set(di, 127)));
  return hn::Mul(p, hn::BitCast(d, bits));
}

/// 1 / x within two units in the last place for x from 1 on: the processor's estimate, bettered by Newton's method.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ReciprocalV(D d, V x) {
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
  constexpr int kSteps = 1;  // 14 bits to begin with
#elif HWY_ARCH_X86
  constexpr int kSteps = 2;
#else
  constexpr int kSteps = 3;
#endif
  V r = hn::ApproximateReciprocal(x);
  for (int i = 0; i < kSteps; ++i) r = hn::MulAdd(r, hn::NegMulAdd(x, r, hn::Set(d, 1.0f)), r);
  return r;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V SigmoidV(D d, V x) {
  return ReciprocalV(d, hn::Add(hn::Set(d, 1.0f), ExpClamped(d, hn::Neg(x))));
}

/// Coefficients fitted (Lawson's iteration) with an absolute error below 1e-8.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V TanhV(D d, V x) {
  static constexpr float kSmall[] = {-0.333332629f, 0.133308998f, -0.0536929679f, 0.0204833156f, -0.00552863318f};
  const V t = hn::Mul(x, x);
  const V small = hn::MulAdd(hn::Mul(x, t), Poly(d, t, kSmall, 4), x);
  const V one = hn::Set(d, 1.0f), two = hn::Set(d, 2.0f);
  const V large = hn::NegMulAdd(two, ReciprocalV(d, hn::Add(ExpClamped(d, hn::Mul(two, hn::Abs(x))), one)), one);
  return hn::IfThenElse(hn::Le(hn::Abs(x), hn::Set(d, 0.65f)), small, hn::CopySign(large, x));
}

/// x P(x^2) up to 1, beyond it 1 - e^Q(x) with Q fitted to log erfc; errors of the fits below 2e-9.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V ErfV(D d, V x) {
  static constexpr float kSmall[] = {1.12837917f,    -0.376126271f,    0.112836002f,   -0.0268544446f,
                                     0.00518953545f, -0.000802084227f, 7.88912285e-05f};
  static constexpr float kLog[] = {-0.000353718758f, -1.12704004f,    -0.638225672f,  -0.103037373f,
                                   0.0218053206f,    -0.00293960789f, 0.000185574071f};
  const V t = hn::Mul(x, x);
  const V small = hn::Mul(x, Poly(d, t, kSmall, 6));
  const V ax = AtMost(hn::Set(d, 4.0f), hn::Abs(x));
  const V large = hn::Sub(hn::Set(d, 1.0f), ExpClamped(d, Poly(d, ax, kLog, 6)));
  return hn::IfThenElse(hn::Le(hn::Abs(x), hn::Set(d, 1.0f)), small, hn::CopySign(large, x));
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V ActV(D d, V x, Act kind, V a, V b) {
  const V zero = hn::Zero(d), one = hn::Set(d, 1.0f);
  switch (kind) {
    case Act::kNone: return x;
    case Act::kRelu: return AtLeast(zero, x);
    case Act::kClip: return AtMost(b, AtLeast(a, x));
    case Act::kLeakyRelu: return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(x, a), x);
    case Act::kSigmoid: return SigmoidV(d, x);
    case Act::kTanh: return TanhV(d, x);
    case Act::kHardSigmoid: return AtMost(one, AtLeast(zero, hn::MulAdd(x, a, b)));
    case Act::kHardSwish:
      return hn::Mul(x, AtMost(one, AtLeast(zero, hn::MulAdd(x, hn::Set(d, 1.0f / 6), hn::Set(d, 0.5f)))));
    case Act::kSilu: return hn::Mul(x, SigmoidV(d, hn::Mul(a, x)));
    case Act::kGeluErf: {
      const V half = hn::Mul(x, hn::Set(d, 0.5f));
      return hn::MulAdd(half, ErfV(d, hn::Mul(x, hn::Set(d, 0.707106781f))), half);
    }
    case Act::kGeluTanh: {  // (1 + tanh u) / 2 = sigmoid(2 u)
      const V inner = hn::MulAdd(hn::Mul(x, x), hn::Set(d, 0.044715f), one);
      return hn::Mul(x, SigmoidV(d, hn::Mul(hn::Mul(x, inner), hn::Set(d, 1.59576912f))));
    }
  }
  return x;
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
