// Convolution and transposed convolution of float tensors in channels-last layout, with weights packed once.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "kernels/conv/micro_conv.h"
#include "kernels/gemm/activation.h"
#include "kernels/gemm/gemm.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon::kernels {

/// What is known of a convolution before its input: the attributes of ONNX Conv and ConvTranspose. Spatial arrays have
/// `spatial` entries, outermost first.
struct ConvShape {
  int spatial = 2;  ///< 1, 2 or 3
  int64_t in_channels = 0;
  int64_t out_channels = 0;
  int64_t group = 1;
  int64_t kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  bool transposed = false;
  /// Forbids algorithms that round differently from a plain sum (Winograd).
  bool exact = false;
  /// Typical spatial sizes of the input, for the choice of an algorithm; 0 when unknown.
  int64_t hint[3] = {0, 0, 0};
};

/// Sizes of one run.
struct ConvSizes {
  int64_t batch = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t pad[3] = {0, 0, 0};  ///< before the first element; what lies behind the last one follows from `out`
  int64_t out[3] = {1, 1, 1};
};

/// Sizes with the output that ONNX defines for these pads (begin and end; output_padding for transposed ones).
/// Fails when an output dimension would be negative.
Result<ConvSizes> conv_sizes(const ConvShape& shape, int64_t batch, const int64_t* in, const int64_t* pad_begin,
                             const int64_t* pad_end, const int64_t* output_padding = nullptr);

/// A convolution ready to run; holds its own copy of the weights.
class ConvPlan {
 public:
  /// What is done at which position: used by tests and by explanations.
  enum class Algorithm { kGemm, kDepthwise, kGrouped, kWinograd4, kPatches };
  Algorithm algorithm() const { return algorithm_; }
  const ConvShape& shape() const { return shape_; }

 private:
  friend struct ConvRunner;
  friend struct ConvBuilder;

  /// One dense sum over taps. A plain convolution has one part, a transposed one a part for each phase of its strides.
  struct Part {
    PackedB<float> weights;               // batch = blocks of groups
    std::vector<GatherSegment> segments;  // in the order of K
    int64_t k = 0;
    int64_t phase[3] = {0, 0, 0};  // of the output position plus padding, modulo the stride
  };
  ConvShape shape_;
  int64_t kernel_[3] = {1, 1, 1}, stride_[3] = {1, 1, 1},
          dilation_[3] = {1, 1, 1};  // three dimensions, the outer ones 1
  Algorithm algorithm_ = Algorithm::kGemm;
  Activation act_;
  int64_t blocks_ = 1;  // groups, or blocks of groups that are computed as one with zeros between them
  int64_t block_in_ = 0, block_out_ = 0;
  std::vector<Part> parts_;
  Ref<Buffer> bias_;         // out_channels values, or null; by multiplier for depthwise; by tap for patches
  Ref<Buffer> depthwise_;    // [multiplier][tap][channels rounded up]
  PackedB<float> winograd_;  // batch of 36 matrices
};

/// Packs `weights` in ONNX's layout: (out_channels, in_channels / group, kernel...), transposed ones (in_channels,
/// out_channels / group, kernel...). `bias` has out_channels values or is null. `act` is applied last.
/// Fails on impossible attributes and when memory runs out.
Result<ConvPlan> make_conv(const ConvShape& shape, const float* weights, const float* bias, Activation act,
                           const Team& team);

/// Bytes of scratch memory, aligned to 64, for a run on a team of this width.
int64_t conv_scratch_bytes(const ConvPlan& plan, const ConvSizes& sizes, int width);

/// out (batch, out..., out_channels) = act(conv(in (batch, in..., in_channels)) + bias + residual). `residual` has the
/// shape of `out` or is null; it may be `out` itself only where it is not read after it was written: give another
/// buffer. Bits do not depend on the width of the team.
void run_conv(const ConvPlan& plan, const ConvSizes& sizes, const float* in, const float* residual, float* out,
              const Team& team, void* scratch);

}  // namespace tenon::kernels
