// Vector tile kernels of arithmetic, comparison, logic and selection for all compute types.
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/tile_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/tile_arithmetic.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/elementwise/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace {

#define TENON_OP1(name, expression)     \
  struct name {                         \
    template <class D, class V>         \
    static HWY_INLINE V Run(D d, V x) { \
      (void)d;                          \
      return expression;                \
    }                                   \
  };
#define TENON_OP2(name, expression)             \
  struct name {                                 \
    template <class D, class V>                 \
    static HWY_INLINE auto Run(D d, V x, V y) { \
      (void)d;                                  \
      return expression;                        \
    }                                           \
  };
TENON_OP2(OpAdd, hn::Add(x, y))
TENON_OP2(OpSub, hn::Sub(x, y))
TENON_OP2(OpMul, hn::Mul(x, y))
TENON_OP2(OpDiv, hn::Div(x, y))
TENON_OP2(OpAnd, hn::And(x, y))
TENON_OP2(OpOr, hn::Or(x, y))
TENON_OP2(OpXor, hn::Xor(x, y))
TENON_OP2(OpEq, hn::Eq(x, y))
TENON_OP2(OpLt, hn::Lt(x, y))
TENON_OP2(OpLe, hn::Le(x, y))
TENON_OP2(OpPRelu, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Mul(x, y), x))
struct OpMax {
  template <class D, class V>
  static HWY_INLINE V Run(D, V x, V y) {
    if constexpr (hwy::IsFloat<hn::TFromV<V>>()) {
      return hn::IfThenElse(hn::Or(hn::Gt(x, y), hn::IsNaN(x)), x, y);
    } else {
      return hn::Max(x, y);
    }
  }
};
struct OpMin {
  template <class D, class V>
  static HWY_INLINE V Run(D, V x, V y) {
    if constexpr (hwy::IsFloat<hn::TFromV<V>>()) {
      return hn::IfThenElse(hn::Or(hn::Lt(x, y), hn::IsNaN(x)), x, y);
    } else {
      return hn::Min(x, y);
    }
  }
};
TENON_OP1(OpNot, hn::Xor(x, hn::Set(d, 1)))
TENON_OP1(OpBitNot, hn::Not(x))
TENON_OP1(OpAbs, hn::Abs(x))
TENON_OP1(OpNegFloat, hn::Neg(x))
TENON_OP1(OpNegInt, hn::Sub(hn::Zero(d), x))
TENON_OP1(OpSign, hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::Eq(x, hn::Zero(d))), x, hn::CopySign(hn::Set(d, 1), x)))
TENON_OP1(OpReluFloat, hn::IfThenZeroElse(hn::Lt(x, hn::Zero(d)), x))
TENON_OP1(OpReluInt, hn::Max(x, hn::Zero(d)))
TENON_OP1(OpSqrt, hn::Sqrt(x))
TENON_OP1(OpReciprocal, hn::Div(hn::Set(d, 1), x))
TENON_OP1(OpRsqrt, hn::Div(hn::Set(d, 1), hn::Sqrt(x)))
TENON_OP1(OpCeil, hn::Ceil(x))
TENON_OP1(OpFloor, hn::Floor(x))
TENON_OP1(OpTrunc, hn::Trunc(x))
TENON_OP1(OpRound, hn::Round(x))
struct OpMulAdd {
  template <class D, class V>
  static HWY_INLINE V Run(D, V x, V y, V z) {
    return hn::Add(hn::Mul(x, y), z);
  }
};
struct OpAddMul {
  template <class D, class V>
  static HWY_INLINE V Run(D, V x, V y, V z) {
    return hn::Mul(hn::Add(x, y), z);
  }
};
struct OpClip {
  template <class D, class V>
  static HWY_INLINE V Run(D d, V x, V y, V z) {
    return OpMin::Run(d, OpMax::Run(d, x, y), z);
  }
};
struct OpIsNaN {
  template <class D, class V>
  static HWY_INLINE auto Run(D, V x, bool, bool) {
    return hn::IsNaN(x);
  }
};
struct OpIsInf {
  template <class D, class V>
  static HWY_INLINE auto Run(D d, V x, bool negative, bool positive) {
    const V inf = hn::Inf(d);
    return hn::Or(hn::Eq(x, negative ? hn::Neg(inf) : hn::NaN(d)), hn::Eq(x, positive ? inf : hn::NaN(d)));
  }
};

// Unsigned bytes to the lanes of d.
template <class D, class V>
HWY_INLINE hn::Vec<D> Widen(D d, V bytes) {
  if constexpr (sizeof(hn::TFromD<D>) == 1) return bytes;
  else return hn::PromoteTo(d, bytes);
}
// Selection moves bits, so one kernel serves all types of a width.
template <typename T>
void Where(const TileCall& c) {
  const hn::ScalableTag<T> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  ForPieces<3, uint8_t, T, T>(c, hn::Lanes(d), [d, d8](const uint8_t* m, const T* a, const T* b, T* out) HWY_ATTR {
    const auto chosen = hn::Ne(Widen(d, hn::LoadU(d8, m)), hn::Zero(d));
    hn::StoreU(hn::IfThenElse(chosen, hn::LoadU(d, a), hn::LoadU(d, b)), d, out);
  });
}

// The kernel of one functor for a type out of a set.
template <class F>
TileFn UnsignedByWidth(int width) {
  switch (width) {
    case 1: return Binary<F, uint8_t>;
    case 2: return Binary<F, uint16_t>;
    case 4: return Binary<F, uint32_t>;
    default: return Binary<F, uint64_t>;
  }
}
template <class F>
TileFn WrapArithmetic(DType type) {
  if (type == DType::kF32) return Binary<F, float>;
  if (type == DType::kF64) return Binary<F, double>;
  return UnsignedByWidth<F>(byte_width(type));
}
#define TENON_BY_TYPE(kernel, functor)                  \
  switch (type) {                                       \
    case DType::kF32: return kernel<functor, float>;    \
    case DType::kF64: return kernel<functor, double>;   \
    case DType::kBool:                                  \
    case DType::kU8: return kernel<functor, uint8_t>;   \
    case DType::kI8: return kernel<functor, int8_t>;    \
    case DType::kU16: return kernel<functor, uint16_t>; \
    case DType::kI16: return kernel<functor, int16_t>;  \
    case DType::kU32: return kernel<functor, uint32_t>; \
    case DType::kI32: return kernel<functor, int32_t>;  \
    case DType::kU64: return kernel<functor, uint64_t>; \
    case DType::kI64: return kernel<functor, int64_t>;  \
    default: return nullptr;                            \
  }
template <class F>
TileFn FloatUnary(DType type) {
  return type == DType::kF32 ? Unary<F, float> : type == DType::kF64 ? Unary<F, double> : nullptr;
}
template <class F, class G>
TileFn SignedUnary(DType type) {  // F for floats, G for signed integers
  switch (type) {
    case DType::kF32: return Unary<F, float>;
    case DType::kF64: return Unary<F, double>;
    case DType::kI8: return Unary<G, int8_t>;
    case DType::kI16: return Unary<G, int16_t>;
    case DType::kI32: return Unary<G, int32_t>;
    case DType::kI64: return Unary<G, int64_t>;
    default: return nullptr;
  }
}
template <class F>
TileFn FloatTernary(DType type) {
  return type == DType::kF32 ? Ternary<F, float> : type == DType::kF64 ? Ternary<F, double> : nullptr;
}
TileFn Maxima(DType type){TENON_BY_TYPE(Binary, OpMax)} TileFn Minima(DType type){TENON_BY_TYPE(Binary, OpMin)} TileFn
    Lesses(DType type){TENON_BY_TYPE(Compare, OpLt)} TileFn LessEquals(DType type){TENON_BY_TYPE(Compare, OpLe)} TileFn
    Equals(DType type) {
  if (type == DType::kF32) return Compare<OpEq, float>;
  if (type == DType::kF64) return Compare<OpEq, double>;
  switch (byte_width(type)) {
    case 1: return Compare<OpEq, uint8_t>;
    case 2: return Compare<OpEq, uint16_t>;
    case 4: return Compare<OpEq, uint32_t>;
    default: return Compare<OpEq, uint64_t>;
  }
}

TileFn Lookup(Fn fn, DType type) {
  const bool is_float = type == DType::kF32 || type == DType::kF64;
  switch (fn) {
    case Fn::kAdd: return WrapArithmetic<OpAdd>(type);
    case Fn::kSub: return WrapArithmetic<OpSub>(type);
    case Fn::kMul: return WrapArithmetic<OpMul>(type);
    case Fn::kDiv:
      return type == DType::kF32 ? Binary<OpDiv, float> : type == DType::kF64 ? Binary<OpDiv, double> : nullptr;
    case Fn::kPRelu:
      return type == DType::kF32 ? Binary<OpPRelu, float> : type == DType::kF64 ? Binary<OpPRelu, double> : nullptr;
    case Fn::kMax: return Maxima(type);
    case Fn::kMin: return Minima(type);
    case Fn::kMulAdd: return FloatTernary<OpMulAdd>(type);
    case Fn::kAddMul: return FloatTernary<OpAddMul>(type);
    case Fn::kClip: return FloatTernary<OpClip>(type);
    case Fn::kAnd: return Binary<OpAnd, uint8_t>;
    case Fn::kOr: return Binary<OpOr, uint8_t>;
    case Fn::kXor: return Binary<OpXor, uint8_t>;
    case Fn::kNot: return Unary<OpNot, uint8_t>;
    case Fn::kBitAnd: return UnsignedByWidth<OpAnd>(byte_width(type));
    case Fn::kBitOr: return UnsignedByWidth<OpOr>(byte_width(type));
    case Fn::kBitXor: return UnsignedByWidth<OpXor>(byte_width(type));
    case Fn::kBitNot:
      switch (byte_width(type)) {
        case 1: return Unary<OpBitNot, uint8_t>;
        case 2: return Unary<OpBitNot, uint16_t>;
        case 4: return Unary<OpBitNot, uint32_t>;
        default: return Unary<OpBitNot, uint64_t>;
      }
    case Fn::kEqual: return Equals(type);
    case Fn::kLess: return Lesses(type);
    case Fn::kLessEqual: return LessEquals(type);
    case Fn::kIsNaN: return type == DType::kF32 ? Test<OpIsNaN, float> : Test<OpIsNaN, double>;
    case Fn::kIsInf: return type == DType::kF32 ? Test<OpIsInf, float> : Test<OpIsInf, double>;
    case Fn::kWhere:
      switch (byte_width(type)) {
        case 1: return Where<uint8_t>;
        case 2: return Where<uint16_t>;
        case 4: return Where<uint32_t>;
        default: return Where<uint64_t>;
      }
    case Fn::kAbs: return SignedUnary<OpAbs, OpAbs>(type);
    case Fn::kNeg: return SignedUnary<OpNegFloat, OpNegInt>(type);
    case Fn::kRelu: return SignedUnary<OpReluFloat, OpReluInt>(type);
    case Fn::kSign: return is_float ? FloatUnary<OpSign>(type) : nullptr;
    case Fn::kSqrt: return FloatUnary<OpSqrt>(type);
    case Fn::kReciprocal: return FloatUnary<OpReciprocal>(type);
    case Fn::kRsqrt: return FloatUnary<OpRsqrt>(type);
    case Fn::kCeil: return FloatUnary<OpCeil>(type);
    case Fn::kFloor: return FloatUnary<OpFloor>(type);
    case Fn::kTrunc: return FloatUnary<OpTrunc>(type);
    case Fn::kRound: return FloatUnary<OpRound>(type);
    default: return nullptr;
  }
}

}  // namespace
TileFn ArithmeticLookup(Fn fn, DType type) { return Lookup(fn, type); }
}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon {
HWY_EXPORT(ArithmeticLookup);
TileFn vector_arithmetic(Fn fn, DType type) { return HWY_DYNAMIC_DISPATCH(ArithmeticLookup)(fn, type); }
}  // namespace tenon
#endif
