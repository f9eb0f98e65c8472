// Changes between channels-first and channels-last layout.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "threads/team.h"

namespace tenon::kernels {

/// (batch, channels, pixels) to (batch, pixels, channels); `pixels` is the product of the spatial dimensions. In and
/// out must not overlap.
void to_channels_last(const float* in, float* out, int64_t batch, int64_t channels, int64_t pixels, const Team& team);
/// (batch, pixels, channels) to (batch, channels, pixels).
void to_channels_first(const float* in, float* out, int64_t batch, int64_t channels, int64_t pixels, const Team& team);

}  // namespace tenon::kernels
