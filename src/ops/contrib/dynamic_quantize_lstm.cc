// DynamicQuantizeLSTM of the peer: an LSTM with weights of 8 bits whose inputs and states are quantised as they come.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/rnn/quantized_lstm.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

// Inputs: X [T, B, I], W [D, I, 4H], R [D, H, 4H], B? [D, 8H], lengths? [B], initial h? and c? [D, B, H], P? [D, 3H],
// then scale and zero point of W and of R: [D] or [D, 4H]. Gates in the order input, output, forget, cell.

enum class Way { kForward, kReverse, kBoth };
Result<Way> way_of(const ir::Node& n) {
  auto d = n.string_or("direction", "forward");
  if (d == "forward") return Way::kForward;
  if (d == "reverse") return Way::kReverse;
  if (d == "bidirectional") return Way::kBoth;
  return invalid("DynamicQuantizeLSTM: the direction '", d, "' is none of forward, reverse, bidirectional");
}

Status lstm_shape(InferContext& c) {
  TENON_ASSIGN(Way way, way_of(c.node()));
  Dim directions(way == Way::kBoth ? 2 : 1);
  Dim hidden = c.has_shape(2) && c.rank(2) == 3 ? c.shape(2)[1]
               : c.node().find("hidden_size")   ? Dim(c.attr("hidden_size", 0))
                                                : Dim::unknown();
  if (hidden.is_const() && hidden.value() < 1) return invalid("DynamicQuantizeLSTM: hidden_size is ", hidden);
  Dim steps = Dim::unknown(), batch = Dim::unknown();
  if (c.has_shape(0)) {
    if (c.rank(0) != 3)
      return invalid("DynamicQuantizeLSTM: X has rank ", c.rank(0), ", [steps, batch, features] is needed");
    steps = c.shape(0)[0];
    batch = c.shape(0)[1];
  }
  auto must = [&](size_t i, DimVector want) -> Status {
    if (!c.has_shape(i)) return {};
    auto& have = c.shape(i);
    bool fits = have.size() == want.size();
    for (size_t k = 0; fits && k < want.size(); ++k)
      fits = !have[k].is_const() || !want[k].is_const() || have[k].value() == want[k].value();
    if (!fits)
      return invalid("DynamicQuantizeLSTM: input ", i, " is ", ir::dims_text(have), " where ", ir::dims_text(want),
                     " is needed");
    return {};
  };
  Dim gates = hidden * Dim(4);
  TENON_TRY(must(1, {directions, c.has_shape(0) ? c.shape(0)[2] : Dim::unknown(), gates}));
  TENON_TRY(must(2, {directions, hidden, gates}));
  TENON_TRY(must(3, {directions, gates * Dim(2)}));
  TENON_TRY(must(4, {batch}));
  TENON_TRY(must(5, {directions, batch, hidden}));
  TENON_TRY(must(6, {directions, batch, hidden}));
  TENON_TRY(must(7, {directions, hidden * Dim(3)}));
  c.set(0, DType::kF32, {steps, directions, batch, hidden});
  c.set(1, DType::kF32, {directions, batch, hidden});
  c.set(2, DType::kF32, {directions, batch, hidden});
  return {};
}

struct LstmState final : KernelState {
  kernels::RnnConfig config;
  kernels::QuantizedLstmWeights weights[2];
};

/// One direction of a constant matrix with its scales and zero points.
Result<kernels::QuantizedMatrix> matrix_of(const Tensor& w, const Tensor& scale, const Tensor& zero, int64_t d) {
  const int64_t directions = w.shape()[0], columns = w.shape()[2];
  for (const Tensor* t : {&scale, &zero})
    if (t->count() != directions && t->count() != directions * columns)
      return invalid("DynamicQuantizeLSTM: ", t->count(), " scales or zero points for ", directions, " directions of ",
                     columns, " columns");
  if (scale.count() != zero.count())
    return invalid("DynamicQuantizeLSTM: ", scale.count(), " scales and ", zero.count(), " zero points");
  kernels::QuantizedMatrix m;
  m.per_column = scale.count() != directions;
  m.is_signed = w.dtype() == DType::kI8;
  const int64_t at = m.per_column ? d * columns : d;
  m.values = w.as<const char>() + d * w.shape()[1] * columns;
  m.scale = scale.as<const float>() + at;
  m.zero = zero.as<const char>() + at;
  return m;
}

Result<StatePtr> pack_lstm(PackContext& c) {
  auto s = std::make_unique<LstmState>();
  TENON_ASSIGN(Way way, way_of(c.node()));
  s->config.kind = kernels::RnnKind::kLstm;
  s->config.direction = way == Way::kBoth      ? kernels::RnnDirection::kBidirectional
                        : way == Way::kReverse ? kernels::RnnDirection::kReverse
                                               : kernels::RnnDirection::kForward;
  kernels::set_default_functions(&s->config);
  s->config.clip = c.node().float_or("clip", 0);
  s->config.input_forget = c.node().int_or("input_forget", 0) != 0;
  const Tensor *w = c.constant(1), *r = c.constant(2);
  const int64_t directions = s->config.directions();
  if (w->shape().size() != 3 || r->shape().size() != 3 || w->shape()[0] != directions || r->shape()[0] != directions ||
      r->shape()[2] != 4 * r->shape()[1] || w->shape()[2] != r->shape()[2])
    return invalid("DynamicQuantizeLSTM: W ", w->to_string(), " and R ", r->to_string(), " do not fit together");
  s->config.input_size = w->shape()[1];
  const int64_t hidden = s->config.hidden_size = r->shape()[1];
  const Tensor *bias = c.constant(3), *peephole = c.constant(7);
  if ((bias && bias->count() != directions * 8 * hidden) || (peephole && peephole->count() != directions * 3 * hidden))
    return invalid("DynamicQuantizeLSTM: B or P do not fit ", hidden, " hidden units");
  for (int64_t d = 0; d < directions; ++d) {
    TENON_ASSIGN(auto wd, matrix_of(*w, *c.constant(8), *c.constant(9), d));
    TENON_ASSIGN(auto rd, matrix_of(*r, *c.constant(10), *c.constant(11), d));
    TENON_ASSIGN(s->weights[d],
                 kernels::pack_quantized_lstm(s->config, wd, rd, bias ? bias->as<float>() + d * 8 * hidden : nullptr,
                                              peephole ? peephole->as<float>() + d * 3 * hidden : nullptr, c.team()));
  }
  for (size_t i : {1, 2, 8, 9, 10, 11}) c.release(i);
  if (bias) c.release(3);
  if (peephole) c.release(7);
  return StatePtr(std::move(s));
}

Status run_lstm(KernelContext& c) {
  const auto& s = c.state<LstmState>();
  const TensorRef& x = c.in(0);
  if (x.dims[2] != s.config.input_size)
    return invalid("DynamicQuantizeLSTM: X has ", x.dims[2], " features, W ", s.config.input_size);
  kernels::RnnRun<float> run;
  run.steps = x.dims[0];
  run.batch = x.dims[1];
  run.x = x.as<float>();
  if (c.has(4)) run.lengths = c.in(4).as<int32_t>();
  if (c.has(5)) run.initial_h = c.in(5).as<float>();
  if (c.has(6)) run.initial_c = c.in(6).as<float>();
  if (c.wants(0)) run.y = c.out(0).as<float>();
  if (c.wants(1)) run.y_h = c.out(1).as<float>();
  if (c.wants(2)) run.y_c = c.out(2).as<float>();
  const int64_t bytes = kernels::quantized_lstm_scratch_bytes(s.config, run.steps, run.batch, c.team().width());
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(bytes)));
  return kernels::run_quantized_lstm(s.config, s.weights, run, scratch, c.team());
}

/// Constant weights and the default activations.
bool can_lstm(const KernelQuery& q) {
  for (size_t i : {1, 2, 8, 9, 10, 11})
    if (!q.constant(i)) return false;
  for (size_t i : {3, 7})
    if (q.has(i) && !q.constant(i)) return false;
  auto* names = q.node().get<std::vector<std::string>>("activations");
  static constexpr std::string_view kDefault[] = {"Sigmoid", "Tanh", "Tanh"};
  auto same = [](std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return (x | 32) == (y | 32); });
  };
  for (size_t i = 0; names && i < names->size(); ++i)
    if (!same((*names)[i], kDefault[i % 3])) return false;
  return true;
}

constexpr TypeSet kF32Only{DType::kF32}, kI32Only{DType::kI32};

}  // namespace

TENON_OP(dynamic_quantize_lstm){
    .name = "DynamicQuantizeLSTM",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("X", kF32Only), port("W", kBytes), port("R", kBytes), optional(port("B", kF32Only)),
           optional(port("sequence_lens", kI32Only)), optional(port("initial_h", kF32Only)),
           optional(port("initial_c", kF32Only)), optional(port("P", kF32Only)), port("W_scale", kF32Only),
           port("W_zero_point", kBytes), port("R_scale", kF32Only), port("R_zero_point", kBytes)},
    .out = {optional(port("Y", kF32Only)), optional(port("Y_h", kF32Only)), optional(port("Y_c", kF32Only))},
    .attributes = {{"activation_alpha", 'F'},
                   {"activation_beta", 'F'},
                   {"activations", 'S'},
                   {"clip", 'f'},
                   {"direction", 's'},
                   {"hidden_size", 'i'},
                   {"input_forget", 'i'}},
    .shape = lstm_shape,
};
TENON_CPU(dynamic_quantize_lstm){{{{.name = "gemm int8", .can = can_lstm, .pack = pack_lstm, .run = run_lstm}}}};
TENON_CASES(dynamic_quantize_lstm) {
  auto f = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  auto u = [](CaseTensor t) { return constant(typed(DType::kU8, std::move(t))); };
  // One feature 255 (quantised without error), one unit: gates i, o, f, c of 255 * (w - 1) * scale.
  auto base = [&](std::string say) {
    return cases.add(std::move(say))
        .attr("hidden_size", 1)
        .in(f(values({1, 1, 1}, {255})))
        .in(u(values({1, 1, 4}, {2, 1, 1, 3})))
        .in(u(values({1, 1, 4}, {1, 1, 1, 1})))
        .in(missing())
        .in(missing())
        .in(missing())
        .in(missing())
        .in(missing())
        .in(constant(f(values({1}, {1.0 / 255}))))
        .in(u(values({1}, {1})))
        .in(constant(f(values({1}, {1}))))
        .in(u(values({1}, {1})));
  };
  double cell = std::tanh(2.0) / (1 + std::exp(-1.0)), h = std::tanh(cell) / 2;
  base("one step").out(f(values({1, 1, 1, 1}, {h}))).out(f(values({1, 1, 1}, {h}))).out(f(values({1, 1, 1}, {cell})));
  base("backwards").attr_s("direction", "reverse").out(f(values({1, 1, 1, 1}, {h})));
  base("unknown direction").attr_s("direction", "up").fails("the direction 'up'");
}

}  // namespace tenon::ops
