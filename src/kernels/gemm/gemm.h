// Matrix products in float and double: plain, batched, with packed weights and a fused tail.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/ref.h"
#include "base/status.h"
#include "kernels/gemm/activation.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon::kernels {

/// A matrix B (or a batch of them) rearranged for the tile kernels of this processor: panels of some columns, each with
/// all k rows. Products with one row and with many read the same form.
template <class T>
struct PackedB {
  Ref<Buffer> memory;  ///< null when the caller owns the memory
  const T* data = nullptr;
  int64_t k = 0;
  int64_t n = 0;
  int64_t batch = 1;
};

/// Bytes of the packed form of `batch` matrices (k, n).
template <class T>
int64_t packed_b_bytes(int64_t k, int64_t n, int64_t batch = 1);
/// Packs B (k, n) with row stride ldb, or, when `trans`, its transpose stored as (n, k); matrices of a batch are
/// `stride` elements apart. Fails when memory runs out.
template <class T>
Result<PackedB<T>> pack_b(const T* b, int64_t ldb, bool trans, int64_t k, int64_t n, const Team& team,
                          int64_t batch = 1, int64_t stride = 0);
/// The same into the caller's memory of packed_b_bytes, aligned to 64 bytes.
template <class T>
PackedB<T> pack_b_into(const T* b, int64_t ldb, bool trans, int64_t k, int64_t n, T* memory, const Team& team,
                       int64_t batch = 1, int64_t stride = 0);

/// One product, or a batch of products of the same sizes:
///   C = act(alpha A B + beta C + bias_col + bias_row + residual)
/// A is (m, k), or stored as (k, m) when trans_a; B is (k, n), or stored as (n, k) when trans_b; row strides in
/// elements. C must not overlap the inputs. k may be 0. An element's bits depend only on its row of A, its column of B,
/// k and the tail: not on m, n, the batch, the number of threads, or on whether B was packed.
template <class T>
struct Gemm {
  int64_t m = 0, n = 0, k = 0;
  const T* a = nullptr;
  int64_t lda = 0;
  bool trans_a = false;
  const T* b = nullptr;  ///< ignored when `packed` is set
  int64_t ldb = 0;
  bool trans_b = false;
  const PackedB<T>* packed = nullptr;
  T* c = nullptr;
  int64_t ldc = 0;
  T alpha = 1;
  T beta = 0;                   ///< 0: C is not read, may hold anything
  const T* bias_col = nullptr;  ///< n values, or null
  const T* bias_row = nullptr;  ///< m values, or null
  const T* residual = nullptr;  ///< like C, or null; may be C's memory only with the same row stride
  int64_t residual_ld = 0;
  Activation act;  ///< double knows none, relu, clip and leaky relu

  /// Batch: product i uses a + i * stride_a and so on, or, where a list of offsets is set, a + offsets_a[i]. A packed B
  /// has its own batch: product i uses packed matrix i % packed->batch, or offsets_b[i] as its number.
  int64_t batch = 1;
  int64_t stride_a = 0, stride_b = 0, stride_c = 0, stride_residual = 0;
  const int64_t* offsets_a = nullptr;
  const int64_t* offsets_b = nullptr;
  const int64_t* offsets_c = nullptr;
};

/// Scratch memory for gemm() on a team of this width, aligned to 64 bytes.
template <class T>
int64_t gemm_scratch_bytes(const Gemm<T>& g, int width);
template <class T>
void gemm(const Gemm<T>& g, const Team& team, void* scratch);

extern template Result<PackedB<float>> pack_b(const float*, int64_t, bool, int64_t, int64_t, const Team&, int64_t,
                                              int64_t);
extern template Result<PackedB<double>> pack_b(const double*, int64_t, bool, int64_t, int64_t, const Team&, int64_t,
                                               int64_t);
extern template PackedB<float> pack_b_into(const float*, int64_t, bool, int64_t, int64_t, float*, const Team&, int64_t,
                                           int64_t);
extern template PackedB<double> pack_b_into(const double*, int64_t, bool, int64_t, int64_t, double*, const Team&,
                                            int64_t, int64_t);
extern template int64_t packed_b_bytes<float>(int64_t, int64_t, int64_t);
extern template int64_t packed_b_bytes<double>(int64_t, int64_t, int64_t);
extern template int64_t gemm_scratch_bytes(const Gemm<float>&, int);
extern template int64_t gemm_scratch_bytes(const Gemm<double>&, int);
extern template void gemm(const Gemm<float>&, const Team&, void*);
extern template void gemm(const Gemm<double>&, const Team&, void*);

}  // namespace tenon::kernels
