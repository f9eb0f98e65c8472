// LayerNormalization and RMSNormalization over the dimensions from an axis on.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/norm/norm.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

Status norm_shape(InferContext& c) {
  c.copy(0, 0);
  if (!c.has_shape(0)) return {};
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", -1), c.rank(0)));
  auto& x = c.shape(0);
  for (size_t i : {size_t{1}, size_t{2}}) {  // scale and bias broadcast to the normalised dimensions
    if (!c.has_shape(i)) continue;
    auto& s = c.shape(i);
    if (s.size() > x.size())
      return invalid(c.node().op, ": input ", i, " ", ir::dims_text(s), " does not broadcast to ", ir::dims_text(x));
    for (size_t k = 0; k < s.size(); ++k) {
      Dim want = x[x.size() - s.size() + k];
      if (s[k].is_const() && want.is_const() && s[k].value() != 1 && s[k].value() != want.value())
        return invalid(c.node().op, ": input ", i, " ", ir::dims_text(s), " does not broadcast to ", ir::dims_text(x));
    }
  }
  DimVector moments = x;
  for (size_t k = static_cast<size_t>(axis); k < moments.size(); ++k) moments[k] = Dim(1);
  DType stash = static_cast<DType>(c.attr("stash_type", 1));
  if (!kFloats.has(stash)) return invalid(c.node().op, ": stash_type ", c.attr("stash_type", 1), " is no float type");
  if (c.wants(1)) c.set(1, stash, moments);
  if (c.wants(2)) c.set(2, stash, moments);
  return {};
}

/// Scale or bias as n values: itself, or broadcast into scratch. `rows_out` > 0 when it has more than one row.
Result<const void*> row_operand(KernelContext& c, size_t i, int64_t axis) {
  if (!c.has(i)) return static_cast<const void*>(nullptr);
  const TensorRef &x = c.in(0), &s = c.in(i);
  int64_t n = product(x.shape(), static_cast<size_t>(axis), x.shape().size());
  if (s.count == n) return static_cast<const void*>(s.data);
  if (s.count != 1 && s.rank > x.rank - axis)
    return error(Code::kNotImplemented, c.node().op, ": input ", i, " ", s,
                 " changes along dimensions before the axis of ", x);
  int width = byte_width(s.dtype);
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(n * width)));
  Dims dims(x.shape().subspan(static_cast<size_t>(axis)));
  for (int64_t flat = 0; flat < n; ++flat) {
    int64_t rest = flat, index = 0, stride = 1;
    for (size_t d = 0; d < dims.size(); ++d) {
      size_t k = dims.size() - 1 - d;
      int64_t position = rest % dims[k];
      rest /= dims[k];
      if (d >= static_cast<size_t>(s.rank)) continue;
      int64_t size = s.dims[s.rank - 1 - static_cast<int32_t>(d)];
      if (size != 1 && size != dims[k])
        return invalid(c.node().op, ": input ", i, " ", s, " does not broadcast to ", x);
      index += (size == 1 ? 0 : position) * stride;
      stride *= size;
    }
    std::copy_n(static_cast<const char*>(s.data) + index * width, width, static_cast<char*>(p) + flat * width);
  }
  return static_cast<const void*>(p);
}

template <bool rms>
Status run_norm(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", -1), x.rank));
  int64_t rows = product(x.shape(), 0, static_cast<size_t>(axis)),
          n = product(x.shape(), static_cast<size_t>(axis), x.shape().size());
  RowNorm args;
  args.rms = rms;
  args.epsilon = c.node().float_or("epsilon", 1e-5f);
  args.x = x.data;
  TENON_ASSIGN(args.scale, row_operand(c, 1, axis));
  TENON_ASSIGN(args.bias, row_operand(c, 2, axis));
  args.y = c.out(0).data;
  DType moments = x.dtype == DType::kF64 ? DType::kF64 : DType::kF32;
  auto moment = [&](size_t i) -> Result<void*> {
    if (!c.wants(i)) return static_cast<void*>(nullptr);
    if (c.out(i).dtype == moments) return c.out(i).data;
    return c.scratch(static_cast<size_t>(rows * byte_width(moments)));
  };
  TENON_ASSIGN(void* mean, moment(1));
  TENON_ASSIGN(void* inv, moment(2));
  args.mean = static_cast<float*>(mean);
  args.inv_std = static_cast<float*>(inv);
  TENON_TRY(row_norm(args, x.dtype, rows, n, c.team()));
  for (auto [i, from] : {std::pair<size_t, void*>{1, mean}, {2, inv}})
    if (from && from != c.out(i).data) convert(moments, from, c.out(i).dtype, c.out(i).data, rows, true, c.team());
  return {};
}

template <bool rms>
std::vector<CaseTensor> norm_reference(const Case& c, const std::vector<CaseTensor>& in) {
  auto& x = in[0];
  int64_t axis = c.attr("axis", -1);
  size_t a = static_cast<size_t>(axis < 0 ? axis + static_cast<int64_t>(x.dims.size()) : axis);
  int64_t rows = product(x.dims, 0, a), n = product(x.dims, a, x.dims.size());
  double epsilon = c.attr_f("epsilon", 1e-5f);
  CaseTensor y = x;
  y.dtype = DType::kUndefined;
  for (int64_t r = 0; r < rows; ++r) {
    double mean = 0, square = 0;
    for (int64_t k = 0; k < n; ++k) mean += x.data[static_cast<size_t>(r * n + k)];
    mean = rms ? 0 : mean / static_cast<double>(n);
    for (int64_t k = 0; k < n; ++k) square += std::pow(x.data[static_cast<size_t>(r * n + k)] - mean, 2);
    double inv = 1 / std::sqrt(square / static_cast<double>(n) + epsilon);
    for (int64_t k = 0; k < n; ++k) {
      double& v = y.data[static_cast<size_t>(r * n + k)];
      v = (v - mean) * inv * in[1].data[in[1].data.size() == 1 ? 0 : static_cast<size_t>(k)];
      if (in.size() > 2) v += in[2].data[static_cast<size_t>(k)];
    }
  }
  return {y};
}

}  // namespace

TENON_OP(layer_normalization){
    .name = "LayerNormalization",
    .since = {17},
    .in = {port("X", kFloats, "T"), port("Scale", kFloats, "T"), optional(port("B", kFloats, "T"))},
    .out = {port("Y", kFloats, "T"), optional(port("Mean", kFloats)), optional(port("InvStdDev", kFloats))},
    .attributes = {{"axis", 'i'}, {"epsilon", 'f'}, {"stash_type", 'i'}},
    .shape = norm_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(layer_normalization){{{{.name = "rows", .run = run_norm<false>}}}};
TENON_CASES(layer_normalization) {
  cases.types(kFloats);
  cases.reference(norm_reference<false>);
  cases.add("rows").in(range({5, 19}, -4, 4)).in(range({19}, 0.5, 2)).in(range({19}, -1, 1));
  cases.add("no bias").in(range({3, 8}, -4, 4)).in(range({8}, 0.5, 2));
  cases.add("two dimensions")
      .in(range({3, 4, 6}, -4, 4))
      .in(range({4, 6}, 0.5, 2))
      .in(range({4, 6}, -1, 1))
      .attr("axis", 1);
  cases.add("one scale for all").in(range({3, 8}, -4, 4)).in(range({1}, 2, 2)).attr_f("epsilon", 0.1f);
  cases.add("wrong scale")
      .in(typed(DType::kF32, range({3, 8}, -4, 4)))
      .in(typed(DType::kF32, range({7}, 2, 2)))
      .fails("does not broadcast");
}

TENON_OP(rms_normalization){
    .name = "RMSNormalization",
    .since = {23},
    .in = {port("X", kFloats, "T"), port("scale", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"axis", 'i'}, {"epsilon", 'f'}, {"stash_type", 'i'}},
    .shape = norm_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(rms_normalization){{{{.name = "rows", .run = run_norm<true>}}}};
TENON_CASES(rms_normalization) {
  cases.types(kFloats);
  cases.reference(norm_reference<true>);
  cases.add("rows").in(range({5, 19}, -4, 4)).in(range({19}, 0.5, 2));
  cases.add("two dimensions").in(range({3, 4, 6}, -4, 4)).in(range({4, 6}, 0.5, 2)).attr("axis", 1);
}

}  // namespace tenon::ops
