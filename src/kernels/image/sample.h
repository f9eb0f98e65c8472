// Sampling at computed places: GridSample, AffineGrid, RoiAlign, and Col2Im.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "kernels/move/gather.h"
#include "tensor/shape.h"
#include "threads/team.h"

namespace tenon::kernels {

enum class GridMode { kLinear, kNearest, kCubic };
enum class GridPadding { kZeros, kBorder, kReflection };
struct GridConfig {
  GridMode mode = GridMode::kLinear;
  GridPadding padding = GridPadding::kZeros;
  bool align_corners = false;
};
/// x [n, c, in_spatial...], grid [n, out_spatial..., d] with d spatial coordinates in [-1, 1], the last axis first; y
/// [n, c, out_spatial...]. 1 to 8 spatial dimensions, each > 0 for x. T is float or double. NaN coordinates read as -1;
/// infinite ones as far outside.
template <class T>
Status grid_sample(T* y, const T* x, const T* grid, int64_t n, int64_t c, std::span<const int64_t> in_spatial,
                   std::span<const int64_t> out_spatial, const GridConfig& config, const Team& team);

/// theta [n, d, d + 1] to grid [n, spatial..., d], d = spatial.size() = 2 or 3. T is float or double.
template <class T>
Status affine_grid(T* grid, const T* theta, int64_t n, std::span<const int64_t> spatial, bool align_corners,
                   const Team& team);

struct RoiAlignConfig {
  bool max_mode = false;
  int64_t output_height = 1;
  int64_t output_width = 1;
  int64_t sampling_ratio = 0;  ///< 0: adaptive
  float spatial_scale = 1;
  bool half_pixel = true;
};
/// x [n, c, h, w], rois [r, 4] as (x1, y1, x2, y2), batch_indices [r]; y [r, c, output_height, output_width]. T: float,
/// double. Fails on a batch index outside of [0, n).
template <class T>
Status roi_align(T* y, const T* x, int64_t n, int64_t c, int64_t h, int64_t w, const T* rois,
                 const Indices& batch_indices, const RoiAlignConfig& config, const Team& team);

/// Col2Im: x [n, c * product(block), l] summed into y [n, c, image...]. pads: all begins, then all ends. Fails when l
/// does not match the other sizes. T is float or double.
template <class T>
Status col2im(T* y, const T* x, int64_t n, int64_t c, std::span<const int64_t> image, std::span<const int64_t> block,
              std::span<const int64_t> strides, std::span<const int64_t> dilations, std::span<const int64_t> pads,
              int64_t l, const Team& team);

}  // namespace tenon::kernels
