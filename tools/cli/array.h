// Array: numbers or texts with a shape, as files hold them, and their way into and out of Ort::Value.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ort/onnxruntime_cxx_api.h"

namespace tenon::cli {

struct Array {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
  std::vector<uint8_t> bytes;      ///< row-major, little-endian; empty for texts
  std::vector<std::string> texts;  ///< the elements when the type is STRING
  size_t count() const;
};

/// "float32[2,3]"
std::string array_text(ONNXTensorElementDataType type, const std::vector<int64_t>& shape);
/// Bits of an element, 0 for texts.
int element_bits(ONNXTensorElementDataType type);
/// numpy's name of the type: "float32"; ONNX's for types that numpy lacks.
const char* element_text(ONNXTensorElementDataType type);
/// Element i as a number; complex numbers give the real part, 4-bit and 8-bit floats their value.
double element_at(const Array& a, size_t i);
/// A tensor with a copy of the data.
Ort::Value to_value(const Array& a);
/// Copies a tensor out.
Array from_value(const Ort::Value& v);
/// The same numbers in another type: between numbers and truth values only.
Array converted(const Array& a, ONNXTensorElementDataType type);

}  // namespace tenon::cli
