// The innermost loops of convolutions, as a table of functions for the best instruction set of this processor.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <limits>

#include "kernels/gemm/micro.h"

namespace tenon::kernels {

/// A channels-last image and where its taps lie.
struct GatherShape {
  int64_t in[3];     ///< spatial sizes
  int64_t channels;  ///< floats from one pixel to the next
  int64_t used;      ///< channels that are gathered from a pixel; all of them where a segment has several pixels
};
/// The place of one output pixel in the input: its image (the first used channel) and the position of offset 0.
struct GatherRow {
  const float* image;
  int64_t at[3];
};
struct GatherSegment {
  int32_t offset[3];
  int32_t pixels;
};

/// Rows of output of a depthwise convolution: rows [row0, row1) of one output plane, channels [c0, c1). With a group
/// size above 1 (2, 4 or 8): groups of so many channels in and out; c0, c1 and the channels must be multiples of a
/// vector.
struct Depthwise {
  const float* in;  ///< image, channel 0
  float* out;       ///< output plane, channel 0
  int64_t in_size[3], kernel[3], stride[3], dilation[3], pad[3];
  int64_t plane;  ///< output position in the outermost dimension
  int64_t row0, row1, out_width;
  int64_t c0, c1, channels;  ///< of the input
  int64_t multiplier;        ///< output channels for one of the input; 1 for larger groups
  int64_t group_size;
  const float* weights;  ///< [multiplier][tap][input within the group][weight_ld]
  int64_t weight_ld;
  const float* bias;  ///< [multiplier][weight_ld] or null
  float lo = -std::numeric_limits<float>::infinity();
  float hi = std::numeric_limits<float>::infinity();
};

/// One tile of Winograd F(4x4, 3x3): 6 x 6 input pixels give 4 x 4 output pixels.
struct WinogradTile {
  const float* in;  ///< image
  int64_t height, width, channels;
  int64_t y, x;  ///< of the first input pixel, may be outside
};

struct MicroConv {
  /// out[r * ld + i] for i in [0, count): values k0 + i of row r, the segments one after the other; 0 outside the
  /// image.
  void (*gather)(const GatherShape& shape, const GatherSegment* segments, const GatherRow* rows, int row_count,
                 int64_t k0, int64_t count, float* out, int64_t ld);
  void (*depthwise)(const Depthwise& d);
  /// v[q * stride + c], q < 36: the transformed input of a tile.
  void (*winograd_in)(const WinogradTile& tile, float* v, int64_t stride);
  /// The 4 x 4 outputs from m[q * stride + c], clipped to rows x cols, plus bias, between lo and hi.
  void (*winograd_out)(const float* m, int64_t stride, int64_t channels, int rows, int cols, float* out,
                       int64_t row_stride, int64_t pixel_stride, const float* bias, float lo, float hi);
};

const MicroConv& micro_conv();

}  // namespace tenon::kernels
