// MaxPool, AveragePool, LpPool, their global forms, and the forms in channels-last layout.
// SPDX-License-Identifier: MIT
#include "kernels/pool/pool.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "opdef/build.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/nn/window.h"

namespace tenon::ops {
namespace {

enum class Kind { kMax, kAverage, kLp };

/// p of the Lp forms.
Result<int64_t> power_of(const ir::Node& node) {
  int64_t p = node.int_or("p", 2);
  if (p < 1) return invalid(node.op, ": p is ", p, "; it must be at least 1");
  return p;
}

template <bool channels_last>
Status pool_shape(InferContext& c) {
  const ir::Node& node = c.node();
  DType dtype = c.dtype(0);
  int64_t order = c.attr("storage_order", 0);
  if (order != 0 && order != 1) return invalid(node.op, ": storage_order is ", order, "; it must be 0 or 1");
  if (node.find("p") && node.get<int64_t>("p")) TENON_TRY(power_of(node).status());
  if (!c.has_shape(0)) {
    c.set(0, dtype);
    c.set(1, DType::kI64);
    return {};
  }
  const DimVector& x = c.shape(0);
  if (x.size() < 3) return invalid(node.op, ": X ", ir::dims_text(x), " has no spatial dimensions");
  TENON_ASSIGN(Window w, window_of(node, static_cast<int>(x.size()) - 2));
  DimVector out = x;
  for (int i = 0; i < w.spatial; ++i) {
    if (w.pad_begin[i] >= w.reach(i) || w.pad_end[i] >= w.reach(i))
      return invalid(node.op, ": pads ", list_text(node.ints("pads")), " are not smaller than the window");
    Dim& size = out[static_cast<size_t>(i) + (channels_last ? 1 : 2)];
    Dim in = size;
    size = window_output(w, i, in);
    if (size.is_const() && size.value() <= 0 && in.is_const() && !in.is(0))
      return invalid(node.op, ": the window of ", w.reach(i), " does not fit the padded input of size ", in,
                     " in spatial dimension ", i);
    if (size.is_const() && size.value() < 0) size = Dim(0);
  }
  c.set(0, dtype, out);
  c.set(1, DType::kI64, std::move(out));
  return {};
}

template <bool channels_last>
Status global_shape(InferContext& c) {
  if (c.node().find("p") && c.node().get<int64_t>("p")) TENON_TRY(power_of(c.node()).status());
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  DimVector out = c.shape(0);
  if (out.size() < 2) return invalid(c.node().op, ": X ", ir::dims_text(out), " has no channels");
  for (size_t i = channels_last ? 1 : 2; i < out.size() - (channels_last ? 1 : 0); ++i) out[i] = Dim(1);
  c.set(0, c.dtype(0), std::move(out));
  return {};
}

struct PoolState final : KernelState {
  bool global = false, channels_last = false, count_padding = false, column_major = false;
  int64_t p = 2;
};

template <Kind kind, bool global, bool channels_last>
Result<StatePtr> pack_pool(PackContext& c) {
  auto s = std::make_unique<PoolState>();
  s->global = global;
  s->channels_last = channels_last;
  s->count_padding = c.node().int_or("count_include_pad", 0) != 0;
  s->column_major = c.node().int_or("storage_order", 0) == 1;
  if (kind == Kind::kLp) { TENON_ASSIGN(s->p, power_of(c.node())); }
  return StatePtr(std::move(s));
}

Result<kernels::PoolSizes> sizes_of(KernelContext& c, const PoolState& s) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  kernels::PoolSizes z;
  z.channels_last = s.channels_last;
  z.batch = x.dims[0];
  z.channels = x.dims[s.channels_last ? x.rank - 1 : 1];
  const int first = s.channels_last ? 1 : 2, spatial = x.rank - 2;
  if (s.global) {
    z.spatial = 1;
    z.in[0] = z.kernel[0] = product(x.shape(), static_cast<size_t>(first), static_cast<size_t>(first + spatial));
    return z;
  }
  TENON_ASSIGN(Window w, window_of(c.node(), spatial));
  z.spatial = spatial;
  for (int i = 0; i < spatial; ++i) {
    z.in[i] = x.dims[first + i];
    z.out[i] = y.dims[first + i];
    z.kernel[i] = w.kernel[i];
    z.stride[i] = w.stride[i];
    z.dilation[i] = w.dilation[i];
    Padding p = window_padding(w, i, z.in[i]);
    z.pad[i] = p.begin;
    z.pad_end[i] = p.end;
  }
  return z;
}

template <class T>
Status run_max(KernelContext& c, const PoolState& s) {
  TENON_ASSIGN(auto z, sizes_of(c, s));
  if (c.out(0).count == 0) return {};
  TENON_ASSIGN(const T* x, input_as<T>(c, 0));
  TENON_ASSIGN(auto y, OutputAs<T>::of(c, 0));
  kernels::pool_max(z, x, y.data(), c.wants(1) ? c.out(1).as<int64_t>() : nullptr, s.column_major, c.team());
  y.finish();
  return {};
}
Status run_max_pool(KernelContext& c) {
  const auto& s = c.state<PoolState>();
  switch (c.in(0).dtype) {
    case DType::kI8: return run_max<int8_t>(c, s);
    case DType::kU8: return run_max<uint8_t>(c, s);
    case DType::kF64: return run_max<double>(c, s);
    default: return run_max<float>(c, s);
  }
}

template <Kind kind>
Status run_mean(KernelContext& c) {
  const auto& s = c.state<PoolState>();
  TENON_ASSIGN(auto z, sizes_of(c, s));
  if (c.out(0).count == 0) return {};
  return with_float(c.in(0).dtype, [&]<class T>(T) -> Status {
    TENON_ASSIGN(const T* x, input_as<T>(c, 0));
    TENON_ASSIGN(auto y, OutputAs<T>::of(c, 0));
    if (kind == Kind::kLp) kernels::pool_lp(z, s.p, x, y.data(), c.team());
    else kernels::pool_average(z, s.count_padding, x, y.data(), c.team());
    y.finish();
    return {};
  });
}

/// Version 1 of the Lp forms had p as a float.
Status lp_upgrade(ir::Node& node, Build&) {
  auto* p = node.get<float>("p");
  if (!p) return {};
  if (*p < 1 || *p > 1e9f || *p != std::floor(*p))
    return error(Code::kNotImplemented, node.op, "-", node.since, ": p is ", *p,
                 "; whole numbers from 1 are supported");
  node.set("p", static_cast<int64_t>(*p));
  return {};
}

constexpr TypeSet kMaxTypes = kFloats | TypeSet(DType::kI8, DType::kU8);

/// The reference of all kinds in channels-first layout; gives positions too.
template <Kind kind, bool global>
std::vector<CaseTensor> pool_reference(const Case& c, const std::vector<CaseTensor>& in) {
  const CaseTensor& x = in[0];
  size_t spatial = x.dims.size() - 2;
  int64_t k[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1}, pad[3] = {}, end[3] = {},
          size[3] = {1, 1, 1}, out[3] = {1, 1, 1};
  auto list = [&](std::string_view name, size_t i, int64_t fallback) {
    auto v = c.attr_ints(name);
    return i < v.size() ? v[i] : fallback;
  };
  CaseTensor y, where;
  y.dims = {x.dims[0], x.dims[1]};
  for (size_t i = 0; i < spatial; ++i) {
    size_t d = 3 - spatial + i;
    size[d] = x.dims[i + 2];
    k[d] = global ? size[d] : list("kernel_shape", i, 1);
    stride[d] = list("strides", i, 1);
    dilation[d] = list("dilations", i, 1);
    pad[d] = list("pads", i, 0);
    end[d] = list("pads", i + spatial, 0);
    int64_t reach = (k[d] - 1) * dilation[d] + 1;
    std::string mode = c.attr_s("auto_pad", "NOTSET");
    if (mode.substr(0, 4) == "SAME") {
      out[d] = (size[d] + stride[d] - 1) / stride[d];
      int64_t total = std::max<int64_t>(0, (out[d] - 1) * stride[d] + reach - size[d]);
      pad[d] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
      end[d] = total - pad[d];
    } else {
      double steps = static_cast<double>(size[d] + pad[d] + end[d] - reach) / static_cast<double>(stride[d]);
      out[d] = static_cast<int64_t>(c.attr("ceil_mode", 0) ? std::ceil(steps) : std::floor(steps)) + 1;
      if ((out[d] - 1) * stride[d] >= size[d] + pad[d]) --out[d];
    }
    y.dims.push_back(out[d]);
  }
  int64_t planes = x.dims[0] * x.dims[1], plane = size[0] * size[1] * size[2];
  double p = static_cast<double>(c.attr("p", 2));
  for (int64_t n = 0; n < planes; ++n)
    for (int64_t o = 0; o < out[0] * out[1] * out[2]; ++o) {
      int64_t at[3] = {o / (out[1] * out[2]), o / out[2] % out[1], o % out[2]};
      double best = -std::numeric_limits<double>::infinity(), sum = 0, powers = 0;
      int64_t found = 0, inside = 0, padded = 0;
      for (int64_t t = 0; t < k[0] * k[1] * k[2]; ++t) {
        int64_t tap[3] = {t / (k[1] * k[2]), t / k[2] % k[1], t % k[2]}, from[3];
        bool in_input = true, in_padded = true;
        for (int d = 0; d < 3; ++d) {
          from[d] = at[d] * stride[d] - pad[d] + tap[d] * dilation[d];
          in_input = in_input && from[d] >= 0 && from[d] < size[d];
          in_padded = in_padded && from[d] >= -pad[d] && from[d] < size[d] + end[d];
        }
        padded += in_padded;
        if (!in_input) continue;
        ++inside;
        double v = x.data[static_cast<size_t>(n * plane + (from[0] * size[1] + from[1]) * size[2] + from[2])];
        if (v > best) {
          best = v;
          found = n * plane + (c.attr("storage_order", 0) ? (from[2] * size[1] + from[1]) * size[0] + from[0]
                                                          : (from[0] * size[1] + from[1]) * size[2] + from[2]);
        }
        sum += v;
        powers += std::pow(std::fabs(v), p);
      }
      if (kind == Kind::kMax) y.data.push_back(best);
      if (kind == Kind::kAverage)
        y.data.push_back(inside ? sum / static_cast<double>(c.attr("count_include_pad", 0) ? padded : inside) : 0);
      if (kind == Kind::kLp) y.data.push_back(std::pow(powers, 1 / p));
      where.data.push_back(static_cast<double>(found));
    }
  where.dims = y.dims;
  where.dtype = DType::kI64;
  if (kind == Kind::kMax && !global && spatial == 2 && c.say.substr(0, 9) == "positions") return {y, where};
  return {y};
}

void add_window_cases(Cases& cases) {
  cases.add("2 x 2").in(range({2, 3, 6, 7}, -4, 4)).attr("kernel_shape", {2, 2});
  cases.add("strides and pads")
      .in(range({1, 2, 7, 8}, -4, 4))
      .attr("kernel_shape", {3, 3})
      .attr("strides", {2, 2})
      .attr("pads", {1, 0, 1, 2});
  cases.add("rounded up")
      .in(range({1, 2, 7, 8}, -4, 4))
      .attr("kernel_shape", {3, 2})
      .attr("strides", {3, 3})
      .attr("ceil_mode", 1);
  cases.add("rounded up, no window behind the input")
      .in(range({1, 2, 4, 5}, -4, 4))
      .attr("kernel_shape", {1, 1})
      .attr("strides", {2, 2})
      .attr("ceil_mode", 1);
  cases.add("dilated").in(range({1, 2, 7, 8}, -4, 4)).attr("kernel_shape", {2, 3}).attr("dilations", {2, 3});
  cases.add("same upper")
      .in(range({1, 2, 5, 6}, -4, 4))
      .attr("kernel_shape", {2, 3})
      .attr("strides", {2, 2})
      .attr_s("auto_pad", "SAME_UPPER");
  cases.add("same lower")
      .in(range({1, 2, 5, 6}, -4, 4))
      .attr("kernel_shape", {2, 3})
      .attr("strides", {2, 2})
      .attr_s("auto_pad", "SAME_LOWER");
  cases.add("one dimension").in(range({1, 2, 9}, -4, 4)).attr("kernel_shape", std::vector<int64_t>{3});
  cases.add("three dimensions")
      .in(range({1, 2, 4, 5, 4}, -4, 4))
      .attr("kernel_shape", {2, 2, 2})
      .attr("strides", {1, 2, 1});
  cases.add("empty batch").in(range({0, 2, 5, 5}, -4, 4)).attr("kernel_shape", {2, 2});
  cases.add("no window")
      .in(typed(DType::kF32, range({1, 2, 2, 5}, -4, 4)))
      .attr("kernel_shape", {3, 3})
      .fails("does not fit");
  cases.add("pads as large as the window")
      .in(typed(DType::kF32, range({1, 2, 5, 5}, -4, 4)))
      .attr("kernel_shape", {2, 2})
      .attr("pads", {2, 0, 0, 0})
      .fails("not smaller than the window");
}
void add_global_cases(Cases& cases) {
  cases.add("plane").in(range({2, 3, 6, 7}, -4, 4)).tolerance(4e-6);
  cases.add("row").in(range({2, 3, 6}, -4, 4));
  cases.add("single").in(range({2, 3, 1, 1}, -4, 4));
}

}  // namespace

TENON_OP(max_pool){
    .name = "MaxPool",
    .since = {1, 8, 10, 11, 12, 22},
    .in = {port("X", kMaxTypes, "T")},
    .out = {port("Y", kMaxTypes, "T"), optional(port("Indices", kI64Only))},
    .attributes = {{"auto_pad", 's'},
                   {"ceil_mode", 'i'},
                   {"dilations", 'I'},
                   {"kernel_shape", 'I', true},
                   {"pads", 'I'},
                   {"storage_order", 'i'},
                   {"strides", 'I'}},
    .shape = pool_shape<false>,
    .trait = {.layout = Trait::Layout::kChannels},
};
TENON_CPU(max_pool){{{.name = "windows", .pack = pack_pool<Kind::kMax, false, false>, .run = run_max_pool}}};
TENON_CASES(max_pool) {
  cases.types(kMaxTypes);
  cases.reference(pool_reference<Kind::kMax, false>);
  add_window_cases(cases);
  cases.add("positions").in(range({2, 2, 5, 6}, 0, 100)).attr("kernel_shape", {2, 3}).attr("strides", {2, 1});
  cases.add("positions by column")
      .in(range({2, 2, 5, 6}, 0, 100))
      .attr("kernel_shape", {2, 3})
      .attr("storage_order", 1);
}

TENON_OP(average_pool){
    .name = "AveragePool",
    .since = {1, 7, 10, 11, 19, 22},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"auto_pad", 's'},
                   {"ceil_mode", 'i'},
                   {"count_include_pad", 'i'},
                   {"dilations", 'I'},
                   {"kernel_shape", 'I', true},
                   {"pads", 'I'},
                   {"strides", 'I'}},
    .shape = pool_shape<false>,
    .trait = {.layout = Trait::Layout::kChannels},
};
TENON_CPU(average_pool){
    {{.name = "windows", .pack = pack_pool<Kind::kAverage, false, false>, .run = run_mean<Kind::kAverage>}}};
TENON_CASES(average_pool) {
  cases.types(kFloats);
  cases.reference(pool_reference<Kind::kAverage, false>);
  add_window_cases(cases);
  cases.add("padding counts")
      .in(range({1, 2, 7, 8}, -4, 4))
      .attr("kernel_shape", {3, 3})
      .attr("pads", {1, 2, 0, 1})
      .attr("count_include_pad", 1);
  cases.add("padding counts, rounded up")
      .in(range({1, 2, 7, 8}, -4, 4))
      .attr("kernel_shape", {3, 3})
      .attr("strides", {3, 3})
      .attr("pads", {1, 2, 0, 1})
      .attr("count_include_pad", 1)
      .attr("ceil_mode", 1);
}

TENON_OP(lp_pool){
    .name = "LpPool",
    .since = {1, 2, 11, 18, 22},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = pool_shape<false>,
    .upgrade = lp_upgrade,
};
TENON_CPU(lp_pool){{{.name = "windows", .pack = pack_pool<Kind::kLp, false, false>, .run = run_mean<Kind::kLp>}}};
TENON_CASES(lp_pool) {
  cases.types(kFloats);
  cases.reference(pool_reference<Kind::kLp, false>);
  add_window_cases(cases);
  cases.add("p = 1").in(range({1, 2, 7, 8}, -4, 4)).attr("kernel_shape", {3, 3}).attr("p", 1);
  cases.add("p = 3").in(range({1, 2, 7, 8}, -4, 4)).attr("kernel_shape", {3, 3}).attr("p", 3).tolerance(1e-5);
  cases.add("p = 0")
      .in(typed(DType::kF32, range({1, 2, 7, 8}, -4, 4)))
      .attr("kernel_shape", {3, 3})
      .attr("p", 0)
      .fails("at least 1");
}

TENON_OP(global_max_pool){
    .name = "GlobalMaxPool",
    .since = {1, 22},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = global_shape<false>,
    .trait = {.layout = Trait::Layout::kChannels},
};
TENON_CPU(global_max_pool){{{.name = "windows", .pack = pack_pool<Kind::kMax, true, false>, .run = run_max_pool}}};
TENON_CASES(global_max_pool) {
  cases.types(kFloats);
  cases.reference(pool_reference<Kind::kMax, true>);
  add_global_cases(cases);
}

TENON_OP(global_average_pool){
    .name = "GlobalAveragePool",
    .since = {1, 22},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = global_shape<false>,
    .trait = {.layout = Trait::Layout::kChannels},
};
TENON_CPU(global_average_pool){
    {{.name = "windows", .pack = pack_pool<Kind::kAverage, true, false>, .run = run_mean<Kind::kAverage>}}};
TENON_CASES(global_average_pool) {
  cases.types(kFloats);
  cases.reference(pool_reference<Kind::kAverage, true>);
  add_global_cases(cases);
}

TENON_OP(global_lp_pool){
    .name = "GlobalLpPool",
    .since = {1, 2, 22},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = global_shape<false>,
    .upgrade = lp_upgrade,
};
TENON_CPU(global_lp_pool){{{.name = "windows", .pack = pack_pool<Kind::kLp, true, false>, .run = run_mean<Kind::kLp>}}};
TENON_CASES(global_lp_pool) {
  cases.types(kFloats);
  cases.reference(pool_reference<Kind::kLp, true>);
  add_global_cases(cases);
  cases.add("p = 1").in(range({2, 3, 6, 7}, -4, 4)).attr("p", 1);
}

TENON_OP(max_pool_nhwc){
    .name = "MaxPoolNhwc",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("X", kMaxTypes, "T")},
    .out = {port("Y", kMaxTypes, "T")},
    .shape = pool_shape<true>,
};
TENON_CPU(max_pool_nhwc){{{.name = "windows", .pack = pack_pool<Kind::kMax, false, true>, .run = run_max_pool}}};
TENON_CASES(max_pool_nhwc) {
  cases.types(kMaxTypes);
  cases.add("2 x 2")
      .in(values({1, 2, 3, 2}, {1, 6, 2, 5, 3, 4, 7, 1, 0, 2, 3, 3}))
      .attr("kernel_shape", {2, 2})
      .out(values({1, 1, 2, 2}, {7, 6, 3, 5}));
}

TENON_OP(average_pool_nhwc){
    .name = "AveragePoolNhwc",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = pool_shape<true>,
};
TENON_CPU(average_pool_nhwc){
    {{.name = "windows", .pack = pack_pool<Kind::kAverage, false, true>, .run = run_mean<Kind::kAverage>}}};
TENON_CASES(average_pool_nhwc) {
  cases.types(kFloats);
  cases.add("2 x 2")
      .in(values({1, 2, 2, 2}, {1, 6, 2, 5, 3, 4, 6, 1}))
      .attr("kernel_shape", {2, 2})
      .out(values({1, 1, 1, 2}, {3, 4}));
}

TENON_OP(global_average_pool_nhwc){
    .name = "GlobalAveragePoolNhwc",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = global_shape<true>,
};
TENON_CPU(global_average_pool_nhwc){
    {{.name = "windows", .pack = pack_pool<Kind::kAverage, true, true>, .run = run_mean<Kind::kAverage>}}};
TENON_CASES(global_average_pool_nhwc) {
  cases.types(kFloats);
  cases.add("plane").in(values({1, 2, 2, 2}, {1, 6, 2, 5, 3, 4, 6, 1})).out(values({1, 1, 1, 2}, {3, 4}));
}

TENON_OP(global_max_pool_nhwc){
    .name = "GlobalMaxPoolNhwc",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = global_shape<true>,
};
TENON_CPU(global_max_pool_nhwc){{{.name = "windows", .pack = pack_pool<Kind::kMax, true, true>, .run = run_max_pool}}};
TENON_CASES(global_max_pool_nhwc) {
  cases.types(kFloats);
  cases.add("plane").in(values({1, 2, 2, 2}, {1, 6, 2, 5, 3, 4, 6, 1})).out(values({1, 1, 1, 2}, {6, 6}));
}

}  // namespace tenon::ops
