// The innermost loops of 8-bit convolutions, as a table of functions for the best instruction set.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

/// How sums become bytes: clamp(round(sum * factor + addend) + zero, lo, hi).
struct Requantise {
  const int32_t* correction;  ///< added to the sums
  const float* factor;
  const float* addend;
  int32_t zero, lo, hi;
  bool is_signed;
};

struct Quantised;

/// Outputs of one row of a depthwise convolution.
struct DepthwiseInt8 {
  const uint8_t* in;  ///< image, channel 0
  uint8_t* out;       ///< row of output, channel 0
  int64_t in_size[3], kernel[3], stride[3], dilation[3], pad[3];
  int64_t plane, row, out_width;
  int64_t channels, ld;
  bool x_signed;
  int32_t x_zero;
  const int16_t* weights;  ///< [tap][ld]
};

struct MicroConvInt8 {
  /// out[i] for n columns from sums[i].
  void (*requantise)(const int32_t* sums, const Requantise& r, int64_t n, uint8_t* out);
  void (*depthwise)(const DepthwiseInt8& d, const Requantise& r);
  void (*add)(const Quantised& a, const Quantised& b, float y_scale, int32_t y_zero, bool y_signed, int32_t lo,
              int32_t hi, uint8_t* y, int64_t begin, int64_t end);
};

const MicroConvInt8& micro_conv_int8();

}  // namespace tenon::kernels
