// Inner loops of convolutions: gathering of rows, depthwise sums, Winograd transforms.
// SPDX-License-Identifier: MIT
#include "kernels/conv/micro_conv.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/conv/micro_conv.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using DF = hn::ScalableTag<float>;
using VF = hn::Vec<DF>;

HWY_INLINE void CopyFloats(const float* HWY_RESTRICT from, float* HWY_RESTRICT to, int64_t n) {
  const DF d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= n; i += step) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
  if (i < n) {
    const size_t rest = static_cast<size_t>(n - i);
    hn::StoreN(hn::LoadN(d, from + i, rest), d, to + i, rest);
  }
}
HWY_INLINE void ZeroFloats(float* to, int64_t n) {
  const DF d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + step <= n; i += step) hn::StoreU(hn::Zero(d), d, to + i);
  if (i < n) hn::StoreN(hn::Zero(d), d, to + i, static_cast<size_t>(n - i));
}

/// One segment's values [offset, offset + n) of one row, 0 outside the line.
HWY_INLINE void GatherEdge(const GatherShape& s, const float* line, int64_t x, int64_t offset, int64_t n, float* to) {
  const int64_t lo = std::clamp<int64_t>(-x * s.used, offset, offset + n);
  const int64_t hi = std::clamp<int64_t>((s.in[2] - x) * s.used, lo, offset + n);
  ZeroFloats(to, lo - offset);
  if (hi > lo) CopyFloats(line + x * s.channels + lo, to + (lo - offset), hi - lo);
  ZeroFloats(to + (hi - offset), offset + n - hi);
}

/// n floats from each of `rows` places, `from_step` and `ld` apart. Writes up to a vector more in each row.
HWY_INLINE void CopyRows(const float* HWY_RESTRICT from, int64_t from_step, float* HWY_RESTRICT to, int64_t ld,
                         int64_t n, int rows) {
  const DF d;
  const int64_t step = static_cast<int64_t>(hn::Lanes(d));
  const int64_t whole = n / step * step;
  const size_t rest = static_cast<size_t>(n - whole);
  for (int r = 0; r < rows; ++r, from += from_step, to += ld) {
    for (int64_t i = 0; i < whole; i += step) hn::StoreU(hn::LoadU(d, from + i), d, to + i);
    if (rest) hn::StoreU(hn::LoadN(d, from + whole, rest), d, to + whole);  // reads nothing beyond, on any target
  }
}

/// Rows of one line of output: each segment for all of them, so that edges are told once.
void GatherLine(const GatherShape& s, const GatherSegment* seg, const GatherRow* rows, int row_count, int64_t offset,
                int64_t count, float* out, int64_t ld) {
  const GatherRow& first = rows[0];
  const int64_t step = row_count > 1 ? rows[1].at[2] - first.at[2] : 1;
  for (int64_t done = 0; done < count; ++seg, offset = 0) {
    const int64_t n = std::min(seg->pixels * s.used - offset, count - done);
    float* to = out + done;
    done += n;
    const int64_t z = first.at[0] + seg->offset[0], y = first.at[1] + seg->offset[1], x0 = first.at[2] + seg->offset[2];
    if (z < 0 || z >= s.in[0] || y < 0 || y >= s.in[1]) {
      for (int r = 0; r < row_count; ++r) ZeroFloats(to + r * ld, n);
      continue;
    }
    const float* line = first.image + (z * s.in[1] + y) * s.in[2] * s.channels;
    int r = 0;
    for (; r < row_count && x0 + r * step < 0; ++r) GatherEdge(s, line, x0 + r * step, offset, n, to + r * ld);
    int inside = r;
    while (inside < row_count && x0 + inside * step + seg->pixels <= s.in[2]) ++inside;
    if (inside > r)
      CopyRows(line + (x0 + r * step) * s.channels + offset, step * s.channels, to + r * ld, ld, n, inside - r);
    for (r = inside; r < row_count; ++r) GatherEdge(s, line, x0 + r * step, offset, n, to + r * ld);
  }
}

void GatherRows(const GatherShape& s, const GatherSegment* segments, const GatherRow* rows, int row_count, int64_t k0,
                int64_t count, float* out, int64_t ld) {
  // The segment that holds k0.
  int64_t skipped = k0;
  while (skipped >= segments->pixels * s.used) {
    skipped -= segments->pixels * s.used;
    ++segments;
  }
  for (int r = 0; r < row_count;) {
    int end = r + 1;
    while (end < row_count && rows[end].image == rows[r].image && rows[end].at[0] == rows[r].at[0] &&
           rows[end].at[1] == rows[r].at[1])
      ++end;
    GatherLine(s, segments, rows + r, end - r, skipped, count, out + r * ld, ld);
    r = end;
  }
}

/// Taps of one block of outputs: counts and strides of the kernel's dimensions, in floats.
struct Taps {
  int64_t count[3];
  int64_t in_step[3];
  int64_t weight_step[3];
};

/// W neighbouring outputs, V vectors of channels each; the last vector may be partial. G channels in a group: each
/// input is spread over its group's lanes.
template <int W, int V, bool kPartial, int G>
HWY_INLINE void DepthwiseBlock(const Taps& t, const float* HWY_RESTRICT in, int64_t out_to_in,
                               const float* HWY_RESTRICT weights, const float* HWY_RESTRICT bias, VF lo, VF hi,
                               float* HWY_RESTRICT out, int64_t out_stride, int64_t scatter, size_t lanes,
                               int64_t weight_ld, const int32_t* HWY_RESTRICT spread) {
  const DF d;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  VF sum[W][V];
  HWY_UNROLL(8)
  for (int x = 0; x < W; ++x) {
    HWY_UNROLL(2)
    for (int v = 0; v < V; ++v) sum[x][v] = hn::Zero(d);
  }
  for (int64_t kd = 0; kd < t.count[0]; ++kd) {
    for (int64_t kh = 0; kh < t.count[1]; ++kh) {
      const float* p = in + kd * t.in_step[0] + kh * t.in_step[1];
      const float* w = weights + kd * t.weight_step[0] + kh * t.weight_step[1];
      for (int64_t kw = 0; kw < t.count[2]; ++kw, p += t.in_step[2], w += t.weight_step[2]) {
        if constexpr (G > 1) {
          HWY_UNROLL(8)
          for (int g = 0; g < G; ++g) {
            const VF wv = hn::LoadU(d, w + g * weight_ld);
            const auto lane = hn::SetTableIndices(d, spread + g * n);
            HWY_UNROLL(8)
            for (int x = 0; x < W; ++x)
              sum[x][0] = hn::MulAdd(hn::TableLookupLanes(hn::LoadU(d, p + x * out_to_in), lane), wv, sum[x][0]);
          }
          continue;
        }
        VF wv[V];
        HWY_UNROLL(2)
        for (int v = 0; v < V; ++v) wv[v] = hn::LoadU(d, w + v * n);
        HWY_UNROLL(8)
        for (int x = 0; x < W; ++x) {
          HWY_UNROLL(2)
          for (int v = 0; v < V; ++v) {
            const float* at = p + x * out_to_in + v * n;
            const VF a = kPartial ? hn::LoadN(d, at, lanes) : hn::LoadU(d, at);
            sum[x][v] = hn::MulAdd(a, wv[v], sum[x][v]);
          }
        }
      }
    }
  }
  HWY_UNROLL(2)
  for (int v = 0; v < V; ++v) {
    const VF b = bias ? hn::LoadU(d, bias + v * n) : hn::Set(d, -0.0f);
    HWY_UNROLL(8)
    for (int x = 0; x < W; ++x) {
      const VF y = hn::Min(hi, hn::Max(lo, hn::Add(sum[x][v], b)));
      float* to = out + x * out_stride + v * n * scatter;
      if (scatter != 1) {
        HWY_ALIGN float lane[hn::MaxLanes(DF())];
        hn::Store(y, d, lane);
        for (size_t i = 0; i < lanes; ++i) to[static_cast<int64_t>(i) * scatter] = lane[i];
      } else if (kPartial) {
        hn::StoreN(y, d, to, lanes);
      } else {
        hn::StoreU(y, d, to);
      }
    }
  }
}

/// Taps of one dimension that fall into the image for output position `o`: [first, last).
HWY_INLINE void ValidTaps(const Depthwise& a, int dim, int64_t o, int64_t* first, int64_t* last) {
  const int64_t origin = o * a.stride[dim] - a.pad[dim], step = a.dilation[dim];
  *first = origin >= 0 ? 0 : (-origin + step - 1) / step;
  const int64_t room = a.in_size[dim] - origin;
  *last = room <= 0 ? 0 : std::min(a.kernel[dim], (room + step - 1) / step);
  if (*last < *first) *last = *first;
  if (*first > a.kernel[dim]) *first = *last = 0;
}

template <int V, bool kPartial, int G>
HWY_NOINLINE void DepthwiseChannels(const Depthwise& a, int64_t c, int64_t j, size_t lanes) {
  const DF d;
  const VF lo = hn::Set(d, a.lo), hi = hn::Set(d, a.hi);
  const int64_t taps = a.kernel[0] * a.kernel[1] * a.kernel[2];
  const int64_t line = a.in_size[2] * a.channels;
  const float* weights = a.weights + j * taps * a.weight_ld + c;
  const float* bias = a.bias ? a.bias + j * a.weight_ld + c : nullptr;
  const int64_t out_pixel = a.channels * a.multiplier, out_to_in = a.stride[2] * a.channels;
  Taps t{};
  t.in_step[0] = a.dilation[0] * a.in_size[1] * line;
  t.in_step[1] = a.dilation[1] * line;
  t.in_step[2] = a.dilation[2] * a.channels;
  t.weight_step[2] = G * a.weight_ld;
  t.weight_step[1] = a.kernel[2] * t.weight_step[2];
  t.weight_step[0] = a.kernel[1] * t.weight_step[1];
  HWY_ALIGN int32_t spread[G * hn::MaxLanes(DF())];
  for (int g = 0; g < G; ++g)
    for (int i = 0; i < static_cast<int>(hn::Lanes(d)); ++i)
      spread[g * static_cast<int>(hn::Lanes(d)) + i] = i / G * G + g;
  // Outputs whose taps all lie inside the line: [inner0, inner1).
  const int64_t reach = (a.kernel[2] - 1) * a.dilation[2];
  int64_t inner0 = std::min(a.out_width, (a.pad[2] + a.stride[2] - 1) / a.stride[2]);
  const int64_t room = a.in_size[2] - 1 - reach + a.pad[2];
  const int64_t inner1 = room < 0 ? inner0 : std::clamp(room / a.stride[2] + 1, inner0, a.out_width);

  int64_t d0, d1, h0, h1, w0, w1;
  ValidTaps(a, 0, a.plane, &d0, &d1);
  t.count[0] = d1 - d0;
  const int64_t z = a.plane * a.stride[0] - a.pad[0] + d0 * a.dilation[0];
  for (int64_t oy = a.row0; oy < a.row1; ++oy) {
    ValidTaps(a, 1, oy, &h0, &h1);
    t.count[1] = h1 - h0;
    const int64_t y = oy * a.stride[1] - a.pad[1] + h0 * a.dilation[1];
    const float* in = a.in + (z * a.in_size[1] + y) * line + c;
    const float* w = weights + d0 * t.weight_step[0] + h0 * t.weight_step[1];
    float* out = a.out + oy * a.out_width * out_pixel + c * a.multiplier + j;
    auto border = [&](int64_t ox) HWY_ATTR {
      ValidTaps(a, 2, ox, &w0, &w1);
      Taps part = t;
      part.count[2] = w1 - w0;
      const int64_t x = ox * a.stride[2] - a.pad[2] + w0 * a.dilation[2];
      DepthwiseBlock<1, V, kPartial, G>(part, in + x * a.channels, out_to_in, w + w0 * t.weight_step[2], bias, lo, hi,
                                        out + ox * out_pixel, out_pixel, a.multiplier, lanes, a.weight_ld, spread);
    };
    int64_t ox = 0;
    for (; ox < inner0; ++ox) border(ox);
    t.count[2] = a.kernel[2];
    const float* base = in - a.pad[2] * a.channels;
    constexpr int kW = 6;
    for (; ox + kW <= inner1; ox += kW)
      DepthwiseBlock<kW, V, kPartial, G>(t, base + ox * out_to_in, out_to_in, w, bias, lo, hi, out + ox * out_pixel,
                                         out_pixel, a.multiplier, lanes, a.weight_ld, spread);
    for (; ox + 2 <= inner1; ox += 2)
      DepthwiseBlock<2, V, kPartial, G>(t, base + ox * out_to_in, out_to_in, w, bias, lo, hi, out + ox * out_pixel,
                                        out_pixel, a.multiplier, lanes, a.weight_ld, spread);
    for (; ox < a.out_width; ++ox) border(ox);
  }
}

void DepthwiseRows(const Depthwise& a) {
  const int64_t n = static_cast<int64_t>(hn::Lanes(DF()));
  if (a.group_size > 1) {
    for (int64_t c = a.c0; c < a.c1; c += n) {
      if (a.group_size == 2) DepthwiseChannels<1, false, 2>(a, c, 0, static_cast<size_t>(n));
      else if (a.group_size == 4) DepthwiseChannels<1, false, 4>(a, c, 0, static_cast<size_t>(n));
      else DepthwiseChannels<1, false, 8>(a, c, 0, static_cast<size_t>(n));
    }
    return;
  }
  for (int64_t j = 0; j < a.multiplier; ++j) {
    int64_t c = a.c0;
    for (; c + 2 * n <= a.c1; c += 2 * n) DepthwiseChannels<2, false, 1>(a, c, j, static_cast<size_t>(n));
    for (; c + n <= a.c1; c += n) DepthwiseChannels<1, false, 1>(a, c, j, static_cast<size_t>(n));
    if (c < a.c1) DepthwiseChannels<1, true, 1>(a, c, j, static_cast<size_t>(a.c1 - c));
  }
}

// Winograd's minimal filtering for 4 outputs of a 3-tap filter with the points 0, 1, -1, 2, -2 and infinity
// (Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015).
HWY_INLINE void TransformIn(const VF* x, int step, VF* y, int to) {
  const DF d;
  const VF two = hn::Set(d, 2.0f), four = hn::Set(d, 4.0f), five = hn::Set(d, 5.0f);
  const VF x0 = x[0], x1 = x[step], x2 = x[2 * step], x3 = x[3 * step], x4 = x[4 * step], x5 = x[5 * step];
  const VF a = hn::NegMulAdd(four, x2, x4), b = hn::NegMulAdd(four, x1, x3);
  const VF e = hn::Sub(x4, x2), f = hn::Mul(two, hn::Sub(x3, x1));
  y[0] = hn::MulAdd(four, x0, hn::NegMulAdd(five, x2, x4));
  y[to] = hn::Add(a, b);
  y[2 * to] = hn::Sub(a, b);
  y[3 * to] = hn::Add(e, f);
  y[4 * to] = hn::Sub(e, f);
  y[5 * to] = hn::MulAdd(four, x1, hn::NegMulAdd(five, x3, x5));
}
HWY_INLINE void TransformOut(const VF* m, int step, VF* y, int to) {
  const DF d;
  const VF two = hn::Set(d, 2.0f), four = hn::Set(d, 4.0f), eight = hn::Set(d, 8.0f);
  const VF a = hn::Add(m[step], m[2 * step]), b = hn::Sub(m[step], m[2 * step]);
  const VF e = hn::Add(m[3 * step], m[4 * step]), f = hn::Sub(m[3 * step], m[4 * step]);
  y[0] = hn::Add(hn::Add(m[0], a), e);
  y[to] = hn::MulAdd(two, f, b);
  y[2 * to] = hn::MulAdd(four, e, a);
  y[3 * to] = hn::MulAdd(eight, f, hn::Add(b, m[5 * step]));
}

void WinogradIn(const WinogradTile& t, float* v, int64_t stride) {
  const DF d;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  const bool inside = t.y >= 0 && t.x >= 0 && t.y + 6 <= t.height && t.x + 6 <= t.width;
  VF x[36], y[36];
  for (int64_t c = 0; c < t.channels; c += n) {
    const size_t lanes = static_cast<size_t>(std::min(n, t.channels - c));
    if (inside && lanes == static_cast<size_t>(n)) {
      const float* p = t.in + (t.y * t.width + t.x) * t.channels + c;
      for (int i = 0; i < 6; ++i, p += t.width * t.channels) {
        HWY_UNROLL(6)
        for (int j = 0; j < 6; ++j) x[i * 6 + j] = hn::LoadU(d, p + j * t.channels);
      }
    } else {
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 6; ++j) {
          const int64_t yy = t.y + i, xx = t.x + j;
          const bool in = yy >= 0 && yy < t.height && xx >= 0 && xx < t.width;
          x[i * 6 + j] = in ? hn::LoadN(d, t.in + (yy * t.width + xx) * t.channels + c, lanes) : hn::Zero(d);
        }
      }
    }
    for (int j = 0; j < 6; ++j) TransformIn(x + j, 6, y + j, 6);
    for (int i = 0; i < 6; ++i) TransformIn(y + i * 6, 1, x + i * 6, 1);
    if (lanes == static_cast<size_t>(n)) {
      for (int q = 0; q < 36; ++q) hn::StoreU(x[q], d, v + q * stride + c);
    } else {
      for (int q = 0; q < 36; ++q) hn::StoreN(x[q], d, v + q * stride + c, lanes);
    }
  }
}

void WinogradOut(const float* m, int64_t stride, int64_t channels, int rows, int cols, float* out, int64_t row_stride,
                 int64_t pixel_stride, const float* bias, float lo_value, float hi_value) {
  const DF d;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  const VF lo = hn::Set(d, lo_value), hi = hn::Set(d, hi_value);
  VF x[36], y[24], z[16];
  for (int64_t c = 0; c < channels; c += n) {
    const size_t lanes = static_cast<size_t>(std::min(n, channels - c));
    const bool whole = lanes == static_cast<size_t>(n);
    for (int q = 0; q < 36; ++q)
      x[q] = whole ? hn::LoadU(d, m + q * stride + c) : hn::LoadN(d, m + q * stride + c, lanes);
    for (int j = 0; j < 6; ++j) TransformOut(x + j, 6, y + j, 6);
    for (int i = 0; i < 4; ++i) TransformOut(y + i * 6, 1, z + i * 4, 1);
    const VF b = bias ? hn::LoadN(d, bias + c, lanes) : hn::Set(d, -0.0f);
    for (int i = 0; i < rows; ++i) {
      for (int j = 0; j < cols; ++j) {
        const VF value = hn::Min(hi, hn::Max(lo, hn::Add(z[i * 4 + j], b)));
        float* to = out + i * row_stride + j * pixel_stride + c;
        if (whole) hn::StoreU(value, d, to);
        else hn::StoreN(value, d, to, lanes);
      }
    }
  }
}

const MicroConv& TableConv() {
  static const MicroConv table = {GatherRows, DepthwiseRows, WinogradIn, WinogradOut};
  return table;
}

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(TableConv);
const MicroConv& micro_conv() { return HWY_DYNAMIC_DISPATCH(TableConv)(); }
}  // namespace tenon::kernels
#endif
