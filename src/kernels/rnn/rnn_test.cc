// Tests of recurrent layers against the equations of the specification in double precision.
// SPDX-License-Identifier: MIT
#include "kernels/rnn/rnn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernels/guarded.h"

namespace tenon::kernels {
namespace {

double act(const RnnFunction& f, double x) {
  switch (f.kind) {
    case RnnActivation::kRelu: return std::max(x, 0.0);
    case RnnActivation::kTanh: return std::tanh(x);
    case RnnActivation::kSigmoid: return 1 / (1 + std::exp(-x));
    case RnnActivation::kAffine: return f.alpha * x + f.beta;
    case RnnActivation::kLeakyRelu: return x >= 0 ? x : f.alpha * x;
    case RnnActivation::kThresholdedRelu: return x >= f.alpha ? x : 0;
    case RnnActivation::kScaledTanh: return f.alpha * std::tanh(f.beta * x);
    case RnnActivation::kHardSigmoid: return std::min(std::max(f.alpha * x + f.beta, 0.0), 1.0);
    case RnnActivation::kElu: return x >= 0 ? x : f.alpha * (std::exp(x) - 1);
    case RnnActivation::kSoftsign: return x / (1 + std::abs(x));
    case RnnActivation::kSoftplus: return std::log(1 + std::exp(x));
  }
  return 0;
}

struct Case {
  RnnConfig c;
  int64_t steps, batch;
  bool bias, initial, peephole, lengths;
};

template <class T>
std::vector<T> numbers(Random& random, int64_t n, double scale = 0.7) {
  std::vector<T> v(static_cast<size_t>(n));
  for (T& x : v) x = static_cast<T>(random.unit() * scale);
  return v;
}

template <class T>
void check(const Case& k, double tolerance) {
  const RnnConfig& c = k.c;
  Random random(static_cast<uint64_t>(c.hidden_size * 31 + k.steps));
  const int64_t D = c.directions(), G = c.gates(), H = c.hidden_size, I = c.input_size, S = k.steps, B = k.batch;
  const auto x = numbers<T>(random, S * B * I), w = numbers<T>(random, D * G * H * I),
             r = numbers<T>(random, D * G * H * H), bias = numbers<T>(random, D * 2 * G * H),
             h0 = numbers<T>(random, D * B * H), c0 = numbers<T>(random, D * B * H), p = numbers<T>(random, D * 3 * H);
  std::vector<int32_t> lengths;
  for (int64_t b = 0; b < B; ++b) lengths.push_back(static_cast<int32_t>(b == 0 ? S : random.between(0, S)));
  std::vector<double> want_y(static_cast<size_t>(S * D * B * H), 0.0), want_h(static_cast<size_t>(D * B * H)),
      want_c = want_h;
  for (int64_t d = 0; d < D; ++d) {
    for (int64_t b = 0; b < B; ++b) {
      const int64_t place = c.batch_first ? b * D + d : d * B + b;
      std::vector<double> h(static_cast<size_t>(H)), cell(static_cast<size_t>(H));
      for (int64_t u = 0; u < H; ++u) {
        h[static_cast<size_t>(u)] = k.initial ? h0[static_cast<size_t>(place * H + u)] : 0;
        cell[static_cast<size_t>(u)] = k.initial ? c0[static_cast<size_t>(place * H + u)] : 0;
      }
      const int64_t length = k.lengths ? lengths[static_cast<size_t>(b)] : S;
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = c.direction == RnnDirection::kReverse || d == 1 ? length - 1 - s : s;
        const auto dot_x = [&](int64_t g, int64_t u) {
          double sum = k.bias ? bias[static_cast<size_t>((d * 2 * G + g) * H + u)] : 0;
          for (int64_t i = 0; i < I; ++i) {
            sum += double(x[static_cast<size_t>((c.batch_first ? b * S + t : t * B + b) * I + i)]) *
                   w[static_cast<size_t>(((d * G + g) * H + u) * I + i)];
          }
          return sum;
        };
        const auto dot_h = [&](int64_t g, int64_t u, const std::vector<double>& v) {
          double sum = k.bias ? bias[static_cast<size_t>((d * 2 * G + G + g) * H + u)] : 0;
          for (int64_t i = 0; i < H; ++i) {
            sum += v[static_cast<size_t>(i)] * r[static_cast<size_t>(((d * G + g) * H + u) * H + i)];
          }
          return sum;
        };
        const auto clip = [&](double v) { return c.clip > 0 ? std::clamp<double>(v, -double(c.clip), c.clip) : v; };
        const RnnFunction* f = c.functions[d];
        std::vector<double> next = h, reset = h;
        for (int64_t u = 0; u < H; ++u) {
          const size_t q = static_cast<size_t>(u);
          if (c.kind == RnnKind::kRnn) next[q] = act(f[0], clip(dot_x(0, u) + dot_h(0, u, h)));
          if (c.kind == RnnKind::kGru) reset[q] = h[q] * act(f[0], clip(dot_x(1, u) + dot_h(1, u, h)));
          if (c.kind == RnnKind::kLstm) {
            const auto peep = [&](int64_t g, double v) {
              return k.peephole ? v * p[static_cast<size_t>((d * 3 + g) * H + u)] : 0;
            };
            const double in = act(f[0], clip(dot_x(0, u) + dot_h(0, u, h) + peep(0, cell[q])));
            double forget = act(f[0], clip(dot_x(2, u) + dot_h(2, u, h) + peep(2, cell[q])));
            if (c.input_forget) forget = 1 - in;
            cell[q] = forget * cell[q] + in * act(f[1], clip(dot_x(3, u) + dot_h(3, u, h)));
            next[q] = act(f[0], clip(dot_x(1, u) + dot_h(1, u, h) + peep(1, cell[q]))) * act(f[2], cell[q]);
          }
        }
        for (int64_t u = 0; u < H && c.kind == RnnKind::kGru; ++u) {
          const size_t q = static_cast<size_t>(u);
          const double z = act(f[0], clip(dot_x(0, u) + dot_h(0, u, h)));
          double m;
          if (c.linear_before_reset) {
            m = dot_x(2, u) + act(f[0], clip(dot_x(1, u) + dot_h(1, u, h))) * dot_h(2, u, h);
          } else {
            m = dot_x(2, u) + dot_h(2, u, reset);
          }
          next[q] = (1 - z) * act(f[1], clip(m)) + z * h[q];
        }
        h = next;
        for (int64_t u = 0; u < H; ++u) {
          const int64_t at = c.batch_first ? (b * S + t) * D + d : (t * D + d) * B + b;
          want_y[static_cast<size_t>(at * H + u)] = h[static_cast<size_t>(u)];
        }
      }
      for (int64_t u = 0; u < H; ++u) {
        want_h[static_cast<size_t>(place * H + u)] = h[static_cast<size_t>(u)];
        want_c[static_cast<size_t>(place * H + u)] = cell[static_cast<size_t>(u)];
      }
    }
  }
  auto weights =
      pack_rnn<T>(c, w.data(), r.data(), k.bias ? bias.data() : nullptr, k.peephole ? p.data() : nullptr, Team());
  ASSERT_TRUE(weights.ok());
  std::vector<T> first;
  for (const Team& team : {Team(), wide_team()}) {
    Guarded<T> y(S * D * B * H), yh(D * B * H), yc(D * B * H);
    Guarded<uint8_t> scratch(rnn_scratch_bytes<T>(c, S, B, team.width()) + 64);
    RnnRun<T> run;
    run.steps = S;
    run.batch = B;
    run.x = x.data();
    run.lengths = k.lengths ? lengths.data() : nullptr;
    run.initial_h = k.initial ? h0.data() : nullptr;
    run.initial_c = k.initial ? c0.data() : nullptr;
    run.y = y.data();
    run.y_h = yh.data();
    run.y_c = yc.data();
    void* memory = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t{63});
    ASSERT_TRUE(run_rnn(c, *weights, run, memory, team).ok());
    for (int64_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], want_y[static_cast<size_t>(i)], tolerance) << i;
    for (int64_t i = 0; i < yh.size(); ++i) ASSERT_NEAR(yh[i], want_h[static_cast<size_t>(i)], tolerance) << i;
    for (int64_t i = 0; i < yc.size() && c.kind == RnnKind::kLstm; ++i) {
      ASSERT_NEAR(yc[i], want_c[static_cast<size_t>(i)], tolerance) << i;
    }
    if (first.empty()) first = y.items();
    ASSERT_TRUE(first.empty() || std::memcmp(first.data(), y.data(), first.size() * sizeof(T)) == 0)
        << "depends on the threads";
  }
}

TEST(Rnn, AllKindsAgainstEquations) {
  for (RnnKind kind : {RnnKind::kRnn, RnnKind::kGru, RnnKind::kLstm}) {
    for (RnnDirection direction : {RnnDirection::kForward, RnnDirection::kReverse, RnnDirection::kBidirectional}) {
      for (int variant = 0; variant < 16; ++variant) {
        Case k;
        k.c.kind = kind;
        k.c.direction = direction;
        k.c.input_size = variant % 3 == 0 ? 1 : 7;
        k.c.hidden_size = variant % 4 == 0 ? 16 : variant % 4 == 1 ? 5 : variant % 4 == 2 ? 33 : 1;
        k.c.batch_first = variant & 1;
        k.c.clip = variant & 2 ? 0.4f : 0;
        k.c.linear_before_reset = variant & 4;
        k.c.input_forget = variant & 8;
        set_default_functions(&k.c);
        k.steps = variant % 5 + 1;
        k.batch = variant % 8 + 1;
        k.bias = variant % 3 != 1;
        k.initial = variant & 4;
        k.peephole = variant & 1;
        k.lengths = variant & 2;
        check<float>(k, 3e-6);
        check<double>(k, 1e-13);
      }
    }
  }
}

TEST(Rnn, Activations) {
  for (const char* name : {"Relu", "Tanh", "Sigmoid", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh",
                           "HardSigmoid", "Elu", "Softsign", "Softplus"}) {
    int takes = -1;
    auto f = rnn_function(name, &takes);
    ASSERT_TRUE(f.ok());
    if (takes > 0) f->alpha = 0.3f;
    if (takes > 1) f->beta = 0.2f;
    Case k{{}, 3, 2, true, true, false, false};
    k.c.kind = RnnKind::kGru;
    k.c.input_size = 4;
    k.c.hidden_size = 9;
    for (auto& g : k.c.functions[0]) g = *f;
    check<float>(k, 3e-5);
    check<double>(k, 1e-12);
  }
  int takes = 0;
  EXPECT_FALSE(rnn_function("Gelu", &takes).ok());
}

TEST(Rnn, LargeAndEmpty) {
  Case k{{}, 5, 13, true, true, true, true};
  k.c.input_size = 40;
  k.c.hidden_size = 200;
  k.c.direction = RnnDirection::kBidirectional;
  set_default_functions(&k.c);
  for (RnnKind kind : {RnnKind::kRnn, RnnKind::kGru, RnnKind::kLstm}) {
    k.c.kind = kind;
    set_default_functions(&k.c);
    check<float>(k, 1e-4);
  }
  k.steps = 0;
  check<float>(k, 0);
  const int32_t bad[] = {4};
  RnnRun<float> run;
  run.steps = 3;
  run.batch = 1;
  run.lengths = bad;
  EXPECT_EQ(run_rnn(k.c, RnnWeights<float>(), run, nullptr, Team()).message(),
            "sequence length 4 at position 0 is outside of [0, 3]");
}

}  // namespace
}  // namespace tenon::kernels
