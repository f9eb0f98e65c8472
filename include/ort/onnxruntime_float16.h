// float16 and bfloat16 as bit patterns with conversions: bases of Ort::Float16_t and Ort::BFloat16_t.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>

namespace onnxruntime_float16 {

namespace detail {

enum class endian {
#if defined(_WIN32)
  little = 0,
  big = 1,
  native = little,
#else
  little = __ORDER_LITTLE_ENDIAN__,
  big = __ORDER_BIG_ENDIAN__,
  native = __BYTE_ORDER__,
#endif
};

inline uint32_t bits_of(float v) noexcept {
  uint32_t bits;
  std::memcpy(&bits, &v, sizeof bits);
  return bits;
}

inline float float_of(uint32_t bits) noexcept {
  float v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}

}  // namespace detail

/// IEEE binary16: 1 sign, 5 exponent, 10 fraction bits. Derived is the public type (CRTP).
template <class Derived>
struct Float16Impl {
 protected:
  /// Rounds to nearest, ties to even; overflow gives infinity; a NaN stays one.
  static uint16_t ToUint16Impl(float v) noexcept {
    const uint32_t bits = detail::bits_of(v);
    const uint16_t sign = static_cast<uint16_t>((bits >> 16) & kSignMask);
    uint32_t magnitude = bits & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u) return static_cast<uint16_t>(sign | kPositiveQNaNBits);
    if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | kPositiveInfinityBits);  // 65536 and more
    if (magnitude < 0x38800000u) {  // below 2^-14: subnormal; adding 0.5 lets the hardware round at bit 2^-24
      const float shifted = detail::float_of(magnitude) + 0.5f;
      return static_cast<uint16_t>(sign | (detail::bits_of(shifted) - 0x3F000000u));
    }
    magnitude += 0xFFFu + ((magnitude >> 13) & 1u);  // half of the last kept bit, ties to even
    return static_cast<uint16_t>(sign | ((magnitude - 0x38000000u) >> 13));
  }

  float ToFloatImpl() const noexcept {
    const uint32_t sign = static_cast<uint32_t>(val & kSignMask) << 16;
    const uint32_t exponent = static_cast<uint32_t>(val >> 10) & 0x1Fu;
    const uint32_t fraction = static_cast<uint32_t>(val) & 0x3FFu;
    if (exponent == 0x1Fu) return detail::float_of(sign | 0x7F800000u | (fraction << 13));
    if (exponent != 0) return detail::float_of(sign | ((exponent + 112u) << 23) | (fraction << 13));
    const float magnitude = static_cast<float>(fraction) * 5.9604644775390625e-8f;  // 2^-24
    return detail::float_of(sign | detail::bits_of(magnitude));
  }

  uint16_t AbsImpl() const noexcept { return static_cast<uint16_t>(val & ~kSignMask); }
  uint16_t NegateImpl() const noexcept { return IsNaN() ? val : static_cast<uint16_t>(val ^ kSignMask); }

 public:
  static constexpr uint16_t kSignMask = 0x8000U;
  static constexpr uint16_t kBiasedExponentMask = 0x7C00U;
  static constexpr uint16_t kPositiveInfinityBits = 0x7C00U;
  static constexpr uint16_t kNegativeInfinityBits = 0xFC00U;
  static constexpr uint16_t kPositiveQNaNBits = 0x7E00U;
  static constexpr uint16_t kNegativeQNaNBits = 0xFE00U;
  static constexpr uint16_t kMaxValueBits = 0x7BFFU;
  static constexpr uint16_t kMinValueBits = 0xFBFFU;
  static constexpr uint16_t kOneBits = 0x3C00U;
  static constexpr uint16_t kMinusOneBits = 0xBC00U;

  uint16_t val{0};

  Float16Impl() = default;

  bool IsNegative() const noexcept { return (val & kSignMask) != 0; }
  bool IsNaN() const noexcept { return AbsImpl() > kPositiveInfinityBits; }
  bool IsFinite() const noexcept { return AbsImpl() < kPositiveInfinityBits; }
  bool IsPositiveInfinity() const noexcept { return val == kPositiveInfinityBits; }
  bool IsNegativeInfinity() const noexcept { return val == kNegativeInfinityBits; }
  bool IsInfinity() const noexcept { return AbsImpl() == kPositiveInfinityBits; }
  bool IsNaNOrZero() const noexcept { return AbsImpl() == 0 || IsNaN(); }
  bool IsNormal() const noexcept { return IsFinite() && (val & kBiasedExponentMask) != 0; }
  bool IsSubnormal() const noexcept { return AbsImpl() != 0 && (val & kBiasedExponentMask) == 0; }
  Derived Abs() const noexcept { return Derived::FromBits(AbsImpl()); }
  Derived Negate() const noexcept { return Derived::FromBits(NegateImpl()); }
  static bool AreZero(const Float16Impl& lhs, const Float16Impl& rhs) noexcept {
    return static_cast<uint16_t>((lhs.val | rhs.val) & ~kSignMask) == 0;
  }

  bool operator==(const Float16Impl& rhs) const noexcept {
    return !IsNaN() && !rhs.IsNaN() && (val == rhs.val || AreZero(*this, rhs));
  }
  bool operator!=(const Float16Impl& rhs) const noexcept { return !(*this == rhs); }
  bool operator<(const Float16Impl& rhs) const noexcept {
    if (IsNaN() || rhs.IsNaN() || AreZero(*this, rhs)) return false;
    if (IsNegative() != rhs.IsNegative()) return IsNegative();
    return IsNegative() ? val > rhs.val : val < rhs.val;
  }
};

/// The upper half of a float: 1 sign, 8 exponent, 7 fraction bits. Derived is the public type (CRTP).
template <class Derived>
struct BFloat16Impl {
 protected:
  /// Rounds to nearest, ties to even; a NaN stays one.
  static uint16_t ToUint16Impl(float v) noexcept {
    const uint32_t bits = detail::bits_of(v);
    if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return kPositiveQNaNBits;
    return static_cast<uint16_t>((bits + kRoundToNearest + ((bits >> 16) & 1u)) >> 16);
  }

  float ToFloatImpl() const noexcept { return detail::float_of(static_cast<uint32_t>(val) << 16); }
  uint16_t AbsImpl() const noexcept { return static_cast<uint16_t>(val & ~kSignMask); }
  uint16_t NegateImpl() const noexcept { return IsNaN() ? val : static_cast<uint16_t>(val ^ kSignMask); }

 public:
  static constexpr uint16_t kSignMask = 0x8000U;
  static constexpr uint16_t kBiasedExponentMask = 0x7F80U;
  static constexpr uint16_t kPositiveInfinityBits = 0x7F80U;
  static constexpr uint16_t kNegativeInfinityBits = 0xFF80U;
  static constexpr uint16_t kPositiveQNaNBits = 0x7FC1U;
  static constexpr uint16_t kNegativeQNaNBits = 0xFFC1U;
  static constexpr uint16_t kMaxValueBits = 0x7F7FU;
  static constexpr uint16_t kMinValueBits = 0xFF7FU;
  static constexpr uint16_t kRoundToNearest = 0x7FFFU;
  static constexpr uint16_t kOneBits = 0x3F80U;
  static constexpr uint16_t kMinusOneBits = 0xBF80U;

  uint16_t val{0};

  BFloat16Impl() = default;

  bool IsNegative() const noexcept { return (val & kSignMask) != 0; }
  bool IsNaN() const noexcept { return AbsImpl() > kPositiveInfinityBits; }
  bool IsFinite() const noexcept { return AbsImpl() < kPositiveInfinityBits; }
  bool IsPositiveInfinity() const noexcept { return val == kPositiveInfinityBits; }
  bool IsNegativeInfinity() const noexcept { return val == kNegativeInfinityBits; }
  bool IsInfinity() const noexcept { return AbsImpl() == kPositiveInfinityBits; }
  bool IsNaNOrZero() const noexcept { return AbsImpl() == 0 || IsNaN(); }
  bool IsNormal() const noexcept { return IsFinite() && (val & kBiasedExponentMask) != 0; }
  bool IsSubnormal() const noexcept { return AbsImpl() != 0 && (val & kBiasedExponentMask) == 0; }
  Derived Abs() const noexcept { return Derived::FromBits(AbsImpl()); }
  Derived Negate() const noexcept { return Derived::FromBits(NegateImpl()); }
  static bool AreZero(const BFloat16Impl& lhs, const BFloat16Impl& rhs) noexcept {
    return static_cast<uint16_t>((lhs.val | rhs.val) & ~kSignMask) == 0;
  }
};

}  // namespace onnxruntime_float16
