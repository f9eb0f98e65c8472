// Unique: the distinct elements, or slices along an axis, with first places, inverse and counts.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "base/status.h"
#include "tensor/dtype.h"
#include "threads/team.h"

namespace tenon::kernels {

struct UniqueResult {
  std::vector<int64_t> first;    ///< for each distinct item, in output order, its first place; gather by it gives Y
  std::vector<int64_t> inverse;  ///< for each item of the input its place in the output
  std::vector<int64_t> counts;   ///< how often each occurs
};

/// x is [outer, items, inner]: item i is all of x[:, i, :], compared lexicographically (flattened unique: outer = inner
/// = 1). sorted: ascending, NaN last; else in order of first occurrence. All NaN count as one value, -0 as 0.
/// Types: all numeric ones of 8 to 64 bits but 8-bit floats, bool, strings; others fail with kNotImplemented.
Result<UniqueResult> unique(const void* x, DType dtype, int64_t outer, int64_t items, int64_t inner, bool sorted);

}  // namespace tenon::kernels
