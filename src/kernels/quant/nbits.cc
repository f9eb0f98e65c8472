// Packing of block-wise weights and the split of their products over threads.
// SPDX-License-Identifier: MIT
#include "kernels/quant/nbits.h"

#include <algorithm>
#include <cstring>

#include "kernels/gemm/blocking.h"
#include "kernels/quant/nbits_panel.h"

namespace tenon::kernels {
namespace {

uint8_t code_at(const uint8_t* codes, int64_t i, int bits) {
  const int64_t per_byte = 8 / bits;
  return static_cast<uint8_t>(codes[i / per_byte] >> (i % per_byte * bits) & ((1 << bits) - 1));
}

/// Eight codes of 4 bits in the order of a packed chunk: byte j holds code j and, in its high half, code 4 + j.
uint32_t pair_up(const uint8_t* from) {
  return (from[0] & 15u) | (from[2] & 15u) << 4 | (from[0] >> 4 | (from[2] & 240u)) << 8 |
         ((from[1] & 15u) | (from[3] & 15u) << 4) << 16 | (from[1] >> 4 | (from[3] & 240u)) << 24;
}

/// A block of 16 rows; rows beyond the end are 0 with scale 0. Codes beyond k stay as they are: they meet zeros.
void pack_block(const NbitsWeights& w, const PackedNbits& p, int64_t row0, int64_t b, uint8_t* to) {
  float scales[kNbitsRows] = {};
  uint8_t zeros[kNbitsRows] = {};
  uint8_t* codes = to + p.header_bytes();
  const int64_t blocks = w.blocks(), code_bytes = w.block * w.bits / 8, zero_bytes = (blocks * w.bits + 7) / 8;
  const int64_t rows = std::min<int64_t>(kNbitsRows, w.n - row0);
  if (rows < kNbitsRows) std::memset(codes, 0, static_cast<size_t>(p.block_bytes() - p.header_bytes()));
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t row = row0 + r;
    scales[r] = w.scales[row * blocks + b];
    if (w.zeros) zeros[r] = code_at(w.zeros + row * zero_bytes, b, w.bits);
    const uint8_t* from = w.codes + (row * blocks + b) * code_bytes;
    uint8_t* place = codes + r * 4;
    if (w.bits == 8) {
      for (int64_t i = 0; i < w.block; i += 4, place += 64) std::memcpy(place, from + i, 4);
      continue;
    }
    for (int64_t i = 0; i < w.block; i += 8, place += 64) {
      uint8_t four[4];
      if (w.bits == 2)
        for (int j = 0; j < 4; ++j)
          four[j] = static_cast<uint8_t>(code_at(from, i + 2 * j, 2) | code_at(from, i + 2 * j + 1, 2) << 4);
      const uint32_t chunk = pair_up(w.bits == 2 ? four : from + i / 2);
      std::memcpy(place, &chunk, 4);
    }
  }
  std::memcpy(to, scales, sizeof(scales));
  if (p.has_zeros) std::memcpy(to + 64, zeros, sizeof(zeros));
}

}  // namespace

Result<PackedNbits> pack_nbits(const NbitsWeights& w, const Team& team) {
  PackedNbits p;
  p.n = w.n;
  p.k = w.k;
  p.block = w.block;
  p.blocks = w.blocks();
  p.panels = (w.n + kNbitsRows - 1) / kNbitsRows;
  p.bits = std::max(w.bits, 4);
  p.has_zeros = w.zeros != nullptr;
  p.zero = 1 << (w.bits - 1);
  const int64_t panel_bytes = p.blocks * p.block_bytes();
  TENON_ASSIGN(p.memory, Buffer::allocate(static_cast<size_t>(p.panels * panel_bytes)));
  auto* data = static_cast<uint8_t*>(p.memory->data());
  team.parallel_for_cost(p.panels, static_cast<double>(p.k) * 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t b = 0; b < p.blocks; ++b)
        pack_block(w, p, i * kNbitsRows, b, data + i * panel_bytes + b * p.block_bytes());
  });
  p.data = data;
  return p;
}

int64_t nbits_scratch_bytes(const NbitsProduct& p) {
  const int64_t blocks = p.b->blocks, padded = blocks * p.b->block;
  return p.round_a ? round_up(p.m * padded, 64) + 2 * round_up(p.m * blocks * 4, 64) : round_up(p.m * padded * 4, 64);
}

void nbits_product(const NbitsProduct& p, void* scratch, const Team& team) {
  const PackedNbits& b = *p.b;
  const int64_t padded = b.blocks * b.block;
  auto* memory = static_cast<char*>(scratch);
  NbitsRows rows;
  rows.blocks = b.blocks;
  rows.block = b.block;
  if (p.round_a) {
    auto* values = reinterpret_cast<int8_t*>(memory);
    auto* scales = reinterpret_cast<float*>(memory + round_up(p.m * padded, 64));
    auto* sums = reinterpret_cast<int32_t*>(memory + round_up(p.m * padded, 64) + round_up(p.m * b.blocks * 4, 64));
    team.parallel_for_cost(p.m, static_cast<double>(padded) * 0.1, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r)
        nbits_round_row(p.a + r * b.k, b.k, b.block, values + r * padded, scales + r * b.blocks, sums + r * b.blocks);
    });
    rows.bytes = values;
    rows.scales = scales;
    rows.sums = sums;
  } else if (padded == b.k) {
    rows.floats = p.a;
  } else {
    auto* floats = reinterpret_cast<float*>(memory);
    for (int64_t r = 0; r < p.m; ++r) {
      std::copy_n(p.a + r * b.k, b.k, floats + r * padded);
      std::fill_n(floats + r * padded + b.k, padded - b.k, 0.0f);
    }
    rows.floats = floats;
  }
  const double ns = static_cast<double>(p.m * padded) * (p.round_a ? 0.12 : 0.5) + static_cast<double>(padded) * 0.3;
  team.parallel_for_cost(b.panels, ns, [&](int64_t begin, int64_t end) {
    alignas(64) float tile[kNbitsTile * kNbitsRows];
    for (int64_t panel = begin; panel < end; ++panel) {
      const uint8_t* weights = b.data + panel * b.blocks * b.block_bytes();
      const int64_t column = panel * kNbitsRows, columns = std::min<int64_t>(kNbitsRows, b.n - column);
      for (int64_t r = 0; r < p.m; r += kNbitsTile) {
        const int count = static_cast<int>(std::min<int64_t>(kNbitsTile, p.m - r));
        nbits_panel(b, weights, rows.from(r), count, tile);
        for (int i = 0; i < count; ++i) {
          float* to = p.c + (r + i) * b.n + column;
          for (int64_t j = 0; j < columns; ++j) to[j] = tile[i * kNbitsRows + j] + (p.bias ? p.bias[column + j] : 0.0f);
        }
      }
    }
  });
}

}  // namespace tenon::kernels
