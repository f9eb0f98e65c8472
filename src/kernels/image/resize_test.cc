// Tests of resize against a direct sum over all axes in double precision.
// SPDX-License-Identifier: MIT
#include "kernels/image/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/small_float.h"
#include "kernels/guarded.h"

namespace tenon::kernels {
namespace {

double place(ResizeCoordinates rule, const ResizeAxis& a, int64_t i) {
  const double x = double(i), in = double(a.in), out = double(a.out), s = a.scale;
  switch (rule) {
    case ResizeCoordinates::kHalfPixel: return (x + 0.5) / s - 0.5;
    case ResizeCoordinates::kHalfPixelSymmetric: return in / 2 * (1 - out / (s * in)) + (x + 0.5) / s - 0.5;
    case ResizeCoordinates::kPytorchHalfPixel: return out > 1 ? (x + 0.5) / s - 0.5 : 0;
    case ResizeCoordinates::kAlignCorners: return out > 1 ? x * (in - 1) / (out - 1) : 0;
    case ResizeCoordinates::kAsymmetric: return x / s;
    case ResizeCoordinates::kTfHalfPixelForNn: return (x + 0.5) / s;
    case ResizeCoordinates::kTfCropAndResize:
      return out > 1 ? a.roi_start * (in - 1) + x * (a.roi_end - a.roi_start) * (in - 1) / (out - 1)
                     : 0.5 * (a.roi_start + a.roi_end) * (in - 1);
  }
  return 0;
}

// Weight of every input for one output position of an axis; empty: outside.
std::vector<double> weights(const ResizeConfig& c, const ResizeAxis& a, int64_t i, bool identity) {
  std::vector<double> w(static_cast<size_t>(a.in), 0.0);
  if (identity) {
    w[static_cast<size_t>(i)] = 1;
    return w;
  }
  const double x = place(c.coordinates, a, i);
  if (c.coordinates == ResizeCoordinates::kTfCropAndResize && (x < 0 || x > double(a.in - 1))) return {};
  const auto add = [&](double at, double v) { w[static_cast<size_t>(std::clamp(at, 0.0, double(a.in - 1)))] += v; };
  if (c.mode == ResizeMode::kNearest) {
    double r = 0;
    switch (c.rounding) {
      case ResizeRounding::kFloor: r = std::floor(x); break;
      case ResizeRounding::kCeil: r = std::ceil(x); break;
      case ResizeRounding::kRoundPreferFloor: r = std::ceil(x - 0.5); break;
      case ResizeRounding::kRoundPreferCeil: r = std::floor(x + 0.5); break;
    }
    add(r, 1);
    return w;
  }
  const double shrink = c.antialias ? std::min(1.0, double(a.scale)) : 1, reach = c.mode == ResizeMode::kLinear ? 1 : 2;
  double sum = 0;
  std::vector<std::pair<double, double>> taps;
  for (double at = std::floor(x) + std::floor(-reach / shrink) + 1;
       at <= std::floor(x) + 1 - std::floor(-reach / shrink) - 1; ++at) {
    const double t = std::abs(at - x) * shrink, k = c.cubic_a;
    double v = c.mode == ResizeMode::kLinear ? std::max(0.0, 1 - t)
               : t <= 1                      ? (k + 2) * t * t * t - (k + 3) * t * t + 1
               : t < 2                       ? k * t * t * t - 5 * k * t * t + 8 * k * t - 4 * k
                                             : 0;
    if (c.exclude_outside && (at < 0 || at >= double(a.in))) v = 0;
    taps.push_back({at, v});
    sum += v;
  }
  for (auto& [at, v] : taps) add(at, shrink < 1 || c.exclude_outside ? v / sum : v);
  return w;
}

std::vector<double> reference(const ResizeConfig& c, const std::vector<ResizeAxis>& axes, std::vector<double> x) {
  // One axis after the other; outside positions become NaN marks that win over everything.
  int64_t outer = 1;
  for (size_t k = 0; k < axes.size(); ++k) {
    const ResizeAxis& a = axes[k];
    const bool identity = a.in == a.out && a.scale == 1 && c.coordinates != ResizeCoordinates::kTfCropAndResize;
    int64_t inner = 1;
    for (size_t j = k + 1; j < axes.size(); ++j) inner *= axes[j].in;
    std::vector<double> y(static_cast<size_t>(outer * a.out * inner), 0.0);
    for (int64_t i = 0; i < a.out; ++i) {
      const auto w = weights(c, a, i, identity);
      for (int64_t o = 0; o < outer; ++o) {
        for (int64_t q = 0; q < inner; ++q) {
          double sum = w.empty() ? NAN : 0;
          for (size_t j = 0; j < w.size(); ++j) {
            const double v = x[static_cast<size_t>((o * a.in + static_cast<int64_t>(j)) * inner + q)];
            if (w[j] != 0 || std::isnan(v)) sum += w[j] * v;
          }
          y[static_cast<size_t>((o * a.out + i) * inner + q)] = sum;
        }
      }
    }
    x = y;
    outer *= a.out;
  }
  for (double& v : x) {
    if (std::isnan(v)) v = c.extrapolation_value;
  }
  return x;
}

template <class T>
void check(const ResizeConfig& c, const std::vector<ResizeAxis>& axes, DType dtype, double tolerance, double scale) {
  int64_t in = 1, out = 1;
  for (const auto& a : axes) in *= a.in, out *= a.out;
  Random random(5);
  std::vector<T> x(static_cast<size_t>(in));
  std::vector<double> wide;
  for (T& v : x) {
    v = static_cast<T>(random.unit() * scale + (std::is_unsigned_v<T> ? scale : 0));
    wide.push_back(static_cast<double>(v));
  }
  const auto want = reference(c, axes, wide);
  auto plan = plan_resize(c, axes);
  ASSERT_TRUE(plan.ok()) << plan.status().to_string();
  std::vector<T> first;
  for (const Team& team : {Team(), wide_team()}) {
    Guarded<T> y(out);
    Guarded<uint8_t> scratch(resize_scratch_bytes(*plan, dtype, team.width()));
    const Status s = run_resize(*plan, y.data(), x.data(), dtype, scratch.data(), team);
    ASSERT_TRUE(s.ok()) << s.to_string();
    for (int64_t i = 0; i < out; ++i) {
      double w = want[static_cast<size_t>(i)];
      if (std::is_integral_v<T>)
        w = std::clamp(w, static_cast<double>(std::numeric_limits<T>::min()),
                       static_cast<double>(std::numeric_limits<T>::max()));
      ASSERT_NEAR(static_cast<double>(y[i]), w, tolerance)
          << i << " mode " << int(c.mode) << " rule " << int(c.coordinates);
    }
    if (first.empty()) first = y.items();
    ASSERT_TRUE(first.empty() || std::memcmp(first.data(), y.data(), first.size() * sizeof(T)) == 0);
  }
}

ResizeAxis axis(int64_t in, float scale) {
  return {in, static_cast<int64_t>(std::floor(float(in) * scale)), scale, 0, 1};
}
ResizeAxis sized(int64_t in, int64_t out) { return {in, out, float(out) / float(in), 0, 1}; }

TEST(Resize, ModesRulesShapes) {
  const std::vector<std::vector<ResizeAxis>> shapes = {{axis(1, 1), axis(3, 1), axis(7, 2), axis(9, 2)},
                                                       {axis(2, 1), axis(3, 1), sized(16, 7), sized(21, 37)},
                                                       {axis(1, 1), sized(7, 15), sized(9, 4), axis(16, 1)},
                                                       {axis(1, 1), sized(7, 15), sized(9, 20), axis(3, 1)},
                                                       {sized(5, 11)},
                                                       {sized(5, 3), axis(40, 1)},
                                                       {axis(2, 1), sized(4, 6), sized(5, 9), sized(6, 11)},
                                                       {sized(3, 4), axis(2, 1), sized(5, 2), axis(3, 1), sized(4, 9)},
                                                       {axis(1, 1), axis(2, 1), sized(33, 1), sized(1, 8)},
                                                       {axis(4, 1), axis(5, 1)},
                                                       {axis(3, 1), axis(11, 3), axis(10, 4)}};
  for (const auto& axes : shapes) {
    for (int rule = 0; rule < 7; ++rule) {
      ResizeConfig c;
      c.coordinates = static_cast<ResizeCoordinates>(rule);
      c.extrapolation_value = 3;
      std::vector<ResizeAxis> a = axes;
      if (c.coordinates == ResizeCoordinates::kTfCropAndResize) {
        for (size_t i = 0; i < a.size(); ++i) {
          a[i].roi_start = i % 2 ? -0.3f : 0.1f;
          a[i].roi_end = i % 2 ? 0.8f : 1.2f;
          if (a[i].in == a[i].out) a[i].roi_start = 0, a[i].roi_end = 1;
        }
      }
      for (int antialias = 0; antialias < 2; ++antialias) {
        for (int exclude = 0; exclude < 2; ++exclude) {
          c.antialias = antialias;
          c.exclude_outside = exclude;
          c.mode = ResizeMode::kLinear;
          check<float>(c, a, DType::kF32, 3e-5, 1);
          check<double>(c, a, DType::kF64, 2e-5, 1);
          check<uint8_t>(c, a, DType::kU8, 0.52, 100);
          c.mode = ResizeMode::kCubic;
          check<float>(c, a, DType::kF32, 6e-5, 1);
          check<int32_t>(c, a, DType::kI32, 0.6, 1000);
          check<int8_t>(c, a, DType::kI8, 0.52, 127);
        }
      }
    }
  }
}

TEST(Resize, Nearest) {
  // Scales whose coordinates are exact in f32, so that ties round the same in the reference.
  const std::vector<std::vector<ResizeAxis>> shapes = {{axis(1, 1), axis(3, 1), axis(7, 2), axis(33, 2)},
                                                       {axis(2, 1), axis(3, 4), axis(40, 0.5f), axis(3, 1)},
                                                       {axis(2, 2), axis(3, 4), axis(8, 0.25f), axis(5, 4)},
                                                       {axis(6, 0.5f), axis(40, 1)}};
  for (const auto& axes : shapes) {
    for (int rule : {0, 1, 2, 4, 5}) {
      for (int rounding = 0; rounding < 4; ++rounding) {
        ResizeConfig c;
        c.coordinates = static_cast<ResizeCoordinates>(rule);
        c.rounding = static_cast<ResizeRounding>(rounding);
        check<float>(c, axes, DType::kF32, 0, 1);
        check<uint8_t>(c, axes, DType::kU8, 0, 100);
        check<int64_t>(c, axes, DType::kI64, 0, 1000);
        check<uint16_t>(c, axes, DType::kU16, 0, 1000);
      }
    }
  }
}

TEST(Resize, Errors) {
  const ResizeAxis empty{0, 3, 2, 0, 1}, bad{3, 3, 0, 0, 1}, large{int64_t{1} << 40, 1, 1, 0, 1};
  EXPECT_FALSE(plan_resize({}, std::span(&empty, 1)).ok());
  EXPECT_FALSE(plan_resize({}, std::span(&bad, 1)).ok());
  EXPECT_FALSE(plan_resize({}, std::span(&large, 1)).ok());
  const ResizeAxis none[] = {{0, 0, 2, 0, 1}, {3, 6, 2, 0, 1}};
  auto plan = plan_resize({}, none);
  ASSERT_TRUE(plan.ok());
  EXPECT_TRUE(run_resize(*plan, nullptr, nullptr, DType::kF32, nullptr, Team()).ok());
  ResizeConfig linear;
  linear.mode = ResizeMode::kLinear;
  const ResizeAxis two[] = {{2, 4, 2, 0, 1}};
  plan = plan_resize(linear, two);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(run_resize(*plan, nullptr, nullptr, DType::kI64, nullptr, Team()).code(), Code::kNotImplemented);
  // 16-bit floats and truncation.
  const uint16_t h[] = {f32_to_f16(1), f32_to_f16(2)};
  Guarded<uint16_t> y(4);
  Guarded<uint8_t> scratch(resize_scratch_bytes(*plan, DType::kF16, 1));
  ASSERT_TRUE(run_resize(*plan, y.data(), h, DType::kF16, scratch.data(), Team()).ok());
  EXPECT_EQ(f16_to_f32(y[1]), 1.25f);
  plan->config.round_integers = false;
  const uint8_t b[] = {0, 3};
  Guarded<uint8_t> z(4), scratch2(resize_scratch_bytes(*plan, DType::kU8, 1));
  ASSERT_TRUE(run_resize(*plan, z.data(), b, DType::kU8, scratch2.data(), Team()).ok());
  EXPECT_EQ(z.items(), (std::vector<uint8_t>{0, 0, 2, 3}));
}

}  // namespace
}  // namespace tenon::kernels
