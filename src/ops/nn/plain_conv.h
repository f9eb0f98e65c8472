// Convolution and transposed convolution by their definition, channels first: for element types without a fast kernel.
// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cstdint>

#include "threads/team.h"

namespace tenon::ops {

/// Sizes with three spatial dimensions (the outer ones 1 where there are fewer).
struct PlainConv {
  bool transposed = false;
  int64_t batch = 1, in_channels = 1, out_channels = 1, group = 1;
  int64_t in[3] = {1, 1, 1}, out[3] = {1, 1, 1}, kernel[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, dilation[3] = {1, 1, 1},
          pad[3] = {0, 0, 0};
};

/// y = conv(x, w) + bias. X: type of the input (offset by x_zero), W: weights (offset by w_zero, one or one for each
/// output channel), Acc: type of sums and output. Weights (out, in / group, kernel...) or transposed (in, out / group,
/// kernel...).
template <class Acc, class X, class W>
void plain_conv(const PlainConv& p, const X* x, const W* w, const Acc* bias, Acc* y, const Team& team, Acc x_zero = 0,
                const W* w_zero = nullptr, bool w_zero_by_channel = false) {
  const int64_t per_in = p.in_channels / p.group, per_out = p.out_channels / p.group;
  const int64_t taps = p.kernel[0] * p.kernel[1] * p.kernel[2];
  const int64_t in_plane = p.in[0] * p.in[1] * p.in[2], out_plane = p.out[0] * p.out[1] * p.out[2];
  /// The input position of output position o under kernel tap k; false outside.
  auto source = [&](int d, int64_t o, int64_t k, int64_t* i) {
    int64_t at = p.transposed ? o + p.pad[d] - k * p.dilation[d] : o * p.stride[d] - p.pad[d] + k * p.dilation[d];
    if (p.transposed) {
      if (at < 0 || at % p.stride[d]) return false;
      at /= p.stride[d];
    }
    *i = at;
    return at >= 0 && at < p.in[d];
  };
  double cost = static_cast<double>(out_plane) * static_cast<double>(per_in * taps) * 2;
  team.parallel_for_cost(p.batch * p.out_channels, cost, [&](int64_t begin, int64_t end) {
    for (int64_t plane = begin; plane < end; ++plane) {
      const int64_t n = plane / p.out_channels, m = plane % p.out_channels, g = m / per_out;
      const Acc offset = w_zero ? static_cast<Acc>(w_zero[w_zero_by_channel ? m : 0]) : Acc{0};
      Acc* to = y + plane * out_plane;
      for (int64_t o = 0; o < out_plane; ++o) {
        const int64_t at[3] = {o / (p.out[1] * p.out[2]), o / p.out[2] % p.out[1], o % p.out[2]};
        Acc sum = bias ? bias[m] : Acc{0};
        for (int64_t t = 0; t < taps; ++t) {
          const int64_t k[3] = {t / (p.kernel[1] * p.kernel[2]), t / p.kernel[2] % p.kernel[1], t % p.kernel[2]};
          int64_t i[3];
          if (!source(0, at[0], k[0], &i[0]) || !source(1, at[1], k[1], &i[1]) || !source(2, at[2], k[2], &i[2]))
            continue;
          const X* from = x + (n * p.in_channels + g * per_in) * in_plane + (i[0] * p.in[1] + i[1]) * p.in[2] + i[2];
          for (int64_t c = 0; c < per_in; ++c) {
            const W weight = p.transposed ? w[((g * per_in + c) * per_out + m % per_out) * taps + t]
                                          : w[(m * per_in + c) * taps + t];
            sum += (static_cast<Acc>(from[c * in_plane]) - x_zero) * (static_cast<Acc>(weight) - offset);
          }
        }
        to[o] = sum;
      }
    }
  });
}

}  // namespace tenon::ops
