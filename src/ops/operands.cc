// Integer operands: axes, upgrades of attributes to inputs, single numbers.
// SPDX-License-Identifier: MIT
#include "ops/operands.h"

#include "kernels/elementwise/cast.h"

namespace tenon::ops {

Result<Dims> int_operand(const KernelContext& c, size_t i, std::string_view attribute) {
  if (c.has(i)) return read_ints(c.in(i));
  return Dims(c.node().ints(attribute));
}

Result<Dims> normal_axes(std::span<const int64_t> axes, int64_t rank, std::string_view op) {
  Dims out;
  for (int64_t a : axes) {
    if (a < -rank || a >= rank) return invalid(op, ": axis ", a, " is outside of [", -rank, ", ", rank, ")");
    int64_t axis = a < 0 ? a + rank : a;
    for (int64_t other : out)
      if (other == axis) return invalid(op, ": axis ", axis, " stands twice in ", list_text(axes));
    out.push_back(axis);
  }
  return out;
}

void put_input(ir::Node& node, Build& b, size_t position, ir::ValueId value) {
  while (node.inputs().size() < position) b.graph().append_input(node, ir::kNoValue);
  if (node.inputs().size() == position) b.graph().append_input(node, value);
  else b.graph().set_input(node, position, value);
}

void ints_to_input(ir::Node& node, Build& b, std::string_view attribute, size_t position) {
  if (!node.find(attribute)) return;
  auto v = node.ints(attribute);
  put_input(node, b, position, b.ints(std::vector<int64_t>(v.begin(), v.end())));
  node.erase(attribute);
}

namespace {
template <class T>
T element_at(const TensorRef& t, int64_t i) {
  T v = 0;
  if (i < 0 || i >= t.count || is_sub_byte(t.dtype) || t.dtype == DType::kString) return v;
  convert(t.dtype, t.as<const char>() + i * byte_width(t.dtype), dtype_of<T>, &v, 1);
  return v;
}
}  // namespace

double number_at(const TensorRef& t, int64_t i) { return element_at<double>(t, i); }
int64_t integer_at(const TensorRef& t, int64_t i) { return element_at<int64_t>(t, i); }

}  // namespace tenon::ops
