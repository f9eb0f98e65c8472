// GridSample and AffineGrid.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/image/sample.h"

namespace tenon::kernels {
namespace {

constexpr size_t kMostAxes = 8;
constexpr int64_t kCells = 1024;  // (point, tap) pairs in flight

// Folds x into [low, high] by mirroring at both ends.
double reflect(double x, double low, double high) {
  const double range = high - low;
  if (range <= 0) return low;
  const double distance = std::fmod(std::abs(x - low), 2 * range);
  return low + (distance <= range ? distance : 2 * range - distance);
}

double cubic_weight(double t) {
  constexpr double a = -0.75;
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return 0;
}

// What one coordinate reads on its axis: `taps` places (-1: a zero) and weights.
struct AxisTaps {
  int64_t place[4];
  double weight[4];
};

AxisTaps taps_of(double g, int64_t n, const GridConfig& c) {
  const double size = static_cast<double>(n);
  const double low = c.align_corners ? 0 : -0.5, high = c.align_corners ? size - 1 : size - 0.5;
  if (std::isnan(g)) g = -1;
  double x = c.align_corners ? (g + 1) / 2 * (size - 1) : ((g + 1) * size - 1) / 2;
  x = std::clamp(x, -1e15, 1e15);
  if (c.mode == GridMode::kNearest) x = std::nearbyint(x);
  if (x < low || x > high) {
    if (c.padding == GridPadding::kBorder) x = std::clamp(x, 0.0, size - 1);
    else if (c.padding == GridPadding::kReflection) x = reflect(x, low, high);
  }
  const auto pixel = [&](double at) -> int64_t {
    if (at >= 0 && at <= size - 1) return static_cast<int64_t>(at);
    if (c.padding == GridPadding::kZeros) return -1;
    if (c.padding == GridPadding::kReflection) at = reflect(at, low, high);
    return static_cast<int64_t>(std::clamp(at, 0.0, size - 1));
  };
  AxisTaps t{};
  if (c.mode == GridMode::kNearest) {
    t.place[0] = pixel(std::nearbyint(x));
    t.weight[0] = 1;
    return t;
  }
  const double base = std::floor(x), ratio = x - base;
  if (c.mode == GridMode::kLinear) {
    t.place[0] = pixel(base);
    t.place[1] = pixel(base + 1);
    t.weight[0] = 1 - ratio;
    t.weight[1] = ratio;
    return t;
  }
  for (int k = 0; k < 4; ++k) {
    t.place[k] = pixel(base + k - 1);
    t.weight[k] = cubic_weight(ratio + 1 - k);
  }
  return t;
}

}  // namespace

template <class T>
Status grid_sample(T* y, const T* x, const T* grid, int64_t n, int64_t c, std::span<const int64_t> in_spatial,
                   std::span<const int64_t> out_spatial, const GridConfig& config, const Team& team) {
  const size_t d = in_spatial.size();
  if (d == 0 || d > kMostAxes || out_spatial.size() != d) {
    return invalid("input has ", d, " spatial dimensions, the grid ", out_spatial.size(), "; 1 to ", kMostAxes,
                   " of the same number are supported");
  }
  const int64_t in = product(in_spatial), out = product(out_spatial);
  if (in == 0 && n * c * out != 0) return invalid("input ", list_text(in_spatial), " is empty");
  if (n * c * out == 0) return {};
  const int shift = config.mode == GridMode::kNearest ? 0 : config.mode == GridMode::kLinear ? 1 : 2;
  const int64_t per_axis = int64_t{1} << shift;
  int64_t taps = 1;  // of a point
  for (size_t k = 0; k < d; ++k) taps *= per_axis;
  const int64_t chunk = std::min<int64_t>(taps, 256), points = std::max<int64_t>(1, kCells / chunk);
  const int64_t blocks = (out + points - 1) / points;
  const double ns = static_cast<double>(points * taps) * (2.0 + static_cast<double>(c)) + 30.0 * points;
  team.parallel_for_cost(n * blocks, ns, [&](int64_t begin, int64_t end) {
    int64_t offsets[kCells];
    T weights[kCells];
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / blocks, first = i % blocks * points, count = std::min(points, out - first);
      bool all_inside = true;
      for (int64_t start = 0; start < taps; start += chunk) {  // more than one chunk only beyond four cubic axes
        for (int64_t p = 0; p < count; ++p) {
          const T* g = grid + (batch * out + first + p) * static_cast<int64_t>(d);
          AxisTaps axis[kMostAxes];
          for (size_t k = 0; k < d; ++k) axis[k] = taps_of(static_cast<double>(g[d - 1 - k]), in_spatial[k], config);
          for (int64_t t = 0; t < chunk; ++t) {
            int64_t rest = start + t, offset = 0, stride = 1;
            double weight = 1;
            bool inside = true;
            for (size_t k = d; k-- > 0;) {
              const int64_t digit = rest & (per_axis - 1), place = axis[k].place[digit];
              rest >>= shift;
              weight *= axis[k].weight[digit];
              inside = inside && place >= 0;
              offset += place * stride;
              stride *= in_spatial[k];
            }
            all_inside = all_inside && inside;
            offsets[p * chunk + t] = inside ? offset : -1;
            weights[p * chunk + t] = static_cast<T>(weight);
          }
        }
        for (int64_t channel = 0; channel < c; ++channel) {
          const T* image = x + (batch * c + channel) * in;
          T* to = y + (batch * c + channel) * out + first;
          if (all_inside && taps == 4) {  // two linear axes: the common case without a branch for each tap
            for (int64_t p = 0; p < count; ++p) {
              const int64_t* o = offsets + p * 4;
              const T* w = weights + p * 4;
              to[p] = T{0} + w[0] * image[o[0]] + w[1] * image[o[1]] + w[2] * image[o[2]] + w[3] * image[o[3]];
            }
            continue;
          }
          for (int64_t p = 0; p < count; ++p) {
            T sum = start == 0 ? T{0} : to[p];
            for (int64_t t = p * chunk; t < (p + 1) * chunk; ++t) {
              if (offsets[t] >= 0) sum += weights[t] * image[offsets[t]];
            }
            to[p] = sum;
          }
        }
      }
    }
  });
  return {};
}

template <class T>
Status affine_grid(T* grid, const T* theta, int64_t n, std::span<const int64_t> spatial, bool align_corners,
                   const Team& team) {
  const int64_t d = static_cast<int64_t>(spatial.size());
  if (d != 2 && d != 3) return invalid("affine grids have 2 or 3 spatial dimensions, not ", d);
  const int64_t points = product(spatial);
  team.parallel_for_cost(n * points, 10.0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const T* m = theta + i / points * d * (d + 1);
      T base[3];  // x first
      int64_t rest = i % points;
      for (int64_t k = 0; k < d; ++k) {
        const int64_t size = spatial[static_cast<size_t>(d - 1 - k)], at = rest % size;
        rest /= size;
        const T position = static_cast<T>(at), length = static_cast<T>(size);
        if (align_corners) base[k] = size == 1 ? T{0} : T{2} * position / (length - 1) - 1;
        else base[k] = (T{2} * position + 1) / length - 1;
      }
      for (int64_t r = 0; r < d; ++r) {
        T sum = m[r * (d + 1) + d];
        for (int64_t k = 0; k < d; ++k) sum += m[r * (d + 1) + k] * base[k];
        grid[i * d + r] = sum;
      }
    }
  });
  return {};
}

template Status grid_sample(float*, const float*, const float*, int64_t, int64_t, std::span<const int64_t>,
                            std::span<const int64_t>, const GridConfig&, const Team&);
template Status grid_sample(double*, const double*, const double*, int64_t, int64_t, std::span<const int64_t>,
                            std::span<const int64_t>, const GridConfig&, const Team&);
template Status affine_grid(float*, const float*, int64_t, std::span<const int64_t>, bool, const Team&);
template Status affine_grid(double*, const double*, int64_t, std::span<const int64_t>, bool, const Team&);

}  // namespace tenon::kernels
