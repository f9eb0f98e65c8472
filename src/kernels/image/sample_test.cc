// Tests of GridSample, AffineGrid, RoiAlign and Col2Im: stored results of the specification's reference and direct
// sums. SPDX-License-Identifier: MIT
#include "kernels/image/sample.h"

#include <gtest/gtest.h>

#include <cmath>

#include "kernels/guarded.h"
#include "kernels/image/sample_expected.h"

namespace tenon::kernels {
namespace {

std::vector<float> fractions(int64_t n, int64_t k, int64_t m) {
  std::vector<float> v;
  for (int64_t i = 0; i < n; ++i)
    v.push_back(static_cast<float>(static_cast<double>(i * k % m) / static_cast<double>(m)));
  return v;
}

TEST(GridSample, AgainstReference) {
  const auto check = [](const Dims& in, const Dims& out, std::vector<GridMode> modes, std::span<const float> want) {
    const auto x = fractions(2 * product(in), 7, 23);
    auto grid = fractions(product(out) * static_cast<int64_t>(out.size()), 5, 13);
    for (float& g : grid) g = g * 3 - 1.5f;
    size_t at = 0;
    for (GridMode mode : modes) {
      for (GridPadding padding : {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
        for (bool corners : {false, true}) {
          for (const Team& team : {Team(), wide_team()}) {
            Guarded<float> y(2 * product(out));
            ASSERT_TRUE(
                grid_sample(y.data(), x.data(), grid.data(), 1, 2, in, out, {mode, padding, corners}, team).ok());
            for (int64_t i = 0; i < y.size(); ++i) {
              ASSERT_NEAR(y[i], want[at + static_cast<size_t>(i)], 3e-6)
                  << int(mode) << " " << int(padding) << " " << corners << " " << i;
            }
          }
          at += static_cast<size_t>(2 * product(out));
        }
      }
    }
    EXPECT_EQ(at, want.size());
  };
  check(Dims{4, 5}, Dims{3, 2}, {GridMode::kLinear, GridMode::kNearest, GridMode::kCubic}, kGrid2d);
  check(Dims{3, 4, 3}, Dims{2, 2, 1}, {GridMode::kLinear, GridMode::kNearest}, kGrid3d);
}

TEST(GridSample, StrangeInputs) {
  const float x[] = {1, 2, 3};
  const float grid[] = {NAN, INFINITY, -INFINITY, 1e38f, 0};
  for (GridMode mode : {GridMode::kLinear, GridMode::kNearest, GridMode::kCubic}) {
    for (GridPadding padding : {GridPadding::kZeros, GridPadding::kBorder, GridPadding::kReflection}) {
      float y[5];
      ASSERT_TRUE(grid_sample(y, x, grid, 1, 1, Dims{3}, Dims{5}, {mode, padding, true}, Team()).ok());
      EXPECT_NEAR(y[0], 1, 1e-6);
      EXPECT_NEAR(y[4], 2, 1e-6);
    }
  }
  float y[1];
  EXPECT_FALSE(grid_sample(y, x, grid, 1, 1, Dims{0}, Dims{1}, {}, Team()).ok());
  EXPECT_FALSE(grid_sample(y, x, grid, 1, 1, Dims{3}, Dims{1, 1}, {}, Team()).ok());
  // Five cubic axes: more taps than are held at once. A constant image stays constant where all taps are inside.
  const std::vector<double> five(3125, 2.0), centre(5, 0.0);
  double out = 0;
  ASSERT_TRUE(grid_sample(&out, five.data(), centre.data(), 1, 1, Dims{5, 5, 5, 5, 5}, Dims{1, 1, 1, 1, 1},
                          {GridMode::kCubic, GridPadding::kZeros, true}, Team())
                  .ok());
  EXPECT_NEAR(out, 2.0, 1e-12);
}

TEST(AffineGrid, IdentityAndShift) {
  const float theta[] = {1, 0, 0.5f, 0, 1, -0.5f};
  Guarded<float> grid(2 * 3 * 2);
  ASSERT_TRUE(affine_grid(grid.data(), theta, 1, Dims{2, 3}, true, Team()).ok());
  EXPECT_EQ(grid.items(), (std::vector<float>{-0.5, -1.5, 0.5, -1.5, 1.5, -1.5, -0.5, 0.5, 0.5, 0.5, 1.5, 0.5}));
  ASSERT_TRUE(affine_grid(grid.data(), theta, 1, Dims{2, 3}, false, Team()).ok());
  EXPECT_NEAR(grid[0], -2.0 / 3 + 0.5, 1e-6);
  EXPECT_NEAR(grid[1], -1.0, 1e-6);
  const double cube[] = {0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0};
  Guarded<double> volume(8 * 3);
  ASSERT_TRUE(affine_grid(volume.data(), cube, 1, Dims{2, 2, 2}, true, Team()).ok());
  EXPECT_EQ(volume[3], -1);  // point (z 0, y 0, x 1) is mapped to (z, y, x)
  EXPECT_EQ(volume[5], 1);
  EXPECT_FALSE(affine_grid(volume.data(), cube, 1, Dims{2}, true, Team()).ok());
}

TEST(RoiAlign, AgainstReference) {
  const auto x = fractions(2 * 2 * 6 * 7, 5, 29);
  const float rois[] = {0.5f, 1, 4, 5.2f, 2, 0, 6.9f, 3, -1, -2, 1.5f, 2.5f};
  const int64_t batch[] = {0, 1, 1};
  const Indices indices{batch, 3, true};
  size_t at = 0;
  for (bool most : {false, true}) {
    for (int64_t sampling : {0, 2}) {
      for (bool half : {true, false}) {
        const RoiAlignConfig c{most, 2, 3, sampling, 0.9f, half};
        for (const Team& team : {Team(), wide_team()}) {
          Guarded<float> y(3 * 2 * 6);
          ASSERT_TRUE(roi_align(y.data(), x.data(), 2, 2, 6, 7, rois, indices, c, team).ok());
          for (int64_t i = 0; i < y.size(); ++i) ASSERT_NEAR(y[i], kRoi[at + static_cast<size_t>(i)], 3e-6);
        }
        at += 36;
      }
    }
  }
  EXPECT_EQ(at, std::size(kRoi));
  float y[36];
  const int64_t bad[] = {0, 2, 1};
  EXPECT_EQ(roi_align(y, x.data(), 2, 2, 6, 7, rois, Indices{bad, 3, true}, {}, Team()).message(),
            "batch index 2 at position 1 is outside of [0, 1]");
  const float wild[] = {0, 0, 1e30f, 1e30f};
  EXPECT_FALSE(roi_align(y, x.data(), 2, 2, 6, 7, wild, Indices{batch, 1, true}, {}, Team()).ok());
  const float nan[] = {NAN, 0, 1, 1};
  EXPECT_FALSE(roi_align(y, x.data(), 2, 2, 6, 7, nan, Indices{batch, 1, true}, {}, Team()).ok());
}

TEST(Col2Im, AgainstDirectSum) {
  Random random(1);
  for (int round = 0; round < 40; ++round) {
    const size_t d = static_cast<size_t>(random.between(1, 3));
    Dims image, block, strides, dilations, pads(2 * d), places;
    for (size_t i = 0; i < d; ++i) {
      block.push_back(random.between(1, 3));
      strides.push_back(random.between(1, 3));
      dilations.push_back(random.between(1, 2));
      pads[i] = random.between(0, 2);
      pads[d + i] = random.between(0, 2);
      image.push_back((block[i] - 1) * dilations[i] + 1 + random.between(0, 5));
      places.push_back((image[i] + pads[i] + pads[d + i] - (block[i] - 1) * dilations[i] - 1) / strides[i] + 1);
    }
    const int64_t n = 2, c = 3, l = product(places), cells = product(block), pixels = product(image);
    std::vector<double> x, want(static_cast<size_t>(n * c * pixels), 0.0);
    for (int64_t i = 0; i < n * c * cells * l; ++i) x.push_back(random.unit());
    for (int64_t i = 0; i < n * c * cells * l; ++i) {
      int64_t p = i % l, k = i / l % cells, offset = 0, stride = 1;
      bool inside = true;
      for (size_t j = d; j-- > 0;) {
        const int64_t at = p % places[j] * strides[j] + k % block[j] * dilations[j] - pads[j];
        p /= places[j];
        k /= block[j];
        inside = inside && at >= 0 && at < image[j];
        offset += at * stride;
        stride *= image[j];
      }
      if (inside) want[static_cast<size_t>(i / l / cells * pixels + offset)] += x[static_cast<size_t>(i)];
    }
    for (const Team& team : {Team(), wide_team()}) {
      Guarded<double> y(n * c * pixels);
      ASSERT_TRUE(col2im(y.data(), x.data(), n, c, image, block, strides, dilations, pads, l, team).ok());
      ASSERT_EQ(y.items(), want);
    }
    EXPECT_FALSE(col2im<double>(nullptr, nullptr, n, c, image, block, strides, dilations, pads, l + 1, Team()).ok());
  }
}

}  // namespace
}  // namespace tenon::kernels
