// Index and weight tables of resize: the coordinate rules and filters of ONNX.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/image/resize.h"

namespace tenon::kernels {
namespace {

// Place in the input, in elements, that output position i stands for. Computed in f32: the rounding of nearest depends
// on it at ties.
float original(ResizeCoordinates rule, const ResizeAxis& a, int64_t i) {
  const float x = static_cast<float>(i), in = static_cast<float>(a.in), out = static_cast<float>(a.out);
  const float half_pixel = (x + 0.5f) / a.scale - 0.5f;
  switch (rule) {
    case ResizeCoordinates::kHalfPixel: return half_pixel;
    case ResizeCoordinates::kHalfPixelSymmetric: return in / 2 * (1 - out / (a.scale * in)) + half_pixel;
    case ResizeCoordinates::kPytorchHalfPixel: return a.out > 1 ? half_pixel : 0;
    case ResizeCoordinates::kAlignCorners: {
      // The specification divides by the unrounded output size.
      const float last = std::abs(a.scale * in - out) < 1e-3f ? out - 1 : a.scale * in - 1;
      return a.out == 1 || last == 0 ? 0 : x * (in - 1) / last;
    }
    case ResizeCoordinates::kAsymmetric: return x / a.scale;
    case ResizeCoordinates::kTfHalfPixelForNn: return (x + 0.5f) / a.scale;
    case ResizeCoordinates::kTfCropAndResize:
      if (a.out == 1) return 0.5f * (a.roi_start + a.roi_end) * (in - 1);
      return a.roi_start * (in - 1) + x * (a.roi_end - a.roi_start) * (in - 1) / (out - 1);
  }
  return x;
}

float rounded(ResizeRounding rule, float x) {
  const float low = std::floor(x);
  switch (rule) {
    case ResizeRounding::kRoundPreferFloor: return x - low > 0.5f ? low + 1 : low;
    case ResizeRounding::kRoundPreferCeil: return x - low >= 0.5f ? low + 1 : low;
    case ResizeRounding::kFloor: return low;
    case ResizeRounding::kCeil: return std::ceil(x);
  }
  return x;
}

double cubic(double t, double a) {
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return 0;
}

int32_t clamped(double i, int64_t n) { return static_cast<int32_t>(std::clamp(i, 0.0, static_cast<double>(n - 1))); }

void fill_axis(const ResizeConfig& config, const ResizeAxis& a, ResizePlan::Axis* axis) {
  const size_t out = static_cast<size_t>(a.out);
  const bool nearest = config.mode == ResizeMode::kNearest, linear = config.mode == ResizeMode::kLinear;
  // The filter, stretched by 1 / shrink where it must cover more input than its own width.
  const double shrink = config.antialias && !nearest ? std::min(1.0, static_cast<double>(a.scale)) : 1.0;
  const double reach = linear ? 1 : 2;
  const double first = nearest ? 0 : std::floor(-reach / shrink) + 1;
  const int64_t taps = nearest ? 1 : static_cast<int64_t>(2 - 2 * first);
  std::vector<double> weights(static_cast<size_t>(taps));
  // More taps than inputs fold onto the inputs: no table is wider than the axis (or the plain filter).
  const bool fold = taps > std::max<int64_t>(4, a.in);
  axis->taps = static_cast<int>(fold ? a.in : taps);
  axis->index.assign(static_cast<size_t>(axis->taps) * out, 0);
  if (!nearest) axis->weight.assign(static_cast<size_t>(axis->taps) * out, 0.0f);
  for (size_t i = 0; i < out; ++i) {
    const float x = original(config.coordinates, a, static_cast<int64_t>(i));
    if (config.coordinates == ResizeCoordinates::kTfCropAndResize && !(x >= 0 && x <= static_cast<float>(a.in - 1))) {
      if (axis->outside.empty()) axis->outside.assign(out, 0);
      axis->outside[i] = 1;
    }
    if (nearest) {
      const double place = static_cast<double>(rounded(config.rounding, x));
      axis->index[i] = std::isnan(place) ? 0 : clamped(place, a.in);
      continue;
    }
    const double safe = std::isfinite(x) ? std::clamp<double>(x, -4e9, 4e9) : 0;
    const double base = std::floor(safe), ratio = safe - base;
    double sum = 0;
    for (int64_t k = 0; k < taps; ++k) {
      const double offset = first + static_cast<double>(k), t = (offset - ratio) * shrink, at = base + offset;
      double w = linear ? std::max(0.0, 1 - std::abs(t)) : cubic(t, config.cubic_a);
      if (config.exclude_outside && (at < 0 || at >= static_cast<double>(a.in))) w = 0;
      weights[static_cast<size_t>(k)] = w;
      sum += w;
    }
    const bool normalise = (shrink < 1 || config.exclude_outside) && sum != 0;
    if (fold) {
      for (int64_t k = 0; k < a.in; ++k) axis->index[static_cast<size_t>(k) * out + i] = static_cast<int32_t>(k);
    }
    for (int64_t k = 0; k < taps; ++k) {
      const int32_t source = clamped(base + first + static_cast<double>(k), a.in);
      const double w = normalise ? weights[static_cast<size_t>(k)] / sum : weights[static_cast<size_t>(k)];
      const size_t cell = static_cast<size_t>(fold ? source : k) * out + i;
      axis->index[cell] = source;
      axis->weight[cell] += static_cast<float>(w);
    }
  }
}

}  // namespace

Result<ResizePlan> plan_resize(const ResizeConfig& config, std::span<const ResizeAxis> axes) {
  constexpr int64_t kMost = INT32_MAX;
  ResizePlan plan;
  plan.config = config;
  int64_t total_out = 1;
  for (const ResizeAxis& a : axes) total_out *= a.out == 0 ? 0 : 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    const ResizeAxis& a = axes[i];
    ResizePlan::Axis axis;
    axis.in = a.in;
    axis.out = a.out;
    if (a.in < 0 || a.out < 0 || a.in > kMost || a.out > kMost) {
      return invalid("axis ", i, " of size ", a.in, " to ", a.out, " is out of range");
    }
    if (!(a.scale > 0) || !std::isfinite(a.scale))
      return invalid("scale ", a.scale, " of axis ", i, " is not positive");
    if (a.in == 0 && total_out != 0) return invalid("axis ", i, " is empty and cannot grow to ", a.out);
    axis.identity = a.in == a.out && a.scale == 1.0f && config.coordinates != ResizeCoordinates::kTfCropAndResize;
    if (!axis.identity && total_out != 0) fill_axis(config, a, &axis);
    plan.any_outside = plan.any_outside || !axis.outside.empty();
    plan.axes.push_back(std::move(axis));
  }
  return plan;
}

}  // namespace tenon::kernels
