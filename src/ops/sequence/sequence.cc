// Sequences: construct, empty, at, insert, erase, length, and the ways from a tensor and back.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"
#include "ops/sequence/values.h"

namespace tenon::ops {
namespace {

Status construct_shape(InferContext& c) {
  DType t = c.dtype(0);
  for (size_t i = 1; i < c.in.size(); ++i)
    if (c.dtype(i) != t && c.dtype(i) != DType::kUndefined && t != DType::kUndefined)
      return invalid("SequenceConstruct: input ", i, " is ", name(c.dtype(i)), ", input 0 is ", name(t));
  c.set(0, Type::sequence(Type::tensor(t)));
  return {};
}
Status run_construct(KernelContext& c) {
  auto v = make_ref<Value>(Value::Kind::kSequence);
  for (size_t i = 0; i < c.inputs(); ++i) {
    TENON_ASSIGN(auto item, own_value(c, i));
    v->items.push_back(std::move(item));
  }
  if (c.inputs()) v->element = c.in(0).dtype;
  c.set_out_value(0, std::move(v));
  return {};
}

Result<DType> empty_type(const ir::Node& n) {
  int64_t v = n.int_or("dtype", 1);
  DType t = v > 0 && v < kDTypeCount ? static_cast<DType>(v) : DType::kUndefined;
  if (!is_valid(t)) return invalid("SequenceEmpty: dtype ", v, " is no element type");
  return t;
}
Status empty_shape(InferContext& c) {
  TENON_ASSIGN(DType t, empty_type(c.node()));
  c.set(0, Type::sequence(Type::tensor(t)));
  return {};
}
Status run_empty(KernelContext& c) {
  auto v = make_ref<Value>(Value::Kind::kSequence);
  TENON_ASSIGN(v->element, empty_type(c.node()));
  c.set_out_value(0, std::move(v));
  return {};
}

Status at_shape(InferContext& c) {
  Type t = element_type(c, 0);
  if (t.is_tensor()) c.set(0, t.dtype);
  else if (t.known()) c.set(0, std::move(t));
  return {};
}
Status run_at(KernelContext& c) {
  TENON_ASSIGN(auto s, sequence_at(c, 0));
  TENON_ASSIGN(int64_t p, position_at(c, 1, static_cast<int64_t>(s->items.size()), 0));
  return give_value(c, 0, s->items[static_cast<size_t>(p)]);
}

Status same_sequence_shape(InferContext& c) {
  if (c.has(0)) c.copy(0, 0);
  return {};
}
Status run_insert(KernelContext& c) {
  TENON_ASSIGN(auto s, sequence_at(c, 0));
  int64_t n = static_cast<int64_t>(s->items.size()), p = n;
  if (c.has(2)) { TENON_ASSIGN(p, position_at(c, 2, n, 1)); }
  DType held = n && s->items[0]->kind == Value::Kind::kTensor ? s->items[0]->tensor.dtype() : s->element;
  if (held != DType::kUndefined && c.in(1).dtype != held)
    return invalid("SequenceInsert: a tensor of ", name(c.in(1).dtype), " does not fit a sequence of ", name(held));
  TENON_ASSIGN(auto item, own_value(c, 1));
  ValueRef v = copy_sequence(*s);
  v->items.insert(v->items.begin() + p, std::move(item));
  c.set_out_value(0, std::move(v));
  return {};
}
Status run_erase(KernelContext& c) {
  TENON_ASSIGN(auto s, sequence_at(c, 0));
  int64_t n = static_cast<int64_t>(s->items.size()), p = n - 1;
  if (n == 0) return invalid("SequenceErase: the sequence is empty");
  if (c.has(1)) { TENON_ASSIGN(p, position_at(c, 1, n, 0)); }
  ValueRef v = copy_sequence(*s);
  v->items.erase(v->items.begin() + p);
  c.set_out_value(0, std::move(v));
  return {};
}

Status length_shape(InferContext& c) {
  c.set(0, DType::kI64, {});
  return {};
}
Status run_length(KernelContext& c) {
  TENON_ASSIGN(auto s, sequence_at(c, 0));
  *c.out(0).as<int64_t>() = static_cast<int64_t>(s->items.size());
  return {};
}

Status split_shape(InferContext& c) {
  if (c.has_shape(0)) TENON_TRY(normal_axis(c.attr("axis", 0), c.rank(0)).status());
  c.set(0, Type::sequence(Type::tensor(c.dtype(0))));
  return {};
}
Status run_split_to_sequence(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", 0), x.rank));
  size_t a = static_cast<size_t>(axis);
  int64_t size = x.dims[axis];
  Dims sizes;
  bool keep = c.has(1) || c.node().int_or("keepdims", 1) != 0;
  if (c.has(1) && c.in(1).rank > 0) {
    TENON_ASSIGN(sizes, read_ints(c.in(1)));
    int64_t total = 0;
    for (int64_t s : sizes) {
      if (s < 0 || s > size)
        return invalid("SplitToSequence: a part has the size ", s, ", dimension ", axis, " is ", size);
      total += s;
    }
    if (total != size)
      return invalid("SplitToSequence: the sizes ", list_text(sizes), " sum up to ", total, ", dimension ", axis,
                     " is ", size);
  } else {
    int64_t chunk = 1;
    if (c.has(1)) {
      TENON_ASSIGN(Dims given, read_ints(c.in(1)));
      if (given.size() != 1 || given[0] < 1) return invalid("SplitToSequence: the size of a part must be at least 1");
      chunk = given[0];
    }
    for (int64_t at = 0; at < size; at += std::min(chunk, size - at)) sizes.push_back(std::min(chunk, size - at));
  }
  int64_t outer = product(x.shape(), 0, a), inner = product(x.shape(), a + 1, x.shape().size());
  int64_t dims[3] = {outer, size, inner};
  auto v = make_ref<Value>(Value::Kind::kSequence);
  v->element = x.dtype;
  int64_t at = 0;
  for (int64_t s : sizes) {
    Shape shape(x.shape());
    if (keep) shape[a] = s;
    else shape.erase(a);
    TENON_ASSIGN(Tensor t, Tensor::allocate(x.dtype, shape));
    kernels::SliceRange ranges[3] = {{0, 1, outer}, {at, 1, s}, {0, 1, inner}};
    kernels::slice(t.data(), x.data, dims, ranges, byte_width(x.dtype), c.team());
    if (x.dtype == DType::kString) { TENON_ASSIGN(t, t.clone()); }
    v->items.push_back(tensor_value(std::move(t)));
    at += s;
  }
  c.set_out_value(0, std::move(v));
  return {};
}

Status concat_shape(InferContext& c) {
  int64_t fresh = c.attr("new_axis", 0);
  if (fresh != 0 && fresh != 1) return invalid("ConcatFromSequence: new_axis is ", fresh, ", it must be 0 or 1");
  Type t = element_type(c, 0);
  if (t.is_tensor()) c.set(0, t.dtype);
  return {};
}
Status run_concat_from_sequence(KernelContext& c) {
  TENON_ASSIGN(auto s, sequence_at(c, 0));
  bool stack = c.node().int_or("new_axis", 0) != 0;
  if (s->items.empty()) return invalid("ConcatFromSequence: the sequence is empty");
  const Tensor& first = s->items[0]->tensor;
  Shape shape = first.shape();
  TENON_ASSIGN(int64_t axis,
               normal_axis(c.node().int_or("axis", 0), static_cast<int64_t>(shape.size()) + (stack ? 1 : 0)));
  size_t a = static_cast<size_t>(axis);
  SmallVector<kernels::AxisPart, 8> parts;
  int64_t total = 0;
  for (size_t i = 0; i < s->items.size(); ++i) {
    const Value& item = *s->items[i];
    const Tensor& t = item.tensor;
    bool fits = item.kind == Value::Kind::kTensor && t.dtype() == first.dtype() && t.shape().size() == shape.size();
    for (size_t d = 0; fits && d < shape.size(); ++d) fits = (!stack && d == a) || t.shape()[d] == shape[d];
    if (!fits)
      return invalid("ConcatFromSequence: element ", i, " is ", t.to_string(), ", which does not fit ",
                     first.to_string(), " along axis ", axis);
    int64_t n = stack ? 1 : t.shape()[a];
    parts.push_back({t.data(), n});
    if (!checked_add(total, n, &total)) return invalid("ConcatFromSequence: the result is too large");
  }
  if (stack) shape.insert(a, total);
  else shape[a] = total;
  TENON_TRY(c.allocate(0, shape));
  kernels::concat(c.out(0).data, parts, product(shape, 0, a), product(shape, a + 1, shape.size()),
                  byte_width(first.dtype()), c.team());
  if (first.dtype() == DType::kString)
    copy_strings(c.out(0).as<StringRef>(), c.out(0).as<StringRef>(), c.out(0).count, c.strings());
  return {};
}

constexpr TypeSet kItems = kNumbers | kBools | kStrings | kComplex;
constexpr Port sequence_port(std::string_view name) { return any_kind(port(name, kItems)); }
// Their kernels make values or size their tensors themselves.
constexpr Trait kMakesValues{.kernel_sizes_output = true};

}  // namespace

TENON_OP(sequence_construct){
    .name = "SequenceConstruct",
    .since = {11},
    .in = {variadic(port("inputs", kItems, "T"))},
    .out = {sequence_port("output_sequence")},
    .shape = construct_shape,
    .trait = kMakesValues,
};
TENON_CPU(sequence_construct){{{{.name = "values", .run = run_construct}}}};
TENON_CASES(sequence_construct) {}  // sequence_test.cc

TENON_OP(sequence_empty){
    .name = "SequenceEmpty",
    .since = {11},
    .in = {},
    .out = {sequence_port("output")},
    .attributes = {{"dtype", 'i'}},
    .shape = empty_shape,
    .trait = kMakesValues,
};
TENON_CPU(sequence_empty){{{{.name = "values", .run = run_empty}}}};
TENON_CASES(sequence_empty) {}  // sequence_test.cc

TENON_OP(sequence_at){
    .name = "SequenceAt",
    .since = {11},
    .in = {sequence_port("input_sequence"), port("position", kIndices)},
    .out = {any_kind(port("tensor", kItems))},
    .shape = at_shape,
    .trait = kMakesValues,
};
TENON_CPU(sequence_at){{{{.name = "values", .run = run_at}}}};
TENON_CASES(sequence_at) {}  // sequence_test.cc

TENON_OP(sequence_insert){
    .name = "SequenceInsert",
    .since = {11},
    .in = {sequence_port("input_sequence"), port("tensor", kItems), optional(port("position", kIndices))},
    .out = {sequence_port("output_sequence")},
    .shape = same_sequence_shape,
    .trait = kMakesValues,
};
TENON_CPU(sequence_insert){{{{.name = "values", .run = run_insert}}}};
TENON_CASES(sequence_insert) {}  // sequence_test.cc

TENON_OP(sequence_erase){
    .name = "SequenceErase",
    .since = {11},
    .in = {sequence_port("input_sequence"), optional(port("position", kIndices))},
    .out = {sequence_port("output_sequence")},
    .shape = same_sequence_shape,
    .trait = kMakesValues,
};
TENON_CPU(sequence_erase){{{{.name = "values", .run = run_erase}}}};
TENON_CASES(sequence_erase) {}  // sequence_test.cc

TENON_OP(sequence_length){
    .name = "SequenceLength",
    .since = {11},
    .in = {sequence_port("input_sequence")},
    .out = {port("length", kI64Only)},
    .shape = length_shape,
};
TENON_CPU(sequence_length){{{{.name = "values", .run = run_length}}}};
TENON_CASES(sequence_length) {}  // sequence_test.cc

TENON_OP(split_to_sequence){
    .name = "SplitToSequence",
    .since = {11, 24},
    .in = {port("input", kItems), optional(port("split", kIndices))},
    .out = {sequence_port("output_sequence")},
    .attributes = {{"axis", 'i'}, {"keepdims", 'i'}},
    .shape = split_shape,
    .trait = kMakesValues,
};
TENON_CPU(split_to_sequence){{{{.name = "values", .run = run_split_to_sequence}}}};
TENON_CASES(split_to_sequence) {}  // sequence_test.cc

TENON_OP(concat_from_sequence){
    .name = "ConcatFromSequence",
    .since = {11},
    .in = {sequence_port("input_sequence")},
    .out = {port("concat_result", kItems)},
    .attributes = {{"axis", 'i', true}, {"new_axis", 'i'}},
    .shape = concat_shape,
    .trait = kMakesValues,
};
TENON_CPU(concat_from_sequence){{{{.name = "move", .run = run_concat_from_sequence}}}};
TENON_CASES(concat_from_sequence) {}  // sequence_test.cc

}  // namespace tenon::ops
