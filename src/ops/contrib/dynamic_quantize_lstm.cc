// DynamicQuantizeLSTM of the peer: an LSTM with weights of 8 bits whose inputs and states are quantised as they come.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/gemm/gemm.h"
#include "kernels/quant/linear.h"
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

/// One weight matrix of one direction: integers less their zero point, as floats (exact), and the scale of each column.
struct Matrix {
  kernels::PackedB<float> packed;
  std::vector<float> scale;
};

Result<Matrix> pack_matrix(const Tensor& w, const Tensor& scale, const Tensor& zero, int64_t direction,
                           const Team& team) {
  int64_t rows = w.shape()[1], columns = w.shape()[2], count = rows * columns;
  int64_t directions = w.shape()[0];
  for (const Tensor* t : {&scale, &zero})
    if (t->count() != directions && t->count() != directions * columns)
      return invalid("DynamicQuantizeLSTM: ", t->count(), " scales or zero points for ", directions, " directions of ",
                     columns, " columns");
  std::vector<float> values(static_cast<size_t>(count)), scales(static_cast<size_t>(scale.count())),
      zeros(static_cast<size_t>(zero.count()));
  convert(w.dtype(), w.as<const char>() + direction * count, DType::kF32, values.data(), count);
  convert(scale.dtype(), scale.data(), DType::kF32, scales.data(), scale.count());
  convert(zero.dtype(), zero.data(), DType::kF32, zeros.data(), zero.count());
  auto at = [&](const std::vector<float>& v, int64_t column) {
    bool per_column = static_cast<int64_t>(v.size()) == directions * columns && columns != 1;
    return v[static_cast<size_t>(per_column ? direction * columns + column : direction)];
  };
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t k = 0; k < columns; ++k) values[static_cast<size_t>(r * columns + k)] -= at(zeros, k);
  Matrix m;
  for (int64_t k = 0; k < columns; ++k) m.scale.push_back(at(scales, k));
  TENON_ASSIGN(m.packed,
               kernels::pack_b(static_cast<const float*>(values.data()), columns, false, rows, columns, team));
  return m;
}

struct LstmState final : KernelState {
  Way way = Way::kForward;
  int64_t features = 0, hidden = 0;
  Matrix w[2], r[2];
  float clip = 0;
  bool input_forget = false;
};

Result<StatePtr> pack_lstm(PackContext& c) {
  auto s = std::make_unique<LstmState>();
  TENON_ASSIGN(s->way, way_of(c.node()));
  s->clip = c.node().float_or("clip", 0);
  s->input_forget = c.node().int_or("input_forget", 0) != 0;
  const Tensor *w = c.constant(1), *r = c.constant(2);
  size_t directions = s->way == Way::kBoth ? 2 : 1;
  if (w->shape().size() != 3 || r->shape().size() != 3 || w->shape()[0] != static_cast<int64_t>(directions) ||
      r->shape()[0] != w->shape()[0] || r->shape()[2] != 4 * r->shape()[1] || w->shape()[2] != r->shape()[2])
    return invalid("DynamicQuantizeLSTM: W ", w->to_string(), " and R ", r->to_string(), " do not fit together");
  s->features = w->shape()[1];
  s->hidden = r->shape()[1];
  for (size_t d = 0; d < directions; ++d) {
    TENON_ASSIGN(s->w[d], pack_matrix(*w, *c.constant(8), *c.constant(9), static_cast<int64_t>(d), c.team()));
    TENON_ASSIGN(s->r[d], pack_matrix(*r, *c.constant(10), *c.constant(11), static_cast<int64_t>(d), c.team()));
  }
  c.release(1);
  c.release(2);
  return StatePtr(std::move(s));
}

/// y [m, n] = x quantised to 8 bits (one scale for all of it) times the matrix, back in floats.
class Product {
 public:
  static Result<Product> of(KernelContext& c, int64_t most, int64_t width) {
    Product p;
    TENON_ASSIGN(void* bytes, c.scratch(static_cast<size_t>(most * width + 1)));
    TENON_ASSIGN(void* floats, c.scratch(static_cast<size_t>(most * width + 1) * sizeof(float)));
    p.bytes_ = static_cast<uint8_t*>(bytes);
    p.floats_ = static_cast<float*>(floats);
    return p;
  }
  kernels::Gemm<float> gemm_for(const Matrix& w, int64_t m, float* y) const {
    kernels::Gemm<float> g;
    g.m = m;
    g.n = g.ldc = w.packed.n;
    g.k = g.lda = w.packed.k;
    g.a = floats_;
    g.packed = &w.packed;
    g.c = y;
    return g;
  }
  void run(const float* x, const Matrix& w, int64_t m, float* y, void* scratch, const Team& team) {
    int64_t count = m * w.packed.k;
    float scale = 1;
    uint8_t zero = 0;
    kernels::dynamic_quantize_linear(bytes_, &scale, &zero, x, count, team);
    for (int64_t i = 0; i < count; ++i) floats_[i] = static_cast<float>(int{bytes_[i]} - int{zero});
    kernels::gemm(gemm_for(w, m, y), team, scratch);
    int64_t n = w.packed.n;
    for (int64_t r = 0; r < m; ++r)
      for (int64_t k = 0; k < n; ++k) y[r * n + k] *= scale * w.scale[static_cast<size_t>(k)];
  }

 private:
  uint8_t* bytes_ = nullptr;
  float* floats_ = nullptr;
};

float sigmoid(float x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

Result<float*> floats(KernelContext& c, int64_t count) {
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(std::max<int64_t>(count, 1)) * sizeof(float)));
  return static_cast<float*>(p);
}

Status run_lstm(KernelContext& c) {
  const auto& s = c.state<LstmState>();
  const TensorRef& x = c.in(0);
  int64_t steps = x.dims[0], batch = x.dims[1], hidden = s.hidden, gates = 4 * hidden,
          directions = s.way == Way::kBoth ? 2 : 1;
  if (x.dims[2] != s.features) return invalid("DynamicQuantizeLSTM: X has ", x.dims[2], " features, W ", s.features);
  for (int64_t b = 0; c.has(4) && b < batch; ++b)
    if (int32_t n = c.in(4).as<int32_t>()[b]; n < 0 || n > steps)
      return invalid("DynamicQuantizeLSTM: length ", n, " is outside of 0..", steps);
  TENON_ASSIGN(Product by_x, Product::of(c, steps * batch, s.features));
  TENON_ASSIGN(Product by_h, Product::of(c, batch, hidden));
  TENON_ASSIGN(float* xw, floats(c, steps * batch * gates));
  TENON_ASSIGN(float* hr, floats(c, batch * gates));
  TENON_ASSIGN(float* h, floats(c, batch * hidden));
  TENON_ASSIGN(float* cell, floats(c, batch * hidden));
  int64_t bytes = std::max(kernels::gemm_scratch_bytes(by_x.gemm_for(s.w[0], steps * batch, xw), c.team().width()),
                           kernels::gemm_scratch_bytes(by_h.gemm_for(s.r[0], batch, hr), c.team().width()));
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(bytes)));
  float* y = c.wants(0) ? c.out(0).as<float>() : nullptr;
  auto clip = [&](float v) { return s.clip > 0 ? std::clamp(v, -s.clip, s.clip) : v; };
  for (int64_t d = 0; d < directions; ++d) {
    const float* bias = c.has(3) ? c.in(3).as<float>() + d * 2 * gates : nullptr;
    const float* peep = c.has(7) ? c.in(7).as<float>() + d * 3 * hidden : nullptr;
    size_t state = static_cast<size_t>(batch * hidden);
    if (c.has(5)) std::copy_n(c.in(5).as<float>() + d * batch * hidden, state, h);
    else std::fill_n(h, state, 0.0f);
    if (c.has(6)) std::copy_n(c.in(6).as<float>() + d * batch * hidden, state, cell);
    else std::fill_n(cell, state, 0.0f);
    if (steps) by_x.run(x.as<float>(), s.w[d], steps * batch, xw, scratch, c.team());
    bool reverse = s.way == Way::kReverse || d == 1;
    for (int64_t step = 0; step < steps; ++step) {
      by_h.run(h, s.r[d], batch, hr, scratch, c.team());
      for (int64_t b = 0; b < batch; ++b) {
        int64_t length = c.has(4) ? c.in(4).as<int32_t>()[b] : steps, t = reverse ? length - 1 - step : step;
        if (step >= length) {
          if (y) std::fill_n(y + ((step * directions + d) * batch + b) * hidden, hidden, 0.0f);
          continue;
        }
        const float *gx = xw + (t * batch + b) * gates, *gh = hr + b * gates;
        for (int64_t k = 0; k < hidden; ++k) {
          auto gate = [&](int64_t g) {
            int64_t at = g * hidden + k;
            return gx[at] + gh[at] + (bias ? bias[at] + bias[gates + at] : 0);
          };
          float& cc = cell[b * hidden + k];
          float input = sigmoid(clip(gate(0) + (peep ? peep[k] * cc : 0)));
          float forget = s.input_forget ? 1 - input : sigmoid(clip(gate(2) + (peep ? peep[2 * hidden + k] * cc : 0)));
          cc = forget * cc + input * std::tanh(clip(gate(3)));
          float output = sigmoid(clip(gate(1) + (peep ? peep[hidden + k] * cc : 0)));
          h[b * hidden + k] = output * std::tanh(cc);
        }
        if (y) std::copy_n(h + b * hidden, hidden, y + ((t * directions + d) * batch + b) * hidden);
      }
    }
    if (c.wants(1)) std::copy_n(h, state, c.out(1).as<float>() + d * batch * hidden);
    if (c.wants(2)) std::copy_n(cell, state, c.out(2).as<float>() + d * batch * hidden);
  }
  return {};
}

/// Constant weights and the default activations.
bool can_lstm(const KernelQuery& q) {
  for (size_t i : {size_t{1}, size_t{2}, size_t{8}, size_t{9}, size_t{10}, size_t{11}})
    if (!q.constant(i)) return false;
  auto* names = q.node().get<std::vector<std::string>>("activations");
  static constexpr std::string_view kDefault[] = {"Sigmoid", "Tanh", "Tanh"};
  auto same = [](std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return (x | 32) == (y | 32); });
  };
  for (size_t i = 0; names && i < names->size(); ++i)
    if (!same((*names)[i], kDefault[i % 3])) return false;
  return true;
}

constexpr TypeSet kBytes{DType::kU8, DType::kI8}, kF32Only{DType::kF32}, kI32Only{DType::kI32};

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
TENON_CPU(dynamic_quantize_lstm){
    {{{.name = "integers in floats", .can = can_lstm, .pack = pack_lstm, .run = run_lstm}}}};
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
