// Elements of 2 and 4 bits to one byte each and back, so that the movers can work on bytes.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "threads/team.h"

namespace tenon::kernels {

/// src holds `count` elements of `bits` (2 or 4) bits, the first in the low bits of the first byte. Each becomes one
/// byte, sign-extended when is_signed.
void unpack_bits(uint8_t* dst, const uint8_t* src, int64_t count, int bits, bool is_signed, const Team& team);

/// The reverse: the low bits of each byte. Unused bits of the last byte become 0.
void pack_bits(uint8_t* dst, const uint8_t* src, int64_t count, int bits, const Team& team);

}  // namespace tenon::kernels
