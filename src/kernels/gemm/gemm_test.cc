// Tests of matrix products: every tile edge, tails, activations, thread counts, guard zones.
// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/gemm/each_target.h"
#include "kernels/gemm/micro.h"
#include "threads/pool.h"

namespace tenon::kernels {
namespace {

constexpr float kGuard = 12345.0f;

Pool& pool() {
  static Pool* p = new Pool(3);
  return *p;
}

template <class T>
std::vector<T> random(int64_t n, int seed, T lo = -1, T hi = 1) {
  std::mt19937 gen(static_cast<unsigned>(seed));
  std::uniform_real_distribution<T> dist(lo, hi);
  std::vector<T> v(static_cast<size_t>(n));
  for (T& x : v) x = dist(gen);
  return v;
}

double act_reference(double x, Activation act) {
  auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  switch (act.kind) {
    case Act::kNone: return x;
    case Act::kRelu: return std::max(x, 0.0);
    case Act::kClip: return std::min<double>(std::max<double>(x, act.a), act.b);
    case Act::kLeakyRelu: return x < 0 ? act.a * x : x;
    case Act::kSigmoid: return sigmoid(x);
    case Act::kTanh: return std::tanh(x);
    case Act::kHardSigmoid: return std::min(1.0, std::max(0.0, act.a * x + act.b));
    case Act::kHardSwish: return x * std::min(1.0, std::max(0.0, x / 6 + 0.5));
    case Act::kSilu: return x * sigmoid(act.a * x);
    case Act::kGeluErf: return 0.5 * x * (1 + std::erf(x / std::sqrt(2.0)));
    case Act::kGeluTanh: return 0.5 * x * (1 + std::tanh(std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
  }
  return x;
}

template <class T>
void run(const Gemm<T>& g, const Team& team) {
  const int64_t bytes = gemm_scratch_bytes(g, team.width());
  auto memory = Buffer::allocate(static_cast<size_t>(bytes) + 64);
  std::memset(memory.value()->data(), 0x7f, static_cast<size_t>(bytes) + 64);  // huge numbers, if used unset
  gemm(g, team, memory.value()->data());
  const char* end = static_cast<const char*>(memory.value()->data()) + bytes;
  for (int i = 0; i < 64; ++i) ASSERT_EQ(end[i], 0x7f) << "scratch overrun";
}

void on_every_target(void (*test)()) {
  for_each_target([&](const char* name) {
    SCOPED_TRACE(name);
    test();
  });
}

struct Form {
  bool trans_a = false, trans_b = false, packed = false;
};

template <class T>
struct Problem {
  int64_t m, n, k, lda, ldb, ldc;
  std::vector<T> a, b, c0, bias_col, bias_row, residual;
  Form form;
  Problem(int64_t m_, int64_t n_, int64_t k_, Form f, int64_t pad = 3) : m(m_), n(n_), k(k_), form(f) {
    lda = (f.trans_a ? m : k) + pad;
    ldb = (f.trans_b ? k : n) + pad;
    ldc = n + pad;
    a = random<T>((f.trans_a ? k : m) * lda, 1);
    b = random<T>((f.trans_b ? n : k) * ldb, 2);
    c0 = random<T>(m * ldc + 16, 3);
    bias_col = random<T>(n, 4);
    bias_row = random<T>(m, 5);
    residual = random<T>(m * ldc, 6);
  }
  Gemm<T> gemm_of(T* c) {
    Gemm<T> g;
    g.m = m, g.n = n, g.k = k;
    g.a = a.data(), g.lda = lda, g.trans_a = form.trans_a;
    g.b = b.data(), g.ldb = ldb, g.trans_b = form.trans_b;
    g.c = c, g.ldc = ldc;
    return g;
  }
  double product(int64_t i, int64_t j) const {
    double s = 0;
    for (int64_t x = 0; x < k; ++x)
      s += static_cast<double>(form.trans_a ? a[x * lda + i] : a[i * lda + x]) *
           static_cast<double>(form.trans_b ? b[j * ldb + x] : b[x * ldb + j]);
    return s;
  }
};

template <class T>
void check(int64_t m, int64_t n, int64_t k, Form form, T alpha, T beta, bool tail, Activation act = {},
           int64_t pad = 3) {
  SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k << " ta" << form.trans_a << " tb" << form.trans_b
                                  << " packed" << form.packed << " tail" << tail << " act" << int(act.kind));
  Problem<T> p(m, n, k, form, pad);
  PackedB<T> packed;
  if (form.packed) packed = pack_b(p.b.data(), p.ldb, form.trans_b, k, n, Team(&pool(), 3)).value();
  std::vector<T> first;
  for (int width : {1, 3}) {
    std::vector<T> c = p.c0;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = n; j < p.ldc; ++j) c[i * p.ldc + j] = T(kGuard);
    for (size_t i = c.size() - 16; i < c.size(); ++i) c[i] = T(kGuard);
    Gemm<T> g = p.gemm_of(c.data());
    g.alpha = alpha, g.beta = beta, g.act = act;
    if (form.packed) g.packed = &packed;
    if (tail) {
      g.bias_col = p.bias_col.data();
      g.bias_row = p.bias_row.data();
      g.residual = p.residual.data();
      g.residual_ld = p.ldc;
    }
    run(g, Team(&pool(), width));
    if (width == 1) {
      first = c;
      const double eps = sizeof(T) == 4 ? 1.2e-7 : 2.3e-16;
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          double want = alpha * p.product(i, j);
          if (beta != 0) want += static_cast<double>(beta) * p.c0[i * p.ldc + j];
          if (tail) want += p.bias_col[j] + p.bias_row[i] + static_cast<double>(p.residual[i * p.ldc + j]);
          want = act_reference(want, act);
          const double limit = eps * (8 + 4 * std::sqrt(double(k)) + double(k) * 0.05) * (std::abs(alpha) + 1);
          ASSERT_NEAR(c[i * p.ldc + j], want, limit) << i << "," << j;
        }
        for (int64_t j = n; j < p.ldc; ++j) ASSERT_EQ(c[i * p.ldc + j], T(kGuard)) << "guard, row " << i;
      }
      for (size_t i = c.size() - 16; i < c.size(); ++i) ASSERT_EQ(c[i], T(kGuard)) << "guard behind C";
    } else {
      ASSERT_EQ(std::memcmp(first.data(), c.data(), c.size() * sizeof(T)), 0) << "bits differ with threads";
    }
  }
}

const std::vector<Form> kForms = {{},
                                  {true, false, false},
                                  {false, true, false},
                                  {true, true, false},
                                  {false, false, true},
                                  {false, true, true},
                                  {true, false, true}};

void test_SmallSizes();
TEST(Gemm, SmallSizes) { on_every_target(test_SmallSizes); }
void test_SmallSizes() {
  for (Form f : kForms)
    for (int64_t m : {1, 2, 3, 5, 6, 7, 13, 14, 15, 29})
      for (int64_t n : {1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 65})
        for (int64_t k : {1, 2, 7, 33}) check<float>(m, n, k, f, 1, 0, false);
}

void test_MediumSizesWithTail();
TEST(Gemm, MediumSizesWithTail) { on_every_target(test_MediumSizesWithTail); }
void test_MediumSizesWithTail() {
  for (Form f : kForms)
    for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{1, 300, 900},
                                                              {2, 130, 800},
                                                              {3, 257, 385},
                                                              {4, 200, 384},
                                                              {40, 70, 1000},
                                                              {100, 129, 400},
                                                              {57, 513, 130}}) {
      check<float>(m, n, k, f, 1, 0, false);
      check<float>(m, n, k, f, 0.5f, 2, true, Activation::relu());
      check<float>(m, n, k, f, 1, 1, true);
    }
}

void test_Double();
TEST(Gemm, Double) { on_every_target(test_Double); }
void test_Double() {
  for (Form f : kForms)
    for (auto [m, n, k] :
         std::vector<std::array<int64_t, 3>>{{1, 1, 1}, {3, 17, 5}, {1, 100, 300}, {15, 16, 17}, {40, 70, 500}}) {
      check<double>(m, n, k, f, 1, 0, false);
      check<double>(m, n, k, f, -2, 0.5, true, Activation::clip(-1, 2));
      check<double>(m, n, k, f, 1, 0, true, Activation::leaky_relu(0.25f));
    }
}

void test_EmptySumAndPowerOfTwoStride();
TEST(Gemm, EmptySumAndPowerOfTwoStride) { on_every_target(test_EmptySumAndPowerOfTwoStride); }
void test_EmptySumAndPowerOfTwoStride() {
  for (Form f : kForms) {
    check<float>(3, 5, 0, f, 1, 0, true);
    check<float>(3, 5, 0, f, 1, 2, false);
  }
  check<float>(30, 200, 512, {}, 1, 0, false, {}, 0);
  check<float>(30, 256, 1024, {false, false, true}, 1, 0, false, {}, 0);
}

void test_AllActivations();
TEST(Gemm, AllActivations) { on_every_target(test_AllActivations); }
void test_AllActivations() {
  for (int kind = 0; kind <= static_cast<int>(Act::kGeluTanh); ++kind) {
    Activation act = Activation::of(static_cast<Act>(kind));
    if (act.kind == Act::kClip) act = Activation::clip(-0.5f, 0.75f);
    if (act.kind == Act::kLeakyRelu) act.a = 0.1f;
    if (act.kind == Act::kHardSigmoid) act = Activation::hard_sigmoid(0.2f, 0.5f);
    for (bool tail : {false, true}) check<float>(20, 37, 50, {false, false, true}, 1, 0, tail, act);
  }
}

void test_ActivationErrors();
TEST(Gemm, ActivationErrors) { on_every_target(test_ActivationErrors); }
void test_ActivationErrors() {
  std::vector<float> x;
  for (float v = -20; v <= 20; v += 0.0037f) x.push_back(v);
  for (float v : {-100.0f, -89.0f, -1e-8f, 0.0f, 1e-8f, 89.0f, 100.0f, 1e30f, -1e30f}) x.push_back(v);
  std::vector<float> y(x.size());
  for (Act kind : {Act::kSigmoid, Act::kTanh, Act::kSilu, Act::kGeluErf, Act::kGeluTanh, Act::kHardSwish}) {
    const Activation act = Activation::of(kind);
    apply_activation(x.data(), y.data(), static_cast<int64_t>(x.size()), act);
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = act_reference(x[i], act);
      ASSERT_NEAR(y[i], want, 4e-7 * std::max(1.0, std::abs(double(x[i])))) << int(kind) << " of " << x[i];
    }
    float nan = NAN, out = 0;
    apply_activation(&nan, &out, 1, act);
    EXPECT_TRUE(std::isnan(out)) << int(kind);
  }
  for (Activation act : {Activation::relu(), Activation::clip(0, 6), Activation::leaky_relu(0.1f)}) {
    float nan = NAN, out = 0;
    apply_activation(&nan, &out, 1, act);
    EXPECT_TRUE(std::isnan(out));
  }
}

void test_BitsDoNotDependOnRowsOrPacking();
TEST(Gemm, BitsDoNotDependOnRowsOrPacking) { on_every_target(test_BitsDoNotDependOnRowsOrPacking); }
void test_BitsDoNotDependOnRowsOrPacking() {
  const int64_t n = 150, k = 900;
  Problem<float> p(40, n, k, {}, 0);
  std::vector<float> all(40 * n), c(40 * n);
  PackedB<float> packed = pack_b(p.b.data(), p.ldb, false, k, n, Team()).value();
  Gemm<float> g = p.gemm_of(all.data());
  run(g, Team());
  for (int64_t m : {1, 2, 3, 4, 9, 15, 33})
    for (bool use_packed : {false, true}) {
      g.m = m, g.c = c.data(), g.packed = use_packed ? &packed : nullptr;
      run(g, Team());
      EXPECT_EQ(std::memcmp(all.data(), c.data(), static_cast<size_t>(m * n) * 4), 0) << m << use_packed;
    }
}

void test_Batches();
TEST(Gemm, Batches) { on_every_target(test_Batches); }
void test_Batches() {
  const int64_t m = 9, n = 21, k = 13, batch = 6;
  auto a = random<float>(batch * m * k, 1), b = random<float>(batch * n * k, 2);
  for (bool packed_b : {false, true})
    for (bool offsets : {false, true})
      for (bool broadcast : {false, true})
        for (int width : {1, 3}) {
          std::vector<float> c(static_cast<size_t>(batch * m * n), kGuard);
          Gemm<float> g;
          g.m = m, g.n = n, g.k = k, g.a = a.data(), g.lda = k, g.b = b.data(), g.ldb = n, g.c = c.data(), g.ldc = n;
          g.batch = batch, g.stride_a = m * k, g.stride_b = broadcast ? 0 : k * n, g.stride_c = m * n;
          std::vector<int64_t> oa, ob, oc;
          for (int64_t i = 0; i < batch; ++i) {
            oa.push_back((batch - 1 - i) * m * k);
            ob.push_back(packed_b ? (broadcast ? 0 : batch - 1 - i) : (broadcast ? 0 : (batch - 1 - i) * k * n));
            oc.push_back((batch - 1 - i) * m * n);
          }
          if (offsets) g.offsets_a = oa.data(), g.offsets_b = ob.data(), g.offsets_c = oc.data();
          PackedB<float> packed = pack_b(b.data(), n, false, k, n, Team(), broadcast ? 1 : batch, k * n).value();
          if (packed_b) g.packed = &packed;
          run(g, Team(&pool(), width));
          for (int64_t i = 0; i < batch; ++i)
            for (int64_t r = 0; r < m; ++r)
              for (int64_t j = 0; j < n; ++j) {
                double want = 0;
                for (int64_t x = 0; x < k; ++x)
                  want += double(a[(i * m + r) * k + x]) * b[((broadcast ? 0 : i) * k + x) * n + j];
                ASSERT_NEAR(c[(i * m + r) * n + j], want, 1e-5);
              }
        }
}

}  // namespace
}  // namespace tenon::kernels
