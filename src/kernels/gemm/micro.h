// The innermost loops of matrix products, as a table of functions for the best instruction set of this processor.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <limits>

#include "kernels/gemm/activation.h"

namespace tenon::kernels {

/// How a block of sums is put into C. With `accumulate`, C holds the sum over earlier parts of K.
///   c = alpha * sum + (accumulate ? c : beta * c);   then, if `last`:  c = min(hi, max(lo, c + bias))
template <class T>
struct TileStore {
  T alpha = 1;
  T beta = 0;  ///< 0: C is not read
  bool accumulate = false;
  bool last = true;
  const T* bias = nullptr;  ///< one value a column, from the block's first column on; may be null
  T lo = -std::numeric_limits<T>::infinity();
  T hi = std::numeric_limits<T>::infinity();
};

/// What is done to finished values of C that the tile kernel does not do itself.
template <class T>
struct Finish {
  const T* bias_row = nullptr;  ///< one value a row
  const T* residual = nullptr;  ///< added, same columns as C
  int64_t residual_ld = 0;
  Activation act;
  bool needed() const { return bias_row || residual || act.kind != Act::kNone; }
};

template <class T>
struct MicroKernels {
  int mr;  ///< most rows of one call of row_block
  int nr;  ///< columns of a panel of B

  /// rows <= mr rows of C, n columns: sums over k of a[r * lda + i] * b. B comes as panels of nr columns: element (i,
  /// j) is b[(j / nr) * panel_stride + i * ldb + j % nr]; whole panels must be readable. The sum of each element runs
  /// over i = 0, 1, ... with one rounding a step, whatever rows and n are.
  void (*row_block)(int rows, int64_t k, const T* a, int64_t lda, const T* b, int64_t ldb, int64_t panel_stride,
                    int64_t n, T* c, int64_t ldc, const TileStore<T>& store);
  /// Packs k rows of B (k, n), or of its transpose stored as (n, k) when `trans`, into panels as above with ldb = nr;
  /// the missing columns of the last panel become 0.
  void (*pack_panels)(const T* b, int64_t ldb, bool trans, int64_t k, int64_t n, T* out, int64_t panel_stride);
  /// out[r * ld_out + i] = in[i * ld_in + r]: rows of A from a transposed A.
  void (*transpose)(const T* in, int64_t ld_in, int64_t k, int64_t rows, T* out, int64_t ld_out);
  /// Applies `f` to rows x n values of C.
  void (*finish)(T* c, int64_t ldc, int64_t rows, int64_t n, const Finish<T>& f);
};

const MicroKernels<float>& micro_f32();
const MicroKernels<double>& micro_f64();

}  // namespace tenon::kernels
