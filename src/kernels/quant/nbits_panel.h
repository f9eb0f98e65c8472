// The inner loops of products with block-wise weights: up to kNbitsTile rows of A by one panel of 16 rows of weights.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "kernels/quant/nbits.h"

namespace tenon::kernels {

inline constexpr int64_t kNbitsRows = 16;  ///< rows of weights in a panel
inline constexpr int kNbitsTile = 4;       ///< rows of A at a time

/// Rows of A padded to whole blocks: bytes with scale and sum for each block, or floats.
struct NbitsRows {
  int64_t blocks = 0, block = 0;
  const int8_t* bytes = nullptr;
  const float* scales = nullptr;
  const int32_t* sums = nullptr;
  const float* floats = nullptr;
  NbitsRows from(int64_t row) const {
    NbitsRows r = *this;
    if (bytes) {
      r.bytes += row * blocks * block;
      r.scales += row * blocks;
      r.sums += row * blocks;
    } else {
      r.floats += row * blocks * block;
    }
    return r;
  }
};

/// out [count, 16].
void nbits_panel(const PackedNbits& b, const uint8_t* weights, const NbitsRows& rows, int count, float* out);
/// One row of A: values, and for each block largest magnitude / 127 and the sum of the values; zeros beyond k.
void nbits_round_row(const float* a, int64_t k, int64_t block, int8_t* values, float* scales, int32_t* sums);

}  // namespace tenon::kernels
