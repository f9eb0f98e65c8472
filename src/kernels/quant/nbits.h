// Products with weights of 2, 4 or 8 bits in blocks along k: the weights stay packed, activations are floats or 8 bits.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/ref.h"
#include "base/status.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon::kernels {

/// Weights as a model gives them: row j of n holds k codes of `bits` bits, lowest bits first, in blocks of `block`
/// codes (the last one padded); weight = (code - zero) * scale, zero and scale of the row and block.
struct NbitsWeights {
  int64_t n = 0, k = 0, block = 32;  ///< block: a power of two from 16 on
  int bits = 4;                      ///< 2, 4 or 8
  const uint8_t* codes = nullptr;    ///< [n, blocks, block * bits / 8]
  const float* scales = nullptr;     ///< [n, blocks]
  const uint8_t* zeros = nullptr;    ///< [n, bytes of `blocks` codes]; null: 2^(bits - 1)
  int64_t blocks() const { return (k + block - 1) / block; }
};

/// The same, rearranged: panels of 16 rows; for each block of a panel scales, zeros, then codes of four k by 16 rows.
struct PackedNbits {
  Ref<Buffer> memory;
  const uint8_t* data = nullptr;
  int64_t n = 0, k = 0, block = 0, blocks = 0, panels = 0;
  int bits = 4;  ///< 4 or 8 as stored
  bool has_zeros = false;
  int32_t zero = 8;  ///< of all blocks unless has_zeros
  int64_t header_bytes() const { return has_zeros ? 128 : 64; }
  int64_t block_bytes() const { return header_bytes() + block * 2 * bits; }
};

/// Fails when memory runs out.
Result<PackedNbits> pack_nbits(const NbitsWeights& weights, const Team& team);

struct NbitsProduct {
  int64_t m = 0;
  const float* a = nullptr;  ///< [m, k]
  const PackedNbits* b = nullptr;
  float* c = nullptr;           ///< [m, n]
  const float* bias = nullptr;  ///< [n] or null
  /// Each row of A is rounded to 8 bits with a scale for each block (largest magnitude / 127), and the products are
  /// exact integers; else they are computed in floats.
  bool round_a = false;
};
int64_t nbits_scratch_bytes(const NbitsProduct& p);
/// The bits of a row do not depend on the other rows nor on the number of threads.
void nbits_product(const NbitsProduct& p, void* scratch, const Team& team);

}  // namespace tenon::kernels
