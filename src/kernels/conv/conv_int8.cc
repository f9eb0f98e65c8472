// The driver of 8-bit convolutions: packing, gathering of windows, tiles.
// SPDX-License-Identifier: MIT
#include "kernels/conv/conv_int8.h"

#include <algorithm>
#include <cstring>

#include "kernels/conv/micro_conv_int8.h"
#include "kernels/gemm/blocking.h"
#include "kernels/gemm/micro_int8.h"
#include "tensor/tensor.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kPad = 64;  // values by channel are read by whole vectors
constexpr int64_t kMaxRows = 64;

int64_t taps_of(const ConvInt8Shape& s) { return s.kernel[0] * s.kernel[1] * s.kernel[2]; }

/// Rows gathered at once, and the columns that are computed from them before the next ones.
struct Block {
  int64_t rows, a_ld, cols;
  int64_t a_bytes, tile_bytes, slot_bytes;
};
Block block_of(const ConvInt8Plan& p) {
  const MicroInt8& mk = micro_int8();
  Block b{};
  b.a_ld = round_up(p.k, 4) + 64;
  const int64_t tiles = std::clamp<int64_t>(os::caches().l2 / 4 / (b.a_ld * mk.mr), 1, kMaxRows / mk.mr);
  b.rows = tiles * mk.mr;
  const int64_t n = p.shape.out_channels / p.shape.group, panel_bytes = round_up(p.k, 4) * mk.nr;
  const int64_t panels = std::clamp<int64_t>(os::caches().l2 / 4 / panel_bytes, 1, ceil_div(n, mk.nr));
  b.cols = panels * mk.nr;
  b.a_bytes = round_up(b.rows * b.a_ld, 64);
  b.tile_bytes = mk.mr * b.cols * 4;
  b.slot_bytes = round_up(b.a_bytes + b.tile_bytes, 64);
  return b;
}

/// One run.
struct Runner {
  const ConvInt8Plan& p;
  const ConvInt8Sizes& s;
  const uint8_t* in;
  uint8_t* out;
  const MicroInt8& mk = micro_int8();
  const MicroConvInt8& mc = micro_conv_int8();

  int64_t out_pixels() const { return s.out[0] * s.out[1] * s.out[2]; }
  int64_t in_pixels() const { return s.in[0] * s.in[1] * s.in[2]; }

  /// The windows of rows [r0, r0 + count), channels [c0, c0 + channels) of each pixel, as unsigned bytes.
  void gather(int64_t r0, int64_t count, int64_t c0, int64_t channels, uint8_t* to, int64_t ld) const {
    const ConvInt8Shape& c = p.shape;
    const uint8_t zero = static_cast<uint8_t>(c.x_zero);
    const bool lines = channels == c.in_channels && c.dilation[2] == 1;  // the taps of a line are neighbours
    const int64_t groups = round_up(p.k, 4);
    for (int64_t r = r0; r < r0 + count; ++r, to += ld) {
      const int64_t x = r % s.out[2], y = r / s.out[2] % s.out[1], z = r / (s.out[2] * s.out[1]) % s.out[0];
      const int64_t n = r / out_pixels();
      const uint8_t* image = in + n * in_pixels() * c.in_channels + c0;
      const int64_t x0 = x * c.stride[2] - s.pad[2];
      uint8_t* at = to;
      for (int64_t kd = 0; kd < c.kernel[0]; ++kd) {
        const int64_t iz = z * c.stride[0] - s.pad[0] + kd * c.dilation[0];
        for (int64_t kh = 0; kh < c.kernel[1]; ++kh) {
          const int64_t iy = y * c.stride[1] - s.pad[1] + kh * c.dilation[1];
          const int64_t line_bytes = c.kernel[2] * channels;
          if (iz < 0 || iz >= s.in[0] || iy < 0 || iy >= s.in[1]) {
            std::memset(at, zero, static_cast<size_t>(line_bytes));
            at += line_bytes;
            continue;
          }
          const uint8_t* line = image + (iz * s.in[1] + iy) * s.in[2] * c.in_channels;
          if (lines) {
            const int64_t lo = std::clamp<int64_t>(-x0, 0, c.kernel[2]);
            const int64_t hi = std::clamp<int64_t>(s.in[2] - x0, lo, c.kernel[2]);
            if (lo) std::memset(at, zero, static_cast<size_t>(lo * channels));
            if (hi > lo)
              std::memcpy(at + lo * channels, line + (x0 + lo) * channels, static_cast<size_t>((hi - lo) * channels));
            if (hi < c.kernel[2])
              std::memset(at + hi * channels, zero, static_cast<size_t>((c.kernel[2] - hi) * channels));
            at += line_bytes;
            continue;
          }
          for (int64_t kw = 0; kw < c.kernel[2]; ++kw, at += channels) {
            const int64_t ix = x0 + kw * c.dilation[2];
            if (ix < 0 || ix >= s.in[2]) std::memset(at, zero, static_cast<size_t>(channels));
            else std::memcpy(at, line + ix * c.in_channels, static_cast<size_t>(channels));
          }
        }
      }
      if (c.x_signed)
        for (int64_t i = 0; i < p.k; ++i) to[i] ^= 0x80;
      for (int64_t i = p.k; i < groups; ++i) to[i] = 0;
    }
  }

  /// Whether the rows of the product are the pixels themselves.
  bool direct() const {
    const ConvInt8Shape& c = p.shape;
    if (c.x_signed || c.group != 1 || c.in_channels % 4) return false;
    for (int i = 0; i < 3; ++i)
      if (c.kernel[i] != 1 || c.stride[i] != 1 || s.pad[i] != 0 || s.in[i] != s.out[i]) return false;
    return true;
  }

  void rows(const Block& b, int64_t group, int64_t r0, int64_t r1, int64_t n0, int64_t n1, uint8_t* scratch) const {
    const ConvInt8Shape& c = p.shape;
    const int64_t channels = c.in_channels / c.group, outs = c.out_channels / c.group;
    const int64_t groups = ceil_div(p.k, 4), panel_stride = groups * mk.nr * 4;
    auto* tile = reinterpret_cast<int32_t*>(scratch + b.a_bytes);
    const bool straight = direct();
    const int8_t* weights = p.weights.data + group * p.weights.data_stride;
    for (int64_t r = r0; r < r1; r += b.rows) {
      const int64_t count = std::min(b.rows, r1 - r), tiles = ceil_div(count, mk.mr);
      const uint8_t* a = scratch;
      int64_t lda = b.a_ld;
      if (straight) {
        a = in + r * c.in_channels;
        lda = c.in_channels;
      } else {
        gather(r, count, group * channels, channels, scratch, b.a_ld);
      }
      for (int64_t col = n0; col < n1; col += b.cols) {
        const int64_t cols = std::min(b.cols, n1 - col), panels = ceil_div(cols, mk.nr), first = group * outs + col;
        const Requantise how{
            p.correction() + first, p.factor() + first, p.addend() + first, c.y_zero, c.lo, c.hi, c.y_signed};
        for (int64_t t = 0; t < tiles; ++t) {
          const int64_t t0 = t * count / tiles, t1 = (t + 1) * count / tiles;
          mk.row_block(static_cast<int>(t1 - t0), groups, a + t0 * lda, lda, weights + col * groups * 4, panel_stride,
                       panels, tile, b.cols, false);
          for (int64_t i = t0; i < t1; ++i) {
            int32_t* sums = tile + (i - t0) * b.cols;
            if (p.row_sums) {
              uint32_t sum = 0;
              for (int64_t k = 0; k < p.k; ++k) sum += a[i * lda + k];
              for (int64_t j = 0; j < cols; ++j)
                sums[j] = static_cast<int32_t>(static_cast<uint32_t>(sums[j]) +
                                               sum * static_cast<uint32_t>(p.row_factor()[first + j]));
            }
            mc.requantise(sums, how, cols, out + (r + i) * c.out_channels + first);
          }
        }
      }
    }
  }

  void run(const Team& team, uint8_t* scratch) const {
    const ConvInt8Shape& c = p.shape;
    if (p.depthwise) return run_depthwise(team);
    const Block b = block_of(p);
    const int64_t m = s.batch * out_pixels(), outs = c.out_channels / c.group;
    const double ns = static_cast<double>(m) * static_cast<double>(p.k) * static_cast<double>(c.out_channels) / 100;
    const int width = team.width();
    const int64_t wanted =
        width == 1 ? 1 : std::clamp<int64_t>(static_cast<int64_t>(ns / 10'000), 1, int64_t{width} * 4);
    const int64_t row_tasks =
        std::clamp<int64_t>(ceil_div(wanted, c.group), 1, std::max<int64_t>(ceil_div(m, mk.mr), 1));
    const int64_t rows_each = round_up(ceil_div(m, row_tasks), mk.mr),
                  row_count = std::max<int64_t>(ceil_div(m, rows_each), 1);
    const int64_t col_tasks = std::clamp<int64_t>(ceil_div(wanted, row_count * c.group), 1, ceil_div(outs, mk.nr));
    const int64_t cols_each = round_up(ceil_div(outs, col_tasks), mk.nr), col_count = ceil_div(outs, cols_each);
    team.for_tasks(row_count * col_count * c.group, [&](int64_t task, int slot) {
      const int64_t col = task % col_count * cols_each, group = task / col_count % c.group;
      const int64_t row = task / (col_count * c.group) * rows_each;
      rows(b, group, row, std::min(row + rows_each, m), col, std::min(col + cols_each, outs),
           scratch + slot * b.slot_bytes);
    });
  }

  void run_depthwise(const Team& team) const {
    const ConvInt8Shape& c = p.shape;
    const int64_t lines = s.batch * s.out[0] * s.out[1];
    const double ns = static_cast<double>(s.out[2] * c.out_channels * taps_of(c)) / 8;
    team.parallel_for_cost(lines, ns, [&](int64_t begin, int64_t end) {
      for (int64_t line = begin; line < end; ++line) {
        DepthwiseInt8 d{};
        const int64_t image = line / (s.out[0] * s.out[1]);
        d.in = in + image * in_pixels() * c.in_channels;
        d.out = out + line * s.out[2] * c.out_channels;
        for (int i = 0; i < 3; ++i) {
          d.in_size[i] = s.in[i];
          d.kernel[i] = c.kernel[i];
          d.stride[i] = c.stride[i];
          d.dilation[i] = c.dilation[i];
          d.pad[i] = s.pad[i];
        }
        d.plane = line / s.out[1] % s.out[0];
        d.row = line % s.out[1];
        d.out_width = s.out[2];
        d.channels = c.in_channels;
        d.ld = p.ld;
        d.x_signed = c.x_signed;
        d.x_zero = c.x_zero;
        d.weights = static_cast<const int16_t*>(p.taps->data());
        mc.depthwise(d, {p.correction(), p.factor(), p.addend(), c.y_zero, c.lo, c.hi, c.y_signed});
      }
    });
  }
};

}  // namespace

Result<ConvInt8Plan> make_conv_int8(const ConvInt8Shape& shape, const void* weights, const Team& team) {
  ConvInt8Plan p;
  p.shape = shape;
  p.shape.w_zero = p.shape.bias = nullptr;
  p.shape.factor = p.shape.addend = nullptr;
  const int64_t channels = shape.in_channels / shape.group, outs = shape.out_channels / shape.group,
                taps = taps_of(shape);
  p.k = channels * taps;
  p.ld = round_up(shape.out_channels, kPad) + kPad;
  TENON_ASSIGN(p.channels, Buffer::allocate(static_cast<size_t>(4 * p.ld) * 4, true));
  auto* correction = static_cast<uint32_t*>(p.channels->data());
  auto* factor = static_cast<float*>(p.channels->data()) + p.ld;
  auto* addend = factor + p.ld;
  auto* row_factor = static_cast<int32_t*>(p.channels->data()) + 3 * p.ld;
  std::copy_n(shape.factor, shape.out_channels, factor);
  if (shape.addend) std::copy_n(shape.addend, shape.out_channels, addend);
  auto w_zero = [&](int64_t m) { return shape.w_zero ? shape.w_zero[m] : 0; };
  const auto* w = static_cast<const uint8_t*>(weights);
  auto value = [&](int64_t at) {
    return shape.w_signed ? static_cast<int32_t>(static_cast<int8_t>(w[at])) : static_cast<int32_t>(w[at]);
  };
  for (int64_t m = 0; m < shape.out_channels; ++m)
    if (shape.bias) correction[m] = static_cast<uint32_t>(shape.bias[m]);
  if (shape.group > 1 && channels == 1 && outs == 1) {
    p.depthwise = true;
    TENON_ASSIGN(p.taps, Buffer::allocate(static_cast<size_t>(taps * p.ld) * 2, true));
    auto* to = static_cast<int16_t*>(p.taps->data());
    for (int64_t m = 0; m < shape.out_channels; ++m)
      for (int64_t t = 0; t < taps; ++t) to[t * p.ld + m] = static_cast<int16_t>(value(m * taps + t) - w_zero(m));
    return p;
  }
  // From (channel, tap) to (tap, channel).
  TENON_ASSIGN(Ref<Buffer> dense, Buffer::allocate(static_cast<size_t>(shape.out_channels * p.k)));
  auto* rows = static_cast<uint8_t*>(dense->data());
  for (int64_t m = 0; m < shape.out_channels; ++m)
    for (int64_t t = 0; t < taps; ++t)
      for (int64_t c = 0; c < channels; ++c) rows[m * p.k + t * channels + c] = w[(m * channels + c) * taps + t];
  TENON_ASSIGN(p.weights, pack_int8(rows, shape.w_signed, p.k, true, p.k, outs, team, shape.group, outs * p.k));
  // sum of (a - a0)(w + o - w0) = sum of a w + (o - w0) sum of a - a0 sum of w - k a0 (o - w0)
  const uint32_t a0 = static_cast<uint32_t>(shape.x_zero + (shape.x_signed ? 128 : 0));
  for (int64_t m = 0; m < shape.out_channels; ++m) {
    const uint32_t shift = static_cast<uint32_t>(p.weights.offset - w_zero(m));
    const auto sum = static_cast<uint32_t>(p.weights.sums[m / outs * p.weights.sums_stride + m % outs]);
    correction[m] -= a0 * sum + static_cast<uint32_t>(p.k) * a0 * shift;
    row_factor[m] = static_cast<int32_t>(shift);
    p.row_sums = p.row_sums || shift != 0;
  }
  return p;
}

int64_t conv_int8_scratch_bytes(const ConvInt8Plan& plan, int width) {
  return plan.depthwise ? 0 : block_of(plan).slot_bytes * std::max(width, 1);
}

void run_conv_int8(const ConvInt8Plan& plan, const ConvInt8Sizes& sizes, const void* in, void* out, const Team& team,
                   void* scratch) {
  Runner runner{plan, sizes, static_cast<const uint8_t*>(in), static_cast<uint8_t*>(out)};
  runner.run(team, static_cast<uint8_t*>(scratch));
}

void add_quantised(const Quantised& a, const Quantised& b, float y_scale, int32_t y_zero, bool y_signed, int32_t lo,
                   int32_t hi, void* y, int64_t n, const Team& team) {
  team.parallel_for_cost(n, 0.1, [&](int64_t begin, int64_t end) {
    micro_conv_int8().add(a, b, y_scale, y_zero, y_signed, lo, hi, static_cast<uint8_t*>(y), begin, end);
  });
}

}  // namespace tenon::kernels
