// ConvInteger and QLinearConv: exact convolutions of 8-bit numbers, as products of gathered windows.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/gemm/gemm_int8.h"
#include "kernels/quant/linear_rows.h"
#include "ops/convert.h"
#include "ops/nn/conv.h"

namespace tenon::ops {
namespace {

/// Which inputs hold the operands and their zero points.
struct Operands {
  size_t x, x_zero, w, w_zero;
};
constexpr Operands kInteger{0, 2, 1, 3}, kLinear{0, 2, 3, 5};

Status integer_shape(InferContext& c) { return conv_shape(c, {}, 0, 1, DType::kI32); }
Status linear_shape(InferContext& c) { return conv_shape(c, {}, 0, 3, c.dtype(7)); }

struct State final : KernelState {
  kernels::PackedInt8 packed;  ///< a matrix for each group: (in / group * taps, out / group)
  Dims w_dims;
};

bool fits_gemm(std::span<const int64_t> w) { return w.size() >= 3 && w[1] > 1; }

template <bool linear>
Result<StatePtr> pack(PackContext& c) {
  auto s = std::make_unique<State>();
  const size_t i = linear ? kLinear.w : kInteger.w;
  const Tensor* w = c.constant(i);
  const int64_t group = c.node().int_or("group", 1);
  if (!w || w->count() == 0 || !fits_gemm(w->shape()) || group < 1 || w->shape()[0] % group)
    return StatePtr(std::move(s));
  const int64_t n = w->shape()[0] / group, k = w->count() / w->shape()[0];
  TENON_ASSIGN(s->packed,
               kernels::pack_int8(w->data(), w->dtype() == DType::kI8, k, true, k, n, c.team(), group, n * k));
  s->w_dims = w->shape();
  c.release(i);
  return StatePtr(std::move(s));
}

/// rows[p * k + c * taps + t] = the input under tap t of output pixel p, `outside` beyond the edges.
void gather_windows(const PlainConv& p, const uint8_t* x, int64_t channels, uint8_t outside, uint8_t* rows,
                    const Team& team) {
  const int64_t taps = p.kernel[0] * p.kernel[1] * p.kernel[2], plane = p.in[0] * p.in[1] * p.in[2],
                k = channels * taps;
  const int64_t pixels = p.out[0] * p.out[1] * p.out[2];
  team.parallel_for_cost(pixels, static_cast<double>(k), [&](int64_t begin, int64_t end) {
    for (int64_t o = begin; o < end; ++o) {
      const int64_t at[3] = {o / (p.out[1] * p.out[2]), o / p.out[2] % p.out[1], o % p.out[2]};
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t tap[3] = {t / (p.kernel[1] * p.kernel[2]), t / p.kernel[2] % p.kernel[1], t % p.kernel[2]};
        int64_t from[3];
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
          from[d] = at[d] * p.stride[d] - p.pad[d] + tap[d] * p.dilation[d];
          inside = inside && from[d] >= 0 && from[d] < p.in[d];
        }
        const uint8_t* source = x + (from[0] * p.in[1] + from[1]) * p.in[2] + from[2];
        uint8_t* to = rows + o * k + t;
        for (int64_t c = 0; c < channels; ++c) to[c * taps] = inside ? source[c * plane] : outside;
      }
    }
  });
}

template <class X, class W>
void plain(const PlainConv& p, const TensorRef& x, const void* w, int32_t x_zero, const void* w_zero, bool by_channel,
           int32_t* sums, const Team& team) {
  plain_conv<int32_t>(p, x.as<X>(), static_cast<const W*>(w), nullptr, sums, team, x_zero,
                      static_cast<const W*>(w_zero), by_channel);
}

/// Sums in the layout of the output.
Status run_sums(KernelContext& c, const Operands& o, const State& s, int32_t* sums, PlainConv* sizes) {
  const bool packed = s.packed.data != nullptr;
  const TensorRef& x = c.in(o.x);
  std::span<const int64_t> w_dims = packed ? std::span<const int64_t>(s.w_dims) : c.in(o.w).shape();
  TENON_ASSIGN(*sizes, conv_run_sizes(c.node(), {}, x.shape(), w_dims, c.out(0).shape()));
  const PlainConv& p = *sizes;
  if (c.out(0).count == 0) return {};
  const int64_t w_zeros = c.has(o.w_zero) ? c.in(o.w_zero).count : 0;
  if (w_zeros > 1 && w_zeros != p.out_channels)
    return invalid(c.node().op, ": the weights have ", w_zeros, " zero points for ", p.out_channels, " channels");
  if (c.has(o.x_zero) && c.in(o.x_zero).count != 1)
    return invalid(c.node().op, ": the input has ", c.in(o.x_zero).count, " zero points; it must have one");
  const bool x_signed = x.dtype == DType::kI8;
  const uint8_t zero_byte = c.has(o.x_zero) ? *c.in(o.x_zero).as<uint8_t>() : 0;
  const void* w_zero = w_zeros ? c.in(o.w_zero).data : nullptr;
  if (!packed && !fits_gemm(w_dims)) {
    const int32_t x_zero = x_signed ? static_cast<int8_t>(zero_byte) : zero_byte;
    const bool w_signed = c.in(o.w).dtype == DType::kI8;
    auto run = x_signed ? (w_signed ? plain<int8_t, int8_t> : plain<int8_t, uint8_t>)
                        : (w_signed ? plain<uint8_t, int8_t> : plain<uint8_t, uint8_t>);
    run(p, x, c.in(o.w).data, x_zero, w_zero, w_zeros > 1, sums, c.team());
    return {};
  }
  const int64_t taps = p.kernel[0] * p.kernel[1] * p.kernel[2], in = p.in_channels / p.group,
                out = p.out_channels / p.group;
  const int64_t pixels = p.out[0] * p.out[1] * p.out[2], plane = p.in[0] * p.in[1] * p.in[2];
  kernels::GemmInt8 g;
  g.m = pixels;
  g.n = out;
  g.k = in * taps;
  kernels::PackedInt8 all = s.packed;
  if (!packed) {
    const TensorRef& w = c.in(o.w);
    TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(kernels::packed_int8_bytes(g.k, out, p.group))));
    all = kernels::pack_int8_into(w.data, w.dtype == DType::kI8, g.k, true, g.k, out, memory, c.team(), p.group,
                                  out * g.k);
  }
  TENON_ASSIGN(void* windows, c.scratch(static_cast<size_t>(pixels * g.k)));
  TENON_ASSIGN(void* last, c.scratch(static_cast<size_t>(pixels * out) * sizeof(int32_t)));
  const int64_t none = 0;
  int64_t which = 0;  // the matrix of the current group
  g.a = windows;
  g.a_signed = x_signed;
  g.lda = g.k;
  g.c = static_cast<int32_t*>(last);
  g.ldc = out;
  g.b = &all;
  g.a_zero = c.has(o.x_zero) ? c.in(o.x_zero).data : nullptr;
  g.a_zero_count = g.a_zero ? 1 : 0;
  g.b_signed = w_zeros && c.in(o.w_zero).dtype == DType::kI8;
  g.offsets_a = g.offsets_c = &none;
  g.offsets_b = &which;
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_int8_scratch_bytes(g, c.team().width()))));
  for (int64_t b = 0; b < p.batch; ++b)
    for (int64_t group = 0; group < p.group; ++group) {
      gather_windows(p, x.as<uint8_t>() + (b * p.in_channels + group * in) * plane, in, zero_byte,
                     static_cast<uint8_t*>(windows), c.team());
      which = group;
      if (w_zeros) {
        g.b_zero = static_cast<const uint8_t*>(w_zero) + (w_zeros > 1 ? group * out : 0);
        g.b_zero_count = w_zeros > 1 ? out : 1;
      }
      kernels::gemm_int8(g, c.team(), scratch);
      int32_t* to = sums + (b * p.out_channels + group * out) * pixels;
      const int32_t* from = static_cast<const int32_t*>(last);
      c.team().parallel_for_cost(out, static_cast<double>(pixels), [&](int64_t begin, int64_t end) {
        for (int64_t m = begin; m < end; ++m)
          for (int64_t i = 0; i < pixels; ++i) to[m * pixels + i] = from[i * out + m];
      });
    }
  return {};
}

Status run_integer(KernelContext& c) {
  PlainConv sizes;
  return run_sums(c, kInteger, c.state<State>(), c.out(0).as<int32_t>(), &sizes);
}

Status run_linear(KernelContext& c) {
  PlainConv p;
  const TensorRef& y = c.out(0);
  TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(y.count) * sizeof(int32_t)));
  auto* sums = static_cast<int32_t*>(memory);
  TENON_TRY(run_sums(c, kLinear, c.state<State>(), sums, &p));
  if (y.count == 0) return {};
  const int64_t scales = c.in(4).count;
  if (c.in(1).count != 1 || c.in(6).count != 1 || c.in(7).count != 1 || (scales != 1 && scales != p.out_channels))
    return invalid(
        "QLinearConv: scales and zero points must be single, those of the weights single or one for each of ",
        p.out_channels, " channels");
  if (c.has(8) && c.in(8).count != p.out_channels)
    return invalid("QLinearConv: the bias has ", c.in(8).count, " values for ", p.out_channels, " channels");
  const float x_scale = *c.in(1).as<float>(), y_scale = *c.in(6).as<float>(), *w_scale = c.in(4).as<float>();
  const int32_t zero = y.dtype == DType::kI8 ? *c.in(7).as<int8_t>() : *c.in(7).as<uint8_t>();
  const int32_t* bias = c.has(8) ? c.in(8).as<int32_t>() : nullptr;
  const int64_t pixels = p.out[0] * p.out[1] * p.out[2];
  c.team().parallel_for_cost(p.batch * p.out_channels, static_cast<double>(pixels), [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t m = plane % p.out_channels;
      int32_t* row = sums + plane * pixels;
      if (bias)
        for (int64_t i = 0; i < pixels; ++i)
          row[i] = static_cast<int32_t>(static_cast<uint32_t>(row[i]) + static_cast<uint32_t>(bias[m]));
      const float scale = x_scale * w_scale[scales == 1 ? 0 : m] / y_scale;
      kernels::requantize_row(y.as<uint8_t>() + plane * pixels, y.dtype, row, pixels, &scale, 0, zero);
    }
  });
  return {};
}

}  // namespace

TENON_OP(conv_integer){
    .name = "ConvInteger",
    .since = {10},
    .in = {port("x", kBytes, "T1"), port("w", kBytes, "T2"), optional(port("x_zero_point", kBytes, "T1")),
           optional(port("w_zero_point", kBytes, "T2"))},
    .out = {port("y", TypeSet(DType::kI32))},
    .attributes =
        {{"auto_pad", 's'}, {"dilations", 'I'}, {"group", 'i'}, {"kernel_shape", 'I'}, {"pads", 'I'}, {"strides", 'I'}},
    .shape = integer_shape,
};
TENON_CPU(conv_integer){{{{.name = "gemm int8", .pack = pack<false>, .run = run_integer}}}};
TENON_CASES(conv_integer) {
  cases.types(kBytes);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    std::vector<CaseTensor> shifted{in[0], in[1]};
    if (in.size() > 2 && !in[2].missing)
      for (double& v : shifted[0].data) v -= in[2].data[0];
    size_t per = in[1].data.size() / static_cast<size_t>(in[1].dims[0]);
    if (in.size() > 3)
      for (size_t i = 0; i < shifted[1].data.size(); ++i)
        shifted[1].data[i] -= in[3].data[in[3].data.size() == 1 ? 0 : i / per];
    CaseTensor y = conv_reference(c, shifted, false, {});
    y.dtype = DType::kI32;
    return std::vector<CaseTensor>{y};
  });
  cases.add("padded")
      .in(range({2, 3, 6, 7}, -100, 100))
      .in(range({4, 3, 3, 3}, -100, 100))
      .in(values({}, {5}))
      .attr("pads", {1, 1, 1, 1});
  cases.add("groups and strides")
      .in(range({1, 4, 6, 7}, -100, 100))
      .in(range({6, 2, 3, 2}, -100, 100))
      .in(values({}, {5}))
      .in(values({}, {7}))
      .attr("group", 2)
      .attr("strides", {2, 1});
  cases.add("depthwise")
      .in(range({1, 5, 6, 7}, -100, 100))
      .in(range({5, 1, 3, 3}, -100, 100))
      .in(values({}, {5}))
      .in(values({5}, {7, 1, 2, 0, 3}))
      .attr("group", 5);
  cases.add("by channel")
      .in(range({1, 3, 6}, -100, 100))
      .in(range({2, 3, 3}, -100, 100))
      .in(values({}, {5}))
      .in(values({2}, {7, 1}));
}

TENON_OP(qlinear_conv){
    .name = "QLinearConv",
    .since = {10},
    .in = {port("x", kBytes, "T1"), port("x_scale", TypeSet(DType::kF32)), port("x_zero_point", kBytes, "T1"),
           port("w", kBytes, "T2"), port("w_scale", TypeSet(DType::kF32)), port("w_zero_point", kBytes, "T2"),
           port("y_scale", TypeSet(DType::kF32)), port("y_zero_point", kBytes, "T3"),
           optional(port("B", TypeSet(DType::kI32)))},
    .out = {port("y", kBytes, "T3")},
    .attributes =
        {{"auto_pad", 's'}, {"dilations", 'I'}, {"group", 'i'}, {"kernel_shape", 'I'}, {"pads", 'I'}, {"strides", 'I'}},
    .shape = linear_shape,
};
TENON_CPU(qlinear_conv){{{{.name = "gemm int8", .pack = pack<true>, .run = run_linear}}}};
TENON_CASES(qlinear_conv) {
  cases.types(kBytes);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    std::vector<CaseTensor> shifted{in[0], in[3]};
    auto at = [](const CaseTensor& t, size_t i) { return t.data[t.data.size() == 1 ? 0 : i]; };
    size_t channels = static_cast<size_t>(in[3].dims[0]), per = in[3].data.size() / channels;
    for (double& v : shifted[0].data) v -= in[2].data[0];
    for (size_t i = 0; i < shifted[1].data.size(); ++i) shifted[1].data[i] -= at(in[5], i / per);
    if (in.size() > 8) shifted.push_back(in[8]);
    CaseTensor y = conv_reference(c, shifted, false, {});
    y.dtype = in[7].dtype;
    size_t pixels = y.data.size() / channels / static_cast<size_t>(y.dims[0]);
    double lo = in[7].dtype == DType::kI8 ? -128 : 0;
    for (size_t i = 0; i < y.data.size(); ++i)
      y.data[i] = std::min(lo + 255, std::max(lo, std::nearbyint(y.data[i] * in[1].data[0] *
                                                                 at(in[4], i / pixels % channels) / in[6].data[0]) +
                                                      in[7].data[0]));
    return std::vector<CaseTensor>{y};
  });
  auto f32 = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("padded with bias")
      .in(range({1, 3, 6, 7}, -100, 100))
      .in(f32(values({}, {0.125})))
      .in(values({}, {5}))
      .in(range({4, 3, 3, 3}, -100, 100))
      .in(f32(values({4}, {0.5, 0.25, 0.125, 1})))
      .in(values({4}, {0, 2, 3, 4}))
      .in(f32(values({}, {64})))
      .in(values({}, {12}))
      .in(typed(DType::kI32, values({4}, {100, -3000, 0, 7})))
      .attr("pads", {1, 1, 1, 1});
  cases.add("depthwise")
      .in(range({1, 3, 6, 7}, -100, 100))
      .in(f32(values({}, {0.125})))
      .in(values({}, {5}))
      .in(range({3, 1, 3, 3}, -100, 100))
      .in(f32(values({}, {0.5})))
      .in(values({}, {2}))
      .in(f32(values({}, {16})))
      .in(values({}, {12}))
      .attr("group", 3);
}

}  // namespace tenon::ops
