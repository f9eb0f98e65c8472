// Shape rule, packing and run of the convolution operators.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/conv/conv.h"
#include "kernels/conv/layout.h"
#include "ops/convert.h"
#include "ops/nn/conv.h"

namespace tenon::ops {
namespace {

constexpr int64_t kLargest = int64_t{1} << 30;

Result<int64_t> group_of(const ir::Node& node) {
  int64_t group = node.int_or("group", 1);
  if (group < 1 || group > kLargest) return invalid(node.op, ": group is ", group);
  return group;
}

/// output_padding and output_shape of a transposed convolution; empty lists when not given.
struct TransposedSizes {
  Dims output_padding, output_shape;
};
Result<TransposedSizes> transposed_sizes(const ir::Node& node, const Window& w) {
  TransposedSizes t;
  size_t n = static_cast<size_t>(w.spatial);
  t.output_padding = Dims(node.ints("output_padding"));
  if (t.output_padding.empty()) t.output_padding.assign(n, 0);
  if (t.output_padding.size() != n)
    return invalid(node.op, ": output_padding has ", t.output_padding.size(), " values for ", n, " spatial dimensions");
  for (int i = 0; i < w.spatial; ++i) {
    int64_t v = t.output_padding[static_cast<size_t>(i)];
    if (v < 0 || v >= std::max(w.stride[i], w.dilation[i]))
      return invalid(node.op, ": output_padding ", v, " is not below the stride ", w.stride[i], " or dilation ",
                     w.dilation[i]);
  }
  auto shape = node.ints("output_shape");
  if (shape.size() == n + 2) shape = shape.subspan(2);
  if (!shape.empty() && shape.size() != n)
    return invalid(node.op, ": output_shape has ", shape.size(), " values for ", n, " spatial dimensions");
  for (int64_t v : shape)
    if (v < 0 || v > kLargest) return invalid(node.op, ": output_shape ", list_text(shape), " has a size out of range");
  t.output_shape = Dims(shape);
  return t;
}

Dim transposed_output(const Window& w, const TransposedSizes& t, int i, Dim in) {
  size_t k = static_cast<size_t>(i);
  if (!t.output_shape.empty()) return Dim(t.output_shape[k]);
  if (w.auto_pad == Window::AutoPad::kSameUpper || w.auto_pad == Window::AutoPad::kSameLower)
    return in * Dim(w.stride[i]);
  return (in - Dim(1)) * Dim(w.stride[i]) + Dim(t.output_padding[k] + w.reach(i) - w.pad_begin[i] - w.pad_end[i]);
}

/// Padding before the first element of a transposed convolution whose output size is known.
int64_t transposed_pad(const Window& w, const TransposedSizes& t, int i, int64_t in, int64_t out) {
  bool same = w.auto_pad == Window::AutoPad::kSameUpper || w.auto_pad == Window::AutoPad::kSameLower;
  if (t.output_shape.empty() && !same) return w.pad_begin[i];
  int64_t total = (in - 1) * w.stride[i] + t.output_padding[static_cast<size_t>(i)] + w.reach(i) - out;
  total = std::max<int64_t>(total, 0);
  return w.auto_pad == Window::AutoPad::kSameUpper ? total / 2 : total - total / 2;
}

struct ConvState final : KernelState {
  ConvForm form;
  Dims w_dims;
  bool packed = false;
  kernels::ConvPlan plan;
};

Result<kernels::ConvShape> plan_shape(const ir::Node& node, const ConvForm& form, std::span<const int64_t> w) {
  kernels::ConvShape s;
  int spatial = static_cast<int>(w.size()) - 2;
  TENON_ASSIGN(Window window, window_of(node, spatial, w.subspan(std::min<size_t>(2, w.size()))));
  TENON_ASSIGN(s.group, group_of(node));
  s.spatial = spatial;
  s.transposed = form.transposed;
  if (!checked_mul(w[1], s.group, form.transposed ? &s.out_channels : &s.in_channels))
    return invalid(node.op, ": group ", s.group, " is too large");
  (form.transposed ? s.in_channels : s.out_channels) = w[0];
  for (int i = 0; i < spatial; ++i) {
    s.kernel[i] = window.kernel[i];
    s.stride[i] = window.stride[i];
    s.dilation[i] = window.dilation[i];
  }
  return s;
}

}  // namespace

Status conv_shape(InferContext& c, const ConvForm& form, size_t xi, size_t wi, DType dtype) {
  const ir::Node& node = c.node();
  TENON_ASSIGN(int64_t group, group_of(node));
  if (!c.has_shape(xi)) {
    if (c.has_shape(wi)) c.set(0, dtype, DimVector(c.shape(wi).size(), Dim::unknown()));
    else c.set(0, dtype);
    return {};
  }
  const DimVector& x = c.shape(xi);
  if (x.size() < 3) return invalid(node.op, ": X ", ir::dims_text(x), " has no spatial dimensions");
  const size_t spatial = x.size() - 2, channel = form.channels_last ? x.size() - 1 : 1,
               first = form.channels_last ? 1 : 2;
  DimVector out(x.size(), Dim::unknown());
  out[0] = x[0];
  Dims kernel;
  bool kernel_known = !node.ints("kernel_shape").empty();
  if (c.has_shape(wi)) {
    const DimVector& w = c.shape(wi);
    if (w.size() != x.size())
      return invalid(node.op, ": X has rank ", x.size(), " and W rank ", w.size(), "; they must agree");
    Dim in = form.transposed ? w[0] : w[1] * Dim(group);
    if (in.is_const() && x[channel].is_const() && in.value() != x[channel].value())
      return invalid(node.op, ": X ", ir::dims_text(x), " has ", x[channel], " channels, W ", ir::dims_text(w),
                     " with group ", group, " takes ", in);
    if (w[0].is_const() && w[0].value() % group != 0)
      return invalid(node.op, ": ", w[0], " channels of W cannot be split into ", group, " groups");
    out[channel] = form.transposed ? w[1] * Dim(group) : w[0];
    auto k = ir::constant_dims(std::span<const Dim>(w.data() + 2, spatial));
    if (k) kernel = *k;
  }
  if (kernel.empty() && !kernel_known) {
    c.set(0, dtype, std::move(out));
    return {};
  }
  TENON_ASSIGN(Window w, window_of(node, static_cast<int>(spatial), kernel));
  TransposedSizes t;
  if (form.transposed) { TENON_ASSIGN(t, transposed_sizes(node, w)); }
  for (size_t i = 0; i < spatial; ++i) {
    Dim in = x[first + i];
    Dim size =
        form.transposed ? transposed_output(w, t, static_cast<int>(i), in) : window_output(w, static_cast<int>(i), in);
    if (size.is_const() && size.value() < 0) {
      if (!form.transposed) size = Dim(0);
      else
        return invalid(node.op, ": the output would have size ", size, " in spatial dimension ",
                       static_cast<int64_t>(i));
    }
    if (size.is_const() && size.value() == 0 && in.is_const() && !in.is(0))
      return invalid(node.op, ": the window of ", w.reach(static_cast<int>(i)),
                     " does not fit the padded input of size ", in, " in spatial dimension ", static_cast<int64_t>(i));
    out[first + i] = size;
  }
  c.set(0, dtype, std::move(out));
  return {};
}

Result<PlainConv> conv_run_sizes(const ir::Node& node, const ConvForm& form, std::span<const int64_t> x,
                                 std::span<const int64_t> w, std::span<const int64_t> y) {
  PlainConv p;
  if (x.size() < 3 || w.size() != x.size() || y.size() != x.size())
    return invalid(node.op, ": X ", list_text(x), " and W ", list_text(w), " do not fit");
  int spatial = static_cast<int>(x.size()) - 2;
  TENON_ASSIGN(Window window, window_of(node, spatial, w.subspan(2)));
  TENON_ASSIGN(p.group, group_of(node));
  TransposedSizes t;
  if (form.transposed) { TENON_ASSIGN(t, transposed_sizes(node, window)); }
  const size_t channel = form.channels_last ? x.size() - 1 : 1, first = form.channels_last ? 1 : 2;
  p.transposed = form.transposed;
  p.batch = x[0];
  p.in_channels = x[channel];
  p.out_channels = y[channel];
  int64_t taken = 0, given = 0;
  if (!checked_mul(w[1], p.group, form.transposed ? &given : &taken))
    return invalid(node.op, ": group ", p.group, " is too large");
  (form.transposed ? taken : given) = w[0];
  if (taken != p.in_channels || given != p.out_channels || w[0] % p.group)
    return invalid(node.op, ": X ", list_text(x), " does not fit W ", list_text(w), " with group ", p.group);
  // Missing dimensions are the outer ones.
  for (int i = 0; i < spatial; ++i) {
    int d = i + kMaxSpatial - spatial;
    p.in[d] = x[first + static_cast<size_t>(i)];
    p.out[d] = y[first + static_cast<size_t>(i)];
    p.kernel[d] = window.kernel[i];
    p.stride[d] = window.stride[i];
    p.dilation[d] = window.dilation[i];
    p.pad[d] =
        form.transposed ? transposed_pad(window, t, i, p.in[d], p.out[d]) : window_padding(window, i, p.in[d]).begin;
  }
  return p;
}

Result<StatePtr> pack_conv(PackContext& c, const ConvForm& form) {
  auto s = std::make_unique<ConvState>();
  s->form = form;
  const Tensor *w = c.constant(1), *b = c.constant(2);
  if (!w || (c.has(2) && !b) || w->shape().size() < 3 || w->count() == 0) return StatePtr(std::move(s));
  TENON_ASSIGN(auto shape, plan_shape(c.node(), form, w->shape()));
  if (b && b->count() != shape.out_channels)
    return invalid(c.node().op, ": the bias has ", b->count(), " values for ", shape.out_channels, " channels");
  const ir::Type& x = c.in(0);
  for (int i = 0; x.has_shape && x.rank() == shape.spatial + 2 && i < shape.spatial; ++i) {
    Dim d = x.shape[static_cast<size_t>(i + (form.channels_last ? 1 : 2))];
    shape.hint[i] = d.is_const() ? d.value() : 0;
  }
  std::vector<float> weights, bias;
  const float *pw = w->as<float>(), *pb = b ? b->as<float>() : nullptr;
  if (w->dtype() != DType::kF32) {
    weights = constant_as<float>(w);
    bias = constant_as<float>(b);
    pw = weights.data();
    pb = b ? bias.data() : nullptr;
  }
  TENON_ASSIGN(s->plan, kernels::make_conv(shape, pw, pb, form.act, c.team()));
  s->packed = true;
  s->w_dims = w->shape();
  c.release(1);
  if (b) c.release(2);
  return StatePtr(std::move(s));
}

Status run_conv_node(KernelContext& c) {
  const auto& s = c.state<ConvState>();
  std::span<const int64_t> w_dims = s.packed ? std::span<const int64_t>(s.w_dims) : c.in(1).shape();
  TENON_ASSIGN(PlainConv p, conv_run_sizes(c.node(), s.form, c.in(0).shape(), w_dims, c.out(0).shape()));
  if (c.out(0).count == 0) return {};
  kernels::ConvPlan fresh;
  const kernels::ConvPlan* plan = &s.plan;
  if (!s.packed) {
    TENON_ASSIGN(auto shape, plan_shape(c.node(), s.form, w_dims));
    shape.exact = true;  // weights of one run: transforming them costs more than it saves
    TENON_ASSIGN(const float* w, input_as<float>(c, 1));
    TENON_ASSIGN(const float* b, input_as<float>(c, 2));
    if (b && c.in(2).count != shape.out_channels)
      return invalid(c.node().op, ": the bias has ", c.in(2).count, " values for ", shape.out_channels, " channels");
    TENON_ASSIGN(fresh, kernels::make_conv(shape, w, b, s.form.act, c.team()));
    plan = &fresh;
  }
  kernels::ConvSizes sizes;
  sizes.batch = p.batch;
  const int spatial = c.in(0).rank - 2, skip = kMaxSpatial - spatial;
  for (int i = 0; i < spatial; ++i) {
    sizes.in[i] = p.in[i + skip];
    sizes.pad[i] = p.pad[i + skip];
    sizes.out[i] = p.out[i + skip];
  }
  const int64_t in_pixels = p.in[0] * p.in[1] * p.in[2], out_pixels = p.out[0] * p.out[1] * p.out[2];
  // A layout change does nothing where one of the two sizes is 1.
  auto changes = [&](int64_t channels, int64_t pixels) { return !s.form.channels_last && channels > 1 && pixels > 1; };
  auto to_last = [&](const float* from, int64_t channels, int64_t pixels) -> Result<const float*> {
    if (!changes(channels, pixels)) return from;
    TENON_ASSIGN(void* t, c.scratch(static_cast<size_t>(p.batch * channels * pixels) * sizeof(float)));
    kernels::to_channels_last(from, static_cast<float*>(t), p.batch, channels, pixels, c.team());
    return static_cast<const float*>(t);
  };
  TENON_ASSIGN(const float* x, input_as<float>(c, 0));
  TENON_ASSIGN(x, to_last(x, p.in_channels, in_pixels));
  const float* residual = nullptr;
  if (s.form.residual >= 0 && c.has(static_cast<size_t>(s.form.residual))) {
    size_t r = static_cast<size_t>(s.form.residual);
    if (c.in(r).count != c.out(0).count)
      return invalid(c.node().op, ": the residual ", c.in(r), " does not have the output's shape");
    TENON_ASSIGN(residual, input_as<float>(c, r));
    TENON_ASSIGN(residual, to_last(residual, p.out_channels, out_pixels));
  }
  TENON_ASSIGN(auto out, OutputAs<float>::of(c, 0));
  float* y = out.data();
  const bool change = changes(p.out_channels, out_pixels);
  if (change) {
    TENON_ASSIGN(void* t, c.scratch(static_cast<size_t>(c.out(0).count) * sizeof(float)));
    y = static_cast<float*>(t);
  }
  TENON_ASSIGN(void* scratch,
               c.scratch(static_cast<size_t>(kernels::conv_scratch_bytes(*plan, sizes, c.team().width()))));
  kernels::run_conv(*plan, sizes, x, residual, y, c.team(), scratch);
  if (change) kernels::to_channels_first(y, out.data(), p.batch, p.out_channels, out_pixels, c.team());
  out.finish();
  return {};
}

}  // namespace tenon::ops
