// Inner loops of pooling, as functions for the best instruction set of this processor.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

enum class PoolOp { kMax, kAverage, kAbs, kSquare };  // kAbs, kSquare: Lp norms with p = 1 and 2

/// A pooling in three spatial dimensions.
struct PoolArgs {
  bool channels_last;
  bool count_padding;
  int64_t channels;
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3], pad_end[3];
  const void* src;
  void* dst;
};

/// The taps [first, last) of one dimension that fall into the input for output position o, and the number of taps that
/// fall into the padded input.
struct PoolWindow {
  int64_t first, last, padded;
};
inline PoolWindow pool_window(const PoolArgs& a, int dim, int64_t o) {
  const int64_t start = o * a.stride[dim] - a.pad[dim], step = a.dilation[dim], k = a.kernel[dim];
  auto below = [&](int64_t limit) {  // taps whose place is < limit
    const int64_t room = limit - start;
    return room <= 0 ? 0 : room > (k - 1) * step ? k : (room + step - 1) / step;
  };
  return {below(0), below(a.in[dim]), below(a.in[dim] + a.pad_end[dim])};
}

/// Output lines [begin, end): a line is (batch, out0, out1) when channels are last, else (batch, channel, out0, out1).
template <class T>
using PoolLines = void (*)(const PoolArgs& a, int64_t begin, int64_t end);
template <class T>
PoolLines<T> micro_pool(PoolOp op);  ///< int8_t and uint8_t have kMax only

}  // namespace tenon::kernels
