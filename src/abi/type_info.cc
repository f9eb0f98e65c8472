// Type information.
// SPDX-License-Identifier: MIT
#include "abi/type_info.h"

#include <algorithm>

#include "abi/entry.h"

std::unique_ptr<OrtTypeInfo> OrtTypeInfo::clone() const {
  auto copy = std::make_unique<OrtTypeInfo>();
  copy->kind = kind;
  copy->denotation = denotation;
  if (tensor) copy->tensor = std::make_unique<OrtTensorTypeAndShapeInfo>(*tensor);
  if (map) copy->map.reset(new OrtMapTypeInfo{map->key, map->value->clone()});
  if (sequence) copy->sequence.reset(new OrtSequenceTypeInfo{sequence->element->clone()});
  if (optional) copy->optional.reset(new OrtOptionalTypeInfo{optional->contained->clone()});
  return copy;
}

namespace tenon::abi {

ONNXTensorElementDataType to_ort(DType t) {
  switch (t) {
    case DType::kF8E8M0: return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0;
    case DType::kU2: return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2;
    case DType::kI2: return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2;
    default: return static_cast<ONNXTensorElementDataType>(t);
  }
}

DType from_ort(ONNXTensorElementDataType t) {
  switch (t) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0: return DType::kF8E8M0;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2: return DType::kU2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2: return DType::kI2;
    default:
      return t >= ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED && t <= ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1
                 ? static_cast<DType>(t)
                 : DType::kUndefined;
  }
}

std::unique_ptr<OrtTypeInfo> type_info_of(const session::Argument& argument, const ir::DimPool& dims) {
  auto out = type_info_of(argument.type, dims);
  if (out->tensor)
    for (size_t i = 0; i < argument.dim_names.size() && i < out->tensor->names.size(); ++i)
      out->tensor->names[i] = argument.dim_names[i];
  return out;
}

OrtTensorTypeAndShapeInfo tensor_info_of(DType dtype, std::span<const int64_t> dims) {
  OrtTensorTypeAndShapeInfo out;
  out.type = to_ort(dtype);
  out.dims.assign(dims.begin(), dims.end());
  out.names.resize(dims.size());
  return out;
}

std::unique_ptr<OrtTypeInfo> type_info_of(const ir::Type& type, const ir::DimPool& dims) {
  using Kind = ir::Type::Kind;
  auto out = std::make_unique<OrtTypeInfo>();
  const auto inner = [&] { return type.inner ? type_info_of(*type.inner, dims) : std::make_unique<OrtTypeInfo>(); };
  switch (type.kind) {
    case Kind::kTensor:
    case Kind::kSparseTensor: {
      out->kind = type.kind == Kind::kTensor ? ONNX_TYPE_TENSOR : ONNX_TYPE_SPARSETENSOR;
      out->tensor = std::make_unique<OrtTensorTypeAndShapeInfo>();
      out->tensor->type = to_ort(type.dtype);
      out->tensor->has_shape = type.has_shape;
      for (const ir::Dim& d : type.shape) {
        out->tensor->dims.push_back(d.is_const() ? d.value() : -1);
        const auto symbol = d.is_const() ? std::nullopt : ir::as_symbol(d);
        out->tensor->names.emplace_back(symbol ? dims.symbol_name(*symbol) : std::string_view());
      }
      break;
    }
    case Kind::kSequence:
      out->kind = ONNX_TYPE_SEQUENCE;
      out->sequence.reset(new OrtSequenceTypeInfo{inner()});
      break;
    case Kind::kOptional:
      out->kind = ONNX_TYPE_OPTIONAL;
      out->optional.reset(new OrtOptionalTypeInfo{inner()});
      break;
    case Kind::kMap:
      out->kind = ONNX_TYPE_MAP;
      out->map.reset(new OrtMapTypeInfo{to_ort(type.dtype), inner()});
      break;
    case Kind::kOpaque: out->kind = ONNX_TYPE_OPAQUE; break;
    case Kind::kUnknown: break;
  }
  return out;
}

namespace {

std::unique_ptr<OrtTypeInfo> tensor_type(DType dtype, std::span<const int64_t> dims, bool has_shape = true) {
  auto out = std::make_unique<OrtTypeInfo>();
  out->kind = ONNX_TYPE_TENSOR;
  out->tensor = std::make_unique<OrtTensorTypeAndShapeInfo>(tensor_info_of(dtype, dims));
  out->tensor->has_shape = has_shape;
  return out;
}

}  // namespace

std::unique_ptr<OrtTypeInfo> type_info_of(const Value& value) {
  auto out = std::make_unique<OrtTypeInfo>();
  switch (value.kind) {
    case Value::Kind::kTensor: return tensor_type(value.tensor.dtype(), value.tensor.shape());
    case Value::Kind::kSparse:
      out = tensor_type(value.tensor.dtype(), value.dense_shape);
      out->kind = ONNX_TYPE_SPARSETENSOR;
      break;
    case Value::Kind::kSequence: {
      out->kind = ONNX_TYPE_SEQUENCE;
      // The shapes of the elements may differ, so the element type has none.
      const bool tensors = value.items.empty() || value.items[0]->kind == Value::Kind::kTensor;
      const DType dtype = value.items.empty() ? value.element : value.items[0]->tensor.dtype();
      out->sequence.reset(
          new OrtSequenceTypeInfo{tensors ? tensor_type(dtype, {}, false) : type_info_of(*value.items[0])});
      break;
    }
    case Value::Kind::kMap: {
      out->kind = ONNX_TYPE_MAP;
      const DType key = value.items.empty() ? DType::kUndefined : value.items[0]->tensor.dtype();
      const DType item = value.items.size() < 2 ? DType::kUndefined : value.items[1]->tensor.dtype();
      out->map.reset(new OrtMapTypeInfo{to_ort(key), tensor_type(item, {}, false)});
      break;
    }
    case Value::Kind::kOptional:
      if (!value.items.empty()) return type_info_of(*value.items[0]);
      out->kind = ONNX_TYPE_OPTIONAL;
      out->optional.reset(new OrtOptionalTypeInfo{tensor_type(value.element, {}, false)});
      break;
    case Value::Kind::kOpaque: out->kind = ONNX_TYPE_OPAQUE; break;
  }
  return out;
}

std::string type_text(const Value& value) {
  switch (value.kind) {
    case Value::Kind::kTensor: return cat("tensor(", onnx_name(value.tensor.dtype()), ')');
    case Value::Kind::kSparse: return cat("sparse_tensor(", onnx_name(value.tensor.dtype()), ')');
    case Value::Kind::kSequence:
      if (value.items.empty()) return cat("seq(tensor(", onnx_name(value.element), "))");
      return cat("seq(", type_text(*value.items[0]), ')');
    case Value::Kind::kMap:
      if (value.items.size() < 2) return "map()";
      return cat("map(", onnx_name(value.items[0]->tensor.dtype()), ',', type_text(*value.items[1]), ')');
    case Value::Kind::kOptional:
      return cat("optional(",
                 value.items.empty() ? cat("tensor(", onnx_name(value.element), ')') : type_text(*value.items[0]), ')');
    case Value::Kind::kOpaque: return "opaque()";
  }
  return "unknown";
}

OrtStatus* slots::CastTypeInfoToTensorInfo(const OrtTypeInfo* type_info,
                                           const OrtTensorTypeAndShapeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(type_info, out);
    *out = type_info->tensor.get();
    return {};
  });
}

OrtStatus* slots::CastTypeInfoToMapTypeInfo(const OrtTypeInfo* type_info, const OrtMapTypeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(type_info, out);
    *out = type_info->map.get();
    return {};
  });
}

OrtStatus* slots::CastTypeInfoToSequenceTypeInfo(const OrtTypeInfo* type_info,
                                                 const OrtSequenceTypeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(type_info, out);
    *out = type_info->sequence.get();
    return {};
  });
}

OrtStatus* slots::CastTypeInfoToOptionalTypeInfo(const OrtTypeInfo* type_info,
                                                 const OrtOptionalTypeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(type_info, out);
    *out = type_info->optional.get();
    return {};
  });
}

OrtStatus* slots::GetOptionalContainedTypeInfo(const OrtOptionalTypeInfo* optional_type_info,
                                               OrtTypeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(optional_type_info, out);
    *out = optional_type_info->contained->clone().release();
    return {};
  });
}

OrtStatus* slots::GetOnnxTypeFromTypeInfo(const OrtTypeInfo* type_info, ONNXType* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(type_info, out);
    *out = type_info->kind;
    return {};
  });
}

OrtStatus* slots::GetDenotationFromTypeInfo(const OrtTypeInfo* type_info, const char** const denotation,
                                            size_t* len) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(type_info, denotation, len);
    *denotation = type_info->denotation.c_str();
    *len = type_info->denotation.size();
    return {};
  });
}

OrtStatus* slots::GetMapKeyType(const OrtMapTypeInfo* map_type_info, ONNXTensorElementDataType* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(map_type_info, out);
    *out = map_type_info->key;
    return {};
  });
}

OrtStatus* slots::GetMapValueType(const OrtMapTypeInfo* map_type_info, OrtTypeInfo** type_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(map_type_info, type_info);
    *type_info = map_type_info->value->clone().release();
    return {};
  });
}

OrtStatus* slots::GetSequenceElementType(const OrtSequenceTypeInfo* sequence_type_info,
                                         OrtTypeInfo** type_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(sequence_type_info, type_info);
    *type_info = sequence_type_info->element->clone().release();
    return {};
  });
}

OrtStatus* slots::CreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = new OrtTensorTypeAndShapeInfo();
    return {};
  });
}

OrtStatus* slots::SetTensorElementType(OrtTensorTypeAndShapeInfo* info, ONNXTensorElementDataType type) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info);
    info->type = type;
    return {};
  });
}

OrtStatus* slots::SetDimensions(OrtTensorTypeAndShapeInfo* info, const int64_t* dim_values, size_t dim_count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info);
    if (dim_count != 0) TENON_REQUIRE(dim_values);
    for (size_t i = 0; i < dim_count; ++i)
      if (dim_values[i] < -1) return invalid("dim_values must be -1 (symbolic dimension) or larger.");
    info->dims.assign(dim_values, dim_values + dim_count);
    info->names.assign(dim_count, std::string());
    info->has_shape = true;
    return {};
  });
}

OrtStatus* slots::SetSymbolicDimensions(OrtTensorTypeAndShapeInfo* info, const char** dim_params,
                                        size_t dim_params_length) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info);
    if (dim_params_length != 0) TENON_REQUIRE(dim_params);
    info->names.resize(std::max(dim_params_length, info->dims.size()));
    for (size_t i = 0; i < dim_params_length; ++i) info->names[i] = dim_params[i] ? dim_params[i] : "";
    return {};
  });
}

OrtStatus* slots::GetTensorElementType(const OrtTensorTypeAndShapeInfo* info, ONNXTensorElementDataType* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    *out = info->type;
    return {};
  });
}

OrtStatus* slots::GetDimensionsCount(const OrtTensorTypeAndShapeInfo* info, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    *out = info->dims.size();
    return {};
  });
}

OrtStatus* slots::GetDimensions(const OrtTensorTypeAndShapeInfo* info, int64_t* dim_values,
                                size_t dim_values_length) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info);
    if (dim_values_length != 0) TENON_REQUIRE(dim_values);
    std::copy_n(info->dims.begin(), std::min(dim_values_length, info->dims.size()), dim_values);
    return {};
  });
}

OrtStatus* slots::GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo* info, const char** dim_params,
                                        size_t dim_params_length) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info);
    if (dim_params_length != 0) TENON_REQUIRE(dim_params);
    for (size_t i = 0; i < std::min(dim_params_length, info->names.size()); ++i) dim_params[i] = info->names[i].c_str();
    return {};
  });
}

OrtStatus* slots::GetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo* info, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    auto count = checked_count(info->dims);
    if (!count.ok())
      return error(Code::kFail, "Integer overflow: the shape ", list_text(info->dims), " has no element count");
    *out = static_cast<size_t>(count.value());
    return {};
  });
}

bool slots::TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo* info) noexcept {
  return info && info->has_shape;
}

void slots::ReleaseTypeInfo(OrtTypeInfo* input) noexcept { delete input; }
void slots::ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo* input) noexcept { delete input; }
void slots::ReleaseMapTypeInfo(OrtMapTypeInfo* input) noexcept { delete input; }
void slots::ReleaseSequenceTypeInfo(OrtSequenceTypeInfo* input) noexcept { delete input; }

}  // namespace tenon::abi
