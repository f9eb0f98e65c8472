// QConvNhwc and QAdd: 8-bit convolution in channels-last layout and the sum of two 8-bit tensors, with constant scales.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/conv/conv_int8.h"
#include "ops/convert.h"
#include "ops/nn/conv.h"

namespace tenon::ops {
namespace {

constexpr TypeSet kBias{DType::kI32, DType::kF32};

int32_t zero_at(const Tensor* t, int64_t i) {
  if (!t) return 0;
  if (t->count() == 1) i = 0;
  return t->dtype() == DType::kI8 ? t->as<int8_t>()[i] : t->as<uint8_t>()[i];
}
/// The bounds of the result: attributes "lo" and "hi" within the range of the type.
void bounds(const ir::Node& node, DType t, int32_t* lo, int32_t* hi) {
  const int64_t least = t == DType::kI8 ? -128 : 0, most = least + 255;
  *lo = static_cast<int32_t>(std::clamp<int64_t>(node.int_or("lo", least), least, most));
  *hi = static_cast<int32_t>(std::clamp<int64_t>(node.int_or("hi", most), least, most));
}
/// Whether the inputs [first, last] that are given are constants.
bool all_constant(const KernelQuery& q, size_t first, size_t last) {
  for (size_t i = first; i <= last; ++i)
    if (q.has(i) && !q.constant(i)) return false;
  return true;
}
bool single(const KernelQuery& q, size_t i) { return !q.has(i) || (q.constant(i) && q.constant(i)->count() == 1); }

// ---- QConvNhwc
// -------------------------------------------------------------------------------------------------------

Status conv_nhwc_shape(InferContext& c) { return conv_shape(c, {.channels_last = true}, 0, 3, c.dtype(7)); }

struct ConvState final : KernelState {
  kernels::ConvInt8Plan plan;
  Dims w_dims;
};

bool can_conv(const KernelQuery& q) {
  const Tensor *w = q.constant(3), *w_scale = q.constant(4);
  if (!all_constant(q, 1, 8) || !w || !w_scale || w->shape().size() < 3 || w->count() == 0) return false;
  const int64_t m = w->shape()[0], group = q.node().int_or("group", 1);
  auto fits = [&](size_t i) { return !q.has(i) || q.constant(i)->count() == 1 || q.constant(i)->count() == m; };
  return group >= 1 && m % group == 0 && single(q, 1) && single(q, 2) && single(q, 6) && single(q, 7) && fits(4) &&
         fits(5) && (!q.has(8) || q.constant(8)->count() == m);
}

Result<StatePtr> pack_conv_nhwc(PackContext& c) {
  auto s = std::make_unique<ConvState>();
  const Tensor *w = c.constant(3), *w_scale = c.constant(4), *bias = c.constant(8);
  kernels::ConvInt8Shape shape;
  const auto& dims = w->shape();
  const size_t spatial = dims.size() - 2;
  TENON_ASSIGN(Window window,
               window_of(c.node(), static_cast<int>(spatial), std::span<const int64_t>(dims).subspan(2)));
  shape.group = c.node().int_or("group", 1);
  shape.out_channels = dims[0];
  shape.in_channels = dims[1] * shape.group;
  for (size_t i = 0; i < spatial; ++i) {
    shape.kernel[i + 3 - spatial] = window.kernel[i];
    shape.stride[i + 3 - spatial] = window.stride[i];
    shape.dilation[i + 3 - spatial] = window.dilation[i];
  }
  shape.x_signed = c.in_type(0) == DType::kI8;
  shape.w_signed = w->dtype() == DType::kI8;
  shape.y_signed = c.in_type(7) == DType::kI8;
  shape.x_zero = zero_at(c.constant(2), 0);
  shape.y_zero = zero_at(c.constant(7), 0);
  bounds(c.node(), c.in_type(7), &shape.lo, &shape.hi);
  const auto count = static_cast<size_t>(shape.out_channels);
  std::vector<int32_t> zeros(count);
  std::vector<float> factor(count), addend(count);
  const float x_scale = *c.constant(1)->as<float>(), y_scale = *c.constant(6)->as<float>();
  for (size_t m = 0; m < count; ++m) {
    zeros[m] = zero_at(c.constant(5), static_cast<int64_t>(m));
    factor[m] = x_scale * w_scale->as<float>()[w_scale->count() == 1 ? 0 : m] / y_scale;
    if (bias && bias->dtype() == DType::kF32)
      addend[m] = static_cast<float>(static_cast<double>(bias->as<float>()[m]) / static_cast<double>(y_scale));
  }
  shape.w_zero = zeros.data();
  shape.factor = factor.data();
  shape.addend = addend.data();
  if (bias && bias->dtype() == DType::kI32) shape.bias = bias->as<int32_t>();
  TENON_ASSIGN(s->plan, kernels::make_conv_int8(shape, w->data(), c.team()));
  s->w_dims = w->shape();
  c.release(3);
  return StatePtr(std::move(s));
}

Status run_conv_nhwc(KernelContext& c) {
  const auto& s = c.state<ConvState>();
  TENON_ASSIGN(PlainConv p,
               conv_run_sizes(c.node(), {.channels_last = true}, c.in(0).shape(), s.w_dims, c.out(0).shape()));
  if (c.out(0).count == 0) return {};
  kernels::ConvInt8Sizes sizes;
  sizes.batch = p.batch;
  for (int i = 0; i < 3; ++i) {
    sizes.in[i] = p.in[i];
    sizes.out[i] = p.out[i];
    sizes.pad[i] = p.pad[i];
  }
  TENON_ASSIGN(void* scratch,
               c.scratch(static_cast<size_t>(kernels::conv_int8_scratch_bytes(s.plan, c.team().width()))));
  kernels::run_conv_int8(s.plan, sizes, c.in(0).data, c.out(0).data, c.team(), scratch);
  return {};
}

// ---- QAdd
// ------------------------------------------------------------------------------------------------------------

Status add_shape(InferContext& c) {
  if (c.has_shape(0)) c.set(0, c.dtype(7), c.shape(0));
  else c.set(0, c.dtype(7));
  return {};
}
struct AddState final : KernelState {
  kernels::Quantised a, b;
  float y_scale = 1;
  int32_t y_zero = 0, lo = 0, hi = 255;
};
bool can_add(const KernelQuery& q) {
  for (size_t i : {1, 2, 4, 5, 6, 7})
    if (!single(q, i)) return false;
  return true;
}
Result<StatePtr> pack_add(PackContext& c) {
  auto s = std::make_unique<AddState>();
  s->a = {nullptr, c.in_type(0) == DType::kI8, zero_at(c.constant(2), 0), *c.constant(1)->as<float>()};
  s->b = {nullptr, c.in_type(3) == DType::kI8, zero_at(c.constant(5), 0), *c.constant(4)->as<float>()};
  s->y_scale = *c.constant(6)->as<float>();
  s->y_zero = zero_at(c.constant(7), 0);
  bounds(c.node(), c.in_type(7), &s->lo, &s->hi);
  return StatePtr(std::move(s));
}
Status run_add(KernelContext& c) {
  const auto& s = c.state<AddState>();
  if (c.in(0).count != c.out(0).count || c.in(3).count != c.out(0).count)
    return invalid("QAdd: ", c.in(0), " and ", c.in(3), " must have one shape");
  kernels::Quantised a = s.a, b = s.b;
  a.data = c.in(0).data;
  b.data = c.in(3).data;
  kernels::add_quantised(a, b, s.y_scale, s.y_zero, c.out(0).dtype == DType::kI8, s.lo, s.hi, c.out(0).data,
                         c.out(0).count, c.team());
  return {};
}

// ---- references of the cases
// -----------------------------------------------------------------------------------------

double bounded(const Case& c, DType t, double q) {
  const int64_t least = t == DType::kI8 ? -128 : 0, most = least + 255;
  return std::min(static_cast<double>(c.attr("hi", most)), std::max(static_cast<double>(c.attr("lo", least)), q));
}
/// Two spatial dimensions.
std::vector<CaseTensor> conv_nhwc_reference(const Case& c, const std::vector<CaseTensor>& in) {
  auto at = [](const CaseTensor& t, size_t i) { return t.missing ? 0 : t.data[t.data.size() == 1 ? 0 : i]; };
  const CaseTensor& last = in[0];
  const int64_t n = last.dims[0], h = last.dims[1], w = last.dims[2], k = last.dims[3];
  std::vector<CaseTensor> operands{last, in[3]};
  operands[0].dims = {n, k, h, w};
  for (int64_t i = 0; i < n * h * w * k; ++i)
    operands[0].data[static_cast<size_t>(((i / (h * w * k)) * k + i % k) * h * w + i / k % (h * w))] =
        last.data[static_cast<size_t>(i)] - in[2].data[0];
  const size_t channels = static_cast<size_t>(in[3].dims[0]), per = in[3].data.size() / channels;
  for (size_t i = 0; i < operands[1].data.size(); ++i) operands[1].data[i] -= at(in[5], i / per);
  const CaseTensor y = conv_reference(c, operands, false, {});
  CaseTensor out = y;
  out.dims = {n, y.dims[2], y.dims[3], y.dims[1]};
  out.dtype = in[7].dtype;
  const size_t pixels = static_cast<size_t>(y.dims[2] * y.dims[3]);
  for (size_t i = 0; i < y.data.size(); ++i) {
    const size_t m = i / pixels % channels;
    const double factor = in[1].data[0] * at(in[4], m);
    double real = y.data[i] * factor;
    if (in.size() > 8) real += in[8].dtype == DType::kF32 ? in[8].data[m] : in[8].data[m] * factor;
    out.data[(i / (pixels * channels) * pixels + i % pixels) * channels + m] =
        bounded(c, in[7].dtype, std::nearbyint(real / in[6].data[0]) + in[7].data[0]);
  }
  return {out};
}
std::vector<CaseTensor> add_reference(const Case& c, const std::vector<CaseTensor>& in) {
  CaseTensor y = in[0];
  y.dtype = in[7].dtype;
  for (size_t i = 0; i < y.data.size(); ++i) {
    const double real =
        (in[0].data[i] - in[2].data[0]) * in[1].data[0] + (in[3].data[i] - in[5].data[0]) * in[4].data[0];
    y.data[i] = bounded(c, in[7].dtype, std::nearbyint(real / in[6].data[0]) + in[7].data[0]);
  }
  return {y};
}

}  // namespace

/// B: i32 in units of x_scale * w_scale, or f32 as a real number. "lo" and "hi" bound the stored result (an
/// activation).
TENON_OP(qconv_nhwc){
    .name = "QConvNhwc",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("x", kBytes, "T1"), port("x_scale", TypeSet(DType::kF32)), port("x_zero_point", kBytes, "T1"),
           port("w", kBytes, "T2"), port("w_scale", TypeSet(DType::kF32)), optional(port("w_zero_point", kBytes, "T2")),
           port("y_scale", TypeSet(DType::kF32)), port("y_zero_point", kBytes, "T3"), optional(port("B", kBias))},
    .out = {port("y", kBytes, "T3")},
    .attributes = {{"auto_pad", 's'},
                   {"dilations", 'I'},
                   {"group", 'i'},
                   {"kernel_shape", 'I'},
                   {"pads", 'I'},
                   {"strides", 'I'},
                   {"lo", 'i'},
                   {"hi", 'i'}},
    .shape = conv_nhwc_shape,
};
TENON_CPU(qconv_nhwc){
    {{.name = "int8 channels last", .can = can_conv, .pack = pack_conv_nhwc, .run = run_conv_nhwc, .lazy = true}}};
TENON_CASES(qconv_nhwc) {
  cases.types(kBytes);
  cases.reference(conv_nhwc_reference);
  auto f32 = [](CaseTensor t) { return constant(typed(DType::kF32, std::move(t))); };
  cases.add("padded with integer bias")
      .in(range({1, 6, 7, 3}, -100, 100))
      .in(f32(values({}, {0.125})))
      .in(constant(values({}, {5})))
      .in(constant(range({4, 3, 3, 3}, -100, 100)))
      .in(f32(values({4}, {0.5, 0.25, 0.125, 1})))
      .in(constant(values({4}, {0, 2, 3, 4})))
      .in(f32(values({}, {64})))
      .in(constant(values({}, {12})))
      .in(constant(typed(DType::kI32, values({4}, {100, -3000, 0, 7}))))
      .attr("pads", {1, 1, 1, 1});
  cases.add("real bias and bounds")
      .in(range({2, 5, 5, 8}, -100, 100))
      .in(f32(values({}, {0.125})))
      .in(constant(values({}, {5})))
      .in(constant(range({40, 8, 1, 1}, -100, 100)))
      .in(f32(values({}, {0.5})))
      .in(missing())
      .in(f32(values({}, {32})))
      .in(constant(values({}, {12})))
      .in(f32(range({40}, -50, 50)))
      .attr("lo", 12)
      .attr("hi", 60);
  cases.add("depthwise, strides, dilation")
      .in(range({1, 9, 9, 19}, -100, 100))
      .in(f32(values({}, {0.125})))
      .in(constant(values({}, {5})))
      .in(constant(range({19, 1, 3, 3}, -100, 100)))
      .in(f32(values({}, {0.5})))
      .in(constant(values({}, {2})))
      .in(f32(values({}, {16})))
      .in(constant(values({}, {12})))
      .attr("group", 19)
      .attr("strides", {2, 1})
      .attr("dilations", {1, 2})
      .attr("pads", {1, 2, 1, 2});
  cases.add("groups")
      .in(range({1, 5, 6, 6}, -100, 100))
      .in(f32(values({}, {0.125})))
      .in(constant(values({}, {5})))
      .in(constant(range({9, 2, 3, 3}, -100, 100)))
      .in(f32(values({}, {0.5})))
      .in(missing())
      .in(f32(values({}, {64})))
      .in(constant(values({}, {12})))
      .attr("group", 3)
      .attr("strides", {2, 2});
}

/// Both of one shape; the bits of DequantizeLinear, Add, QuantizeLinear, and bounds as in QConvNhwc.
TENON_OP(qadd){
    .name = "QAdd",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("a", kBytes, "T1"), port("a_scale", TypeSet(DType::kF32)), port("a_zero_point", kBytes, "T1"),
           port("b", kBytes, "T2"), port("b_scale", TypeSet(DType::kF32)), port("b_zero_point", kBytes, "T2"),
           port("y_scale", TypeSet(DType::kF32)), port("y_zero_point", kBytes, "T3")},
    .out = {port("y", kBytes, "T3")},
    .attributes = {{"lo", 'i'}, {"hi", 'i'}},
    .shape = add_shape,
    .trait = {.in_place = 0x09},
};
TENON_CPU(qadd){{{.name = "vector", .can = can_add, .pack = pack_add, .run = run_add}}};
TENON_CASES(qadd) {
  cases.types(kBytes);
  cases.reference(add_reference);
  auto f32 = [](double v) { return constant(typed(DType::kF32, values({}, {v}))); };
  cases.add("rows")
      .in(range({3, 37}, -100, 100))
      .in(f32(0.125))
      .in(constant(values({}, {5})))
      .in(range({3, 37}, -100, 100))
      .in(f32(0.5))
      .in(constant(values({}, {17})))
      .in(f32(0.25))
      .in(constant(values({}, {12})));
  cases.add("bounded from below")
      .in(range({50}, -100, 100))
      .in(f32(0.125))
      .in(constant(values({}, {5})))
      .in(range({50}, -100, 100))
      .in(f32(0.5))
      .in(constant(values({}, {17})))
      .in(f32(0.375))
      .in(constant(values({}, {12})))
      .attr("lo", 12);
}

}  // namespace tenon::ops
