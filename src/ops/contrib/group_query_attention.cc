// GroupQueryAttention of the peer: attention with fewer key heads than query heads, rotary positions and a cache.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/attention/attention.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

// Inputs: query, key?, value?, past key?, past value?, lengths - 1 [batch], total length, cos?, sin?, position ids?,
// bias?, head sink?, k scale?, v scale?, q norm?, k norm?. Without a key the query holds all three, heads one after the
// other.

struct GqaShape {
  int64_t heads = 0, kv_heads = 0, size = 0;  ///< size of a head
  bool packed = false;
};

Result<GqaShape> heads_of(const ir::Node& n, bool packed, Dim hidden) {
  GqaShape s;
  s.heads = n.int_or("num_heads", 0);
  s.kv_heads = n.int_or("kv_num_heads", 0);
  s.packed = packed;
  if (s.heads < 1 || s.kv_heads < 1 || s.heads > 65536 || s.heads % s.kv_heads)
    return invalid("GroupQueryAttention: num_heads ", s.heads, " is no multiple of kv_num_heads ", s.kv_heads);
  if (!hidden.is_const()) return s;
  int64_t parts = packed ? s.heads + 2 * s.kv_heads : s.heads;
  if (hidden.value() % parts || hidden.value() == 0)
    return invalid("GroupQueryAttention: the query's last dimension, ", hidden, ", is not made of ", parts, " heads");
  s.size = hidden.value() / parts;
  return s;
}

Status gqa_shape(InferContext& c) {
  DType t = c.dtype(0);
  bool packed = !c.has(1);
  if (packed != !c.has(2)) return invalid("GroupQueryAttention: key and value come together or not at all");
  if (c.has(3) != c.has(4)) return invalid("GroupQueryAttention: past key and past value come together or not at all");
  Dim batch = Dim::unknown(), steps = Dim::unknown(), hidden = Dim::unknown();
  if (c.has_shape(0)) {
    if (c.rank(0) != 3)
      return invalid("GroupQueryAttention: the query has rank ", c.rank(0), ", [batch, positions, hidden] is needed");
    batch = c.shape(0)[0], steps = c.shape(0)[1], hidden = c.shape(0)[2];
  }
  TENON_ASSIGN(GqaShape s, heads_of(c.node(), packed, hidden));
  Dim size = s.size ? Dim(s.size) : Dim::unknown();
  Dim total = Dim::unknown();
  if (auto e = c.elements(6); e && e->size() == 1) total = (*e)[0];
  if (total.is_const() && (total.value() < 0 || (steps.is_const() && total.value() < steps.value())))
    return invalid("GroupQueryAttention: the total length ", total, " is less than the ", steps, " new positions");
  if (c.has(3)) total = c.has_shape(3) && c.rank(3) == 4 ? ir::dim_max(total, c.shape(3)[2]) : Dim::unknown();
  c.set(0, t, {batch, steps, size * Dim(s.heads)});
  DType cache = c.has(3) ? c.dtype(3) : t;
  DimVector present{batch, Dim(s.kv_heads), total, size};
  c.set(1, cache, present);
  c.set(2, cache, std::move(present));
  return {};
}

struct Rotary {
  const float *cos = nullptr, *sin = nullptr;
  int64_t rows = 0, half = 0;
  bool interleaved = false;
  void apply(const float* from, float* to, int64_t size, int64_t position) const {
    const float *c = cos + position * half, *s = sin + position * half;
    for (int64_t i = 0; i < half; ++i) {
      int64_t a = interleaved ? 2 * i : i, b = interleaved ? 2 * i + 1 : i + half;
      float x = from[a], y = from[b];
      to[a] = x * c[i] - y * s[i];
      to[b] = y * c[i] + x * s[i];
    }
    for (int64_t i = 2 * half; i < size; ++i) to[i] = from[i];
  }
};

Result<float*> floats(KernelContext& c, int64_t count) {
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(float)));
  return static_cast<float*>(p);
}

/// The cache after this step, as f32: past rows, then room for the new ones.
Result<float*> present_of(KernelContext& c, size_t input, OutputAs<float>& out, int64_t rows, int64_t capacity,
                          int64_t size, bool keep_past) {
  float* to = out.data();
  if (!to) { TENON_ASSIGN(to, floats(c, rows * capacity * size)); }
  TENON_ASSIGN(const float* past, input_as<float>(c, input));
  int64_t have = past && keep_past ? c.in(input).dims[2] : 0;
  for (int64_t r = 0; r < rows; ++r) {
    float* row = to + r * capacity * size;
    if (have) std::memcpy(row, past + r * have * size, static_cast<size_t>(have * size) * sizeof(float));
    std::fill(row + have * size, row + capacity * size, 0.0f);
  }
  return to;
}

Status run_gqa(KernelContext& c) {
  const ir::Node& n = c.node();
  const TensorRef& query = c.in(0);
  int64_t batch = query.dims[0], steps = query.dims[1], hidden = query.dims[2];
  TENON_ASSIGN(GqaShape s, heads_of(n, !c.has(1), Dim(hidden)));
  int64_t size = s.size;
  auto wrong = [&](auto&&... text) { return invalid("GroupQueryAttention: ", text...); };
  if (c.in(5).count != batch || c.in(6).count != 1)
    return wrong(c.in(5).count, " sequence lengths for a batch of ", batch);
  int64_t total = c.in(6).as<int32_t>()[0];
  if (total < steps) return wrong("the total length ", total, " is less than the ", steps, " new positions");
  bool prompt = steps == total;
  int64_t past_rows = c.has(3) ? c.in(3).dims[2] : 0, capacity = std::max(total, past_rows);
  for (size_t i : {size_t{3}, size_t{4}})
    if (c.has(i) && (c.in(i).rank != 4 || c.in(i).dims[0] != batch || c.in(i).dims[1] != s.kv_heads ||
                     c.in(i).dims[2] != past_rows || c.in(i).dims[3] != size))
      return wrong("the past ", c.in(i), " is not [", batch, ",", s.kv_heads, ",", past_rows, ",", size, "]");
  int64_t kv_hidden = s.kv_heads * size;
  if (!s.packed)
    for (size_t i : {size_t{1}, size_t{2}})
      if (c.in(i).count != batch * steps * kv_hidden)
        return wrong("input ", i, " ", c.in(i), " does not have ", s.kv_heads, " heads of ", size);

  // Where each batch entry's new positions start, and how long it is then.
  TENON_ASSIGN(void* lens, c.scratch(static_cast<size_t>(2 * batch + 1) * sizeof(int64_t)));
  int64_t *starts = static_cast<int64_t*>(lens), *lengths = starts + batch;
  for (int64_t b = 0; b < batch; ++b) {
    lengths[b] = int64_t{c.in(5).as<int32_t>()[b]} + 1;
    starts[b] = prompt ? 0 : lengths[b] - steps;
    if (lengths[b] < 0 || lengths[b] > total || starts[b] < 0 || (!prompt && starts[b] > past_rows))
      return wrong("the length ", lengths[b], " of batch entry ", b, " does not fit ", steps,
                   " new positions, a past of ", past_rows, " and a total of ", total);
  }

  TENON_ASSIGN(const float* q, input_as<float>(c, 0));
  TENON_ASSIGN(const float* k, input_as<float>(c, 1));
  TENON_ASSIGN(const float* v, input_as<float>(c, 2));
  int64_t q_stride = hidden, kv_stride = kv_hidden;
  if (s.packed) {
    k = q + s.heads * size;
    v = k + kv_hidden;
    kv_stride = hidden;
  }
  Rotary rotary;
  bool rotate = n.int_or("do_rotary", 0) != 0;
  if (rotate) {
    if (!c.has(7) || !c.has(8) || c.in(7).rank != 2 || c.in(7).count != c.in(8).count || 2 * c.in(7).dims[1] > size)
      return wrong("rotary positions need cos and sin tables of [positions, at most half a head]");
    TENON_ASSIGN(rotary.cos, input_as<float>(c, 7));
    TENON_ASSIGN(rotary.sin, input_as<float>(c, 8));
    rotary.rows = c.in(7).dims[0];
    rotary.half = c.in(7).dims[1];
    rotary.interleaved = n.int_or("rotary_interleaved", 0) != 0;
    if (c.has(9) && c.in(9).count != batch * steps)
      return wrong("position_ids does not have the shape [", batch, ",", steps, "]");
  }
  auto position = [&](int64_t b, int64_t i) { return c.has(9) ? c.in(9).as<int64_t>()[b * steps + i] : starts[b] + i; };
  for (int64_t b = 0; rotate && b < batch; ++b)
    for (int64_t i = 0; i < steps; ++i)
      if (int64_t p = position(b, i); p < 0 || p >= rotary.rows)
        return wrong("position ", p, " is outside of the ", rotary.rows, " rows of the rotary tables");

  TENON_ASSIGN(auto present_k_out, OutputAs<float>::of(c, 1));
  TENON_ASSIGN(auto present_v_out, OutputAs<float>::of(c, 2));
  TENON_ASSIGN(float* present_k, present_of(c, 3, present_k_out, batch * s.kv_heads, capacity, size, !prompt));
  TENON_ASSIGN(float* present_v, present_of(c, 4, present_v_out, batch * s.kv_heads, capacity, size, !prompt));
  float* turned = nullptr;
  if (rotate) { TENON_ASSIGN(turned, floats(c, batch * steps * s.heads * size)); }
  c.team().parallel_for_cost(
      batch * steps, static_cast<double>((s.heads + 2 * s.kv_heads) * size), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          int64_t b = i / steps, step = i % steps, at = rotate ? position(b, step) : 0;
          for (int64_t h = 0; rotate && h < s.heads; ++h)
            rotary.apply(q + i * q_stride + h * size, turned + (i * s.heads + h) * size, size, at);
          for (int64_t h = 0; h < s.kv_heads; ++h) {
            int64_t to = ((b * s.kv_heads + h) * capacity + starts[b] + step) * size;
            const float* from = k + i * kv_stride + h * size;
            if (rotate) rotary.apply(from, present_k + to, size, at);
            else std::copy_n(from, size, present_k + to);
            std::copy_n(v + i * kv_stride + h * size, size, present_v + to);
          }
        }
      });
  present_k_out.finish();
  present_v_out.finish();

  TENON_ASSIGN(auto out, OutputAs<float>::of(c, 0));
  Attention a;
  a.batch = batch;
  a.q_heads = s.heads;
  a.kv_heads = s.kv_heads;
  a.q_len = steps;
  a.kv_len = total;
  a.head_size = a.v_head_size = size;
  a.scale = n.float_or("scale", 0);
  a.softcap = n.float_or("softcap", 0);
  a.causal = n.int_or("causal", 1) != 0;
  a.window = std::max<int64_t>(n.int_or("local_window_size", -1), 0);
  if (!a.causal && a.window) return wrong("local_window_size needs causal");
  a.causal_offset = total - steps;
  if (!prompt) {
    a.kv_lens = lengths;
    a.offset_from_lens = true;
  }
  a.q = rotate ? turned : q;
  int64_t q_row = rotate ? s.heads * size : q_stride;
  a.q_strides = {steps * q_row, size, q_row};
  a.k = present_k;
  a.v = present_v;
  a.k_strides = a.v_strides = {s.kv_heads * capacity * size, capacity * size, size};
  a.out = out.data();
  a.out_strides = {steps * s.heads * size, size, s.heads * size};
  if (c.has(10)) {
    const TensorRef& bias = c.in(10);
    if (bias.rank != 4 || (bias.dims[0] != 1 && bias.dims[0] != batch) ||
        (bias.dims[1] != 1 && bias.dims[1] != s.heads) || bias.dims[2] != steps || bias.dims[3] < total)
      return wrong("the attention bias ", bias, " does not fit [", batch, ",", s.heads, ",", steps, ",", total, "]");
    TENON_ASSIGN(a.bias, input_as<float>(c, 10));
    a.bias_row = bias.dims[3];
    a.bias_head = bias.dims[1] == 1 ? 0 : bias.dims[2] * bias.dims[3];
    a.bias_batch = bias.dims[0] == 1 ? 0 : bias.dims[1] * bias.dims[2] * bias.dims[3];
  }
  if (c.has(11)) {
    if (c.in(11).count != s.heads) return wrong("head_sink has ", c.in(11).count, " numbers for ", s.heads, " heads");
    TENON_ASSIGN(a.sink, input_as<float>(c, 11));
  } else if (n.int_or("smooth_softmax", -1) == 1) {
    TENON_ASSIGN(float* zeros, floats(c, s.heads));
    std::fill_n(zeros, s.heads, 0.0f);
    a.sink = zeros;
  }
  if (c.out(0).count) {
    TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(attention_scratch_bytes(a, c.team().width()))));
    TENON_TRY(attention(a, scratch, c.team()));
  }
  out.finish();
  return {};
}

/// The cache has the type of the query; no quantised cache, sliding cache, norms of q and k, or scores as output.
bool can_gqa(const KernelQuery& q) {
  const ir::Node& n = q.node();
  for (size_t i : {size_t{3}, size_t{4}})
    if (q.has(i) && q.in_type(i) != q.in_type(0)) return false;
  return !q.has(12) && !q.has(13) && !q.has(14) && !q.has(15) && n.output(3) == ir::kNoValue &&
         n.int_or("sliding_window_cache", 0) == 0 && n.string_or("k_quant_type", "NONE") == "NONE" &&
         n.string_or("v_quant_type", "NONE") == "NONE";
}

constexpr TypeSet kData{DType::kF32, DType::kF16, DType::kBF16};
constexpr TypeSet kCache = kData | TypeSet{DType::kU8, DType::kI8, DType::kF8E4M3FN};
constexpr TypeSet kI32Only{DType::kI32}, kF32Only{DType::kF32};

}  // namespace

TENON_OP(group_query_attention){
    .name = "GroupQueryAttention",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("query", kData, "T"), optional(port("key", kData, "T")), optional(port("value", kData, "T")),
           optional(port("past_key", kCache)), optional(port("past_value", kCache)), port("seqlens_k", kI32Only),
           port("total_sequence_length", kI32Only), optional(port("cos_cache", kData, "T")),
           optional(port("sin_cache", kData, "T")), optional(port("position_ids", kI64Only)),
           optional(port("attention_bias", kData, "T")), optional(port("head_sink", kData, "T")),
           optional(port("k_scale", kF32Only)), optional(port("v_scale", kF32Only)),
           optional(port("q_norm_weight", kData, "T")), optional(port("k_norm_weight", kData, "T"))},
    .out = {port("output", kData, "T"), optional(port("present_key", kCache)), optional(port("present_value", kCache)),
            optional(port("output_qk", kData, "T"))},
    .attributes = {{"num_heads", 'i', true},
                   {"kv_num_heads", 'i', true},
                   {"scale", 'f'},
                   {"softcap", 'f'},
                   {"local_window_size", 'i'},
                   {"do_rotary", 'i'},
                   {"rotary_interleaved", 'i'},
                   {"smooth_softmax", 'i'},
                   {"causal", 'i'},
                   {"qk_output", 'i'},
                   {"sliding_window_cache", 'i'},
                   {"k_quant_type", 's'},
                   {"v_quant_type", 's'}},
    .shape = gqa_shape,
};
TENON_CPU(group_query_attention){{{{.name = "f32", .can = can_gqa, .run = run_gqa}}}};
TENON_CASES(group_query_attention) {
  cases.types(kData);
  auto i = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return constant(typed(DType::kI32, values({n}, std::move(v))));
  };
  auto base = [&](std::string say) { return cases.add(std::move(say)).attr("num_heads", 2).attr("kv_num_heads", 1); };
  // Zero queries weigh all visible keys alike: outputs are means of the values.
  base("prompt")
      .in(values({1, 2, 4}, std::vector<double>(8, 0)))
      .in(values({1, 2, 2}, {1, 2, 3, 4}))
      .in(values({1, 2, 2}, {1, 3, 3, 7}))
      .in(missing())
      .in(missing())
      .in(i({1}))
      .in(i({2}))
      .out(values({1, 2, 4}, {1, 3, 1, 3, 2, 5, 2, 5}))
      .out(values({1, 1, 2, 2}, {1, 2, 3, 4}))
      .out(values({1, 1, 2, 2}, {1, 3, 3, 7}));
  base("a step")
      .in(values({1, 1, 4}, {0, 0, 0, 0}))
      .in(values({1, 1, 2}, {3, 4}))
      .in(values({1, 1, 2}, {3, 7}))
      .in(values({1, 1, 1, 2}, {1, 2}))
      .in(values({1, 1, 1, 2}, {1, 3}))
      .in(i({1}))
      .in(i({2}))
      .out(values({1, 1, 4}, {2, 5, 2, 5}))
      .out(values({1, 1, 2, 2}, {1, 2, 3, 4}))
      .out(values({1, 1, 2, 2}, {1, 3, 3, 7}));
  base("packed, a quarter turn")
      .in(values({1, 1, 8}, {0, 0, 0, 0, 1, 2, 5, 6}))
      .in(missing())
      .in(missing())
      .in(missing())
      .in(missing())
      .in(i({0}))
      .in(i({1}))
      .in(values({1, 1}, {0}))
      .in(values({1, 1}, {1}))
      .attr("do_rotary", 1)
      .out(values({1, 1, 4}, {5, 6, 5, 6}))
      .out(values({1, 1, 1, 2}, {-2, 1}))
      .out(values({1, 1, 1, 2}, {5, 6}));
  auto f = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  base("odd heads")
      .in(f(range({1, 1, 5}, 0, 1)))
      .in(f(range({1, 1, 2}, 0, 1)))
      .in(f(range({1, 1, 2}, 0, 1)))
      .in(missing())
      .in(missing())
      .in(i({0}))
      .in(i({1}))
      .fails("is not made of 2 heads");
}

}  // namespace tenon::ops
