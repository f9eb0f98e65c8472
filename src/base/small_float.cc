// Conversions of floats with any small field sizes.
// SPDX-License-Identifier: MIT
#include "base/small_float.h"

#include <cmath>

namespace tenon {

float small_float_to_f32(uint32_t code, const FloatFormat& format) {
  const int m = format.mantissa_bits;
  const uint32_t sign_bit = 1u << (format.exponent_bits + m);
  const bool negative = code & sign_bit;
  const uint32_t magnitude = code & (sign_bit - 1);
  const uint32_t exponent = magnitude >> m;
  const uint32_t mantissa = magnitude & ((1u << m) - 1);
  const uint32_t top = (1u << format.exponent_bits) - 1;
  const float nan = std::bit_cast<float>(0x7fc00000u);
  const float sign = negative ? -1.0f : 1.0f;
  if (format.unsigned_zero && code == sign_bit) return nan;
  if (format.has_infinity && exponent == top) return mantissa ? nan : sign * INFINITY;
  if (!format.has_infinity && format.has_nan && !format.unsigned_zero && magnitude == sign_bit - 1) return nan;
  const float value = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), 1 - format.bias - m)
                                    : std::ldexp(static_cast<float>(mantissa | (1u << m)),
                                                 static_cast<int>(exponent) - format.bias - m);
  return sign * value;
}

uint32_t f32_to_small_float(float f, const FloatFormat& format, bool saturate) {
  const int m = format.mantissa_bits;
  const uint32_t sign_bit = 1u << (format.exponent_bits + m);
  const uint32_t bits = std::bit_cast<uint32_t>(f);
  const uint32_t sign = bits >> 31 ? sign_bit : 0;
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t top = (1u << format.exponent_bits) - 1;
  // Codes of the largest finite value, of infinity or what stands for it, and of NaN.
  uint32_t largest = sign_bit - 1;
  uint32_t nan = sign_bit | (sign_bit - 1);
  if (format.has_infinity) {
    largest = (top << m) - 1;
    nan = (top << m) | (1u << (m - 1));
  } else if (format.unsigned_zero) {
    nan = sign_bit;
  } else if (format.has_nan) {
    largest = sign_bit - 2;
    nan = sign_bit - 1;
  } else {
    nan = largest;  // no NaN: the largest value, as out of range
  }
  if (magnitude > 0x7f800000u) return format.unsigned_zero || !format.has_nan ? nan : sign | nan;
  const bool infinite = magnitude == 0x7f800000u;
  uint32_t code = largest + 1;
  if (!infinite) {
    const int exponent = static_cast<int>(magnitude >> 23) - 127;
    const int lowest = 1 - format.bias;  // exponent of subnormals and of the smallest normal
    if (magnitude < 0x00800000u) {
      code = 0;  // a subnormal f32 is below half of the smallest value of every format here
    } else {
      const uint32_t mantissa = (magnitude & 0x7fffffu) | 0x800000u;
      const int shift = 23 - m + (exponent < lowest ? lowest - exponent : 0);
      if (shift > 24) {
        code = 0;
      } else {
        const uint32_t kept = mantissa >> shift;
        const uint32_t lost = mantissa & ((1u << shift) - 1);
        const uint32_t half = 1u << (shift - 1);
        const uint32_t rounded = kept + (lost > half || (lost == half && (kept & 1)));
        // A carry out of the mantissa moves into the exponent field by itself.
        code = exponent < lowest ? rounded : (static_cast<uint32_t>(exponent - lowest) << m) + rounded;
      }
    }
  }
  if (code > largest) {
    if (saturate || !format.has_nan) code = largest;
    else if (format.has_infinity) code = top << m;
    else return format.unsigned_zero ? nan : sign | nan;
  }
  if (code == 0 && format.unsigned_zero) return 0;
  return sign | code;
}

}  // namespace tenon
