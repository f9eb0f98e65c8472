// Vector tile kernels of the common conversions.
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/tile_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/elementwise/tile_cast.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/elementwise/tile_loops-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace {

using F16 = hwy::float16_t;
using BF16 = hwy::bfloat16_t;

// The wider type fills a vector, the other a part of one.
template <typename From, typename To, bool kWiden = (sizeof(To) >= sizeof(From))>
struct Tags {
  using DTo = hn::ScalableTag<To>;
  using DFrom = hn::Rebind<From, DTo>;
};
template <typename From, typename To>
struct Tags<From, To, false> {
  using DFrom = hn::ScalableTag<From>;
  using DTo = hn::Rebind<To, DFrom>;
};
template <class F, typename From, typename To>
void Convert(const TileCall& c) {
  const typename Tags<From, To>::DFrom df;
  const typename Tags<From, To>::DTo dt;
  ForPieces<1, From, From, To>(c, hn::Lanes(df), [df, dt](const From* a, const From*, const From*, To* out) HWY_ATTR {
    hn::StoreU(F::Run(df, dt, hn::LoadU(df, a)), dt, out);
  });
}
#define TENON_CONVERSION(name, expression)          \
  struct name {                                     \
    template <class DF, class DT, class V>          \
    static HWY_INLINE auto Run(DF df, DT dt, V x) { \
      (void)df, (void)dt;                           \
      return expression;                            \
    }                                               \
  };
TENON_CONVERSION(Promote, hn::PromoteTo(dt, x))
TENON_CONVERSION(Demote, hn::DemoteTo(dt, x))
TENON_CONVERSION(Whole, hn::ConvertTo(dt, x))
TENON_CONVERSION(Cut, hn::BitCast(dt, hn::TruncateTo(hn::RebindToUnsigned<DT>(),
                                                     hn::BitCast(hn::RebindToUnsigned<DF>(), x))))
TENON_CONVERSION(Via32, hn::ConvertTo(dt, hn::PromoteTo(hn::RebindToSigned<DT>(), x)))
// NaN is 0; ConvertTo saturates.
TENON_CONVERSION(FloatToInt, hn::ConvertTo(dt, hn::IfThenZeroElse(hn::IsNaN(x), x)))
template <int kLow, int kHigh>
struct FloatToByte {
  template <class DF, class DT, class V>
  static HWY_INLINE auto Run(DF df, DT dt, V x) {
    const hn::RebindToSigned<DF> di;
    const V kept = hn::IfThenZeroElse(hn::IsNaN(x), x);
    const V clamped = hn::Min(hn::Max(kept, hn::Set(df, kLow)), hn::Set(df, kHigh));
    return hn::DemoteTo(dt, hn::ConvertInRangeTo(di, clamped));
  }
};
struct ToBF16 {
  template <class DF, class DT, class V>
  static HWY_INLINE auto Run(DF df, DT dt, V x) {
    const hn::RebindToUnsigned<DF> du;
    const hn::RebindToUnsigned<DT> du16;
    const auto bits = hn::BitCast(du, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fff)));
    const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
    const auto nan = hn::RebindMask(du, hn::IsNaN(x));
    (void)df;
    return hn::BitCast(dt, hn::TruncateTo(du16, hn::ShiftRight<16>(hn::IfThenElse(nan, quiet, rounded))));
  }
};
struct ToTruth {
  template <class D, class V>
  static HWY_INLINE auto Run(D d, V x, bool, bool) {
    return hn::Not(hn::Eq(x, hn::Zero(d)));  // true for NaN
  }
};
struct RoundF16 {
  template <class D, class V>
  static HWY_INLINE V Run(D d, V x) {
    const hn::Rebind<F16, D> dh;
    return hn::PromoteTo(d, hn::DemoteTo(dh, x));
  }
};
struct RoundBF16 {
  template <class D, class V>
  static HWY_INLINE V Run(D d, V x) {
    const hn::RebindToUnsigned<D> du;
    const auto bits = hn::BitCast(du, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
    const auto rounded = hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7fff)));
    const V kept = hn::BitCast(d, hn::And(rounded, hn::Set(du, 0xffff0000u)));
    return hn::IfThenElse(hn::IsNaN(x), x, kept);
  }
};

constexpr int Pair(DType a, DType b) { return static_cast<int>(a) * 64 + static_cast<int>(b); }

TileFn Lookup(DType from, DType to) {
  if (to == DType::kBool) {
    if (from == DType::kF32) return Test<ToTruth, float>;
    if (from == DType::kF64) return Test<ToTruth, double>;
    switch (byte_width(from)) {
      case 1: return Test<ToTruth, uint8_t>;
      case 2: return Test<ToTruth, uint16_t>;
      case 4: return Test<ToTruth, uint32_t>;
      default: return Test<ToTruth, uint64_t>;
    }
  }
  switch (Pair(from == DType::kBool ? DType::kU8 : from, to)) {
    case Pair(DType::kF16, DType::kF32): return Convert<Promote, F16, float>;
    case Pair(DType::kF32, DType::kF16): return Convert<Demote, float, F16>;
    case Pair(DType::kBF16, DType::kF32): return Convert<Promote, BF16, float>;
    case Pair(DType::kF32, DType::kBF16): return Convert<ToBF16, float, BF16>;
    case Pair(DType::kF32, DType::kF64): return Convert<Promote, float, double>;
    case Pair(DType::kF64, DType::kF32): return Convert<Demote, double, float>;
    case Pair(DType::kI32, DType::kF32): return Convert<Whole, int32_t, float>;
    case Pair(DType::kF32, DType::kI32): return Convert<FloatToInt, float, int32_t>;
    case Pair(DType::kI32, DType::kF64): return Convert<Promote, int32_t, double>;
    case Pair(DType::kI64, DType::kF64): return Convert<Whole, int64_t, double>;
    case Pair(DType::kU8, DType::kF32): return Convert<Via32, uint8_t, float>;
    case Pair(DType::kI8, DType::kF32): return Convert<Via32, int8_t, float>;
    case Pair(DType::kI16, DType::kF32): return Convert<Via32, int16_t, float>;
    case Pair(DType::kU16, DType::kF32): return Convert<Via32, uint16_t, float>;
    case Pair(DType::kF32, DType::kU8): return Convert<FloatToByte<0, 255>, float, uint8_t>;
    case Pair(DType::kF32, DType::kI8): return Convert<FloatToByte<-128, 127>, float, int8_t>;
    case Pair(DType::kI64, DType::kI32):
    case Pair(DType::kI64, DType::kU32):
    case Pair(DType::kU64, DType::kI32):
    case Pair(DType::kU64, DType::kU32): return Convert<Cut, uint64_t, uint32_t>;
    case Pair(DType::kI32, DType::kI8):
    case Pair(DType::kI32, DType::kU8): return Convert<Cut, uint32_t, uint8_t>;
    case Pair(DType::kI64, DType::kI8):
    case Pair(DType::kI64, DType::kU8): return Convert<Cut, uint64_t, uint8_t>;
    case Pair(DType::kI32, DType::kI64):
    case Pair(DType::kI32, DType::kU64): return Convert<Promote, int32_t, int64_t>;
    case Pair(DType::kU32, DType::kI64):
    case Pair(DType::kU32, DType::kU64): return Convert<Promote, uint32_t, uint64_t>;
    case Pair(DType::kU8, DType::kI32):
    case Pair(DType::kU8, DType::kU32): return Convert<Promote, uint8_t, uint32_t>;
    case Pair(DType::kI8, DType::kI32): return Convert<Promote, int8_t, int32_t>;
    case Pair(DType::kU8, DType::kI64):
    case Pair(DType::kU8, DType::kU64): return Convert<Promote, uint8_t, uint64_t>;
    case Pair(DType::kI8, DType::kI64): return Convert<Promote, int8_t, int64_t>;
    default: return nullptr;
  }
}

}  // namespace
TileFn CastLookup(DType from, DType to) { return Lookup(from, to); }
TileFn RoundLookup(DType type) {
  return type == DType::kF16 ? Unary<RoundF16, float> : type == DType::kBF16 ? Unary<RoundBF16, float> : nullptr;
}
}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon {
HWY_EXPORT(CastLookup);
HWY_EXPORT(RoundLookup);
TileFn vector_cast(DType from, DType to) { return HWY_DYNAMIC_DISPATCH(CastLookup)(from, to); }
TileFn vector_round(DType type) { return HWY_DYNAMIC_DISPATCH(RoundLookup)(type); }
}  // namespace tenon
#endif
