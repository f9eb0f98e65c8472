// Sparse tensors: made from arrays, and their parts as arrays.
// SPDX-License-Identifier: MIT
#include "sparse.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "devices.h"
#include "values.h"

namespace tenon::python {
namespace {

/// Memory of an array of the wanted element type, contiguous; `kept` keeps it alive.
void* memory_of(nb::handle array, const char* dtype, std::vector<nb::object>& kept, size_t& count) {
  nb::object numpy = nb::module_::import_("numpy");
  nb::object dense = numpy.attr("ascontiguousarray")(array, dtype);
  count = nb::cast<size_t>(dense.attr("size"));
  void* data = reinterpret_cast<void*>(nb::cast<uintptr_t>(nb::object(dense.attr("ctypes")).attr("data")));
  kept.push_back(dense);
  return data;
}

/// The tensor without indices, borrowing the values.
ValuePtr with_values(const std::vector<int64_t>& dense_shape, nb::handle values, std::vector<nb::object>& kept) {
  nb::object numpy = nb::module_::import_("numpy");
  nb::object dense = numpy.attr("ascontiguousarray")(values);
  const auto type = element_type_of(dense.attr("dtype"));
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
    throw std::runtime_error("sparse tensors of strings cannot be made from arrays");
  const auto shape = nb::cast<std::vector<int64_t>>(nb::list(dense.attr("shape")));
  void* data = reinterpret_cast<void*>(nb::cast<uintptr_t>(nb::object(dense.attr("ctypes")).attr("data")));
  kept.push_back(dense);
  OrtValue* v = nullptr;
  check(api().CreateSparseTensorWithValuesAsOrtValue(cpu_memory_info(), data, dense_shape.data(), dense_shape.size(),
                                                     shape.data(), shape.size(), type, &v));
  return ValuePtr(v);
}

Value keep(ValuePtr p, const std::vector<nb::object>& kept) {
  nb::list list;
  for (auto& k : kept) list.append(k);
  return {std::move(p), std::move(list)};
}

Value make_coo(const std::vector<int64_t>& dense_shape, nb::handle values, nb::handle indices) {
  std::vector<nb::object> kept;
  ValuePtr v = with_values(dense_shape, values, kept);
  size_t n = 0;
  void* data = memory_of(indices, "int64", kept, n);
  check(api().UseCooIndices(v.get(), static_cast<int64_t*>(data), n));
  return keep(std::move(v), kept);
}

Value make_csr(const std::vector<int64_t>& dense_shape, nb::handle values, nb::handle inner, nb::handle outer) {
  std::vector<nb::object> kept;
  ValuePtr v = with_values(dense_shape, values, kept);
  size_t a = 0, b = 0;
  void* in = memory_of(inner, "int64", kept, a);
  void* out = memory_of(outer, "int64", kept, b);
  check(api().UseCsrIndices(v.get(), static_cast<int64_t*>(in), a, static_cast<int64_t*>(out), b));
  return keep(std::move(v), kept);
}

Value make_blocks(const std::vector<int64_t>& dense_shape, nb::handle values, nb::handle indices) {
  std::vector<nb::object> kept;
  ValuePtr v = with_values(dense_shape, values, kept);
  size_t n = 0;
  void* data = memory_of(indices, "int32", kept, n);
  const auto shape = nb::cast<std::vector<int64_t>>(nb::list(kept.back().attr("shape")));
  check(api().UseBlockSparseIndices(v.get(), shape.data(), shape.size(), static_cast<int32_t*>(data)));
  return keep(std::move(v), kept);
}

std::vector<int64_t> shape_in(OrtTensorTypeAndShapeInfo* info, ONNXTensorElementDataType* type = nullptr) {
  ShapeInfoPtr owner(info);
  size_t rank = 0;
  check(api().GetDimensionsCount(info, &rank));
  std::vector<int64_t> out(rank);
  check(api().GetDimensions(info, out.data(), rank));
  if (type) check(api().GetTensorElementType(info, type));
  return out;
}

nb::object part(nb::handle owner, const void* data, ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  // A tensor over the same memory makes the array; the array keeps the sparse tensor alive.
  size_t count = 1;
  for (int64_t d : shape) count *= static_cast<size_t>(d);
  OrtValue* v = nullptr;
  check(api().CreateTensorWithDataAsOrtValue(cpu_memory_info(), const_cast<void*>(data), byte_size(type, count),
                                             shape.data(), shape.size(), type, &v));
  ValuePtr tensor(v);
  return array_of(v, nb::borrow(owner));
}

nb::object values_of(nb::handle self) {
  auto& v = nb::cast<Value&>(self);
  OrtTensorTypeAndShapeInfo* info = nullptr;
  check(api().GetSparseTensorValuesTypeAndShape(v.p.get(), &info));
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const auto shape = shape_in(info, &type);
  const void* data = nullptr;
  check(api().GetSparseTensorValues(v.p.get(), &data));
  return part(self, data, type, shape);
}

nb::object indices_of(nb::handle self, int format) {
  auto& v = nb::cast<Value&>(self);
  const auto which = static_cast<OrtSparseIndicesFormat>(format);
  OrtTensorTypeAndShapeInfo* info = nullptr;
  check(api().GetSparseTensorIndicesTypeShape(v.p.get(), which, &info));
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  const auto shape = shape_in(info, &type);
  size_t n = 0;
  const void* data = nullptr;
  check(api().GetSparseTensorIndices(v.p.get(), which, &n, &data));
  return part(self, data, type, shape);
}

}  // namespace

void define_sparse(nb::module_& m) {
  nb::enum_<OrtSparseFormat>(m, "OrtSparseFormat", nb::is_arithmetic())
      .value("ORT_SPARSE_UNDEFINED", ORT_SPARSE_UNDEFINED)
      .value("ORT_SPARSE_COO", ORT_SPARSE_COO)
      .value("ORT_SPARSE_CSRC", ORT_SPARSE_CSRC)
      .value("ORT_SPARSE_BLOCK_SPARSE", ORT_SPARSE_BLOCK_SPARSE);
  m.def("sparse_coo", &make_coo);
  m.def("sparse_csr", &make_csr);
  m.def("sparse_blocks", &make_blocks);
  m.def("sparse_values", &values_of);
  m.def("sparse_indices", &indices_of);
  m.def("sparse_format", [](const Value& v) {
    OrtSparseFormat format = ORT_SPARSE_UNDEFINED;
    check(api().GetSparseTensorFormat(v.p.get(), &format));
    return format;
  });
  m.def("sparse_dense_shape", [](const Value& v) {
    OrtTensorTypeAndShapeInfo* info = nullptr;
    check(api().GetTensorTypeAndShape(v.p.get(), &info));
    return shape_in(info);
  });
}

}  // namespace tenon::python
