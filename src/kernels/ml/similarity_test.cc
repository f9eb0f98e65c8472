// Tests of sums of one row against many vectors.
// SPDX-License-Identifier: MIT
#include "kernels/ml/similarity.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenon::kernels {
namespace {

TEST(Similarity, EqualsThePlainLoopInEveryBit) {
  for (int64_t count : {1, 7, 8, 9, 17, 31, 32, 33, 100}) {
    for (int64_t features : {0, 1, 3, 64}) {
      const int64_t stride = (count + kSimilarityTile - 1) / kSimilarityTile * kSimilarityTile;
      std::vector<float> vectors(static_cast<size_t>(count * features)), x(static_cast<size_t>(features));
      uint32_t seed = 7;
      auto next = [&] {
        seed = seed * 1664525u + 1013904223u;
        return static_cast<float>(seed >> 8) / 4096.0f - 2048.0f;
      };
      for (float& v : vectors) v = next();
      for (float& v : x) v = next();
      std::vector<float> packed(static_cast<size_t>(features * stride));
      transpose_vectors(vectors.data(), count, features, stride, packed.data());
      std::vector<double> got(static_cast<size_t>(stride));
      for (bool squared : {false, true}) {
        similarity_sums(x.data(), packed.data(), features, stride, squared, got.data());
        for (int64_t v = 0; v < count; ++v) {
          double want = 0;
          for (int64_t f = 0; f < features; ++f) {
            double a = static_cast<double>(x[static_cast<size_t>(f)]);
            double b = static_cast<double>(vectors[static_cast<size_t>(v * features + f)]);
            want += squared ? (a - b) * (a - b) : a * b;
          }
          ASSERT_EQ(got[static_cast<size_t>(v)], want)
              << count << " vectors, " << features << " features, vector " << v;
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenon::kernels
