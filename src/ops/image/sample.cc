// GridSample, AffineGrid and RoiAlign: pictures read at computed places.
// SPDX-License-Identifier: MIT
#include "kernels/image/sample.h"

#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<kernels::GridConfig> grid_config(const ir::Node& n) {
  kernels::GridConfig c;
  std::string_view mode = n.string_or("mode", "linear"), padding = n.string_or("padding_mode", "zeros");
  if (mode == "linear" || mode == "bilinear") c.mode = kernels::GridMode::kLinear;
  else if (mode == "nearest") c.mode = kernels::GridMode::kNearest;
  else if (mode == "cubic" || mode == "bicubic") c.mode = kernels::GridMode::kCubic;
  else return invalid("GridSample: mode '", mode, "' is none of linear, nearest, cubic");
  if (padding == "zeros") c.padding = kernels::GridPadding::kZeros;
  else if (padding == "border") c.padding = kernels::GridPadding::kBorder;
  else if (padding == "reflection") c.padding = kernels::GridPadding::kReflection;
  else return invalid("GridSample: padding_mode '", padding, "' is none of zeros, border, reflection");
  c.align_corners = n.int_or("align_corners", 0) != 0;
  return c;
}

Status grid_sample_shape(InferContext& c) {
  TENON_TRY(grid_config(c.node()).status());
  if (!c.has_shape(0) || !c.has_shape(1)) {
    c.set(0, c.dtype(0));
    return {};
  }
  const DimVector &x = c.shape(0), &grid = c.shape(1);
  if (x.size() < 3 || x.size() > 10 || grid.size() != x.size())
    return invalid("GridSample: X ", ir::dims_text(x), " and grid ", ir::dims_text(grid),
                   " must have the same rank from 3 to 10");
  if (grid.back().is_const() && grid.back().value() != static_cast<int64_t>(x.size()) - 2)
    return invalid("GridSample: the grid's last dimension is ", grid.back(), ", X has ", x.size() - 2,
                   " spatial dimensions");
  if (x[0].is_const() && grid[0].is_const() && x[0].value() != grid[0].value())
    return invalid("GridSample: X has a batch of ", x[0], ", the grid of ", grid[0]);
  DimVector dims{x[0], x[1]};
  dims.append(grid.data() + 1, grid.size() - 2);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

struct GridState final : KernelState {
  kernels::GridConfig config;
};
Result<StatePtr> pack_grid_sample(PackContext& c) {
  auto s = std::make_unique<GridState>();
  TENON_ASSIGN(s->config, grid_config(c.node()));
  return StatePtr(std::move(s));
}

/// f64 also for integers of more than 16 bits: f32 would lose digits.
bool wants_double(DType t) {
  return t == DType::kF64 || t == DType::kI32 || t == DType::kU32 || t == DType::kI64 || t == DType::kU64;
}
template <class F>
Status in_float(DType t, F&& f) {
  return wants_double(t) ? f(double{}) : f(float{});
}

Status run_grid_sample(KernelContext& c) {
  const TensorRef &x = c.in(0), &grid = c.in(1);
  size_t spatial = x.shape().size() - 2;
  if (grid.rank != x.rank || grid.dims[grid.rank - 1] != static_cast<int64_t>(spatial) || grid.dims[0] != x.dims[0])
    return invalid("GridSample: the grid ", grid, " does not fit X ", x);
  if (c.out(0).count == 0) return {};
  return in_float(x.dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    TENON_ASSIGN(const T* from, tensor_as<T>(c, x));
    TENON_ASSIGN(const T* at, tensor_as<T>(c, grid));
    TENON_ASSIGN(auto to, OutputAs<T>::of(c, 0));
    auto s = kernels::grid_sample<T>(to.data(), from, at, x.dims[0], x.dims[1], x.shape().subspan(2),
                                     grid.shape().subspan(1, spatial), c.state<GridState>().config, c.team());
    if (!s.ok()) return std::move(s).prefix("GridSample: ");
    to.finish();
    return {};
  });
}

Status affine_grid_shape(InferContext& c) {
  DType t = c.dtype(0);
  auto size = c.elements(1);
  if (c.has_shape(0) && c.rank(0) != 3)
    return invalid("AffineGrid: theta has rank ", c.rank(0), ", [n, d, d + 1] is needed");
  if (!size) {
    auto n = c.count(1);
    if (n && (*n == 4 || *n == 5)) set_rank(c, 0, t, static_cast<size_t>(*n));
    else if (n) return invalid("AffineGrid: the size has ", *n, " entries, [n, c, h, w] or [n, c, d, h, w] is needed");
    else c.set(0, t);
    return {};
  }
  if (size->size() != 4 && size->size() != 5)
    return invalid("AffineGrid: the size has ", size->size(), " entries, [n, c, h, w] or [n, c, d, h, w] is needed");
  int64_t d = static_cast<int64_t>(size->size()) - 2;
  for (Dim k : *size)
    if (k.is_const() && k.value() < 0)
      return invalid("AffineGrid: the size ", ir::dims_text(*size), " has the dimension ", k);
  if (c.has_shape(0)) {
    const DimVector& theta = c.shape(0);
    auto differs = [](Dim a, Dim b) { return a.is_const() && b.is_const() && a.value() != b.value(); };
    if (differs(theta[0], (*size)[0]) || differs(theta[1], Dim(d)) || differs(theta[2], Dim(d + 1)))
      return invalid("AffineGrid: theta ", ir::dims_text(theta), " does not fit the size ", ir::dims_text(*size));
  }
  DimVector dims{(*size)[0]};
  dims.append(size->data() + 2, size->size() - 2);
  dims.push_back(Dim(d));
  c.set(0, t, std::move(dims));
  return {};
}

Status run_affine_grid(KernelContext& c) {
  const TensorRef& out = c.out(0);
  return in_float(out.dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    TENON_ASSIGN(const T* theta, input_as<T>(c, 0));
    TENON_ASSIGN(auto to, OutputAs<T>::of(c, 0));
    TENON_TRY(kernels::affine_grid<T>(to.data(), theta, out.dims[0], out.shape().subspan(1, out.shape().size() - 2),
                                      c.node().int_or("align_corners", 0) != 0, c.team()));
    to.finish();
    return {};
  });
}

Result<kernels::RoiAlignConfig> roi_config(const ir::Node& n) {
  kernels::RoiAlignConfig c;
  std::string_view mode = n.string_or("mode", "avg");
  std::string_view at =
      n.string_or("coordinate_transformation_mode", n.since < 16 ? "output_half_pixel" : "half_pixel");
  if (mode != "avg" && mode != "max") return invalid("RoiAlign: mode '", mode, "' is neither avg nor max");
  if (at != "half_pixel" && at != "output_half_pixel")
    return invalid("RoiAlign: unknown coordinate_transformation_mode '", at, "'");
  c.max_mode = mode == "max";
  c.half_pixel = at == "half_pixel";
  c.output_height = n.int_or("output_height", 1);
  c.output_width = n.int_or("output_width", 1);
  c.sampling_ratio = n.int_or("sampling_ratio", 0);
  c.spatial_scale = n.float_or("spatial_scale", 1);
  auto bad = [](int64_t v, int64_t low) { return v < low || v > (int64_t{1} << 24); };
  if (bad(c.output_height, 1) || bad(c.output_width, 1) || bad(c.sampling_ratio, 0))
    return invalid("RoiAlign: output_height ", c.output_height, ", output_width ", c.output_width,
                   " or sampling_ratio ", c.sampling_ratio, " is out of range");
  return c;
}

Status roi_align_shape(InferContext& c) {
  TENON_ASSIGN(auto config, roi_config(c.node()));
  if (c.has_shape(0) && c.rank(0) != 4) return invalid("RoiAlign: X has rank ", c.rank(0), ", [n, c, h, w] is needed");
  if (c.has_shape(1) && (c.rank(1) != 2 || (c.shape(1)[1].is_const() && !c.shape(1)[1].is(4))))
    return invalid("RoiAlign: rois ", ir::dims_text(c.shape(1)), " must be [count, 4]");
  Dim count = c.has_shape(1) ? c.shape(1)[0] : Dim::unknown(),
      channels = c.has_shape(0) ? c.shape(0)[1] : Dim::unknown();
  if (c.has_shape(2) && c.rank(2) == 1 && count.is_const() && c.shape(2)[0].is_const() &&
      c.shape(2)[0].value() != count.value())
    return invalid("RoiAlign: ", c.shape(2)[0], " batch indices for ", count, " rois");
  c.set(0, c.dtype(0), {count, channels, Dim(config.output_height), Dim(config.output_width)});
  return {};
}

/// Before version 16 the corner of a pixel was its place.
Status roi_align_upgrade(ir::Node& node, Build&) {
  if (node.since < 16) node.set("coordinate_transformation_mode", std::string("output_half_pixel"));
  return {};
}

Status run_roi_align(KernelContext& c) {
  TENON_ASSIGN(auto config, roi_config(c.node()));
  const TensorRef &x = c.in(0), &at = c.in(2);
  if (at.count != c.in(1).dims[0])
    return invalid("RoiAlign: ", at.count, " batch indices for ", c.in(1).dims[0], " rois");
  return in_float(x.dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    TENON_ASSIGN(const T* from, input_as<T>(c, 0));
    TENON_ASSIGN(const T* rois, input_as<T>(c, 1));
    TENON_ASSIGN(auto to, OutputAs<T>::of(c, 0));
    auto s = kernels::roi_align<T>(to.data(), from, x.dims[0], x.dims[1], x.dims[2], x.dims[3], rois, indices_of(at),
                                   config, c.team());
    if (!s.ok()) return std::move(s).prefix("RoiAlign: ");
    to.finish();
    return {};
  });
}

bool can_convert(const KernelQuery& q) { return (kNumbers | kBools).has(q.in_type(0)); }

}  // namespace

TENON_OP(grid_sample){
    .name = "GridSample",
    .since = {16, 20, 22},
    .in = {port("X", kNumbers | kBools | kStrings | kComplex, "T1"), port("grid", kFloats)},
    .out = {port("Y", kNumbers | kBools | kStrings | kComplex, "T1")},
    .attributes = {{"align_corners", 'i'}, {"mode", 's'}, {"padding_mode", 's'}},
    .shape = grid_sample_shape,
};
TENON_CPU(grid_sample){{{{.name = "plain", .can = can_convert, .pack = pack_grid_sample, .run = run_grid_sample}}}};

TENON_CASES(grid_sample) {
  cases.types(kFloats);
  auto g = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  CaseTensor x = values({1, 1, 2, 2}, {1, 2, 3, 4});
  cases.add("corners")
      .in(x)
      .in(g(values({1, 1, 2, 2}, {-1, -1, 1, 1})))
      .attr("align_corners", 1)
      .out(values({1, 1, 1, 2}, {1, 4}));
  cases.add("middle").in(x).in(g(values({1, 1, 1, 2}, {0, 0}))).out(values({1, 1, 1, 1}, {2.5}));
  cases.add("outside").in(x).in(g(values({1, 1, 1, 2}, {5, 5}))).out(values({1, 1, 1, 1}, {0}));
  cases.add("border, nearest")
      .in(x)
      .in(g(values({1, 1, 1, 2}, {5, -5})))
      .attr_s("mode", "nearest")
      .attr_s("padding_mode", "border")
      .out(values({1, 1, 1, 1}, {2}));
  cases.add("one axis")
      .in(values({1, 1, 3}, {1, 2, 3}))
      .in(g(values({1, 2, 1}, {-1, 0})))
      .attr("align_corners", 1)
      .out(values({1, 1, 2}, {1, 2}));
  cases.add("wrong grid").in(g(x)).in(g(values({1, 1, 1, 3}, {0, 0, 0}))).fails("last dimension is 3");
}

TENON_OP(affine_grid){
    .name = "AffineGrid",
    .since = {20},
    .in = {port("theta", kFloats, "T1"), port("size", kI64Only)},
    .out = {port("grid", kFloats, "T1")},
    .attributes = {{"align_corners", 'i'}},
    .shape = affine_grid_shape,
};
TENON_CPU(affine_grid){{{{.name = "plain", .run = run_affine_grid}}}};

TENON_CASES(affine_grid) {
  cases.types(kFloats);
  cases.add("unchanged")
      .in(values({1, 2, 3}, {1, 0, 0, 0, 1, 0}))
      .in(ints({1, 1, 2, 2}))
      .attr("align_corners", 1)
      .out(values({1, 2, 2, 2}, {-1, -1, 1, -1, -1, 1, 1, 1}));
  cases.add("wrong theta")
      .in(typed(DType::kF32, values({1, 2, 2}, {1, 0, 0, 1})))
      .in(ints({1, 1, 2, 2}))
      .fails("does not fit the size");
}

TENON_OP(roi_align){
    .name = "RoiAlign",
    .since = {10, 16, 22},
    .in = {port("X", kFloats, "T1"), port("rois", kFloats, "T1"), port("batch_indices", kI64Only)},
    .out = {port("Y", kFloats, "T1")},
    .attributes = {{"coordinate_transformation_mode", 's'},
                   {"mode", 's'},
                   {"output_height", 'i'},
                   {"output_width", 'i'},
                   {"sampling_ratio", 'i'},
                   {"spatial_scale", 'f'}},
    .shape = roi_align_shape,
    .upgrade = roi_align_upgrade,
};
TENON_CPU(roi_align){{{{.name = "plain", .run = run_roi_align}}}};

TENON_CASES(roi_align) {
  cases.types(kFloats);
  auto b = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kI64, values({n}, std::move(v)));
  };
  cases.add("flat picture")
      .in(values({1, 1, 4, 4}, std::vector<double>(16, 3)))
      .in(values({1, 4}, {0, 0, 3, 3}))
      .in(b({0}))
      .attr("output_height", 2)
      .attr("output_width", 2)
      .out(values({1, 1, 2, 2}, {3, 3, 3, 3}));
  cases.add("no rois").in(range({1, 2, 4, 4}, 0, 1)).in(values({0, 4}, {})).in(b({})).out(values({0, 2, 1, 1}, {}));
  cases.add("bad batch")
      .in(typed(DType::kF32, range({1, 1, 4, 4}, 0, 1)))
      .in(typed(DType::kF32, values({1, 4}, {0, 0, 3, 3})))
      .in(b({1}))
      .fails("1");
}

}  // namespace tenon::ops
