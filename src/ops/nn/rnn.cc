// LSTM, GRU and RNN: recurrent layers over a sequence, in one, the other or both directions.
// SPDX-License-Identifier: MIT
#include "kernels/rnn/rnn.h"

#include <algorithm>
#include <cmath>

#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

using kernels::RnnConfig;
using kernels::RnnDirection;
using kernels::RnnKind;

RnnKind kind_of(const ir::Node& n) {
  return n.op == "LSTM" ? RnnKind::kLstm : n.op == "GRU" ? RnnKind::kGru : RnnKind::kRnn;
}

Result<RnnDirection> direction_of(const ir::Node& n) {
  auto d = n.string_or("direction", "forward");
  if (d == "forward") return RnnDirection::kForward;
  if (d == "reverse") return RnnDirection::kReverse;
  if (d == "bidirectional") return RnnDirection::kBidirectional;
  return invalid(n.op, ": the direction '", d, "' is none of forward, reverse, bidirectional");
}

/// Attributes to a configuration; sizes come from W [D, G*H, I] and R [D, G*H, H].
Result<RnnConfig> config_of(const ir::Node& n, std::span<const int64_t> w, std::span<const int64_t> r) {
  RnnConfig c;
  c.kind = kind_of(n);
  TENON_ASSIGN(c.direction, direction_of(n));
  c.batch_first = n.int_or("layout", 0) != 0;
  c.clip = n.float_or("clip", 0);
  c.linear_before_reset = n.int_or("linear_before_reset", 0) != 0;
  c.input_forget = n.int_or("input_forget", 0) != 0;
  int64_t d = c.directions(), g = c.gates();
  if (w.size() != 3 || r.size() != 3)
    return invalid(n.op, ": W ", list_text(w), " and R ", list_text(r), " must have rank 3");
  c.input_size = w[2];
  c.hidden_size = r[2];
  if (n.find("hidden_size") && n.int_or("hidden_size", 0) != c.hidden_size)
    return invalid(n.op, ": hidden_size is ", n.int_or("hidden_size", 0), ", R ", list_text(r), " has ", c.hidden_size);
  if (w[0] != d || r[0] != d || w[1] != g * c.hidden_size || r[1] != g * c.hidden_size)
    return invalid(n.op, ": W ", list_text(w), " and R ", list_text(r), " do not fit ", d, " directions and ", g,
                   " gates of ", c.hidden_size);
  kernels::set_default_functions(&c);
  if (auto* names = n.get<std::vector<std::string>>("activations")) {
    size_t per = c.kind == RnnKind::kLstm ? 3 : c.kind == RnnKind::kGru ? 2 : 1;
    if (names->size() != per * static_cast<size_t>(d))
      return invalid(n.op, ": ", names->size(), " activations are given, ", per * static_cast<size_t>(d),
                     " are needed");
    auto* alphas = n.get<std::vector<float>>("activation_alpha");
    auto* betas = n.get<std::vector<float>>("activation_beta");
    size_t alpha = 0, beta = 0;
    for (size_t i = 0; i < names->size(); ++i) {
      int takes = 0;
      TENON_ASSIGN(auto f, kernels::rnn_function((*names)[i], &takes));
      if (takes >= 1 && alphas && alpha < alphas->size()) f.alpha = (*alphas)[alpha++];
      if (takes >= 2 && betas && beta < betas->size()) f.beta = (*betas)[beta++];
      c.functions[i / per][i % per] = f;
    }
  }
  return c;
}

Status rnn_shape(InferContext& c) {
  DType dtype = c.dtype(0);
  TENON_ASSIGN(RnnDirection direction, direction_of(c.node()));
  Dim d(direction == RnnDirection::kBidirectional ? 2 : 1);
  Dim steps = Dim::unknown(), batch = Dim::unknown(), hidden = Dim::unknown();
  bool batch_first = c.attr("layout", 0) != 0;
  if (c.has_shape(0)) {
    if (c.rank(0) != 3) return invalid(c.node().op, ": X ", ir::dims_text(c.shape(0)), " must have rank 3");
    steps = c.shape(0)[batch_first ? 1 : 0];
    batch = c.shape(0)[batch_first ? 0 : 1];
  }
  if (c.has_shape(2)) {
    if (c.rank(2) != 3) return invalid(c.node().op, ": R ", ir::dims_text(c.shape(2)), " must have rank 3");
    hidden = c.shape(2)[2];
  }
  auto must = [&](size_t i, const char* what, DimVector want) -> Status {
    if (!c.has_shape(i)) return {};
    auto& have = c.shape(i);
    bool fits = have.size() == want.size();
    for (size_t k = 0; fits && k < want.size(); ++k)
      fits = !have[k].is_const() || !want[k].is_const() || have[k].value() == want[k].value();
    if (!fits)
      return invalid(c.node().op, ": ", what, " is ", ir::dims_text(have), " where ", ir::dims_text(want),
                     " is needed");
    return {};
  };
  Dim gates(c.node().op == "LSTM" ? 4 : c.node().op == "GRU" ? 3 : 1);
  Dim input = c.has_shape(0) ? c.shape(0)[2] : Dim::unknown();
  TENON_TRY(must(1, "W", {d, gates * hidden, input}));
  TENON_TRY(must(2, "R", {d, gates * hidden, hidden}));
  TENON_TRY(must(3, "B", {d, gates * hidden * Dim(2)}));
  TENON_TRY(must(4, "sequence_lens", {batch}));
  DimVector state = batch_first ? DimVector{batch, d, hidden} : DimVector{d, batch, hidden};
  TENON_TRY(must(5, "initial_h", state));
  if (c.node().op == "LSTM") {
    TENON_TRY(must(6, "initial_c", state));
    TENON_TRY(must(7, "P", {d, Dim(3) * hidden}));
  }
  if (c.wants(0))
    c.set(0, dtype, batch_first ? DimVector{batch, steps, d, hidden} : DimVector{steps, d, batch, hidden});
  if (c.wants(1)) c.set(1, dtype, state);
  if (c.wants(2)) c.set(2, dtype, state);
  return {};
}

struct RnnState final : KernelState {
  RnnConfig config;
  bool packed = false;
  kernels::RnnWeights<float> f32;
  kernels::RnnWeights<double> f64;
  template <class T>
  kernels::RnnWeights<T>& weights() {
    if constexpr (std::is_same_v<T, float>) return f32;
    else return f64;
  }
  template <class T>
  const kernels::RnnWeights<T>& weights() const {
    return const_cast<RnnState*>(this)->weights<T>();
  }
};

Result<StatePtr> pack_rnn_node(PackContext& c) {
  auto state = std::make_unique<RnnState>();
  auto constant_or_missing = [&](size_t i) { return !c.has(i) || c.constant(i); };
  const Tensor *w = c.constant(1), *r = c.constant(2);
  if (!w || !r || !constant_or_missing(3) || !constant_or_missing(7)) return StatePtr(std::move(state));
  TENON_ASSIGN(state->config, config_of(c.node(), w->shape(), r->shape()));
  Status s = with_float(c.in_type(0), [&](auto zero) -> Status {
    using T = decltype(zero);
    auto wv = constant_as<T>(w), rv = constant_as<T>(r), bv = constant_as<T>(c.constant(3)),
         pv = constant_as<T>(c.constant(7));
    TENON_ASSIGN(state->template weights<T>(),
                 kernels::pack_rnn<T>(state->config, wv.data(), rv.data(), bv.empty() ? nullptr : bv.data(),
                                      pv.empty() ? nullptr : pv.data(), c.team()));
    return {};
  });
  if (!s.ok()) return s;
  state->packed = true;
  for (size_t i : {1, 2, 3, 7})
    if (c.has(i)) c.release(i);
  return StatePtr(std::move(state));
}

template <class T>
Status run_rnn_as(KernelContext& c) {
  auto& state = c.state<RnnState>();
  RnnConfig config = state.config;
  kernels::RnnWeights<T> loose;
  const kernels::RnnWeights<T>* weights = &state.weights<T>();
  if (!state.packed) {
    TENON_ASSIGN(config, config_of(c.node(), c.in(1).shape(), c.in(2).shape()));
    TENON_ASSIGN(const T* w, input_as<T>(c, 1));
    TENON_ASSIGN(const T* r, input_as<T>(c, 2));
    TENON_ASSIGN(const T* b, input_as<T>(c, 3));
    TENON_ASSIGN(const T* p, input_as<T>(c, 7));
    TENON_ASSIGN(loose, kernels::pack_rnn<T>(config, w, r, b, p, c.team()));
    weights = &loose;
  }
  kernels::RnnRun<T> run;
  auto dims = c.in(0).shape();
  run.steps = dims[config.batch_first ? 1 : 0];
  run.batch = dims[config.batch_first ? 0 : 1];
  if (dims[2] != config.input_size)
    return invalid(c.node().op, ": X ", list_text(dims), " has ", dims[2], " features, W takes ", config.input_size);
  TENON_ASSIGN(run.x, input_as<T>(c, 0));
  Dims lengths;
  SmallVector<int32_t, 16> lengths32;
  if (c.has(4)) {
    TENON_ASSIGN(lengths, read_ints(c.in(4)));
    for (int64_t v : lengths) lengths32.push_back(static_cast<int32_t>(std::clamp<int64_t>(v, INT32_MIN, INT32_MAX)));
    if (static_cast<int64_t>(lengths32.size()) != run.batch)
      return invalid(c.node().op, ": sequence_lens has ", lengths32.size(), " entries for a batch of ", run.batch);
    run.lengths = lengths32.data();
  }
  TENON_ASSIGN(run.initial_h, input_as<T>(c, 5));
  TENON_ASSIGN(run.initial_c, input_as<T>(c, 6));
  TENON_ASSIGN(auto y, OutputAs<T>::of(c, 0));
  TENON_ASSIGN(auto y_h, OutputAs<T>::of(c, 1));
  TENON_ASSIGN(auto y_c, OutputAs<T>::of(c, 2));
  run.y = y.data();
  run.y_h = y_h.data();
  run.y_c = y_c.data();
  TENON_ASSIGN(
      void* scratch,
      c.scratch(static_cast<size_t>(kernels::rnn_scratch_bytes<T>(config, run.steps, run.batch, c.team().width()))));
  TENON_TRY(kernels::run_rnn<T>(config, *weights, run, scratch, c.team()));
  y.finish();
  y_h.finish();
  y_c.finish();
  return {};
}

Status run_rnn_node(KernelContext& c) {
  return with_float(c.in(0).dtype, [&](auto zero) { return run_rnn_as<decltype(zero)>(c); });
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// Forward layers with default functions, no lengths, layout 0: enough to check every gate; the kernel's own tests
/// cover the rest.
std::vector<CaseTensor> rnn_reference(std::string_view op, const Case& c, const std::vector<CaseTensor>& in) {
  int64_t steps = in[0].dims[0], batch = in[0].dims[1], input = in[0].dims[2], hidden = in[2].dims[2];
  int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
  bool linear = c.attr("linear_before_reset", 0) != 0;
  auto given = [&](size_t i) { return in.size() > i && !in[i].missing; };
  CaseTensor y, y_h, y_c;
  y.dims = {steps, 1, batch, hidden};
  y_h.dims = y_c.dims = {1, batch, hidden};
  y.data.resize(static_cast<size_t>(product(y.dims)));
  std::vector<double> h(static_cast<size_t>(batch * hidden)), cell(h.size());
  if (given(5)) h = in[5].data;
  if (given(6)) cell = in[6].data;
  auto bias = [&](int64_t row) { return given(3) ? in[3].data[static_cast<size_t>(row)] : 0.0; };
  for (int64_t t = 0; t < steps; ++t) {
    std::vector<double> next = h;
    for (int64_t b = 0; b < batch; ++b) {
      auto from_x = [&](int64_t row) {
        double s = bias(row);
        for (int64_t k = 0; k < input; ++k)
          s += in[1].data[static_cast<size_t>(row * input + k)] *
               in[0].data[static_cast<size_t>((t * batch + b) * input + k)];
        return s;
      };
      auto from_h = [&](int64_t row, const double* scale) {
        double s = 0;
        for (int64_t k = 0; k < hidden; ++k)
          s += in[2].data[static_cast<size_t>(row * hidden + k)] * h[static_cast<size_t>(b * hidden + k)] *
               (scale ? scale[k] : 1);
        return s;
      };
      auto both = [&](int64_t gate, int64_t j) {
        int64_t row = gate * hidden + j;
        return from_x(row) + from_h(row, nullptr) + bias(gates * hidden + row);
      };
      std::vector<double> reset(static_cast<size_t>(hidden));
      if (op == "GRU")
        for (int64_t j = 0; j < hidden; ++j) reset[static_cast<size_t>(j)] = sigmoid(both(1, j));
      for (int64_t j = 0; j < hidden; ++j) {
        size_t at = static_cast<size_t>(b * hidden + j);
        if (op == "LSTM") {
          double i = sigmoid(both(0, j)), o = sigmoid(both(1, j)), f = sigmoid(both(2, j)), g = std::tanh(both(3, j));
          cell[at] = f * cell[at] + i * g;
          next[at] = o * std::tanh(cell[at]);
        } else if (op == "GRU") {
          double z = sigmoid(both(0, j)), r = reset[static_cast<size_t>(j)];
          int64_t row = 2 * hidden + j;
          double hidden_part = linear ? r * (from_h(row, nullptr) + bias(gates * hidden + row))
                                      : from_h(row, reset.data()) + bias(gates * hidden + row);
          next[at] = (1 - z) * std::tanh(from_x(row) + hidden_part) + z * h[at];
        } else {
          next[at] = std::tanh(both(0, j));
        }
        y.data[static_cast<size_t>((t * batch + b) * hidden + j)] = next[at];
      }
    }
    h = next;
  }
  y_h.data = h;
  y_c.data = cell;
  if (op == "LSTM") return {y, y_h, y_c};
  return {y, y_h};
}

void add_rnn_cases(Cases& cases, int64_t gates) {
  cases.types(TypeSet{DType::kF32, DType::kF64, DType::kF16});
  auto layer = [&](std::string say, int64_t steps, int64_t batch, int64_t input, int64_t hidden, bool all) {
    auto add = cases.add(std::move(say));
    add.in(range({steps, batch, input}, -1, 1))
        .in(range({1, gates * hidden, input}, -0.5, 0.5))
        .in(range({1, gates * hidden, hidden}, -0.5, 0.4));
    if (all) {
      add.in(range({1, 2 * gates * hidden}, -0.3, 0.3)).in(missing()).in(range({1, batch, hidden}, -1, 1));
      if (gates == 4) add.in(range({1, batch, hidden}, -0.7, 1));
    }
    return add.attr("hidden_size", hidden).tolerance(2e-3);
  };
  layer("plain", 3, 2, 4, 5, false);
  layer("bias and states", 4, 1, 3, 9, true);
  layer("wider than a vector", 2, 3, 8, 20, true);
  if (gates == 3) layer("linear before reset", 3, 2, 4, 5, true).attr("linear_before_reset", 1);
}

constexpr TypeSet kLengths{DType::kI32};

}  // namespace

TENON_OP(lstm){
    .name = "LSTM",
    .since = {1, 7, 14, 22},
    .in = {port("X", kFloats, "T"), port("W", kFloats, "T"), port("R", kFloats, "T"), optional(port("B", kFloats, "T")),
           optional(port("sequence_lens", kLengths)), optional(port("initial_h", kFloats, "T")),
           optional(port("initial_c", kFloats, "T")), optional(port("P", kFloats, "T"))},
    .out = {optional(port("Y", kFloats, "T")), optional(port("Y_h", kFloats, "T")),
            optional(port("Y_c", kFloats, "T"))},
    .attributes = {{"activations", 'S'},
                   {"activation_alpha", 'F'},
                   {"activation_beta", 'F'},
                   {"clip", 'f'},
                   {"direction", 's'},
                   {"hidden_size", 'i'},
                   {"input_forget", 'i'},
                   {"layout", 'i'}},
    .shape = rnn_shape,
};
TENON_CPU(lstm){{{{.name = "steps", .pack = pack_rnn_node, .run = run_rnn_node}}}};
TENON_CASES(lstm) {
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) { return rnn_reference("LSTM", c, in); });
  add_rnn_cases(cases, 4);
}

TENON_OP(gru){
    .name = "GRU",
    .since = {1, 3, 7, 14, 22},
    .in = {port("X", kFloats, "T"), port("W", kFloats, "T"), port("R", kFloats, "T"), optional(port("B", kFloats, "T")),
           optional(port("sequence_lens", kLengths)), optional(port("initial_h", kFloats, "T"))},
    .out = {optional(port("Y", kFloats, "T")), optional(port("Y_h", kFloats, "T"))},
    .attributes = {{"activations", 'S'},
                   {"activation_alpha", 'F'},
                   {"activation_beta", 'F'},
                   {"clip", 'f'},
                   {"direction", 's'},
                   {"hidden_size", 'i'},
                   {"linear_before_reset", 'i'},
                   {"layout", 'i'}},
    .shape = rnn_shape,
};
TENON_CPU(gru){{{{.name = "steps", .pack = pack_rnn_node, .run = run_rnn_node}}}};
TENON_CASES(gru) {
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) { return rnn_reference("GRU", c, in); });
  add_rnn_cases(cases, 3);
}

TENON_OP(rnn){
    .name = "RNN",
    .since = {1, 7, 14, 22},
    .in = {port("X", kFloats, "T"), port("W", kFloats, "T"), port("R", kFloats, "T"), optional(port("B", kFloats, "T")),
           optional(port("sequence_lens", kLengths)), optional(port("initial_h", kFloats, "T"))},
    .out = {optional(port("Y", kFloats, "T")), optional(port("Y_h", kFloats, "T"))},
    .attributes = {{"activations", 'S'},
                   {"activation_alpha", 'F'},
                   {"activation_beta", 'F'},
                   {"clip", 'f'},
                   {"direction", 's'},
                   {"hidden_size", 'i'},
                   {"layout", 'i'}},
    .shape = rnn_shape,
};
TENON_CPU(rnn){{{{.name = "steps", .pack = pack_rnn_node, .run = run_rnn_node}}}};
TENON_CASES(rnn) {
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) { return rnn_reference("RNN", c, in); });
  add_rnn_cases(cases, 1);
}

}  // namespace tenon::ops
