// The vector loops of attention: small products, packing of keys, soft cap.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon {

struct AttentionKernels {
  /// C (+)= A B for m rows: A [m, k] with row distance lda, B [k, n] with ldb, C [m, n] with ldc. Each row of C is
  /// formed in the same order whatever m is.
  void (*multiply)(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb, float* c,
                   int64_t ldc, bool accumulate);
  /// c[r * ldc + j] = dot of row r of A [m <= 8, k] and row j of B [n, k].
  void (*dots)(int64_t m, int64_t n, int64_t k, const float* a, int64_t lda, const float* b, int64_t ldb, float* c,
               int64_t ldc);
  /// to[d * ldt + j] = from[j * ldf + d] for j in [0, n), d in [0, k).
  void (*transpose)(int64_t n, int64_t k, const float* from, int64_t ldf, float* to, int64_t ldt);
  /// y = cap * tanh(y / cap).
  void (*soft_cap)(float cap, float* y, int64_t n);
};
const AttentionKernels& attention_kernels();

}  // namespace tenon
