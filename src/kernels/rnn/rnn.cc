// Recurrent layers: weights are packed by blocks of hidden units, inputs of all steps are projected at once.
// SPDX-License-Identifier: MIT
#include "kernels/rnn/rnn.h"

#include <algorithm>
#include <string>

#include "kernels/gemm/blocking.h"
#include "kernels/rnn/step.h"

namespace tenon::kernels {
namespace {

struct NamedFunction {
  std::string_view name;
  RnnFunction function;
  int takes;
};
constexpr NamedFunction kFunctions[] = {
    {"relu", {RnnActivation::kRelu, 0, 0}, 0},
    {"tanh", {RnnActivation::kTanh, 0, 0}, 0},
    {"sigmoid", {RnnActivation::kSigmoid, 0, 0}, 0},
    {"affine", {RnnActivation::kAffine, 1, 0}, 2},
    {"leakyrelu", {RnnActivation::kLeakyRelu, 0.01f, 0}, 1},
    {"thresholdedrelu", {RnnActivation::kThresholdedRelu, 1, 0}, 1},
    {"scaledtanh", {RnnActivation::kScaledTanh, 1, 1}, 2},
    {"hardsigmoid", {RnnActivation::kHardSigmoid, 0.2f, 0.5f}, 2},
    {"elu", {RnnActivation::kElu, 1, 0}, 1},
    {"softsign", {RnnActivation::kSoftsign, 0, 0}, 0},
    {"softplus", {RnnActivation::kSoftplus, 0, 0}, 0},
};

template <class T>
Gemm<T> projection(const RnnConfig& c, int64_t rows) {
  Gemm<T> g;
  g.m = rows;
  g.k = c.input_size;
  g.lda = c.input_size;
  g.n = g.ldc = rnn_blocks(c) * kRnnBlock * c.gates();
  return g;
}

// Memory of one run: the projected inputs of all directions, then per direction states and row lists, then gemm
// scratch.
template <class T>
struct Layout {
  Layout(const RnnConfig& c, int64_t steps, int64_t batch)
      : projected(round_up(steps * batch * rnn_blocks(c) * kRnnBlock * c.gates() * int64_t{sizeof(T)}, 64)),
        state(round_up(batch * rnn_blocks(c) * kRnnBlock * int64_t{sizeof(T)}, 64)),
        rows(round_up(batch * 8, 64)),
        active(round_up(batch, 64)) {}
  int64_t direction() const { return projected + 5 * state + rows + active; }
  int64_t projected, state, rows, active;
};

}  // namespace

Result<RnnFunction> rnn_function(std::string_view name, int* takes) {
  std::string lower(name);
  for (char& ch : lower) {
    if (ch >= 'A' && ch <= 'Z') ch = static_cast<char>(ch - 'A' + 'a');
  }
  for (const NamedFunction& f : kFunctions) {
    if (f.name == lower) {
      *takes = f.takes;
      return f.function;
    }
  }
  return invalid("unknown activation '", name, "'");
}

void set_default_functions(RnnConfig* config) {
  const RnnFunction tanh{RnnActivation::kTanh, 0, 0}, sigmoid{RnnActivation::kSigmoid, 0, 0};
  for (auto& f : config->functions) {
    f[0] = config->kind == RnnKind::kRnn ? tanh : sigmoid;
    f[1] = f[2] = tanh;
  }
}

template <class T>
Result<RnnWeights<T>> pack_rnn(const RnnConfig& c, const T* w, const T* r, const T* b, const T* p, const Team& team) {
  const int64_t h = c.hidden_size, in = c.input_size, gates = c.gates(), blocks = rnn_blocks(c);
  const int64_t padded = blocks * kRnnBlock, columns = padded * gates;
  const bool before = c.kind == RnnKind::kGru && c.linear_before_reset;
  RnnWeights<T> out;
  std::vector<T> ordered(static_cast<size_t>(columns * in));
  for (int64_t d = 0; d < c.directions(); ++d) {
    const T* wd = w + d * gates * h * in;
    const T* rd = r + d * gates * h * h;
    const T* bd = b ? b + d * 2 * gates * h : nullptr;
    std::fill(ordered.begin(), ordered.end(), T{0});
    auto& packed = out.r[d];
    auto& bias = out.bias[d];
    packed.assign(static_cast<size_t>(columns * h), T{0});
    bias.assign(static_cast<size_t>(columns), T{0});
    if (before) out.hidden_bias[d].assign(static_cast<size_t>(padded), T{0});
    for (int64_t g = 0; g < gates; ++g) {
      for (int64_t u = 0; u < h; ++u) {
        const int64_t row = g * h + u;
        const int64_t panel = u / kRnnBlock * gates + g, lane = u % kRnnBlock, column = panel * kRnnBlock + lane;
        std::copy_n(wd + row * in, in, ordered.begin() + column * in);
        for (int64_t k = 0; k < h; ++k) {
          packed[static_cast<size_t>((panel * h + k) * kRnnBlock + lane)] = rd[row * h + k];
        }
        if (!bd) continue;
        const bool apart = before && g == 2;
        bias[static_cast<size_t>(column)] = apart ? bd[row] : bd[row] + bd[gates * h + row];
        if (apart) out.hidden_bias[d][static_cast<size_t>(u)] = bd[gates * h + row];
      }
    }
    TENON_ASSIGN(out.w[d], pack_b(ordered.data(), in, true, in, columns, team));
    if (!p || c.kind != RnnKind::kLstm) continue;
    out.peephole[d].assign(static_cast<size_t>(3 * padded), T{0});
    for (int64_t i = 0; i < 3; ++i) std::copy_n(p + (d * 3 + i) * h, h, out.peephole[d].begin() + i * padded);
  }
  return out;
}

template <class T>
int64_t rnn_scratch_bytes(const RnnConfig& config, int64_t steps, int64_t batch, int team_width) {
  return config.directions() * Layout<T>(config, steps, batch).direction() +
         gemm_scratch_bytes(projection<T>(config, steps * batch), team_width);
}

namespace {

// All steps of one direction.
template <class T>
void run_direction(const RnnConfig& c, const RnnWeights<T>& weights, const RnnRun<T>& run, int64_t d, char* memory,
                   const Team& team) {
  const int64_t h = c.hidden_size, gates = c.gates(), blocks = rnn_blocks(c), stride = blocks * kRnnBlock;
  const int64_t batch = run.batch, steps = run.steps, directions = c.directions();
  const Layout<T> layout(c, steps, batch);
  const bool backward = c.direction == RnnDirection::kReverse || d == 1;
  T* states[5];
  for (int64_t i = 0; i < 5; ++i) states[i] = reinterpret_cast<T*>(memory + layout.projected + i * layout.state);
  int64_t* rows = reinterpret_cast<int64_t*>(memory + layout.projected + 5 * layout.state);
  uint8_t* active = reinterpret_cast<uint8_t*>(rows) + layout.rows;
  const auto place = [&](int64_t b) { return c.batch_first ? b * directions + d : d * batch + b; };
  const auto fill_state = [&](T* to, const T* from) {
    std::fill_n(to, batch * stride, T{0});
    for (int64_t b = 0; from && b < batch; ++b) std::copy_n(from + place(b) * h, h, to + b * stride);
  };
  T *now = states[0], *next = states[1], *cell = states[2];
  fill_state(now, run.initial_h);
  fill_state(cell, c.kind == RnnKind::kLstm ? run.initial_c : nullptr);
  std::fill_n(states[3], batch * stride, T{0});
  std::fill_n(states[4], batch * stride, T{0});

  RnnStep<T> step;
  step.config = &c;
  step.functions = c.functions[d];
  step.batch = batch;
  step.stride = stride;
  step.r = weights.r[d].data();
  step.x = reinterpret_cast<const T*>(memory);
  step.rows = rows;
  step.active = active;
  step.c = cell;
  step.update = states[3];
  step.reset = states[4];
  step.hidden_bias = weights.hidden_bias[d].data();
  step.peephole = weights.peephole[d].empty() ? nullptr : weights.peephole[d].data();
  const bool two_phases = c.kind == RnnKind::kGru && !c.linear_before_reset;
  const double block_ns = 20.0 + static_cast<double>(batch) * (static_cast<double>(gates * h) * 0.6 + 100.0);
  for (int64_t s = 0; s < steps; ++s) {
    for (int64_t b = 0; b < batch; ++b) {
      const int64_t length = run.lengths ? run.lengths[b] : steps;
      active[b] = s < length;
      const int64_t t = s >= length ? 0 : backward ? length - 1 - s : s;
      rows[b] = c.batch_first ? b * steps + t : t * batch + b;
    }
    step.h = now;
    step.h_new = next;
    for (int phase = 0; phase < (two_phases ? 2 : 1); ++phase) {
      team.parallel_for_cost(blocks, block_ns, [&](int64_t begin, int64_t end) { rnn_step(step, phase, begin, end); });
    }
    std::swap(now, next);
    if (!run.y) continue;
    for (int64_t b = 0; b < batch; ++b) {
      // Ended entries get their zeros at the steps beyond their length: here s itself, whatever the direction.
      const int64_t t = active[b] ? (c.batch_first ? rows[b] - b * steps : (rows[b] - b) / batch) : s;
      T* to = run.y + (c.batch_first ? (b * steps + t) * directions + d : (t * directions + d) * batch + b) * h;
      if (active[b]) std::copy_n(now + b * stride, h, to);
      else std::fill_n(to, h, T{0});
    }
  }
  for (int64_t b = 0; b < batch; ++b) {
    if (run.y_h) std::copy_n(now + b * stride, h, run.y_h + place(b) * h);
    if (run.y_c && c.kind == RnnKind::kLstm) std::copy_n(cell + b * stride, h, run.y_c + place(b) * h);
  }
}

}  // namespace

template <class T>
Status run_rnn(const RnnConfig& c, const RnnWeights<T>& weights, const RnnRun<T>& run, void* scratch,
               const Team& team) {
  for (int64_t b = 0; run.lengths && b < run.batch; ++b) {
    if (run.lengths[b] < 0 || run.lengths[b] > run.steps) {
      return invalid("sequence length ", run.lengths[b], " at position ", b, " is outside of [0, ", run.steps, "]");
    }
  }
  if (run.batch == 0 || c.hidden_size == 0) return {};
  char* memory = static_cast<char*>(scratch);
  const int64_t size = Layout<T>(c, run.steps, run.batch).direction();
  for (int64_t d = 0; d < c.directions() && run.steps > 0; ++d) {
    Gemm<T> g = projection<T>(c, run.steps * run.batch);
    g.a = run.x;
    g.packed = &weights.w[d];
    g.bias_col = weights.bias[d].data();
    g.c = reinterpret_cast<T*>(memory + d * size);
    gemm(g, team, memory + c.directions() * size);
  }
  if (c.directions() == 1) {
    run_direction(c, weights, run, 0, memory, team);
  } else {  // two independent chains: one thread each beats sharing out the blocks of each step
    const double ns = static_cast<double>(run.steps * run.batch * c.gates() * c.hidden_size) *
                      (static_cast<double>(c.hidden_size) * 0.04 + 5.0);
    team.parallel_for_cost(2, ns, [&](int64_t begin, int64_t end) {
      const Team inner = end - begin == 2 ? team : Team();
      for (int64_t d = begin; d < end; ++d) run_direction(c, weights, run, d, memory + d * size, inner);
    });
  }
  return {};
}

template Result<RnnWeights<float>> pack_rnn(const RnnConfig&, const float*, const float*, const float*, const float*,
                                            const Team&);
template Result<RnnWeights<double>> pack_rnn(const RnnConfig&, const double*, const double*, const double*,
                                             const double*, const Team&);
template int64_t rnn_scratch_bytes<float>(const RnnConfig&, int64_t, int64_t, int);
template int64_t rnn_scratch_bytes<double>(const RnnConfig&, int64_t, int64_t, int);
template Status run_rnn(const RnnConfig&, const RnnWeights<float>&, const RnnRun<float>&, void*, const Team&);
template Status run_rnn(const RnnConfig&, const RnnWeights<double>&, const RnnRun<double>&, void*, const Team&);

}  // namespace tenon::kernels
