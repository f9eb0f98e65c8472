// Tests of products with block-wise weights against sums in double.
// SPDX-License-Identifier: MIT
#include "kernels/quant/nbits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "threads/pool.h"

namespace tenon::kernels {
namespace {

struct Problem {
  NbitsWeights w;
  std::vector<uint8_t> codes, zeros;
  std::vector<float> scales, a, bias;
  int64_t m;

  Problem(int64_t rows, int64_t n, int64_t k, int64_t block, int bits, bool with_zeros) : m(rows) {
    std::mt19937 random(static_cast<unsigned>(rows * 31 + n * 7 + k + bits));
    w = {n, k, block, bits, nullptr, nullptr, nullptr};
    auto fill = [&](std::vector<uint8_t>& to, int64_t count) {
      to.resize(static_cast<size_t>(count));
      for (auto& b : to) b = static_cast<uint8_t>(random());
    };
    fill(codes, n * w.blocks() * block * bits / 8);
    fill(zeros, n * ((w.blocks() * bits + 7) / 8));
    std::uniform_real_distribution<float> uniform(-1, 1);
    for (int64_t i = 0; i < n * w.blocks(); ++i) scales.push_back(uniform(random));
    for (int64_t i = 0; i < rows * k; ++i) a.push_back(uniform(random) * 3);
    for (int64_t i = 0; i < n; ++i) bias.push_back(uniform(random));
    w.codes = codes.data();
    w.scales = scales.data();
    w.zeros = with_zeros ? zeros.data() : nullptr;
  }
  int code(const uint8_t* from, int64_t i) const {
    const int64_t per_byte = 8 / w.bits;
    return from[i / per_byte] >> (i % per_byte * w.bits) & ((1 << w.bits) - 1);
  }
  double weight(int64_t row, int64_t k) const {
    const int64_t b = k / w.block, blocks = w.blocks();
    const int zero = w.zeros ? code(w.zeros + row * ((blocks * w.bits + 7) / 8), b) : 1 << (w.bits - 1);
    const uint8_t* from = w.codes + (row * blocks + b) * w.block * w.bits / 8;
    return (code(from, k % w.block) - zero) * static_cast<double>(scales[static_cast<size_t>(row * blocks + b)]);
  }
  /// A as the product sees it.
  std::vector<double> activations(bool rounded) const {
    std::vector<double> out(a.begin(), a.end());
    for (int64_t r = 0; rounded && r < m; ++r)
      for (int64_t from = 0; from < w.k; from += w.block) {
        const int64_t count = std::min(w.block, w.k - from), at = r * w.k + from;
        float most = 0;
        for (int64_t i = 0; i < count; ++i) most = std::max(most, std::fabs(a[static_cast<size_t>(at + i)]));
        const float scale = most / 127, inverse = scale > 0 ? 1 / scale : 0;
        for (int64_t i = 0; i < count; ++i)
          out[static_cast<size_t>(at + i)] =
              static_cast<double>(std::nearbyint(a[static_cast<size_t>(at + i)] * inverse)) * scale;
      }
    return out;
  }
  std::vector<float> run(bool rounded, int64_t row, int64_t rows, const Team& team) const {
    auto packed = pack_nbits(w, team);
    EXPECT_TRUE(packed.ok());
    std::vector<float> c(static_cast<size_t>(rows * w.n));
    NbitsProduct p;
    p.m = rows;
    p.a = a.data() + row * w.k;
    p.b = &*packed;
    p.c = c.data();
    p.bias = bias.data();
    p.round_a = rounded;
    auto scratch = Buffer::allocate(static_cast<size_t>(nbits_scratch_bytes(p)) + 1);
    nbits_product(p, (*scratch)->data(), team);
    return c;
  }
};

TEST(Nbits, SumsOfEveryFormAndSize) {
  Pool pool(3);
  for (int bits : {2, 4, 8})
    for (bool zeros : {false, true})
      for (bool rounded : {false, true})
        for (auto [m, n, k, block] : {std::array<int64_t, 4>{1, 16, 32, 32},
                                      {1, 33, 100, 16},
                                      {3, 7, 64, 64},
                                      {5, 40, 129, 32},
                                      {9, 17, 300, 128},
                                      {2, 1, 5, 16},
                                      {4, 50, 256, 256}}) {
          SCOPED_TRACE(testing::Message() << bits << " bits, zeros " << zeros << ", rounded " << rounded << ", m " << m
                                          << " n " << n << " k " << k << " block " << block);
          Problem p(m, n, k, block, bits, zeros);
          auto a = p.activations(rounded);
          auto c = p.run(rounded, 0, m, Team());
          for (int64_t r = 0; r < m; ++r)
            for (int64_t j = 0; j < n; ++j) {
              double sum = p.bias[static_cast<size_t>(j)], size = 1;
              for (int64_t i = 0; i < k; ++i) {
                const double term = a[static_cast<size_t>(r * k + i)] * p.weight(j, i);
                sum += term;
                size += std::fabs(term);
              }
              ASSERT_NEAR(c[static_cast<size_t>(r * n + j)], sum, 1e-6 * size) << r << " " << j;
            }
          EXPECT_EQ(c, p.run(rounded, 0, m, Team(&pool, 3))) << "threads";
          auto last = p.run(rounded, m - 1, 1, Team());
          EXPECT_TRUE(std::equal(last.begin(), last.end(), c.end() - n)) << "a row alone";
        }
}

TEST(Nbits, ZeroRowsOfActivations) {
  Problem p(2, 20, 70, 32, 4, true);
  std::fill(p.a.begin(), p.a.end(), 0.0f);
  for (bool rounded : {false, true}) {
    auto c = p.run(rounded, 0, 2, Team());
    for (int64_t j = 0; j < 20; ++j) EXPECT_EQ(c[static_cast<size_t>(j)], p.bias[static_cast<size_t>(j)]);
  }
}

}  // namespace
}  // namespace tenon::kernels
