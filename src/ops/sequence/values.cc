// Tensors in and out of sequences, optionals and maps.
// SPDX-License-Identifier: MIT
#include "ops/sequence/values.h"

#include <cstring>

namespace tenon::ops {

Result<ValueRef> own_value(KernelContext& c, size_t i) {
  if (c.in_value(i) && c.in_value(i)->kind != Value::Kind::kTensor) return c.in_value(i);
  const TensorRef& t = c.in(i);
  TENON_ASSIGN(Tensor copy, Tensor::allocate(t.dtype, Shape(t.shape())));
  if (t.dtype == DType::kString) {
    auto arena = make_ref<StringArena>();
    copy_strings(t.as<StringRef>(), copy.as<StringRef>(), t.count, *arena);
    copy.set_strings(std::move(arena));
  } else if (t.bytes()) {
    std::memcpy(copy.data(), t.data, static_cast<size_t>(t.bytes()));
  }
  return tensor_value(std::move(copy));
}

Result<ValueRef> sequence_at(KernelContext& c, size_t i) {
  ValueRef v = c.in_value(i);
  if (!v || v->kind != Value::Kind::kSequence) return invalid(c.node().op, ": input ", i, " is no sequence");
  return v;
}

Status give_value(KernelContext& c, size_t i, const ValueRef& value) {
  if (value->kind != Value::Kind::kTensor) {
    c.set_out_value(i, value);
    return {};
  }
  const Tensor& t = value->tensor;
  const TensorRef& out = c.out(i);
  if (out.dtype != DType::kUndefined && out.dtype != t.dtype())
    return invalid(c.node().op, ": the element is ", t.to_string(), " where ", name(out.dtype), " was expected");
  TENON_TRY(c.allocate(i, t.shape()));
  if (t.dtype() == DType::kString) copy_strings(t.as<StringRef>(), c.out(i).as<StringRef>(), t.count(), c.strings());
  else if (t.bytes()) std::memcpy(c.out(i).data, t.data(), static_cast<size_t>(t.bytes()));
  return {};
}

ValueRef copy_sequence(const Value& from) {
  auto v = make_ref<Value>(Value::Kind::kSequence);
  v->items = from.items;
  v->element = from.element;
  return v;
}

Type element_type(const InferContext& c, size_t i) {
  if (!c.has(i)) return {};
  const Type& t = c.type(i);
  if ((t.kind == Type::Kind::kSequence || t.kind == Type::Kind::kOptional) && t.inner) return *t.inner;
  return {};
}

Result<int64_t> position_at(KernelContext& c, size_t i, int64_t count, int64_t extra) {
  TENON_ASSIGN(Dims p, read_ints(c.in(i)));
  if (p.size() != 1) return invalid(c.node().op, ": the position has ", p.size(), " elements, one is needed");
  if (p[0] < -count || p[0] >= count + extra)
    return invalid(c.node().op, ": position ", p[0], " is outside of [", -count, ", ", count + extra, ")");
  return p[0] < 0 ? p[0] + count : p[0];
}

}  // namespace tenon::ops
