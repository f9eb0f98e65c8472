// The innermost loops of 8-bit matrix products, as a table of functions for the best instruction set.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

struct MicroInt8 {
  int mr;  ///< most rows of row_block
  int nr;  ///< columns of a panel

  /// c[r][j] (+)= sum over groups g of four products. a: u8 rows of `groups * 4` bytes, lda a multiple of 4; panels of
  /// B: [group][column][4] s8, panel_stride bytes apart, whole panels readable and C writable for whole panels.
  void (*row_block)(int rows, int64_t groups, const uint8_t* a, int64_t lda, const int8_t* b, int64_t panel_stride,
                    int64_t panels, int32_t* c, int64_t ldc, bool accumulate);
  /// One panel from `cols` <= nr columns of B; missing rows and columns become 0 (after the shift by `flip`, which is
  /// xored into each value: 0x80 turns u8 into s8 minus 128). Adds nothing to sums: they are set, nr of them.
  void (*pack_panel)(const uint8_t* b, int64_t ldb, bool trans, int64_t k, int64_t cols, uint8_t flip, int8_t* out,
                     int32_t* sums);
  /// out[i] = in[i] ^ flip for k bytes, 0 up to padded; returns the sum of out.
  uint32_t (*stage_row)(const uint8_t* in, int64_t k, uint8_t flip, uint8_t* out, int64_t padded);
  /// c[j] = acc[j] - b_zero[j] * row_sum - a_zero * sums[j] + k * a_zero * b_zero[j], wrapping.
  void (*correct)(int32_t* c, int64_t n, const int32_t* sums, const int32_t* b_zero, uint32_t row_sum, uint32_t a_zero,
                  uint32_t k);
};

const MicroInt8& micro_int8();

}  // namespace tenon::kernels
