// Unpacking and packing of 2-bit and 4-bit elements.
// SPDX-License-Identifier: MIT
#include "kernels/move/packed.h"

#include <algorithm>

namespace tenon::kernels {

void unpack_bits(uint8_t* dst, const uint8_t* src, int64_t count, int bits, bool is_signed, const Team& team) {
  const int64_t per = 8 / bits;
  const uint8_t mask = static_cast<uint8_t>((1 << bits) - 1);
  const uint8_t sign = static_cast<uint8_t>(is_signed ? 1 << (bits - 1) : 0);
  team.parallel_for_cost((count + per - 1) / per, 2.0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = std::min(per, count - i * per);
      for (int64_t k = 0; k < n; ++k) {
        const uint8_t v = (src[i] >> (k * bits)) & mask;
        dst[i * per + k] = static_cast<uint8_t>((v ^ sign) - sign);
      }
    }
  });
}

void pack_bits(uint8_t* dst, const uint8_t* src, int64_t count, int bits, const Team& team) {
  const int64_t per = 8 / bits;
  const int mask = (1 << bits) - 1;
  team.parallel_for_cost((count + per - 1) / per, 2.0, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t n = std::min(per, count - i * per);
      int byte = 0;
      for (int64_t k = 0; k < n; ++k) byte |= (src[i * per + k] & mask) << (k * bits);
      dst[i] = static_cast<uint8_t>(byte);
    }
  });
}

}  // namespace tenon::kernels
