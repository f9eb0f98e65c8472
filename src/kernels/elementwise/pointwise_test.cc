// Tests of the element-wise engine: broadcasting, types, casts, chains, in place, teams, tails.
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/pointwise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "base/small_float.h"
#include "kernels/elementwise/cast.h"
#include "threads/pool.h"

namespace tenon {
namespace {

Tensor make(DType type, Shape shape) {
  auto t = Tensor::allocate(type, std::move(shape));
  EXPECT_TRUE(t.ok());
  return std::move(t).value();
}
template <class T>
Tensor filled(Shape shape, int seed, double lo = -50, double hi = 50) {
  Tensor t = make(dtype_of<T>, std::move(shape));
  std::mt19937 rng(static_cast<unsigned>(seed));
  std::uniform_real_distribution<double> u(lo, hi);
  for (T& v : t.items<T>()) v = static_cast<T>(u(rng));
  return t;
}
std::vector<Tensor> run(const Program& p, const std::vector<Tensor>& in, const Shape& shape,
                        const Team& team = Team()) {
  std::vector<DType> types;
  std::vector<TensorRef> refs, out_refs;
  for (const Tensor& t : in) types.push_back(t.dtype()), refs.push_back(t.ref());
  auto plan = plan_pointwise(p, types);
  EXPECT_TRUE(plan.ok()) << plan.status().to_string();
  std::vector<Tensor> out;
  for (DType t : plan->output_types()) out.push_back(make(t, shape));
  for (const Tensor& t : out) out_refs.push_back(t.ref());
  run_pointwise(*plan, refs, out_refs, team);
  return out;
}
// The element of t that output index `flat` of `shape` reads.
template <class T>
T at(const Tensor& t, const Shape& shape, int64_t flat) {
  int64_t from = 0, stride = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t i = flat % shape[d];
    flat /= shape[d];
    const int64_t k = static_cast<int64_t>(d + t.shape().size()) - static_cast<int64_t>(shape.size());
    if (k < 0) continue;
    if (t.shape()[k] != 1) from += i * stride;
    stride *= t.shape()[k];
  }
  return t.as<T>()[from];
}

TEST(pointwise, broadcasting) {
  const std::vector<std::pair<Shape, Shape>> cases = {{{7}, {7}},
                                                      {{}, {5}},
                                                      {{5}, {}},
                                                      {{1}, {1}},
                                                      {{}, {}},
                                                      {{3, 1}, {1, 4}},
                                                      {{33, 3}, {3}},
                                                      {{1000, 3}, {3}},
                                                      {{5, 300}, {300}},
                                                      {{5, 300}, {5, 1}},
                                                      {{5, 300}, {1, 1}},
                                                      {{4, 1, 6}, {5, 1}},
                                                      {{2, 3, 4, 5}, {3, 1, 1}},
                                                      {{2, 3, 20, 30}, {1, 3, 1, 1}},
                                                      {{300, 1}, {1, 300}},
                                                      {{1, 2, 1, 2, 1, 2, 1, 2}, {2, 1, 2, 1, 2, 1, 2, 1}},
                                                      {{64, 17, 65}, {17, 1}},
                                                      {{6, 5, 129}, {6, 1, 129}},
                                                      {{20000}, {1}},
                                                      {{3, 5000}, {3, 1}},
                                                      {{17, 64, 3}, {64, 3}},
                                                      {{2, 3, 300}, {2, 1, 300}},
                                                      {{2, 1, 3, 1, 700}, {3, 4, 700}},
                                                      {{40, 1, 50}, {40, 30, 1}}};
  Pool pool(3);
  for (const auto& [a, b] : cases) {
    auto shape = broadcast(a, b);
    ASSERT_TRUE(shape.ok());
    const Tensor x = filled<float>(a, 1), y = filled<float>(b, 2);
    for (const bool threads : {false, true}) {
      const auto z = run(Program::single(Fn::kSub), {x, y}, *shape, threads ? Team(&pool, 3) : Team());
      for (int64_t i = 0; i < z[0].count(); ++i) {
        ASSERT_EQ(z[0].as<float>()[i], at<float>(x, *shape, i) - at<float>(y, *shape, i))
            << list_text(a) << list_text(b) << " at " << i;
      }
    }
  }
}

TEST(pointwise, rank_ten_and_empty) {
  const Shape a{2, 1, 2, 1, 2, 1, 2, 1, 2, 1}, b{1, 2, 1, 2, 1, 2, 1, 2, 1, 2};
  const Shape shape(10, 2);
  const Tensor x = filled<int32_t>(a, 1), y = filled<int32_t>(b, 2);
  const auto z = run(Program::single(Fn::kAdd), {x, y}, shape);
  for (int64_t i = 0; i < 1024; ++i)
    ASSERT_EQ(z[0].as<int32_t>()[i], at<int32_t>(x, shape, i) + at<int32_t>(y, shape, i));
  run(Program::single(Fn::kAdd), {filled<float>({0, 3}, 1), filled<float>({3}, 1)}, {0, 3});
}

template <class T>
class Arithmetic : public testing::Test {};
using Numbers = testing::Types<float, double, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;
TYPED_TEST_SUITE(Arithmetic, Numbers);

TYPED_TEST(Arithmetic, every_length) {
  using T = TypeParam;
  for (int64_t n : {1, 2, 3, 7, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 1000}) {
    const Tensor x = filled<T>({n}, 1, std::is_unsigned_v<T> ? 0 : -100, 100),
                 y = filled<T>({n}, 2, std::is_unsigned_v<T> ? 1 : -9, 9);
    const auto check = [&](Fn fn, auto want) {
      const auto z = run(Program::single(fn), {x, y}, {n});
      for (int64_t i = 0; i < n; ++i) {
        ASSERT_EQ(z[0].template as<T>()[i], want(x.template as<T>()[i], y.template as<T>()[i]))
            << info(fn).name << " " << +x.template as<T>()[i] << " " << +y.template as<T>()[i];
      }
    };
    check(Fn::kAdd, [](T a, T b) { return static_cast<T>(a + b); });
    check(Fn::kSub, [](T a, T b) { return static_cast<T>(a - b); });
    check(Fn::kMul, [](T a, T b) { return static_cast<T>(a * b); });
    check(Fn::kDiv, [](T a, T b) {
      return b == 0 && !std::is_floating_point_v<T>
                 ? T(0)
                 : static_cast<T>(a / (b == 0 && !std::is_floating_point_v<T> ? T(1) : b));
    });
    check(Fn::kMax, [](T a, T b) { return std::max(a, b); });
    check(Fn::kMin, [](T a, T b) { return std::min(a, b); });
    check(Fn::kMod, [](T a, T b) {
      const double q = b == 0 ? 0 : std::floor(static_cast<double>(a) / static_cast<double>(b));
      if constexpr (std::is_floating_point_v<T>) {
        T r = std::fmod(a, b);
        return r != 0 && (r < 0) != (b < 0) ? r + b : r;
      }
      return b == 0 ? T(0) : static_cast<T>(static_cast<double>(a) - q * static_cast<double>(b));
    });
    const auto compare = [&](Fn fn, auto want) {
      const auto z = run(Program::single(fn), {x, y}, {n});
      ASSERT_EQ(z[0].dtype(), DType::kBool);
      for (int64_t i = 0; i < n; ++i)
        ASSERT_EQ(z[0].as<uint8_t>()[i], want(x.template as<T>()[i], y.template as<T>()[i]) ? 1 : 0)
            << info(fn).name << i << "/" << n;
    };
    compare(Fn::kEqual, [](T a, T b) { return a == b; });
    compare(Fn::kLess, [](T a, T b) { return a < b; });
    compare(Fn::kLessEqual, [](T a, T b) { return a <= b; });
    compare(Fn::kGreater, [](T a, T b) { return a > b; });
    compare(Fn::kGreaterEqual, [](T a, T b) { return a >= b; });
    Tensor cond = make(DType::kBool, {n});
    for (int64_t i = 0; i < n; ++i) cond.as<bool>()[i] = i % 3 == 0;
    const auto w = run(Program::single(Fn::kWhere), {cond, x, y}, {n});
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(w[0].template as<T>()[i], i % 3 == 0 ? x.template as<T>()[i] : y.template as<T>()[i]);
    const auto c = run(Program::single(Fn::kClip), {x, filled<T>(Shape(), 5, 2, 2), filled<T>(Shape(), 5, 9, 9)}, {n});
    for (int64_t i = 0; i < n; ++i)
      ASSERT_EQ(c[0].template as<T>()[i], std::min(T(9), std::max(T(2), x.template as<T>()[i])));
    const auto k = run(Program::single(Fn::kAddImm, 3), {x}, {n});
    for (int64_t i = 0; i < n; ++i) ASSERT_EQ(k[0].template as<T>()[i], static_cast<T>(x.template as<T>()[i] + T(3)));
    if constexpr (std::is_integral_v<T>) {
      const auto s = run(Program::single(Fn::kShiftLeft), {x, y}, {n});
      for (int64_t i = 0; i < n; ++i) {
        const int64_t by = static_cast<int64_t>(y.template as<T>()[i]);
        ASSERT_EQ(s[0].template as<T>()[i], by < 0 || by >= int64_t{sizeof(T) * 8}
                                                ? T(0)
                                                : static_cast<T>(static_cast<uint64_t>(x.template as<T>()[i]) << by));
      }
    }
  }
}

TEST(pointwise, integer_corners) {
  const int32_t lo = std::numeric_limits<int32_t>::min();
  const int32_t a[] = {7, -7, lo, 5, lo, 0}, b[] = {2, 2, -1, 0, 0, -3};
  const Tensor x = Tensor::of<int32_t>(a), y = Tensor::of<int32_t>(b);
  const auto quotient = run(Program::single(Fn::kDiv), {x, y}, {6});
  const int32_t want[] = {3, -3, lo, 0, 0, 0};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(quotient[0].as<int32_t>()[i], want[i]) << i;
  const auto mod = run(Program::single(Fn::kMod), {x, y}, {6}), fmod = run(Program::single(Fn::kFMod), {x, y}, {6});
  const int32_t want_mod[] = {1, 1, 0, 0, 0, 0}, want_fmod[] = {1, -1, 0, 0, 0, 0};
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(mod[0].as<int32_t>()[i], want_mod[i]);
    EXPECT_EQ(fmod[0].as<int32_t>()[i], want_fmod[i]);
  }
  // Powers of mixed types.
  const int64_t base[] = {2, -3, 10, 1, -1, 0, 2}, exponent[] = {10, 3, 18, -5, -3, 0, -1};
  const auto p = run(Program::single(Fn::kPow), {Tensor::of<int64_t>(base), Tensor::of<int64_t>(exponent)}, {7});
  const int64_t powers[] = {1024, -27, 1000000000000000000, 1, -1, 1, 0};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(p[0].as<int64_t>()[i], powers[i]);
  const auto q = run(Program::single(Fn::kPow), {Tensor::of<int32_t>(a), Tensor::scalar<float>(0.5f)}, {6});
  EXPECT_EQ(q[0].as<int32_t>()[0], 2);
  const auto r = run(Program::single(Fn::kPow), {Tensor::scalar<float>(3), Tensor::of<int64_t>(exponent)}, {7});
  EXPECT_EQ(r[0].as<float>()[0], 59049);
}

TEST(pointwise, nan_and_logic) {
  const float nan = NAN;
  const float a[] = {nan, 1, nan, -0.0f}, b[] = {1, nan, nan, 0.0f};
  for (Fn fn : {Fn::kMin, Fn::kMax}) {
    const auto z = run(Program::single(fn), {Tensor::of<float>(a), Tensor::of<float>(b)}, {4});
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(std::isnan(z[0].as<float>()[i])) << info(fn).name << i;
    EXPECT_EQ(z[0].as<float>()[3], 0);
  }
  const float f[] = {nan, INFINITY, -INFINITY, 3};
  const auto is_nan = run(Program::single(Fn::kIsNaN), {Tensor::of<float>(f)}, {4});
  const auto is_neg = run(Program::single(Fn::kIsInf, 1, 0), {Tensor::of<float>(f)}, {4});
  const auto is_inf = run(Program::single(Fn::kIsInf, 1, 1), {Tensor::of<float>(f)}, {4});
  const int want[3][4] = {{1, 0, 0, 0}, {0, 0, 1, 0}, {0, 1, 1, 0}};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(is_nan[0].as<bool>()[i], want[0][i]);
    EXPECT_EQ(is_neg[0].as<bool>()[i], want[1][i]);
    EXPECT_EQ(is_inf[0].as<bool>()[i], want[2][i]);
  }
  const bool t[] = {true, true, false, false}, u[] = {true, false, true, false};
  Tensor p = make(DType::kBool, {4}), q = make(DType::kBool, {4});
  std::memcpy(p.data(), t, 4), std::memcpy(q.data(), u, 4);
  const auto x = run(Program::single(Fn::kXor), {p, q}, {4}), n = run(Program::single(Fn::kNot), {p}, {4});
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(x[0].as<bool>()[i], t[i] != u[i]);
    EXPECT_EQ(n[0].as<bool>()[i], !t[i]);
  }
}

bool compute_type_is_integer(DType t) {
  constexpr TypeSet kWhole(DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kI32, DType::kU32, DType::kI64,
                           DType::kU64, DType::kI4, DType::kU4, DType::kI2, DType::kU2, DType::kBool);
  return kWhole.has(t);
}

TEST(pointwise, casts) {
  const double v[] = {0,    -0.0,  1.5, -1.5, 127.9, 128,   -128.9, 255.5, 256,      300,       -1,   65504, 65520,
                      1e10, -1e10, 3e9, 1e19, 1e30,  -1e30, 1e-8,   NAN,   INFINITY, -INFINITY, 2049, 2051,  0.1,
                      448,  460,   464, 480,  57344, 61440, 7,      8,     -8,       -9,        2,    3};
  const int64_t n = std::size(v);
  const DType all[] = {DType::kF64,        DType::kF32,        DType::kF16,  DType::kBF16,     DType::kI8,
                       DType::kU8,         DType::kI16,        DType::kU16,  DType::kI32,      DType::kU32,
                       DType::kI64,        DType::kU64,        DType::kBool, DType::kF8E4M3FN, DType::kF8E5M2,
                       DType::kF8E4M3FNUZ, DType::kF8E5M2FNUZ, DType::kI4,   DType::kU4,       DType::kF4E2M1,
                       DType::kI2,         DType::kU2};
  // Everything goes through f64 references of the stored value, computed here by plain rules.
  for (DType from : all) {
    std::vector<char> source(static_cast<size_t>(n) * 8 + 8), target(static_cast<size_t>(n) * 8 + 8);
    convert(DType::kF64, v, from, source.data(), n);
    std::vector<double> held(static_cast<size_t>(n));
    convert(from, source.data(), DType::kF64, held.data(), n);
    for (DType to : all) {
      convert(from, source.data(), to, target.data(), n);
      std::vector<double> got(static_cast<size_t>(n));
      convert(to, target.data(), DType::kF64, got.data(), n);
      for (int64_t i = 0; i < n; ++i) {
        const double h = held[i];
        double want = h;
        const bool whole_from = compute_type_is_integer(from);
        const auto integer = [&](int bits, bool is_signed) {
          const double top = std::ldexp(1.0, is_signed ? bits - 1 : bits), low = is_signed ? -top : 0;
          if (!whole_from && std::isnan(h)) return 0.0;
          if (!whole_from && bits >= 8) {
            const double t = std::trunc(h);
            return t < low ? low : t >= top ? (bits == 64 ? top : top - 1) : t;
          }
          const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
          const double most = whole_from ? 0x1p64 : 0x1p63;  // floats become i64 before they are cut
          uint64_t u = (h < -0x1p63 ? uint64_t{1} << 63
                        : h < 0     ? static_cast<uint64_t>(static_cast<int64_t>(h))
                        : h >= most ? (whole_from ? ~uint64_t{0} : ~uint64_t{0} >> 1)
                                    : static_cast<uint64_t>(h)) &
                       mask;
          if (bits == 64 && h >= 0x1p63 && is_signed)
            return from == DType::kI64 ? 0x1p63 : static_cast<double>(static_cast<int64_t>(u));
          if (is_signed && bits < 64 && u >> (bits - 1)) return static_cast<double>(static_cast<int64_t>(u | ~mask));
          return is_signed ? static_cast<double>(static_cast<int64_t>(u)) : static_cast<double>(u);
        };
        switch (to) {
          case DType::kF64: break;
          case DType::kF32: want = static_cast<float>(h); break;
          case DType::kF16: want = f16_to_f32(f32_to_f16(static_cast<float>(h))); break;
          case DType::kBF16: want = bf16_to_f32(f32_to_bf16(static_cast<float>(h))); break;
          case DType::kBool: want = h != 0; break;
          case DType::kF8E4M3FN:
            want = small_float_to_f32(f32_to_small_float(static_cast<float>(h), kFormatE4M3FN, true), kFormatE4M3FN);
            break;
          case DType::kF8E5M2:
            want = small_float_to_f32(f32_to_small_float(static_cast<float>(h), kFormatE5M2, true), kFormatE5M2);
            break;
          case DType::kF8E4M3FNUZ:
            want =
                small_float_to_f32(f32_to_small_float(static_cast<float>(h), kFormatE4M3FNUZ, true), kFormatE4M3FNUZ);
            break;
          case DType::kF8E5M2FNUZ:
            want =
                small_float_to_f32(f32_to_small_float(static_cast<float>(h), kFormatE5M2FNUZ, true), kFormatE5M2FNUZ);
            break;
          case DType::kF4E2M1:
            want = small_float_to_f32(f32_to_small_float(static_cast<float>(h), kFormatE2M1, true), kFormatE2M1);
            break;
          case DType::kI2:
          case DType::kI4:
          case DType::kI8:
          case DType::kI16:
          case DType::kI32:
          case DType::kI64: want = integer(bit_width(to), true); break;
          default: want = integer(bit_width(to), false);
        }
        // Where the source held a whole number beyond 2^53, its own value is not known exactly here.
        if (whole_from && std::fabs(h) > 0x1p53) continue;
        if (std::isnan(want)) {
          EXPECT_TRUE(std::isnan(got[i])) << name(from) << " to " << name(to) << " of " << h;
        } else {
          EXPECT_EQ(got[i], want) << name(from) << " to " << name(to) << " of " << h;
        }
      }
    }
  }
  // Unsaturated f8.
  float big = 1e6f;
  uint8_t code = 0;
  convert(DType::kF32, &big, DType::kF8E4M3FN, &code, 1, false);
  EXPECT_EQ(code, 0x7f);
  convert(DType::kF32, &big, DType::kF8E5M2, &code, 1, false);
  EXPECT_EQ(code, 0x7c);
  // Double rounding: just above a tie of f16.
  const double tie = 1 + 0x1p-11 + 0x1p-40;
  uint16_t half = 0;
  convert(DType::kF64, &tie, DType::kF16, &half, 1);
  EXPECT_EQ(half, 0x3c01);
}

// (x * y + bias) -> f16 -> gelu -> compare, several outputs; bits as the single operators one after another.
TEST(pointwise, chain_equals_single_operators) {
  for (DType type : {DType::kF32, DType::kF16, DType::kBF16, DType::kF64}) {
    const Shape shape{3, 37, 130};
    const auto typed = [&](Shape s, int seed) {
      const Tensor f = filled<float>(s, seed, -3, 3);
      Tensor t = make(type, s);
      convert(DType::kF32, f.data(), type, t.data(), f.count());
      return t;
    };
    const Tensor x = typed(shape, 1), y = typed({37, 1}, 2), bias = typed({130}, 3);
    Program p;
    p.inputs = 3;
    const uint8_t a = p.emit(Fn::kMul, {0, 1}), b = p.emit(Fn::kAdd, {a, 2}), c = p.emit(Fn::kGelu, {b});
    const uint8_t d = p.emit(Fn::kLess, {c, a}), e = p.emit(Fn::kWhere, {d, b, c}), s = p.emit(Fn::kExp, {1});
    const uint8_t g = p.emit(Fn::kMul, {e, s}), h = p.emit_cast(g, DType::kI32), k = p.emit_constant(type, 0.3);
    const uint8_t m = p.emit(Fn::kAdd, {g, k});
    for (uint8_t r : {a, c, d, g, h, m, uint8_t{0}}) p.outputs.push_back(r);
    Pool pool(3);
    const auto fused = run(p, {x, y, bias}, shape), threaded = run(p, {x, y, bias}, shape, Team(&pool, 3));
    const auto one = [&](Fn fn, std::vector<Tensor> in, const Shape& to) {
      return run(Program::single(fn), in, to)[0];
    };
    const Tensor ta = one(Fn::kMul, {x, y}, shape), tb = one(Fn::kAdd, {ta, bias}, shape),
                 tc = one(Fn::kGelu, {tb}, shape);
    const Tensor td = one(Fn::kLess, {tc, ta}, shape), te = one(Fn::kWhere, {td, tb, tc}, shape),
                 ts = one(Fn::kExp, {y}, {37, 1});
    const Tensor tg = one(Fn::kMul, {te, ts}, shape), th = run(Program::cast(DType::kI32), {tg}, shape)[0];
    Tensor tk = make(type, {});
    const double third = 0.3;
    convert(DType::kF64, &third, type, tk.data(), 1);
    const Tensor tm = one(Fn::kAdd, {tg, tk}, shape);
    const Tensor want[] = {ta, tc, td, tg, th, tm, x};
    for (size_t i = 0; i < std::size(want); ++i) {
      EXPECT_EQ(0, std::memcmp(fused[i].data(), want[i].data(), static_cast<size_t>(want[i].bytes())))
          << name(type) << i;
      EXPECT_EQ(0, std::memcmp(fused[i].data(), threaded[i].data(), static_cast<size_t>(want[i].bytes())))
          << name(type) << i;
    }
  }
}

TEST(pointwise, in_place) {
  // y = relu(x) * w + x, written over x; and two outputs, one over an input that is read late.
  const Tensor x = filled<float>({5000}, 1), w = filled<float>({5000}, 2);
  Program p;
  p.inputs = 2;
  const uint8_t a = p.emit(Fn::kRelu, {0}), b = p.emit(Fn::kMul, {a, 1}), c = p.emit(Fn::kAdd, {b, 0});
  for (uint8_t r : {c, a}) p.outputs.push_back(r);
  const auto want = run(p, {x, w}, {5000});
  auto copy_x = x.clone(), copy_w = w.clone();
  const DType types[] = {DType::kF32, DType::kF32};
  auto plan = plan_pointwise(p, types);
  const TensorRef refs[] = {copy_x->ref(), copy_w->ref()};
  const TensorRef out[] = {copy_w->ref(), copy_x->ref()};
  run_pointwise(*plan, refs, out, Team());
  EXPECT_EQ(0, std::memcmp(copy_w->data(), want[0].data(), 20000));
  EXPECT_EQ(0, std::memcmp(copy_x->data(), want[1].data(), 20000));
}

TEST(pointwise, strided_and_rows) {
  const Tensor x = filled<float>({40, 70}, 1);
  const DType type = DType::kF32;
  auto plan = plan_pointwise(Program::single(Fn::kNeg), {&type, 1});
  const Shape shape{70, 40};
  const Dims strides{1, 70};  // the transpose
  Tensor y = make(type, shape);
  const StridedInput in{x.data(), strides};
  void* out = y.data();
  run_pointwise_strided(*plan, shape, {&in, 1}, {&out, 1}, Team());
  for (int i = 0; i < 70; ++i) {
    for (int j = 0; j < 40; ++j) ASSERT_EQ(y.as<float>()[i * 40 + j], -x.as<float>()[j * 70 + i]);
  }
  const DType two[] = {type, type};
  auto sum = plan_pointwise(Program::single(Fn::kAdd), two);
  const float one = 1;
  const RowInput row[] = {{x.data(), false}, {&one, true}};
  run_pointwise_row(*sum, 33, row, {&out, 1});
  for (int i = 0; i < 33; ++i) ASSERT_EQ(y.as<float>()[i], x.as<float>()[i] + 1);
}

TEST(pointwise, packed_broadcast) {
  Tensor q = make(DType::kI4, {3, 5});
  const int8_t codes[15] = {-8, 7, 0, 1, -1, 2, 3, 4, 5, 6, -7, -6, -5, -4, -3};
  convert(DType::kI8, codes, DType::kI4, q.data(), 15);
  Program p;
  p.inputs = 2;
  const uint8_t f = p.emit_cast(0, DType::kF32), m = p.emit(Fn::kMul, {f, 1}), i = p.emit_cast(m, DType::kI4);
  p.outputs.push_back(m), p.outputs.push_back(i);
  const auto z = run(p, {q, Tensor::scalar<float>(1)}, {4, 3, 5});
  for (int k = 0; k < 60; ++k) ASSERT_EQ(z[0].as<float>()[k], codes[k % 15]);
  std::vector<int8_t> back(60);
  convert(DType::kI4, z[1].data(), DType::kI8, back.data(), 60);
  for (int k = 0; k < 60; ++k) ASSERT_EQ(back[k], codes[k % 15]);
}

TEST(pointwise, refusals) {
  const DType mixed[] = {DType::kF32, DType::kI32};
  EXPECT_EQ(plan_pointwise(Program::single(Fn::kAdd), mixed).status().message(),
            "Add: operand 1 is i32; operand 0 is f32");
  const DType text = DType::kString, integer = DType::kI32;
  EXPECT_FALSE(plan_pointwise(Program::cast(DType::kF32), {&text, 1}).ok());
  EXPECT_FALSE(plan_pointwise(Program::single(Fn::kExp), {&integer, 1}).ok());
  Program bad;
  bad.inputs = 1;
  bad.emit(Fn::kNeg, {7});
  EXPECT_FALSE(plan_pointwise(bad, {&integer, 1}).ok());
  // Every function on every type either plans or says why not; nothing is null.
  for (int f = 0; f <= static_cast<int>(Fn::kShrink); ++f) {
    for (int t = 1; t < kDTypeCount; ++t) {
      Program p = Program::single(static_cast<Fn>(f));
      p.code[0].to = DType::kF32;
      DType in[3] = {static_cast<DType>(t), static_cast<DType>(t), static_cast<DType>(t)};
      if (p.code[0].fn == Fn::kWhere) in[0] = DType::kBool;
      const auto plan = plan_pointwise(p, {in, static_cast<size_t>(p.inputs)});
      if (!plan.ok()) { EXPECT_NE(plan.status().code(), Code::kNotImplemented) << plan.status().to_string(); }
    }
  }
}

}  // namespace
}  // namespace tenon
