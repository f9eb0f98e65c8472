// DeformConv: a convolution whose taps are moved by offsets and read between pixels, of images.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/gemm/gemm.h"
#include "ops/convert.h"
#include "ops/nn/conv.h"

namespace tenon::ops {
namespace {

/// Inputs are X, W, offset, B, mask; the output is that of a convolution of X and W.
Status deform_shape(InferContext& c) {
  int64_t groups = c.attr("offset_group", 1);
  if (groups < 1) return invalid("DeformConv: offset_group is ", groups);
  if (c.has_shape(0) && c.rank(0) != 4)
    return error(Code::kNotImplemented, "DeformConv: X has rank ", c.rank(0), "; images (rank 4) are supported");
  TENON_TRY(conv_shape(c, {}, 0, 1, c.dtype(0)));
  if (c.has_shape(0) && c.shape(0)[1].is_const() && c.shape(0)[1].value() % groups)
    return invalid("DeformConv: ", c.shape(0)[1], " channels cannot be split into ", groups, " offset groups");
  return {};
}

/// A pixel between pixels; zero outside.
template <class T>
T between(const T* plane, int64_t height, int64_t width, T y, T x) {
  if (!(y > -1 && y < static_cast<T>(height) && x > -1 && x < static_cast<T>(width))) return 0;
  const int64_t y0 = static_cast<int64_t>(std::floor(y)), x0 = static_cast<int64_t>(std::floor(x));
  const T fy = y - static_cast<T>(y0), fx = x - static_cast<T>(x0);
  auto at = [&](int64_t r, int64_t k) {
    return r >= 0 && r < height && k >= 0 && k < width ? plane[r * width + k] : T{0};
  };
  return (1 - fy) * ((1 - fx) * at(y0, x0) + fx * at(y0, x0 + 1)) +
         fy * ((1 - fx) * at(y0 + 1, x0) + fx * at(y0 + 1, x0 + 1));
}

template <class T>
Status run_typed(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  TENON_ASSIGN(PlainConv p, conv_run_sizes(c.node(), {}, x.shape(), c.in(1).shape(), y.shape()));
  const int64_t height = p.in[1], width = p.in[2], out_h = p.out[1], out_w = p.out[2], pixels = out_h * out_w,
                taps = p.kernel[1] * p.kernel[2];
  const int64_t groups = c.node().int_or("offset_group", 1), offsets = p.batch * groups * taps * 2 * pixels;
  if (c.in(2).count != offsets)
    return invalid("DeformConv: offset ", c.in(2), " has ", c.in(2).count, " values, ", offsets, " are expected");
  if (c.has(4) && c.in(4).count * 2 != offsets)
    return invalid("DeformConv: mask ", c.in(4), " has ", c.in(4).count, " values, ", offsets / 2, " are expected");
  if (c.has(3) && c.in(3).count != p.out_channels)
    return invalid("DeformConv: the bias has ", c.in(3).count, " values for ", p.out_channels, " channels");
  if (y.count == 0) return {};
  TENON_ASSIGN(const T* in, input_as<T>(c, 0));
  TENON_ASSIGN(const T* w, input_as<T>(c, 1));
  TENON_ASSIGN(const T* offset, input_as<T>(c, 2));
  TENON_ASSIGN(const T* bias, input_as<T>(c, 3));
  TENON_ASSIGN(const T* mask, input_as<T>(c, 4));
  TENON_ASSIGN(auto out, OutputAs<T>::of(c, 0));
  const int64_t per_in = p.in_channels / p.group, per_out = p.out_channels / p.group, k = per_in * taps;
  TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(p.in_channels * taps * pixels) * sizeof(T)));
  T* windows = static_cast<T*>(memory);  // [channel, tap, pixel]
  kernels::Gemm<T> g;
  g.m = per_out;
  g.n = pixels;
  g.k = k;
  g.lda = k;
  g.ldb = g.ldc = pixels;
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_scratch_bytes(g, c.team().width()))));
  for (int64_t b = 0; b < p.batch; ++b) {
    c.team().parallel_for_cost(p.in_channels * taps, static_cast<double>(pixels) * 8, [&](int64_t begin, int64_t end) {
      for (int64_t row = begin; row < end; ++row) {
        const int64_t channel = row / taps, t = row % taps, og = b * groups + channel / (p.in_channels / groups);
        const T *dy = offset + (og * taps + t) * 2 * pixels, *dx = dy + pixels,
                *weight = mask ? mask + (og * taps + t) * pixels : nullptr;
        const T* plane = in + (b * p.in_channels + channel) * height * width;
        for (int64_t i = 0; i < pixels; ++i) {
          const T at_y = static_cast<T>(i / out_w * p.stride[1] - p.pad[1] + t / p.kernel[2] * p.dilation[1]) + dy[i];
          const T at_x = static_cast<T>(i % out_w * p.stride[2] - p.pad[2] + t % p.kernel[2] * p.dilation[2]) + dx[i];
          windows[row * pixels + i] = between(plane, height, width, at_y, at_x) * (weight ? weight[i] : T{1});
        }
      }
    });
    for (int64_t group = 0; group < p.group; ++group) {
      g.a = w + group * per_out * k;
      g.b = windows + group * k * pixels;
      g.c = out.data() + (b * p.out_channels + group * per_out) * pixels;
      g.bias_row = bias ? bias + group * per_out : nullptr;
      kernels::gemm(g, c.team(), scratch);
    }
  }
  out.finish();
  return {};
}
Status run_deform(KernelContext& c) {
  return c.in(0).dtype == DType::kF64 ? run_typed<double>(c) : run_typed<float>(c);
}

}  // namespace

TENON_OP(deform_conv){
    .name = "DeformConv",
    .since = {19, 22},
    .in = {port("X", kFloats, "T"), port("W", kFloats, "T"), port("offset", kFloats, "T"),
           optional(port("B", kFloats, "T")), optional(port("mask", kFloats, "T"))},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"dilations", 'I'},
                   {"group", 'i'},
                   {"kernel_shape", 'I'},
                   {"offset_group", 'i'},
                   {"pads", 'I'},
                   {"strides", 'I'}},
    .shape = deform_shape,
};
TENON_CPU(deform_conv){{{{.name = "gather", .run = run_deform}}}};
TENON_CASES(deform_conv) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {  // offsets of zero: a convolution
    std::vector<CaseTensor> plain{in[0], in[1]};
    if (in.size() > 3) plain.push_back(in[3]);
    return std::vector<CaseTensor>{conv_reference(c, plain, false, {})};
  });
  auto zeros = [](Shape dims) { return range(std::move(dims), 0, 0); };
  cases.add("no offsets")
      .in(range({1, 4, 5, 5}, -1, 1))
      .in(range({6, 2, 3, 3}, -1, 1))
      .in(zeros({1, 36, 3, 3}))
      .in(range({6}, -1, 1))
      .attr("group", 2)
      .attr("offset_group", 2);
  cases.add("padded, strided")
      .in(range({2, 2, 6, 5}, -1, 1))
      .in(range({3, 2, 2, 2}, -1, 1))
      .in(zeros({2, 8, 4, 3}))
      .attr("pads", {1, 1, 1, 1})
      .attr("strides", {2, 2});
  cases.add("half a pixel")
      .in(values({1, 1, 3, 3}, {0, 1, 2, 3, 4, 5, 6, 7, 8}))
      .in(values({1, 1, 2, 2}, {1, 1, 1, 1}))
      .in(values({1, 8, 2, 2},
                 {0.5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}))
      .out(values({1, 1, 2, 2}, {9.5, 12, 20, 24}));
  cases.add("masked")
      .in(values({1, 1, 2, 2}, {1, 2, 3, 4}))
      .in(values({1, 1, 2, 2}, {1, 1, 1, 1}))
      .in(zeros({1, 8, 1, 1}))
      .in(missing())
      .in(values({1, 4, 1, 1}, {1, 0, 0.5, 0}))
      .out(values({1, 1, 1, 1}, {2.5}));
  cases.add("wrong offsets")
      .in(typed(DType::kF32, range({1, 1, 2, 2}, 0, 1)))
      .in(typed(DType::kF32, range({1, 1, 2, 2}, 0, 1)))
      .in(typed(DType::kF32, range({1, 4, 1, 1}, 0, 1)))
      .fails("8 are expected");
}

}  // namespace tenon::ops
