// Tests of layout changes.
// SPDX-License-Identifier: MIT
#include "kernels/conv/layout.h"

#include <gtest/gtest.h>

#include <vector>

#include "kernels/gemm/each_target.h"
#include "threads/pool.h"

namespace tenon::kernels {
namespace {

TEST(Layout, BothWays) {
  static Pool* pool = new Pool(3);
  for_each_target([](const char* name) {
    SCOPED_TRACE(name);
    for (int64_t n : {1, 3})
      for (int64_t c : {1, 3, 4, 31, 32, 33, 70})
        for (int64_t s : {0, 1, 5, 8, 64, 99})
          for (int width : {1, 3}) {
            const size_t count = static_cast<size_t>(n * c * s);
            std::vector<float> x(count), y(count + 8, -1.0f), z(count + 8, -1.0f);
            for (size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i);
            to_channels_last(x.data(), y.data(), n, c, s, Team(pool, width));
            to_channels_first(y.data(), z.data(), n, c, s, Team(pool, width));
            for (int64_t i = 0; i < n * s * c; ++i)
              ASSERT_EQ(y[static_cast<size_t>(i)], static_cast<float>((i / (s * c) * c + i % c) * s + i / c % s));
            for (size_t i = 0; i < count; ++i) ASSERT_EQ(z[i], x[i]);
            for (size_t i = count; i < count + 8; ++i) ASSERT_TRUE(y[i] == -1 && z[i] == -1);
          }
  });
}

}  // namespace
}  // namespace tenon::kernels
