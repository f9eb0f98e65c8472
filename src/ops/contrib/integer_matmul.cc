// DynamicQuantizeMatMul and MatMulIntegerToFloat: products of 8-bit matrices, scaled to floats with a bias.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/quant/linear.h"
#include "ops/convert.h"
#include "ops/quant/integer_product.h"

namespace tenon::ops {
namespace {

constexpr TypeSet kF32Only{DType::kF32}, kScaleTypes{DType::kF32, DType::kF16};
constexpr ProductInputs kDynamic{.a = 0, .b = 1, .b_zero = 3};
constexpr ProductInputs kScaled{.a = 0, .b = 1, .a_zero = 4, .b_zero = 5};

/// Scales, zero points and bias against the number of columns, where that is known.
Status check_columns(InferContext& c, size_t scale, size_t zero, size_t bias) {
  if (!c.has_shape(1) || c.rank(1) < 1) return {};
  const Dim columns = c.rank(1) == 1 ? Dim(1) : c.shape(1)[c.shape(1).size() - 1];
  if (!columns.is_const()) return {};
  for (size_t i : {scale, zero, bias}) {
    auto n = c.has(i) ? c.count(i) : std::nullopt;
    if (!n || *n == columns.value() || (*n == 1 && i != bias)) continue;
    return invalid(c.node().op, ": input ", i, " has ", *n, " elements for ", columns, " columns");
  }
  return {};
}

Status dynamic_shape(InferContext& c) {
  TENON_TRY(check_columns(c, 2, 3, 4));
  return product_shape(c, kDynamic, DType::kF32);
}
Status scaled_shape(InferContext& c) {
  TENON_TRY(check_columns(c, 3, 5, 6));
  return product_shape(c, kScaled, c.dtype(2));
}

/// A is rounded to 8 bits as DynamicQuantizeLinear does it.
Status run_dynamic(KernelContext& c) {
  const TensorRef& a = c.in(0);
  TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(a.count)));
  ProductLeft left{a};
  left.a.dtype = DType::kU8;
  left.a.data = memory;
  float scale = 1;
  uint8_t zero = 0;
  kernels::dynamic_quantize_linear(static_cast<uint8_t*>(memory), &scale, &zero, a.as<float>(), a.count, c.team());
  left.zero = &zero;
  left.zero_count = 1;
  return run_scaled_product(c, kDynamic, left, &scale, 1, 2, 4);
}

Status run_scaled(KernelContext& c) {
  TENON_ASSIGN(const float* scale, input_as<float>(c, 2));
  return run_scaled_product(c, kScaled, left_of(c, kScaled), scale, c.in(2).count, 3, 6);
}

/// (a - a_zero) x (b - b_zero) by a_scale * b_scale + bias; each of a's: one or one a row, each of b's: one a column.
CaseTensor scaled_reference(CaseTensor a, CaseTensor b, const CaseTensor& a_scale, const CaseTensor& b_scale,
                            const CaseTensor* a_zero, const CaseTensor* b_zero, const CaseTensor* bias) {
  const size_t k = static_cast<size_t>(a.dims.back()), n = b.dims.size() > 1 ? static_cast<size_t>(b.dims.back()) : 1;
  const size_t rows = a.dims.size() > 1 ? static_cast<size_t>(a.dims[a.dims.size() - 2]) : 1;
  auto at = [](const CaseTensor* t, size_t i) { return !t || t->missing ? 0 : t->data[t->data.size() == 1 ? 0 : i]; };
  for (size_t i = 0; i < a.data.size(); ++i) a.data[i] -= at(a_zero, i / k % rows);
  for (size_t i = 0; i < b.data.size(); ++i) b.data[i] -= at(b_zero, i % n);
  CaseTensor y = matmul_reference(a, b);
  for (size_t i = 0; i < y.data.size(); ++i)
    y.data[i] = y.data[i] * at(&a_scale, i / n % rows) * at(&b_scale, i % n) + at(bias, i % n);
  y.dtype = DType::kF32;
  return y;
}
const CaseTensor* operand(const std::vector<CaseTensor>& in, size_t i) { return i < in.size() ? &in[i] : nullptr; }

}  // namespace

TENON_OP(dynamic_quantize_matmul){
    .name = "DynamicQuantizeMatMul",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("A", kF32Only), port("B", kBytes, "T2"), port("b_scale", kF32Only),
           optional(port("b_zero_point", kBytes, "T2")), optional(port("bias", kF32Only))},
    .out = {port("Y", kF32Only)},
    .shape = dynamic_shape,
};
TENON_CPU(dynamic_quantize_matmul){{{{.name = "gemm int8", .pack = pack_product<kDynamic.b>, .run = run_dynamic}}}};
TENON_CASES(dynamic_quantize_matmul) {
  cases.types(kBytes);
  cases.reference([](const Case&, const std::vector<CaseTensor>& in) {
    CaseTensor a = in[0], scale = values({}, {1}), zero = values({}, {0});
    double low = 0, high = 0;
    for (double v : a.data) low = std::min(low, v), high = std::max(high, v);
    if (low < high) scale.data[0] = static_cast<double>(static_cast<float>(high - low) / 255.0f);
    zero.data[0] = std::nearbyint(-low / scale.data[0]);
    for (double& v : a.data) v = std::nearbyint(v / scale.data[0]) + zero.data[0];
    return std::vector<CaseTensor>{scaled_reference(a, in[1], scale, in[2], &zero, operand(in, 3), operand(in, 4))};
  });
  auto f = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  // Magnitudes that keep halves away: the range is 255 quarters.
  CaseTensor a = values({2, 3}, {-20, 43.75, 1.5, 0, 2.25, -7});
  cases.add("one scale").in(f(a)).in(range({3, 5}, 0, 100)).in(f(values({}, {0.5})));
  cases.add("for each column")
      .in(f(a))
      .in(range({3, 5}, 0, 100))
      .in(f(values({5}, {0.5, 1, 2, 4, 0.25})))
      .in(values({5}, {1, 2, 3, 4, 100}))
      .in(f(values({5}, {-1, 100, 3.5, 7, 0})));
  cases.add("no zero point, bias")
      .in(f(a))
      .in(range({3, 2}, 0, 100))
      .in(f(values({1}, {0.5})))
      .in(missing())
      .in(f(values({2}, {-1, 100})));
  cases.add("batch").in(f(range({2, 3, 4}, 0, 255))).in(range({4, 17}, 0, 100)).in(f(values({}, {0.5})));
  cases.add("both batches").in(f(range({2, 1, 3, 4}, 0, 255))).in(range({2, 4, 3}, 0, 100)).in(f(values({}, {0.5})));
  cases.add("all zero").in(f(values({1, 3}, {0, 0, 0}))).in(range({3, 5}, 0, 100)).in(f(values({}, {0.5})));
  cases.add("no rows").in(f(values({0, 3}, {}))).in(range({3, 5}, 0, 100)).in(f(values({}, {0.5})));
  cases.add("nothing to sum")
      .in(f(values({2, 0}, {})))
      .in(values({0, 2}, {}))
      .in(f(values({}, {0.5})))
      .in(missing())
      .in(f(values({2}, {3, 4})));
  cases.add("short bias")
      .in(f(a))
      .in(range({3, 5}, 0, 100))
      .in(f(values({}, {0.5})))
      .in(missing())
      .in(f(values({1}, {1})))
      .fails("input 4 has 1 elements for 5 columns");
}

TENON_OP(matmul_integer_to_float){
    .name = "MatMulIntegerToFloat",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("A", kBytes, "T1"), port("B", kBytes, "T2"), port("a_scale", kScaleTypes, "T3"),
           port("b_scale", kScaleTypes, "T3"), optional(port("a_zero_point", kBytes, "T1")),
           optional(port("b_zero_point", kBytes, "T2")), optional(port("bias", kScaleTypes, "T3"))},
    .out = {port("Y", kScaleTypes, "T3")},
    .shape = scaled_shape,
};
TENON_CPU(matmul_integer_to_float){{{{.name = "gemm int8", .pack = pack_product<kScaled.b>, .run = run_scaled}}}};
TENON_CASES(matmul_integer_to_float) {
  cases.types(kScaleTypes);
  cases.reference([](const Case&, const std::vector<CaseTensor>& in) {
    CaseTensor y = scaled_reference(in[0], in[1], in[2], in[3], operand(in, 4), operand(in, 5), operand(in, 6));
    y.dtype = in[2].dtype;
    return std::vector<CaseTensor>{y};
  });
  auto u8 = [](CaseTensor t) { return typed(DType::kU8, std::move(t)); };
  auto i8 = [](CaseTensor t) { return typed(DType::kI8, std::move(t)); };
  cases.add("u8 by i8")
      .in(u8(range({3, 8}, 0, 255)))
      .in(i8(range({8, 5}, -128, 127)))
      .in(values({}, {0.03125}))
      .in(values({5}, {0.5, 1, 0.25, 0.125, 0.0625}))
      .in(u8(values({}, {100})))
      .in(i8(values({5}, {1, 2, 3, -4, 5})))
      .in(values({5}, {-1, 10, 3.5, 7, 0}));
  cases.add("i8 by i8")
      .in(i8(range({3, 40}, -128, 127)))
      .in(i8(range({40, 33}, -128, 127)))
      .in(values({}, {0.03125}))
      .in(values({}, {0.0625}))
      .in(i8(values({}, {3})))
      .in(i8(values({}, {0})));
  cases.add("i8 by u8, by row")
      .in(i8(range({2, 3, 4}, -128, 127)))
      .in(u8(range({4, 6}, 0, 255)))
      .in(values({3}, {0.125, 0.0625, 0.03125}))
      .in(values({}, {0.0625}))
      .in(i8(values({3}, {3, -5, 0})))
      .in(missing())
      .in(values({6}, {1, 2, 3, 4, 5, 6}));
  cases.add("no zero points")
      .in(u8(range({4}, 0, 255)))
      .in(u8(range({4, 2}, 0, 255)))
      .in(values({}, {0.03125}))
      .in(values({}, {0.03125}));
  cases.add("scales")
      .in(u8(range({3, 8}, 0, 255)))
      .in(i8(range({8, 5}, -128, 127)))
      .in(values({}, {0.03125}))
      .in(values({3}, {0.5, 1, 0.25}))
      .fails("input 3 has 3 elements for 5 columns");
}

}  // namespace tenon::ops
