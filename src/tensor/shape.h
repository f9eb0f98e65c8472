// Shape: the dimensions of a tensor, with checked products. A hostile file cannot make a size wrap around.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>

#include "base/small_vector.h"
#include "base/status.h"
#include "tensor/dtype.h"

namespace tenon {

/// A list of dimensions or of per-dimension integers (axes, strides, pads).
using Dims = SmallVector<int64_t, 8>;

/// The concrete dimensions of a tensor; rank 0 is a scalar. Dimensions are >= 0.
using Shape = Dims;

/// The largest element or byte count that is accepted anywhere: leaves room to add alignment without overflow.
inline constexpr int64_t kMaxSize = int64_t{1} << 56;

/// Product of the dimensions, 1 for rank 0. Fails on a negative dimension or a product above kMaxSize.
Result<int64_t> checked_count(std::span<const int64_t> dims);
/// Bytes that hold `count` elements of the type; types below 8 bits are packed, the last byte may be part-filled.
constexpr int64_t byte_size(DType t, int64_t count) { return (count * bit_width(t) + 7) / 8; }
/// Product of dims[begin, end) of a shape that was checked before.
inline int64_t product(std::span<const int64_t> dims, size_t begin, size_t end) {
  int64_t n = 1;
  for (size_t i = begin; i < end; ++i) n *= dims[i];
  return n;
}
inline int64_t product(std::span<const int64_t> dims) { return product(dims, 0, dims.size()); }
/// a * b and a + b; false when the result is above kMaxSize or below -kMaxSize.
bool checked_mul(int64_t a, int64_t b, int64_t* out);
bool checked_add(int64_t a, int64_t b, int64_t* out);

/// Numpy broadcasting of two shapes; fails when dimensions differ and neither is 1.
Result<Shape> broadcast(std::span<const int64_t> a, std::span<const int64_t> b);

/// Element strides of a dense row-major tensor.
Dims row_major_strides(std::span<const int64_t> dims);

/// Turns an axis in [-rank, rank) into [0, rank); fails outside of it. `what` names the attribute in the message.
Result<int64_t> normal_axis(int64_t axis, int64_t rank, std::string_view what = "axis");

}  // namespace tenon
