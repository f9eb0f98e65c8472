// The accuracy table of the f32 functions: largest error in ulp against long double, on every instruction set.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>
#include <vector>

#include "hwy/targets.h"
#include "kernels/elementwise/pointwise.h"

namespace tenon {
namespace {

using Real = long double;
constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

double ulp_error(float got, Real want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  const float nearest = static_cast<float>(want);
  if (got == nearest)
    return static_cast<double>(
        std::isinf(nearest)
            ? 0
            : std::fabs(got - want) /
                  std::ldexp(Real(1), std::max(std::ilogb(nearest == 0 ? 1e-45f : nearest), -126) - 23));
  if (!std::isfinite(got) || std::isinf(nearest)) return 1e9;
  return static_cast<double>(std::fabs(got - want) /
                             std::ldexp(Real(1), std::max(nearest == 0 ? -126 : std::ilogb(nearest), -126) - 23));
}

std::vector<float> samples(float lo, float hi, int n) {
  std::mt19937 rng(7);
  std::vector<float> x;
  std::uniform_real_distribution<double> linear(lo, hi), u(0, 1);
  for (int i = 0; i < n; ++i) x.push_back(std::clamp(static_cast<float>(linear(rng)), lo, hi));
  // As many over all exponents.
  for (int i = 0; i < n; ++i) {
    const float v = std::ldexp(static_cast<float>(1 + u(rng)), static_cast<int>(rng() % 277) - 149);
    const float s = rng() & 1 ? v : -v;
    if (s >= lo && s <= hi) x.push_back(s);
  }
  return x;
}

std::vector<float> run(Fn fn, const std::vector<float>& x, double a = 0, double b = 0) {
  const DType type = DType::kF32;
  auto plan = plan_pointwise(Program::single(fn, a, b), {&type, 1});
  EXPECT_TRUE(plan.ok()) << plan.status().to_string();
  std::vector<float> y(x.size());
  const int64_t n = static_cast<int64_t>(x.size());
  const TensorRef in{const_cast<float*>(x.data()), &n, 1, type, n}, out{y.data(), &n, 1, type, n};
  run_pointwise(*plan, {&in, 1}, {&out, 1}, Team());
  return y;
}

template <class Body>
void on_every_target(const Body& body) {
  for (int64_t target : {int64_t{HWY_SSE4}, int64_t{HWY_AVX2}, int64_t{HWY_AVX3_DL}, int64_t{HWY_NEON}}) {
    if (!(hwy::SupportedTargets() & HWY_TARGETS & target)) continue;
    SCOPED_TRACE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    body(target);
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
}

Real sigmoid(Real x) { return 1 / (1 + std::exp(-x)); }
Real softplus(Real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

struct Row {
  Fn fn;
  float lo, hi;
  Real (*reference)(Real);
  double a = 0, b = 0;
};
const Row kRows[] = {
    {Fn::kExp, -103, 88.7f, [](Real x) { return std::exp(x); }},
    {Fn::kExpm1, -100, 88.7f, [](Real x) { return std::expm1(x); }},
    {Fn::kLog, 1e-45f, 3.4e38f, [](Real x) { return std::log(x); }},
    {Fn::kLog, 0.5f, 2, [](Real x) { return std::log(x); }},
    {Fn::kLog1p, -0.9999f, 3.4e38f, [](Real x) { return std::log1p(x); }},
    {Fn::kLog1p, -0.5f, 2, [](Real x) { return std::log1p(x); }},
    {Fn::kSin, -100, 100, [](Real x) { return std::sin(x); }},
    {Fn::kSin, -3e38f, 3e38f, [](Real x) { return std::sin(x); }},
    {Fn::kCos, -100, 100, [](Real x) { return std::cos(x); }},
    {Fn::kCos, -1e5f, 1e5f, [](Real x) { return std::cos(x); }},
    {Fn::kCos, -3e38f, 3e38f, [](Real x) { return std::cos(x); }},
    {Fn::kTan, -100, 100, [](Real x) { return std::tan(x); }},
    {Fn::kTan, -1e5f, 1e5f, [](Real x) { return std::tan(x); }},
    {Fn::kAsin, -1, 1, [](Real x) { return std::asin(x); }},
    {Fn::kAcos, -1, 1, [](Real x) { return std::acos(x); }},
    {Fn::kAtan, -3e38f, 3e38f, [](Real x) { return std::atan(x); }},
    {Fn::kAtan, -3, 3, [](Real x) { return std::atan(x); }},
    {Fn::kSinh, -89, 89, [](Real x) { return std::sinh(x); }},
    {Fn::kSinh, -2, 2, [](Real x) { return std::sinh(x); }},
    {Fn::kCosh, -89, 89, [](Real x) { return std::cosh(x); }},
    {Fn::kTanh, -12, 12, [](Real x) { return std::tanh(x); }},
    {Fn::kTanh, -1, 1, [](Real x) { return std::tanh(x); }},
    {Fn::kAsinh, -3e38f, 3e38f, [](Real x) { return std::asinh(x); }},
    {Fn::kAsinh, -3, 3, [](Real x) { return std::asinh(x); }},
    {Fn::kAcosh, 1, 3e38f, [](Real x) { return std::acosh(x); }},
    {Fn::kAcosh, 1, 3, [](Real x) { return std::acosh(x); }},
    {Fn::kAtanh, -0.99999f, 0.99999f, [](Real x) { return std::atanh(x); }},
    {Fn::kErf, -5, 5, [](Real x) { return std::erf(x); }},
    {Fn::kSigmoid, -87, 100, sigmoid},
    {Fn::kSigmoid, -6, 6, sigmoid},
    {Fn::kSoftplus, -87, 1000, softplus},
    {Fn::kSoftplus, -3, 3, softplus},
    {Fn::kSoftsign, -3e38f, 3e38f, [](Real x) { return x / (1 + std::fabs(x)); }},
    {Fn::kMish, -80, 100, [](Real x) { return x * std::tanh(softplus(x)); }},
    {Fn::kRsqrt, 1e-38f, 3e38f, [](Real x) { return 1 / std::sqrt(x); }},
    {Fn::kElu, -50, 50, [](Real x) { return x < 0 ? Real(1.5) * std::expm1(x) : x; }, 1.5},
    {Fn::kSelu, -50, 50, [](Real x) { return 2 * (x < 0 ? Real(1.5) * std::expm1(x) : x); }, 1.5, 2},
    {Fn::kCelu, -50, 50, [](Real x) { return std::max(Real(0), x) + std::min(Real(0), 2 * std::expm1(x / 2)); }, 2},
    {Fn::kSqrt, 0, 3e38f, [](Real x) { return std::sqrt(x); }},
    {Fn::kReciprocal, 1e-38f, 3e38f, [](Real x) { return 1 / x; }},
};

TEST(math, accuracy_table) {
  on_every_target([](int64_t target) {
    std::printf("%-8s function     range                     largest ulp  bound\n", hwy::TargetName(target));
    for (const Row& row : kRows) {
      const auto x = samples(row.lo, row.hi, 60000);
      const auto y = run(row.fn, x, row.a, row.b);
      double worst = 0;
      float at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const Real want = row.reference(x[i]);
        if (std::fabs(want) < 1.2e-38L && row.fn != Fn::kExp && row.fn != Fn::kLog && row.fn != Fn::kSin) continue;
        const double e = ulp_error(y[i], want);
        if (e > worst) worst = e, at = x[i];
      }
      const double bound = std::max(info(row.fn).ulp, 0.5001);
      std::printf("         %-12s [%9.3g, %9.3g]  %8.3f at %-14.9g %.4g\n", std::string(info(row.fn).name).c_str(),
                  row.lo, row.hi, worst, at, bound);
      EXPECT_LE(worst, bound) << info(row.fn).name << " at " << at;
    }
  });
}

// Relative to the size of x, where the value itself cancels.
TEST(math, gelu_absolute) {
  on_every_target([](int64_t) {
    const auto x = samples(-30, 30, 50000);
    const auto g = run(Fn::kGelu, x), t = run(Fn::kGeluTanh, x), q = run(Fn::kQuickGelu, x, 1.702);
    double worst_g = 0, worst_t = 0, worst_q = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const Real v = x[i];
      const Real size = std::fabs(v) * 0x1p-24L * 2 + 1e-44L;
      const Real u = std::sqrt(2 / 3.14159265358979323846L) * (v + 0.044715L * v * v * v);
      worst_g = std::max<double>(worst_g, std::fabs(g[i] - v * std::erfc(-v / std::sqrt(2.0L)) / 2) / size);
      worst_t = std::max<double>(worst_t, std::fabs(t[i] - v * sigmoid(2 * u)) / size);
      worst_q = std::max<double>(worst_q, std::fabs(q[i] - v * sigmoid(Real(1.702f) * v)) / size);
    }
    std::printf("gelu %.3f gelu tanh %.3f quick gelu %.3f\n", worst_g, worst_t, worst_q);
    EXPECT_LE(worst_g, 2);
    EXPECT_LE(worst_t, 4);
    EXPECT_LE(worst_q, 4);
  });
}

TEST(math, pow) {
  on_every_target([](int64_t) {
    const DType types[] = {DType::kF32, DType::kF32};
    auto plan = plan_pointwise(Program::single(Fn::kPow), types);
    ASSERT_TRUE(plan.ok());
    std::mt19937 rng(3);
    std::vector<float> x, y;
    for (int i = 0; i < 100000; ++i) {
      const float b =
          std::ldexp(1 + std::uniform_real_distribution<float>(0, 1)(rng), static_cast<int>(rng() % 40) - 20);
      x.push_back(i % 5 == 0 ? -b : i % 3 == 0 ? 1 + (b - 1) * 1e-4f : b);
      y.push_back(i % 5 == 0 ? static_cast<float>(static_cast<int>(rng() % 21) - 10)
                             : std::uniform_real_distribution<float>(-9, 9)(rng));
    }
    const float special[] = {0.0f, -0.0f, 1,    -1,    kInf,   -kInf,   kNaN,     2,    -2,
                             3,    -3,    0.5f, -0.5f, 1e-40f, -1e-40f, 16777216, 1e30f};
    for (float a : special) {
      for (float b : special) x.push_back(a), y.push_back(b);
    }
    std::vector<float> z(x.size());
    const int64_t n = static_cast<int64_t>(x.size());
    const TensorRef in[] = {{x.data(), &n, 1, DType::kF32, n}, {y.data(), &n, 1, DType::kF32, n}};
    const TensorRef out{z.data(), &n, 1, DType::kF32, n};
    run_pointwise(*plan, in, {&out, 1}, Team());
    double worst = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      const Real want = std::pow(Real(x[i]), Real(y[i]));
      const double e = ulp_error(z[i], want);
      ASSERT_LT(e, 2) << x[i] << " ^ " << y[i] << " = " << z[i] << " not " << static_cast<double>(want);
      if (std::signbit(z[i]) != std::signbit(want) && !std::isnan(want))
        ADD_FAILURE() << "sign of " << x[i] << " ^ " << y[i];
      worst = std::max(worst, e);
    }
    std::printf("pow: %.3f ulp\n", worst);
    EXPECT_LE(worst, info(Fn::kPow).ulp);
  });
}

TEST(math, special_values) {
  struct Special {
    Fn fn;
    float x, want;
    double a = 0, b = 0;
  };
  const Special table[] = {
      {Fn::kExp, kInf, kInf},
      {Fn::kExp, -kInf, 0},
      {Fn::kExp, 89, kInf},
      {Fn::kExp, 0, 1},
      {Fn::kExp, -104, 0},
      {Fn::kExpm1, kInf, kInf},
      {Fn::kExpm1, -kInf, -1},
      {Fn::kExpm1, -0.0f, -0.0f},
      {Fn::kExpm1, 100, kInf},
      {Fn::kLog, 0, -kInf},
      {Fn::kLog, -0.0f, -kInf},
      {Fn::kLog, -1, kNaN},
      {Fn::kLog, kInf, kInf},
      {Fn::kLog, 1, 0},
      {Fn::kLog, -kInf, kNaN},
      {Fn::kLog1p, -1, -kInf},
      {Fn::kLog1p, -2, kNaN},
      {Fn::kLog1p, kInf, kInf},
      {Fn::kLog1p, -0.0f, -0.0f},
      {Fn::kSin, kInf, kNaN},
      {Fn::kSin, -0.0f, -0.0f},
      {Fn::kCos, -kInf, kNaN},
      {Fn::kCos, 0, 1},
      {Fn::kTan, kInf, kNaN},
      {Fn::kAsin, 1.5f, kNaN},
      {Fn::kAcos, 1, 0},
      {Fn::kAcos, -1.5f, kNaN},
      {Fn::kAtan, kInf, 1.57079633f},
      {Fn::kAtan, -kInf, -1.57079633f},
      {Fn::kSinh, kInf, kInf},
      {Fn::kSinh, -kInf, -kInf},
      {Fn::kSinh, -0.0f, -0.0f},
      {Fn::kCosh, -kInf, kInf},
      {Fn::kCosh, 0, 1},
      {Fn::kTanh, kInf, 1},
      {Fn::kTanh, -kInf, -1},
      {Fn::kTanh, -0.0f, -0.0f},
      {Fn::kTanh, 100, 1},
      {Fn::kAsinh, -kInf, -kInf},
      {Fn::kAsinh, -0.0f, -0.0f},
      {Fn::kAcosh, 0.5f, kNaN},
      {Fn::kAcosh, kInf, kInf},
      {Fn::kAcosh, 1, 0},
      {Fn::kAtanh, 1, kInf},
      {Fn::kAtanh, -1, -kInf},
      {Fn::kAtanh, 2, kNaN},
      {Fn::kErf, kInf, 1},
      {Fn::kErf, -kInf, -1},
      {Fn::kErf, -0.0f, -0.0f},
      {Fn::kSigmoid, kInf, 1},
      {Fn::kSigmoid, -kInf, 0},
      {Fn::kSigmoid, 0, 0.5f},
      {Fn::kSoftplus, kInf, kInf},
      {Fn::kSoftplus, -kInf, 0},
      {Fn::kMish, kInf, kInf},
      {Fn::kMish, -kInf, -0.0f},
      {Fn::kGelu, kInf, kInf},
      {Fn::kGelu, -kInf, 0},
      {Fn::kGelu, -100, 0},
      {Fn::kGeluTanh, kInf, kInf},
      {Fn::kGeluTanh, -kInf, -0.0f},
      {Fn::kQuickGelu, -kInf, -0.0f, 1},
      {Fn::kQuickGelu, kInf, kInf, 1},
      {Fn::kRelu, -3, 0},
      {Fn::kRelu, kInf, kInf},
      {Fn::kLeakyRelu, -2, -1, 0.5},
      {Fn::kThresholdedRelu, 1, 0, 1},
      {Fn::kThresholdedRelu, 2, 2, 1},
      {Fn::kElu, -kInf, -2, 2},
      {Fn::kElu, kInf, kInf, 2},
      {Fn::kSelu, -kInf, -6, 2, 3},
      {Fn::kCelu, -kInf, -2, 2},
      {Fn::kCelu, kInf, kInf, 2},
      {Fn::kHardSigmoid, 10, 1, 0.2, 0.5},
      {Fn::kHardSigmoid, -10, 0, 0.2, 0.5},
      {Fn::kHardSwish, 3, 3, 1 / 6.0, 0.5},
      {Fn::kHardSwish, -5, -0.0f, 1 / 6.0, 0.5},
      {Fn::kShrink, -3, -2, 1, 1.5},
      {Fn::kShrink, 1, 0, 1, 1.5},
      {Fn::kShrink, 3, 2, 1, 1.5},
      {Fn::kRound, 2.5f, 2},
      {Fn::kRound, 3.5f, 4},
      {Fn::kRound, -0.5f, -0.0f},
      {Fn::kRound, 1e20f, 1e20f},
      {Fn::kCeil, -0.5f, -0.0f},
      {Fn::kFloor, -0.5f, -1},
      {Fn::kSign, -3, -1},
      {Fn::kSign, -0.0f, -0.0f},
      {Fn::kSign, kInf, 1},
      {Fn::kAbs, -0.0f, 0},
      {Fn::kNeg, 0, -0.0f},
      {Fn::kReciprocal, 0, kInf},
      {Fn::kReciprocal, -0.0f, -kInf},
      {Fn::kSqrt, -1, kNaN},
      {Fn::kSqrt, -0.0f, -0.0f},
      {Fn::kClipImm, 5, 2, -1, 2},
      {Fn::kClipImm, -5, -1, -1, 2},
      {Fn::kClipImm, 5, 2, 3, 2},
  };
  on_every_target([&](int64_t) {
    for (const Special& s : table) {
      const float y = run(s.fn, {s.x}, s.a, s.b)[0];
      if (std::isnan(s.want)) {
        EXPECT_TRUE(std::isnan(y)) << info(s.fn).name << " of " << s.x << " is " << y;
      } else {
        EXPECT_TRUE(y == s.want && std::signbit(y) == std::signbit(s.want))
            << info(s.fn).name << " of " << s.x << " is " << y << ", not " << s.want;
      }
      EXPECT_TRUE(std::isnan(run(s.fn, {kNaN}, s.a, s.b)[0])) << info(s.fn).name << " of NaN";
    }
  });
}

}  // namespace
}  // namespace tenon
