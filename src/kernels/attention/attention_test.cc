// Tests of attention against plain loops in f64.
// SPDX-License-Identifier: MIT
#include "kernels/attention/attention.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "threads/pool.h"

namespace tenon {
namespace {

struct Sizes {
  int64_t batch, q_heads, kv_heads, q_len, kv_len, d, dv;
};
struct Options {
  bool causal = false;
  int64_t offset = 0, window = 0, past = 0;
  float softcap = 0;
  int bias = 0;  // 0 none, 1 full, 2 broadcast over batch and head
  bool mask = false, packed = false, lens = false, sink = false;
};
struct Setup : Sizes, Options {};

std::vector<float> random(int64_t n, int seed) {
  std::mt19937 rng(static_cast<unsigned>(seed));
  std::uniform_real_distribution<float> u(-1.5f, 1.5f);
  std::vector<float> v(static_cast<size_t>(n));
  for (float& x : v) x = u(rng);
  return v;
}

void check(const Sizes& sizes, const Options& options = {}) {
  const Setup s{sizes, options};
  const int64_t fresh = s.kv_len - s.past;
  const auto q = random(s.batch * s.q_heads * s.q_len * s.d, 1), k = random(s.batch * s.kv_heads * fresh * s.d, 2),
             v = random(s.batch * s.kv_heads * fresh * s.dv, 3),
             pk = random(s.batch * s.kv_heads * s.past * s.d + 1, 4),
             pv = random(s.batch * s.kv_heads * s.past * s.dv + 1, 5),
             bias = random(s.batch * s.q_heads * s.q_len * s.kv_len, 6), sink = random(s.q_heads, 8);
  const std::unique_ptr<bool[]> mask(new bool[static_cast<size_t>(s.batch * s.q_len * s.kv_len)]);
  for (int64_t i = 0; i < s.batch * s.q_len * s.kv_len; ++i) mask[i] = i % 7 != 3 && i / s.kv_len != 2;
  std::vector<int64_t> lens(static_cast<size_t>(s.batch));
  for (int64_t b = 0; b < s.batch; ++b) lens[b] = std::max<int64_t>(0, s.kv_len - 3 * b);
  const auto strides = [&](int64_t heads, int64_t len, int64_t d) {
    return s.packed ? HeadStrides{heads * len * d, d, heads * d} : HeadStrides{heads * len * d, len * d, d};
  };
  std::vector<float> out(static_cast<size_t>(s.batch * s.q_heads * s.q_len * s.dv), -9), again = out;
  Attention a;
  a.batch = s.batch, a.q_heads = s.q_heads, a.kv_heads = s.kv_heads, a.q_len = s.q_len, a.kv_len = s.kv_len;
  a.head_size = s.d, a.v_head_size = s.dv, a.softcap = s.softcap, a.causal = s.causal, a.causal_offset = s.offset,
  a.window = s.window;
  a.q = q.data(), a.k = k.data(), a.v = v.data();
  a.q_strides = strides(s.q_heads, s.q_len, s.d), a.k_strides = strides(s.kv_heads, fresh, s.d),
  a.v_strides = strides(s.kv_heads, fresh, s.dv);
  a.out_strides = strides(s.q_heads, s.q_len, s.dv);
  if (s.past) {
    a.past_k = pk.data(), a.past_v = pv.data(), a.past_len = s.past;
    a.past_k_strides = strides(s.kv_heads, s.past, s.d), a.past_v_strides = strides(s.kv_heads, s.past, s.dv);
  }
  if (s.bias) {
    a.bias = bias.data(), a.bias_row = s.kv_len;
    if (s.bias == 1) a.bias_head = s.q_len * s.kv_len, a.bias_batch = s.q_heads * a.bias_head;
  }
  if (s.mask) a.mask = mask.get(), a.mask_row = s.kv_len, a.mask_batch = s.q_len * s.kv_len;
  if (s.lens) a.kv_lens = lens.data(), a.offset_from_lens = s.causal;
  if (s.sink) a.sink = sink.data();
  Pool pool(3);
  const auto run = [&](float* to, const Team& team) {
    a.out = to;
    std::vector<float> scratch(static_cast<size_t>(attention_scratch_bytes(a, team.width()) / 4 + 16));
    float* aligned = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
    ASSERT_TRUE(attention(a, aligned, team).ok());
  };
  run(out.data(), Team());
  run(again.data(), Team(&pool, 3));
  EXPECT_EQ(0, std::memcmp(out.data(), again.data(), out.size() * 4)) << "threads change bits";
  for (int64_t b = 0; b < s.batch; ++b) {
    for (int64_t h = 0; h < s.q_heads; ++h) {
      const int64_t g = h / (s.q_heads / s.kv_heads);
      for (int64_t i = 0; i < s.q_len; ++i) {
        const int64_t valid = s.lens ? lens[b] : s.kv_len, own = i + (s.lens && s.causal ? valid - s.q_len : s.offset);
        std::vector<double> w(static_cast<size_t>(s.kv_len), -INFINITY);
        double top = s.sink ? sink[h] : -INFINITY, sum = 0;
        const auto key = [&](const std::vector<float>& p, const HeadStrides& t, int64_t j, int64_t e) {
          return double(p[b * t.batch + g * t.head + j * t.position + e]);
        };
        bool any = false;
        for (int64_t j = 0; j < valid; ++j) {
          if ((s.causal && j > own) || (s.window && j <= own - s.window)) continue;
          if (s.mask && !mask[(b * s.q_len + i) * s.kv_len + j]) continue;
          double dot = 0;
          for (int64_t e = 0; e < s.d; ++e) {
            dot += double(q[b * a.q_strides.batch + h * a.q_strides.head + i * a.q_strides.position + e]) *
                   (j < s.past ? key(pk, a.past_k_strides, j, e) : key(k, a.k_strides, j - s.past, e));
          }
          dot /= std::sqrt(double(s.d));
          if (s.softcap > 0) dot = s.softcap * std::tanh(dot / s.softcap);
          if (s.bias) dot += bias[b * a.bias_batch + h * a.bias_head + i * a.bias_row + j];
          w[j] = dot, top = std::max(top, dot), any = true;
        }
        for (double& x : w) x = any ? std::exp(x - top) : 0, sum += x;
        if (s.sink) sum += std::exp(sink[h] - top);
        for (int64_t e = 0; e < s.dv; ++e) {
          double want = 0;
          for (int64_t j = 0; j < valid && any; ++j)
            want += w[j] / sum * (j < s.past ? key(pv, a.past_v_strides, j, e) : key(v, a.v_strides, j - s.past, e));
          ASSERT_NEAR(out[b * a.out_strides.batch + h * a.out_strides.head + i * a.out_strides.position + e], want,
                      3e-6)
              << b << " " << h << " " << i << " " << e;
        }
      }
    }
  }
}

TEST(attention, plain) {
  check({1, 1, 1, 1, 1, 1, 1});
  check({2, 3, 3, 5, 7, 8, 8});
  check({1, 2, 2, 70, 300, 33, 19});
  check({2, 4, 4, 64, 128, 64, 64}, {.packed = true});
  check({1, 2, 2, 129, 129, 16, 40});
}
TEST(attention, causal_and_window) {
  check({1, 2, 2, 100, 100, 16, 16}, {.causal = true});
  check({1, 2, 2, 40, 200, 16, 16}, {.causal = true, .offset = 160});
  check({1, 2, 2, 40, 200, 16, 16}, {.causal = true, .offset = 160, .window = 50});
  check({1, 2, 2, 20, 10, 16, 16}, {.causal = true, .offset = -10});  // rows that see nothing
}
TEST(attention, grouped_heads_and_past) {
  check({2, 8, 2, 1, 200, 64, 64});
  check({1, 8, 2, 1, 200, 64, 64}, {.causal = true, .offset = 199, .past = 199});
  check({1, 8, 1, 30, 150, 24, 24}, {.causal = true, .offset = 120, .past = 120, .packed = true});
  check({2, 4, 2, 3, 140, 20, 20}, {.past = 131});
  check({3, 4, 2, 2, 50, 16, 16}, {.causal = true, .lens = true});
}
TEST(attention, bias_mask_cap_sink) {
  check({2, 2, 2, 9, 140, 16, 16}, {.bias = 1});
  check({2, 2, 2, 9, 140, 16, 16}, {.softcap = 2, .bias = 2});
  check({2, 4, 2, 9, 140, 16, 16}, {.mask = true});
  check({1, 4, 2, 9, 30, 16, 16}, {.causal = true, .offset = 21, .mask = true, .sink = true});
}
TEST(attention, refusals) {
  Attention a;
  a.q_heads = 3, a.kv_heads = 2;
  EXPECT_FALSE(attention(a, nullptr, Team()).ok());
}

}  // namespace
}  // namespace tenon
