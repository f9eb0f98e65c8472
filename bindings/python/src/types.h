// Types of inputs, outputs and values as the module shows them.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine.h"

namespace tenon::python {

/// Name inside "tensor(...)": "float", "int64", ...
const char* element_name(ONNXTensorElementDataType type);

struct TypeDescription {
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;  ///< key type of a map
  bool has_shape = false;
  std::vector<int64_t> dims;         ///< -1: not fixed
  std::vector<std::string> symbols;  ///< names of those, "" without
  std::vector<TypeDescription> inner;
  /// "tensor(float)", "seq(map(int64,tensor(float)))"
  std::string text() const;
};
TypeDescription describe(const OrtTypeInfo* info);

/// An input or output of a model.
struct NodeArg {
  std::string name;
  TypeDescription type;
  nb::list shape() const;
};
void define_types(nb::module_& m);

}  // namespace tenon::python
