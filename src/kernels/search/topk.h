// TopK and sort along an axis.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/status.h"
#include "tensor/dtype.h"
#include "threads/team.h"

namespace tenon::kernels {

/// x is [outer, axis, inner]; values and indices are [outer, k, inner].
struct TopkShape {
  int64_t outer = 1;
  int64_t axis = 1;
  int64_t inner = 1;
  int64_t k = 1;
  bool largest = true;
  bool sorted = true;  ///< false: the order of the result is unspecified (here: by index)
};

/// Bytes of scratch that topk needs with a team of this width; alignment 16.
int64_t topk_scratch_bytes(const TopkShape& shape, DType dtype, int team_width);

/// The k largest or smallest elements. Of equal elements the one with the lower index comes first; NaN counts as larger
/// than everything; -0 equals 0. Types: f64, f32, f16, bf16, all integers of 8 to 64 bits, bool. Fails when k is above
/// the axis or negative, and for other types. k == axis is a stable sort.
Status topk(void* values, int64_t* indices, const void* x, DType dtype, const TopkShape& shape, void* scratch,
            const Team& team);

}  // namespace tenon::kernels
