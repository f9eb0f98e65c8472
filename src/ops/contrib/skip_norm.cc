// Fused normalisations of the peer: SimplifiedLayerNormalization, SkipLayerNormalization,
// SkipSimplifiedLayerNormalization and EmbedLayerNormalization. SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/move/gather.h"
#include "kernels/norm/norm.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// The row statistics that output i wants, in its own memory or in scratch of the kernel's type.
Result<void*> statistic(KernelContext& c, size_t i, DType type, int64_t rows) {
  if (!c.wants(i)) return static_cast<void*>(nullptr);
  if (c.out(i).dtype == type) return c.out(i).data;
  return c.scratch(static_cast<size_t>(rows * byte_width(type)));
}
void give_statistic(KernelContext& c, size_t i, DType type, const void* from) {
  if (from && from != c.out(i).data) convert(type, from, c.out(i).dtype, c.out(i).data, c.out(i).count, true, c.team());
}
constexpr DType statistic_type(DType t) { return t == DType::kF64 ? DType::kF64 : DType::kF32; }

Status must_hold(const InferContext& c, size_t i, Dim n) {
  if (!c.has_shape(i)) return {};
  auto count = c.count(i);
  if (c.rank(i) != 1 || (count && n.is_const() && *count != n.value()))
    return invalid(c.node().op, ": input ", i, " ", ir::dims_text(c.shape(i)),
                   " must be a vector of the last dimension, ", n);
  return {};
}

// SimplifiedLayerNormalization ---------------------------------------------------------------------------------------

Status simplified_shape(InferContext& c) {
  DType out = c.dtype(1) == DType::kUndefined ? c.dtype(0) : c.dtype(1);
  DType stash = c.dtype(0) == DType::kF64 ? DType::kF64 : DType::kF32;
  if (!c.has_shape(0)) {
    c.set(0, out);
    c.set(1, stash);
    return {};
  }
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", -1), c.rank(0)));
  DimVector rows = c.shape(0);
  Dim n(1);
  for (size_t i = static_cast<size_t>(axis); i < rows.size(); ++i) {
    n = n * rows[i];
    rows[i] = Dim(1);
  }
  if (auto s = c.count(1); s && n.is_const() && *s != n.value())
    return invalid("SimplifiedLayerNormalization: the scale has ", *s, " elements, ", n, " are normalised");
  c.set(0, out, c.shape(0));
  c.set(1, stash, std::move(rows));
  return {};
}

Status run_simplified(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", -1), x.rank));
  int64_t rows = product(x.shape(), 0, static_cast<size_t>(axis)),
          n = product(x.shape(), static_cast<size_t>(axis), x.shape().size());
  RowNorm args;
  args.rms = true;
  args.epsilon = c.node().float_or("epsilon", 1e-5f);
  bool same = x.dtype == c.in(1).dtype;
  DType type = same ? x.dtype : DType::kF32;
  DType moments = statistic_type(type);
  TENON_ASSIGN(void* inverse, statistic(c, 1, moments, rows));
  args.inv_std = static_cast<float*>(inverse);
  if (same) {
    args.x = x.data;
    args.scale = c.in(1).data;
    args.y = c.out(0).data;
    TENON_TRY(row_norm(args, type, rows, n, c.team()));
  } else {
    TENON_ASSIGN(const float* from, tensor_as<float>(c, x));
    TENON_ASSIGN(const float* scale, input_as<float>(c, 1));
    TENON_ASSIGN(auto to, OutputAs<float>::of(c, 0));
    args.x = from;
    args.scale = scale;
    args.y = to.data();
    TENON_TRY(row_norm(args, type, rows, n, c.team()));
    to.finish();
  }
  give_statistic(c, 1, moments, inverse);
  return {};
}

// SkipLayerNormalization and SkipSimplifiedLayerNormalization --------------------------------------------------------

template <bool rms>
Status skip_shape(InferContext& c) {
  const std::string& op = c.node().op;
  c.copy(0, 0);
  c.copy(3, 0);
  c.set(1, DType::kF32);
  c.set(2, DType::kF32);
  if (!c.has_shape(0)) return {};
  const DimVector& x = c.shape(0);
  if (x.size() != 2 && x.size() != 3)
    return invalid(op, ": the input has rank ", x.size(), ", [rows, n] or [batch, rows, n] is needed");
  if (c.has_shape(1)) {
    const DimVector& s = c.shape(1);
    bool fits = s.size() >= 2 && s.size() <= x.size();
    for (size_t i = 0; fits && i < s.size(); ++i) {
      Dim a = x[x.size() - 1 - i], b = s[s.size() - 1 - i];
      fits = !a.is_const() || !b.is_const() || a.value() == b.value() || (i == 2 && b.is(1));
    }
    if (!fits) return invalid(op, ": skip ", ir::dims_text(s), " does not fit the input ", ir::dims_text(x));
  }
  for (size_t i = 2; i < c.in.size(); ++i) TENON_TRY(must_hold(c, i, x.back()));
  DimVector rows = x;
  rows.back() = Dim(1);
  c.set(1, DType::kF32, rows);
  c.set(2, DType::kF32, rows);
  return {};
}

template <bool rms>
Status run_skip(KernelContext& c) {
  const TensorRef& x = c.in(0);
  int64_t n = x.dims[x.rank - 1], rows = product(x.shape(), 0, x.shape().size() - 1);
  DType moments = statistic_type(x.dtype);
  RowNorm args;
  args.rms = rms;
  args.epsilon = c.node().float_or("epsilon", 1e-12f);
  args.x = x.data;
  args.skip = c.in(1).data;
  args.skip_rows = n ? c.in(1).count / n : 0;
  args.scale = c.in(2).data;
  size_t beta = rms ? 9 : 3, bias = rms ? 3 : 4;
  args.bias = c.has(beta) ? c.in(beta).data : nullptr;
  args.skip_bias = c.has(bias) ? c.in(bias).data : nullptr;
  args.y = c.out(0).data;
  args.sum = c.wants(3) ? c.out(3).data : nullptr;
  TENON_ASSIGN(void* mean, statistic(c, 1, moments, rows));
  TENON_ASSIGN(void* inverse, statistic(c, 2, moments, rows));
  args.mean = rms ? nullptr : static_cast<float*>(mean);
  args.inv_std = static_cast<float*>(inverse);
  if (rms && mean) std::fill_n(static_cast<char*>(mean), rows * byte_width(moments), char{0});
  TENON_TRY(row_norm(args, x.dtype, rows, n, c.team()));
  give_statistic(c, 1, moments, mean);
  give_statistic(c, 2, moments, inverse);
  return {};
}

// EmbedLayerNormalization --------------------------------------------------------------------------------------------
// Inputs: ids, segments?, words, positions, segment table?, gamma, beta, mask?, position ids?

Status embed_shape(InferContext& c) {
  DType t = c.dtype(2);
  c.set(0, t);
  c.set(1, DType::kI32);
  c.set(2, t);
  if (!c.has_shape(0)) return {};
  if (c.rank(0) != 2)
    return invalid("EmbedLayerNormalization: input_ids has rank ", c.rank(0), ", [batch, positions] is needed");
  for (size_t i : {size_t{2}, size_t{3}, size_t{4}})
    if (c.has_shape(i) && c.rank(i) != 2)
      return invalid("EmbedLayerNormalization: table ", i, " has rank ", c.rank(i), ", a matrix is needed");
  Dim n = c.has_shape(2) ? c.shape(2)[1] : Dim::unknown();
  TENON_TRY(must_hold(c, 5, n));
  TENON_TRY(must_hold(c, 6, n));
  DimVector dims{c.shape(0)[0], c.shape(0)[1], n};
  c.set(0, t, dims);
  c.set(1, DType::kI32, {c.shape(0)[0]});
  c.set(2, t, std::move(dims));
  return {};
}

Status run_embed(KernelContext& c) {
  const TensorRef &ids = c.in(0), &words = c.in(2), &positions = c.in(3);
  int64_t batch = ids.dims[0], steps = ids.dims[1], rows = ids.count, n = words.dims[1];
  bool segments = c.has(1) && c.has(4);
  if (positions.dims[1] != n || (segments && c.in(4).dims[1] != n))
    return invalid("EmbedLayerNormalization: the tables differ in width");
  if (segments && c.in(1).count != rows)
    return invalid("EmbedLayerNormalization: segment_ids does not have the shape of input_ids");
  if (!c.has(8) && steps > positions.dims[0])
    return invalid("EmbedLayerNormalization: ", steps, " positions, the table has ", positions.dims[0]);
  if (c.has(8) && (steps == 0 || (c.in(8).count != rows && c.in(8).count != steps)))
    return invalid("EmbedLayerNormalization: position_ids does not have the shape of input_ids");
  TENON_TRY(kernels::check_indices(indices_of(ids), words.dims[0], c.team()));
  if (segments) TENON_TRY(kernels::check_indices(indices_of(c.in(1)), c.in(4).dims[0], c.team()));
  if (c.has(8)) TENON_TRY(kernels::check_indices(indices_of(c.in(8)), positions.dims[0], c.team()));
  TENON_ASSIGN(const float* word, input_as<float>(c, 2));
  TENON_ASSIGN(const float* place, input_as<float>(c, 3));
  TENON_ASSIGN(const float* segment, input_as<float>(c, 4));
  TENON_ASSIGN(const float* gamma, input_as<float>(c, 5));
  TENON_ASSIGN(const float* beta, input_as<float>(c, 6));
  TENON_ASSIGN(auto y, OutputAs<float>::of(c, 0));
  TENON_ASSIGN(auto sum_out, OutputAs<float>::of(c, 2));
  float* sum = sum_out.data();
  if (!sum) {
    TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(rows * n) * sizeof(float)));
    sum = static_cast<float*>(p);
  }
  auto index = [&](size_t i, int64_t at, int64_t size) {
    int64_t v = indices_of(c.in(i))[at];
    return v < 0 ? v + size : v;
  };
  c.team().parallel_for_cost(rows, 1.0 + 0.5 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const float* a = word + index(0, r, words.dims[0]) * n;
      const float* b =
          place + (c.has(8) ? index(8, c.in(8).count == rows ? r : r % steps, positions.dims[0]) : r % steps) * n;
      const float* s = segments ? segment + index(1, r, c.in(4).dims[0]) * n : nullptr;
      float* to = sum + r * n;
      for (int64_t k = 0; k < n; ++k) to[k] = a[k] + b[k];
      for (int64_t k = 0; s && k < n; ++k) to[k] += s[k];
    }
  });
  RowNorm args;
  args.epsilon = c.node().float_or("epsilon", 1e-12f);
  args.x = sum;
  args.scale = gamma;
  args.bias = beta;
  args.y = y.data();
  if (args.y) TENON_TRY(row_norm(args, DType::kF32, rows, n, c.team()));
  y.finish();
  sum_out.finish();
  if (c.wants(1))
    for (int64_t b = 0; b < batch; ++b) {
      int32_t length = 0;
      for (int64_t s = 0; c.has(7) && s < steps; ++s) length += c.in(7).as<int32_t>()[b * steps + s] != 0;
      c.out(1).as<int32_t>()[b] = length;
    }
  return {};
}

constexpr TypeSet kI32Only{DType::kI32};

template <bool rms>
std::vector<CaseTensor> skip_reference(const Case& c, const std::vector<CaseTensor>& in) {
  size_t n = static_cast<size_t>(in[0].dims.back()), beta = rms ? 9 : 3, bias = rms ? 3 : 4;
  CaseTensor y = in[0], sum = in[0];
  y.dtype = sum.dtype = DType::kUndefined;
  for (size_t i = 0; i < sum.data.size(); ++i) {
    sum.data[i] += in[1].data[i % in[1].data.size()];
    if (in.size() > bias && !in[bias].missing) sum.data[i] += in[bias].data[i % n];
  }
  for (size_t r = 0; r < sum.data.size(); r += n) {
    double mean = 0, square = 0;
    for (size_t k = 0; k < n && !rms; ++k) mean += sum.data[r + k] / static_cast<double>(n);
    for (size_t k = 0; k < n; ++k) square += (sum.data[r + k] - mean) * (sum.data[r + k] - mean);
    double inv = 1 / std::sqrt(square / static_cast<double>(n) + c.attr_f("epsilon", 1e-12f));
    for (size_t k = 0; k < n; ++k) {
      y.data[r + k] = (sum.data[r + k] - mean) * inv * in[2].data[k];
      if (in.size() > beta && !in[beta].missing) y.data[r + k] += in[beta].data[k];
    }
  }
  CaseTensor none;
  none.missing = true;
  return {y, none, none, sum};
}

}  // namespace

TENON_OP(simplified_layer_normalization){
    .name = "SimplifiedLayerNormalization",
    .since = {1},
    .in = {port("X", kFloats), port("scale", kFloats)},
    .out = {port("Y", kFloats), optional(port("inv_std_var", kFloats))},
    .attributes = {{"axis", 'i'}, {"epsilon", 'f'}, {"stash_type", 'i'}},
    .shape = simplified_shape,
};
TENON_CPU(simplified_layer_normalization){{{{.name = "rows", .run = run_simplified}}}};
TENON_CASES(simplified_layer_normalization) {
  cases.types(kFloats);
  const double root = std::sqrt(12.5);
  cases.add("a row")
      .in(values({1, 2}, {3, 4}))
      .in(values({2}, {1, 2}))
      .attr_f("epsilon", 0)
      .out(values({1, 2}, {3 / root, 8 / root}));
  cases.add("mixed types")
      .in(typed(DType::kF16, values({1, 2}, {3, 4})))
      .in(typed(DType::kF32, values({2}, {1, 2})))
      .attr_f("epsilon", 0)
      .out(typed(DType::kF32, values({1, 2}, {3 / root, 8 / root})));
  cases.add("wrong scale")
      .in(typed(DType::kF32, values({1, 2}, {3, 4})))
      .in(typed(DType::kF32, values({3}, {1, 2, 3})))
      .fails("has 3 elements");
}

TENON_OP(skip_layer_normalization){
    .name = "SkipLayerNormalization",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("input", kFloats, "T"), port("skip", kFloats, "T"), port("gamma", kFloats, "T"),
           optional(port("beta", kFloats, "T")), optional(port("bias", kFloats, "T"))},
    .out = {port("output", kFloats, "T"), optional(port("mean", TypeSet{DType::kF32})),
            optional(port("inv_std_var", TypeSet{DType::kF32})), optional(port("input_skip_bias_sum", kFloats, "T"))},
    .attributes = {{"epsilon", 'f'}},
    .shape = skip_shape<false>,
};
TENON_CPU(skip_layer_normalization){{{{.name = "rows", .run = run_skip<false>}}}};
TENON_CASES(skip_layer_normalization) {
  cases.types(kFloats);
  cases.reference(skip_reference<false>);
  cases.add("all")
      .in(range({2, 3, 8}, -2, 2))
      .in(range({2, 3, 8}, -1, 3))
      .in(range({8}, 0.5, 2))
      .in(range({8}, -1, 1))
      .in(range({8}, -0.5, 0.5));
  cases.add("no beta, skip for all").in(range({2, 3, 9}, -2, 2)).in(range({3, 9}, -1, 3)).in(range({9}, 0.5, 2));
  cases.add("wrong skip")
      .in(typed(DType::kF32, range({2, 3, 8}, -2, 2)))
      .in(typed(DType::kF32, range({2, 8}, -2, 2)))
      .in(typed(DType::kF32, range({8}, -2, 2)))
      .fails("does not fit the input");
}

TENON_OP(skip_simplified_layer_normalization){
    .name = "SkipSimplifiedLayerNormalization",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("input", kFloats, "T"), port("skip", kFloats, "T"), port("gamma", kFloats, "T"),
           optional(port("bias", kFloats, "T"))},
    .out = {port("output", kFloats, "T"), optional(port("mean", TypeSet{DType::kF32})),
            optional(port("inv_std_var", TypeSet{DType::kF32})), optional(port("input_skip_bias_sum", kFloats, "T"))},
    .attributes = {{"epsilon", 'f'}},
    .shape = skip_shape<true>,
};
TENON_CPU(skip_simplified_layer_normalization){{{{.name = "rows", .run = run_skip<true>}}}};
TENON_CASES(skip_simplified_layer_normalization) {
  cases.types(kFloats);
  cases.reference(skip_reference<true>);
  cases.add("all")
      .in(range({2, 3, 8}, -2, 2))
      .in(range({2, 3, 8}, -1, 3))
      .in(range({8}, 0.5, 2))
      .in(range({8}, -0.5, 0.5));
  cases.add("rows").in(range({3, 5}, -2, 2)).in(range({3, 5}, -1, 3)).in(range({5}, 0.5, 2)).attr_f("epsilon", 1e-5f);
}

TENON_OP(embed_layer_normalization){
    .name = "EmbedLayerNormalization",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("input_ids", kI32Only), optional(port("segment_ids", kI32Only)), port("word_embedding", kFloats, "T"),
           port("position_embedding", kFloats, "T"), optional(port("segment_embedding", kFloats, "T")),
           port("gamma", kFloats, "T"), port("beta", kFloats, "T"), optional(port("mask", kI32Only)),
           optional(port("position_ids", kI32Only))},
    .out = {port("output", kFloats, "T"), optional(port("mask_index", kI32Only)),
            optional(port("embedding_sum", kFloats, "T"))},
    .attributes = {{"epsilon", 'f'}, {"mask_index_type", 'i'}},
    .shape = embed_shape,
};
TENON_CPU(embed_layer_normalization){{{{.name = "rows", .run = run_embed}}}};
TENON_CASES(embed_layer_normalization) {
  cases.types(kFloats);
  auto i = [](CaseTensor t) { return typed(DType::kI32, std::move(t)); };
  CaseTensor words = values({3, 2}, {1, 2, 3, 5, 8, 13}), places = values({2, 2}, {0, 0, 1, 0}),
             segments = values({2, 2}, {0, 0, 0, 1});
  cases.add("all")
      .in(i(values({1, 2}, {2, 0})))
      .in(i(values({1, 2}, {0, 1})))
      .in(words)
      .in(places)
      .in(segments)
      .in(values({2}, {1, 2}))
      .in(values({2}, {0, 1}))
      .in(i(values({1, 2}, {1, 0})))
      .out(values({1, 2, 2}, {-1, 3, -1, 3}))
      .out(i(values({1}, {1})))
      .out(values({1, 2, 2}, {8, 13, 2, 3}));
  auto f = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("unknown word")
      .in(i(values({1, 1}, {3})))
      .in(missing())
      .in(f(words))
      .in(f(places))
      .in(missing())
      .in(f(values({2}, {1, 2})))
      .in(f(values({2}, {0, 1})))
      .fails("3");
}

}  // namespace tenon::ops
