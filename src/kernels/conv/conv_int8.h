// Convolution of 8-bit images in channels-last layout with exact 32-bit sums, brought back to 8 bits on the way out;
// and sums of two 8-bit tensors.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/status.h"
#include "kernels/gemm/gemm_int8.h"
#include "threads/team.h"

namespace tenon::kernels {

/// What is known of the convolution before its input. Weights are [out_channels][in_channels / group][taps] as in ONNX.
struct ConvInt8Shape {
  int64_t in_channels = 0, out_channels = 0, group = 1;
  int64_t kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1};
  bool x_signed = false, w_signed = true, y_signed = false;
  int32_t x_zero = 0;
  const int32_t* w_zero = nullptr;  ///< one for each output channel, or null: 0
  const int32_t* bias = nullptr;    ///< added to the sums, or null
  const float* factor = nullptr;    ///< y = sum * factor[m] + addend[m], before the zero point
  const float* addend = nullptr;    ///< null: 0
  int32_t y_zero = 0;
  int32_t lo = 0, hi = 255;  ///< bounds of the result
};

/// Weights packed once, with everything that does not depend on the input.
struct ConvInt8Plan {
  ConvInt8Shape shape;  ///< its pointers are null
  bool depthwise = false, row_sums = false;
  int64_t k = 0;         ///< values of one sum
  PackedInt8 weights;    ///< a matrix a group, K in the order (tap, channel)
  Ref<Buffer> channels;  ///< by output channel: corrections, factors, addends, factors of the row sums
  Ref<Buffer> taps;      ///< depthwise: [tap][channel rounded up], weights less their zero points, i16
  int64_t ld = 0;        ///< channels rounded up
  const int32_t* correction() const { return static_cast<const int32_t*>(channels->data()); }
  const float* factor() const { return static_cast<const float*>(channels->data()) + ld; }
  const float* addend() const { return static_cast<const float*>(channels->data()) + 2 * ld; }
  const int32_t* row_factor() const { return static_cast<const int32_t*>(channels->data()) + 3 * ld; }
};

/// Sizes of one run, three spatial dimensions (the outer ones 1 where there are fewer).
struct ConvInt8Sizes {
  int64_t batch = 1, in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, pad[3] = {0, 0, 0};
};

Result<ConvInt8Plan> make_conv_int8(const ConvInt8Shape& shape, const void* weights, const Team& team);
int64_t conv_int8_scratch_bytes(const ConvInt8Plan& plan, int width);
/// out [batch, out..., out_channels] from in [batch, in..., in_channels], outside of which lies the zero point.
///   out = clamp(round_half_even(sum * factor + addend) + y_zero, lo, hi)
/// The same bits for any number of threads and on every instruction set that has fused multiply-add.
void run_conv_int8(const ConvInt8Plan& plan, const ConvInt8Sizes& sizes, const void* in, void* out, const Team& team,
                   void* scratch);

/// One operand of a sum: real value = (stored - zero) * scale.
struct Quantised {
  const void* data = nullptr;
  bool is_signed = false;
  int32_t zero = 0;
  float scale = 1;
};
/// y = clamp(round_half_even((real(a) + real(b)) / y_scale) + y_zero, lo, hi) for n values: the bits of
/// DequantizeLinear, Add and QuantizeLinear one after the other.
void add_quantised(const Quantised& a, const Quantised& b, float y_scale, int32_t y_zero, bool y_signed, int32_t lo,
                   int32_t hi, void* y, int64_t n, const Team& team);

}  // namespace tenon::kernels
