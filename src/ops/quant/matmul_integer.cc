// MatMulInteger and QLinearMatMul: exact products of 8-bit matrices.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/gemm/gemm_int8.h"
#include "kernels/quant/linear_rows.h"
#include "ops/convert.h"
#include "ops/math/matmul.h"

namespace tenon::ops {
namespace {

constexpr TypeSet kBytes{DType::kU8, DType::kI8};
constexpr TypeSet kScales{DType::kF32, DType::kF16, DType::kBF16};

/// Which inputs hold the operands and their zero points.
struct Operands {
  size_t a, a_zero, b, b_zero;
};
constexpr Operands kInteger{0, 2, 1, 3}, kLinear{0, 2, 3, 5};

Status product_shape(InferContext& c, const Operands& o, DType dtype) {
  if (!c.has_shape(o.a) || !c.has_shape(o.b)) {
    c.set(0, dtype);
    return {};
  }
  TENON_ASSIGN(DimVector dims, matmul_dims(c.node().op, c.shape(o.a), c.shape(o.b)));
  c.set(0, dtype, std::move(dims));
  return {};
}
Status integer_shape(InferContext& c) { return product_shape(c, kInteger, DType::kI32); }
Status linear_shape(InferContext& c) {
  for (size_t i : {6u, 7u}) {
    auto n = c.count(i);
    if (n && *n != 1) return invalid("QLinearMatMul: input ", i, " has ", *n, " values; one is supported");
  }
  return product_shape(c, kLinear, c.dtype(7));
}

struct State final : KernelState {
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

template <bool linear>
Result<StatePtr> pack(PackContext& c) {
  auto s = std::make_unique<State>();
  const size_t i = linear ? kLinear.b : kInteger.b;
  const Tensor* b = c.constant(i);
  if (!b || b->shape().empty() || b->count() == 0) return StatePtr(std::move(s));
  Matrix m = matrix_of(b->shape(), b->count());
  TENON_ASSIGN(s->packed, kernels::pack_int8(b->data(), b->dtype() == DType::kI8, m.n, false, m.k, m.n, c.team(),
                                             m.batch, m.k * m.n));
  s->b_dims = b->shape();
  c.release(i);
  return StatePtr(std::move(s));
}

/// Sums of all products into c (dense, i32).
using Sink = FunctionRef<void(int64_t, int64_t, int64_t, int64_t, int64_t, const int32_t*, int64_t)>;
/// With a sink the sums go there instead, in tiles.
Status run_sums(KernelContext& c, const Operands& o, const State& s, int32_t* sums, MatMulSizes* sizes,
                const Sink* sink = nullptr) {
  const bool packed = s.packed.data != nullptr;
  const TensorRef& a = c.in(o.a);
  std::span<const int64_t> b_dims = packed ? std::span<const int64_t>(s.b_dims) : c.in(o.b).shape();
  TENON_ASSIGN(*sizes, MatMulSizes::of(a.shape(), b_dims));
  if (c.out(0).count == 0) return {};
  if (sizes->k == 0) {
    if (!sink) std::fill(sums, sums + c.out(0).count, 0);
    else {
      const std::vector<int32_t> none(static_cast<size_t>(sizes->n));
      for (int64_t r = 0; r < c.out(0).count / sizes->n; ++r) (*sink)(0, r, 1, 0, sizes->n, none.data(), 0);
    }
    return {};
  }
  kernels::GemmInt8 g;
  g.m = sizes->m;
  g.n = sizes->n;
  g.k = sizes->k;
  g.a = a.data;
  g.a_signed = a.dtype == DType::kI8;
  g.lda = g.k;
  g.c = sums;
  g.sink = sink;
  g.ldc = g.n;
  kernels::PackedInt8 fresh;
  g.b = &s.packed;
  if (!packed) {
    const TensorRef& b = c.in(o.b);
    Matrix m = matrix_of(b_dims, b.count);
    TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(kernels::packed_int8_bytes(m.k, m.n, m.batch))));
    fresh = kernels::pack_int8_into(b.data, b.dtype == DType::kI8, m.n, false, m.k, m.n, memory, c.team(), m.batch,
                                    m.k * m.n);
    g.b = &fresh;
  }
  auto zero = [&](size_t i, int64_t each, std::string_view unit, const void** data, int64_t* count) -> Status {
    if (!c.has(i)) return {};
    *data = c.in(i).data;
    *count = c.in(i).count;
    if (*count != 1 && *count != each)
      return error(Code::kNotImplemented, c.node().op, ": ", *count, " zero points for ", each, " ", unit,
                   "; one, or one for each, is supported");
    return {};
  };
  TENON_TRY(zero(o.a_zero, g.m, "rows", &g.a_zero, &g.a_zero_count));
  TENON_TRY(zero(o.b_zero, g.n, "columns", &g.b_zero, &g.b_zero_count));
  g.b_signed = c.has(o.b_zero) && c.in(o.b_zero).dtype == DType::kI8;
  int64_t batch = product(sizes->batch), of_b = product(sizes->batch_b);
  if (of_b == 1 && product(sizes->batch_a) == batch && g.a_zero_count <= 1) {
    g.m *= batch;
  } else {
    TENON_ASSIGN(void* lists, c.scratch(2 * static_cast<size_t>(batch) * sizeof(int64_t)));
    auto* at_a = static_cast<int64_t*>(lists);
    auto* at_b = at_a + batch;
    TENON_TRY(broadcast_index(sizes->batch_a, sizes->batch, g.m * g.k, at_a));
    TENON_TRY(broadcast_index(sizes->batch_b, sizes->batch, 1, at_b));
    g.batch = batch;
    g.stride_c = g.m * g.n;
    g.offsets_a = at_a;
    g.offsets_b = at_b;
  }
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_int8_scratch_bytes(g, c.team().width()))));
  kernels::gemm_int8(g, c.team(), scratch);
  return {};
}

Status run_integer(KernelContext& c) {
  MatMulSizes sizes;
  return run_sums(c, kInteger, c.state<State>(), c.out(0).as<int32_t>(), &sizes);
}

bool can_linear(const KernelQuery& q) {
  return kBytes.has(q.in_type(0)) && kBytes.has(q.in_type(3)) && kBytes.has(q.in_type(7));
}

Status run_linear(KernelContext& c) {
  const TensorRef& y = c.out(0);
  const State& s = c.state<State>();
  TENON_ASSIGN(MatMulSizes sizes,
               MatMulSizes::of(c.in(0).shape(), s.packed.data ? std::span<const int64_t>(s.b_dims) : c.in(3).shape()));
  if (y.count == 0) return {};
  TENON_ASSIGN(const float* a_scale, input_as<float>(c, 1));
  TENON_ASSIGN(const float* b_scale, input_as<float>(c, 4));
  TENON_ASSIGN(const float* y_scale, input_as<float>(c, 6));
  const int64_t n = sizes.n, of_a = c.in(1).count, of_b = c.in(4).count;
  if ((of_a != 1 && of_a != sizes.m) || (of_b != 1 && of_b != n) || c.in(6).count != 1 || c.in(7).count != 1)
    return error(Code::kNotImplemented, "QLinearMatMul: ", of_a, " scales for ", sizes.m, " rows, ", of_b, " for ", n,
                 " columns; one, or one for each, is supported");
  const int32_t zero = y.dtype == DType::kI8 ? *c.in(7).as<int8_t>() : *c.in(7).as<uint8_t>();
  // The factor of each column, for each row of A where those have scales of their own.
  const int64_t rows_of_scales = of_a == 1 ? 1 : sizes.m;
  TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(rows_of_scales * n) * sizeof(float)));
  auto* factors = static_cast<float*>(memory);
  for (int64_t r = 0; r < rows_of_scales; ++r)
    for (int64_t j = 0; j < n; ++j) factors[r * n + j] = a_scale[r] * b_scale[of_b == 1 ? 0 : j] / y_scale[0];
  auto finish = [&](int64_t product, int64_t row0, int64_t rows, int64_t col0, int64_t cols, const int32_t* values,
                    int64_t stride) {
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t row = product * sizes.m + row0 + r;  // a batch run as one product has its rows in product 0
      const float* scale = factors + (of_a == 1 ? 0 : row % sizes.m * n) + col0;
      kernels::requantize_row(y.as<uint8_t>() + row * n + col0, y.dtype, values + r * stride, cols, scale, 1, zero);
    }
  };
  const Sink sink(finish);
  return run_sums(c, kLinear, s, nullptr, &sizes, &sink);
}

}  // namespace

TENON_OP(matmul_integer){
    .name = "MatMulInteger",
    .since = {10},
    .in = {port("A", kBytes, "T1"), port("B", kBytes, "T2"), optional(port("a_zero_point", kBytes, "T1")),
           optional(port("b_zero_point", kBytes, "T2"))},
    .out = {port("Y", TypeSet(DType::kI32))},
    .shape = integer_shape,
};
TENON_CPU(matmul_integer){{{{.name = "gemm int8", .pack = pack<false>, .run = run_integer}}}};
TENON_CASES(matmul_integer) {
  cases.types(kBytes);
  cases.reference([](const Case&, const std::vector<CaseTensor>& in) {
    CaseTensor a = in[0], b = in[1];
    size_t k = static_cast<size_t>(a.dims.back()), n = static_cast<size_t>(b.dims.back());
    if (in.size() > 2 && !in[2].missing)
      for (size_t i = 0; i < a.data.size(); ++i)
        a.data[i] -= in[2].data[in[2].data.size() == 1 ? 0 : i / k % in[2].data.size()];
    if (in.size() > 3)
      for (size_t i = 0; i < b.data.size(); ++i) b.data[i] -= in[3].data[in[3].data.size() == 1 ? 0 : i % n];
    CaseTensor y = matmul_reference(a, b);
    y.dtype = DType::kI32;
    return std::vector<CaseTensor>{y};
  });
  cases.add("no zero points").in(range({3, 4}, -100, 100)).in(range({4, 5}, -100, 100));
  cases.add("zero points")
      .in(range({3, 40}, -100, 100))
      .in(range({40, 25}, -100, 100))
      .in(values({}, {12}))
      .in(values({}, {3}));
  cases.add("for each row and column")
      .in(range({3, 4}, -100, 100))
      .in(range({4, 5}, -100, 100))
      .in(values({3}, {12, 0, 5}))
      .in(values({5}, {3, 1, 0, 9, 7}));
  cases.add("batch").in(range({2, 3, 4}, -100, 100)).in(range({4, 5}, -100, 100)).in(values({}, {12}));
  cases.add("both batches")
      .in(range({2, 1, 3, 4}, -100, 100))
      .in(range({3, 4, 5}, -100, 100))
      .in(values({}, {12}))
      .in(values({}, {3}));
  cases.add("mixed signs")
      .in(typed(DType::kU8, range({3, 4}, 0, 255)))
      .in(typed(DType::kI8, range({4, 5}, -128, 127)))
      .in(typed(DType::kU8, values({}, {128})));
  cases.add("empty").in(range({0, 4}, -100, 100)).in(range({4, 5}, -100, 100));
}

TENON_OP(qlinear_matmul){
    .name = "QLinearMatMul",
    .since = {10, 21},
    .in = {port("a", kBytes, "T1"), port("a_scale", kScales, "TS"), port("a_zero_point", kBytes, "T1"),
           port("b", kBytes, "T2"), port("b_scale", kScales, "TS"), port("b_zero_point", kBytes, "T2"),
           port("y_scale", kScales, "TS"), port("y_zero_point", kBytes, "T3")},
    .out = {port("y", kBytes, "T3")},
    .shape = linear_shape,
};
TENON_CPU(qlinear_matmul){{{{.name = "gemm int8", .can = can_linear, .pack = pack<true>, .run = run_linear}}}};
TENON_CASES(qlinear_matmul) {
  cases.types(kScales);
  cases.reference([](const Case&, const std::vector<CaseTensor>& in) {
    CaseTensor a = in[0], b = in[3];
    for (size_t i = 0; i < a.data.size(); ++i) a.data[i] -= in[2].data[0];
    size_t n = static_cast<size_t>(b.dims.back());
    auto at = [&](const CaseTensor& t, size_t j) { return t.data[t.data.size() == 1 ? 0 : j]; };
    for (size_t i = 0; i < b.data.size(); ++i) b.data[i] -= at(in[5], i % n);
    CaseTensor y = matmul_reference(a, b);
    double lo = in[7].dtype == DType::kI8 ? -128 : 0;
    for (size_t i = 0; i < y.data.size(); ++i)
      y.data[i] = std::min(
          lo + 255,
          std::max(lo, std::nearbyint(y.data[i] * in[1].data[0] * at(in[4], i % n) / in[6].data[0]) + in[7].data[0]));
    y.dtype = in[7].dtype;
    return std::vector<CaseTensor>{y};
  });
  auto u8 = [](CaseTensor t) { return typed(DType::kU8, std::move(t)); };
  auto i8 = [](CaseTensor t) { return typed(DType::kI8, std::move(t)); };
  cases.add("u8")
      .in(u8(range({3, 4}, 0, 255)))
      .in(values({}, {0.0625}))
      .in(u8(values({}, {100})))
      .in(u8(range({4, 5}, 0, 255)))
      .in(values({}, {0.03125}))
      .in(u8(values({}, {120})))
      .in(values({}, {0.25}))
      .in(u8(values({}, {110})));
  cases.add("i8 by column")
      .in(u8(range({2, 3, 4}, 0, 255)))
      .in(values({}, {0.0625}))
      .in(u8(values({}, {100})))
      .in(i8(range({4, 3}, -100, 100)))
      .in(values({3}, {0.03125, 0.0625, 0.125}))
      .in(i8(values({3}, {0, 3, 5})))
      .in(values({}, {0.5}))
      .in(i8(values({}, {10})));
}

}  // namespace tenon::ops
