// Split: parts of given or equal size along one axis.
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status split_shape(InferContext& c) {
  DType dtype = c.dtype(0);
  int64_t parts = static_cast<int64_t>(c.output_count());
  int64_t wanted = c.attr("num_outputs", parts);
  if (wanted != parts) return invalid("Split: num_outputs is ", wanted, ", the node has ", parts, " outputs");
  if (!c.has_shape(0)) {
    for (size_t i = 0; i < c.output_count(); ++i) c.set(i, dtype);
    return {};
  }
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 0), c.rank(0)));
  size_t a = static_cast<size_t>(axis);
  Dim d = c.shape(0)[a];
  auto sizes = dim_operand(c, 1, "split");
  bool given = c.has(1) || c.node().find("split");
  if (sizes) {
    if (static_cast<int64_t>(sizes->size()) != parts)
      return invalid("Split: ", sizes->size(), " sizes for ", parts, " outputs");
    Dim sum(0);
    for (Dim s : *sizes) {
      if (s.is_const() && s.value() < 0) return invalid("Split: a part has the size ", s);
      sum = sum + s;
    }
    if (sum.is_const() && d.is_const() && sum.value() != d.value())
      return invalid("Split: the sizes ", ir::dims_text(*sizes), " sum up to ", sum, ", dimension ", axis, " is ", d);
  } else if (!given && c.since() < 18 && d.is_const() && d.value() % parts != 0) {
    return invalid("Split: dimension ", axis, " is ", d, ", which ", parts, " equal parts do not fill");
  }
  auto elements = c.elements(0);
  int64_t at = 0;
  for (size_t i = 0; i < c.output_count(); ++i) {
    DimVector dims = c.shape(0);
    if (sizes) dims[a] = (*sizes)[i];
    else if (given) dims[a] = Dim::unknown();
    else if (c.since() < 18) dims[a] = floor_div(d, Dim(parts));
    else {
      Dim chunk = ceil_div(d, Dim(parts));
      Dim rest = d - chunk * Dim(static_cast<int64_t>(i));
      if (d.is_const()) dims[a] = Dim(std::clamp<int64_t>(rest.value(), 0, chunk.value()));
      else dims[a] = i == 0 ? chunk : ir::dim_max(ir::dim_min(rest, chunk), Dim(0));
    }
    Dim size = dims[a];
    c.set(i, dtype, std::move(dims));
    if (elements && kIndices.has(dtype) && c.rank(0) == 1 && size.is_const() && at >= 0 &&
        at + size.value() <= static_cast<int64_t>(elements->size())) {
      DimVector part;
      part.append(elements->data() + at, static_cast<size_t>(size.value()));
      c.set_elements(i, std::move(part));
      at += size.value();
    } else {
      at = -1;
    }
  }
  return {};
}

/// Version 2 and 11 had the sizes as attribute; before 18 parts without sizes were equal by the number of outputs.
Status split_upgrade(ir::Node& node, Build& b) {
  ints_to_input(node, b, "split", 1);
  if (node.input(1) == ir::kNoValue && !node.find("num_outputs"))
    node.set("num_outputs", static_cast<int64_t>(node.outputs().size()));
  return {};
}

Status run_split(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", 0), x.rank));
  size_t a = static_cast<size_t>(axis);
  int64_t outer = product(x.shape(), 0, a), inner = product(x.shape(), a + 1, x.shape().size());
  int width = mover_width(x.dtype);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  // Where an output is not wanted its part is skipped: the wanted ones before and after are split on their own.
  int64_t at = 0;
  Dims sizes;
  if (c.has(1) || c.node().find("split")) { TENON_ASSIGN(sizes, int_operand(c, 1, "split")); }
  if (sizes.empty()) {
    int64_t n = static_cast<int64_t>(c.outputs()), d = x.dims[axis], chunk = (d + n - 1) / n;
    for (int64_t i = 0; i < n; ++i) sizes.push_back(std::clamp<int64_t>(d - i * chunk, 0, chunk));
  }
  int64_t total = 0;
  for (int64_t s : sizes) {
    if (s < 0 || s > x.dims[axis])
      return invalid("Split: a part has the size ", s, ", dimension ", axis, " is ", x.dims[axis]);
    total += s;
  }
  if (sizes.size() != c.outputs() || total != x.dims[axis])
    return invalid("Split: the sizes ", list_text(sizes), " do not fill dimension ", axis, " of size ", x.dims[axis]);
  bool plain = !is_sub_byte(x.dtype);
  for (size_t i = 0; i < c.outputs(); ++i) plain = plain && c.wants(i);
  if (plain) {
    SmallVector<kernels::AxisPart, 8> parts;
    for (size_t i = 0; i < c.outputs(); ++i) parts.push_back({c.out(i).data, sizes[i]});
    kernels::split(parts, from, outer, inner, width, c.team());
    return {};
  }
  SmallVector<kernels::SliceRange, 8> ranges;
  int64_t dims[3] = {outer, x.dims[axis], inner};
  for (size_t i = 0; i < c.outputs(); at += sizes[i++]) {
    if (!c.wants(i)) continue;
    kernels::SliceRange range[3] = {{0, 1, outer}, {at, 1, sizes[i]}, {0, 1, inner}};
    TENON_ASSIGN(auto to, OutputBytes::of(c, i));
    kernels::slice(to.data(), from, dims, range, width, c.team());
    to.finish();
  }
  return {};
}

}  // namespace

TENON_OP(split){
    .name = "Split",
    .since = {1, 2, 11, 13, 18},
    .in = {port("input", kAll, "T"), optional(port("split", kAll))},
    .out = {variadic(port("outputs", kAll, "T"))},
    .attributes = {{"axis", 'i'}, {"num_outputs", 'i'}, {"split", 'I'}},
    .shape = split_shape,
    .upgrade = split_upgrade,
};
TENON_CPU(split){{{{.name = "move", .run = run_split}}}};

TENON_CASES(split) {
  cases.types(kAll);
  cases.add("equal")
      .in(values({4}, {1, 0, 0, 1}))
      .attr("num_outputs", 2)
      .out(values({2}, {1, 0}))
      .out(values({2}, {0, 1}));
  cases.add("last smaller")
      .in(values({3}, {1, 0, 1}))
      .attr("num_outputs", 2)
      .out(values({2}, {1, 0}))
      .out(values({1}, {1}));
  cases.add("sizes")
      .in(values({2, 3}, {1, 0, 0, 1, 1, 0}))
      .in(ints({1, 2}))
      .attr("axis", -1)
      .out(values({2, 1}, {1, 1}))
      .out(values({2, 2}, {0, 0, 1, 0}));
  cases.add("an empty part").in(values({2}, {1, 0})).in(ints({0, 2})).out(values({0}, {})).out(values({2}, {1, 0}));
  cases.add("attribute")
      .in(values({3}, {1, 0, 1}))
      .attr("split", std::vector<int64_t>{1, 2})
      .opset(11)
      .out(values({1}, {1}))
      .out(values({2}, {0, 1}));
  cases.add("wrong sum")
      .in(typed(DType::kF32, range({4}, 0, 1)))
      .in(ints({1, 2}))
      .out(typed(DType::kF32, range({1}, 0, 0)))
      .out(typed(DType::kF32, range({2}, 0, 0)))
      .fails("sum up to 3");
}

}  // namespace tenon::ops
