// InstanceNormalization, GroupNormalization, LpNormalization, LRN, MeanVarianceNormalization.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/norm/norm.h"
#include "opdef/build.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

Dim channels_of(const InferContext& c) { return c.rank(0) > 1 ? c.shape(0)[1] : Dim::unknown(); }

/// Input i must have `want` elements in one dimension.
Status check_vector(const InferContext& c, size_t i, Dim want, std::string_view unit) {
  if (!c.has_shape(i)) return {};
  auto n = c.count(i);
  if (c.rank(i) != 1 || (n && want.is_const() && *n != want.value()))
    return invalid(c.node().op, ": input ", i, " ", ir::dims_text(c.shape(i)), " must have one value for each of ",
                   want, " ", unit);
  return {};
}

Status channel_norm_shape(InferContext& c) {
  c.copy(0, 0);
  if (!c.has_shape(0)) return {};
  if (c.rank(0) < 2) return invalid(c.node().op, ": X ", ir::dims_text(c.shape(0)), " has no channels");
  Dim channels = channels_of(c);
  bool grouped = c.node().op == "GroupNormalization";
  int64_t groups = c.attr("num_groups", 1);
  if (grouped) {
    if (groups < 1) return invalid("GroupNormalization: num_groups is ", groups);
    if (channels.is_const() && channels.value() % groups)
      return invalid("GroupNormalization: ", channels, " channels cannot be split into ", groups, " groups");
  }
  bool by_group = grouped && c.since() < 21;  // version 18 had a scale for each group
  for (size_t i = 1; i <= 2; ++i)
    TENON_TRY(check_vector(c, i, by_group ? Dim(groups) : channels, by_group ? "groups" : "channels"));
  return {};
}

/// Version 18: scale and bias of a group are repeated for its channels.
Status group_norm_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 21) return {};
  int64_t groups = node.int_or("num_groups", 1);
  const Type& x = b.model().value(node.input(0)).type;
  if (!x.has_shape || x.rank() < 2 || !x.shape[1].is_const())
    return error(Code::kNotImplemented, "GroupNormalization-18: the number of channels must be known");
  int64_t channels = x.shape[1].value();
  if (groups < 1 || channels % groups)
    return invalid("GroupNormalization: ", channels, " channels cannot be split into ", groups, " groups");
  for (size_t i = 1; i <= 2; ++i) {
    ir::ValueId column = b.op("Reshape", {node.input(i), b.ints({groups, 1})});
    ir::ValueId wide = b.op("Expand", {column, b.ints({groups, channels / groups})});
    b.graph().set_input(node, i, b.op("Reshape", {wide, b.ints({channels})}));
  }
  return {};
}

Status run_group_norm(KernelContext& c) {
  const TensorRef& x = c.in(0);
  int64_t channels = x.dims[1], inner = product(x.shape(), 2, x.shape().size());
  int64_t groups = c.node().op == "GroupNormalization" ? c.node().int_or("num_groups", 1) : channels;
  if (c.in(1).count != channels || c.in(2).count != channels)
    return invalid(c.node().op, ": scale and bias must have ", channels, " values");
  if (x.count == 0) return {};
  return group_norm(x.dtype, x.data, c.out(0).data, x.dims[0], channels, inner, groups, c.in(1).data, c.in(2).data,
                    c.node().float_or("epsilon", 1e-5f), false, c.team());
}

Status lp_shape(InferContext& c) {
  int64_t p = c.attr("p", 2);
  if (p != 1 && p != 2) return invalid("LpNormalization: p is ", p, "; it must be 1 or 2");
  if (c.has_shape(0)) TENON_TRY(normal_axis(c.attr("axis", -1), c.rank(0)).status());
  return same_as_input(c);
}
Status run_lp(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", -1), x.rank));
  return lp_normalize(x.dtype, x.data, c.out(0).data, axis_view(x.shape(), axis),
                      static_cast<int>(c.node().int_or("p", 2)), c.team());
}

Status lrn_shape(InferContext& c) {
  int64_t size = c.attr("size", 1);
  if (size < 1) return invalid("LRN: size is ", size, "; it must be at least 1");
  if (c.has_shape(0) && c.rank(0) < 2) return invalid("LRN: X ", ir::dims_text(c.shape(0)), " has no channels");
  return same_as_input(c);
}
Status run_lrn(KernelContext& c) {
  const TensorRef& x = c.in(0);
  const ir::Node& n = c.node();
  if (x.count == 0) return {};
  return local_response_norm(x.dtype, x.data, c.out(0).data, x.dims[0], x.dims[1],
                             product(x.shape(), 2, x.shape().size()), n.int_or("size", 1), n.float_or("alpha", 1e-4f),
                             n.float_or("beta", 0.75f), n.float_or("bias", 1), c.team());
}

Result<Dims> mvn_axes(const ir::Node& node, int64_t rank) {
  Dims axes = node.find("axes") ? Dims(node.ints("axes")) : Dims{0, 2, 3};
  for (int64_t& a : axes) { TENON_ASSIGN(a, normal_axis(a, rank, "axes")); }
  for (size_t i = 0; i < axes.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (axes[i] == axes[j]) return invalid("MeanVarianceNormalization: axis ", axes[i], " is named twice");
  return axes;
}
Status mvn_shape(InferContext& c) {
  if (c.has_shape(0)) TENON_TRY(mvn_axes(c.node(), c.rank(0)).status());
  return same_as_input(c);
}
Status run_mvn(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(Dims axes, mvn_axes(c.node(), x.rank));
  if (x.count == 0) return {};
  return with_float(x.dtype, [&]<class T>(T) -> Status {
    TENON_ASSIGN(const T* in, input_as<T>(c, 0));
    TENON_ASSIGN(auto out, OutputAs<T>::of(c, 0));
    TensorRef from = x, to = c.out(0);
    from.dtype = to.dtype = dtype_of<T>;
    from.data = const_cast<T*>(in);
    to.data = out.data();
    TENON_TRY(mean_variance_norm(from, axes, to, c.team()));
    out.finish();
    return {};
  });
}

/// Reference of instance and group normalisation.
std::vector<CaseTensor> group_reference(const Case& c, const std::vector<CaseTensor>& in) {
  CaseTensor y = in[0];
  y.dtype = DType::kUndefined;
  size_t batch = static_cast<size_t>(y.dims[0]), channels = static_cast<size_t>(y.dims[1]);
  size_t groups = static_cast<size_t>(c.attr("num_groups", y.dims[1]));
  if (y.data.empty()) return {y};
  size_t inner = y.data.size() / batch / channels, per = channels / groups * inner;
  for (size_t g = 0; g < batch * groups; ++g) {
    double mean = 0, var = 0;
    for (size_t i = 0; i < per; ++i) mean += y.data[g * per + i] / static_cast<double>(per);
    for (size_t i = 0; i < per; ++i)
      var += (y.data[g * per + i] - mean) * (y.data[g * per + i] - mean) / static_cast<double>(per);
    for (size_t i = 0; i < per; ++i) {
      size_t k = (g * per + i) / inner % channels, s = in[1].data.size() == channels ? k : k / (channels / groups);
      double& v = y.data[g * per + i];
      v = (v - mean) / std::sqrt(var + c.attr_f("epsilon", 1e-5f)) * in[1].data[s] + in[2].data[s];
    }
  }
  return {y};
}

}  // namespace

TENON_OP(instance_normalization){
    .name = "InstanceNormalization",
    .since = {1, 6, 22},
    .in = {port("input", kFloats, "T"), port("scale", kFloats, "T"), port("B", kFloats, "T")},
    .out = {port("output", kFloats, "T")},
    .attributes = {{"epsilon", 'f'}},
    .shape = channel_norm_shape,
    .trait = {.in_place = 0x01},
};
TENON_CPU(instance_normalization){{{{.name = "groups", .run = run_group_norm}}}};
TENON_CASES(instance_normalization) {
  cases.types(kFloats);
  cases.reference(group_reference);
  cases.add("image").in(range({2, 3, 4, 5}, -4, 4)).in(range({3}, 0.5, 2)).in(range({3}, -1, 1)).tolerance(4e-6);
  cases.add("epsilon")
      .in(range({2, 3, 9}, -4, 4))
      .in(range({3}, 0.5, 2))
      .in(range({3}, -1, 1))
      .attr_f("epsilon", 0.5f)
      .tolerance(4e-6);
  cases.add("empty").in(range({0, 3, 9}, -4, 4)).in(range({3}, 0.5, 2)).in(range({3}, -1, 1));
  cases.add("other channels")
      .in(typed(DType::kF32, range({2, 3, 9}, -4, 4)))
      .in(typed(DType::kF32, range({4}, 0.5, 2)))
      .in(typed(DType::kF32, range({3}, -1, 1)))
      .fails("one value for each");
}

TENON_OP(group_normalization){
    .name = "GroupNormalization",
    .since = {18, 21},
    .in = {port("X", kFloats, "T"), port("scale", kFloats, "T"), port("bias", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"epsilon", 'f'}, {"num_groups", 'i', true}, {"stash_type", 'i'}},
    .shape = channel_norm_shape,
    .upgrade = group_norm_upgrade,
    .trait = {.in_place = 0x01},
};
TENON_CPU(group_normalization){{{{.name = "groups", .run = run_group_norm}}}};
TENON_CASES(group_normalization) {
  cases.types(kFloats);
  cases.reference(group_reference);
  cases.add("two groups")
      .in(range({2, 6, 4, 5}, -4, 4))
      .in(range({6}, 0.5, 2))
      .in(range({6}, -1, 1))
      .attr("num_groups", 2)
      .tolerance(4e-6);
  cases.add("one group")
      .in(range({2, 6, 7}, -4, 4))
      .in(range({6}, 0.5, 2))
      .in(range({6}, -1, 1))
      .attr("num_groups", 1)
      .tolerance(4e-6);
  cases.add("does not divide")
      .in(typed(DType::kF32, range({2, 6, 7}, -4, 4)))
      .in(typed(DType::kF32, range({6}, 0.5, 2)))
      .in(typed(DType::kF32, range({6}, -1, 1)))
      .attr("num_groups", 4)
      .fails("into 4 groups");
}

TENON_OP(lp_normalization){
    .name = "LpNormalization",
    .since = {1, 22},
    .in = {port("input", kFloats, "T")},
    .out = {port("output", kFloats, "T")},
    .attributes = {{"axis", 'i'}, {"p", 'i'}},
    .shape = lp_shape,
    .trait = {.in_place = 0x01},
};
TENON_CPU(lp_normalization){{{{.name = "rows", .run = run_lp}}}};
TENON_CASES(lp_normalization) {
  cases.types(kFloats);
  cases.add("p = 2").in(values({2, 2}, {3, 4, 0, 0})).out(values({2, 2}, {0.6, 0.8, 0, 0}));
  cases.add("p = 1, first axis")
      .in(values({2, 2}, {3, 4, 1, -4}))
      .attr("p", 1)
      .attr("axis", 0)
      .out(values({2, 2}, {0.75, 0.5, 0.25, -0.5}));
  cases.add("p = 3").in(typed(DType::kF32, values({2}, {3, 4}))).attr("p", 3).fails("1 or 2");
  cases.add("axis").in(typed(DType::kF32, values({2}, {3, 4}))).attr("axis", 1).fails("axis");
}

TENON_OP(lrn){
    .name = "LRN",
    .since = {1, 13},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"alpha", 'f'}, {"beta", 'f'}, {"bias", 'f'}, {"size", 'i', true}},
    .shape = lrn_shape,
};
TENON_CPU(lrn){{{{.name = "channels", .run = run_lrn}}}};
TENON_CASES(lrn) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor y = in[0];
    int64_t channels = y.dims[1], size = c.attr("size", 1), n = static_cast<int64_t>(y.data.size());
    int64_t inner = y.dims.size() > 2 ? product(y.dims, 2, y.dims.size()) : 1;
    for (int64_t i = 0; i < n; ++i) {
      int64_t k = i / inner % channels;
      double squares = 0;
      for (int64_t j = std::max<int64_t>(0, k - (size - 1) / 2); j <= std::min(channels - 1, k + size / 2); ++j) {
        double v = in[0].data[static_cast<size_t>(i + (j - k) * inner)];
        squares += v * v;
      }
      y.data[static_cast<size_t>(i)] /=
          std::pow(c.attr_f("bias", 1) + c.attr_f("alpha", 1e-4f) / static_cast<double>(size) * squares,
                   c.attr_f("beta", 0.75f));
    }
    return std::vector<CaseTensor>{y};
  });
  cases.add("size 3").in(range({2, 5, 3, 4}, -4, 4)).attr("size", 3);
  cases.add("even size")
      .in(range({2, 5, 3}, -4, 4))
      .attr("size", 4)
      .attr_f("alpha", 0.5f)
      .attr_f("beta", 0.5f)
      .attr_f("bias", 2);
  cases.add("wider than the channels").in(range({1, 3, 3}, -4, 4)).attr("size", 9).attr_f("alpha", 0.5f);
  cases.add("size 0").in(typed(DType::kF32, range({1, 3, 3}, -4, 4))).attr("size", 0).fails("at least 1");
}

TENON_OP(mean_variance_normalization){
    .name = "MeanVarianceNormalization",
    .since = {9, 13},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"axes", 'I'}},
    .shape = mvn_shape,
};
TENON_CPU(mean_variance_normalization){{{{.name = "axes", .run = run_mvn}}}};
TENON_CASES(mean_variance_normalization) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor y = in[0];
    auto axes = c.attr_ints("axes");
    if (axes.empty()) axes = {0, 2, 3};
    Dims strides = row_major_strides(y.dims);
    auto key = [&](int64_t i) {  // the place among the axes that stay
      int64_t k = 0;
      for (size_t d = 0; d < y.dims.size(); ++d) {
        bool gone = std::any_of(axes.begin(), axes.end(), [&](int64_t a) {
          return a == static_cast<int64_t>(d) || a + static_cast<int64_t>(y.dims.size()) == static_cast<int64_t>(d);
        });
        if (!gone) k = k * y.dims[d] + i / strides[d] % y.dims[d];
      }
      return static_cast<size_t>(k);
    };
    std::vector<double> n(y.data.size()), sum(y.data.size()), squares(y.data.size());
    for (size_t i = 0; i < y.data.size(); ++i) {
      n[key(static_cast<int64_t>(i))] += 1;
      sum[key(static_cast<int64_t>(i))] += y.data[i];
    }
    for (size_t i = 0; i < y.data.size(); ++i) {
      size_t k = key(static_cast<int64_t>(i));
      squares[k] += (y.data[i] - sum[k] / n[k]) * (y.data[i] - sum[k] / n[k]);
    }
    for (size_t i = 0; i < y.data.size(); ++i) {
      size_t k = key(static_cast<int64_t>(i));
      y.data[i] = (y.data[i] - sum[k] / n[k]) / (std::sqrt(squares[k] / n[k]) + 1e-9);
    }
    return std::vector<CaseTensor>{y};
  });
  cases.add("image").in(range({2, 3, 4, 5}, -4, 4)).tolerance(4e-6);
  cases.add("last axis").in(range({2, 3, 4}, -4, 4)).attr("axes", std::vector<int64_t>{-1}).tolerance(4e-6);
  cases.add("twice").in(typed(DType::kF32, range({2, 3, 4}, -4, 4))).attr("axes", {2, -1}).fails("twice");
}

}  // namespace tenon::ops
