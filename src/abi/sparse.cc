// Sparse tensors: coordinates, compressed rows, blocks.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/type_info.h"
#include "abi/values.h"

namespace tenon::abi {

namespace {

Result<Value*> sparse_of(const OrtValue* value) {
  Value& v = unwrapped(*const_cast<Value*>(from_ort(value)));
  if (v.kind != Value::Kind::kSparse)
    return error(Code::kFail, "The value is a ", type_text(v), ", not a sparse tensor");
  return &v;
}

Result<DType> element_type(ONNXTensorElementDataType type) {
  const DType t = from_ort(type);
  if (t == DType::kUndefined || t == DType::kC64 || t == DType::kC128 || is_sub_byte(t))
    return error(Code::kNotImplemented, "sparse tensors of type ", static_cast<int>(type), " are not supported");
  return t;
}

Result<ValueRef> make_sparse(DType dtype, const int64_t* shape, size_t length) {
  auto v = make_ref<Value>(Value::Kind::kSparse);
  v->dense_shape = Shape(std::span<const int64_t>(shape, shape ? length : 0));
  TENON_TRY(checked_count(v->dense_shape).status());
  TENON_ASSIGN(auto none, Tensor::allocate(dtype, Shape{0}));
  v->tensor = std::move(none);
  return ValueRef(std::move(v));
}

/// Copies the client's values (strings: an array of pointers) into the sparse tensor.
Status set_values(Value& v, const int64_t* shape, size_t length, const void* values) {
  if (v.sparse_format != ORT_SPARSE_UNDEFINED) return error(Code::kFail, "The sparse tensor is filled already");
  const Shape dims(std::span<const int64_t>(shape, shape ? length : 0));
  TENON_ASSIGN(auto made, Tensor::allocate(v.tensor.dtype(), dims));
  Tensor t = std::move(made);
  if (t.count() != 0) TENON_REQUIRE(values);
  if (t.dtype() == DType::kString) {
    auto arena = make_ref<StringArena>();
    const auto* texts = static_cast<const char* const*>(values);
    for (int64_t i = 0; i < t.count(); ++i) {
      if (!texts[i]) return invalid("string ", i, " must not be NULL");
      t.as<StringRef>()[i] = arena->add(texts[i]);
    }
    t.set_strings(arena);
  } else if (t.count() != 0) {
    std::memcpy(t.data(), values, static_cast<size_t>(t.bytes()));
  }
  v.tensor = std::move(t);
  return {};
}

/// An index tensor: copied, or over the client's memory.
Result<ValueRef> indices(DType dtype, Shape shape, const void* data, bool copy) {
  TENON_ASSIGN(auto count, checked_count(shape));
  const auto bytes = static_cast<size_t>(byte_size(dtype, count));
  if (bytes != 0 && !data) return invalid("the indices must not be NULL");
  if (!copy) return tensor_value(Tensor(dtype, std::move(shape), Buffer::wrap(const_cast<void*>(data), bytes)));
  TENON_ASSIGN(auto made, Tensor::allocate(dtype, std::move(shape)));
  if (bytes != 0) std::memcpy(made.data(), data, bytes);
  return tensor_value(std::move(made));
}

Status check_coordinates(std::span<const int64_t> items, int64_t limit) {
  for (int64_t i : items)
    if (i < 0 || i >= limit) return invalid("Index ", i, " is beyond a dimension of ", limit);
  return {};
}

/// Coordinates: one linear index for each value, or one (row, column) pair.
Status set_coo(Value& v, const int64_t* data, size_t count, bool copy) {
  const int64_t values = v.tensor.count();
  const auto n = static_cast<int64_t>(count);
  if (n != values && n != 2 * values)
    return error(Code::kFail, "Coordinates need ", values, " or ", 2 * values, " indices, not ", n);
  if (n != values && v.dense_shape.size() != 2)
    return error(Code::kFail, "Pairs of coordinates need a dense shape of 2 dimensions");
  if (count != 0 && !data) return invalid("the indices must not be NULL");
  if (n == values) TENON_TRY(check_coordinates({data, count}, product(v.dense_shape)));
  else
    for (size_t i = 0; i < count; ++i) TENON_TRY(check_coordinates({data + i, 1}, v.dense_shape[i % 2]));
  TENON_ASSIGN(auto made, indices(DType::kI64, n == values ? Shape{n} : Shape{values, 2}, data, copy));
  v.items = {std::move(made)};
  v.sparse_format = ORT_SPARSE_COO;
  return {};
}

/// Compressed rows: the column of each value, and where each row starts.
Status set_csr(Value& v, const int64_t* inner, size_t inner_count, const int64_t* outer, size_t outer_count,
               bool copy) {
  if (v.dense_shape.size() != 2) return error(Code::kFail, "Compressed rows need a dense shape of 2 dimensions");
  const auto values = static_cast<size_t>(v.tensor.count());
  const auto rows = static_cast<size_t>(v.dense_shape[0]);
  if (inner_count != values)
    return error(Code::kFail, "Compressed rows need ", values, " inner indices, not ", inner_count);
  if (outer_count != rows + 1 && !(values == 0 && outer_count == 0))
    return error(Code::kFail, "Compressed rows need ", rows + 1, " outer indices, not ", outer_count);
  if ((inner_count != 0 && !inner) || (outer_count != 0 && !outer)) return invalid("the indices must not be NULL");
  TENON_TRY(check_coordinates({inner, inner_count}, v.dense_shape[1]));
  TENON_TRY(check_coordinates({outer, outer_count}, static_cast<int64_t>(values) + 1));
  auto columns = indices(DType::kI64, Shape{static_cast<int64_t>(inner_count)}, inner, copy);
  auto starts = indices(DType::kI64, Shape{static_cast<int64_t>(outer_count)}, outer, copy);
  if (!columns.ok()) return std::move(columns).status();
  if (!starts.ok()) return std::move(starts).status();
  v.items = {std::move(columns).value(), std::move(starts).value()};
  v.sparse_format = ORT_SPARSE_CSRC;
  return {};
}

Status set_blocks(Value& v, const int64_t* shape, size_t length, const int32_t* data, bool copy) {
  if (length != 0) TENON_REQUIRE(shape);
  TENON_ASSIGN(auto made, indices(DType::kI32, Shape(std::span<const int64_t>(shape, length)), data, copy));
  v.items = {std::move(made)};
  v.sparse_format = ORT_SPARSE_BLOCK_SPARSE;
  return {};
}

Result<const Tensor*> index_tensor(const OrtValue* value, OrtSparseIndicesFormat format) {
  TENON_ASSIGN(auto v, sparse_of(value));
  const int stored = v->sparse_format;
  const bool fits = (format == ORT_SPARSE_COO_INDICES && stored == ORT_SPARSE_COO) ||
                    ((format == ORT_SPARSE_CSR_INNER_INDICES || format == ORT_SPARSE_CSR_OUTER_INDICES) &&
                     stored == ORT_SPARSE_CSRC) ||
                    (format == ORT_SPARSE_BLOCK_SPARSE_INDICES && stored == ORT_SPARSE_BLOCK_SPARSE);
  if (!fits) return error(Code::kFail, "The sparse tensor has format ", stored, ", which has no such indices");
  const size_t which = format == ORT_SPARSE_CSR_OUTER_INDICES ? 1 : 0;
  return &v->items[which]->tensor;
}

}  // namespace

OrtStatus* slots::IsSparseTensor(const OrtValue* value, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    *out = unwrapped(*from_ort(value)).kind == Value::Kind::kSparse;
    return {};
  });
}

OrtStatus* slots::CreateSparseTensorAsOrtValue(OrtAllocator* allocator, const int64_t* dense_shape,
                                               size_t dense_shape_len, ONNXTensorElementDataType type,
                                               OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(allocator, dense_shape, out);
    TENON_ASSIGN(auto dtype, element_type(type));
    TENON_ASSIGN(auto made, make_sparse(dtype, dense_shape, dense_shape_len));
    *out = give(std::move(made));
    return {};
  });
}

OrtStatus* slots::CreateSparseTensorWithValuesAsOrtValue(const OrtMemoryInfo* info, void* p_data,
                                                         const int64_t* dense_shape, size_t dense_shape_len,
                                                         const int64_t* values_shape, size_t values_shape_len,
                                                         ONNXTensorElementDataType type, OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, dense_shape, values_shape, out);
    TENON_ASSIGN(auto dtype, element_type(type));
    if (dtype == DType::kString) return invalid("Strings cannot be borrowed; use a FillSparseTensor function");
    TENON_ASSIGN(auto made, make_sparse(dtype, dense_shape, dense_shape_len));
    const Shape dims(std::span<const int64_t>(values_shape, values_shape_len));
    TENON_ASSIGN(auto count, checked_count(dims));
    if (count != 0) TENON_REQUIRE(p_data);
    made->tensor = Tensor(dtype, dims, Buffer::wrap(p_data, static_cast<size_t>(byte_size(dtype, count))));
    made->tensor.device = info->device;
    *out = give(std::move(made));
    return {};
  });
}

OrtStatus* slots::FillSparseTensorCoo(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                      const int64_t* values_shape, size_t values_shape_len, const void* values,
                                      const int64_t* indices_data, size_t indices_num) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, data_mem_info);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    TENON_TRY(set_values(*v, values_shape, values_shape_len, values));
    return set_coo(*v, indices_data, indices_num, true);
  });
}

OrtStatus* slots::FillSparseTensorCsr(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                      const int64_t* values_shape, size_t values_shape_len, const void* values,
                                      const int64_t* inner_indices_data, size_t inner_indices_num,
                                      const int64_t* outer_indices_data, size_t outer_indices_num) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, data_mem_info);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    TENON_TRY(set_values(*v, values_shape, values_shape_len, values));
    return set_csr(*v, inner_indices_data, inner_indices_num, outer_indices_data, outer_indices_num, true);
  });
}

OrtStatus* slots::FillSparseTensorBlockSparse(OrtValue* ort_value, const OrtMemoryInfo* data_mem_info,
                                              const int64_t* values_shape, size_t values_shape_len, const void* values,
                                              const int64_t* indices_shape_data, size_t indices_shape_len,
                                              const int32_t* indices_data) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, data_mem_info);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    TENON_TRY(set_values(*v, values_shape, values_shape_len, values));
    return set_blocks(*v, indices_shape_data, indices_shape_len, indices_data, true);
  });
}

OrtStatus* slots::UseCooIndices(OrtValue* ort_value, int64_t* indices_data, size_t indices_num) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    return set_coo(*v, indices_data, indices_num, false);
  });
}

OrtStatus* slots::UseCsrIndices(OrtValue* ort_value, int64_t* inner_data, size_t inner_num, int64_t* outer_data,
                                size_t outer_num) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    return set_csr(*v, inner_data, inner_num, outer_data, outer_num, false);
  });
}

OrtStatus* slots::UseBlockSparseIndices(OrtValue* ort_value, const int64_t* indices_shape, size_t indices_shape_len,
                                        int32_t* indices_data) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    return set_blocks(*v, indices_shape, indices_shape_len, indices_data, false);
  });
}

OrtStatus* slots::GetSparseTensorFormat(const OrtValue* ort_value, OrtSparseFormat* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, out);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    *out = static_cast<OrtSparseFormat>(v->sparse_format);
    return {};
  });
}

OrtStatus* slots::GetSparseTensorValuesTypeAndShape(const OrtValue* ort_value,
                                                    OrtTensorTypeAndShapeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, out);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    *out = new OrtTensorTypeAndShapeInfo(tensor_info_of(v->tensor.dtype(), v->tensor.shape()));
    return {};
  });
}

OrtStatus* slots::GetSparseTensorValues(const OrtValue* ort_value, const void** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, out);
    TENON_ASSIGN(auto v, sparse_of(ort_value));
    if (v->tensor.dtype() == DType::kString)
      return invalid("Strings are read with GetStringTensorContent and its relatives");
    *out = v->tensor.data();
    return {};
  });
}

OrtStatus* slots::GetSparseTensorIndicesTypeShape(const OrtValue* ort_value, OrtSparseIndicesFormat indices_format,
                                                  OrtTensorTypeAndShapeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, out);
    TENON_ASSIGN(auto t, index_tensor(ort_value, indices_format));
    *out = new OrtTensorTypeAndShapeInfo(tensor_info_of(t->dtype(), t->shape()));
    return {};
  });
}

OrtStatus* slots::GetSparseTensorIndices(const OrtValue* ort_value, OrtSparseIndicesFormat indices_format,
                                         size_t* num_indices, const void** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, num_indices, out);
    TENON_ASSIGN(auto t, index_tensor(ort_value, indices_format));
    *num_indices = static_cast<size_t>(t->count());
    *out = t->data();
    return {};
  });
}

}  // namespace tenon::abi
