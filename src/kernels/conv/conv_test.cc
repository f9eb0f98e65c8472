// Tests of convolutions against a plain sum in double precision.
// SPDX-License-Identifier: MIT
#include "kernels/conv/conv.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/gemm/each_target.h"
#include "threads/pool.h"

namespace tenon::kernels {
namespace {

struct Case {
  int spatial = 2;
  int64_t batch = 1, in_ch = 1, out_ch = 1, group = 1;
  std::vector<int64_t> in, kernel, stride, dilation, pad_begin, pad_end, out_pad;
  bool transposed = false;
};

std::vector<float> random(int64_t n, unsigned seed) {
  std::mt19937 gen(seed);
  std::uniform_real_distribution<float> dist(-1, 1);
  std::vector<float> v(static_cast<size_t>(n));
  for (float& x : v) x = dist(gen);
  return v;
}

struct Sizes {
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, k[3] = {1, 1, 1}, s[3] = {1, 1, 1}, d[3] = {1, 1, 1}, p[3] = {0, 0, 0};
};

/// Channels-last convolution, straight from the definition.
std::vector<double> reference(const Case& c, const Sizes& z, const std::vector<float>& x, const std::vector<float>& w) {
  const int64_t ig = c.in_ch / c.group, og = c.out_ch / c.group, taps = z.k[0] * z.k[1] * z.k[2];
  std::vector<double> y(static_cast<size_t>(c.batch * z.out[0] * z.out[1] * z.out[2] * c.out_ch));
  for (int64_t n = 0; n < c.batch; ++n)
    for (int64_t o = 0; o < z.out[0] * z.out[1] * z.out[2]; ++o)
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t at[3] = {o / (z.out[1] * z.out[2]), o / z.out[2] % z.out[1], o % z.out[2]};
        const int64_t kt[3] = {t / (z.k[1] * z.k[2]), t / z.k[2] % z.k[1], t % z.k[2]};
        int64_t i[3];
        bool in = true;
        for (int q = 0; q < 3; ++q) {
          if (c.transposed) {
            const int64_t up = at[q] + z.p[q] - kt[q] * z.d[q];
            if (up < 0 || up % z.s[q]) in = false;
            i[q] = up / z.s[q];
          } else {
            i[q] = at[q] * z.s[q] - z.p[q] + kt[q] * z.d[q];
          }
          if (i[q] < 0 || i[q] >= z.in[q]) in = false;
        }
        if (!in) continue;
        const float* px = &x[static_cast<size_t>((((n * z.in[0] + i[0]) * z.in[1] + i[1]) * z.in[2] + i[2]) * c.in_ch)];
        double* py = &y[static_cast<size_t>((n * z.out[0] * z.out[1] * z.out[2] + o) * c.out_ch)];
        for (int64_t m = 0; m < c.out_ch; ++m)
          for (int64_t q = 0; q < ig; ++q) {
            const int64_t g = m / og;
            const int64_t wi = c.transposed ? ((g * ig + q) * og + m % og) * taps + t : (m * ig + q) * taps + t;
            py[m] += double(px[g * ig + q]) * w[static_cast<size_t>(wi)];
          }
      }
  return y;
}

void check(const Case& c, bool tail = false, Activation act = {}, bool exact = true,
           ConvPlan::Algorithm* algorithm = nullptr) {
  ConvShape shape;
  shape.spatial = c.spatial;
  shape.in_channels = c.in_ch, shape.out_channels = c.out_ch, shape.group = c.group;
  shape.transposed = c.transposed;
  shape.exact = exact;
  Sizes z;
  std::vector<int64_t> pb(3), pe(3), op(3);
  for (int i = 0; i < c.spatial; ++i) {
    shape.kernel[i] = c.kernel[i];
    if (!c.stride.empty()) shape.stride[i] = c.stride[i];
    if (!c.dilation.empty()) shape.dilation[i] = c.dilation[i];
    if (!c.pad_begin.empty()) pb[i] = c.pad_begin[i];
    if (!c.pad_end.empty()) pe[i] = c.pad_end[i];
    if (!c.out_pad.empty()) op[i] = c.out_pad[i];
  }
  auto sizes = conv_sizes(shape, c.batch, c.in.data(), pb.data(), pe.data(), op.data());
  ASSERT_TRUE(sizes.ok()) << sizes.status().to_string();
  for (int i = 0; i < c.spatial; ++i) {
    const int to = 3 - c.spatial + i;
    z.in[to] = c.in[i], z.out[to] = sizes->out[i], z.p[to] = pb[i];
    z.k[to] = shape.kernel[i], z.s[to] = shape.stride[i], z.d[to] = shape.dilation[i];
  }
  SCOPED_TRACE(testing::Message() << "in " << c.batch << "x" << z.in[0] << "x" << z.in[1] << "x" << z.in[2] << "x"
                                  << c.in_ch << " -> " << c.out_ch << " group " << c.group << " k" << z.k[0] << z.k[1]
                                  << z.k[2] << " s" << z.s[0] << z.s[1] << z.s[2] << " d" << z.d[0] << z.d[1] << z.d[2]
                                  << " p" << z.p[0] << z.p[1] << z.p[2] << " transposed " << c.transposed << " tail "
                                  << tail);
  const int64_t taps = z.k[0] * z.k[1] * z.k[2];
  const auto x = random(c.batch * z.in[0] * z.in[1] * z.in[2] * c.in_ch, 1);
  const auto w = random(c.in_ch * c.out_ch / c.group * taps, 2);
  const auto bias = random(c.out_ch, 3);
  const auto want = reference(c, z, x, w);
  const auto residual = random(static_cast<int64_t>(want.size()), 4);
  static Pool* pool = new Pool(3);
  auto plan = make_conv(shape, w.data(), tail ? bias.data() : nullptr, act, Team(pool, 3));
  ASSERT_TRUE(plan.ok()) << plan.status().to_string();
  if (algorithm) *algorithm = plan->algorithm();
  const bool winograd = plan->algorithm() == ConvPlan::Algorithm::kWinograd4;
  std::vector<float> first;
  for (int width : {1, 3}) {
    constexpr size_t kGuard = 32;
    std::vector<float> y(want.size() + 2 * kGuard, 777.0f);
    const int64_t bytes = conv_scratch_bytes(*plan, *sizes, width);
    std::vector<char> scratch(static_cast<size_t>(bytes) + 256, 0x7f);
    char* aligned = reinterpret_cast<char*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
    run_conv(*plan, *sizes, x.data(), tail ? residual.data() : nullptr, y.data() + kGuard, Team(pool, width), aligned);
    for (int i = 0; i < 64; ++i) ASSERT_EQ(aligned[bytes + i], 0x7f) << "scratch overrun";
    for (size_t i = 0; i < kGuard; ++i) {
      ASSERT_EQ(y[i], 777.0f);
      ASSERT_EQ(y[y.size() - 1 - i], 777.0f);
    }
    if (width != 1) {
      ASSERT_EQ(std::memcmp(first.data(), y.data(), y.size() * 4), 0) << "bits differ with threads";
      continue;
    }
    first = y;
    const double depth = static_cast<double>(taps * c.in_ch / c.group);
    const double limit = winograd ? 3e-6 * (4 + std::sqrt(depth)) * 4 : 2.5e-7 * (8 + 4 * std::sqrt(depth));
    for (size_t i = 0; i < want.size(); ++i) {
      double v = want[i];
      if (tail) v += bias[i % static_cast<size_t>(c.out_ch)] + double(residual[i]);
      if (act.kind == Act::kRelu) v = std::max(v, 0.0);
      if (act.kind == Act::kSilu) v = v / (1 + std::exp(-v));
      ASSERT_NEAR(y[kGuard + i], v, limit) << "at " << i;
    }
  }
}

void all_forms(Case c) {
  check(c);
  check(c, true, Activation::relu());
  check(c, true, Activation::silu());
  check(c, false, Activation::relu());
}

template <class F>
void on_every_target(const F& f) {
  for_each_target([&](const char* name) {
    SCOPED_TRACE(name);
    f();
  });
}

TEST(Conv, TwoDimensions) {
  on_every_target([] {
    all_forms({2, 2, 3, 20, 1, {9, 11}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    all_forms({2, 1, 16, 33, 1, {7, 30}, {3, 5}, {2, 1}, {1, 2}, {1, 0}, {2, 3}});
    all_forms({2, 1, 40, 70, 1, {12, 13}, {3, 3}, {2, 2}, {2, 3}, {2, 3}, {2, 3}});
    all_forms({2, 2, 17, 5, 1, {6, 5}, {1, 1}});
    all_forms({2, 1, 17, 5, 1, {6, 5}, {1, 1}, {2, 2}});
    all_forms({2, 1, 8, 9, 1, {6, 5}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, {0, 2}});
    all_forms({2, 1, 5, 4, 1, {3, 3}, {7, 7}, {1, 1}, {1, 1}, {3, 3}, {3, 3}});
    all_forms({2, 1, 3, 64, 1, {23, 25}, {7, 7}, {2, 2}, {1, 1}, {3, 3}, {3, 3}});
    all_forms({2, 1, 200, 40, 1, {5, 6}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
  });
}

TEST(Conv, OneAndThreeDimensions) {
  on_every_target([] {
    all_forms({1, 2, 10, 12, 1, {50}, {3}, {1}, {1}, {1}, {1}});
    all_forms({1, 1, 1, 7, 1, {40}, {10}, {5}, {1}, {0}, {0}});
    all_forms({1, 1, 12, 8, 2, {33}, {5}, {2}, {3}, {4}, {6}});
    all_forms({3, 1, 4, 6, 1, {5, 6, 7}, {3, 3, 3}, {1, 2, 1}, {1, 1, 2}, {1, 1, 1}, {1, 0, 2}});
    all_forms({3, 2, 6, 6, 3, {4, 4, 4}, {2, 2, 2}, {2, 2, 2}});
    all_forms({3, 1, 9, 9, 9, {4, 5, 6}, {3, 3, 3}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}});
  });
}

TEST(Conv, Groups) {
  on_every_target([] {
    all_forms({2, 1, 12, 12, 3, {8, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    all_forms({2, 1, 64, 64, 16, {8, 9}, {3, 3}, {2, 2}, {1, 1}, {1, 1}, {1, 1}});
    for (int64_t g : {2, 4, 8, 16}) {
      all_forms({2, 2, 96, 96, 96 / g, {7, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
      all_forms({2, 1, 32, 32, 32 / g, {9, 10}, {3, 2}, {2, 2}, {1, 2}, {0, 1}, {2, 1}});
    }
    all_forms({2, 2, 20, 90, 2, {5, 6}, {1, 1}});
    all_forms({2, 1, 14, 7, 7, {5, 6}, {3, 3}});
    all_forms({2, 1, 100, 100, 2, {6, 5}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
  });
}

TEST(Conv, Depthwise) {
  on_every_target([] {
    for (int64_t ch : {2, 5, 8, 16, 31, 33, 48, 70, 144}) {
      all_forms({2, 1, ch, ch, ch, {9, 20}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
      all_forms({2, 2, ch, ch, ch, {11, 12}, {5, 5}, {2, 2}, {1, 1}, {2, 1}, {2, 3}});
    }
    all_forms({2, 1, 20, 60, 20, {7, 13}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    all_forms({2, 1, 20, 40, 20, {7, 13}, {3, 2}, {2, 3}, {2, 2}, {3, 4}, {1, 5}});
    all_forms({2, 1, 6, 6, 6, {2, 3}, {3, 3}, {1, 1}, {2, 2}, {2, 2}, {2, 2}});
    all_forms({2, 1, 6, 6, 6, {1, 1}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}});
    all_forms({1, 1, 24, 24, 24, {60}, {31}, {1}, {1}, {15}, {15}});
    all_forms({2, 1, 6, 6, 6, {4, 4}, {3, 3}, {1, 1}, {5, 5}, {5, 5}, {5, 5}});
  });
}

TEST(Conv, Transposed) {
  on_every_target([] {
    for (int64_t s : {1, 2, 3}) {
      Case c{2, 1, 6, 5, 1, {5, 4}, {3, 4}, {s, s}, {1, 1}, {1, 0}, {0, 1}, {0, s - 1}, true};
      all_forms(c);
      c = {2, 2, 8, 40, 2, {3, 6}, {2, 3}, {s, 2}, {2, 1}, {0, 2}, {1, 1}, {s - 1, 1}, true};
      all_forms(c);
    }
    all_forms({1, 1, 16, 8, 1, {20}, {8}, {4}, {1}, {2}, {2}, {0}, true});
    all_forms({1, 1, 4, 4, 1, {7}, {2}, {5}, {1}, {0}, {0}, {3}, true});
    all_forms({3, 1, 4, 6, 2, {3, 2, 3}, {2, 3, 2}, {2, 1, 2}, {1, 1, 1}, {0, 1, 0}, {1, 0, 1}, {0, 0, 1}, true});
    all_forms({2, 1, 12, 12, 12, {5, 4}, {4, 4}, {2, 2}, {1, 1}, {1, 1}, {1, 1}, {0, 0}, true});
  });
}

TEST(Conv, Winograd) {
  on_every_target([] {
    for (auto [h, w] : std::vector<std::array<int64_t, 2>>{{1, 1}, {4, 4}, {5, 7}, {12, 13}, {28, 27}})
      for (auto [ci, co] : std::vector<std::array<int64_t, 2>>{{16, 16}, {37, 50}, {96, 33}}) {
        Case c{2, 2, ci, co, 1, {h, w}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
        ConvPlan::Algorithm algorithm;
        check(c, false, {}, false, &algorithm);
        EXPECT_EQ(algorithm, ConvPlan::Algorithm::kWinograd4);
        check(c, true, Activation::silu(), false);
        check(c, true, Activation::relu(), false);
        c.pad_begin = {0, 2}, c.pad_end = {2, 1};
        check(c, false, Activation::relu(), false);
      }
  });
}

TEST(Conv, RandomShapes) {
  std::mt19937 gen(11);
  auto pick = [&](int lo, int hi) { return static_cast<int64_t>(lo + static_cast<int>(gen() % (hi - lo + 1))); };
  for (int round = 0; round < 400; ++round) {
    Case c;
    c.spatial = static_cast<int>(pick(1, 3));
    c.group = pick(0, 2) ? 1 : pick(1, 6);
    c.in_ch = c.group * pick(1, pick(0, 1) ? 3 : 20);
    c.out_ch = c.group * pick(1, pick(0, 1) ? 3 : 40);
    c.batch = pick(1, 2);
    c.transposed = pick(0, 2) == 0;
    for (int i = 0; i < c.spatial; ++i) {
      c.kernel.push_back(pick(1, 4));
      c.stride.push_back(pick(1, 3));
      c.dilation.push_back(pick(1, 2));
      c.pad_begin.push_back(pick(0, 2));
      c.pad_end.push_back(pick(0, 2));
      c.out_pad.push_back(c.transposed ? pick(0, static_cast<int>(c.stride.back()) - 1) : 0);
      c.in.push_back(pick(c.transposed ? 5 : static_cast<int>((c.kernel.back() - 1) * c.dilation.back() + 1), 14));
    }
    check(c, pick(0, 1), pick(0, 1) ? Activation::relu() : Activation{}, pick(0, 1));
    if (HasFatalFailure()) return;
  }
}

TEST(Conv, Errors) {
  ConvShape s;
  s.in_channels = 4, s.out_channels = 6, s.group = 4;
  const std::vector<float> w(1000);
  EXPECT_FALSE(make_conv(s, w.data(), nullptr, {}, Team()).ok());
  s.group = 1, s.stride[1] = 0;
  EXPECT_FALSE(make_conv(s, w.data(), nullptr, {}, Team()).ok());
  s.stride[1] = 1, s.spatial = 4;
  EXPECT_FALSE(make_conv(s, w.data(), nullptr, {}, Team()).ok());
  s.spatial = 2, s.kernel[0] = s.kernel[1] = 5;
  const int64_t in[] = {3, 3}, none[] = {0, 0};
  EXPECT_FALSE(conv_sizes(s, 1, in, none, none).ok());
}

}  // namespace
}  // namespace tenon::kernels
