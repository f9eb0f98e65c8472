// Tests of softmax and the normalisations against f64 loops.
// SPDX-License-Identifier: MIT
#include "kernels/norm/norm.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <vector>

#include "kernels/elementwise/cast.h"
#include "threads/pool.h"

namespace tenon {
namespace {

using Numbers = std::vector<double>;
constexpr DType kTypes[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16};

// Values of a type, as bytes and as the doubles they are.
struct Data {
  DType type;
  int64_t n;
  std::vector<char> bytes;
  Data(DType t, int64_t count) : type(t), n(count), bytes(static_cast<size_t>(count) * 8 + 8) {}
  Data(DType t, int64_t count, int seed, double lo = -2, double hi = 3) : Data(t, count) {
    std::mt19937 rng(static_cast<unsigned>(seed));
    std::uniform_real_distribution<double> u(lo, hi);
    Numbers v(static_cast<size_t>(n));
    for (double& x : v) x = u(rng);
    convert(DType::kF64, v.data(), type, bytes.data(), n);
  }
  void* data() { return bytes.data(); }
  Numbers numbers() const {
    Numbers v(static_cast<size_t>(n));
    convert(type, bytes.data(), DType::kF64, v.data(), n);
    return v;
  }
};
double tolerance(DType t) {
  return t == DType::kF32 ? 4e-6 : t == DType::kF64 ? 1e-12 : t == DType::kF16 ? 2e-3 : 1.6e-2;
}

// Runs twice (one thread, three; the second time in place when allowed) and compares with the wanted numbers.
void expect(DType type, const Data& x, const Numbers& want, bool in_place,
            const std::function<Status(const void*, void*, const Team&)>& run) {
  Pool pool(3);
  Data y(type, x.n), z(type, x.n);
  ASSERT_TRUE(run(x.bytes.data(), y.data(), Team()).ok());
  if (in_place) z.bytes = x.bytes;
  ASSERT_TRUE(run(in_place ? z.data() : const_cast<char*>(x.bytes.data()), z.data(), Team(&pool, 3)).ok());
  EXPECT_EQ(0, std::memcmp(y.data(), z.data(), static_cast<size_t>(byte_size(type, x.n))))
      << "threads or place change bits";
  const Numbers got = y.numbers();
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i])) {
      ASSERT_TRUE(std::isnan(got[i])) << i;
    } else {
      ASSERT_NEAR(got[i], want[i], tolerance(type) * std::max(1.0, std::fabs(want[i]))) << name(type) << " at " << i;
    }
  }
}

TEST(norm, softmax) {
  for (DType type : kTypes) {
    for (const AxisView& v : {AxisView{3, 1, 1}, AxisView{5, 7, 1}, AxisView{4, 128, 1}, AxisView{2, 3000, 1},
                              AxisView{2, 21, 300}, AxisView{3, 150, 5}, AxisView{1, 2, 1}}) {
      const Data x(type, v.outer * v.axis * v.inner, 1, -8, 8);
      const Numbers a = x.numbers();
      for (Softmax kind : {Softmax::kSoftmax, Softmax::kLogSoftmax, Softmax::kHardmax}) {
        Numbers want(a.size());
        for (int64_t r = 0; r < v.outer * v.inner; ++r) {
          const int64_t at = r / v.inner * v.axis * v.inner + r % v.inner;
          int64_t best = 0;
          double sum = 0;
          for (int64_t k = 0; k < v.axis; ++k) best = a[at + k * v.inner] > a[at + best * v.inner] ? k : best;
          for (int64_t k = 0; k < v.axis; ++k) sum += std::exp(a[at + k * v.inner] - a[at + best * v.inner]);
          for (int64_t k = 0; k < v.axis; ++k) {
            const double c = a[at + k * v.inner] - a[at + best * v.inner];
            want[at + k * v.inner] = kind == Softmax::kHardmax   ? k == best
                                     : kind == Softmax::kSoftmax ? std::exp(c) / sum
                                                                 : c - std::log(sum);
          }
        }
        expect(type, x, want, true,
               [&](const void* in, void* out, const Team& t) { return softmax(kind, type, in, out, v, t); });
      }
    }
  }
  const float none[] = {-INFINITY, -INFINITY, 1, -INFINITY};
  float y[4];
  ASSERT_TRUE(softmax(Softmax::kSoftmax, DType::kF32, none, y, {2, 2, 1}, Team()).ok());
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[2], 1);
  EXPECT_EQ(y[3], 0);
  int32_t whole[2] = {};
  EXPECT_EQ(softmax(Softmax::kSoftmax, DType::kI32, whole, whole, {1, 2, 1}, Team()).code(), Code::kNotImplemented);
}

TEST(norm, layer_and_rms) {
  for (DType type : kTypes) {
    for (const auto& [rows, n] : std::vector<std::pair<int64_t, int64_t>>{{6, 1}, {6, 5}, {6, 768}, {2, 2500}}) {
      const Data x(type, rows * n, 1), skip(type, rows / 2 * n, 2), skip_bias(type, n, 3), scale(type, n, 4),
          bias(type, n, 5);
      const Numbers a = x.numbers(), b = skip.numbers(), c = skip_bias.numbers(), s = scale.numbers(),
                    o = bias.numbers();
      for (int mode = 0; mode < 16; ++mode) {
        const bool rms = mode & 1, skips = mode & 2, scales = mode & 4, sums = mode & 8;
        Numbers want(a.size()), total(a.size());
        for (int64_t r = 0; r < rows; ++r) {
          double mean = 0, variance = 0;
          for (int64_t i = 0; i < n; ++i) {
            total[r * n + i] = a[r * n + i] + (skips ? b[r % (rows / 2) * n + i] + c[i] : 0);
            mean += rms ? 0 : total[r * n + i] / static_cast<double>(n);
          }
          for (int64_t i = 0; i < n; ++i) variance += std::pow(total[r * n + i] - mean, 2) / static_cast<double>(n);
          for (int64_t i = 0; i < n; ++i) {
            want[r * n + i] =
                (total[r * n + i] - mean) / std::sqrt(variance + 1e-3) * (scales ? s[i] + 1 : 1) + (scales ? o[i] : 0);
          }
        }
        Data kept(type, rows * n);
        std::vector<double> mean(static_cast<size_t>(rows)), inv(static_cast<size_t>(rows));
        expect(type, x, want, true, [&](const void* in, void* out, const Team& t) {
          RowNorm args;
          args.rms = rms, args.epsilon = 1e-3, args.x = in, args.y = out;
          if (skips) args.skip = skip.bytes.data(), args.skip_rows = rows / 2, args.skip_bias = skip_bias.bytes.data();
          if (scales) args.scale = scale.bytes.data(), args.bias = bias.bytes.data(), args.scale_offset = 1;
          if (sums && skips) args.sum = kept.data();
          args.mean = reinterpret_cast<float*>(mean.data()), args.inv_std = reinterpret_cast<float*>(inv.data());
          return row_norm(args, type, rows, n, t);
        });
        if (sums && skips) {
          const Numbers got = kept.numbers();
          for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], total[i], tolerance(type) * 8);
        }
      }
    }
  }
}

TEST(norm, channels) {
  for (DType type : kTypes) {
    for (const auto& [batch, channels, inner] :
         std::vector<std::array<int64_t, 3>>{{2, 6, 1}, {2, 6, 7}, {1, 4, 1500}, {3, 12, 49}, {2, 2048, 1}}) {
      const Data x(type, batch * channels * inner, 1), scale(type, channels, 2), bias(type, channels, 3);
      const Numbers a = x.numbers(), s = scale.numbers(), o = bias.numbers();
      const Data wide_s(type == DType::kF64 ? type : DType::kF32, channels, 7), wide_b(wide_s.type, channels, 8);
      const Numbers ws = wide_s.numbers(), wb = wide_b.numbers();
      Numbers want(a.size());
      for (size_t i = 0; i < a.size(); ++i) {
        const size_t c = i / static_cast<size_t>(inner) % static_cast<size_t>(channels);
        want[i] = a[i] * ws[c] + wb[c];
      }
      expect(type, x, want, true, [&](const void* in, void* out, const Team& t) {
        return channel_affine(type, in, out, batch, channels, inner, wide_s.bytes.data(), wide_b.bytes.data(), t);
      });
      for (int64_t groups : {int64_t{1}, int64_t{2}, channels}) {
        const int64_t n = channels / groups * inner;
        for (bool silu : {false, true}) {
          for (int64_t g = 0; g < batch * groups; ++g) {
            double mean = 0, variance = 0;
            for (int64_t i = 0; i < n; ++i) mean += a[g * n + i] / static_cast<double>(n);
            for (int64_t i = 0; i < n; ++i) variance += std::pow(a[g * n + i] - mean, 2) / static_cast<double>(n);
            for (int64_t i = 0; i < n; ++i) {
              const int64_t c = g % groups * (channels / groups) + i / inner;
              const double v = (a[g * n + i] - mean) / std::sqrt(variance + 1e-2) * s[c] + o[c];
              want[g * n + i] = silu ? v / (1 + std::exp(-v)) : v;
            }
          }
          if (n == 1) continue;  // nothing but the bias
          expect(type, x, want, true, [&](const void* in, void* out, const Team& t) {
            return group_norm(type, in, out, batch, channels, inner, groups, scale.bytes.data(), bias.bytes.data(),
                              1e-2, silu, t);
          });
        }
      }
      if (channels > 100) continue;
      for (size_t i = 0; i < a.size(); ++i) {
        const int64_t c = static_cast<int64_t>(i) / inner % channels;
        double squares = 0;
        for (int64_t w = std::max<int64_t>(0, c - 1); w <= std::min(channels - 1, c + 2); ++w)
          squares += std::pow(a[i + static_cast<size_t>((w - c) * inner)], 2);
        want[i] = a[i] / std::pow(1.5 + 0.3 / 4 * squares, 0.75);
      }
      expect(type, x, want, false, [&](const void* in, void* out, const Team& t) {
        return local_response_norm(type, in, out, batch, channels, inner, 4, 0.3, 0.75, 1.5, t);
      });
    }
  }
  const float scale[] = {2}, bias[] = {3}, mean[] = {1}, var[] = {3};
  float s, t;
  fold_batch_norm(scale, bias, mean, var, 1, 1, &s, &t);
  EXPECT_EQ(s, 1);
  EXPECT_EQ(t, 2);
}

TEST(norm, lp_and_mean_variance) {
  for (DType type : kTypes) {
    for (const AxisView& v : {AxisView{5, 7, 1}, AxisView{2, 3000, 1}, AxisView{2, 21, 600}, AxisView{3, 150, 5}}) {
      const Data x(type, v.outer * v.axis * v.inner, 1);
      const Numbers a = x.numbers();
      for (int p : {1, 2}) {
        Numbers want(a.size());
        for (int64_t r = 0; r < v.outer * v.inner; ++r) {
          const int64_t at = r / v.inner * v.axis * v.inner + r % v.inner;
          double sum = 0;
          for (int64_t k = 0; k < v.axis; ++k) sum += std::pow(std::fabs(a[at + k * v.inner]), p);
          for (int64_t k = 0; k < v.axis; ++k) want[at + k * v.inner] = a[at + k * v.inner] / std::pow(sum, 1.0 / p);
        }
        expect(type, x, want, true,
               [&](const void* in, void* out, const Team& t) { return lp_normalize(type, in, out, v, p, t); });
      }
    }
  }
  const float zero[2] = {0, 0};
  float y[2] = {1, 1};
  ASSERT_TRUE(lp_normalize(DType::kF32, zero, y, {1, 2, 1}, 2, Team()).ok());
  EXPECT_EQ(y[0], 0);
  const Data x(DType::kF32, 2 * 3 * 20, 4);
  const Numbers a = x.numbers();
  Numbers want(a.size());
  for (int64_t c = 0; c < 3; ++c) {
    double mean = 0, variance = 0;
    const auto each = [&](auto&& f) {
      for (int64_t b = 0; b < 2; ++b) {
        for (int64_t i = 0; i < 20; ++i) f(static_cast<size_t>((b * 3 + c) * 20 + i));
      }
    };
    each([&](size_t i) { mean += a[i] / 40; });
    each([&](size_t i) { variance += std::pow(a[i] - mean, 2) / 40; });
    each([&](size_t i) { want[i] = (a[i] - mean) / (std::sqrt(variance) + 1e-9); });
  }
  const int64_t dims[] = {2, 3, 20}, axes[] = {0, 2};
  expect(DType::kF32, x, want, true, [&](const void* in, void* out, const Team& t) {
    return mean_variance_norm({const_cast<void*>(in), dims, 3, DType::kF32, 120}, axes,
                              {out, dims, 3, DType::kF32, 120}, t);
  });
}

}  // namespace
}  // namespace tenon
