// Sliding windows of convolutions and poolings.
// SPDX-License-Identifier: MIT
#include "ops/nn/window.h"

#include <algorithm>

namespace tenon::ops {
namespace {

/// No kernel, stride, dilation or pad may be larger: products of two stay far from overflow.
constexpr int64_t kLargest = int64_t{1} << 30;

Status read_list(const ir::Node& node, std::string_view name, size_t count, int64_t least, int64_t* first,
                 int64_t* second = nullptr) {
  if (!node.find(name)) return {};
  auto list = node.ints(name);
  if (list.empty()) return {};
  size_t want = second ? 2 * count : count;
  if (list.size() != want)
    return invalid(node.op, ": ", name, " has ", list.size(), " values for ", count, " spatial dimensions");
  for (size_t i = 0; i < want; ++i) {
    if (list[i] < least || list[i] > kLargest)
      return invalid(node.op, ": ", name, " ", list_text(list), " has a value that is ",
                     list[i] < least ? "too small" : "too large");
    (i < count ? first[i] : second[i - count]) = list[i];
  }
  return {};
}

}  // namespace

Result<Window> window_of(const ir::Node& node, int spatial, std::span<const int64_t> kernel) {
  Window w;
  if (spatial < 1) return invalid(node.op, ": the input has no spatial dimensions");
  if (spatial > kMaxSpatial)
    return error(Code::kNotImplemented, node.op, ": ", spatial, " spatial dimensions; up to ", kMaxSpatial,
                 " are supported");
  w.spatial = spatial;
  size_t n = static_cast<size_t>(spatial);
  TENON_TRY(read_list(node, "kernel_shape", n, 1, w.kernel));
  if (kernel.empty()) {
    if (node.ints("kernel_shape").empty()) return invalid(node.op, ": kernel_shape is required");
  } else {
    for (size_t i = 0; i < n; ++i) {
      if (kernel[i] < 1 || kernel[i] > kLargest) return invalid(node.op, ": the weights have kernel size ", kernel[i]);
      if (!node.ints("kernel_shape").empty() && w.kernel[i] != kernel[i])
        return invalid(node.op, ": kernel_shape ", list_text(node.ints("kernel_shape")),
                       " does not agree with the weights");
      w.kernel[i] = kernel[i];
    }
  }
  TENON_TRY(read_list(node, "strides", n, 1, w.stride));
  TENON_TRY(read_list(node, "dilations", n, 1, w.dilation));
  for (size_t i = 0; i < n; ++i)
    if (w.kernel[i] > 1 && w.dilation[i] > kLargest / w.kernel[i])
      return invalid(node.op, ": kernel size ", w.kernel[i], " with dilation ", w.dilation[i], " is too large");
  w.ceil_mode = node.int_or("ceil_mode", 0) != 0;
  std::string_view mode = node.string_or("auto_pad", "NOTSET");
  if (mode == "SAME_UPPER") w.auto_pad = Window::AutoPad::kSameUpper;
  else if (mode == "SAME_LOWER") w.auto_pad = Window::AutoPad::kSameLower;
  else if (mode == "VALID") w.auto_pad = Window::AutoPad::kValid;
  else if (mode != "NOTSET" && !mode.empty()) return invalid(node.op, ": auto_pad is '", mode, "'");
  if (w.auto_pad == Window::AutoPad::kNone) TENON_TRY(read_list(node, "pads", n, 0, w.pad_begin, w.pad_end));
  return w;
}

Dim window_output(const Window& w, int i, Dim in) {
  Dim stride(w.stride[i]);
  if (w.auto_pad == Window::AutoPad::kSameUpper || w.auto_pad == Window::AutoPad::kSameLower)
    return ceil_div(in, stride);
  Dim padded = in + Dim(w.pad_begin[i]) + Dim(w.pad_end[i]);
  Dim room = padded - Dim(w.reach(i));
  if (!w.ceil_mode) return floor_div(room, stride) + Dim(1);
  // The last window must start before the end of the input.
  return dim_min(ceil_div(room, stride) + Dim(1), ceil_div(in + Dim(w.pad_begin[i]), stride));
}

Padding window_padding(const Window& w, int i, int64_t in) {
  if (w.auto_pad != Window::AutoPad::kSameUpper && w.auto_pad != Window::AutoPad::kSameLower)
    return {w.pad_begin[i], w.pad_end[i]};
  int64_t out = (in + w.stride[i] - 1) / w.stride[i];
  int64_t total = std::max<int64_t>(0, (out - 1) * w.stride[i] + w.reach(i) - in);
  int64_t less = total / 2;
  return w.auto_pad == Window::AutoPad::kSameUpper ? Padding{less, total - less} : Padding{total - less, less};
}

}  // namespace tenon::ops
