// Products of 8-bit matrices on broadcast batches, exact or scaled to floats as the tiles are finished.
// SPDX-License-Identifier: MIT
#include "ops/quant/integer_product.h"

#include <algorithm>

#include "kernels/quant/linear_rows.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

struct ProductState final : KernelState {
  kernels::PackedInt8 packed;
  Dims b_dims;
};

struct Matrix {
  int64_t k, n, batch;
};
Matrix matrix_of(std::span<const int64_t> dims, int64_t count) {
  Matrix m{dims.size() > 1 ? dims[dims.size() - 2] : dims[0], dims.size() > 1 ? dims[dims.size() - 1] : 1, 1};
  if (m.k * m.n > 0) m.batch = count / (m.k * m.n);
  return m;
}

std::span<const int64_t> b_dims_of(const KernelContext& c, const ProductInputs& in) {
  const auto& s = c.state<ProductState>();
  return s.packed.data ? std::span<const int64_t>(s.b_dims) : c.in(in.b).shape();
}

/// Without values to sum: every sum is 0.
void sink_nothing(const MatMulSizes& sizes, const ProductSink& sink) {
  constexpr int64_t kColumns = 256;
  const int32_t none[kColumns] = {};
  const int64_t batch = product(sizes.batch);
  for (int64_t r = 0; r < batch * sizes.m; ++r)
    for (int64_t j = 0; j < sizes.n; j += kColumns) sink(0, r, 1, j, std::min(kColumns, sizes.n - j), none, 0);
}

}  // namespace

Status product_shape(InferContext& c, const ProductInputs& in, DType dtype) {
  if (!c.has_shape(in.a) || !c.has_shape(in.b)) {
    c.set(0, dtype);
    return {};
  }
  TENON_ASSIGN(DimVector dims, matmul_dims(c.node().op, c.shape(in.a), c.shape(in.b)));
  c.set(0, dtype, std::move(dims));
  return {};
}

Result<StatePtr> pack_product_input(PackContext& c, size_t i) {
  auto s = std::make_unique<ProductState>();
  const Tensor* b = c.constant(i);
  if (!b || b->shape().empty() || b->count() == 0) return StatePtr(std::move(s));
  Matrix m = matrix_of(b->shape(), b->count());
  TENON_ASSIGN(s->packed, kernels::pack_int8(b->data(), b->dtype() == DType::kI8, m.n, false, m.k, m.n, c.team(),
                                             m.batch, m.k * m.n));
  s->b_dims = b->shape();
  c.release(i);
  return StatePtr(std::move(s));
}

Result<MatMulSizes> product_sizes(const KernelContext& c, const ProductInputs& in) {
  return MatMulSizes::of(c.in(in.a).shape(), b_dims_of(c, in));
}

ProductLeft left_of(const KernelContext& c, const ProductInputs& in) {
  ProductLeft left{c.in(in.a)};
  if (c.has(in.a_zero)) {
    left.zero = c.in(in.a_zero).data;
    left.zero_count = c.in(in.a_zero).count;
  }
  return left;
}

Status run_product(KernelContext& c, const ProductInputs& in, const ProductLeft& left, int32_t* sums,
                   const ProductSink* sink) {
  const auto& s = c.state<ProductState>();
  TENON_ASSIGN(MatMulSizes sizes, product_sizes(c, in));
  if (c.out(0).count == 0) return {};
  if (sizes.k == 0) {
    if (sink) sink_nothing(sizes, *sink);
    else std::fill(sums, sums + c.out(0).count, 0);
    return {};
  }
  kernels::GemmInt8 g;
  g.m = sizes.m;
  g.n = sizes.n;
  g.k = sizes.k;
  g.a = left.a.data;
  g.a_signed = left.a.dtype == DType::kI8;
  g.lda = g.k;
  g.c = sums;
  g.sink = sink;
  g.ldc = g.n;
  g.a_zero = left.zero;
  g.a_zero_count = left.zero_count;
  if (c.has(in.b_zero)) {
    g.b_zero = c.in(in.b_zero).data;
    g.b_zero_count = c.in(in.b_zero).count;
    g.b_signed = c.in(in.b_zero).dtype == DType::kI8;
  }
  auto fits = [&](const void* zero, int64_t count, int64_t each, std::string_view unit) -> Status {
    if (!zero || count == 1 || count == each) return {};
    return error(Code::kNotImplemented, c.node().op, ": ", count, " zero points for ", each, " ", unit,
                 "; one, or one for each, is supported");
  };
  TENON_TRY(fits(g.a_zero, g.a_zero_count, g.m, "rows"));
  TENON_TRY(fits(g.b_zero, g.b_zero_count, g.n, "columns"));
  kernels::PackedInt8 fresh;
  g.b = &s.packed;
  if (!s.packed.data) {
    const TensorRef& b = c.in(in.b);
    Matrix m = matrix_of(b.shape(), b.count);
    TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(kernels::packed_int8_bytes(m.k, m.n, m.batch))));
    fresh = kernels::pack_int8_into(b.data, b.dtype == DType::kI8, m.n, false, m.k, m.n, memory, c.team(), m.batch,
                                    m.k * m.n);
    g.b = &fresh;
  }
  int64_t batch = product(sizes.batch), of_b = product(sizes.batch_b);
  if (of_b == 1 && product(sizes.batch_a) == batch && g.a_zero_count <= 1) {
    g.m *= batch;
  } else {
    TENON_ASSIGN(void* lists, c.scratch(2 * static_cast<size_t>(batch) * sizeof(int64_t)));
    auto* at_a = static_cast<int64_t*>(lists);
    auto* at_b = at_a + batch;
    TENON_TRY(broadcast_index(sizes.batch_a, sizes.batch, g.m * g.k, at_a));
    TENON_TRY(broadcast_index(sizes.batch_b, sizes.batch, 1, at_b));
    g.batch = batch;
    g.stride_c = g.m * g.n;
    g.offsets_a = at_a;
    g.offsets_b = at_b;
  }
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_int8_scratch_bytes(g, c.team().width()))));
  kernels::gemm_int8(g, c.team(), scratch);
  return {};
}

Status run_scaled_product(KernelContext& c, const ProductInputs& in, const ProductLeft& left, const float* a_scale,
                          int64_t a_scale_count, size_t b_scale_input, size_t bias_input) {
  TENON_ASSIGN(MatMulSizes sizes, product_sizes(c, in));
  const int64_t of_b = c.in(b_scale_input).count, of_bias = c.has(bias_input) ? c.in(bias_input).count : sizes.n;
  if ((a_scale_count != 1 && a_scale_count != sizes.m) || (of_b != 1 && of_b != sizes.n))
    return error(Code::kNotImplemented, c.node().op, ": ", a_scale_count, " scales for ", sizes.m, " rows, ", of_b,
                 " for ", sizes.n, " columns; one, or one for each, is supported");
  if (of_bias != sizes.n)
    return invalid(c.node().op, ": the bias has ", of_bias, " elements for ", sizes.n, " columns");
  TENON_ASSIGN(const float* b_scale, input_as<float>(c, b_scale_input));
  TENON_ASSIGN(const float* bias, input_as<float>(c, bias_input));
  TENON_ASSIGN(auto to, OutputAs<float>::of(c, 0));
  auto finish = [&](int64_t item, int64_t row0, int64_t rows, int64_t col0, int64_t cols, const int32_t* sums,
                    int64_t stride) {
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t row = item * sizes.m + row0 + r;
      kernels::ScaledRow by;
      by.row_scale = a_scale[a_scale_count == 1 ? 0 : row % sizes.m];
      by.step = of_b == 1 ? 0 : 1;
      by.scale = b_scale + col0 * by.step;
      if (bias) by.bias = bias + col0;
      kernels::scale_sums(to.data() + row * sizes.n + col0, sums + r * stride, cols, by);
    }
  };
  const ProductSink sink(finish);
  TENON_TRY(run_product(c, in, left, nullptr, &sink));
  to.finish();
  return {};
}

}  // namespace tenon::ops
