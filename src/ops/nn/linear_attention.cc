// LinearAttention and CausalConvWithState: recurrent token mixers that carry a state from call to call.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <optional>

#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

constexpr TypeSet kTypes{DType::kF32, DType::kF16, DType::kBF16};

struct Rule {
  bool decays, corrects;
};
Result<Rule> rule_of(const ir::Node& node) {
  std::string_view name = node.string_or("update_rule", "gated_delta");
  if (name == "linear") return Rule{false, false};
  if (name == "gated") return Rule{true, false};
  if (name == "delta") return Rule{false, true};
  if (name == "gated_delta") return Rule{true, true};
  return invalid("LinearAttention: update_rule is '", name, "'");
}

Status agree(Dim a, Dim b, std::string_view what) {
  if (a.is_const() && b.is_const() && a.value() != b.value())
    return invalid("LinearAttention: ", what, " is ", a, " where ", b, " is expected");
  return {};
}

/// Columns split into heads.
Result<Dim> head_size(Dim columns, int64_t heads, std::string_view what) {
  if (columns.is_const() && columns.value() % heads)
    return invalid("LinearAttention: ", columns, " columns of ", what, " cannot be split into ", heads, " heads");
  return floor_div(columns, Dim(heads));
}

Status linear_shape(InferContext& c) {
  TENON_ASSIGN(Rule rule, rule_of(c.node()));
  int64_t q_heads = c.attr("q_num_heads", 0), kv_heads = c.attr("kv_num_heads", 0);
  if (kv_heads < 1 || q_heads < 1 || q_heads % kv_heads)
    return invalid("LinearAttention: q_num_heads ", q_heads, " is no multiple of kv_num_heads ", kv_heads);
  if (rule.decays && !c.has(4)) return invalid("LinearAttention: this update rule needs the input decay");
  if (rule.corrects && !c.has(5)) return invalid("LinearAttention: this update rule needs the input beta");
  DType state = c.has(3) ? c.dtype(3) : c.dtype(0);
  c.set(0, c.dtype(0));
  c.set(1, state);
  for (size_t i = 0; i < 3; ++i) {
    if (!c.has_shape(i)) return {};
    if (c.rank(i) != 3) return invalid("LinearAttention: input ", i, " has rank ", c.rank(i), "; it must be 3");
    TENON_TRY(agree(c.shape(i)[0], c.shape(0)[0], "a batch"));
    TENON_TRY(agree(c.shape(i)[1], c.shape(0)[1], "a length"));
  }
  TENON_ASSIGN(Dim dk, head_size(c.shape(0)[2], q_heads, "the query"));
  TENON_ASSIGN(Dim key, head_size(c.shape(1)[2], kv_heads, "the key"));
  TENON_ASSIGN(Dim dv, head_size(c.shape(2)[2], kv_heads, "the value"));
  TENON_TRY(agree(key, dk, "the head size of the key"));
  DimVector carried{c.shape(0)[0], Dim(kv_heads), dk, dv};
  if (c.has_shape(3)) {
    if (c.rank(3) != 4) return invalid("LinearAttention: past_state has rank ", c.rank(3), "; it must be 4");
    for (size_t i = 0; i < 4; ++i) TENON_TRY(agree(c.shape(3)[i], carried[i], "a dimension of past_state"));
  }
  c.set(0, c.dtype(0), {c.shape(0)[0], c.shape(0)[1], Dim(q_heads) * dv});
  c.set(1, state, std::move(carried));
  return {};
}

Status run_linear(KernelContext& c) {
  TENON_ASSIGN(Rule rule, rule_of(c.node()));
  const int64_t q_heads = c.node().int_or("q_num_heads", 1), heads = c.node().int_or("kv_num_heads", 1),
                group = q_heads / heads;
  const int64_t batch = c.in(0).dims[0], steps = c.in(0).dims[1], dk = c.in(0).dims[2] / q_heads,
                dv = c.in(2).dims[2] / heads;
  float scale = c.node().float_or("scale", 0);
  if (scale == 0) scale = 1 / std::sqrt(static_cast<float>(std::max<int64_t>(dk, 1)));
  TENON_ASSIGN(const float* q, input_as<float>(c, 0));
  TENON_ASSIGN(const float* k, input_as<float>(c, 1));
  TENON_ASSIGN(const float* v, input_as<float>(c, 2));
  TENON_ASSIGN(const float* past, input_as<float>(c, 3));
  TENON_ASSIGN(const float* decay, input_as<float>(c, 4));
  TENON_ASSIGN(const float* beta, input_as<float>(c, 5));
  TENON_ASSIGN(auto y, OutputAs<float>::of(c, 0));
  TENON_ASSIGN(auto present, OutputAs<float>::of(c, 1));
  const int64_t tokens = batch * steps, each = dk * dv;
  const int64_t decays = rule.decays && tokens ? c.in(4).count / tokens : 0,
                betas = rule.corrects && tokens ? c.in(5).count / tokens : 0;
  if (rule.decays && tokens && decays != heads && decays != heads * dk)
    return invalid("LinearAttention: decay ", c.in(4), " has ", decays, " columns; ", heads, " or ", heads * dk,
                   " are expected");
  if (rule.corrects && tokens && betas != heads && betas != 1)
    return invalid("LinearAttention: beta ", c.in(5), " has ", betas, " columns; 1 or ", heads, " are expected");
  float* states = present.data();
  if (!states) {
    TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(batch * heads * each) * sizeof(float)));
    states = static_cast<float*>(p);
  }
  TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(batch * heads * dv) * sizeof(float)));
  c.team().for_tasks(batch * heads, [&](int64_t task, int) {
    const int64_t b = task / heads, h = task % heads;
    float *s = states + task * each, *change = static_cast<float*>(memory) + task * dv;
    if (past) std::copy(past + task * each, past + (task + 1) * each, s);
    else std::fill(s, s + each, 0.0f);
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t token = b * steps + t;
      const float *key = k + (token * heads + h) * dk, *value = v + (token * heads + h) * dv;
      if (rule.decays)
        for (int64_t i = 0; i < dk; ++i) {
          const float g = std::exp(decay[token * decays + (decays == heads ? h : h * dk + i)]);
          for (int64_t j = 0; j < dv; ++j) s[i * dv + j] *= g;
        }
      std::copy(value, value + dv, change);
      if (rule.corrects) {
        const float rate = beta[token * betas + (betas == 1 ? 0 : h)];
        for (int64_t i = 0; i < dk; ++i)
          for (int64_t j = 0; j < dv; ++j) change[j] -= key[i] * s[i * dv + j];
        for (int64_t j = 0; j < dv; ++j) change[j] *= rate;
      }
      for (int64_t i = 0; i < dk; ++i)
        for (int64_t j = 0; j < dv; ++j) s[i * dv + j] += key[i] * change[j];
      for (int64_t r = 0; r < group; ++r) {
        const float* query = q + (token * q_heads + h * group + r) * dk;
        float* out = y.data() + (token * q_heads + h * group + r) * dv;
        std::fill(out, out + dv, 0.0f);
        for (int64_t i = 0; i < dk; ++i)
          for (int64_t j = 0; j < dv; ++j) out[j] += query[i] * s[i * dv + j];
        for (int64_t j = 0; j < dv; ++j) out[j] *= scale;
      }
    }
  });
  y.finish();
  present.finish();
  return {};
}

Status causal_shape(InferContext& c) {
  std::string_view act = c.node().string_or("activation", "none");
  if (act != "none" && act != "silu" && act != "swish")
    return invalid("CausalConvWithState: activation is '", act, "'");
  c.copy(0, 0);
  c.set(1, c.dtype(0));
  if (!c.has_shape(0) || !c.has_shape(1)) return {};
  const DimVector &x = c.shape(0), &w = c.shape(1);
  if (x.size() != 3 || w.size() != 3) return invalid("CausalConvWithState: input and weight must have rank 3");
  auto differ = [](Dim a, Dim b) { return a.is_const() && b.is_const() && a.value() != b.value(); };
  if (differ(x[1], w[0]) || differ(w[1], Dim(1)) || w[2].is(0))
    return invalid("CausalConvWithState: the weight ", ir::dims_text(w), " does not fit the input ", ir::dims_text(x));
  DimVector state{x[0], x[1], w[2] - Dim(1)};
  if (c.has_shape(3)) {
    bool fits = c.rank(3) == 3;
    for (size_t i = 0; fits && i < 3; ++i) fits = !differ(c.shape(3)[i], state[i]);
    if (!fits)
      return invalid("CausalConvWithState: past_state ", ir::dims_text(c.shape(3)), " must be ", ir::dims_text(state));
  }
  if (auto n = c.count(2); n && differ(Dim(*n), x[1]))
    return invalid("CausalConvWithState: the bias has ", *n, " values for ", x[1], " channels");
  c.set(1, c.dtype(0), std::move(state));
  return {};
}

Status run_causal(KernelContext& c) {
  const TensorRef& x = c.in(0);
  const int64_t channels = x.dims[1], length = x.dims[2], taps = c.in(1).dims[2], held = taps - 1;
  const bool silu = c.node().string_or("activation", "none") != "none";
  TENON_ASSIGN(const float* in, input_as<float>(c, 0));
  TENON_ASSIGN(const float* w, input_as<float>(c, 1));
  TENON_ASSIGN(const float* bias, input_as<float>(c, 2));
  TENON_ASSIGN(const float* past, input_as<float>(c, 3));
  TENON_ASSIGN(auto y, OutputAs<float>::of(c, 0));
  TENON_ASSIGN(auto present, OutputAs<float>::of(c, 1));
  c.team().parallel_for_cost(x.dims[0] * channels, static_cast<double>(length * taps), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const int64_t ch = row % channels;
      // The sequence with what was carried before it.
      auto at = [&](int64_t i) { return i >= held ? in[row * length + i - held] : past ? past[row * held + i] : 0.0f; };
      for (int64_t t = 0; y.data() && t < length; ++t) {
        float sum = bias ? bias[ch] : 0;
        for (int64_t k = 0; k < taps; ++k) sum += w[ch * taps + k] * at(t + k);
        y.data()[row * length + t] = silu ? sum / (1 + std::exp(-sum)) : sum;
      }
      for (int64_t i = 0; present.data() && i < held; ++i) present.data()[row * held + i] = at(length + i);
    }
  });
  y.finish();
  present.finish();
  return {};
}

}  // namespace

TENON_OP(linear_attention){
    .name = "LinearAttention",
    .since = {27},
    .in = {port("query", kTypes, "T"), port("key", kTypes, "T"), port("value", kTypes, "T"),
           optional(port("past_state", kTypes, "S")), optional(port("decay", kTypes, "T")),
           optional(port("beta", kTypes, "T"))},
    .out = {port("output", kTypes, "T"), port("present_state", kTypes, "S")},
    .attributes = {{"chunk_size", 'i'},
                   {"kv_num_heads", 'i', true},
                   {"q_num_heads", 'i', true},
                   {"scale", 'f'},
                   {"update_rule", 's'}},
    .shape = linear_shape,
};
TENON_CPU(linear_attention){{{{.name = "step by step", .run = run_linear}}}};
TENON_CASES(linear_attention) {
  cases.types(kTypes);
  auto f32 = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("linear")
      .in(values({1, 2, 2}, {1, 0, 0, 1}))
      .in(values({1, 2, 2}, {1, 2, 3, 4}))
      .in(values({1, 2, 1}, {1, 2}))
      .attr("q_num_heads", 1)
      .attr("kv_num_heads", 1)
      .attr_f("scale", 1)
      .attr_s("update_rule", "linear")
      .out(values({1, 2, 1}, {1, 10}))
      .out(values({1, 1, 2, 1}, {7, 10}));
  cases.add("delta with past")
      .in(values({1, 1, 2}, {1, 1}))
      .in(values({1, 1, 2}, {1, 0}))
      .in(values({1, 1, 1}, {4}))
      .in(values({1, 1, 2, 1}, {2, 3}))
      .in(missing())
      .in(values({1, 1, 1}, {0.5}))
      .attr("q_num_heads", 1)
      .attr("kv_num_heads", 1)
      .attr_f("scale", 1)
      .attr_s("update_rule", "delta")
      .out(values({1, 1, 1}, {6}))
      .out(values({1, 1, 2, 1}, {3, 3}));
  cases.add("gated, two queries for a head")
      .in(values({1, 1, 2}, {1, 2}))
      .in(values({1, 1, 1}, {2}))
      .in(values({1, 1, 1}, {3}))
      .in(values({1, 1, 1, 1}, {5}))
      .in(values({1, 1, 1}, {0}))
      .attr("q_num_heads", 2)
      .attr("kv_num_heads", 1)
      .attr_f("scale", 1)
      .attr_s("update_rule", "gated")
      .out(values({1, 1, 2}, {11, 22}))
      .out(values({1, 1, 1, 1}, {11}));
  cases.add("no beta")
      .in(f32(range({1, 1, 2}, 0, 1)))
      .in(f32(range({1, 1, 2}, 0, 1)))
      .in(f32(range({1, 1, 2}, 0, 1)))
      .attr("q_num_heads", 1)
      .attr("kv_num_heads", 1)
      .attr_s("update_rule", "delta")
      .fails("needs the input beta");
}

TENON_OP(causal_conv_with_state){
    .name = "CausalConvWithState",
    .since = {27},
    .in = {port("input", kTypes, "T"), port("weight", kTypes, "T"), optional(port("bias", kTypes, "T")),
           optional(port("past_state", kTypes, "T"))},
    .out = {port("output", kTypes, "T"), port("present_state", kTypes, "T")},
    .attributes = {{"activation", 's'}},
    .shape = causal_shape,
};
TENON_CPU(causal_conv_with_state){{{{.name = "taps", .run = run_causal}}}};
TENON_CASES(causal_conv_with_state) {
  cases.types(kTypes);
  cases.add("from nothing")
      .in(values({1, 1, 3}, {1, 2, 3}))
      .in(values({1, 1, 2}, {10, 1}))
      .out(values({1, 1, 3}, {1, 12, 23}))
      .out(values({1, 1, 1}, {3}));
  cases.add("past and bias")
      .in(values({1, 2, 1}, {1, 2}))
      .in(values({2, 1, 3}, {1, 2, 3, 1, 1, 1}))
      .in(values({2}, {10, 20}))
      .in(values({1, 2, 2}, {1, 2, 3, 4}))
      .out(values({1, 2, 1}, {18, 29}))
      .out(values({1, 2, 2}, {2, 1, 4, 2}));
  cases.add("activation")
      .in(values({1, 1, 1}, {0}))
      .in(values({1, 1, 1}, {5}))
      .attr_s("activation", "silu")
      .out(values({1, 1, 1}, {0}))
      .out(values({1, 1, 0}, {}));
  cases.add("other channels")
      .in(typed(DType::kF32, range({1, 2, 3}, 0, 1)))
      .in(typed(DType::kF32, range({3, 1, 2}, 0, 1)))
      .fails("does not fit the input");
}

}  // namespace tenon::ops
