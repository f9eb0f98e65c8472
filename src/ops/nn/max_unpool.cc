// MaxUnpool: puts pooled values back to the positions that MaxPool reported, zero elsewhere.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "opdef/cases.h"
#include "ops/nn/window.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// The output that the attributes say, over which the positions are numbered.
Result<DimVector> unpooled(const ir::Node& node, std::span<const Dim> x) {
  if (x.size() < 3) return invalid("MaxUnpool: X ", ir::dims_text(x), " has no spatial dimensions");
  TENON_ASSIGN(Window w, window_of(node, static_cast<int>(x.size()) - 2));
  DimVector out(x);
  for (int i = 0; i < w.spatial; ++i) {
    Dim& d = out[static_cast<size_t>(i) + 2];
    d = (d - Dim(1)) * Dim(w.stride[i]) + Dim(w.kernel[i] - w.pad_begin[i] - w.pad_end[i]);
    if (d.is_const() && d.value() < 0)
      return invalid("MaxUnpool: the output would have size ", d, " in spatial dimension ", i);
  }
  return out;
}

Status unpool_shape(InferContext& c) {
  if (c.has(2)) {
    auto target = c.elements(2);
    if (!target) {
      if (auto n = c.count(2); n && *n <= kMaxElements) set_rank(c, 0, c.dtype(0), static_cast<size_t>(*n));
      else c.set(0, c.dtype(0));
      return {};
    }
    if (c.has_shape(0) && target->size() != c.shape(0).size())
      return invalid("MaxUnpool: output_shape has ", target->size(), " dimensions, X ", c.rank(0));
    for (Dim d : *target)
      if (d.is_const() && d.value() < 0) return invalid("MaxUnpool: output_shape is ", ir::dims_text(*target));
    c.set(0, c.dtype(0), std::move(*target));
    return {};
  }
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  TENON_ASSIGN(DimVector out, unpooled(c.node(), c.shape(0)));
  c.set(0, c.dtype(0), std::move(out));
  return {};
}

template <class T>
Status scatter(KernelContext& c, std::span<const int64_t> numbered) {
  const TensorRef &x = c.in(0), &at = c.in(1), &y = c.out(0);
  if (at.count != x.count) return invalid("MaxUnpool: ", at.count, " positions for ", x.count, " values");
  if (y.count) std::memset(y.data, 0, static_cast<size_t>(y.bytes()));
  const int64_t total = product(numbered);
  for (int64_t i = 0; i < x.count; ++i) {
    int64_t position = at.as<int64_t>()[i], index = 0, stride = 1;
    if (position < 0 || position >= total)
      return invalid("MaxUnpool: position ", position, " is outside of ", list_text(numbered));
    for (size_t d = numbered.size(); d-- > 0;) {
      int64_t k = position % numbered[d];
      position /= numbered[d];
      if (k >= y.dims[d]) return invalid("MaxUnpool: a position lies outside of the output ", y);
      index += k * stride;
      stride *= y.dims[d];
    }
    y.as<T>()[index] = x.as<T>()[i];
  }
  return {};
}

Status run_unpool(KernelContext& c) {
  DimVector x;
  for (int64_t d : c.in(0).shape()) x.push_back(d);
  TENON_ASSIGN(DimVector out, unpooled(c.node(), x));
  auto numbered = ir::constant_dims(out);
  if (!numbered || c.out(0).rank != c.in(0).rank) return invalid("MaxUnpool: the output size overflows");
  TENON_TRY(checked_count(*numbered).status());
  switch (byte_width(c.in(0).dtype)) {
    case 2: return scatter<uint16_t>(c, *numbered);
    case 4: return scatter<uint32_t>(c, *numbered);
    default: return scatter<uint64_t>(c, *numbered);
  }
}

}  // namespace

TENON_OP(max_unpool){
    .name = "MaxUnpool",
    .since = {9, 11, 22},
    .in = {port("X", kFloats, "T1"), port("I", kI64Only), optional(port("output_shape", kI64Only))},
    .out = {port("output", kFloats, "T1")},
    .attributes = {{"kernel_shape", 'I', true}, {"pads", 'I'}, {"strides", 'I'}},
    .shape = unpool_shape,
};
TENON_CPU(max_unpool){{{{.name = "scatter", .run = run_unpool}}}};

TENON_CASES(max_unpool) {
  cases.types(kFloats);
  auto at = typed(DType::kI64, values({1, 1, 2, 2}, {5, 7, 13, 15}));
  cases.add("plain")
      .in(values({1, 1, 2, 2}, {1, 2, 3, 4}))
      .in(at)
      .attr("kernel_shape", {2, 2})
      .attr("strides", {2, 2})
      .out(values({1, 1, 4, 4}, {0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 3, 0, 4}));
  cases.add("stated size")
      .in(values({1, 1, 2, 2}, {5, 6, 7, 8}))
      .in(at)
      .in(ints({1, 1, 5, 5}))
      .attr("kernel_shape", {2, 2})
      .attr("strides", {2, 2})
      .out(values({1, 1, 5, 5}, {0, 0, 0, 0, 0, 0, 5, 0, 6, 0, 0, 0, 0, 0, 0, 0, 7, 0, 8, 0, 0, 0, 0, 0, 0}));
  cases.add("outside")
      .in(typed(DType::kF32, values({1, 1, 1}, {1})))
      .in(typed(DType::kI64, values({1, 1, 1}, {2})))
      .attr("kernel_shape", std::vector<int64_t>{2})
      .fails("outside");
}

}  // namespace tenon::ops
