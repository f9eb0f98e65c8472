// What matrix product operators share: dimensions, packing and the run over broadcast batches.
// SPDX-License-Identifier: MIT
#pragma once
#include "kernels/gemm/gemm.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;

/// How a product operator differs from MatMul.
struct MatMulForm {
  bool trans_a = false, trans_b = false;  ///< the last two dimensions are swapped
  double alpha = 1;
  kernels::Activation act;
  int bias = -1;      ///< the input that holds n values to add, or -1
  int residual = -1;  ///< the input of the output's shape to add, or -1
};

/// Numpy's product of dimension lists: rank 1 gains and loses a dimension, batches broadcast. Fails, naming `op`, on
/// rank 0 and where inner dimensions disagree.
Result<DimVector> matmul_dims(std::string_view op, std::span<const Dim> a, std::span<const Dim> b, bool trans_a = false,
                              bool trans_b = false);
/// Shape rule: output 0 is the product of inputs 0 and 1, of input 0's type.
Status matmul_shape(InferContext& c);

/// The sizes of one run: m, n, k and the batches of the operands and of the output, from concrete dimensions.
struct MatMulSizes {
  int64_t m = 1, n = 1, k = 1;
  Dims batch, batch_a, batch_b;
  static Result<MatMulSizes> of(std::span<const int64_t> a, std::span<const int64_t> b, bool trans_a = false,
                                bool trans_b = false);
};
/// list[i] = factor times the index, in a dense batch of shape `dims`, that element i of the broadcast `batch` reads.
Status broadcast_index(std::span<const int64_t> dims, std::span<const int64_t> batch, int64_t factor, int64_t* list);

/// Float products: f32, f64, and f16, bf16 computed in f32. A constant input 1 is packed.
Result<StatePtr> pack_matmul(PackContext& c, const MatMulForm& form);
Status run_matmul(KernelContext& c);

/// Reference of matmul in double; inputs beyond the second are ignored.
CaseTensor matmul_reference(const CaseTensor& a, const CaseTensor& b);

}  // namespace tenon::ops
