// Resize of any rank: nearest, linear and cubic with every coordinate rule of ONNX, antialiased or not.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"
#include "threads/team.h"

namespace tenon::kernels {

enum class ResizeMode { kNearest, kLinear, kCubic };
enum class ResizeCoordinates {
  kHalfPixel,
  kHalfPixelSymmetric,
  kPytorchHalfPixel,
  kAlignCorners,
  kAsymmetric,
  kTfHalfPixelForNn,
  kTfCropAndResize
};
enum class ResizeRounding { kRoundPreferFloor, kRoundPreferCeil, kFloor, kCeil };

struct ResizeConfig {
  ResizeMode mode = ResizeMode::kNearest;
  ResizeCoordinates coordinates = ResizeCoordinates::kHalfPixel;
  ResizeRounding rounding = ResizeRounding::kRoundPreferFloor;
  float cubic_a = -0.75f;
  bool exclude_outside = false;
  bool antialias = false;
  bool round_integers = true;     ///< integer results are rounded half to even, else towards zero
  float extrapolation_value = 0;  ///< kTfCropAndResize: where the coordinate lies outside of the input
};
/// One axis. `scale` is what ONNX calls the scale: given by the operand, or out / in when sizes were given. The output
/// size is the caller's decision (floor(in * scale), sizes, keep_aspect_ratio_policy).
struct ResizeAxis {
  int64_t in = 1;
  int64_t out = 1;
  float scale = 1;
  float roi_start = 0;  ///< kTfCropAndResize, normalised
  float roi_end = 1;
};

/// Index and weight tables; made once for given sizes, may be shared between runs.
struct ResizePlan {
  struct Axis {
    int64_t in = 1, out = 1;
    bool identity = true;          ///< copies: nothing to do on this axis
    int taps = 1;                  ///< weights per output position
    std::vector<int32_t> index;    ///< [taps, out]: where each tap reads, clamped into the input
    std::vector<float> weight;     ///< [taps, out]; empty for nearest
    std::vector<uint8_t> outside;  ///< [out]: take the extrapolation value; empty when none is
  };
  ResizeConfig config;
  std::vector<Axis> axes;
  bool any_outside = false;
};
/// Fails when an input axis is empty while its output is not, on sizes above 2^31 - 1, and on a scale that is not
/// positive.
Result<ResizePlan> plan_resize(const ResizeConfig& config, std::span<const ResizeAxis> axes);

/// Bytes of scratch; alignment 64.
int64_t resize_scratch_bytes(const ResizePlan& plan, DType dtype, int team_width);
/// src has the plan's input shape, dst its output shape. Nearest moves elements of any type of 8 to 128 bits. Linear
/// and cubic: f32, f64, f16, bf16, u8, i8, i32 (computed in f32; f64 and i32 in f64; integers saturate); other types
/// fail with kNotImplemented.
Status run_resize(const ResizePlan& plan, void* dst, const void* src, DType dtype, void* scratch, const Team& team);

}  // namespace tenon::kernels
