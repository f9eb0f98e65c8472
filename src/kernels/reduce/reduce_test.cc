// Tests of reductions, extremes and running sums against long double loops.
// SPDX-License-Identifier: MIT
#include "kernels/reduce/reduce.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "kernels/elementwise/cast.h"
#include "threads/pool.h"

namespace tenon {
namespace {

using Real = long double;

Tensor make(DType type, Shape shape) {
  auto t = Tensor::allocate(type, std::move(shape));
  EXPECT_TRUE(t.ok());
  return std::move(t).value();
}
std::vector<double> doubles(const Tensor& t) {
  std::vector<double> v(static_cast<size_t>(t.count()));
  convert(t.dtype(), t.data(), DType::kF64, v.data(), t.count());
  return v;
}
Tensor random(DType type, Shape shape, int seed, double lo, double hi) {
  Tensor t = make(type, shape);
  std::mt19937 rng(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> u(lo, hi);
  std::vector<double> v(static_cast<size_t>(t.count()));
  for (double& x : v) x = u(rng);
  convert(DType::kF64, v.data(), type, t.data(), t.count());
  return t;
}

std::vector<Real> reference(Reduction r, const Tensor& in, const Dims& axes, Shape* kept) {
  const auto x = doubles(in);
  const Shape& s = in.shape();
  std::vector<bool> gone(s.size());
  for (int64_t a : axes) gone[static_cast<size_t>(a)] = true;
  kept->clear();
  int64_t length = 1;
  for (size_t d = 0; d < s.size(); ++d) gone[d] ? void(length *= s[d]) : kept->push_back(s[d]);
  const int64_t n = product(*kept);
  std::vector<Real> acc(static_cast<size_t>(n), r == Reduction::kProd  ? 1
                                                : r == Reduction::kMax ? -INFINITY
                                                : r == Reduction::kMin ? INFINITY
                                                                       : 0);
  for (int64_t i = 0; i < in.count(); ++i) {
    int64_t rest = i, o = 0, scale = 1;
    for (size_t d = s.size(); d-- > 0;) {
      if (!gone[d]) o += rest % s[d] * scale, scale *= s[d];
      rest /= s[d];
    }
    Real& a = acc[static_cast<size_t>(o)];
    const Real v = x[static_cast<size_t>(i)];
    switch (r) {
      case Reduction::kMax: a = std::max(a, v); break;
      case Reduction::kMin: a = std::min(a, v); break;
      case Reduction::kProd: a *= v; break;
      case Reduction::kL1: a += std::fabs(v); break;
      case Reduction::kL2:
      case Reduction::kSumSquare: a += v * v; break;
      case Reduction::kLogSumExp: a += std::exp(v); break;
      default: a += v;
    }
  }
  for (Real& a : acc) {
    if (r == Reduction::kMean) a /= static_cast<Real>(length);
    if (r == Reduction::kL2) a = std::sqrt(a);
    if (r == Reduction::kLogSum || r == Reduction::kLogSumExp) a = std::log(a);
  }
  return acc;
}

const std::pair<Shape, Dims> kForms[] = {{{7}, {0}},
                                         {{1}, {0}},
                                         {{100000}, {0}},
                                         {{5, 9}, {0}},
                                         {{5, 9}, {1}},
                                         {{5, 9}, {0, 1}},
                                         {{5, 9}, {}},
                                         {{3, 4, 5}, {1}},
                                         {{3, 4, 5}, {0, 2}},
                                         {{2, 3, 4, 5}, {1, 3}},
                                         {{2, 3, 4, 5}, {0, 2}},
                                         {{2, 3, 4, 5}, {2, 3}},
                                         {{1, 8, 1, 9, 1}, {1, 4}},
                                         {{1025, 3}, {0}},
                                         {{3, 1025}, {1}},
                                         {{2, 700, 600}, {1}},
                                         {{40000, 2}, {0}},
                                         {{2, 3, 100, 130}, {0, 2, 3}},
                                         {{300, 700}, {0}},
                                         {{4, 16, 33}, {2}},
                                         {{70000, 1}, {0}},
                                         {{17, 2049}, {1}},
                                         {{}, {}},
                                         {{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {1, 3, 5, 7, 9}}};

TEST(reduce, all_kinds_forms_and_types) {
  Pool pool(3);
  for (DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI32, DType::kI64, DType::kI8,
                     DType::kU8, DType::kU32}) {
    const bool whole = type != DType::kF32 && type != DType::kF64 && type != DType::kF16 && type != DType::kBF16;
    for (const auto& [shape, axes] : kForms) {
      for (int k = 0; k <= static_cast<int>(Reduction::kLogSumExp); ++k) {
        const Reduction r = static_cast<Reduction>(k);
        if (whole && r == Reduction::kLogSumExp) continue;
        const bool small = bit_width(type) == 8;
        const bool positive = r == Reduction::kLogSum || type == DType::kU8 || type == DType::kU32;
        const Tensor x = r == Reduction::kProd ? random(type, shape, 3, 1, whole ? 1.2 : 1.01)
                                               : random(type, shape, 3,
                                                        positive ? (small ? 0 : 1)
                                                        : small  ? -1.9
                                                                 : -3,
                                                        small ? 1.9 : 4);
        Shape kept;
        const auto want = reference(r, x, axes, &kept);
        Tensor y = make(type, kept), z = make(type, kept);
        ASSERT_TRUE(reduce(r, x.ref(), axes, y.ref(), Team()).ok());
        ASSERT_TRUE(reduce(r, x.ref(), axes, z.ref(), Team(&pool, 3)).ok());
        EXPECT_EQ(0, std::memcmp(y.data(), z.data(), static_cast<size_t>(y.bytes()))) << "threads change bits";
        const auto got = doubles(y);
        const double eps = type == DType::kF32 ? 1e-6 : type == DType::kF64 ? 1e-13 : type == DType::kF16 ? 1e-3 : 8e-3;
        for (size_t i = 0; i < got.size(); ++i) {
          if (whole && small && std::fabs(want[i]) > 120) continue;  // wraps, covered below
          if (whole) {
            ASSERT_EQ(got[i], static_cast<double>(std::trunc(want[i])))
                << name(type) << list_text(shape) << list_text(axes) << " kind " << k;
          } else {
            if (std::fabs(want[i]) > (type == DType::kF16 ? 65000 : 1e37)) continue;
            const double size =
                std::max<double>(std::fabs(want[i]), r == Reduction::kSum || r == Reduction::kMean ? 1 : 1e-3);
            ASSERT_NEAR(got[i], static_cast<double>(want[i]), eps * size * (r == Reduction::kSum ? 4 : 2))
                << name(type) << list_text(shape) << list_text(axes) << " kind " << k << " at " << i;
          }
        }
      }
    }
  }
}

TEST(reduce, corners) {
  const float nan = NAN;
  const float a[] = {1, nan, 3, -INFINITY, -INFINITY, -INFINITY};
  const Tensor x = Tensor::of<float>(a).reshaped({2, 3});
  Tensor y = make(DType::kF32, {2});
  const Dims axis{1};
  for (Reduction r : {Reduction::kMax, Reduction::kMin, Reduction::kLogSumExp}) {
    ASSERT_TRUE(reduce(r, x.ref(), axis, y.ref(), Team()).ok());
    EXPECT_TRUE(std::isnan(y.as<float>()[0]));
    EXPECT_EQ(y.as<float>()[1], -INFINITY);
  }
  const Tensor none = make(DType::kF32, {2, 0});
  const double want[] = {0, NAN, -INFINITY, INFINITY, 1, 0, 0, 0, -INFINITY, -INFINITY};
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(reduce(static_cast<Reduction>(k), none.ref(), axis, y.ref(), Team()).ok());
    if (std::isnan(want[k])) {
      EXPECT_TRUE(std::isnan(y.as<float>()[1]));
    } else {
      EXPECT_EQ(y.as<float>()[1], want[k]) << k;
    }
  }
  const Tensor no_ints = make(DType::kI8, {2, 0});
  Tensor z = make(DType::kI8, {2});
  ASSERT_TRUE(reduce(Reduction::kMax, no_ints.ref(), axis, z.ref(), Team()).ok());
  EXPECT_EQ(z.as<int8_t>()[0], -128);
  // Wrapping sum, large log-sum-exp, 64-bit maxima.
  const int8_t w[] = {100, 100, 100};
  Tensor s = make(DType::kI8, {});
  const Dims zero{0};
  ASSERT_TRUE(reduce(Reduction::kSum, Tensor::of<int8_t>(w).ref(), zero, s.ref(), Team()).ok());
  EXPECT_EQ(s.as<int8_t>()[0], 44);
  const float big[] = {1000, 1000};
  Tensor l = make(DType::kF32, {});
  ASSERT_TRUE(reduce(Reduction::kLogSumExp, Tensor::of<float>(big).ref(), zero, l.ref(), Team()).ok());
  EXPECT_FLOAT_EQ(l.as<float>()[0], 1000.6931472f);
  const uint64_t u[] = {1, ~uint64_t{0} - 1, 5};
  Tensor m = make(DType::kU64, {});
  ASSERT_TRUE(reduce(Reduction::kMax, Tensor::of<uint64_t>(u).ref(), zero, m.ref(), Team()).ok());
  EXPECT_EQ(m.as<uint64_t>()[0], ~uint64_t{0} - 1);
  const Dims wrong{2};
  EXPECT_FALSE(reduce(Reduction::kSum, x.ref(), wrong, y.ref(), Team()).ok());
  EXPECT_FALSE(reduce(Reduction::kSum, x.ref(), zero, y.ref(), Team()).ok());
}

TEST(reduce, arg_extremes) {
  Pool pool(3);
  for (DType type : {DType::kF32, DType::kF64, DType::kF16, DType::kI8, DType::kU8, DType::kI32, DType::kI64}) {
    for (const auto& [shape, axis] : std::vector<std::pair<Shape, int64_t>>{
             {{9}, 0}, {{1000}, 0}, {{4, 700}, 1}, {{70, 3}, 0}, {{3, 5, 300}, 1}, {{2, 3, 1}, 2}, {{5, 1}, 1}}) {
      Tensor x = random(type, shape, 5, 0, 9);
      const auto v = doubles(x);
      const int64_t inner = product(shape, static_cast<size_t>(axis) + 1, shape.size()),
                    n = shape[static_cast<size_t>(axis)];
      for (int mode = 0; mode < 4; ++mode) {
        const bool largest = mode & 1, last = mode & 2;
        Tensor y = make(DType::kI64, {x.count() / n});
        ASSERT_TRUE(arg_extreme(largest, x.ref(), axis, last, y.ref(), Team(&pool, 3)).ok());
        for (int64_t o = 0; o < y.count(); ++o) {
          int64_t best = 0;
          const auto get = [&](int64_t k) {
            return v[static_cast<size_t>(o / inner * n * inner + k * inner + o % inner)];
          };
          for (int64_t k = 1; k < n; ++k) {
            const bool better = largest ? get(k) > get(best) : get(k) < get(best);
            if (better || (last && get(k) == get(best))) best = k;
          }
          ASSERT_EQ(y.as<int64_t>()[o], best) << name(type) << list_text(shape) << mode;
        }
      }
    }
  }
  const float a[] = {1, NAN, 3, NAN, 2};
  Tensor y = make(DType::kI64, {1});
  ASSERT_TRUE(arg_extreme(true, Tensor::of<float>(a).ref(), 0, false, y.ref(), Team()).ok());
  EXPECT_EQ(y.as<int64_t>()[0], 1);
  ASSERT_TRUE(arg_extreme(false, Tensor::of<float>(a).ref(), 0, true, y.ref(), Team()).ok());
  EXPECT_EQ(y.as<int64_t>()[0], 3);
  EXPECT_FALSE(arg_extreme(true, make(DType::kF32, {0}).ref(), 0, false, y.ref(), Team()).ok());
}

TEST(reduce, running_sums) {
  Pool pool(3);
  for (DType type : {DType::kF32, DType::kF64, DType::kI32, DType::kI64, DType::kU8}) {
    for (const auto& [shape, axis] : std::vector<std::pair<Shape, int64_t>>{
             {{600}, 0}, {{4, 70}, 1}, {{70, 3}, 0}, {{3, 5, 300}, 1}, {{0, 2}, 1}}) {
      const Tensor x = random(type, shape, 5, 1, 3);
      const auto v = doubles(x);
      const int64_t inner = product(shape, static_cast<size_t>(axis) + 1, shape.size()),
                    n = shape[static_cast<size_t>(axis)];
      for (int mode = 0; mode < 8; ++mode) {
        const bool multiply = mode & 1, exclusive = mode & 2, reverse = mode & 4;
        if (multiply && n > 30) continue;
        Tensor y = make(type, shape);
        ASSERT_TRUE(cumulative(multiply, x.ref(), axis, exclusive, reverse, y.ref(), Team(&pool, 3)).ok());
        const auto got = doubles(y);
        for (int64_t o = 0; o < x.count() / std::max<int64_t>(n, 1); ++o) {
          Real acc = multiply ? 1 : 0;
          for (int64_t k = 0; k < n; ++k) {
            const size_t i = static_cast<size_t>(o / inner * n * inner + (reverse ? n - 1 - k : k) * inner + o % inner);
            const Real next = multiply ? acc * v[i] : acc + v[i];
            Real want = exclusive ? acc : next;
            if (type == DType::kU8) want = std::fmod(want, 256);
            ASSERT_NEAR(got[i], static_cast<double>(want),
                        (type == DType::kF32 ? 1e-4 : 1e-12) * static_cast<double>(want));
            acc = next;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenon
