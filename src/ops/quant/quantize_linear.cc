// QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear: by tensor, by axis and in blocks.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/quant/linear.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

using kernels::QuantLayout;

/// How the scale's shape relates to the data's. Fails when it does not.
Result<QuantLayout> layout_of(const ir::Node& node, std::span<const int64_t> x, std::span<const int64_t> scale) {
  QuantLayout q;
  int64_t block = node.int_or("block_size", 0), count = product(x), scales = product(scale);
  if (block < 0) return invalid(node.op, ": block_size is ", block);
  if (scales == 1 && block == 0) {
    q.inner = count;
    return q;
  }
  TENON_ASSIGN(int64_t axis, normal_axis(node.int_or("axis", 1), std::max<int64_t>(1, static_cast<int64_t>(x.size()))));
  if (x.size() == 1) axis = 0;
  size_t a = static_cast<size_t>(axis);
  if (x.empty()) return invalid(node.op, ": a scalar takes one scale, not ", scales);
  q.outer = product(x, 0, a);
  q.axis = x[a];
  q.inner = product(x, a + 1, x.size());
  if (block == 0) {
    if (scale.size() != 1 || scale[0] != x[a])
      return invalid(node.op, ": scale ", list_text(scale), " does not have one value for each of ", x[a], " in axis ",
                     axis, " of ", list_text(x));
    return q;
  }
  q.block = block;
  q.blocked = true;
  bool fits = scale.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i) fits = scale[i] == (i == a ? x[i] / block + (x[i] % block != 0) : x[i]);
  if (!fits)
    return invalid(node.op, ": scale ", list_text(scale), " does not fit ", list_text(x), " in blocks of ", block,
                   " along axis ", axis);
  return q;
}

Status check_operands(const InferContext& c) {
  const ir::Node& node = c.node();
  if (c.has_shape(0) && c.has_shape(1)) {
    auto x = ir::constant_dims(c.shape(0)), scale = ir::constant_dims(c.shape(1));
    if (x && scale) TENON_TRY(layout_of(node, *x, *scale).status());
  }
  auto scales = c.count(1), zeros = c.count(2);
  if (scales && zeros && *scales != *zeros)
    return invalid(node.op, ": ", *zeros, " zero points for ", *scales, " scales");
  return {};
}

Result<DType> output_dtype(const InferContext& c, TypeSet allowed, DType otherwise) {
  int64_t v = c.attr("output_dtype", 0);
  if (v == 0) return otherwise;
  DType t = v > 0 && v < kDTypeCount ? static_cast<DType>(v) : DType::kUndefined;
  if (!allowed.has(t)) return invalid(c.node().op, ": output_dtype is ", v, ", which is not a type that it gives");
  return t;
}

constexpr TypeSet kQuantized =
    TypeSet(DType::kI8, DType::kU8, DType::kI16, DType::kU16, DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2,
            DType::kF8E5M2FNUZ, DType::kF4E2M1, DType::kU4, DType::kI4, DType::kU2, DType::kI2);
constexpr TypeSet kReal{DType::kF32, DType::kF16, DType::kBF16};

Status quantize_shape(InferContext& c) {
  DType zero = c.has(2) ? c.dtype(2) : DType::kUndefined;
  TENON_ASSIGN(DType t, output_dtype(c, kQuantized, zero == DType::kUndefined ? DType::kU8 : zero));
  if (zero != DType::kUndefined && zero != t)
    return invalid("QuantizeLinear: output_dtype is ", onnx_name(t), " but the zero point is ", onnx_name(zero));
  TENON_TRY(check_operands(c));
  Type y = c.type(0);
  y.dtype = t;
  c.set(0, std::move(y));
  return {};
}
Status dequantize_shape(InferContext& c) {
  TENON_ASSIGN(DType t, output_dtype(c, kReal, kReal.has(c.dtype(1)) ? c.dtype(1) : DType::kF32));
  TENON_TRY(check_operands(c));
  Type y = c.type(0);
  y.dtype = t;
  c.set(0, std::move(y));
  return {};
}

/// The scale in a type that the kernels take.
struct Scale {
  const void* data = nullptr;
  DType type = DType::kF32;
};
Result<Scale> scale_of(KernelContext& c, bool need_f32) {
  const TensorRef& t = c.in(1);
  if (kReal.has(t.dtype) && !(need_f32 && t.dtype != DType::kF32)) return Scale{t.data, t.dtype};
  TENON_ASSIGN(const float* p, tensor_as<float>(c, t));
  return Scale{p, DType::kF32};
}

Status run_quantize(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  TENON_ASSIGN(auto layout, layout_of(c.node(), x.shape(), c.in(1).shape()));
  TENON_ASSIGN(Scale scale, scale_of(c, x.dtype == DType::kI32));
  return kernels::quantize_linear(y.data, y.dtype, x.data, x.dtype, scale.data, scale.type,
                                  c.has(2) ? c.in(2).data : nullptr, layout, c.node().int_or("saturate", 1) != 0,
                                  c.team());
}
Status run_dequantize(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  TENON_ASSIGN(auto layout, layout_of(c.node(), x.shape(), c.in(1).shape()));
  TENON_ASSIGN(Scale scale, scale_of(c, false));
  return kernels::dequantize_linear(y.data, y.dtype, x.data, x.dtype, scale.data, scale.type,
                                    c.has(2) ? c.in(2).data : nullptr, layout, c.team());
}

Status dynamic_shape(InferContext& c) {
  Type y = c.type(0);
  y.dtype = DType::kU8;
  c.set(0, std::move(y));
  c.set(1, DType::kF32, {});
  c.set(2, DType::kU8, {});
  return {};
}
Status run_dynamic(KernelContext& c) {
  float scale = 0;
  uint8_t zero = 0;
  uint8_t* y = nullptr;
  if (c.wants(0)) y = c.out(0).as<uint8_t>();
  else {
    TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(c.in(0).count)));
    y = static_cast<uint8_t*>(p);
  }
  kernels::dynamic_quantize_linear(y, &scale, &zero, c.in(0).as<float>(), c.in(0).count, c.team());
  if (c.wants(1)) *c.out(1).as<float>() = scale;
  if (c.wants(2)) *c.out(2).as<uint8_t>() = zero;
  return {};
}

}  // namespace

TENON_OP(quantize_linear){
    .name = "QuantizeLinear",
    .since = {10, 13, 19, 21, 23, 24, 25, 28},
    .in = {port("x", kReal | TypeSet(DType::kI32), "T1"),
           port("y_scale", kReal | TypeSet(DType::kI32, DType::kF8E8M0), "T2"),
           optional(port("y_zero_point", kQuantized, "T3"))},
    .out = {port("y", kQuantized, "T3")},
    .attributes = {{"axis", 'i'}, {"block_size", 'i'}, {"output_dtype", 'i'}, {"precision", 'i'}, {"saturate", 'i'}},
    .shape = quantize_shape,
};
TENON_CPU(quantize_linear){{{{.name = "linear", .run = run_quantize}}}};
TENON_CASES(quantize_linear) {
  cases.types(kReal);
  auto u8 = [](CaseTensor t) { return typed(DType::kU8, std::move(t)); };
  auto i8 = [](CaseTensor t) { return typed(DType::kI8, std::move(t)); };
  auto f32 = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("by tensor")
      .in(values({6}, {0, 2, 3, 1000, -254, -1000}))
      .in(values({}, {2}))
      .in(u8(values({}, {128})))
      .out(u8(values({6}, {128, 129, 130, 255, 1, 0})));
  cases.add("no zero point").in(values({4}, {0, 1, 300, -5})).in(values({}, {1})).out(u8(values({4}, {0, 1, 255, 0})));
  cases.add("by axis")
      .in(values({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}))
      .in(values({2}, {1, 2}))
      .in(i8(values({2}, {0, 1})))
      .attr("axis", 1)
      .out(i8(values({2, 2, 2}, {1, 2, 3, 3, 5, 6, 5, 5})));
  cases.add("blocks")
      .in(values({2, 3}, {1, 2, 3, 4, 5, 6}))
      .in(values({2, 2}, {1, 2, 4, 0.5}))
      .in(i8(values({2, 2}, {0, 1, 0, 2})))
      .attr("axis", 1)
      .attr("block_size", 2)
      .out(i8(values({2, 3}, {1, 2, 3, 1, 1, 14})));
  cases.add("4 bits")
      .in(values({5}, {-9, -1, 0, 3, 9}))
      .in(values({}, {1}))
      .in(typed(DType::kI4, values({}, {0})))
      .out(typed(DType::kI4, values({5}, {-8, -1, 0, 3, 7})));
  cases.add("output_dtype")
      .in(values({2}, {-300, 3}))
      .in(values({}, {1}))
      .attr("output_dtype", 3)
      .out(i8(values({2}, {-128, 3})));
  cases.add("version 10")
      .in(f32(values({3}, {0, 2, 3})))
      .in(f32(values({}, {2})))
      .in(u8(values({}, {1})))
      .opset(10)
      .out(u8(values({3}, {1, 2, 3})));
  cases.add("empty").in(values({0, 3}, {})).in(values({}, {2})).in(u8(values({}, {1}))).out(u8(values({0, 3}, {})));
  cases.add("wrong scale")
      .in(f32(range({2, 3}, 0, 1)))
      .in(f32(range({2}, 1, 2)))
      .fails("does not have one value for each of 3");
  cases.add("wrong zero point")
      .in(f32(range({2, 3}, 0, 1)))
      .in(f32(range({3}, 1, 2)))
      .in(u8(values({}, {1})))
      .fails("1 zero points for 3");
}

TENON_OP(dequantize_linear){
    .name = "DequantizeLinear",
    .since = {10, 13, 19, 21, 23, 24, 25, 28},
    .in = {port("x", kQuantized | TypeSet(DType::kI32), "T1"), port("x_scale", kReal | TypeSet(DType::kF8E8M0), "T2"),
           optional(port("x_zero_point", kQuantized | TypeSet(DType::kI32), "T1"))},
    .out = {port("y", kReal)},
    .attributes = {{"axis", 'i'}, {"block_size", 'i'}, {"output_dtype", 'i'}},
    .shape = dequantize_shape,
    .trait = {.total = true},
};
TENON_CPU(dequantize_linear){{{{.name = "linear", .run = run_dequantize}}}};
TENON_CASES(dequantize_linear) {
  cases.types(TypeSet(DType::kU8, DType::kI8, DType::kU16, DType::kI16, DType::kU4, DType::kI4));
  auto f32 = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("by tensor")
      .in(values({4}, {0, 3, 5, 7}))
      .in(f32(values({}, {2})))
      .in(values({}, {2}))
      .out(f32(values({4}, {-4, 2, 6, 10})));
  cases.add("half scale")
      .in(values({4}, {0, 3, 5, 7}))
      .in(typed(DType::kF16, values({}, {2})))
      .out(typed(DType::kF16, values({4}, {0, 6, 10, 14})));
  cases.add("by axis")
      .in(values({2, 3}, {0, 1, 2, 3, 4, 5}))
      .in(f32(values({3}, {1, 2, 4})))
      .in(values({3}, {0, 1, 2}))
      .attr("axis", -1)
      .out(f32(values({2, 3}, {0, 0, 0, 3, 6, 12})));
  cases.add("blocks")
      .in(values({2, 3}, {0, 1, 2, 3, 4, 5}))
      .in(f32(values({2, 2}, {1, 2, 4, 8})))
      .attr("axis", 1)
      .attr("block_size", 2)
      .out(f32(values({2, 3}, {0, 1, 4, 12, 16, 40})));
  cases.add("i32")
      .in(typed(DType::kI32, values({2}, {-30, 100000})))
      .in(f32(values({}, {0.5})))
      .out(f32(values({2}, {-15, 50000})));
  cases.add("empty").in(values({0, 3}, {})).in(f32(values({}, {2}))).out(f32(values({0, 3}, {})));
  cases.add("negative block")
      .in(typed(DType::kI8, values({2}, {1, 2})))
      .in(f32(values({2}, {1, 2})))
      .attr("block_size", -1)
      .fails("block_size");
}

TENON_OP(dynamic_quantize_linear){
    .name = "DynamicQuantizeLinear",
    .since = {11},
    .in = {port("x", TypeSet(DType::kF32))},
    .out = {port("y", TypeSet(DType::kU8)), port("y_scale", TypeSet(DType::kF32)),
            port("y_zero_point", TypeSet(DType::kU8))},
    .shape = dynamic_shape,
};
TENON_CPU(dynamic_quantize_linear){{{{.name = "linear", .run = run_dynamic}}}};
TENON_CASES(dynamic_quantize_linear) {
  auto u8 = [](CaseTensor t) { return typed(DType::kU8, std::move(t)); };
  cases.add("both signs")
      .in(values({6}, {0, 2, -3, -2.5, 1.34, 0.5}))
      .out(u8(values({6}, {153, 255, 0, 26, 221, 179})))
      .out(typed(DType::kF32, values({}, {5.0 / 255})))
      .out(u8(values({}, {153})));
  cases.add("positive")
      .in(values({3}, {1, 2, 3}))
      .out(u8(values({3}, {85, 170, 255})))
      .out(typed(DType::kF32, values({}, {3.0 / 255})))
      .out(u8(values({}, {0})));
  cases.add("scale only").in(values({3}, {1, 2, 3})).out(missing()).out(typed(DType::kF32, values({}, {3.0 / 255})));
}

}  // namespace tenon::ops
