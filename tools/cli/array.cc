// Array: conversions.
// SPDX-License-Identifier: MIT
#include "array.h"

#include <cmath>
#include <cstring>

#include "command.h"

namespace tenon::cli {
namespace {

struct Facts {
  const char* text;
  int bits;
};
constexpr Facts kFacts[] = {{"undefined", 0},
                            {"float32", 32},
                            {"uint8", 8},
                            {"int8", 8},
                            {"uint16", 16},
                            {"int16", 16},
                            {"int32", 32},
                            {"int64", 64},
                            {"string", 0},
                            {"bool", 8},
                            {"float16", 16},
                            {"float64", 64},
                            {"uint32", 32},
                            {"uint64", 64},
                            {"complex64", 64},
                            {"complex128", 128},
                            {"bfloat16", 16},
                            {"float8_e4m3fn", 8},
                            {"float8_e4m3fnuz", 8},
                            {"float8_e5m2", 8},
                            {"float8_e5m2fnuz", 8},
                            {"uint4", 4},
                            {"int4", 4},
                            {"float4_e2m1fn", 4},
                            {"uint2", 2},
                            {"int2", 2},
                            {"float8_e8m0", 8}};

template <class T>
T load(const Array& a, size_t i) {
  T v;
  std::memcpy(&v, a.bytes.data() + i * sizeof(T), sizeof v);
  return v;
}

template <class T>
void append(Array& a, T v) {
  const auto* from = reinterpret_cast<const uint8_t*>(&v);
  a.bytes.insert(a.bytes.end(), from, from + sizeof v);
}

/// A float of the given fields; formats without infinity treat the top exponent as numbers.
double small_float(unsigned code, int exponent_bits, int mantissa_bits, int bias) {
  const int total = exponent_bits + mantissa_bits;
  const double sign = code >> total & 1 ? -1 : 1;
  const int exponent = static_cast<int>(code >> mantissa_bits) & ((1 << exponent_bits) - 1);
  const double mantissa = std::ldexp(static_cast<double>(code & ((1u << mantissa_bits) - 1)), -mantissa_bits);
  return sign * (exponent == 0 ? std::ldexp(mantissa, 1 - bias) : std::ldexp(1 + mantissa, exponent - bias));
}

unsigned sub_byte(const Array& a, size_t i, int bits) {
  const size_t per = static_cast<size_t>(8 / bits);
  return a.bytes[i / per] >> (bits * static_cast<int>(i % per)) & ((1u << bits) - 1);
}

}  // namespace

size_t Array::count() const {
  size_t n = 1;
  for (int64_t d : shape) n *= static_cast<size_t>(d);
  return n;
}

int element_bits(ONNXTensorElementDataType type) {
  return static_cast<size_t>(type) < std::size(kFacts) ? kFacts[type].bits : 0;
}
const char* element_text(ONNXTensorElementDataType type) {
  return static_cast<size_t>(type) < std::size(kFacts) ? kFacts[type].text : "unknown";
}

std::string array_text(ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  std::string out = std::string(element_text(type)) + "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? "," : "") + std::to_string(shape[i]);
  return out + "]";
}

double element_at(const Array& a, size_t i) {
  switch (a.type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: return load<float>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: return load<double>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8: return load<int8_t>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16: return load<int16_t>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32: return load<int32_t>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: return static_cast<double>(load<int64_t>(a, i));
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL: return load<uint8_t>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16: return load<uint16_t>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32: return load<uint32_t>(a, i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64: return static_cast<double>(load<uint64_t>(a, i));
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: return Ort::Float16_t::FromBits(load<uint16_t>(a, i)).ToFloat();
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: return Ort::BFloat16_t::FromBits(load<uint16_t>(a, i)).ToFloat();
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64: return load<float>(a, 2 * i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128: return load<double>(a, 2 * i);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN: return small_float(a.bytes[i], 4, 3, 7);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ: return small_float(a.bytes[i], 4, 3, 8);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2: return small_float(a.bytes[i], 5, 2, 15);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ: return small_float(a.bytes[i], 5, 2, 16);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0: return std::ldexp(1.0, a.bytes[i] - 127);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4: return sub_byte(a, i, 4);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4: return static_cast<int>(sub_byte(a, i, 4) ^ 8) - 8;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1: return small_float(sub_byte(a, i, 4), 2, 1, 1);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2: return sub_byte(a, i, 2);
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2: return static_cast<int>(sub_byte(a, i, 2) ^ 2) - 2;
    default: return 0;
  }
}

Ort::Value to_value(const Array& a) {
  Ort::AllocatorWithDefaultOptions allocator;
  Ort::Value v = Ort::Value::CreateTensor(allocator, a.shape.data(), a.shape.size(), a.type);
  if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    std::vector<const char*> pointers;
    for (auto& t : a.texts) pointers.push_back(t.c_str());
    if (!pointers.empty()) v.FillStringTensor(pointers.data(), pointers.size());
  } else if (!a.bytes.empty()) {
    std::memcpy(v.GetTensorMutableRawData(), a.bytes.data(), a.bytes.size());
  }
  return v;
}

Array from_value(const Ort::Value& v) {
  auto info = v.GetTensorTypeAndShapeInfo();
  Array a;
  a.type = info.GetElementType();
  a.shape = info.GetShape();
  if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    for (size_t i = 0; i < a.count(); ++i) a.texts.push_back(v.GetStringTensorElement(i));
  } else {
    a.bytes.resize(v.GetTensorSizeInBytes());
    if (!a.bytes.empty()) std::memcpy(a.bytes.data(), v.GetTensorRawData(), a.bytes.size());
  }
  return a;
}

Array converted(const Array& a, ONNXTensorElementDataType type) {
  if (a.type == type) return a;
  Array out;
  out.type = type;
  out.shape = a.shape;
  const size_t n = a.count();
  // Raw bits that numpy has no type for: two bytes are a 16-bit float, one byte an 8-bit float.
  if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
    if (a.bytes.size() != (n * static_cast<size_t>(element_bits(type)) + 7) / 8)
      throw Fault(kInput, "the file's elements have another width than " + std::string(element_text(type)));
    out.bytes = a.bytes;
    return out;
  }
  if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
    throw Fault(kInput, "texts cannot become " + std::string(element_text(type)));
  for (size_t i = 0; i < n; ++i) {
    const double v = element_at(a, i);
    switch (type) {
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: append(out, static_cast<float>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: append(out, v); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: append(out, Ort::Float16_t(static_cast<float>(v)).val); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: append(out, Ort::BFloat16_t(static_cast<float>(v)).val); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8: append(out, static_cast<int8_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16: append(out, static_cast<int16_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32: append(out, static_cast<int32_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: append(out, static_cast<int64_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8: append(out, static_cast<uint8_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16: append(out, static_cast<uint16_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32: append(out, static_cast<uint32_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64: append(out, static_cast<uint64_t>(v)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL: append(out, static_cast<uint8_t>(v != 0)); break;
      default:
        throw Fault(kInput,
                    std::string("values of type ") + element_text(type) + " can only be read from a file of that type");
    }
  }
  return out;
}

}  // namespace tenon::cli
