// Pooling: the split over threads, and the plain loops of the rare forms (positions of maxima, general Lp).
// SPDX-License-Identifier: MIT
#include "kernels/pool/pool.h"

#include <cmath>
#include <limits>

#include "kernels/pool/micro_pool.h"

namespace tenon::kernels {

// Defined for each type in micro_pool.cc.
template <>
PoolLines<float> micro_pool<float>(PoolOp op);
template <>
PoolLines<double> micro_pool<double>(PoolOp op);
template <>
PoolLines<int8_t> micro_pool<int8_t>(PoolOp op);
template <>
PoolLines<uint8_t> micro_pool<uint8_t>(PoolOp op);

namespace {

PoolArgs args_of(const PoolSizes& s, const void* in, void* out) {
  PoolArgs a{};
  a.channels_last = s.channels_last;
  a.channels = s.channels;
  for (int i = 0; i < 3; ++i) a.in[i] = a.out[i] = a.kernel[i] = a.stride[i] = a.dilation[i] = 1;
  for (int i = 0; i < s.spatial; ++i) {
    const int to = 3 - s.spatial + i;
    a.in[to] = s.in[i];
    a.out[to] = s.out[i];
    a.kernel[to] = s.kernel[i];
    a.stride[to] = s.stride[i];
    a.dilation[to] = s.dilation[i];
    a.pad[to] = s.pad[i];
    a.pad_end[to] = s.pad_end[i];
  }
  a.src = in;
  a.dst = out;
  return a;
}

int64_t taps_of(const PoolArgs& a) { return a.kernel[0] * a.kernel[1] * a.kernel[2]; }

template <class T>
void run(const PoolSizes& s, PoolArgs a, PoolOp op, const Team& team) {
  const int64_t planes = s.batch * (s.channels_last ? 1 : s.channels);
  const int64_t width = a.out[2] * (s.channels_last ? s.channels : 1);
  if (width == 0) return;
  const PoolLines<T> lines = micro_pool<T>(op);
  team.parallel_for_cost(planes * a.out[0] * a.out[1], static_cast<double>(width * taps_of(a)) * 0.15,
                         [&](int64_t begin, int64_t end) { lines(a, begin, end); });
}

/// Calls each(output index, channel number over the batch, taps as (z, y, x, input offset) visitor) for the plain
/// forms.
template <class Each>
void plain(const PoolSizes& s, const PoolArgs& a, const Team& team, const Each& each) {
  const int64_t out_plane = a.out[0] * a.out[1] * a.out[2], in_plane = a.in[0] * a.in[1] * a.in[2];
  team.parallel_for_cost(
      s.batch * s.channels * out_plane, static_cast<double>(taps_of(a)) * 2, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {  // i counts in channels-first order
          const int64_t o = i % out_plane, nc = i / out_plane, n = nc / s.channels, c = nc % s.channels;
          const int64_t at[3] = {o / (a.out[1] * a.out[2]), o / a.out[2] % a.out[1], o % a.out[2]};
          const PoolWindow w[3] = {pool_window(a, 0, at[0]), pool_window(a, 1, at[1]), pool_window(a, 2, at[2])};
          auto visit = [&](const auto& tap) {
            for (int64_t kz = w[0].first; kz < w[0].last; ++kz)
              for (int64_t ky = w[1].first; ky < w[1].last; ++ky)
                for (int64_t kx = w[2].first; kx < w[2].last; ++kx) {
                  const int64_t z = at[0] * a.stride[0] - a.pad[0] + kz * a.dilation[0];
                  const int64_t y = at[1] * a.stride[1] - a.pad[1] + ky * a.dilation[1];
                  const int64_t x = at[2] * a.stride[2] - a.pad[2] + kx * a.dilation[2];
                  const int64_t pixel = (z * a.in[1] + y) * a.in[2] + x;
                  tap(z, y, x, s.channels_last ? (n * in_plane + pixel) * s.channels + c : nc * in_plane + pixel);
                }
          };
          each(s.channels_last ? (n * out_plane + o) * s.channels + c : i, nc * in_plane, visit);
        }
      });
}

}  // namespace

template <class T>
void pool_max(const PoolSizes& s, const T* in, T* out, int64_t* indices, bool column_major, const Team& team) {
  const PoolArgs a = args_of(s, in, out);
  if (!indices) return run<T>(s, a, PoolOp::kMax, team);
  plain(s, a, team, [&](int64_t to, int64_t first, const auto& visit) {
    T best =
        std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    int64_t place = -1;
    visit([&](int64_t z, int64_t y, int64_t x, int64_t from) {
      if (place >= 0 && !(in[from] > best)) return;
      best = in[from];
      place = column_major ? z + (y + x * a.in[1]) * a.in[0] : (z * a.in[1] + y) * a.in[2] + x;
    });
    out[to] = best;
    indices[to] = place < 0 ? first : first + place;
  });
}

template <class T>
void pool_average(const PoolSizes& s, bool count_padding, const T* in, T* out, const Team& team) {
  PoolArgs a = args_of(s, in, out);
  a.count_padding = count_padding;
  run<T>(s, a, PoolOp::kAverage, team);
}

template <class T>
void pool_lp(const PoolSizes& s, int64_t p, const T* in, T* out, const Team& team) {
  const PoolArgs a = args_of(s, in, out);
  if (p == 1) return run<T>(s, a, PoolOp::kAbs, team);
  if (p == 2) return run<T>(s, a, PoolOp::kSquare, team);
  const double power = static_cast<double>(p);
  plain(s, a, team, [&](int64_t to, int64_t, const auto& visit) {
    double sum = 0;
    visit([&](int64_t, int64_t, int64_t, int64_t from) {
      sum += std::pow(std::abs(static_cast<double>(in[from])), power);
    });
    out[to] = static_cast<T>(std::pow(sum, 1 / power));
  });
}

template void pool_max(const PoolSizes&, const float*, float*, int64_t*, bool, const Team&);
template void pool_max(const PoolSizes&, const double*, double*, int64_t*, bool, const Team&);
template void pool_max(const PoolSizes&, const int8_t*, int8_t*, int64_t*, bool, const Team&);
template void pool_max(const PoolSizes&, const uint8_t*, uint8_t*, int64_t*, bool, const Team&);
template void pool_average(const PoolSizes&, bool, const float*, float*, const Team&);
template void pool_average(const PoolSizes&, bool, const double*, double*, const Team&);
template void pool_lp(const PoolSizes&, int64_t, const float*, float*, const Team&);
template void pool_lp(const PoolSizes&, int64_t, const double*, double*, const Team&);

}  // namespace tenon::kernels
