// Total orders: maps elements to unsigned keys whose order is that of the values, NaN last, -0 equal to 0.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <type_traits>

#include "tensor/dtype.h"

namespace tenon::kernels {

/// Memory type M and key K of an element type.
template <class T>
struct IntegerOrder {
  using Memory = T;
  using Key = std::make_unsigned_t<T>;
  static Key key(T v) {
    constexpr Key flip = std::is_signed_v<T> ? Key(Key{1} << (8 * sizeof(T) - 1)) : Key{0};
    return static_cast<Key>(static_cast<Key>(v) ^ flip);
  }
};
/// Floats by their bits: `kInfinity` is the code of +infinity.
template <class U, U kInfinity>
struct FloatOrder {
  using Memory = U;
  using Key = U;
  static U key(U bits) {
    constexpr U sign = U(U{1} << (8 * sizeof(U) - 1));
    const U magnitude = bits & U(~sign);
    if (magnitude > kInfinity) return U(~U{0});
    if (magnitude == 0) return sign;
    return bits & sign ? U(~bits) : U(bits | sign);
  }
};

/// Calls f with the order of the type; false when it has none here.
template <class F>
bool with_order(DType t, F&& f) {
  switch (t) {
    case DType::kF32: f(FloatOrder<uint32_t, 0x7f800000u>()); return true;
    case DType::kF64: f(FloatOrder<uint64_t, 0x7ff0000000000000u>()); return true;
    case DType::kF16: f(FloatOrder<uint16_t, 0x7c00u>()); return true;
    case DType::kBF16: f(FloatOrder<uint16_t, 0x7f80u>()); return true;
    case DType::kBool:
    case DType::kU8: f(IntegerOrder<uint8_t>()); return true;
    case DType::kI8: f(IntegerOrder<int8_t>()); return true;
    case DType::kU16: f(IntegerOrder<uint16_t>()); return true;
    case DType::kI16: f(IntegerOrder<int16_t>()); return true;
    case DType::kU32: f(IntegerOrder<uint32_t>()); return true;
    case DType::kI32: f(IntegerOrder<int32_t>()); return true;
    case DType::kU64: f(IntegerOrder<uint64_t>()); return true;
    case DType::kI64: f(IntegerOrder<int64_t>()); return true;
    default: return false;
  }
}

}  // namespace tenon::kernels
