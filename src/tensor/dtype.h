// DType: the element types of ONNX, with the numbers of TensorProto.DataType.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>

namespace tenon {

enum class DType : uint8_t {
  kUndefined = 0,
  kF32 = 1,
  kU8 = 2,
  kI8 = 3,
  kU16 = 4,
  kI16 = 5,
  kI32 = 6,
  kI64 = 7,
  kString = 8,  ///< elements are StringRef (tensor/tensor.h)
  kBool = 9,    ///< one byte, 0 or 1
  kF16 = 10,
  kF64 = 11,
  kU32 = 12,
  kU64 = 13,
  kC64 = 14,
  kC128 = 15,
  kBF16 = 16,
  kF8E4M3FN = 17,
  kF8E4M3FNUZ = 18,
  kF8E5M2 = 19,
  kF8E5M2FNUZ = 20,
  kU4 = 21,  ///< two to a byte, first element in the low bits; likewise all types below 8 bits
  kI4 = 22,
  kF4E2M1 = 23,
  kF8E8M0 = 24,
  kU2 = 25,
  kI2 = 26,
};
inline constexpr int kDTypeCount = 27;

/// Bits of one element in memory; 128 for strings (handles), 0 for undefined.
constexpr int bit_width(DType t) {
  switch (t) {
    case DType::kUndefined: return 0;
    case DType::kU8:
    case DType::kI8:
    case DType::kBool:
    case DType::kF8E4M3FN:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ:
    case DType::kF8E8M0: return 8;
    case DType::kU16:
    case DType::kI16:
    case DType::kF16:
    case DType::kBF16: return 16;
    case DType::kF32:
    case DType::kI32:
    case DType::kU32: return 32;
    case DType::kI64:
    case DType::kU64:
    case DType::kF64:
    case DType::kC64: return 64;
    case DType::kString:
    case DType::kC128: return 128;
    case DType::kU4:
    case DType::kI4:
    case DType::kF4E2M1: return 4;
    case DType::kU2:
    case DType::kI2: return 2;
  }
  return 0;
}
/// Whole bytes of one element; 0 for types below 8 bits.
constexpr int byte_width(DType t) { return bit_width(t) / 8; }
constexpr bool is_sub_byte(DType t) { return bit_width(t) == 4 || bit_width(t) == 2; }
constexpr bool is_valid(DType t) { return t != DType::kUndefined && static_cast<int>(t) < kDTypeCount; }

/// Short name in our messages: "f32", "i64", "bf16".
std::string_view name(DType t);
/// Name as ONNX type strings have it: "float", "int64", "bfloat16", inside "tensor(...)".
std::string_view onnx_name(DType t);

/// A set of element types, one bit a type.
class TypeSet {
 public:
  constexpr TypeSet() = default;
  template <class... T>
  constexpr explicit TypeSet(T... types) : bits_(((uint64_t{1} << static_cast<int>(types)) | ... | 0)) {}
  constexpr bool has(DType t) const { return (bits_ >> static_cast<int>(t)) & 1; }
  constexpr bool empty() const { return bits_ == 0; }
  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) { return from_bits(a.bits_ | b.bits_); }
  friend constexpr TypeSet operator&(TypeSet a, TypeSet b) { return from_bits(a.bits_ & b.bits_); }
  friend constexpr bool operator==(TypeSet a, TypeSet b) = default;

 private:
  static constexpr TypeSet from_bits(uint64_t b) {
    TypeSet s;
    s.bits_ = b;
    return s;
  }
  uint64_t bits_ = 0;
};

/// C++ type of an element type, for those that C++ has.
template <class T>
inline constexpr DType dtype_of = DType::kUndefined;
template <>
inline constexpr DType dtype_of<float> = DType::kF32;
template <>
inline constexpr DType dtype_of<double> = DType::kF64;
template <>
inline constexpr DType dtype_of<int8_t> = DType::kI8;
template <>
inline constexpr DType dtype_of<uint8_t> = DType::kU8;
template <>
inline constexpr DType dtype_of<int16_t> = DType::kI16;
template <>
inline constexpr DType dtype_of<uint16_t> = DType::kU16;
template <>
inline constexpr DType dtype_of<int32_t> = DType::kI32;
template <>
inline constexpr DType dtype_of<uint32_t> = DType::kU32;
template <>
inline constexpr DType dtype_of<int64_t> = DType::kI64;
template <>
inline constexpr DType dtype_of<uint64_t> = DType::kU64;
template <>
inline constexpr DType dtype_of<bool> = DType::kBool;

}  // namespace tenon
