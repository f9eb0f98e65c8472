// Tests of pooling against plain loops, in both layouts.
// SPDX-License-Identifier: MIT
#include "kernels/pool/pool.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/gemm/each_target.h"
#include "threads/pool.h"

namespace tenon::kernels {
namespace {

template <class T>
double lowest() {
  return static_cast<double>(std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                                  : std::numeric_limits<T>::lowest());
}

struct Window {
  std::vector<std::pair<int64_t, int64_t>> taps;  // offset in the plane, column-major offset
  int64_t padded = 1;
};

/// The window of one output, straight from the definition; `s` has three spatial dimensions.
Window window(const PoolSizes& s, int64_t o) {
  Window w;
  const int64_t at[3] = {o / (s.out[1] * s.out[2]), o / s.out[2] % s.out[1], o % s.out[2]};
  for (int i = 0; i < 3; ++i) {
    int64_t n = 0;
    for (int64_t k = 0; k < s.kernel[i]; ++k)
      n += at[i] * s.stride[i] - s.pad[i] + k * s.dilation[i] < s.in[i] + s.pad_end[i];
    w.padded *= n;
  }
  for (int64_t z = 0; z < s.kernel[0]; ++z)
    for (int64_t y = 0; y < s.kernel[1]; ++y)
      for (int64_t x = 0; x < s.kernel[2]; ++x) {
        const int64_t k[3] = {z, y, x};
        int64_t p[3];
        bool in = true;
        for (int i = 0; i < 3; ++i) {
          p[i] = at[i] * s.stride[i] - s.pad[i] + k[i] * s.dilation[i];
          in = in && p[i] >= 0 && p[i] < s.in[i];
        }
        if (in) w.taps.push_back({(p[0] * s.in[1] + p[1]) * s.in[2] + p[2], p[0] + (p[1] + p[2] * s.in[1]) * s.in[0]});
      }
  return w;
}

template <class T, class F>
void compare(const PoolSizes& s, const std::vector<T>& x, double tolerance, const F& expected, auto run) {
  static Pool* pool = new Pool(3);
  const int64_t in_plane = s.in[0] * s.in[1] * s.in[2], out_plane = s.out[0] * s.out[1] * s.out[2];
  std::vector<T> first;
  for (int width : {1, 3}) {
    std::vector<T> y(static_cast<size_t>(s.batch * s.channels * out_plane) + 32, T(99));
    run(y.data() + 16, Team(pool, width));
    for (size_t i = 0; i < 16; ++i) {
      ASSERT_EQ(y[i], T(99));
      ASSERT_EQ(y[y.size() - 1 - i], T(99));
    }
    if (width != 1) {
      ASSERT_EQ(std::memcmp(y.data(), first.data(), y.size() * sizeof(T)), 0);
      continue;
    }
    first = y;
    for (int64_t n = 0; n < s.batch; ++n)
      for (int64_t c = 0; c < s.channels; ++c)
        for (int64_t o = 0; o < out_plane; ++o) {
          auto at = [&](int64_t pixel) {
            return static_cast<double>(x[static_cast<size_t>(
                s.channels_last ? (n * in_plane + pixel) * s.channels + c : (n * s.channels + c) * in_plane + pixel)]);
          };
          const int64_t to =
              s.channels_last ? (n * out_plane + o) * s.channels + c : (n * s.channels + c) * out_plane + o;
          const double want = expected(window(s, o), at, n * s.channels + c, to);
          if (y[static_cast<size_t>(16 + to)] == want) continue;
          ASSERT_NEAR(y[static_cast<size_t>(16 + to)], want, tolerance * (1 + std::abs(want)))
              << n << " " << c << " " << o;
        }
  }
}

template <class T>
void check(PoolSizes s) {
  for (bool last : {false, true}) {
    s.channels_last = last;
    SCOPED_TRACE(testing::Message() << "last " << last << " c" << s.channels << " in " << s.in[0] << "x" << s.in[1]
                                    << "x" << s.in[2] << " k" << s.kernel[0] << s.kernel[1] << s.kernel[2] << " s"
                                    << s.stride[0] << s.stride[1] << s.stride[2] << " p" << s.pad[0] << s.pad[1]
                                    << s.pad[2] << " size " << sizeof(T));
    std::mt19937 gen(3);
    std::vector<T> x(static_cast<size_t>(s.batch * s.channels * s.in[0] * s.in[1] * s.in[2]));
    for (T& v : x)
      v = std::is_floating_point_v<T> ? static_cast<T>((gen() % 2001) / 1000.0 - 1) : static_cast<T>(gen());
    auto maximum = [](const Window& w, const auto& at, int64_t, int64_t) {
      double best = lowest<T>();
      for (auto [p, q] : w.taps) best = std::max(best, at(p));
      return best;
    };
    compare(s, x, 0, maximum, [&](T* y, const Team& t) { pool_max<T>(s, x.data(), y, nullptr, false, t); });
    for (bool column : {false, true}) {
      std::vector<int64_t> where(static_cast<size_t>(s.batch * s.channels * s.out[0] * s.out[1] * s.out[2]));
      compare(
          s, x, 0,
          [&](const Window& w, const auto& at, int64_t plane, int64_t to) {
            double best = 0;
            int64_t place = -1;
            for (auto [p, q] : w.taps)
              if (place < 0 || at(p) > best) best = at(p), place = column ? q : p;
            EXPECT_EQ(where[static_cast<size_t>(to)],
                      plane * s.in[0] * s.in[1] * s.in[2] + std::max<int64_t>(place, 0));
            return place < 0 ? lowest<T>() : best;
          },
          [&](T* y, const Team& t) { pool_max<T>(s, x.data(), y, where.data(), column, t); });
    }
    if constexpr (std::is_floating_point_v<T>) {
      const double eps = sizeof(T) == 4 ? 2e-6 : 1e-14;
      for (bool padding : {false, true})
        compare(
            s, x, eps,
            [&](const Window& w, const auto& at, int64_t, int64_t) {
              double sum = 0;
              for (auto [p, q] : w.taps) sum += at(p);
              return sum / static_cast<double>(
                               std::max<int64_t>(padding ? w.padded : static_cast<int64_t>(w.taps.size()), 1));
            },
            [&](T* y, const Team& t) { pool_average<T>(s, padding, x.data(), y, t); });
      for (int64_t power : {1, 2, 3})
        compare(
            s, x, eps,
            [&](const Window& w, const auto& at, int64_t, int64_t) {
              double sum = 0;
              for (auto [p, q] : w.taps) sum += std::pow(std::abs(at(p)), static_cast<double>(power));
              return std::pow(sum, 1.0 / static_cast<double>(power));
            },
            [&](T* y, const Team& t) { pool_lp<T>(s, power, x.data(), y, t); });
    }
  }
}

PoolSizes sizes(std::vector<int64_t> in, std::vector<int64_t> k, std::vector<int64_t> st, std::vector<int64_t> dil,
                std::vector<int64_t> pb, std::vector<int64_t> pe, bool ceil, int64_t channels) {
  PoolSizes s;
  s.spatial = 3;
  s.batch = 2;
  s.channels = channels;
  for (int i = 0; i < 3; ++i) {
    s.in[i] = in[i], s.kernel[i] = k[i], s.stride[i] = st[i], s.dilation[i] = dil[i], s.pad[i] = pb[i],
    s.pad_end[i] = pe[i];
    const int64_t room = in[i] + pb[i] + pe[i] - (k[i] - 1) * dil[i] - 1;
    s.out[i] = (room + (ceil ? st[i] - 1 : 0)) / st[i] + 1;
  }
  return s;
}

template <class T>
void all() {
  for (int64_t c : {1, 3, 16, 37}) {
    check<T>(sizes({1, 9, 40}, {1, 3, 3}, {1, 2, 2}, {1, 1, 1}, {0, 1, 1}, {0, 1, 1}, false, c));
    check<T>(sizes({1, 8, 37}, {1, 2, 2}, {1, 2, 2}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, true, c));
    check<T>(sizes({1, 7, 70}, {1, 3, 5}, {1, 1, 1}, {1, 1, 2}, {0, 1, 3}, {0, 0, 2}, false, c));
  }
  check<T>(sizes({5, 6, 7}, {5, 6, 7}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, false, 5));  // global
  check<T>(sizes({1, 1, 300}, {1, 1, 300}, {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, false, 2));
  check<T>(sizes({4, 5, 6}, {2, 3, 2}, {2, 1, 3}, {2, 1, 1}, {1, 0, 1}, {1, 2, 1}, true, 6));
  check<T>(sizes({1, 1, 20}, {1, 1, 4}, {1, 1, 3}, {1, 1, 2}, {0, 0, 3}, {0, 0, 1}, true, 4));
}

TEST(Pooling, EveryTypeAndInstructionSet) {
  for_each_target([](const char* name) {
    SCOPED_TRACE(name);
    all<float>();
    all<double>();
    all<int8_t>();
    all<uint8_t>();
  });
}

TEST(Pooling, FewerSpatialDimensions) {
  PoolSizes s;
  s.spatial = 1;
  s.channels = 2;
  s.in[0] = 5, s.kernel[0] = 2, s.stride[0] = 2, s.out[0] = 2;
  const float x[] = {1, 3, 2, 5, 4, -1, -3, -2, -5, -4};
  float y[4];
  pool_max<float>(s, x, y, nullptr, false, Team());
  EXPECT_EQ(y[0], 3);
  EXPECT_EQ(y[1], 5);
  EXPECT_EQ(y[2], -1);
  EXPECT_EQ(y[3], -2);
}

}  // namespace
}  // namespace tenon::kernels
