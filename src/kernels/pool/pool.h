// Pooling over windows: maximum (with positions), average, Lp norm; channels first or last.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "threads/team.h"

namespace tenon::kernels {

/// The sizes of a pooling. Arrays have `spatial` entries, outermost first. Windows start at -pad + o * stride; the
/// caller chose `out`, so floor, ceil and SAME rules are his. Global pooling: kernel = in, out = 1. Positions outside
/// the input are left out of every window.
struct PoolSizes {
  int spatial = 2;  ///< 1, 2 or 3
  bool channels_last = false;
  int64_t batch = 1, channels = 1;
  int64_t in[3] = {1, 1, 1};
  int64_t out[3] = {1, 1, 1};
  int64_t kernel[3] = {1, 1, 1};
  int64_t stride[3] = {1, 1, 1};
  int64_t dilation[3] = {1, 1, 1};
  int64_t pad[3] = {0, 0, 0};
  int64_t pad_end[3] = {0, 0, 0};  ///< only read by averages that count the padding
};

/// Maximum; a window without any input gives the lowest value of the type (minus infinity). T: float, double, int8_t,
/// uint8_t. `indices`, unless null, gets for each output the position of the (first) maximum in the whole input tensor,
/// numbered as if it were in channels-first layout, whatever the layout is: the last spatial dimension runs fastest, or
/// the first one when `column_major` (ONNX's storage_order 1). It has the layout of `out`.
template <class T>
void pool_max(const PoolSizes& sizes, const T* in, T* out, int64_t* indices, bool column_major, const Team& team);

/// Mean over the inputs of a window, or, when `count_padding`, their sum over the number of positions in the window
/// that lie inside the padded input. 0 for a window without any. T: float, double.
template <class T>
void pool_average(const PoolSizes& sizes, bool count_padding, const T* in, T* out, const Team& team);

/// (sum |x|^p)^(1/p), p >= 1. T: float, double.
template <class T>
void pool_lp(const PoolSizes& sizes, int64_t p, const T* in, T* out, const Team& team);

extern template void pool_max(const PoolSizes&, const float*, float*, int64_t*, bool, const Team&);
extern template void pool_max(const PoolSizes&, const double*, double*, int64_t*, bool, const Team&);
extern template void pool_max(const PoolSizes&, const int8_t*, int8_t*, int64_t*, bool, const Team&);
extern template void pool_max(const PoolSizes&, const uint8_t*, uint8_t*, int64_t*, bool, const Team&);
extern template void pool_average(const PoolSizes&, bool, const float*, float*, const Team&);
extern template void pool_average(const PoolSizes&, bool, const double*, double*, const Team&);
extern template void pool_lp(const PoolSizes&, int64_t, const float*, float*, const Team&);
extern template void pool_lp(const PoolSizes&, int64_t, const double*, double*, const Team&);

}  // namespace tenon::kernels
