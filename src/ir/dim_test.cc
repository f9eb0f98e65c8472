// Tests of dimension expressions: normal form, proofs, evaluation.
// SPDX-License-Identifier: MIT
#include "ir/dim.h"

#include <gtest/gtest.h>

#include <random>

#include "tensor/shape.h"

namespace tenon::ir {
namespace {

TEST(Dim, ConstantsAreImmediate) {
  EXPECT_TRUE((Dim(3) + Dim(4)).is(7));
  EXPECT_TRUE((Dim(3) * Dim(-4)).is(-12));
  EXPECT_TRUE(floor_div(Dim(-7), Dim(2)).is(-4));
  EXPECT_TRUE(ceil_div(Dim(7), Dim(2)).is(4));
  EXPECT_TRUE(floor_div(Dim(7), Dim(0)).is_unknown());
}

TEST(Dim, OverflowIsUnknown) {
  EXPECT_TRUE((Dim(kMaxSize) * Dim(kMaxSize)).is_unknown());
  EXPECT_TRUE((Dim(kMaxSize) + Dim(kMaxSize)).is_unknown());
  EXPECT_TRUE((Dim(INT64_MIN) * Dim(-1)).is_unknown());
}

TEST(Dim, EqualFormsAreTheSameNode) {
  DimPool pool;
  Dim a = pool.named("a"), b = pool.named("b");
  EXPECT_EQ(a, pool.named("a"));
  EXPECT_EQ((a + b) * Dim(2), b * Dim(2) + a + a);
  EXPECT_EQ((a + Dim(1)) * (a - Dim(1)), a * a - Dim(1));
  EXPECT_TRUE((a - a).is(0));
  EXPECT_FALSE(a == b);
  EXPECT_FALSE(Dim::unknown() == Dim::unknown());
}

TEST(Dim, Division) {
  DimPool pool;
  Dim a = pool.named("a"), b = pool.named("b");
  EXPECT_EQ(floor_div(a * b * Dim(6), b * Dim(3)), a * Dim(2));
  EXPECT_EQ(floor_div(a * Dim(4) + Dim(5), Dim(4)), a + Dim(1));
  EXPECT_EQ(floor_div(floor_div(a, Dim(2)), Dim(3)), floor_div(a, Dim(6)));
  EXPECT_EQ(floor_div(a + Dim(3), Dim(2)), floor_div(a + Dim(1), Dim(2)) + Dim(1));
  // The pattern of strided convolutions: halving with padding.
  EXPECT_EQ(floor_div(a + Dim(2 - 3), Dim(2)) + Dim(1), floor_div(a + Dim(1), Dim(2)));
}

TEST(Dim, ExtremesAndBroadcast) {
  DimPool pool;
  Dim a = pool.named("a"), b = pool.named("b");
  EXPECT_EQ(dim_max(a + Dim(1), a), a + Dim(1));
  EXPECT_EQ(dim_min(a + Dim(1), a), a);
  EXPECT_EQ(dim_max(a, Dim(0)), a);
  EXPECT_EQ(dim_broadcast(a, Dim(1)), a);
  EXPECT_TRUE(dim_broadcast(a, Dim(5)).is(5));
  EXPECT_TRUE(dim_broadcast(Dim(4), Dim(5)).is_unknown());
  EXPECT_EQ(dim_broadcast(a, b), dim_broadcast(b, a));
  EXPECT_EQ(constant_difference(a + Dim(5), a), 5);
  EXPECT_FALSE(constant_difference(a, b).has_value());
}

TEST(Dim, ExpressionsStayBounded) {
  DimPool pool;
  Dim sum(1);
  for (int i = 0; i < 1000; ++i) {
    sum = sum * (pool.fresh() + Dim(1)) + pool.fresh();
    if (sum.is_unknown()) return;
  }
  FAIL() << "an expression grew without end";
}

/// Random expressions: the normal form, the tape and plain arithmetic agree on every assignment.
TEST(Dim, RandomExpressionsEvaluateAsWritten) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    DimPool pool;
    std::vector<Dim> terms;
    std::vector<int64_t> values, symbols;
    for (int i = 0; i < 3; ++i) {
      terms.push_back(pool.fresh());
      symbols.push_back(static_cast<int64_t>(random() % 9));
      values.push_back(symbols.back());
    }
    for (int i = 0; i < 8; ++i) {
      size_t x = random() % terms.size(), y = random() % terms.size();
      int64_t c = static_cast<int64_t>(random() % 7) - 3, p = values[x], q = values[y];
      switch (random() % 7) {
        case 0:
          terms.push_back(terms[x] + terms[y]);
          values.push_back(p + q);
          break;
        case 1:
          terms.push_back(terms[x] - terms[y]);
          values.push_back(p - q);
          break;
        case 2:
          terms.push_back(terms[x] * terms[y]);
          values.push_back(p * q);
          break;
        case 3:
          terms.push_back(terms[x] * Dim(c));
          values.push_back(p * c);
          break;
        case 4: {
          int64_t d = std::abs(c) + 1;
          terms.push_back(floor_div(terms[x], Dim(d)));
          values.push_back(p / d - ((p % d != 0) && p < 0));
          break;
        }
        case 5:
          terms.push_back(dim_max(terms[x], terms[y]));
          values.push_back(std::max(p, q));
          break;
        default:
          terms.push_back(dim_min(terms[x], terms[y]));
          values.push_back(std::min(p, q));
          break;
      }
      if (terms.back().is_unknown()) {
        terms.pop_back();
        values.pop_back();
        continue;
      }
      auto got = evaluate(terms.back(), symbols);
      ASSERT_TRUE(got.has_value()) << terms.back().to_string();
      ASSERT_EQ(*got, values.back()) << terms.back().to_string();
    }
  }
}

TEST(Dim, SubstituteReplacesSymbols) {
  DimPool pool;
  Dim a = pool.named("a"), b = pool.named("b");
  std::vector<Dim> by{Dim(4), Dim::unknown()};
  EXPECT_EQ(substitute(a * b + floor_div(a, Dim(3)), by), b * Dim(4) + Dim(1));
}

TEST(Dim, TapeRefusesDivisionByZeroAndOverflow) {
  DimPool pool;
  Dim a = pool.fresh(), b = pool.fresh();
  DimTape tape;
  tape.add(floor_div(a, b));
  std::vector<int64_t> registers(tape.register_count());
  EXPECT_TRUE(tape.run(std::vector<int64_t>{7, 2}, registers));
  EXPECT_FALSE(tape.run(std::vector<int64_t>{7, 0}, registers));
  DimTape wide;
  wide.add(a * a);
  registers.resize(wide.register_count());
  EXPECT_FALSE(wide.run(std::vector<int64_t>{int64_t{1} << 40, 0}, registers));
}

}  // namespace
}  // namespace tenon::ir
