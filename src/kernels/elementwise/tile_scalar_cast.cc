// Plain tile kernels of conversions: every pair of types, small floats, packed types.
// SPDX-License-Identifier: MIT
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "base/small_float.h"
#include "kernels/elementwise/tile_kernels.h"

namespace tenon {
namespace {

// One number to another type by the rules of cast.h; kBits below the width of To cuts to a shorter integer.
template <typename To, int kBits, typename From>
To convert_one(From v) {
  if constexpr (std::is_floating_point_v<To>) {
    return static_cast<To>(v);
  } else if constexpr (std::is_floating_point_v<From> && kBits < 8) {
    return convert_one<To, kBits>(convert_one<int64_t, 64>(v));
  } else if constexpr (std::is_floating_point_v<From>) {
    // The bounds are exact in both float types: lo = -2^k or 0, hi + 1 = 2^k.
    constexpr int k = std::is_signed_v<To> ? kBits - 1 : kBits;
    const From end = std::ldexp(From(1), k);
    const To top = std::numeric_limits<To>::max();
    if (!(v == v)) return 0;
    if (v >= end) return top;
    if constexpr (std::is_signed_v<To>) {
      return v <= -end ? static_cast<To>(-top - 1) : static_cast<To>(v);
    } else {
      return v <= 0 ? To(0) : static_cast<To>(v);
    }
  } else {
    using U = std::make_unsigned_t<To>;
    constexpr int kShift = static_cast<int>(sizeof(To)) * 8 - kBits;
    // Keeps the low bits; the shift back extends the sign of a shorter type.
    return static_cast<To>(static_cast<To>(static_cast<U>(static_cast<U>(v) << kShift)) >> kShift);
  }
}

template <typename From, typename To, int kBits = sizeof(To) * 8>
void cast_loop(const TileCall& c) {
  const From* a = static_cast<const From*>(c.in[0]);
  To* out = static_cast<To*>(c.out);
  for (size_t i = 0; i < c.n; ++i) out[i] = convert_one<To, kBits>(a[i & c.step[0]]);
}

template <typename From>
TileFn cast_from(DType to) {
  switch (to) {
    case DType::kF32: return cast_loop<From, float>;
    case DType::kF64: return cast_loop<From, double>;
    case DType::kI8: return cast_loop<From, int8_t>;
    case DType::kU8: return cast_loop<From, uint8_t>;
    case DType::kI16: return cast_loop<From, int16_t>;
    case DType::kU16: return cast_loop<From, uint16_t>;
    case DType::kI32: return cast_loop<From, int32_t>;
    case DType::kU32: return cast_loop<From, uint32_t>;
    case DType::kI64: return cast_loop<From, int64_t>;
    case DType::kU64: return cast_loop<From, uint64_t>;
    case DType::kI4: return cast_loop<From, int8_t, 4>;
    case DType::kU4: return cast_loop<From, uint8_t, 4>;
    case DType::kI2: return cast_loop<From, int8_t, 2>;
    case DType::kU2: return cast_loop<From, uint8_t, 2>;
    default: return nullptr;
  }
}
TileFn any_cast(DType from, DType to) {
  switch (from) {
    case DType::kF32: return cast_from<float>(to);
    case DType::kF64: return cast_from<double>(to);
    case DType::kI8: return cast_from<int8_t>(to);
    case DType::kBool:
    case DType::kU8: return cast_from<uint8_t>(to);
    case DType::kI16: return cast_from<int16_t>(to);
    case DType::kU16: return cast_from<uint16_t>(to);
    case DType::kI32: return cast_from<int32_t>(to);
    case DType::kU32: return cast_from<uint32_t>(to);
    case DType::kI64: return cast_from<int64_t>(to);
    case DType::kU64: return cast_from<uint64_t>(to);
    default: return nullptr;
  }
}

// f64 to f32 by rounding to odd: a later rounding to fewer bits is then that of the f64 value itself.
void cast_to_odd(const TileCall& c) {
  const double* a = static_cast<const double*>(c.in[0]);
  float* out = static_cast<float*>(c.out);
  for (size_t i = 0; i < c.n; ++i) {
    const double v = a[i & c.step[0]];
    float f = static_cast<float>(v);
    if (std::isfinite(v) && static_cast<double>(f) != v) {
      uint32_t bits = std::bit_cast<uint32_t>(f);
      if (std::fabs(static_cast<double>(f)) > std::fabs(v)) --bits;  // towards zero
      f = std::bit_cast<float>(bits | 1);
    }
    out[i] = f;
  }
}

// A power of two that fits 8 exponent bits, rounded up.
uint8_t to_e8m0(float v) {
  const uint32_t bits = std::bit_cast<uint32_t>(v);
  if (v != v) return 255;
  if (!(v > 0)) return bits >> 31 && v != 0 ? 255 : 0;
  if (std::isinf(v)) return 254;
  const uint32_t exponent = bits >> 23, mantissa = bits & 0x7fffff;
  if (exponent == 0) return mantissa > 0x400000 ? 1 : 0;
  const uint32_t up = exponent + (mantissa != 0);
  return static_cast<uint8_t>(up > 254 ? 254 : up);
}

template <DType type>
float decode(uint32_t code) {
  if constexpr (type == DType::kF16) return f16_to_f32(static_cast<uint16_t>(code));
  if constexpr (type == DType::kBF16) return bf16_to_f32(static_cast<uint16_t>(code));
  if constexpr (type == DType::kF8E4M3FN) return small_float_to_f32(code, kFormatE4M3FN);
  if constexpr (type == DType::kF8E4M3FNUZ) return small_float_to_f32(code, kFormatE4M3FNUZ);
  if constexpr (type == DType::kF8E5M2) return small_float_to_f32(code, kFormatE5M2);
  if constexpr (type == DType::kF8E5M2FNUZ) return small_float_to_f32(code, kFormatE5M2FNUZ);
  if constexpr (type == DType::kF4E2M1) return small_float_to_f32(code, kFormatE2M1);
  if constexpr (type == DType::kF8E8M0) return e8m0_to_f32(static_cast<uint8_t>(code));
}
template <DType type>
uint32_t encode(float v, bool saturate) {
  if constexpr (type == DType::kF16) return f32_to_f16(v);
  if constexpr (type == DType::kBF16) return f32_to_bf16(v);
  if constexpr (type == DType::kF8E4M3FN) return f32_to_small_float(v, kFormatE4M3FN, saturate);
  if constexpr (type == DType::kF8E4M3FNUZ) return f32_to_small_float(v, kFormatE4M3FNUZ, saturate);
  if constexpr (type == DType::kF8E5M2) return f32_to_small_float(v, kFormatE5M2, saturate);
  if constexpr (type == DType::kF8E5M2FNUZ) return f32_to_small_float(v, kFormatE5M2FNUZ, saturate);
  if constexpr (type == DType::kF4E2M1) return f32_to_small_float(v, kFormatE2M1, true);
  if constexpr (type == DType::kF8E8M0) return to_e8m0(v);
}
template <DType type>
void load_small_float(const TileCall& c) {
  float* out = static_cast<float*>(c.out);
  if constexpr (type == DType::kF4E2M1) {
    const uint8_t* a = static_cast<const uint8_t*>(c.in[0]);
    for (size_t i = 0; i < c.n; ++i) {
      const size_t j = i & c.step[0];
      out[i] = decode<type>(a[j / 2] >> (j % 2 * 4) & 15);
    }
  } else if constexpr (bit_width(type) == 8) {
    float table[256];
    const bool large = c.n >= 512;
    if (large) {
      for (uint32_t k = 0; k < 256; ++k) table[k] = decode<type>(k);
    }
    const uint8_t* a = static_cast<const uint8_t*>(c.in[0]);
    for (size_t i = 0; i < c.n; ++i) {
      const uint8_t code = a[i & c.step[0]];
      out[i] = large ? table[code] : decode<type>(code);
    }
  }
}
template <DType type>
void store_small_float(const TileCall& c) {
  const float* a = static_cast<const float*>(c.in[0]);
  uint8_t* out = static_cast<uint8_t*>(c.out);
  for (size_t i = 0; i < c.n; ++i) {
    const uint8_t code = static_cast<uint8_t>(encode<type>(a[i & c.step[0]], false));
    if constexpr (type == DType::kF4E2M1) {
      out[i / 2] = static_cast<uint8_t>(i % 2 ? (out[i / 2] & 15) | code << 4 : code);
    } else {
      out[i] = code;
    }
  }
}
template <DType type>
void round_small_float(const TileCall& c) {
  const float* a = static_cast<const float*>(c.in[0]);
  float* out = static_cast<float*>(c.out);
  for (size_t i = 0; i < c.n; ++i) out[i] = decode<type>(encode<type>(a[i & c.step[0]], c.imm[0] != 0));
}

// Integers of 4 or 2 bits, low bits first.
template <typename T, int kBits>
void load_packed(const TileCall& c) {
  constexpr size_t kEach = 8 / kBits;
  const uint8_t* a = static_cast<const uint8_t*>(c.in[0]);
  T* out = static_cast<T*>(c.out);
  for (size_t i = 0; i < c.n; ++i) {
    const size_t j = i & c.step[0];
    out[i] = convert_one<T, kBits>(static_cast<uint8_t>(a[j / kEach] >> (j % kEach * kBits)));
  }
}
template <int kBits>
void store_packed(const TileCall& c) {
  constexpr size_t kEach = 8 / kBits;
  constexpr uint32_t kMask = (1u << kBits) - 1;
  const uint8_t* a = static_cast<const uint8_t*>(c.in[0]);
  uint8_t* out = static_cast<uint8_t*>(c.out);
  for (size_t i = 0; i < c.n; ++i) {
    const uint32_t code = (a[i & c.step[0]] & kMask) << (i % kEach * kBits);
    out[i / kEach] = static_cast<uint8_t>(i % kEach ? out[i / kEach] | code : code);
  }
}

}  // namespace

TileFn find_load(DType type) {
  switch (type) {
    case DType::kF16:
    case DType::kBF16: return vector_cast(type, DType::kF32);
    case DType::kF8E4M3FN: return load_small_float<DType::kF8E4M3FN>;
    case DType::kF8E4M3FNUZ: return load_small_float<DType::kF8E4M3FNUZ>;
    case DType::kF8E5M2: return load_small_float<DType::kF8E5M2>;
    case DType::kF8E5M2FNUZ: return load_small_float<DType::kF8E5M2FNUZ>;
    case DType::kF8E8M0: return load_small_float<DType::kF8E8M0>;
    case DType::kF4E2M1: return load_small_float<DType::kF4E2M1>;
    case DType::kI4: return load_packed<int8_t, 4>;
    case DType::kU4: return load_packed<uint8_t, 4>;
    case DType::kI2: return load_packed<int8_t, 2>;
    case DType::kU2: return load_packed<uint8_t, 2>;
    default: return nullptr;
  }
}

TileFn find_store(DType type) {
  switch (type) {
    case DType::kF16:
    case DType::kBF16: return vector_cast(DType::kF32, type);
    case DType::kF8E4M3FN: return store_small_float<DType::kF8E4M3FN>;
    case DType::kF8E4M3FNUZ: return store_small_float<DType::kF8E4M3FNUZ>;
    case DType::kF8E5M2: return store_small_float<DType::kF8E5M2>;
    case DType::kF8E5M2FNUZ: return store_small_float<DType::kF8E5M2FNUZ>;
    case DType::kF8E8M0: return store_small_float<DType::kF8E8M0>;
    case DType::kF4E2M1: return store_small_float<DType::kF4E2M1>;
    case DType::kI4:
    case DType::kU4: return store_packed<4>;
    case DType::kI2:
    case DType::kU2: return store_packed<2>;
    default: return nullptr;
  }
}

TileFn find_round(DType type) {
  switch (type) {
    case DType::kF16:
    case DType::kBF16: return vector_round(type);
    case DType::kF8E4M3FN: return round_small_float<DType::kF8E4M3FN>;
    case DType::kF8E4M3FNUZ: return round_small_float<DType::kF8E4M3FNUZ>;
    case DType::kF8E5M2: return round_small_float<DType::kF8E5M2>;
    case DType::kF8E5M2FNUZ: return round_small_float<DType::kF8E5M2FNUZ>;
    case DType::kF8E8M0: return round_small_float<DType::kF8E8M0>;
    case DType::kF4E2M1: return round_small_float<DType::kF4E2M1>;
    default: return nullptr;
  }
}

TileFn find_cast(DType from, DType to) {
  const DType source = compute_type(from), target = compute_type(to);
  if (from == to) return nullptr;
  if (to == DType::kBool) return vector_cast(source, to);
  if (target == DType::kF32 && to != DType::kF32 && source == DType::kF64) return cast_to_odd;
  // Packed integers are held in bytes: a cast to them cuts; a byte type of the same sign holds all of them.
  if (is_sub_byte(to) && to != DType::kF4E2M1) return any_cast(source, to);
  if (source == target) return nullptr;
  if (TileFn f = vector_cast(source, target)) return f;
  return any_cast(source, target);
}

}  // namespace tenon
