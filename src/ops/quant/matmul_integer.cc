// MatMulInteger and QLinearMatMul: exact products of 8-bit matrices.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/quant/linear_rows.h"
#include "ops/convert.h"
#include "ops/quant/integer_product.h"

namespace tenon::ops {
namespace {

constexpr TypeSet kScales{DType::kF32, DType::kF16, DType::kBF16};

constexpr ProductInputs kInteger{0, 1, 2, 3}, kLinear{0, 3, 2, 5};

Status integer_shape(InferContext& c) { return product_shape(c, kInteger, DType::kI32); }
Status linear_shape(InferContext& c) {
  for (size_t i : {6u, 7u}) {
    auto n = c.count(i);
    if (n && *n != 1) return invalid("QLinearMatMul: input ", i, " has ", *n, " values; one is supported");
  }
  return product_shape(c, kLinear, c.dtype(7));
}

Status run_integer(KernelContext& c) {
  return run_product(c, kInteger, left_of(c, kInteger), c.out(0).as<int32_t>(), nullptr);
}

bool can_linear(const KernelQuery& q) {
  return kBytes.has(q.in_type(0)) && kBytes.has(q.in_type(3)) && kBytes.has(q.in_type(7));
}

Status run_linear(KernelContext& c) {
  const TensorRef& y = c.out(0);
  TENON_ASSIGN(MatMulSizes sizes, product_sizes(c, kLinear));
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
  const ProductSink sink(finish);
  return run_product(c, kLinear, left_of(c, kLinear), nullptr, &sink);
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
TENON_CPU(matmul_integer){{{{.name = "gemm int8", .pack = pack_product<kInteger.b>, .run = run_integer}}}};
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
TENON_CPU(qlinear_matmul){
    {{{.name = "gemm int8", .can = can_linear, .pack = pack_product<kLinear.b>, .run = run_linear}}}};
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
