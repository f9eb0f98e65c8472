// Tests of 8-bit matrix products: exactness at the extremes, every sign, zero points, tile edges.
// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm_int8.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "kernels/gemm/each_target.h"
#include "threads/pool.h"

namespace tenon::kernels {
namespace {

int value(const std::vector<uint8_t>& v, bool is_signed, int64_t i) {
  return is_signed ? static_cast<int8_t>(v[static_cast<size_t>(i)]) : v[static_cast<size_t>(i)];
}

void check(int64_t m, int64_t n, int64_t k, bool as, bool bs, bool trans, int zeros, bool extreme, bool sink) {
  SCOPED_TRACE(testing::Message() << m << "x" << n << "x" << k << " signed " << as << bs << " trans " << trans
                                  << " zeros " << zeros);
  static Pool* pool = new Pool(3);
  std::mt19937 gen(7);
  auto fill = [&](int64_t count, bool is_signed) {
    std::vector<uint8_t> v(static_cast<size_t>(count));
    for (auto& x : v) x = static_cast<uint8_t>(extreme ? (is_signed ? (gen() % 2 ? 0x7f : 0x80) : 0xff) : gen());
    return v;
  };
  const int64_t lda = k + 2, ldb = (trans ? k : n) + 3, ldc = n + 1;
  const auto a = fill(m * lda, as), b = fill((trans ? n : k) * ldb, bs);
  const auto az = fill(m, as), bz = fill(n, bs);
  for (int width : {1, 3}) {
    const Team team(pool, width);
    PackedInt8 packed = pack_int8(b.data(), bs, ldb, trans, k, n, team).value();
    std::vector<int32_t> c(static_cast<size_t>(m * ldc), 77);
    GemmInt8 g;
    g.m = m, g.n = n, g.k = k, g.a = a.data(), g.a_signed = as, g.lda = lda, g.b = &packed, g.c = c.data(), g.ldc = ldc;
    g.b_signed = bs;
    if (zeros) {
      g.a_zero = az.data(), g.a_zero_count = zeros == 1 ? 1 : m;
      g.b_zero = bz.data(), g.b_zero_count = zeros == 1 ? 1 : n;
    }
    auto write = [&](int64_t, int64_t r0, int64_t rows, int64_t c0, int64_t cols, const int32_t* v, int64_t ld) {
      for (int64_t r = 0; r < rows; ++r)
        std::memcpy(&c[(r0 + r) * ldc + c0], v + r * ld, static_cast<size_t>(cols) * 4);
    };
    const FunctionRef<void(int64_t, int64_t, int64_t, int64_t, int64_t, const int32_t*, int64_t)> ref(write);
    if (sink) g.sink = &ref;
    const int64_t bytes = gemm_int8_scratch_bytes(g, width);
    std::vector<uint8_t> scratch(static_cast<size_t>(bytes) + 128, 0x5a);
    auto* aligned = reinterpret_cast<uint8_t*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
    gemm_int8(g, team, aligned);
    for (int64_t i = 0; i < 64; ++i) ASSERT_EQ(aligned[bytes + i], 0x5a);
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        int64_t want = 0;
        const int za = zeros ? value(az, as, zeros == 1 ? 0 : i) : 0,
                  zb = zeros ? value(bz, bs, zeros == 1 ? 0 : j) : 0;
        for (int64_t x = 0; x < k; ++x)
          want += int64_t{value(a, as, i * lda + x) - za} * (value(b, bs, trans ? j * ldb + x : x * ldb + j) - zb);
        ASSERT_EQ(c[static_cast<size_t>(i * ldc + j)], static_cast<int32_t>(want)) << i << "," << j;
      }
      ASSERT_EQ(c[static_cast<size_t>(i * ldc + n)], 77);
    }
  }
}

TEST(GemmInt8, AllForms) {
  for_each_target([](const char* name) {
    SCOPED_TRACE(name);
    for (bool as : {false, true})
      for (bool bs : {false, true})
        for (bool trans : {false, true})
          for (int zeros : {0, 1, 2})
            for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{
                     {1, 1, 1}, {2, 5, 3}, {5, 8, 4}, {12, 16, 64}, {13, 33, 67}, {25, 70, 257}})
              check(m, n, k, as, bs, trans, zeros, false, zeros == 2);
  });
}

TEST(GemmInt8, ExtremesAreExact) {
  for_each_target([](const char* name) {
    SCOPED_TRACE(name);
    for (bool as : {false, true})
      for (bool bs : {false, true}) check(9, 40, 5000, as, bs, false, 0, true, false);
    check(30, 700, 300, false, true, true, 2, false, false);
    check(3, 5, 0, false, true, false, 1, false, false);
  });
}

}  // namespace
}  // namespace tenon::kernels
