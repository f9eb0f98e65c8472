// Resize and Upsample: tensors of other size, by nearest, linear or cubic interpolation along any axes.
// SPDX-License-Identifier: MIT
#include "kernels/image/resize.h"

#include <algorithm>
#include <cmath>

#include "opdef/cases.h"
#include "opdef/registry.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {
using kernels::ResizeConfig;
using kernels::ResizeCoordinates;
using kernels::ResizeMode;
using kernels::ResizeRounding;

Result<ResizeConfig> config_of(const ir::Node& n) {
  ResizeConfig c;
  std::string_view mode = n.string_or("mode", "nearest");
  if (mode == "nearest") c.mode = ResizeMode::kNearest;
  else if (mode == "linear" || mode == "bilinear") c.mode = ResizeMode::kLinear;
  else if (mode == "cubic") c.mode = ResizeMode::kCubic;
  else return invalid(n.op, ": mode '", mode, "' is none of nearest, linear, cubic");
  std::string_view at = n.string_or("coordinate_transformation_mode", "half_pixel");
  static constexpr std::pair<std::string_view, ResizeCoordinates> kCoordinates[] = {
      {"half_pixel", ResizeCoordinates::kHalfPixel},
      {"half_pixel_symmetric", ResizeCoordinates::kHalfPixelSymmetric},
      {"pytorch_half_pixel", ResizeCoordinates::kPytorchHalfPixel},
      {"align_corners", ResizeCoordinates::kAlignCorners},
      {"asymmetric", ResizeCoordinates::kAsymmetric},
      {"tf_half_pixel_for_nn", ResizeCoordinates::kTfHalfPixelForNn},
      {"tf_crop_and_resize", ResizeCoordinates::kTfCropAndResize}};
  auto coordinate = std::ranges::find(kCoordinates, at, [](auto& p) { return p.first; });
  if (coordinate == std::end(kCoordinates)) return invalid(n.op, ": unknown coordinate_transformation_mode '", at, "'");
  c.coordinates = coordinate->second;
  static constexpr std::pair<std::string_view, ResizeRounding> kRoundings[] = {
      {"round_prefer_floor", ResizeRounding::kRoundPreferFloor},
      {"round_prefer_ceil", ResizeRounding::kRoundPreferCeil},
      {"floor", ResizeRounding::kFloor},
      {"ceil", ResizeRounding::kCeil}};
  std::string_view round = n.string_or("nearest_mode", "round_prefer_floor");
  auto rounding = std::ranges::find(kRoundings, round, [](auto& p) { return p.first; });
  if (rounding == std::end(kRoundings)) return invalid(n.op, ": unknown nearest_mode '", round, "'");
  c.rounding = rounding->second;
  c.cubic_a = n.float_or("cubic_coeff_a", -0.75f);
  c.exclude_outside = n.int_or("exclude_outside", 0) != 0;
  c.antialias = n.int_or("antialias", 0) != 0;
  c.extrapolation_value = n.float_or("extrapolation_value", 0);
  return c;
}

/// not_larger and not_smaller keep the proportions: one scale for all resized axes.
enum class Policy { kStretch, kNotLarger, kNotSmaller };
Result<Policy> policy_of(const ir::Node& n) {
  std::string_view p = n.string_or("keep_aspect_ratio_policy", "stretch");
  if (p == "stretch") return Policy::kStretch;
  if (p == "not_larger") return Policy::kNotLarger;
  if (p == "not_smaller") return Policy::kNotSmaller;
  return invalid("Resize: keep_aspect_ratio_policy '", p, "' is none of stretch, not_larger, not_smaller");
}

/// The axes that scales, sizes and roi speak of: the attribute, or all.
Result<Dims> axes_of(const ir::Node& n, int64_t rank) {
  if (n.find("axes")) return normal_axes(n.ints("axes"), rank, "Resize");
  Dims all;
  for (int64_t i = 0; i < rank; ++i) all.push_back(i);
  return all;
}

/// A size as integer; sizes beyond all memory stay so without overflow.
int64_t whole(double size) { return static_cast<int64_t>(std::min(std::floor(size), static_cast<double>(kMaxSize))); }
int64_t scaled(int64_t in, float scale) { return whole(static_cast<double>(static_cast<float>(in) * scale)); }

Result<float> scale_at(const TensorRef& scales, size_t i) {
  float s = static_cast<float>(number_at(scales, static_cast<int64_t>(i)));
  if (!(s > 0) || s > 1e9f) return invalid("Resize: the scale ", s, " is not a positive number of reasonable size");
  return s;
}

/// Sizes and scales of the given axes under a policy that keeps proportions.
void keep_proportions(Policy policy, std::span<const int64_t> in, std::span<int64_t> sizes, std::span<float> scales) {
  double best = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    double s = static_cast<double>(sizes[i]) / static_cast<double>(std::max<int64_t>(in[i], 1));
    best = i == 0 ? s : policy == Policy::kNotLarger ? std::min(best, s) : std::max(best, s);
  }
  for (size_t i = 0; i < in.size(); ++i) {
    sizes[i] = whole(best * static_cast<double>(in[i]) + 0.5);
    scales[i] = static_cast<float>(best);
  }
}

/// Before version 11 the scales were input 1.
size_t scales_input(int since) { return since < 11 ? 1 : 2; }

Status resize_shape(InferContext& c) {
  TENON_TRY(config_of(c.node()).status());
  TENON_ASSIGN(Policy policy, policy_of(c.node()));
  DType t = c.dtype(0);
  if (!c.has_shape(0)) {
    c.set(0, t);
    return {};
  }
  TENON_ASSIGN(Dims axes, axes_of(c.node(), c.rank(0)));
  DimVector dims = c.shape(0);
  size_t scales_at = scales_input(c.since());
  bool by_sizes = c.since() >= 11 && c.has(3) && c.count(3).value_or(1) != 0;
  bool by_scales = c.has(scales_at) && c.count(scales_at).value_or(1) != 0;
  if (by_sizes && by_scales && c.count(scales_at) && c.count(3))
    return invalid("Resize: only one of scales and sizes can be given");
  auto wrong = [&](size_t n) {
    return invalid("Resize: ", n, by_sizes ? " sizes" : " scales", " for ", axes.size(), " axes");
  };
  if (by_sizes) {
    auto sizes = c.elements(3);
    if (sizes && sizes->size() != axes.size()) return wrong(sizes->size());
    for (size_t i = 0; i < axes.size(); ++i) {
      Dim& d = dims[static_cast<size_t>(axes[i])];
      d = sizes ? (*sizes)[i] : Dim::unknown();
      if (d.is_const() && d.value() < 0) return invalid("Resize: a size is ", d);
    }
    if (policy != Policy::kStretch) {
      auto numbers = sizes ? ir::constant_dims(*sizes) : std::nullopt;
      Dims in;
      for (int64_t a : axes)
        if (Dim d = c.shape(0)[static_cast<size_t>(a)]; d.is_const()) in.push_back(d.value());
      bool known = numbers && in.size() == axes.size();
      SmallVector<float, 8> scales(axes.size());
      if (known) keep_proportions(policy, in, *numbers, scales);
      for (size_t i = 0; i < axes.size(); ++i)
        dims[static_cast<size_t>(axes[i])] = known ? Dim((*numbers)[i]) : Dim::unknown();
    }
  } else if (by_scales) {
    auto scales = c.contents(scales_at);
    if (scales && scales->count != static_cast<int64_t>(axes.size())) return wrong(static_cast<size_t>(scales->count));
    for (size_t i = 0; i < axes.size(); ++i) {
      Dim& d = dims[static_cast<size_t>(axes[i])];
      if (!scales) {
        d = Dim::unknown();
        continue;
      }
      TENON_ASSIGN(float s, scale_at(*scales, i));
      float inverse = std::round(1 / s);
      if (d.is_const()) d = Dim(scaled(d.value(), s));
      else if (s == std::floor(s)) d = d * Dim(static_cast<int64_t>(s));
      else if (inverse >= 1 && 1 / inverse == s && std::exp2(std::round(std::log2(inverse))) == inverse)
        d = floor_div(d, Dim(static_cast<int64_t>(inverse)));
      else d = Dim::unknown();
    }
  } else if (c.since() >= 11 && (c.has(2) || c.has(3))) {
    return invalid("Resize: both scales and sizes are empty");
  } else {
    return invalid("Resize: one of scales and sizes is required");
  }
  c.set(0, t, std::move(dims));
  return {};
}

/// Version 10 had the scales at input 1, and counted pixels from their corners.
Status resize_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 11) return {};
  ir::ValueId scales = node.input(1);
  b.graph().set_input(node, 1, ir::kNoValue);
  put_input(node, b, 2, scales);
  node.set("coordinate_transformation_mode", std::string("asymmetric"));
  node.set("nearest_mode", std::string("floor"));
  return {};
}

struct ResizeState final : KernelState {
  ResizeConfig config;
  Policy policy = Policy::kStretch;
};
Result<StatePtr> pack_resize(PackContext& c) {
  auto s = std::make_unique<ResizeState>();
  TENON_ASSIGN(s->config, config_of(c.node()));
  TENON_ASSIGN(s->policy, policy_of(c.node()));
  return StatePtr(std::move(s));
}

bool can_resize(const KernelQuery& q) {
  return q.node().string_or("mode", "nearest") == "nearest" || (kNumbers | kBools).has(q.in_type(0));
}

Status run_resize_node(KernelContext& c) {
  const auto& state = c.state<ResizeState>();
  const TensorRef &x = c.in(0), &y = c.out(0);
  TENON_ASSIGN(Dims axes, axes_of(c.node(), x.rank));
  SmallVector<kernels::ResizeAxis, 8> plan_axes;
  for (int32_t i = 0; i < x.rank; ++i) plan_axes.push_back({x.dims[i], y.dims[i], 1, 0, 1});
  bool by_sizes = c.has(3) && c.in(3).count != 0;
  if (!by_sizes && (!c.has(2) || c.in(2).count != static_cast<int64_t>(axes.size())))
    return invalid("Resize: one of scales and sizes is required");
  SmallVector<float, 8> scales(axes.size());
  if (by_sizes) {
    Dims in, sizes;
    TENON_ASSIGN(sizes, read_ints(c.in(3)));
    if (sizes.size() != axes.size()) return invalid("Resize: ", sizes.size(), " sizes for ", axes.size(), " axes");
    for (size_t i = 0; i < axes.size(); ++i) {
      in.push_back(x.dims[axes[i]]);
      scales[i] = in[i] ? static_cast<float>(static_cast<double>(sizes[i]) / static_cast<double>(in[i])) : 1;
    }
    if (state.policy != Policy::kStretch) keep_proportions(state.policy, in, sizes, scales);
  } else {
    for (size_t i = 0; i < axes.size(); ++i) { TENON_ASSIGN(scales[i], scale_at(c.in(2), i)); }
  }
  bool crop = state.config.coordinates == ResizeCoordinates::kTfCropAndResize;
  if (crop && (!c.has(1) || c.in(1).count != 2 * static_cast<int64_t>(axes.size())))
    return invalid("Resize: tf_crop_and_resize needs a roi of ", 2 * axes.size(), " numbers");
  for (size_t i = 0; i < axes.size(); ++i) {
    auto& a = plan_axes[static_cast<size_t>(axes[i])];
    a.scale = scales[i] > 0 ? scales[i] : 1;
    if (!crop) continue;
    a.roi_start = static_cast<float>(number_at(c.in(1), static_cast<int64_t>(i)));
    a.roi_end = static_cast<float>(number_at(c.in(1), static_cast<int64_t>(i + axes.size())));
  }
  if (y.count == 0) return {};
  auto plan = kernels::plan_resize(state.config, plan_axes);
  if (!plan.ok()) return std::move(plan).status().prefix("Resize: ");
  constexpr TypeSet native = kFloats | TypeSet{DType::kU8, DType::kI8, DType::kI32};
  bool direct = state.config.mode == ResizeMode::kNearest || native.has(x.dtype);
  DType t = direct ? x.dtype : DType::kF64;
  TENON_ASSIGN(void* scratch,
               c.scratch(static_cast<size_t>(kernels::resize_scratch_bytes(*plan, t, c.team().width()))));
  if (direct) return kernels::run_resize(*plan, y.data, x.data, t, scratch, c.team());
  TENON_ASSIGN(const double* from, tensor_as<double>(c, x));
  TENON_ASSIGN(auto to, OutputAs<double>::of(c, 0));
  TENON_TRY(kernels::run_resize(*plan, to.data(), from, t, scratch, c.team()));
  to.finish();
  return {};
}

constexpr TypeSet kPixels = kNumbers | kBools | kStrings | kComplex;

/// The scales of an Upsample: input 1, or attributes of the older versions.
std::optional<std::vector<float>> upsample_scales(const ir::Node& n, size_t rank) {
  if (auto* s = n.get<std::vector<float>>("scales")) return *s;
  const float *h = n.get<float>("height_scale"), *w = n.get<float>("width_scale");
  if (!h || !w || rank < 2) return std::nullopt;
  std::vector<float> scales(rank, 1);
  scales[rank - 2] = *h;
  scales[rank - 1] = *w;
  return scales;
}

Status upsample_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  DimVector dims = c.shape(0);
  size_t rank = dims.size();
  auto scales = upsample_scales(c.node(), rank);
  auto given = c.contents(1);
  if (!scales && given) {
    scales.emplace();
    for (int64_t i = 0; i < given->count; ++i) scales->push_back(static_cast<float>(number_at(*given, i)));
  }
  if (!scales) {
    set_rank(c, 0, c.dtype(0), rank);
    return {};
  }
  if (scales->size() != rank) return invalid("Upsample: ", scales->size(), " scales for an input of rank ", rank);
  for (size_t i = 0; i < rank; ++i) {
    float s = (*scales)[i];
    if (!(s > 0) || s > 1e9f) return invalid("Upsample: the scale ", s, " is not a positive number of reasonable size");
    dims[i] = dims[i].is_const()   ? Dim(scaled(dims[i].value(), s))
              : s == std::floor(s) ? dims[i] * Dim(static_cast<int64_t>(s))
                                   : Dim::unknown();
  }
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

}  // namespace

TENON_OP(resize){
    .name = "Resize",
    .since = {10, 11, 13, 18, 19},
    .in = {port("X", kPixels, "T1"), optional(port("roi", kFloats)), optional(port("scales", TypeSet{DType::kF32})),
           optional(port("sizes", kI64Only))},
    .out = {port("Y", kPixels, "T1")},
    .attributes = {{"antialias", 'i'},
                   {"axes", 'I'},
                   {"coordinate_transformation_mode", 's'},
                   {"cubic_coeff_a", 'f'},
                   {"exclude_outside", 'i'},
                   {"extrapolation_value", 'f'},
                   {"keep_aspect_ratio_policy", 's'},
                   {"mode", 's'},
                   {"nearest_mode", 's'}},
    .shape = resize_shape,
    .upgrade = resize_upgrade,
};
TENON_CPU(resize){{{{.name = "separable", .can = can_resize, .pack = pack_resize, .run = run_resize_node}}}};

TENON_CASES(resize) {
  cases.types(kFloats | TypeSet{DType::kU8, DType::kI8, DType::kI32, DType::kI64, DType::kU16});
  auto f = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return constant(typed(DType::kF32, values({n}, std::move(v))));
  };
  CaseTensor x = values({1, 1, 2, 2}, {1, 2, 3, 4});
  cases.add("nearest, doubled")
      .in(x)
      .in(missing())
      .in(f({1, 1, 2, 2}))
      .out(values({1, 1, 4, 4}, {1, 1, 2, 2, 1, 1, 2, 2, 3, 3, 4, 4, 3, 3, 4, 4}));
  cases.add("nearest by sizes")
      .in(x)
      .in(missing())
      .in(missing())
      .in(ints({1, 1, 1, 4}))
      .attr_s("nearest_mode", "floor")
      .attr_s("coordinate_transformation_mode", "asymmetric")
      .out(values({1, 1, 1, 4}, {1, 1, 2, 2}));
  cases.add("one axis")
      .in(x)
      .in(missing())
      .in(missing())
      .in(ints({4}))
      .attr("axes", std::vector<int64_t>{3})
      .out(values({1, 1, 2, 4}, {1, 1, 2, 2, 3, 3, 4, 4}));
  cases.add("linear, corners")
      .in(values({1, 3}, {2, 4, 8}))
      .in(missing())
      .in(missing())
      .in(ints({1, 5}))
      .attr_s("mode", "linear")
      .attr_s("coordinate_transformation_mode", "align_corners")
      .out(values({1, 5}, {2, 3, 4, 6, 8}));
  cases.add("version 10").in(x).in(f({1, 1, 1, 2})).opset(10).out(values({1, 1, 2, 4}, {1, 1, 2, 2, 3, 3, 4, 4}));
  cases.add("proportions kept")
      .in(values({2, 1}, {1, 2}))
      .in(missing())
      .in(missing())
      .in(ints({4, 3}))
      .attr_s("keep_aspect_ratio_policy", "not_larger")
      .out(values({4, 2}, {1, 1, 1, 1, 2, 2, 2, 2}));
  cases.add("wrong length").in(typed(DType::kF32, x)).in(missing()).in(f({2, 2})).fails("2 scales for 4 axes");
  cases.add("neither").in(typed(DType::kF32, x)).fails("one of scales and sizes");
  cases.add("no scale").in(typed(DType::kF32, x)).in(missing()).in(f({1, 1, 0, 1})).fails("the scale 0");
}

TENON_OP(upsample){
    .name = "Upsample",
    .since = {1, 7, 9},
    .in = {port("X", kPixels, "T"), optional(port("scales", TypeSet{DType::kF32}))},
    .out = {port("Y", kPixels, "T")},
    .attributes = {{"mode", 's'}, {"scales", 'F'}, {"height_scale", 'f'}, {"width_scale", 'f'}},
    .shape = upsample_shape,
};
// A Resize that counts pixels from their corners.
TENON_BODY(upsample)(ir::Node& node, Build& b)->Status {
  ir::ValueId scales = node.input(1);
  if (scales == ir::kNoValue) {
    const ir::Type& x = b.model().value(node.input(0)).type;
    auto known = upsample_scales(node, x.shape.size());
    if (!known) return invalid("Upsample: the scales are missing, or the rank of the input is not known");
    scales = b.constant(Tensor::of(std::span<const float>(*known)));
  }
  ir::Node& n = b.node("Resize", {node.input(0), ir::kNoValue, scales});
  std::string_view mode = node.string_or("mode", "nearest");
  n.set("mode", std::string(mode == "bilinear" ? "linear" : mode));
  n.set("coordinate_transformation_mode", std::string("asymmetric"));
  n.set("nearest_mode", std::string("floor"));
  b.replace({n.output(0)});
  return {};
};

TENON_CASES(upsample) {
  cases.types(kFloats | kInts);
  CaseTensor x = values({1, 1, 1, 2}, {1, 2}), y = values({1, 1, 2, 4}, {1, 1, 2, 2, 1, 1, 2, 2});
  cases.add("scales as input").in(x).in(constant(typed(DType::kF32, values({4}, {1, 1, 2, 2})))).opset(9).out(y);
  cases.add("scales as attribute").in(x).attr_floats("scales", {1, 1, 2, 2}).opset(7).out(y);
}

}  // namespace tenon::ops
