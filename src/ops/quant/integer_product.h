// What operators on products of 8-bit matrices share: dimensions, packing, the run over broadcast batches.
// SPDX-License-Identifier: MIT
#pragma once
#include "kernels/gemm/gemm_int8.h"
#include "ops/math/matmul.h"

namespace tenon::ops {

/// Which inputs hold the operands and their zero points; npos: there is none.
struct ProductInputs {
  static constexpr size_t kNone = 64;
  size_t a, b, a_zero = kNone, b_zero = kNone;
};

/// Shape rule: output 0 is numpy's product of the operands, of this type.
Status product_shape(InferContext& c, const ProductInputs& in, DType dtype);
/// Packs input `b` where it is constant; every operator here has this state.
Result<StatePtr> pack_product_input(PackContext& c, size_t b);
template <size_t b>
Result<StatePtr> pack_product(PackContext& c) {
  return pack_product_input(c, b);
}
Result<MatMulSizes> product_sizes(const KernelContext& c, const ProductInputs& in);

/// The left operand of a run: 8-bit values and their zero points, of the same type (none, one, or one a row).
struct ProductLeft {
  TensorRef a;
  const void* zero = nullptr;
  int64_t zero_count = 0;
};
/// From the inputs themselves.
ProductLeft left_of(const KernelContext& c, const ProductInputs& in);

/// Gets (product, first row, rows, first column, columns, sums, row stride of the sums), from several threads at a
/// time. A batch that is run as one product has its rows one after the other in product 0.
using ProductSink = FunctionRef<void(int64_t, int64_t, int64_t, int64_t, int64_t, const int32_t*, int64_t)>;
/// All sums into `sums` (dense, i32), or to the sink in tiles.
Status run_product(KernelContext& c, const ProductInputs& in, const ProductLeft& left, int32_t* sums,
                   const ProductSink* sink);
/// Output 0 (f32 or converted) = float(sum) * (a_scale * b_scale) + bias: three roundings, as by Cast, Mul and Add.
/// a_scale: one, or one a row; the inputs b_scale (one, or one a column) and bias (none, or one a column) as floats.
Status run_scaled_product(KernelContext& c, const ProductInputs& in, const ProductLeft& left, const float* a_scale,
                          int64_t a_scale_count, size_t b_scale, size_t bias);

}  // namespace tenon::ops
