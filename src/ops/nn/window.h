// Sliding windows of convolutions and poolings: attributes, SAME padding and output sizes.
// SPDX-License-Identifier: MIT
#pragma once
#include <string_view>

#include "opdef/infer.h"

namespace tenon::ops {
using namespace opdef;

/// Most spatial dimensions that the kernels take.
inline constexpr int kMaxSpatial = 3;

/// The checked attributes of a window. Arrays are padded with ones (pads: zeros) up to kMaxSpatial.
struct Window {
  enum class AutoPad { kNone, kSameUpper, kSameLower, kValid };
  int spatial = 0;
  AutoPad auto_pad = AutoPad::kNone;
  bool ceil_mode = false;
  int64_t kernel[kMaxSpatial] = {1, 1, 1};
  int64_t stride[kMaxSpatial] = {1, 1, 1};
  int64_t dilation[kMaxSpatial] = {1, 1, 1};
  int64_t pad_begin[kMaxSpatial] = {0, 0, 0};
  int64_t pad_end[kMaxSpatial] = {0, 0, 0};

  /// How far a window reaches in dimension i.
  int64_t reach(int i) const { return (kernel[i] - 1) * dilation[i] + 1; }
};

/// Reads auto_pad, strides, dilations, pads, ceil_mode and kernel_shape of a node. `kernel`: sizes from the weights, or
/// empty when kernel_shape must say them. Fails on lists of a wrong length and on values out of range.
Result<Window> window_of(const ir::Node& node, int spatial, std::span<const int64_t> kernel = {});

/// The output size along spatial dimension i for an input size.
Dim window_output(const Window& w, int i, Dim in);

/// Padding before and behind an input of size `in` in dimension i, SAME worked out.
struct Padding {
  int64_t begin = 0, end = 0;
};
Padding window_padding(const Window& w, int i, int64_t in);

}  // namespace tenon::ops
