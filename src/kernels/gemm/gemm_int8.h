// Exact matrix products of 8-bit integers with 32-bit sums.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/function_ref.h"
#include "base/ref.h"
#include "base/status.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon::kernels {

/// A matrix B (or a batch) of u8 or s8, rearranged: groups of four rows by panels of columns, with the column sums.
struct PackedInt8 {
  Ref<Buffer> memory;
  const int8_t* data = nullptr;   ///< values as s8; u8 is stored minus 128
  const int32_t* sums = nullptr;  ///< column sums of `data`, padded to whole panels
  int32_t offset = 0;             ///< true value = stored value + offset
  int64_t k = 0, n = 0, batch = 1;
  int64_t data_stride = 0, sums_stride = 0;  ///< from one matrix of the batch to the next
};

int64_t packed_int8_bytes(int64_t k, int64_t n, int64_t batch = 1);
/// Packs B (k, n) with row stride ldb, or its transpose stored as (n, k) when `trans`. Fails when memory runs out.
Result<PackedInt8> pack_int8(const void* b, bool b_signed, int64_t ldb, bool trans, int64_t k, int64_t n,
                             const Team& team, int64_t batch = 1, int64_t stride = 0);
/// The same into packed_int8_bytes of memory aligned to 64.
PackedInt8 pack_int8_into(const void* b, bool b_signed, int64_t ldb, bool trans, int64_t k, int64_t n, void* memory,
                          const Team& team, int64_t batch = 1, int64_t stride = 0);

/// C[i][j] = sum over x of (A[i][x] - a_zero[i]) (B[x][j] - b_zero[j]), in 32 bits that wrap around; exact on every
/// instruction set.
struct GemmInt8 {
  int64_t m = 0, n = 0, k = 0;
  const void* a = nullptr;  ///< (m, k), row stride lda
  bool a_signed = false;
  int64_t lda = 0;
  const PackedInt8* b = nullptr;
  int32_t* c = nullptr;
  int64_t ldc = 0;
  const void* a_zero = nullptr;  ///< of A's type: none (null), one, or one a row
  int64_t a_zero_count = 0;
  const void* b_zero = nullptr;  ///< of B's original type: none, one, or one a column
  bool b_signed = false;         ///< the type of b_zero
  int64_t b_zero_count = 0;
  /// Batch, by strides in elements; packed matrix i % b->batch. Zero points are those of every product.
  int64_t batch = 1, stride_a = 0, stride_c = 0;
  const int64_t* offsets_a = nullptr;  ///< instead of the strides where set; offsets_b are numbers of packed matrices
  const int64_t* offsets_b = nullptr;
  const int64_t* offsets_c = nullptr;
  /// Where set, C is not written: finished tiles go here while they are in the cache, from several threads at a time.
  /// Called with (product, first row, rows, first column, columns, values, row stride of the values).
  const FunctionRef<void(int64_t, int64_t, int64_t, int64_t, int64_t, const int32_t*, int64_t)>* sink = nullptr;
};

int64_t gemm_int8_scratch_bytes(const GemmInt8& g, int width);
void gemm_int8(const GemmInt8& g, const Team& team, void* scratch);

}  // namespace tenon::kernels
