// Tensors: creation and access.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <mutex>

#include "abi/entry.h"
#include "abi/type_info.h"
#include "abi/values.h"

namespace tenon::abi {

const Value& unwrapped(const Value& v) {
  const Value* at = &v;
  while (at->kind == Value::Kind::kOptional && !at->items.empty()) at = at->items[0].get();
  return *at;
}

Value& unwrapped(Value& v) { return const_cast<Value&>(unwrapped(static_cast<const Value&>(v))); }

std::span<std::string> string_objects(const Tensor& t) {
  const auto* objects = dynamic_cast<const StringObjects*>(t.strings().get());
  return objects ? objects->items() : std::span<std::string>();
}

void refresh_strings(const Tensor& t) {
  if (t.dtype() != DType::kString) return;
  const std::span<std::string> items = string_objects(t);
  auto* refs = t.as<StringRef>();
  for (size_t i = 0; i < items.size(); ++i) refs[i] = {items[i].data(), items[i].size()};
}

void refresh_strings(const Value& v) {
  if (v.kind == Value::Kind::kTensor || v.kind == Value::Kind::kSparse) refresh_strings(v.tensor);
  for (const ValueRef& item : v.items) refresh_strings(*item);
}

Status need_string_objects(Tensor& t) {
  static std::mutex mutex;  // two threads may ask for the array of one output
  const std::lock_guard lock(mutex);
  if (dynamic_cast<const StringObjects*>(t.strings().get())) return {};
  auto objects = make_ref<StringObjects>(static_cast<size_t>(t.count()));
  const auto* refs = t.as<StringRef>();
  for (size_t i = 0; i < objects->items().size(); ++i) objects->items()[i] = refs[i].view();
  // The handles may be shared with other values: this tensor gets its own.
  TENON_ASSIGN(auto fresh, Tensor::allocate(DType::kString, t.shape()));
  fresh.device = t.device;
  t = std::move(fresh);
  t.set_strings(std::move(objects));
  refresh_strings(t);
  return {};
}

namespace {

std::span<const int64_t> span_of(const int64_t* shape, size_t length) { return {shape, shape ? length : 0}; }

Result<DType> supported(ONNXTensorElementDataType type) {
  const DType t = from_ort(type);
  if (t == DType::kUndefined || t == DType::kC64 || t == DType::kC128)
    return error(Code::kNotImplemented, "tensor type ", static_cast<int>(type), " is not supported");
  return t;
}

Result<const Tensor*> dense(const OrtValue* value) {
  const Value& v = unwrapped(*from_ort(value));
  if (v.kind != Value::Kind::kTensor) return error(Code::kFail, "The value is a ", type_text(v), ", not a tensor");
  return &v.tensor;
}

Result<Tensor*> dense(OrtValue* value) {
  TENON_ASSIGN(auto t, dense(static_cast<const OrtValue*>(value)));
  return const_cast<Tensor*>(t);
}

/// Memory for the elements of a tensor of these dimensions in a buffer of `given` bytes.
Result<Tensor> wrap(DType dtype, std::span<const int64_t> dims, void* data, size_t given,
                    std::function<void()> release = {}) {
  for (int64_t d : dims)
    if (d < 0) return invalid("tried creating tensor with negative value in shape");
  TENON_ASSIGN(auto count, checked_count(dims));
  const int64_t n = count;
  if (dtype == DType::kString) {  // the client's memory holds std::string objects
    if (given < static_cast<size_t>(n) * sizeof(std::string))
      return invalid("not enough space: expected ", static_cast<size_t>(n) * sizeof(std::string), ", got ", given);
    TENON_ASSIGN(auto refs, Buffer::allocate(static_cast<size_t>(byte_size(dtype, n))));
    Tensor t(dtype, Shape(dims), refs, 0,
             make_ref<StringObjects>(static_cast<std::string*>(data), static_cast<size_t>(n)));
    refresh_strings(t);
    return t;
  }
  const int64_t need = byte_size(dtype, n);
  if (static_cast<size_t>(need) > given) return invalid("not enough space: expected ", need, ", got ", given);
  return Tensor(dtype, Shape(dims), Buffer::wrap(data, given, std::move(release)));
}

}  // namespace

Result<Tensor> allocate_tensor(OrtAllocator* allocator, DType dtype, std::span<const int64_t> dims) {
  for (int64_t d : dims)
    if (d < 0) return error(Code::kFail, "Tensor shape.Size() must be >= 0; the shape is ", list_text(dims));
  TENON_ASSIGN(auto count, checked_count(dims));
  if (dtype == DType::kString) {
    auto t = Tensor::allocate(dtype, Shape(dims));
    if (!t.ok()) return t;
    t.value().set_strings(make_ref<StringObjects>(static_cast<size_t>(count)));
    refresh_strings(t.value());
    return t;
  }
  if (allocator == default_allocator()) return Tensor::allocate(dtype, Shape(dims));
  const auto bytes = static_cast<size_t>(byte_size(dtype, count));
  void* memory = nullptr;
  if (Status s = allocate_bytes(allocator, bytes, &memory); !s.ok()) return s;
  return Tensor(dtype, Shape(dims), Buffer::wrap(memory, bytes, [allocator, memory] {
                  if (memory) allocator->Free(allocator, memory);
                }));
}

OrtStatus* slots::CreateTensorAsOrtValue(OrtAllocator* allocator, const int64_t* shape, size_t shape_len,
                                         ONNXTensorElementDataType type, OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(allocator, out);
    if (shape_len != 0) TENON_REQUIRE(shape);
    TENON_ASSIGN(auto dtype, supported(type));
    TENON_ASSIGN(auto tensor, allocate_tensor(allocator, dtype, span_of(shape, shape_len)));
    const OrtMemoryInfo* info = allocator->Info ? allocator->Info(allocator) : nullptr;
    if (info) tensor.device = info->device;
    *out = !info || *info == cpu_memory_info() ? give(tensor_value(std::move(tensor)))
                                               : give(make_ref<PlacedValue>(std::move(tensor), *info));
    return {};
  });
}

OrtStatus* slots::CreateTensorWithDataAsOrtValue(const OrtMemoryInfo* info, void* p_data, size_t p_data_len,
                                                 const int64_t* shape, size_t shape_len, ONNXTensorElementDataType type,
                                                 OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    if (shape_len != 0) TENON_REQUIRE(shape);
    TENON_ASSIGN(auto dtype, supported(type));
    TENON_ASSIGN(auto tensor, wrap(dtype, span_of(shape, shape_len), p_data, p_data_len));
    if (!p_data && tensor.count() != 0) return invalid("p_data must not be NULL");
    tensor.device = info->device;
    *out = *info == cpu_memory_info() ? give(tensor_value(std::move(tensor)))
                                      : give(make_ref<PlacedValue>(std::move(tensor), *info));
    return {};
  });
}

OrtStatus* slots::CreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator* deleter, void* p_data, size_t p_data_len,
                                                           const int64_t* shape, size_t shape_len,
                                                           ONNXTensorElementDataType type, OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(deleter, p_data, out);
    if (shape_len != 0) TENON_REQUIRE(shape);
    TENON_ASSIGN(auto dtype, supported(type));
    if (dtype == DType::kString) return invalid("Strings cannot be taken over by an allocator");
    auto tensor = wrap(dtype, span_of(shape, shape_len), p_data, p_data_len,
                       [deleter, p_data] { deleter->Free(deleter, p_data); });
    if (!tensor.ok()) return std::move(tensor).status();
    const OrtMemoryInfo* info = deleter->Info ? deleter->Info(deleter) : nullptr;
    if (info) tensor.value().device = info->device;
    *out = !info || *info == cpu_memory_info() ? give(tensor_value(std::move(tensor).value()))
                                               : give(make_ref<PlacedValue>(std::move(tensor).value(), *info));
    return {};
  });
}

void slots::ReleaseValue(OrtValue* input) noexcept {
  if (input) from_ort(input)->release();
}

OrtStatus* slots::IsTensor(const OrtValue* value, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    *out = unwrapped(*from_ort(value)).kind == Value::Kind::kTensor;
    return {};
  });
}

OrtStatus* slots::HasValue(const OrtValue* value, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    *out = unwrapped(*from_ort(value)).kind != Value::Kind::kOptional;
    return {};
  });
}

OrtStatus* slots::GetValueType(const OrtValue* value, ONNXType* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    switch (unwrapped(*from_ort(value)).kind) {
      case Value::Kind::kTensor: *out = ONNX_TYPE_TENSOR; break;
      case Value::Kind::kSequence: *out = ONNX_TYPE_SEQUENCE; break;
      case Value::Kind::kMap: *out = ONNX_TYPE_MAP; break;
      case Value::Kind::kSparse: *out = ONNX_TYPE_SPARSETENSOR; break;
      case Value::Kind::kOpaque: *out = ONNX_TYPE_OPAQUE; break;
      case Value::Kind::kOptional: *out = ONNX_TYPE_OPTIONAL; break;
    }
    return {};
  });
}

OrtStatus* slots::GetTypeInfo(const OrtValue* value, OrtTypeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    *out = type_info_of(unwrapped(*from_ort(value))).release();
    return {};
  });
}

OrtStatus* slots::GetTensorTypeAndShape(const OrtValue* value, OrtTensorTypeAndShapeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    const Value& v = unwrapped(*from_ort(value));
    if (v.kind != Value::Kind::kTensor && v.kind != Value::Kind::kSparse)
      return error(Code::kFail, "Argument is not a tensor but a ", type_text(v));
    *out = new OrtTensorTypeAndShapeInfo(
        tensor_info_of(v.tensor.dtype(), v.kind == Value::Kind::kTensor ? v.tensor.shape() : v.dense_shape));
    return {};
  });
}

OrtStatus* slots::GetTensorElementTypeAndShapeDataReference(const OrtValue* value, ONNXTensorElementDataType* elem_type,
                                                            const int64_t** shape_data,
                                                            size_t* shape_data_count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, elem_type, shape_data, shape_data_count);
    TENON_ASSIGN(auto tensor, dense(value));
    const Shape& shape = tensor->shape();
    *elem_type = to_ort(tensor->dtype());
    *shape_data = shape.empty() ? nullptr : shape.data();
    *shape_data_count = shape.size();
    return {};
  });
}

namespace {

Status tensor_data(const OrtValue* value, void** out) {
  TENON_REQUIRE(value, out);
  TENON_ASSIGN(auto tensor, dense(const_cast<OrtValue*>(value)));
  Tensor& t = *tensor;
  if (t.dtype() != DType::kString) {
    *out = t.data();
    return {};
  }
  TENON_TRY(need_string_objects(t));
  *out = string_objects(t).data();
  return {};
}

}  // namespace

OrtStatus* slots::GetTensorMutableData(OrtValue* value, void** out) noexcept {
  return guarded([&] { return tensor_data(value, out); });
}

OrtStatus* slots::GetTensorData(const OrtValue* value, const void** out) noexcept {
  return guarded([&] { return tensor_data(value, const_cast<void**>(out)); });
}

OrtStatus* slots::GetTensorSizeInBytes(const OrtValue* ort_value, size_t* size) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_value, size);
    auto tensor = dense(ort_value);
    if (!tensor.ok()) return invalid("OrtValue is not a tensor");
    if (tensor.value()->dtype() == DType::kString) return invalid("String tensors are not supported by this API");
    *size = static_cast<size_t>(tensor.value()->bytes());
    return {};
  });
}

OrtStatus* slots::GetTensorMemoryInfo(const OrtValue* value, const OrtMemoryInfo** mem_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, mem_info);
    const Value& v = unwrapped(*from_ort(value));
    if (v.kind != Value::Kind::kTensor && v.kind != Value::Kind::kSparse)
      return error(Code::kFail, "Only tensors have a memory description; this is a ", type_text(v));
    const auto* placed = dynamic_cast<const PlacedValue*>(&v);
    *mem_info = placed ? &placed->info : &memory_info_of(v.tensor.device);
    return {};
  });
}

OrtStatus* slots::TensorAt(OrtValue* value, const int64_t* location_values, size_t location_values_count,
                           void** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    if (location_values_count != 0) TENON_REQUIRE(location_values);
    TENON_ASSIGN(auto tensor, dense(value));
    const Tensor& t = *tensor;
    if (t.dtype() == DType::kString) return invalid("this API does not support strings");
    if (is_sub_byte(t.dtype())) return invalid("this API does not support elements below one byte");
    if (location_values_count != t.shape().size())
      return invalid("location dimensions do not match shape size: ", location_values_count, " against ",
                     t.shape().size());
    int64_t offset = 0;
    for (size_t i = 0; i < location_values_count; ++i) {
      if (location_values[i] < 0 || location_values[i] >= t.shape()[i])
        return invalid("invalid location range: ", location_values[i], " in dimension ", i, " of ", t.shape()[i]);
      offset = offset * t.shape()[i] + location_values[i];
    }
    *out = static_cast<char*>(t.data()) + offset * byte_width(t.dtype());
    return {};
  });
}

}  // namespace tenon::abi
