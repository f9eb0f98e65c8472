// The step loop of the 8-bit LSTM: integer products, then the gates of the float LSTM.
// SPDX-License-Identifier: MIT
#include "kernels/rnn/quantized_lstm.h"

#include <algorithm>
#include <utility>

#include "kernels/gemm/blocking.h"
#include "kernels/quant/linear.h"
#include "kernels/rnn/step.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kGates = 4;

int64_t stride_of(const RnnConfig& c) { return rnn_blocks(c) * kRnnBlock; }
int64_t columns_of(const RnnConfig& c) { return stride_of(c) * kGates; }

/// Where column `gate`, `unit` of the given matrix stands in the packed one.
int64_t place_of(int64_t gate, int64_t unit) {
  return (unit / kRnnBlock * kGates + gate) * kRnnBlock + unit % kRnnBlock;
}

Result<QuantizedLstmWeights::Part> pack_part(const RnnConfig& c, const QuantizedMatrix& m, int64_t rows,
                                             const Team& team) {
  const int64_t hidden = c.hidden_size, columns = columns_of(c);
  const auto *values = static_cast<const uint8_t*>(m.values), *zero = static_cast<const uint8_t*>(m.zero);
  QuantizedLstmWeights::Part part;
  part.is_signed = m.is_signed;
  part.scale.assign(static_cast<size_t>(columns), 0.0f);
  part.zero.assign(static_cast<size_t>(columns), 0);
  std::vector<uint8_t> ordered(static_cast<size_t>(rows * columns));  // what has no unit is 0 with zero point 0
  for (int64_t gate = 0; gate < kGates; ++gate)
    for (int64_t unit = 0; unit < hidden; ++unit) {
      const int64_t from = gate * hidden + unit, to = place_of(gate, unit), which = m.per_column ? from : 0;
      part.scale[static_cast<size_t>(to)] = m.scale[which];
      part.zero[static_cast<size_t>(to)] = zero[which];
      for (int64_t r = 0; r < rows; ++r)
        ordered[static_cast<size_t>(r * columns + to)] = values[r * kGates * hidden + from];
    }
  TENON_ASSIGN(part.packed, pack_int8(ordered.data(), m.is_signed, columns, false, rows, columns, team));
  return part;
}

GemmInt8 product_of(const QuantizedLstmWeights::Part* part, int64_t rows, int64_t k, int64_t n, int64_t lda) {
  GemmInt8 g;
  g.m = rows;
  g.n = g.ldc = n;
  g.k = k;
  g.lda = lda;
  g.a_zero_count = 1;
  if (!part) return g;
  g.b = &part->packed;
  g.b_zero = part->zero.data();
  g.b_zero_count = n;
  g.b_signed = part->is_signed;
  return g;
}

/// Memory of one direction, in bytes.
struct Layout {
  Layout(const RnnConfig& c, int64_t steps, int64_t batch, int width)
      : bytes_x(round_up(steps * batch * c.input_size, 64)),
        projected(round_up(steps * batch * columns_of(c) * 4, 64)),
        gates(round_up(batch * columns_of(c) * 4, 64)),
        state(round_up(batch * stride_of(c) * 4, 64)),
        rows(round_up(batch * 8, 64)),
        active(round_up(batch, 64)),
        gemm(round_up(
            std::max(
                gemm_int8_scratch_bytes(product_of(nullptr, steps * batch, c.input_size, columns_of(c), c.input_size),
                                        width),
                gemm_int8_scratch_bytes(product_of(nullptr, batch, c.hidden_size, columns_of(c), stride_of(c)), width)),
            64)) {}
  // projected holds integers first, floats then; state: h, new h, c and the quantised h
  int64_t total() const { return bytes_x + projected + 2 * gates + 4 * state + rows + active + gemm; }
  int64_t bytes_x, projected, gates, state, rows, active, gemm;
};

void run_direction(const RnnConfig& c, const QuantizedLstmWeights& weights, const RnnRun<float>& run, int64_t d,
                   char* memory, const Layout& layout, const Team& team) {
  const int64_t h = c.hidden_size, blocks = rnn_blocks(c), stride = stride_of(c), columns = columns_of(c);
  const int64_t batch = run.batch, steps = run.steps, directions = c.directions();
  const bool backward = c.direction == RnnDirection::kReverse || d == 1;
  auto take = [&](int64_t bytes) { return std::exchange(memory, memory + bytes); };
  auto* x_bytes = reinterpret_cast<uint8_t*>(take(layout.bytes_x));
  auto* projected = reinterpret_cast<float*>(take(layout.projected));
  auto* products = reinterpret_cast<int32_t*>(take(layout.gates));
  auto* gates = reinterpret_cast<float*>(take(layout.gates));
  auto* now = reinterpret_cast<float*>(take(layout.state));
  auto* next = reinterpret_cast<float*>(take(layout.state));
  auto* cell = reinterpret_cast<float*>(take(layout.state));
  auto* h_bytes = reinterpret_cast<uint8_t*>(take(layout.state));
  auto* rows = reinterpret_cast<int64_t*>(take(layout.rows));
  auto* active = reinterpret_cast<uint8_t*>(take(layout.active));
  const auto place = [&](int64_t b) { return d * batch + b; };
  const auto fill_state = [&](float* to, const float* from) {
    std::fill_n(to, batch * stride, 0.0f);
    for (int64_t b = 0; from && b < batch; ++b) std::copy_n(from + place(b) * h, h, to + b * stride);
  };
  fill_state(now, run.initial_h);
  fill_state(cell, run.initial_c);

  float scale = 1;
  uint8_t zero = 0;
  if (steps) {
    dynamic_quantize_linear(x_bytes, &scale, &zero, run.x, steps * batch * c.input_size, team);
    GemmInt8 g = product_of(&weights.w, steps * batch, c.input_size, columns, c.input_size);
    g.a = x_bytes;
    g.a_zero = &zero;
    g.c = reinterpret_cast<int32_t*>(projected);
    gemm_int8(g, team, memory);
    for (int64_t r = 0; r < steps * batch; ++r) {
      float* to = projected + r * columns;
      add_scaled(to, weights.bias.data(), reinterpret_cast<const int32_t*>(to), weights.w.scale.data(), scale, columns);
    }
  }

  RnnConfig gates_only = c;  // the recurrent products are added here, in integers
  gates_only.hidden_size = 0;
  RnnStep<float> step;
  step.config = &gates_only;
  step.functions = c.functions[d];
  step.batch = batch;
  step.stride = stride;
  step.r = gates;
  step.x = gates;
  step.rows = rows;
  step.active = active;
  step.c = cell;
  step.peephole = weights.peephole.empty() ? nullptr : weights.peephole.data();
  GemmInt8 g = product_of(&weights.r, batch, h, columns, stride);
  g.a = h_bytes;
  g.a_zero = &zero;
  g.c = products;
  for (int64_t b = 0; b < batch; ++b) rows[b] = b;
  const auto time_of = [&](int64_t s, int64_t b) {
    const int64_t length = run.lengths ? run.lengths[b] : steps;
    return s >= length ? s : backward ? length - 1 - s : s;
  };
  for (int64_t s = 0; s < steps; ++s) {
    dynamic_quantize_linear(h_bytes, &scale, &zero, now, batch * stride, team);
    gemm_int8(g, team, memory);
    for (int64_t b = 0; b < batch; ++b) {
      active[b] = !run.lengths || s < run.lengths[b];
      add_scaled(gates + b * columns, projected + (time_of(s, b) * batch + b) * columns, products + b * columns,
                 weights.r.scale.data(), scale, columns);
    }
    step.h = now;
    step.h_new = next;
    rnn_step(step, 0, 0, blocks);
    std::swap(now, next);
    if (!run.y) continue;
    for (int64_t b = 0; b < batch; ++b) {
      float* to = run.y + ((time_of(s, b) * directions + d) * batch + b) * h;
      if (active[b]) std::copy_n(now + b * stride, h, to);
      else std::fill_n(to, h, 0.0f);
    }
  }
  for (int64_t b = 0; b < batch; ++b) {
    if (run.y_h) std::copy_n(now + b * stride, h, run.y_h + place(b) * h);
    if (run.y_c) std::copy_n(cell + b * stride, h, run.y_c + place(b) * h);
  }
}

}  // namespace

Result<QuantizedLstmWeights> pack_quantized_lstm(const RnnConfig& c, const QuantizedMatrix& w, const QuantizedMatrix& r,
                                                 const float* bias, const float* peephole, const Team& team) {
  const int64_t h = c.hidden_size, stride = stride_of(c);
  QuantizedLstmWeights out;
  TENON_ASSIGN(out.w, pack_part(c, w, c.input_size, team));
  TENON_ASSIGN(out.r, pack_part(c, r, h, team));
  out.bias.assign(static_cast<size_t>(columns_of(c)), 0.0f);
  for (int64_t gate = 0; bias && gate < kGates; ++gate)
    for (int64_t unit = 0; unit < h; ++unit)
      out.bias[static_cast<size_t>(place_of(gate, unit))] = bias[gate * h + unit] + bias[(kGates + gate) * h + unit];
  if (peephole) {
    out.peephole.assign(static_cast<size_t>(3 * stride), 0.0f);
    for (int64_t i = 0; i < 3; ++i) std::copy_n(peephole + i * h, h, out.peephole.begin() + i * stride);
  }
  return out;
}

int64_t quantized_lstm_scratch_bytes(const RnnConfig& c, int64_t steps, int64_t batch, int team_width) {
  return c.directions() * Layout(c, steps, batch, team_width).total();
}

Status run_quantized_lstm(const RnnConfig& c, const QuantizedLstmWeights* weights, const RnnRun<float>& run,
                          void* scratch, const Team& team) {
  for (int64_t b = 0; run.lengths && b < run.batch; ++b)
    if (run.lengths[b] < 0 || run.lengths[b] > run.steps)
      return invalid("sequence length ", run.lengths[b], " at position ", b, " is outside of [0, ", run.steps, "]");
  if (run.batch == 0 || c.hidden_size == 0) return {};
  const Layout layout(c, run.steps, run.batch, team.width());
  char* memory = static_cast<char*>(scratch);
  const auto direction = [&](int64_t d, const Team& with) {
    run_direction(c, weights[d], run, d, memory + d * layout.total(), layout, with);
  };
  if (c.directions() == 1) {
    direction(0, team);
    return {};
  }
  const double ns = static_cast<double>(run.steps * run.batch * c.hidden_size) *
                    (static_cast<double>(c.hidden_size + c.input_size) * 0.05 + 10.0);
  team.parallel_for_cost(2, ns, [&](int64_t begin, int64_t end) {
    const Team inner = end - begin == 2 ? team : Team();
    for (int64_t d = begin; d < end; ++d) direction(d, inner);
  });
  return {};
}

}  // namespace tenon::kernels
