// Conv and ConvTranspose, and their forms in channels-last layout with a fused tail.
// SPDX-License-Identifier: MIT
#include "ops/nn/conv.h"

#include <algorithm>

#include "ops/activation.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

template <bool transposed>
Status shape_first(InferContext& c) {
  return conv_shape(c, {.transposed = transposed}, 0, 1, c.dtype(0));
}
template <bool transposed>
Status shape_last(InferContext& c) {
  TENON_TRY(activation_of(c.node()).status());
  return conv_shape(c, {.transposed = transposed, .channels_last = true}, 0, 1, c.dtype(0));
}
template <bool transposed>
Result<StatePtr> pack_first(PackContext& c) {
  return pack_conv(c, {.transposed = transposed});
}
template <bool transposed>
Result<StatePtr> pack_last(PackContext& c) {
  ConvForm form{.transposed = transposed, .channels_last = true, .residual = 3};
  TENON_ASSIGN(form.act, activation_of(c.node()));
  return pack_conv(c, form);
}

bool not_double(const KernelQuery& q) { return q.in_type(0) != DType::kF64; }

template <bool transposed>
Status run_plain(KernelContext& c) {
  TENON_ASSIGN(PlainConv p, conv_run_sizes(c.node(), {.transposed = transposed}, c.in(0).shape(), c.in(1).shape(),
                                           c.out(0).shape()));
  if (c.has(2) && c.in(2).count != p.out_channels)
    return invalid(c.node().op, ": the bias has ", c.in(2).count, " values for ", p.out_channels, " channels");
  plain_conv<double>(p, c.in(0).as<double>(), c.in(1).as<double>(), c.has(2) ? c.in(2).as<double>() : nullptr,
                     c.out(0).as<double>(), c.team());
  return {};
}

constexpr TypeSet kFastFloats{DType::kF32, DType::kF16, DType::kBF16};

/// [N, C, spatial...] to [N, spatial..., C] and back.
CaseTensor relayout(const CaseTensor& t, bool to_last) {
  CaseTensor out = t;
  size_t rank = t.dims.size();
  int64_t n = t.dims[0], c = to_last ? t.dims[1] : t.dims[rank - 1];
  int64_t pixels = 1;
  for (size_t i = 1; i < rank; ++i) pixels *= t.dims[i];
  pixels = c ? pixels / c : 0;
  for (size_t i = 1; i < rank; ++i)
    out.dims[i] = to_last ? (i + 1 < rank ? t.dims[i + 1] : c) : (i == 1 ? c : t.dims[i - 1]);
  for (int64_t b = 0; b < n; ++b)
    for (int64_t k = 0; k < c; ++k)
      for (int64_t p = 0; p < pixels; ++p) {
        size_t first = static_cast<size_t>((b * c + k) * pixels + p),
               last = static_cast<size_t>((b * pixels + p) * c + k);
        (to_last ? out.data[last] : out.data[first]) = to_last ? t.data[first] : t.data[last];
      }
  return out;
}

template <bool transposed>
std::vector<CaseTensor> first_reference(const Case& c, const std::vector<CaseTensor>& in) {
  return {conv_reference(c, in, transposed, {})};
}

template <bool transposed>
std::vector<CaseTensor> last_reference(const Case& c, const std::vector<CaseTensor>& in) {
  std::vector<CaseTensor> first = in;
  first[0] = relayout(in[0], false);
  CaseTensor y = relayout(first_reference<transposed>(c, first)[0], true);
  for (size_t i = 0; i < y.data.size(); ++i) {
    if (in.size() > 3) y.data[i] += in[3].data[i];
    if (c.attr_s("activation", "") == "Relu") y.data[i] = std::max(0.0, y.data[i]);
  }
  return {y};
}

}  // namespace

CaseTensor conv_reference(const Case& c, const std::vector<CaseTensor>& in, bool transposed, const Shape& out_size) {
  const CaseTensor &x = in[0], &w = in[1];
  PlainConv p;
  p.transposed = transposed;
  p.group = c.attr("group", 1);
  p.batch = x.dims[0];
  p.in_channels = x.dims[1];
  p.out_channels = transposed ? w.dims[1] * p.group : w.dims[0];
  size_t spatial = x.dims.size() - 2;
  CaseTensor y;
  y.dims = {p.batch, p.out_channels};
  auto list = [&](std::string_view name, size_t i, int64_t fallback) {
    auto v = c.attr_ints(name);
    return i < v.size() ? v[i] : fallback;
  };
  std::string auto_pad = c.attr_s("auto_pad", "NOTSET");
  for (size_t i = 0; i < spatial; ++i) {
    size_t d = i + 3 - spatial;
    p.in[d] = x.dims[i + 2];
    p.kernel[d] = w.dims[i + 2];
    p.stride[d] = list("strides", i, 1);
    p.dilation[d] = list("dilations", i, 1);
    int64_t begin = list("pads", i, 0), end = list("pads", i + spatial, 0),
            reach = (p.kernel[d] - 1) * p.dilation[d] + 1;
    if (!out_size.empty()) {
      p.out[d] = out_size[i];
    } else if (transposed) {
      p.out[d] = (p.in[d] - 1) * p.stride[d] + list("output_padding", i, 0) + reach - begin - end;
    } else if (auto_pad.substr(0, 4) == "SAME") {
      p.out[d] = (p.in[d] + p.stride[d] - 1) / p.stride[d];
      int64_t total = std::max<int64_t>(0, (p.out[d] - 1) * p.stride[d] + reach - p.in[d]);
      begin = auto_pad == "SAME_UPPER" ? total / 2 : total - total / 2;
    } else {
      p.out[d] = (p.in[d] + begin + end - reach) / p.stride[d] + 1;
    }
    if (transposed && !out_size.empty()) {
      int64_t total = (p.in[d] - 1) * p.stride[d] + list("output_padding", i, 0) + reach - p.out[d];
      begin = total - total / 2;
    }
    p.pad[d] = begin;
    y.dims.push_back(p.out[d]);
  }
  y.data.resize(static_cast<size_t>(product(y.dims)));
  plain_conv<double>(p, x.data.data(), w.data.data(), in.size() > 2 && !in[2].missing ? in[2].data.data() : nullptr,
                     y.data.data(), Team());
  return y;
}

TENON_OP(conv){
    .name = "Conv",
    .since = {1, 11, 22},
    .in = {port("X", kFloats, "T"), port("W", kFloats, "T"), optional(port("B", kFloats, "T"))},
    .out = {port("Y", kFloats, "T")},
    .attributes =
        {{"auto_pad", 's'}, {"dilations", 'I'}, {"group", 'i'}, {"kernel_shape", 'I'}, {"pads", 'I'}, {"strides", 'I'}},
    .shape = shape_first<false>,
    .trait = {.layout = Trait::Layout::kChannels},
};
TENON_CPU(conv){{
    {.name = "channels last", .can = not_double, .pack = pack_first<false>, .run = run_conv_node, .lazy = true},
    {.name = "plain", .run = run_plain<false>},
}};

TENON_CASES(conv) {
  cases.types(kFloats);
  cases.reference(first_reference<false>);
  cases.add("3 x 3").in(range({1, 3, 6, 7}, -1, 1)).in(range({4, 3, 3, 3}, -1, 1));
  cases.add("padded with bias")
      .in(range({2, 3, 6, 7}, -1, 1))
      .in(range({4, 3, 3, 3}, -1, 1))
      .in(range({4}, -2, 2))
      .attr("pads", {1, 1, 1, 1})
      .tolerance(1e-5);
  cases.add("strides and uneven pads")
      .in(range({1, 2, 9, 8}, -1, 1))
      .in(range({3, 2, 3, 2}, -1, 1))
      .attr("strides", {2, 3})
      .attr("pads", {0, 1, 2, 0});
  cases.add("dilated")
      .in(range({1, 2, 9, 9}, -1, 1))
      .in(range({3, 2, 3, 3}, -1, 1))
      .attr("dilations", {2, 3})
      .attr("pads", {2, 3, 2, 3});
  cases.add("1 x 1").in(range({2, 8, 5, 5}, -1, 1)).in(range({16, 8, 1, 1}, -1, 1)).in(range({16}, -2, 2));
  cases.add("groups")
      .in(range({1, 6, 5, 5}, -1, 1))
      .in(range({9, 2, 3, 3}, -1, 1))
      .attr("group", 3)
      .attr("pads", {1, 1, 1, 1});
  cases.add("depthwise")
      .in(range({1, 19, 8, 9}, -1, 1))
      .in(range({19, 1, 3, 3}, -1, 1))
      .in(range({19}, -1, 1))
      .attr("group", 19)
      .attr("pads", {1, 1, 1, 1})
      .attr("strides", {2, 1});
  cases.add("depthwise, two for one").in(range({1, 5, 8, 9}, -1, 1)).in(range({10, 1, 3, 3}, -1, 1)).attr("group", 5);
  cases.add("one dimension").in(range({2, 3, 11}, -1, 1)).in(range({4, 3, 5}, -1, 1)).attr("pads", {2, 2});
  cases.add("three dimensions")
      .in(range({1, 2, 4, 5, 6}, -1, 1))
      .in(range({3, 2, 2, 3, 2}, -1, 1))
      .attr("strides", {1, 2, 1});
  cases.add("same upper")
      .in(range({1, 2, 5, 6}, -1, 1))
      .in(range({3, 2, 3, 2}, -1, 1))
      .attr_s("auto_pad", "SAME_UPPER")
      .attr("strides", {2, 2});
  cases.add("same lower")
      .in(range({1, 2, 5, 6}, -1, 1))
      .in(range({3, 2, 3, 2}, -1, 1))
      .attr_s("auto_pad", "SAME_LOWER")
      .attr("strides", {2, 2});
  cases.add("empty batch").in(range({0, 3, 6, 7}, -1, 1)).in(range({4, 3, 3, 3}, -1, 1));
  auto f32 = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("channels differ")
      .in(f32(range({1, 3, 6, 7}, -1, 1)))
      .in(f32(range({4, 2, 3, 3}, -1, 1)))
      .fails("has 3 channels");
  cases.add("groups do not divide")
      .in(f32(range({1, 4, 6, 7}, -1, 1)))
      .in(f32(range({5, 2, 3, 3}, -1, 1)))
      .attr("group", 2)
      .fails("into 2 groups");
  cases.add("stride of zero")
      .in(f32(range({1, 3, 6, 7}, -1, 1)))
      .in(f32(range({4, 3, 3, 3}, -1, 1)))
      .attr("strides", {0, 1})
      .fails("strides");
  cases.add("window too large")
      .in(f32(range({1, 3, 2, 7}, -1, 1)))
      .in(f32(range({4, 3, 3, 3}, -1, 1)))
      .fails("does not fit");
  cases.add("wrong bias")
      .in(f32(range({1, 3, 6, 7}, -1, 1)))
      .in(f32(range({4, 3, 3, 3}, -1, 1)))
      .in(f32(range({3}, 0, 1)))
      .fails("bias has 3");
  cases.add("pads for another rank")
      .in(f32(range({1, 3, 6, 7}, -1, 1)))
      .in(f32(range({4, 3, 3, 3}, -1, 1)))
      .attr("pads", {1, 1})
      .fails("pads has 2");
}

TENON_OP(conv_transpose){
    .name = "ConvTranspose",
    .since = {1, 11, 22},
    .in = {port("X", kFloats, "T"), port("W", kFloats, "T"), optional(port("B", kFloats, "T"))},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"auto_pad", 's'},
                   {"dilations", 'I'},
                   {"group", 'i'},
                   {"kernel_shape", 'I'},
                   {"output_padding", 'I'},
                   {"output_shape", 'I'},
                   {"pads", 'I'},
                   {"strides", 'I'}},
    .shape = shape_first<true>,
    .trait = {.layout = Trait::Layout::kChannels},
};
TENON_CPU(conv_transpose){{
    {.name = "channels last", .can = not_double, .pack = pack_first<true>, .run = run_conv_node, .lazy = true},
    {.name = "plain", .run = run_plain<true>},
}};

TENON_CASES(conv_transpose) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    auto size = c.attr_ints("output_shape");
    return std::vector<CaseTensor>{conv_reference(c, in, true, Shape(std::span<const int64_t>(size)))};
  });
  cases.add("3 x 3").in(range({1, 2, 4, 5}, -1, 1)).in(range({2, 3, 3, 3}, -1, 1));
  cases.add("stride 2 with bias")
      .in(range({2, 2, 4, 5}, -1, 1))
      .in(range({2, 3, 3, 3}, -1, 1))
      .in(range({3}, -1, 1))
      .attr("strides", {2, 2})
      .attr("pads", {1, 1, 1, 1})
      .attr("output_padding", {1, 0});
  cases.add("kernel equals stride")
      .in(range({1, 8, 4, 5}, -1, 1))
      .in(range({8, 4, 2, 2}, -1, 1))
      .attr("strides", {2, 2});
  cases.add("groups")
      .in(range({1, 4, 4, 5}, -1, 1))
      .in(range({4, 3, 3, 3}, -1, 1))
      .attr("group", 2)
      .attr("strides", {3, 2});
  cases.add("dilated").in(range({1, 2, 4, 5}, -1, 1)).in(range({2, 3, 3, 2}, -1, 1)).attr("dilations", {2, 3});
  cases.add("one dimension")
      .in(range({1, 2, 6}, -1, 1))
      .in(range({2, 3, 4}, -1, 1))
      .attr("strides", std::vector<int64_t>{2})
      .attr("pads", {1, 1});
  cases.add("three dimensions")
      .in(range({1, 2, 2, 3, 4}, -1, 1))
      .in(range({2, 2, 2, 2, 2}, -1, 1))
      .attr("strides", {1, 2, 2});
  cases.add("output size stated")
      .in(range({1, 1, 3, 3}, -1, 1))
      .in(range({1, 2, 3, 3}, -1, 1))
      .attr("strides", {3, 2})
      .attr("output_shape", {9, 7});
  cases.add("output padding too large")
      .in(typed(DType::kF32, range({1, 2, 4, 5}, -1, 1)))
      .in(typed(DType::kF32, range({2, 3, 3, 3}, -1, 1)))
      .attr("output_padding", {1, 1})
      .fails("not below the stride");
}

TENON_OP(conv_nhwc){
    .name = "ConvNhwc",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("X", kFastFloats, "T"), port("W", kFastFloats, "T"), optional(port("B", kFastFloats, "T")),
           optional(port("residual", kFastFloats, "T"))},
    .out = {port("Y", kFastFloats, "T")},
    .attributes = {{"auto_pad", 's'},
                   {"dilations", 'I'},
                   {"group", 'i'},
                   {"kernel_shape", 'I'},
                   {"pads", 'I'},
                   {"strides", 'I'},
                   {"activation", 's'},
                   {"activation_params", 'F'}},
    .shape = shape_last<false>,
};
TENON_CPU(conv_nhwc){{{.name = "channels last", .pack = pack_last<false>, .run = run_conv_node, .lazy = true}}};

TENON_CASES(conv_nhwc) {
  cases.types(kFastFloats);
  cases.reference(last_reference<false>);
  cases.add("3 x 3")
      .in(range({2, 6, 7, 3}, -1, 1))
      .in(range({4, 3, 3, 3}, -1, 1))
      .in(range({4}, -2, 2))
      .attr("pads", {1, 1, 1, 1})
      .tolerance(1e-5);
  cases.add("residual and relu")
      .in(range({1, 6, 7, 3}, -1, 1))
      .in(range({4, 3, 1, 1}, -1, 1))
      .in(range({4}, -2, 2))
      .in(range({1, 6, 7, 4}, -2, 2))
      .attr_s("activation", "Relu");
  cases.add("depthwise and relu")
      .in(range({1, 6, 7, 8}, -1, 1))
      .in(range({8, 1, 3, 3}, -1, 1))
      .attr("group", 8)
      .attr_s("activation", "Relu");
}

TENON_OP(conv_transpose_nhwc){
    .name = "ConvTransposeNhwc",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("X", kFastFloats, "T"), port("W", kFastFloats, "T"), optional(port("B", kFastFloats, "T")),
           optional(port("residual", kFastFloats, "T"))},
    .out = {port("Y", kFastFloats, "T")},
    .attributes = {{"auto_pad", 's'},
                   {"dilations", 'I'},
                   {"group", 'i'},
                   {"kernel_shape", 'I'},
                   {"output_padding", 'I'},
                   {"output_shape", 'I'},
                   {"pads", 'I'},
                   {"strides", 'I'},
                   {"activation", 's'},
                   {"activation_params", 'F'}},
    .shape = shape_last<true>,
};
TENON_CPU(conv_transpose_nhwc){
    {{.name = "channels last", .pack = pack_last<true>, .run = run_conv_node, .lazy = true}}};

TENON_CASES(conv_transpose_nhwc) {
  cases.types(kFastFloats);
  cases.reference(last_reference<true>);
  cases.add("stride 2")
      .in(range({1, 4, 5, 2}, -1, 1))
      .in(range({2, 3, 2, 2}, -1, 1))
      .in(range({3}, -1, 1))
      .attr("strides", {2, 2});
}

}  // namespace tenon::ops
