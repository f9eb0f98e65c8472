// Activation: the functions that matrix products and convolutions can apply to their result on the way out.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

enum class Act : uint8_t {
  kNone,
  kRelu,       ///< max(0, x)
  kClip,       ///< min(b, max(a, x))
  kLeakyRelu,  ///< x < 0 ? a x : x
  kSigmoid,    ///< 1 / (1 + e^-x)
  kTanh,
  kHardSigmoid,  ///< min(1, max(0, a x + b))
  kHardSwish,    ///< x min(1, max(0, x / 6 + 1/2))
  kSilu,         ///< x sigmoid(a x), a = 1 by default (Swish)
  kGeluErf,      ///< x/2 (1 + erf(x / sqrt 2))
  kGeluTanh,     ///< x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))
};

/// A function and its parameters. NaN goes through every one of them.
struct Activation {
  Act kind = Act::kNone;
  float a = 0;
  float b = 0;

  static Activation relu() { return {Act::kRelu}; }
  static Activation clip(float lo, float hi) { return {Act::kClip, lo, hi}; }
  static Activation leaky_relu(float slope) { return {Act::kLeakyRelu, slope}; }
  static Activation hard_sigmoid(float alpha, float beta) { return {Act::kHardSigmoid, alpha, beta}; }
  static Activation silu(float alpha = 1) { return {Act::kSilu, alpha}; }
  static Activation of(Act kind) { return {kind, kind == Act::kSilu ? 1.0f : 0.0f}; }
};

/// y[i] = act(x[i]) for n values; y may be x. Errors: sigmoid, tanh, erf within 4e-7 absolute, the rest of them
/// likewise relative to |x|.
void apply_activation(const float* x, float* y, int64_t n, Activation act);

}  // namespace tenon::kernels
