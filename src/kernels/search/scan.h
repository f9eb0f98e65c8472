// Vectorised scans of the search kernels.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

/// Positions i in [from, n) where x[i] beats `bound`: greater (largest) or smaller, NaN being greater than everything.
/// Writes at most `room` of them (room >= 64) and returns how many; *from becomes the first position not looked at.
int64_t scan_better(const float* x, int64_t* from, int64_t n, float bound, bool largest, uint32_t* positions,
                    int64_t room);

/// Boxes as five arrays: low and high corner, area.
struct BoxArrays {
  float *y1, *x1, *y2, *x2, *area;
};
/// True when box (y1, x1, y2, x2, area) overlaps one of the first n boxes by more than the threshold: intersection over
/// union; pairs with an empty box or intersection never do.
bool overlaps_any(const BoxArrays& boxes, int64_t n, const float box[5], float threshold);

}  // namespace tenon::kernels
