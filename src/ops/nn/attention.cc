// Attention: scaled dot product of query, key and value heads with mask, causal and sliding windows and a growing
// cache. SPDX-License-Identifier: MIT
#include "kernels/attention/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/move/copy.h"
#include "kernels/move/select.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

enum In : size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kLengths };
enum Out : size_t { kY, kPresentKey, kPresentValue, kScores };

/// Heads and head size of an operand that is [B, H, S, D], or [B, S, H D] with the heads told by an attribute.
template <class D>
struct Heads {
  D batch, heads, positions, size;
};
Result<Heads<Dim>> heads_of(const InferContext& c, size_t i, std::string_view attribute) {
  const DimVector& d = c.shape(i);
  if (d.size() == 4) return Heads<Dim>{d[0], d[1], d[2], d[3]};
  if (d.size() != 3) return invalid("Attention: input ", i, " has rank ", d.size(), "; it must be 3 or 4");
  int64_t heads = c.attr(attribute, 0);
  if (heads < 1) return invalid("Attention: inputs of rank 3 need the attribute ", attribute);
  if (d[2].is_const() && d[2].value() % heads)
    return invalid("Attention: ", d[2], " columns of input ", i, " cannot be split into ", heads, " heads");
  return Heads<Dim>{d[0], Dim(heads), d[1], floor_div(d[2], Dim(heads))};
}

Status agree(Dim a, Dim b, std::string_view what) {
  if (a.is_const() && b.is_const() && a.value() != b.value())
    return invalid("Attention: ", what, " differ: ", a, " and ", b);
  return {};
}

Status attention_shape(InferContext& c) {
  int64_t mode = c.attr("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) return invalid("Attention: qk_matmul_output_mode is ", mode, "; it must be 0 to 3");
  if (c.attr("left_window_size", -1) < -1 || c.attr("right_window_size", -1) < -1)
    return invalid("Attention: a window size is below -1");
  if (c.has(kPastKey) != c.has(kPastValue)) return invalid("Attention: past_key and past_value must be given together");
  if (c.has(kLengths) && c.has(kPastKey)) return invalid("Attention: nonpad_kv_seqlen and past_key exclude each other");
  for (size_t i = 0; i < c.output_count(); ++i) c.set(i, c.dtype(i == kPresentValue ? kV : kQ));
  if (!c.has_shape(kQ) || !c.has_shape(kK) || !c.has_shape(kV)) return {};
  TENON_ASSIGN(auto q, heads_of(c, kQ, "q_num_heads"));
  TENON_ASSIGN(auto k, heads_of(c, kK, "kv_num_heads"));
  TENON_ASSIGN(auto v, heads_of(c, kV, "kv_num_heads"));
  TENON_TRY(agree(q.batch, k.batch, "the batches of Q and K"));
  TENON_TRY(agree(k.batch, v.batch, "the batches of K and V"));
  TENON_TRY(agree(q.size, k.size, "the head sizes of Q and K"));
  TENON_TRY(agree(k.heads, v.heads, "the heads of K and V"));
  TENON_TRY(agree(k.positions, v.positions, "the lengths of K and V"));
  if (q.heads.is_const() && k.heads.is_const() && (k.heads.value() < 1 || q.heads.value() % k.heads.value()))
    return invalid("Attention: ", q.heads, " query heads are no multiple of ", k.heads, " key heads");
  Dim past = Dim(0);
  if (c.has(kPastKey)) {
    if (!c.has_shape(kPastKey) || !c.has_shape(kPastValue)) past = Dim::unknown();
    else {
      const DimVector &pk = c.shape(kPastKey), &pv = c.shape(kPastValue);
      if (pk.size() != 4 || pv.size() != 4) return invalid("Attention: past_key and past_value must have rank 4");
      TENON_TRY(agree(pk[2], pv[2], "the lengths of past_key and past_value"));
      TENON_TRY(agree(pk[0], q.batch, "the batches of past_key and Q"));
      TENON_TRY(agree(pk[1], k.heads, "the heads of past_key and K"));
      TENON_TRY(agree(pv[1], v.heads, "the heads of past_value and V"));
      TENON_TRY(agree(pk[3], k.size, "the head sizes of past_key and K"));
      TENON_TRY(agree(pv[3], v.size, "the head sizes of past_value and V"));
      past = pk[2];
    }
  }
  Dim total = past + k.positions;
  if (c.rank(kQ) == 4) c.set(kY, c.dtype(kQ), {q.batch, q.heads, q.positions, v.size});
  else c.set(kY, c.dtype(kQ), {q.batch, q.positions, q.heads * v.size});
  c.set(kPresentKey, c.dtype(kK), {q.batch, k.heads, total, k.size});
  c.set(kPresentValue, c.dtype(kV), {q.batch, v.heads, total, v.size});
  c.set(kScores, c.dtype(kQ), {q.batch, q.heads, q.positions, total});
  return {};
}

/// Everything that a run needs beside the data.
struct Problem {
  int64_t batch = 0, q_heads = 0, kv_heads = 0, q_len = 0, new_len = 0, past_len = 0, size = 0, v_size = 0;
  int64_t mask_len = 0;  ///< keys that the mask covers
  HeadStrides q, k, v, y, past_k, past_v;
  int64_t mask_strides[4] = {0, 0, 0, 0};
  int64_t kv_len() const { return past_len + new_len; }
};

HeadStrides strides_of(bool rank4, int64_t heads, int64_t positions, int64_t size) {
  if (rank4) return {heads * positions * size, positions * size, size};
  return {positions * heads * size, size, heads * size};
}

Result<Problem> problem_of(KernelContext& c) {
  Problem p;
  const TensorRef &q = c.in(kQ), &k = c.in(kK), &v = c.in(kV);
  auto heads = [&](const TensorRef& t, std::string_view attribute) {
    return t.rank == 4 ? t.dims[1] : c.node().int_or(attribute, 1);
  };
  p.batch = q.dims[0];
  p.q_heads = heads(q, "q_num_heads");
  p.kv_heads = heads(k, "kv_num_heads");
  p.q_len = q.dims[q.rank == 4 ? 2 : 1];
  p.new_len = k.dims[k.rank == 4 ? 2 : 1];
  p.size = q.rank == 4 ? q.dims[3] : q.dims[2] / p.q_heads;
  p.v_size = v.rank == 4 ? v.dims[3] : v.dims[2] / p.kv_heads;
  if (c.has(kPastKey)) p.past_len = c.in(kPastKey).dims[2];
  p.q = strides_of(q.rank == 4, p.q_heads, p.q_len, p.size);
  p.k = strides_of(k.rank == 4, p.kv_heads, p.new_len, p.size);
  p.v = strides_of(v.rank == 4, p.kv_heads, p.new_len, p.v_size);
  p.y = strides_of(q.rank == 4, p.q_heads, p.q_len, p.v_size);
  p.past_k = strides_of(true, p.kv_heads, p.past_len, p.size);
  p.past_v = strides_of(true, p.kv_heads, p.past_len, p.v_size);
  p.mask_len = p.kv_len();
  if (c.has(kMask)) {
    const TensorRef& m = c.in(kMask);
    if (m.rank < 1 || m.rank > 4) return invalid("Attention: the mask ", m, " does not broadcast to the scores");
    p.mask_len = m.dims[m.rank - 1];
    if (p.mask_len > p.kv_len()) return invalid("Attention: the mask ", m, " is longer than the ", p.kv_len(), " keys");
    Dims wanted{p.batch, p.q_heads, p.q_len, p.mask_len};
    TENON_ASSIGN(Dims strides, kernels::broadcast_strides(m.shape(), wanted));
    for (size_t i = 0; i < 4; ++i) p.mask_strides[i] = strides[i];
  }
  if (c.has(kLengths)) {
    const TensorRef& t = c.in(kLengths);
    if (t.count != p.batch)
      return invalid("Attention: nonpad_kv_seqlen has ", t.count, " values for a batch of ", p.batch);
    for (int64_t n : t.items<int64_t>())
      if (n < 0 || n > p.kv_len()) return invalid("Attention: nonpad_kv_seqlen has ", n, " for ", p.kv_len(), " keys");
  }
  return p;
}

/// present = past and new positions, [B, H, S, D].
Status write_present(KernelContext& c, const Problem& p, size_t out, size_t past, size_t fresh, int64_t size,
                     const HeadStrides& from) {
  if (!c.wants(out)) return {};
  const TensorRef& t = c.out(out);
  const int width = byte_width(t.dtype);
  Dims to{p.kv_heads * p.kv_len() * size, p.kv_len() * size, size, 1};
  if (c.has(past) && p.past_len) {
    Dims dims{p.batch, p.kv_heads, p.past_len, size};
    kernels::copy_strided(t.data, to, c.in(past).data, row_major_strides(dims), dims, width, c.team());
  }
  Dims dims{p.batch, p.kv_heads, p.new_len, size}, strides{from.batch, from.head, from.position, 1};
  if (product(dims) == 0) return {};
  kernels::copy_strided(t.as<char>() + p.past_len * size * width, to, c.in(fresh).data, strides, dims, width, c.team());
  return {};
}
Status write_presents(KernelContext& c, const Problem& p) {
  TENON_TRY(write_present(c, p, kPresentKey, kPastKey, kK, p.size, p.k));
  return write_present(c, p, kPresentValue, kPastValue, kV, p.v_size, p.v);
}

/// The streaming kernel does what most models ask for.
bool can_stream(const KernelQuery& q) {
  const ir::Node& n = q.node();
  int64_t left = n.int_or("left_window_size", -1), right = n.int_or("right_window_size", -1);
  bool causal = n.int_or("is_causal", 0) != 0 || right == 0;
  auto* scale = n.get<float>("scale");
  return q.in_type(kQ) != DType::kF64 && q.in_type(kV) != DType::kF64 && n.output(kScores) == ir::kNoValue &&
         (right < 0 || causal) && (left < 0 || causal) && !(scale && *scale == 0);
}

Status run_stream(KernelContext& c) {
  TENON_ASSIGN(Problem p, problem_of(c));
  TENON_TRY(write_presents(c, p));
  if (c.out(kY).count == 0) return {};
  const ir::Node& n = c.node();
  Attention a;
  a.batch = p.batch;
  a.q_heads = p.q_heads;
  a.kv_heads = p.kv_heads;
  a.q_len = p.q_len;
  a.kv_len = std::min(p.kv_len(), p.mask_len);
  a.head_size = p.size;
  a.v_head_size = p.v_size;
  a.scale = n.float_or("scale", 0);
  a.softcap = n.float_or("softcap", 0);
  a.causal = n.int_or("is_causal", 0) != 0 || n.int_or("right_window_size", -1) == 0;
  a.causal_offset = p.past_len;
  int64_t left = n.int_or("left_window_size", -1);
  a.window = left < 0 ? 0 : std::min(left, kMaxSize) + 1;
  if (c.has(kLengths)) {
    a.kv_lens = c.in(kLengths).as<int64_t>();
    a.offset_from_lens = true;
    if (a.kv_len < p.kv_len())  // a shorter mask covers every valid key
      for (int64_t b = 0; b < p.batch; ++b)
        if (a.kv_lens[b] > a.kv_len) return invalid("Attention: the mask covers ", a.kv_len, " keys of ", a.kv_lens[b]);
  }
  TENON_ASSIGN(a.q, input_as<float>(c, kQ));
  TENON_ASSIGN(a.k, input_as<float>(c, kK));
  TENON_ASSIGN(a.v, input_as<float>(c, kV));
  a.q_strides = p.q;
  a.k_strides = p.k;
  a.v_strides = p.v;
  a.out_strides = p.y;
  if (p.past_len) {
    TENON_ASSIGN(a.past_k, input_as<float>(c, kPastKey));
    TENON_ASSIGN(a.past_v, input_as<float>(c, kPastValue));
    a.past_k_strides = p.past_k;
    a.past_v_strides = p.past_v;
    a.past_len = p.past_len;
  }
  if (c.has(kMask)) {
    auto set = [&](int64_t& batch, int64_t& head, int64_t& row, int64_t& column) {
      batch = p.mask_strides[0];
      head = p.mask_strides[1];
      row = p.mask_strides[2];
      column = p.mask_strides[3];
    };
    if (c.in(kMask).dtype == DType::kBool) {
      a.mask = c.in(kMask).as<bool>();
      set(a.mask_batch, a.mask_head, a.mask_row, a.mask_column);
    } else {
      TENON_ASSIGN(a.bias, input_as<float>(c, kMask));
      set(a.bias_batch, a.bias_head, a.bias_row, a.bias_column);
    }
  }
  TENON_ASSIGN(auto y, OutputAs<float>::of(c, kY));
  a.out = y.data();
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(attention_scratch_bytes(a, c.team().width()))));
  TENON_TRY(attention(a, scratch, c.team()));
  y.finish();
  return {};
}

/// By the definition, in double, a row of scores at a time.
Status run_plain(KernelContext& c) {
  TENON_ASSIGN(Problem p, problem_of(c));
  TENON_TRY(write_presents(c, p));
  const ir::Node& n = c.node();
  TENON_ASSIGN(const double* q, input_as<double>(c, kQ));
  TENON_ASSIGN(const double* k, input_as<double>(c, kK));
  TENON_ASSIGN(const double* v, input_as<double>(c, kV));
  TENON_ASSIGN(const double* past_k, input_as<double>(c, kPastKey));
  TENON_ASSIGN(const double* past_v, input_as<double>(c, kPastValue));
  const bool boolean = c.has(kMask) && c.in(kMask).dtype == DType::kBool;
  const double* bias = nullptr;
  if (!boolean) { TENON_ASSIGN(bias, input_as<double>(c, kMask)); }
  TENON_ASSIGN(auto y, OutputAs<double>::of(c, kY));
  TENON_ASSIGN(auto shown, OutputAs<double>::of(c, kScores));
  const int64_t rows = p.batch * p.q_heads * p.q_len, total = p.kv_len(), mode = n.int_or("qk_matmul_output_mode", 0);
  const int64_t left = n.int_or("left_window_size", -1), right = n.int_or("right_window_size", -1),
                group = p.q_heads / p.kv_heads;
  const bool causal = n.int_or("is_causal", 0) != 0;
  const double scale =
      n.float_or("scale", static_cast<float>(1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, p.size)))));
  const double softcap = n.float_or("softcap", 0), never = -std::numeric_limits<double>::infinity();
  TENON_ASSIGN(void* memory,
               c.scratch(static_cast<size_t>(c.team().width()) * static_cast<size_t>(total + 1) * sizeof(double)));
  c.team().for_tasks(rows, [&](int64_t task, int slot) {
    const int64_t i = task % p.q_len, h = task / p.q_len % p.q_heads, b = task / p.q_len / p.q_heads, g = h / group;
    double* s = static_cast<double*>(memory) + slot * (total + 1);
    const int64_t valid = c.has(kLengths) ? c.in(kLengths).as<int64_t>()[b] : total;
    const int64_t offset = c.has(kLengths) ? valid - p.q_len : p.past_len;
    auto key = [&](const double* old, const double* fresh, const HeadStrides& so, const HeadStrides& sf, int64_t j) {
      return j < p.past_len ? old + b * so.batch + g * so.head + j * so.position
                            : fresh + b * sf.batch + g * sf.head + (j - p.past_len) * sf.position;
    };
    double* show = shown.data() ? shown.data() + task * total : nullptr;
    const double* query = q + b * p.q.batch + h * p.q.head + i * p.q.position;
    double largest = never;
    for (int64_t j = 0; j < total; ++j) {
      const double* at = key(past_k, k, p.past_k, p.k, j);
      double score = 0;
      for (int64_t d = 0; d < p.size; ++d) score += query[d] * at[d];
      score *= scale;
      if (show && mode == 0) show[j] = score;
      if (softcap > 0) score = softcap * std::tanh(score / softcap);
      if (show && mode == 1) show[j] = score;
      bool seen = j < valid && j < p.mask_len && !(causal && j > i + offset) && !(left >= 0 && j < i + offset - left) &&
                  !(right >= 0 && j > i + offset + right);
      if (seen && c.has(kMask)) {
        int64_t at_mask = b * p.mask_strides[0] + h * p.mask_strides[1] + i * p.mask_strides[2] + j * p.mask_strides[3];
        if (boolean) seen = c.in(kMask).as<bool>()[at_mask];
        else score += bias[at_mask];
      }
      s[j] = seen ? score : never;
      if (show && mode == 2) show[j] = s[j];
      largest = std::max(largest, s[j]);
    }
    double sum = 0;
    for (int64_t j = 0; j < total; ++j) sum += s[j] = largest == never ? 0 : std::exp(s[j] - largest);
    double* out = y.data() + b * p.y.batch + h * p.y.head + i * p.y.position;
    std::fill(out, out + p.v_size, 0.0);
    for (int64_t j = 0; j < total; ++j) {
      s[j] = sum > 0 ? s[j] / sum : 0;
      if (show && mode == 3) show[j] = s[j];
      if (s[j] == 0) continue;
      const double* at = key(past_v, v, p.past_v, p.v, j);
      for (int64_t d = 0; d < p.v_size; ++d) out[d] += s[j] * at[d];
    }
  });
  y.finish();
  shown.finish();
  return {};
}

constexpr TypeSet kMasks = kNumbers | kBools;

/// By the definition, once more, over CaseTensors of rank 4: past and window included.
std::vector<CaseTensor> attention_reference(const Case& c, const std::vector<CaseTensor>& in) {
  auto given = [&](size_t i) { return in.size() > i && !in[i].missing; };
  const CaseTensor &q = in[kQ], &k = in[kK], &v = in[kV];
  int64_t B = q.dims[0], H = q.dims[1], S = q.dims[2], D = q.dims[3], G = k.dims[1], N = k.dims[2], E = v.dims[3];
  int64_t P = given(kPastKey) ? in[kPastKey].dims[2] : 0, T = P + N;
  CaseTensor y, present_k, present_v;
  y.dims = {B, H, S, E};
  present_k.dims = {B, G, T, D};
  present_v.dims = {B, G, T, E};
  auto join = [&](const CaseTensor* past, const CaseTensor& fresh, int64_t size, CaseTensor& to) {
    for (int64_t bg = 0; bg < B * G; ++bg)
      for (int64_t j = 0; j < T; ++j)
        for (int64_t d = 0; d < size; ++d)
          to.data.push_back(j < P ? past->data[static_cast<size_t>((bg * P + j) * size + d)]
                                  : fresh.data[static_cast<size_t>((bg * N + j - P) * size + d)]);
  };
  join(given(kPastKey) ? &in[kPastKey] : nullptr, k, D, present_k);
  join(given(kPastValue) ? &in[kPastValue] : nullptr, v, E, present_v);
  double scale = c.attr_f("scale", 1 / std::sqrt(static_cast<double>(D))), cap = c.attr_f("softcap", 0);
  for (int64_t b = 0; b < B; ++b)
    for (int64_t h = 0; h < H; ++h)
      for (int64_t i = 0; i < S; ++i) {
        std::vector<double> w(static_cast<size_t>(T));
        double sum = 0;
        int64_t g = b * G + h / (H / G),
                valid = given(kLengths) ? static_cast<int64_t>(in[kLengths].data[static_cast<size_t>(b)]) : T;
        int64_t at = i + (given(kLengths) ? valid - S : P);
        for (int64_t j = 0; j < T; ++j) {
          double s = 0;
          for (int64_t d = 0; d < D; ++d)
            s += q.data[static_cast<size_t>(((b * H + h) * S + i) * D + d)] *
                 present_k.data[static_cast<size_t>((g * T + j) * D + d)];
          s *= scale;
          if (cap > 0) s = cap * std::tanh(s / cap);
          bool seen = j < valid && !(c.attr("is_causal", 0) && j > at);
          int64_t left = c.attr("left_window_size", -1), right = c.attr("right_window_size", -1);
          seen = seen && !(left >= 0 && j < at - left) && !(right >= 0 && j > at + right);
          if (given(kMask)) {  // [S, length]
            int64_t length = in[kMask].dims.back();
            seen = seen && j < length;
            double m = j < length ? in[kMask].data[static_cast<size_t>(i * length + j)] : 0;
            if (in[kMask].dtype == DType::kBool) seen = seen && m != 0;
            else s += m;
          }
          w[static_cast<size_t>(j)] = seen ? std::exp(s) : 0;
          sum += w[static_cast<size_t>(j)];
        }
        for (int64_t d = 0; d < E; ++d) {
          double o = 0;
          for (int64_t j = 0; j < T; ++j)
            if (sum > 0)
              o += w[static_cast<size_t>(j)] / sum * present_v.data[static_cast<size_t>((g * T + j) * E + d)];
          y.data.push_back(o);
        }
      }
  if (given(kPastKey)) return {y, present_k, present_v};
  return {y};
}

}  // namespace

TENON_OP(attention){
    .name = "Attention",
    .since = {23, 24, 25},
    .in = {port("Q", kFloats, "T1"), port("K", kFloats, "T1"), port("V", kFloats, "T2"),
           optional(port("attn_mask", kMasks, "U")), optional(port("past_key", kFloats, "T1")),
           optional(port("past_value", kFloats, "T2")), optional(port("nonpad_kv_seqlen", kI64Only))},
    .out = {port("Y", kFloats, "T1"), optional(port("present_key", kFloats, "T1")),
            optional(port("present_value", kFloats, "T2")), optional(port("qk_matmul_output", kFloats, "T1"))},
    .attributes = {{"is_causal", 'i'},
                   {"kv_num_heads", 'i'},
                   {"left_window_size", 'i'},
                   {"q_num_heads", 'i'},
                   {"qk_matmul_output_mode", 'i'},
                   {"right_window_size", 'i'},
                   {"scale", 'f'},
                   {"softcap", 'f'},
                   {"softmax_precision", 'i'}},
    .shape = attention_shape,
};
TENON_CPU(attention){{
    {.name = "streaming", .can = can_stream, .run = run_stream},
    {.name = "plain", .run = run_plain},
}};

TENON_CASES(attention) {
  cases.types(kFloats);
  cases.reference(attention_reference);
  auto add = [&](std::string say, int64_t heads, int64_t kv_heads, int64_t q_len, int64_t kv_len) {
    return cases.add(std::move(say))
        .in(range({2, heads, q_len, 8}, -1, 1))
        .in(range({2, kv_heads, kv_len, 8}, -1, 1))
        .in(range({2, kv_heads, kv_len, 6}, -1, 1))
        .tolerance(4e-6);
  };
  add("plain", 3, 3, 4, 6);
  add("shared heads", 4, 2, 4, 6);
  add("causal", 2, 2, 5, 5).attr("is_causal", 1);
  add("scale and soft cap", 2, 2, 4, 6).attr_f("scale", 0.5f).attr_f("softcap", 2);
  add("boolean mask", 2, 2, 3, 5)
      .in(typed(DType::kBool, values({3, 5}, {1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1})));
  add("added mask", 2, 2, 3, 5).in(range({3, 5}, -2, 2));
  add("shorter mask", 2, 2, 3, 5).in(range({3, 4}, -2, 2));
  add("past", 2, 1, 3, 3)
      .in(missing())
      .in(range({2, 1, 4, 8}, -1, 1))
      .in(range({2, 1, 4, 6}, -1, 1))
      .attr("is_causal", 1);
  add("valid lengths", 2, 2, 3, 6)
      .in(missing())
      .in(missing())
      .in(missing())
      .in(typed(DType::kI64, values({2}, {4, 6})))
      .attr("is_causal", 1);
  add("window to the left", 2, 2, 6, 6).attr("is_causal", 1).attr("left_window_size", 2);
  add("window to both sides", 2, 2, 6, 6).attr("left_window_size", 2).attr("right_window_size", 1);
  cases.add("rank 3")
      .in(typed(DType::kF32, values({1, 1, 4}, {1, 0, 0, 1})))
      .in(typed(DType::kF32, values({1, 2, 4}, {1, 0, 0, 0, 0, 0, 0, 1})))
      .in(typed(DType::kF32, values({1, 2, 2}, {1, 2, 3, 4})))
      .attr("q_num_heads", 2)
      .attr("kv_num_heads", 2)
      .attr_f("scale", 0.0f)
      .out(typed(DType::kF32, values({1, 1, 2}, {2, 3})));
  cases.add("heads do not divide")
      .in(typed(DType::kF32, range({1, 3, 2, 4}, 0, 1)))
      .in(typed(DType::kF32, range({1, 2, 2, 4}, 0, 1)))
      .in(typed(DType::kF32, range({1, 2, 2, 4}, 0, 1)))
      .fails("no multiple");
  cases.add("past without value")
      .in(typed(DType::kF32, range({1, 2, 2, 4}, 0, 1)))
      .in(typed(DType::kF32, range({1, 2, 2, 4}, 0, 1)))
      .in(typed(DType::kF32, range({1, 2, 2, 4}, 0, 1)))
      .in(missing())
      .in(typed(DType::kF32, range({1, 2, 2, 4}, 0, 1)))
      .fails("together");
}

}  // namespace tenon::ops
