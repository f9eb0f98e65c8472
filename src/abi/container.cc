// Sequences and maps.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <numeric>

#include "abi/entry.h"
#include "abi/type_info.h"
#include "abi/values.h"

namespace tenon::abi {

namespace {

Result<ValueRef> make_sequence(const OrtValue* const* in, size_t count) {
  auto sequence = make_ref<Value>(Value::Kind::kSequence);
  for (size_t i = 0; i < count; ++i) {
    const Value& v = unwrapped(*from_ort(in[i]));
    if (v.kind != Value::Kind::kTensor && v.kind != Value::Kind::kMap)
      return error(Code::kFail, "A sequence holds tensors or maps; value ", i, " is a ", type_text(v));
    if (type_text(v) != type_text(unwrapped(*from_ort(in[0]))))
      return error(Code::kFail, "All values of a sequence have one type: value ", i, " is a ", type_text(v),
                   ", value 0 a ", type_text(unwrapped(*from_ort(in[0]))));
    refresh_strings(v);
    sequence->items.push_back(ValueRef(const_cast<Value*>(&v)));
  }
  sequence->element = sequence->items[0]->tensor.dtype();
  return ValueRef(std::move(sequence));
}

/// Elements of a rank-1 tensor in another order.
Result<Tensor> reordered(const Tensor& from, std::span<const size_t> order) {
  auto made = Tensor::allocate(from.dtype(), Shape{static_cast<int64_t>(order.size())});
  if (!made.ok()) return made;
  Tensor to = std::move(made).value();
  if (from.dtype() == DType::kString) {
    auto arena = make_ref<StringArena>();
    for (size_t i = 0; i < order.size(); ++i) to.as<StringRef>()[i] = arena->add(from.as<StringRef>()[order[i]].view());
    to.set_strings(arena);
    return to;
  }
  const auto width = static_cast<size_t>(byte_width(from.dtype()));
  for (size_t i = 0; i < order.size(); ++i)
    std::copy_n(from.as<char>() + order[i] * width, width, to.as<char>() + i * width);
  return to;
}

Result<ValueRef> make_map(const OrtValue* const* in, size_t count) {
  if (count != 2) return error(Code::kFail, "For map type num_values MUST be 2");
  const Value& keys = unwrapped(*from_ort(in[0]));
  const Value& values = unwrapped(*from_ort(in[1]));
  if (keys.kind != Value::Kind::kTensor || values.kind != Value::Kind::kTensor)
    return error(Code::kFail, "Either the key tensor or the value tensor is not a tensor");
  refresh_strings(keys);
  refresh_strings(values);
  const DType key_type = keys.tensor.dtype(), value_type = values.tensor.dtype();
  if (key_type != DType::kI64 && key_type != DType::kString)
    return error(Code::kFail, "The keys of a map are int64 or string, not ", onnx_name(key_type));
  if (value_type != DType::kI64 && value_type != DType::kString && value_type != DType::kF32 &&
      value_type != DType::kF64)
    return error(Code::kFail, "The values of a map are float, double, int64 or string, not ", onnx_name(value_type));
  if (keys.tensor.count() != values.tensor.count())
    return error(Code::kFail, "A map has as many keys as values: ", keys.tensor.count(), " against ",
                 values.tensor.count());
  // In the order of the keys; of equal keys the first counts.
  std::vector<size_t> order(static_cast<size_t>(keys.tensor.count()));
  std::iota(order.begin(), order.end(), size_t{0});
  const auto less = [&](size_t a, size_t b) {
    return key_type == DType::kI64 ? keys.tensor.as<int64_t>()[a] < keys.tensor.as<int64_t>()[b]
                                   : keys.tensor.as<StringRef>()[a].view() < keys.tensor.as<StringRef>()[b].view();
  };
  std::stable_sort(order.begin(), order.end(), less);
  order.erase(std::unique(order.begin(), order.end(), [&](size_t a, size_t b) { return !less(a, b) && !less(b, a); }),
              order.end());
  auto map = make_ref<Value>(Value::Kind::kMap);
  for (const Value* part : {&keys, &values}) {
    TENON_ASSIGN(auto tensor, reordered(part->tensor, order));
    map->items.push_back(tensor_value(std::move(tensor)));
  }
  return ValueRef(std::move(map));
}

}  // namespace

OrtStatus* slots::CreateValue(const OrtValue* const* in, size_t num_values, ONNXType value_type,
                              OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    if (num_values == 0) return error(Code::kFail, "Number of values should be at least 1.");
    TENON_REQUIRE(in);
    for (size_t i = 0; i < num_values; ++i)
      if (!in[i]) return invalid("value ", i, " must not be NULL");
    if (value_type != ONNX_TYPE_SEQUENCE && value_type != ONNX_TYPE_MAP)
      return error(Code::kFail, "Input is not of type sequence or map.");
    TENON_ASSIGN(auto made,
                 value_type == ONNX_TYPE_SEQUENCE ? make_sequence(in, num_values) : make_map(in, num_values));
    *out = give(std::move(made));
    return {};
  });
}

OrtStatus* slots::GetValueCount(const OrtValue* value, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    const Value& v = unwrapped(*from_ort(value));
    if (v.kind == Value::Kind::kSequence) *out = v.items.size();
    else if (v.kind == Value::Kind::kMap) *out = 2;
    else return error(Code::kFail, "Input is not of type sequence or map.");
    return {};
  });
}

OrtStatus* slots::GetValue(const OrtValue* value, int index, OrtAllocator* allocator, OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, allocator, out);
    const Value& v = unwrapped(*from_ort(value));
    if (v.kind != Value::Kind::kSequence && v.kind != Value::Kind::kMap)
      return error(Code::kFail, "Input is not of type sequence or map.");
    const size_t count = v.kind == Value::Kind::kMap ? 2 : v.items.size();
    if (index < 0 || static_cast<size_t>(index) >= count)
      return v.kind == Value::Kind::kMap
                 ? error(Code::kFail, "Invalid index requested for map type.")
                 : error(Code::kFail, "Index ", index, " is beyond a sequence of ", count, " values");
    if (static_cast<size_t>(index) >= v.items.size()) return error(Code::kFail, "The map is empty");
    *out = give(ValueRef(v.items[static_cast<size_t>(index)].get()));
    return {};
  });
}

}  // namespace tenon::abi
