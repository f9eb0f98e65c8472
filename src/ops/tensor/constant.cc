// Constant and ConstantOfShape: tensors that come from attributes.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "kernels/move/copy.h"
#include "kernels/move/packed.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<Tensor> dense_of(const ir::SparseTensor& s) {
  TENON_ASSIGN(int64_t count, checked_count(s.dims));
  TENON_ASSIGN(Tensor out, Tensor::allocate(s.values.dtype(), s.dims));
  int width = byte_width(out.dtype());
  if (width == 0 || out.dtype() == DType::kString)
    return error(Code::kNotImplemented, "Constant: sparse values of type ", name(out.dtype()), " are not supported");
  if (out.bytes()) std::memset(out.data(), 0, static_cast<size_t>(out.bytes()));
  int64_t n = s.values.count(), rank = static_cast<int64_t>(s.dims.size());
  bool linear = s.indices.shape().size() == 1;
  if (s.indices.dtype() != DType::kI64 || s.indices.count() != (linear ? n : n * rank))
    return invalid("Constant: ", s.indices.count(), " sparse indices for ", n, " values of rank ", rank);
  for (int64_t i = 0; i < n; ++i) {
    int64_t at = 0;
    if (linear) at = s.indices.as<int64_t>()[i];
    for (int64_t d = 0; !linear && d < rank; ++d) {
      int64_t k = s.indices.as<int64_t>()[i * rank + d], size = s.dims[static_cast<size_t>(d)];
      if (k < 0 || k >= size)
        return invalid("Constant: sparse index ", k, " is outside of dimension ", d, " of size ", size);
      at = at * size + k;
    }
    if (at < 0 || at >= count) return invalid("Constant: sparse index ", at, " is outside of ", count, " elements");
    std::memcpy(out.as<char>() + at * width, s.values.as<const char>() + i * width, static_cast<size_t>(width));
  }
  return out;
}

Result<Tensor> text_tensor(std::span<const std::string> items, Shape shape) {
  TENON_ASSIGN(Tensor t, Tensor::allocate(DType::kString, std::move(shape)));
  auto arena = make_ref<StringArena>();
  for (size_t i = 0; i < items.size(); ++i) t.as<StringRef>()[i] = arena->add(items[i]);
  t.set_strings(std::move(arena));
  return t;
}

/// The tensor that the node's one attribute states.
Result<Tensor> constant_of(const ir::Node& node) {
  if (auto* t = node.get<Tensor>("value")) return *t;
  if (auto* v = node.get<int64_t>("value_int")) return Tensor::scalar(*v);
  if (auto* v = node.get<float>("value_float")) return Tensor::scalar(*v);
  if (auto* v = node.get<std::string>("value_string")) return text_tensor(std::span(v, 1), Shape{});
  if (auto* v = node.get<std::vector<int64_t>>("value_ints")) return Tensor::of(std::span<const int64_t>(*v));
  if (auto* v = node.get<std::vector<float>>("value_floats")) return Tensor::of(std::span<const float>(*v));
  if (auto* v = node.get<std::vector<std::string>>("value_strings"))
    return text_tensor(*v, Shape{static_cast<int64_t>(v->size())});
  if (auto* s = node.get<ir::SparseTensor>("sparse_value")) return dense_of(*s);
  return error(Code::kInvalidGraph,
               "Constant: one of value, sparse_value, value_int(s), value_float(s) and value_string(s) is required");
}

Status constant_shape(InferContext& c) {
  TENON_ASSIGN(Tensor t, constant_of(c.node()));
  DimVector dims;
  for (int64_t d : t.shape()) dims.push_back(d);
  c.set(0, t.dtype(), std::move(dims));
  if (kIndices.has(t.dtype()) && t.count() <= kMaxElements) {
    TENON_ASSIGN(Dims numbers, read_ints(t.ref()));
    DimVector elements;
    for (int64_t v : numbers) elements.push_back(v);
    c.set_elements(0, std::move(elements));
  }
  return {};
}

struct ConstantState final : KernelState {
  Tensor tensor;
};
Result<StatePtr> pack_constant(PackContext& c) {
  auto s = std::make_unique<ConstantState>();
  TENON_ASSIGN(s->tensor, constant_of(c.node()));
  return StatePtr(std::move(s));
}
Status run_constant(KernelContext& c) {
  const Tensor& t = c.state<ConstantState>().tensor;
  kernels::copy_bytes(c.out(0).data, t.data(), t.bytes(), c.team());
  return {};
}

/// The value to fill with: one element, f32 0 when the model gives none.
Result<Tensor> fill_value(const ir::Node& node) {
  auto* t = node.get<Tensor>("value");
  if (!t) return Tensor::scalar(0.0f);
  if (t->count() != 1) return invalid("ConstantOfShape: the value has ", t->count(), " elements, one is needed");
  return *t;
}

Status constant_of_shape_shape(InferContext& c) {
  TENON_ASSIGN(Tensor value, fill_value(c.node()));
  auto dims = c.elements(0);
  if (!dims) {
    auto n = c.count(0);
    if (n && *n <= kMaxElements) set_rank(c, 0, value.dtype(), static_cast<size_t>(*n));
    else c.set(0, value.dtype());
    return {};
  }
  if (c.rank(0) > 1) return invalid("ConstantOfShape: the shape operand has rank ", c.rank(0), ", it must be a list");
  for (Dim d : *dims)
    if (d.is_const() && d.value() < 0)
      return invalid("ConstantOfShape: the shape ", ir::dims_text(*dims), " has the dimension ", d);
  Dim count = ir::dim_product(*dims);
  c.set(0, value.dtype(), std::move(*dims));
  if (kIndices.has(value.dtype()) && count.is_const() && count.value() <= kMaxElements) {
    TENON_ASSIGN(Dims v, read_ints(value.ref()));
    c.set_elements(0, DimVector(static_cast<size_t>(count.value()), Dim(v[0])));
  }
  return {};
}

Result<StatePtr> pack_constant_of_shape(PackContext& c) {
  auto s = std::make_unique<ConstantState>();
  TENON_ASSIGN(s->tensor, fill_value(c.node()));
  return StatePtr(std::move(s));
}
Status run_constant_of_shape(KernelContext& c) {
  const Tensor& v = c.state<ConstantState>().tensor;
  DType t = v.dtype();
  uint8_t unpacked = 0;
  const void* item = v.data();
  if (is_sub_byte(t)) {
    kernels::unpack_bits(&unpacked, v.as<uint8_t>(), 1, bit_width(t), false, Team());
    item = &unpacked;
  }
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  kernels::fill(to.data(), item, c.out(0).count, mover_width(t), c.team());
  to.finish();
  return {};
}

}  // namespace

TENON_OP(constant){
    .name = "Constant",
    .since = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25},
    .in = {},
    .out = {port("output", kAll)},
    .attributes = {{"value", 't'},
                   {"sparse_value", 'n'},
                   {"value_int", 'i'},
                   {"value_ints", 'I'},
                   {"value_float", 'f'},
                   {"value_floats", 'F'},
                   {"value_string", 's'},
                   {"value_strings", 'S'}},
    .shape = constant_shape,
};
TENON_CPU(constant){{{{.name = "copy", .pack = pack_constant, .run = run_constant}}}};

TENON_CASES(constant) {
  cases.types(kI64Only);
  cases.add("an integer").attr("value_int", 7).out(typed(DType::kI64, values({}, {7})));
  cases.add("integers").attr("value_ints", std::vector<int64_t>{3, -4}).out(typed(DType::kI64, values({2}, {3, -4})));
  cases.add("a float").attr_f("value_float", 1.5f).out(typed(DType::kF32, values({}, {1.5})));
  cases.add("floats").attr_floats("value_floats", {1, 2}).out(typed(DType::kF32, values({2}, {1, 2})));
  cases.add("a string").attr_s("value_string", "text").out(texts({}, {"text"}));
}

TENON_OP(constant_of_shape){
    .name = "ConstantOfShape",
    .since = {9, 20, 21, 23, 24, 25},
    .in = {port("input", kI64Only)},
    .out = {port("output", kAll)},
    .attributes = {{"value", 't'}},
    .shape = constant_of_shape_shape,
};
TENON_CPU(constant_of_shape){{{{.name = "fill", .pack = pack_constant_of_shape, .run = run_constant_of_shape}}}};

TENON_CASES(constant_of_shape) {
  cases.types(kI64Only);
  cases.add("default zeros").in(ints({2, 3})).out(typed(DType::kF32, values({2, 3}, {0, 0, 0, 0, 0, 0})));
  cases.add("a scalar").in(ints({})).out(typed(DType::kF32, values({}, {0})));
  cases.add("nothing").in(ints({0, 4})).out(typed(DType::kF32, values({0, 4}, {})));
  cases.add("negative").in(ints({2, -1})).fails("has the dimension -1");
}

}  // namespace tenon::ops
