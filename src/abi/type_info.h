// OrtTypeInfo and its relatives: types as clients ask for them.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ir/type.h"
#include "ort/onnxruntime_c_api.h"
#include "session/session.h"
#include "tensor/value.h"

struct OrtTensorTypeAndShapeInfo {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  bool has_shape = true;
  std::vector<int64_t> dims;       ///< -1 where unknown
  std::vector<std::string> names;  ///< as many as dims; empty where the dimension is a number or has no name
};

struct OrtTypeInfo;

struct OrtMapTypeInfo {
  ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::unique_ptr<OrtTypeInfo> value;
};
struct OrtSequenceTypeInfo {
  std::unique_ptr<OrtTypeInfo> element;
};
struct OrtOptionalTypeInfo {
  std::unique_ptr<OrtTypeInfo> contained;
};

/// A type and everything below it; one of the members is set, by kind.
struct OrtTypeInfo {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  std::string denotation;
  std::unique_ptr<OrtTensorTypeAndShapeInfo> tensor;  ///< also of a sparse tensor
  std::unique_ptr<OrtMapTypeInfo> map;
  std::unique_ptr<OrtSequenceTypeInfo> sequence;
  std::unique_ptr<OrtOptionalTypeInfo> optional;

  std::unique_ptr<OrtTypeInfo> clone() const;
};

namespace tenon::abi {

/// Element types: the two tables number the youngest ones differently.
ONNXTensorElementDataType to_ort(DType t);
/// kUndefined for numbers that do not exist.
DType from_ort(ONNXTensorElementDataType t);

std::unique_ptr<OrtTypeInfo> type_info_of(const ir::Type& type, const ir::DimPool& dims);
/// The same with the dimension names that the model's file gives.
std::unique_ptr<OrtTypeInfo> type_info_of(const session::Argument& argument, const ir::DimPool& dims);
std::unique_ptr<OrtTypeInfo> type_info_of(const Value& value);
OrtTensorTypeAndShapeInfo tensor_info_of(DType dtype, std::span<const int64_t> dims);
/// "tensor(float)", "seq(tensor(int64))", "map(string,tensor(float))": the type of a value in ONNX words.
std::string type_text(const Value& value);

}  // namespace tenon::abi
