// Vector tile kernels of f32 mathematics and activation functions.
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/tile_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/tile_math.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/elementwise/tile_loops-inl.h"
#include "kernels/elementwise/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace {

#define TENON_MATH(name)                \
  struct Op##name {                     \
    template <class D, class V>         \
    static HWY_INLINE V Run(D d, V x) { \
      return vmath::name(d, x);         \
    }                                   \
  };
TENON_MATH(Exp)
TENON_MATH(Expm1)
TENON_MATH(Log)
TENON_MATH(Log1p)
TENON_MATH(Asin)
TENON_MATH(Acos)
TENON_MATH(Atan)
TENON_MATH(Sinh)
TENON_MATH(Cosh)
TENON_MATH(Tanh)
TENON_MATH(Asinh)
TENON_MATH(Acosh)
TENON_MATH(Atanh)
TENON_MATH(Erf)
TENON_MATH(Sigmoid)
TENON_MATH(Softplus)
TENON_MATH(Mish)
TENON_MATH(Gelu)
TENON_MATH(GeluTanh)
template <vmath::Trig kind>
struct OpTrig {
  template <class D, class V>
  static HWY_INLINE V Run(D d, V x) {
    return vmath::SinCosTan<kind>(d, x);
  }
};
struct OpPow {
  template <class D, class V>
  static HWY_INLINE V Run(D d, V x, V y) {
    return vmath::Pow(d, x, y);
  }
};
struct OpSoftsign {
  template <class D, class V>
  static HWY_INLINE V Run(D d, V x) {
    return hn::Div(x, hn::Add(hn::Set(d, 1.0f), hn::Abs(x)));
  }
};

#define TENON_ACTIVATION(name, expression)        \
  struct name {                                   \
    template <class D, class V>                   \
    static HWY_INLINE V Run(D d, V x, V a, V b) { \
      (void)d, (void)a, (void)b;                  \
      return expression;                          \
    }                                             \
  };
TENON_ACTIVATION(OpQuickGelu, vmath::TimesSigmoid(d, x, hn::Mul(a, x)))
TENON_ACTIVATION(OpLeakyRelu, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(a, x), x))
TENON_ACTIVATION(OpThresholdedRelu, hn::IfThenElse(hn::Or(hn::Gt(x, a), hn::IsNaN(x)), x, hn::Zero(d)))
TENON_ACTIVATION(OpElu, hn::IfThenElse(hn::Lt(x, hn::Zero(d)),
                                       hn::Mul(a, vmath::Expm1Limited(d, vmath::AtMost(d, x, 0.0f))), x))
TENON_ACTIVATION(OpSelu, hn::Mul(b, hn::IfThenElse(hn::Lt(x, hn::Zero(d)),
                                                   hn::Mul(a, vmath::Expm1Limited(d, vmath::AtMost(d, x, 0.0f))), x)))
TENON_ACTIVATION(OpHardSigmoid, vmath::AtLeast(d, vmath::AtMost(d, hn::Add(hn::Mul(a, x), b), 1.0f), 0.0f))
TENON_ACTIVATION(OpHardSwish, hn::Mul(x, OpHardSigmoid::Run(d, x, a, b)))
// max(0, x) + min(0, a (e^(x/a) - 1)); a may be negative.
struct OpCelu {
  template <class D, class V>
  static HWY_INLINE V Run(D d, V x, V a, V) {
    const V zero = hn::Zero(d);
    const V e = hn::Mul(a, vmath::Expm1(d, hn::Div(x, a)));
    return hn::Add(hn::IfThenZeroElse(hn::Lt(x, zero), x), hn::IfThenZeroElse(hn::Gt(e, zero), e));
  }
};
TENON_ACTIVATION(OpShrink, hn::IfThenElse(hn::Lt(x, hn::Neg(b)), hn::Add(x, a),
                                          hn::IfThenElse(hn::Gt(x, b), hn::Sub(x, a),
                                                         hn::IfThenElse(hn::IsNaN(x), x, hn::Zero(d)))))

TileFn Lookup(Fn fn) {
  switch (fn) {
    case Fn::kPow: return Binary<OpPow, float>;
    case Fn::kExp: return Unary<OpExp, float>;
    case Fn::kExpm1: return Unary<OpExpm1, float>;
    case Fn::kLog: return Unary<OpLog, float>;
    case Fn::kLog1p: return Unary<OpLog1p, float>;
    case Fn::kSin: return Unary<OpTrig<vmath::Trig::kSin>, float>;
    case Fn::kCos: return Unary<OpTrig<vmath::Trig::kCos>, float>;
    case Fn::kTan: return Unary<OpTrig<vmath::Trig::kTan>, float>;
    case Fn::kAsin: return Unary<OpAsin, float>;
    case Fn::kAcos: return Unary<OpAcos, float>;
    case Fn::kAtan: return Unary<OpAtan, float>;
    case Fn::kSinh: return Unary<OpSinh, float>;
    case Fn::kCosh: return Unary<OpCosh, float>;
    case Fn::kTanh: return Unary<OpTanh, float>;
    case Fn::kAsinh: return Unary<OpAsinh, float>;
    case Fn::kAcosh: return Unary<OpAcosh, float>;
    case Fn::kAtanh: return Unary<OpAtanh, float>;
    case Fn::kErf: return Unary<OpErf, float>;
    case Fn::kSigmoid: return Unary<OpSigmoid, float>;
    case Fn::kSoftplus: return Unary<OpSoftplus, float>;
    case Fn::kSoftsign: return Unary<OpSoftsign, float>;
    case Fn::kMish: return Unary<OpMish, float>;
    case Fn::kGelu: return Unary<OpGelu, float>;
    case Fn::kGeluTanh: return Unary<OpGeluTanh, float>;
    case Fn::kQuickGelu: return WithConstants<OpQuickGelu, float>;
    case Fn::kLeakyRelu: return WithConstants<OpLeakyRelu, float>;
    case Fn::kThresholdedRelu: return WithConstants<OpThresholdedRelu, float>;
    case Fn::kElu: return WithConstants<OpElu, float>;
    case Fn::kSelu: return WithConstants<OpSelu, float>;
    case Fn::kCelu: return WithConstants<OpCelu, float>;
    case Fn::kHardSigmoid: return WithConstants<OpHardSigmoid, float>;
    case Fn::kHardSwish: return WithConstants<OpHardSwish, float>;
    case Fn::kShrink: return WithConstants<OpShrink, float>;
    default: return nullptr;
  }
}

}  // namespace
TileFn MathLookup(Fn fn) { return Lookup(fn); }
}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon {
HWY_EXPORT(MathLookup);
TileFn vector_math(Fn fn) { return HWY_DYNAMIC_DISPATCH(MathLookup)(fn); }
}  // namespace tenon
#endif
