// Slice: start : end : step along chosen axes, as numpy has it.
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// Beyond any dimension: "to the end" as exporters write it.
constexpr int64_t kFar = int64_t{1} << 30;

/// A bound resolved against dimension d: negative ones count from the end, then clamped to [low, high].
Dim bound(Dim v, Dim d, Dim low, Dim high) {
  if (v.is_const() && v.value() >= kFar) return high;
  if (v.is_const() && v.value() <= -kFar) return low;
  if (v == d) return ir::dim_min(d, high);
  if (v.is_const() && v.value() < 0) return ir::dim_max(v + d, low);
  if (ir::is_non_negative(v)) return ir::dim_min(v, high);
  if (ir::is_non_negative(Dim(-1) - v)) return ir::dim_max(v + d, low);
  return Dim::unknown();
}

/// Elements that one axis gives.
Result<Dim> extent(Dim start, Dim end, Dim step, Dim d) {
  if (step.is(0)) return invalid("Slice: a step is 0");
  if (start.is_const() && end.is_const() && step.is_const() && d.is_const()) {
    TENON_ASSIGN(auto r, kernels::slice_range(start.value(), end.value(), step.value(), d.value()));
    return Dim(r.count);
  }
  if (!step.is_const() || step.value() == INT64_MIN) return Dim::unknown();
  if (step.value() > 0) {
    Dim from = bound(start, d, Dim(0), d), to = bound(end, d, Dim(0), d);
    return ceil_div(ir::dim_max(to - from, Dim(0)), step);
  }
  Dim from = bound(start, d, Dim(-1), d - Dim(1)), to = bound(end, d, Dim(-1), d - Dim(1));
  return ceil_div(ir::dim_max(from - to, Dim(0)), Dim(-step.value()));
}

/// Axes of the operands in order: given, or 0, 1, 2...
Result<Dims> slice_axes(const std::optional<Dims>& axes, size_t count, int64_t rank) {
  if (axes) {
    if (axes->size() != count) return invalid("Slice: ", axes->size(), " axes for ", count, " starts");
    return normal_axes(*axes, rank, "Slice");
  }
  if (static_cast<int64_t>(count) > rank) return invalid("Slice: ", count, " starts for an input of rank ", rank);
  Dims all;
  for (size_t i = 0; i < count; ++i) all.push_back(static_cast<int64_t>(i));
  return all;
}

using Ranges = SmallVector<kernels::SliceRange, 8>;
Result<Ranges> slice_ranges(std::span<const int64_t> dims, std::span<const int64_t> starts,
                            std::span<const int64_t> ends, const std::optional<Dims>& axes,
                            const std::optional<Dims>& steps) {
  if (ends.size() != starts.size() || (steps && steps->size() != starts.size()))
    return invalid("Slice: ", starts.size(), " starts, ", ends.size(), " ends and ",
                   steps ? steps->size() : starts.size(), " steps");
  TENON_ASSIGN(Dims at, slice_axes(axes, starts.size(), static_cast<int64_t>(dims.size())));
  Ranges ranges;
  for (int64_t d : dims) ranges.push_back({0, 1, d});
  for (size_t i = 0; i < at.size(); ++i) {
    auto r = kernels::slice_range(starts[i], ends[i], steps ? (*steps)[i] : 1, dims[static_cast<size_t>(at[i])]);
    if (!r.ok()) return invalid("Slice: a step is 0");
    ranges[static_cast<size_t>(at[i])] = *r;
  }
  return ranges;
}

Status slice_shape(InferContext& c) {
  DType dtype = c.dtype(0);
  if (!c.has_shape(0)) {
    c.set(0, dtype);
    return {};
  }
  size_t rank = c.shape(0).size();
  auto starts = dim_operand(c, 1, "starts"), ends = dim_operand(c, 2, "ends"), steps = dim_operand(c, 4, "steps");
  auto axes = int_operand(c, 3, "axes");
  bool axes_given = c.has(3) || c.node().find("axes"), steps_given = c.has(4);
  int64_t count = -1;  // operands, -1: not known
  if (starts) count = static_cast<int64_t>(starts->size());
  else if (ends) count = static_cast<int64_t>(ends->size());
  else if (c.has(1)) count = c.count(1).value_or(-1);
  if (count > static_cast<int64_t>(rank)) return invalid("Slice: ", count, " starts for an input of rank ", rank);
  if (count < 0 || (axes_given && !axes)) {
    set_rank(c, 0, dtype, rank);
    return {};
  }
  TENON_ASSIGN(Dims at, slice_axes(axes, static_cast<size_t>(count), static_cast<int64_t>(rank)));
  DimVector dims = c.shape(0);
  for (size_t i = 0; i < at.size(); ++i) {
    auto get = [&](const std::optional<DimVector>& v) { return v && i < v->size() ? (*v)[i] : Dim::unknown(); };
    Dim step = steps_given ? get(steps) : Dim(1);
    Dim& d = dims[static_cast<size_t>(at[i])];
    TENON_ASSIGN(d, extent(get(starts), get(ends), step, d));
  }
  c.set(0, dtype, std::move(dims));
  auto s = starts ? ir::constant_dims(*starts) : std::nullopt;
  auto e = ends ? ir::constant_dims(*ends) : std::nullopt;
  std::optional<Dims> t;
  if (steps) {
    t = ir::constant_dims(*steps);
    if (!t) return {};
  }
  if (!s || !e || (steps_given && !t)) return {};
  return move_elements(c, [&](void* dst, const void* src) -> Status {
    Dims in = *ir::constant_dims(c.shape(0));
    TENON_ASSIGN(auto ranges, slice_ranges(in, *s, *e, axes, t));
    kernels::slice(dst, src, in, ranges, 8, Team());
    return {};
  });
}

/// Before version 10 everything was an attribute.
Status slice_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 10) return {};
  ints_to_input(node, b, "starts", 1);
  ints_to_input(node, b, "ends", 2);
  ints_to_input(node, b, "axes", 3);
  return {};
}

Status run_slice(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(Dims starts, int_operand(c, 1, "starts"));
  TENON_ASSIGN(Dims ends, int_operand(c, 2, "ends"));
  std::optional<Dims> axes, steps;
  if (c.has(3) || c.node().find("axes")) { TENON_ASSIGN(axes, int_operand(c, 3, "axes")); }
  if (c.has(4)) { TENON_ASSIGN(steps, read_ints(c.in(4))); }
  TENON_ASSIGN(auto ranges, slice_ranges(x.shape(), starts, ends, axes, steps));
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  kernels::slice(to.data(), from, x.shape(), ranges, mover_width(x.dtype), c.team());
  to.finish();
  return {};
}

}  // namespace

TENON_OP(slice){
    .name = "Slice",
    .since = {1, 10, 11, 13},
    .in = {port("data", kAll, "T"), optional(port("starts", kIndices, "Tind")),
           optional(port("ends", kIndices, "Tind")), optional(port("axes", kIndices, "Tind")),
           optional(port("steps", kIndices, "Tind"))},
    .out = {port("output", kAll, "T")},
    .attributes = {{"starts", 'I'}, {"ends", 'I'}, {"axes", 'I'}},
    .shape = slice_shape,
    .upgrade = slice_upgrade,
};
TENON_CPU(slice){{{{.name = "move", .run = run_slice}}}};

TENON_CASES(slice) {
  cases.types(kAll);
  CaseTensor x = values({3, 4}, {1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0});
  cases.add("rows").in(x).in(ints({1})).in(ints({3})).out(values({2, 4}, {0, 1, 1, 0, 1, 1, 0, 0}));
  cases.add("both axes").in(x).in(ints({0, 1})).in(ints({2, 3})).out(values({2, 2}, {0, 0, 1, 1}));
  cases.add("axis from the end")
      .in(x)
      .in(ints({-2}))
      .in(ints({int64_t{1} << 50}))
      .in(ints({-1}))
      .out(values({3, 2}, {0, 1, 1, 0, 0, 0}));
  cases.add("backwards")
      .in(x)
      .in(ints({-1}))
      .in(ints({-(int64_t{1} << 50)}))
      .in(ints({0}))
      .in(ints({-1}))
      .out(values({3, 4}, {1, 1, 0, 0, 0, 1, 1, 0, 1, 0, 0, 1}));
  cases.add("steps")
      .in(x)
      .in(ints({0, 3}))
      .in(ints({3, 0}))
      .in(ints({0, 1}))
      .in(ints({2, -2}))
      .out(values({2, 2}, {1, 0, 0, 1}));
  cases.add("nothing").in(x).in(ints({2})).in(ints({1})).out(values({0, 4}, {}));
  cases.add("beyond").in(x).in(ints({-9})).in(ints({9})).out(x);
  cases.add("32-bit")
      .in(x)
      .in(typed(DType::kI32, ints({2})))
      .in(typed(DType::kI32, ints({3})))
      .out(values({1, 4}, {1, 1, 0, 0}));
  cases.add("attributes")
      .in(x)
      .attr("starts", std::vector<int64_t>{1})
      .attr("ends", std::vector<int64_t>{2})
      .opset(9)
      .out(values({1, 4}, {0, 1, 1, 0}));
  cases.add("step 0")
      .in(typed(DType::kF32, x))
      .in(ints({0}))
      .in(ints({1}))
      .in(ints({0}))
      .in(ints({0}))
      .fails("step is 0");
  cases.add("too many")
      .in(typed(DType::kF32, x))
      .in(ints({0, 0, 0}))
      .in(ints({1, 1, 1}))
      .fails("3 starts for an input of rank 2");
  cases.add("axis twice")
      .in(typed(DType::kF32, x))
      .in(ints({0, 0}))
      .in(ints({1, 1}))
      .in(ints({0, 0}))
      .fails("stands twice");
}

}  // namespace tenon::ops
