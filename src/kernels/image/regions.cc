// RoiAlign and Col2Im.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/image/sample.h"

namespace tenon::kernels {
namespace {

// The four pixels around a sample and their shares; none when the sample lies outside of the image.
template <class T>
struct Sample {
  int64_t at[4];
  T weight[4];
};
template <class T>
bool sample_at(T y, T x, int64_t h, int64_t w, Sample<T>* s) {
  if (!(y >= -1 && y <= static_cast<T>(h) && x >= -1 && x <= static_cast<T>(w))) return false;
  y = std::max(y, T{0});
  x = std::max(x, T{0});
  int64_t y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x), y1 = y0 + 1, x1 = x0 + 1;
  if (y0 >= h - 1) {
    y0 = y1 = h - 1;
    y = static_cast<T>(y0);
  }
  if (x0 >= w - 1) {
    x0 = x1 = w - 1;
    x = static_cast<T>(x0);
  }
  const T dy = y - static_cast<T>(y0), dx = x - static_cast<T>(x0);
  *s = {{y0 * w + x0, y0 * w + x1, y1 * w + x0, y1 * w + x1},
        {(1 - dy) * (1 - dx), (1 - dy) * dx, dy * (1 - dx), dy * dx}};
  return true;
}

constexpr double kMostSamples = 1 << 20;  // of one output; above it a region is taken for nonsense

template <class T>
struct Region {
  T y = 0, x = 0, bin_h = 0, bin_w = 0;
  int64_t grid_h = 0, grid_w = 0;
};
template <class T>
Status region_of(const T* roi, int64_t number, const RoiAlignConfig& c, Region<T>* r) {
  const T scale = static_cast<T>(c.spatial_scale), shift = c.half_pixel ? T{0.5} : T{0};
  r->x = roi[0] * scale - shift;
  r->y = roi[1] * scale - shift;
  T w = roi[2] * scale - shift - r->x, h = roi[3] * scale - shift - r->y;
  if (!c.half_pixel) {
    w = std::max(w, T{1});
    h = std::max(h, T{1});
  }
  r->bin_h = h / static_cast<T>(c.output_height);
  r->bin_w = w / static_cast<T>(c.output_width);
  const double gh = c.sampling_ratio > 0 ? static_cast<double>(c.sampling_ratio) : std::ceil(r->bin_h);
  const double gw = c.sampling_ratio > 0 ? static_cast<double>(c.sampling_ratio) : std::ceil(r->bin_w);
  if (!std::isfinite(r->x) || !std::isfinite(r->y) || !(gh <= kMostSamples) || !(gw <= kMostSamples) ||
      gh * gw > kMostSamples) {
    return invalid("region ", number, " from (", roi[0], ", ", roi[1], ") to (", roi[2], ", ", roi[3],
                   ") is not finite or needs too many samples");
  }
  r->grid_h = std::max<int64_t>(0, static_cast<int64_t>(gh));
  r->grid_w = std::max<int64_t>(0, static_cast<int64_t>(gw));
  return {};
}

}  // namespace

template <class T>
Status roi_align(T* y, const T* x, int64_t n, int64_t c, int64_t h, int64_t w, const T* rois,
                 const Indices& batch_indices, const RoiAlignConfig& config, const Team& team) {
  const int64_t regions = batch_indices.count;
  if (config.output_height < 1 || config.output_width < 1 || config.sampling_ratio < 0) {
    return invalid("output of ", config.output_height, " x ", config.output_width, " with sampling ratio ",
                   config.sampling_ratio);
  }
  double samples = 1;
  for (int64_t r = 0; r < regions; ++r) {
    if (batch_indices[r] < 0 || batch_indices[r] >= n) {
      return invalid("batch index ", batch_indices[r], " at position ", r, " is outside of [0, ", n - 1, "]");
    }
    Region<T> region;
    TENON_TRY(region_of(rois + 4 * r, r, config, &region));
    samples += static_cast<double>(region.grid_h * region.grid_w);
  }
  const int64_t area = config.output_height * config.output_width;
  if (regions == 0 || c == 0) return {};
  const double ns = static_cast<double>(c) * (4.0 + 4.0 * samples / static_cast<double>(regions));
  team.parallel_for_cost(regions * area, ns, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t r = i / area, bin = i % area;
      Region<T> g;
      if (!region_of(rois + 4 * r, r, config, &g).ok()) return;  // checked above
      const T top = g.y + static_cast<T>(bin / config.output_width) * g.bin_h;
      const T left = g.x + static_cast<T>(bin % config.output_width) * g.bin_w;
      const T* image = x + batch_indices[r] * c * h * w;
      T* to = y + r * c * area + bin;
      for (int64_t k = 0; k < c; ++k) to[k * area] = 0;
      bool first = true;
      for (int64_t iy = 0; iy < g.grid_h; ++iy) {
        const T sy = top + (static_cast<T>(iy) + T{0.5}) * g.bin_h / static_cast<T>(g.grid_h);
        for (int64_t ix = 0; ix < g.grid_w; ++ix) {
          const T sx = left + (static_cast<T>(ix) + T{0.5}) * g.bin_w / static_cast<T>(g.grid_w);
          Sample<T> s{};
          const bool inside = sample_at(sy, sx, h, w, &s);
          if (!inside && !config.max_mode) continue;
          for (int64_t k = 0; k < c; ++k) {
            const T* p = image + k * h * w;
            T v[4] = {};
            for (int q = 0; inside && q < 4; ++q) v[q] = s.weight[q] * p[s.at[q]];
            T& out = to[k * area];
            if (config.max_mode) {  // the largest of the weighted pixels, as the specification's reference has it
              const T most = std::max(std::max(v[0], v[1]), std::max(v[2], v[3]));
              out = first ? most : std::max(out, most);
            } else {
              out += v[0] + v[1] + v[2] + v[3];
            }
          }
          first = false;
        }
      }
      if (config.max_mode || g.grid_h * g.grid_w == 0) continue;
      const T share = static_cast<T>(g.grid_h * g.grid_w);
      for (int64_t k = 0; k < c; ++k) to[k * area] /= share;
    }
  });
  return {};
}

template <class T>
Status col2im(T* y, const T* x, int64_t n, int64_t c, std::span<const int64_t> image, std::span<const int64_t> block,
              std::span<const int64_t> strides, std::span<const int64_t> dilations, std::span<const int64_t> pads,
              int64_t l, const Team& team) {
  const size_t d = image.size();
  if (d == 0 || block.size() != d || strides.size() != d || dilations.size() != d || pads.size() != 2 * d) {
    return invalid("image, block, strides, dilations and pads have ", d, ", ", block.size(), ", ", strides.size(), ", ",
                   dilations.size(), ", ", pads.size(), " entries");
  }
  Dims places;
  for (size_t i = 0; i < d; ++i) {
    if (strides[i] < 1 || dilations[i] < 1 || block[i] < 1 || pads[i] < 0 || pads[d + i] < 0) {
      return invalid("block ", block[i], ", stride ", strides[i], ", dilation ", dilations[i], " or pads of dimension ",
                     i, " are out of range");
    }
    int64_t reach = 0;
    if (!checked_mul(block[i] - 1, dilations[i], &reach)) return invalid("dilated block is too large");
    const int64_t room = image[i] + pads[i] + pads[d + i] - reach - 1;
    places.push_back(room < 0 ? 0 : room / strides[i] + 1);
  }
  if (product(places) != l) return invalid("columns have ", l, " positions where the sizes give ", product(places));
  const int64_t pixels = product(image), cells = product(block), row = places[d - 1];
  team.parallel_for_cost(n * c, static_cast<double>(cells * l) * 1.5 + static_cast<double>(pixels),
                         [&](int64_t begin, int64_t end) {
                           Dims at(d), cell(d);
                           for (int64_t i = begin; i < end; ++i) {
                             T* to = y + i * pixels;
                             std::fill_n(to, pixels, T{0});
                             for (int64_t k = 0; k < cells; ++k) {
                               int64_t rest = k;
                               for (size_t j = d; j-- > 0;) {
                                 cell[j] = rest % block[j];
                                 rest /= block[j];
                               }
                               const T* from = x + (i * cells + k) * l;
                               for (int64_t first = 0; first < l; first += row) {
                                 rest = first / row;
                                 int64_t offset = 0, stride = image[d - 1];
                                 bool inside = true;
                                 for (size_t j = d - 1; j-- > 0;) {
                                   at[j] = rest % places[j] * strides[j] + cell[j] * dilations[j] - pads[j];
                                   rest /= places[j];
                                   inside = inside && at[j] >= 0 && at[j] < image[j];
                                   offset += at[j] * stride;
                                   stride *= image[j];
                                 }
                                 if (!inside) continue;
                                 int64_t place = cell[d - 1] * dilations[d - 1] - pads[d - 1];
                                 for (int64_t q = 0; q < row; ++q, place += strides[d - 1]) {
                                   if (place >= 0 && place < image[d - 1]) to[offset + place] += from[first + q];
                                 }
                               }
                             }
                           }
                         });
  return {};
}

template Status roi_align(float*, const float*, int64_t, int64_t, int64_t, int64_t, const float*, const Indices&,
                          const RoiAlignConfig&, const Team&);
template Status roi_align(double*, const double*, int64_t, int64_t, int64_t, int64_t, const double*, const Indices&,
                          const RoiAlignConfig&, const Team&);
template Status col2im(float*, const float*, int64_t, int64_t, std::span<const int64_t>, std::span<const int64_t>,
                       std::span<const int64_t>, std::span<const int64_t>, std::span<const int64_t>, int64_t,
                       const Team&);
template Status col2im(double*, const double*, int64_t, int64_t, std::span<const int64_t>, std::span<const int64_t>,
                       std::span<const int64_t>, std::span<const int64_t>, std::span<const int64_t>, int64_t,
                       const Team&);

}  // namespace tenon::kernels
