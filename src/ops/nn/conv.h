// What the convolution operators share: shape rule, packing and the run in either layout.
// SPDX-License-Identifier: MIT
#pragma once
#include "kernels/gemm/activation.h"
#include "opdef/cases.h"
#include "opdef/kernel.h"
#include "ops/nn/plain_conv.h"
#include "ops/nn/window.h"

namespace tenon::ops {

/// How an operator differs from Conv. Inputs are X, W, B (optional) and, where `residual` says so, a value of the
/// output's shape that is added before the activation.
struct ConvForm {
  bool transposed = false;
  bool channels_last = false;  ///< X, residual and Y are [N, spatial..., C]; W keeps ONNX's layout
  int residual = -1;
  kernels::Activation act;
};

/// Shape of output 0 with element type `dtype`, from X at input x and W at input w.
Status conv_shape(InferContext& c, const ConvForm& form, size_t x, size_t w, DType dtype);

/// Sizes of one run from concrete dimensions of X, W and Y. Fails as the shape rule does.
Result<PlainConv> conv_run_sizes(const ir::Node& node, const ConvForm& form, std::span<const int64_t> x,
                                 std::span<const int64_t> w, std::span<const int64_t> y);

/// f32, and f16, bf16 computed in f32: channels-last kernels, packed at load when W and B are constants.
Result<StatePtr> pack_conv(PackContext& c, const ConvForm& form);
Status run_conv_node(KernelContext& c);

/// Reference in double of X, W and B in channels-first layout.
CaseTensor conv_reference(const Case& c, const std::vector<CaseTensor>& in, bool transposed, const Shape& out);

}  // namespace tenon::ops
