// Shape: checked arithmetic on dimensions.
// SPDX-License-Identifier: MIT
#include "tensor/shape.h"

#include <algorithm>

namespace tenon {

bool checked_mul(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_mul_overflow(a, b, out) && *out <= kMaxSize && *out >= -kMaxSize;
}
bool checked_add(int64_t a, int64_t b, int64_t* out) {
  return !__builtin_add_overflow(a, b, out) && *out <= kMaxSize && *out >= -kMaxSize;
}

Result<int64_t> checked_count(std::span<const int64_t> dims) {
  int64_t n = 1;
  bool zero = false;
  for (int64_t d : dims) {
    if (d < 0) return invalid("dimension ", d, " of shape ", list_text(dims), " is negative");
    if (d == 0) zero = true;
  }
  if (zero) return int64_t{0};
  for (int64_t d : dims)
    if (!checked_mul(n, d, &n)) return invalid("shape ", list_text(dims), " has too many elements");
  return n;
}

Result<Shape> broadcast(std::span<const int64_t> a, std::span<const int64_t> b) {
  size_t rank = std::max(a.size(), b.size());
  Shape out(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    int64_t x = i < rank - a.size() ? 1 : a[i - (rank - a.size())];
    int64_t y = i < rank - b.size() ? 1 : b[i - (rank - b.size())];
    if (x != y && x != 1 && y != 1)
      return invalid("shapes ", list_text(a), " and ", list_text(b), " do not broadcast: ", x, " against ", y);
    out[i] = x == 1 ? y : x;
  }
  return out;
}

Dims row_major_strides(std::span<const int64_t> dims) {
  Dims s(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) s[i - 1] = s[i] * dims[i];
  return s;
}

Result<int64_t> normal_axis(int64_t axis, int64_t rank, std::string_view what) {
  if (axis < -rank || axis >= rank) return invalid(what, " ", axis, " is outside [", -rank, ",", rank - 1, "]");
  return axis < 0 ? axis + rank : axis;
}

}  // namespace tenon
