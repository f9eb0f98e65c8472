// Types of inputs, outputs and values.
// SPDX-License-Identifier: MIT
#include "types.h"

#include <nanobind/stl/string.h>

namespace tenon::python {

const char* element_name(ONNXTensorElementDataType type) {
  static constexpr const char* kNames[] = {
      "undefined", "float",      "uint8",      "int8",         "uint16",         "int16",      "int32",
      "int64",     "string",     "bool",       "float16",      "double",         "uint32",     "uint64",
      "complex64", "complex128", "bfloat16",   "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
      "uint4",     "int4",       "float4e2m1", "uint2",        "int2",           "float8e8m0"};
  return static_cast<size_t>(type) < std::size(kNames) ? kNames[type] : "undefined";
}

std::string TypeDescription::text() const {
  const std::string first = inner.empty() ? std::string("undefined") : inner[0].text();
  switch (kind) {
    case ONNX_TYPE_TENSOR: return std::string("tensor(") + element_name(element) + ")";
    case ONNX_TYPE_SPARSETENSOR: return std::string("sparse_tensor(") + element_name(element) + ")";
    case ONNX_TYPE_SEQUENCE: return "seq(" + first + ")";
    case ONNX_TYPE_OPTIONAL: return "optional(" + first + ")";
    case ONNX_TYPE_MAP: return std::string("map(") + element_name(element) + "," + first + ")";
    case ONNX_TYPE_OPAQUE: return "opaque";
    default: return "unknown";
  }
}

TypeDescription describe(const OrtTypeInfo* info) {
  TypeDescription out;
  check(api().GetOnnxTypeFromTypeInfo(info, &out.kind));
  OrtTypeInfo* inner = nullptr;
  switch (out.kind) {
    case ONNX_TYPE_TENSOR:
    case ONNX_TYPE_SPARSETENSOR: {
      const OrtTensorTypeAndShapeInfo* tensor = nullptr;
      check(api().CastTypeInfoToTensorInfo(info, &tensor));
      if (!tensor) break;
      check(api().GetTensorElementType(tensor, &out.element));
      out.has_shape = api().TensorTypeAndShape_HasShape(tensor);
      if (!out.has_shape) break;
      size_t rank = 0;
      check(api().GetDimensionsCount(tensor, &rank));
      out.dims.resize(rank);
      std::vector<const char*> symbols(rank);
      check(api().GetDimensions(tensor, out.dims.data(), rank));
      check(api().GetSymbolicDimensions(tensor, symbols.data(), rank));
      for (const char* s : symbols) out.symbols.emplace_back(s ? s : "");
      break;
    }
    case ONNX_TYPE_SEQUENCE: {
      const OrtSequenceTypeInfo* sequence = nullptr;
      check(api().CastTypeInfoToSequenceTypeInfo(info, &sequence));
      check(api().GetSequenceElementType(sequence, &inner));
      break;
    }
    case ONNX_TYPE_MAP: {
      const OrtMapTypeInfo* map = nullptr;
      check(api().CastTypeInfoToMapTypeInfo(info, &map));
      check(api().GetMapKeyType(map, &out.element));
      check(api().GetMapValueType(map, &inner));
      break;
    }
    case ONNX_TYPE_OPTIONAL: {
      const OrtOptionalTypeInfo* optional = nullptr;
      check(api().CastTypeInfoToOptionalTypeInfo(info, &optional));
      check(api().GetOptionalContainedTypeInfo(optional, &inner));
      break;
    }
    default: break;
  }
  if (inner) {
    TypeInfoPtr owner(inner);
    out.inner.push_back(describe(inner));
  }
  return out;
}

nb::list NodeArg::shape() const {
  const TypeDescription* t = &type;
  while (t->kind == ONNX_TYPE_OPTIONAL && !t->inner.empty()) t = &t->inner[0];
  nb::list out;
  for (size_t i = 0; i < t->dims.size(); ++i) {
    if (t->dims[i] >= 0) out.append(t->dims[i]);
    else if (t->symbols[i].empty()) out.append(nb::none());
    else out.append(text_object(t->symbols[i]));
  }
  return out;
}

void define_types(nb::module_& m) {
  nb::class_<NodeArg>(m, "NodeArg", "Name, type and shape of an input or output.")
      .def_prop_ro("name", [](const NodeArg& a) { return text_object(a.name); })
      .def_prop_ro("type", [](const NodeArg& a) { return a.type.text(); })
      .def_prop_ro("shape", &NodeArg::shape, "Numbers, names of dimensions, None for those without either.")
      .def("__str__",
           [](const NodeArg& a) {
             return nb::str("NodeArg(name={!r}, type={!r}, shape={!r})")
                 .attr("format")(text_object(a.name), a.type.text(), a.shape());
           })
      .def("__repr__", [](const NodeArg& a) {
        return nb::str("NodeArg(name={!r}, type={!r}, shape={!r})")
            .attr("format")(text_object(a.name), a.type.text(), a.shape());
      });
}

}  // namespace tenon::python
