// Scalar conversions between f32 and the floats of 16, 8 and 4 bits. Rounding is half to even throughout.
// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>

namespace tenon {

inline float bf16_to_f32(uint16_t h) { return std::bit_cast<float>(static_cast<uint32_t>(h) << 16); }
inline uint16_t f32_to_bf16(float f) {
  const uint32_t u = std::bit_cast<uint32_t>(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>((u >> 16) | 0x40);  // NaN stays NaN
  return static_cast<uint16_t>((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

/// A float format by its field sizes. Formats: f16 {5, 10}, f8e5m2 {5, 2}, f8e4m3fn {4, 3, finite}, ...
struct FloatFormat {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  bool has_infinity;   ///< exponent all ones is infinity and NaN, as in IEEE
  bool unsigned_zero;  ///< "UZ": no -0; its code is the only NaN
  bool has_nan;
};
inline constexpr FloatFormat kFormatF16{5, 10, 15, true, false, true};
inline constexpr FloatFormat kFormatE4M3FN{4, 3, 7, false, false, true};
inline constexpr FloatFormat kFormatE4M3FNUZ{4, 3, 8, false, true, true};
inline constexpr FloatFormat kFormatE5M2{5, 2, 15, true, false, true};
inline constexpr FloatFormat kFormatE5M2FNUZ{5, 2, 16, false, true, true};
inline constexpr FloatFormat kFormatE2M1{2, 1, 1, false, false, false};

/// Exact.
float small_float_to_f32(uint32_t code, const FloatFormat& format);
/// Out of range: with `saturate` (or where the format has neither infinity nor NaN) the largest finite value, otherwise
/// infinity, or NaN in formats without infinity. f16 is converted with saturate = false.
uint32_t f32_to_small_float(float f, const FloatFormat& format, bool saturate);

inline float f16_to_f32(uint16_t h) {
  // Moves the fields into place and lets one exact product fix the exponent, also of subnormals.
  const uint32_t sign = static_cast<uint32_t>(h & 0x8000) << 16;
  const uint32_t rest = static_cast<uint32_t>(h & 0x7fff) << 13;
  if ((h & 0x7c00) == 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | rest);
  const float scaled = std::bit_cast<float>(rest) * std::bit_cast<float>(0x77800000u);  // 2^112
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(scaled));
}
inline uint16_t f32_to_f16(float f) { return static_cast<uint16_t>(f32_to_small_float(f, kFormatF16, false)); }

/// f8e8m0: a power of two, 2^(code - 127); 255 is NaN.
inline float e8m0_to_f32(uint8_t code) {
  if (code == 255) return std::bit_cast<float>(0x7fc00000u);
  return code == 0 ? std::bit_cast<float>(0x00400000u) : std::bit_cast<float>(static_cast<uint32_t>(code) << 23);
}

}  // namespace tenon
