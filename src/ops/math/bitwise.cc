// BitwiseAnd, BitwiseOr, BitwiseXor, BitwiseNot, BitShift.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "ops/math/arithmetic.h"
#include "ops/math/unary.h"

namespace tenon::ops {

namespace {

Status bit_shift_shape(InferContext& c) {
  std::string_view direction = c.node().string_or("direction", "");
  if (direction != "LEFT" && direction != "RIGHT")
    return invalid("BitShift: direction is '", direction, "'; it must be LEFT or RIGHT");
  return broadcast_inputs(c);
}

/// A right shift of signed numbers fills with the sign: ~(~x >> y) where x is negative.
Program bit_shift_program(const ir::Node& n) {
  if (n.string_or("direction", "") == "LEFT") return Program::single(Fn::kShiftLeft);
  DType t = n.graph->model().value(n.input(0)).type.dtype;
  if (!kSignedInts.has(t)) return Program::single(Fn::kShiftRight);
  Program p;
  p.inputs = 2;
  uint8_t zero = p.emit_constant(t, 0);
  uint8_t negative = p.emit(Fn::kLess, {0, zero});
  uint8_t filled = p.emit(Fn::kBitNot, {p.emit(Fn::kShiftRight, {p.emit(Fn::kBitNot, {0}), 1})});
  uint8_t plain = p.emit(Fn::kShiftRight, {0, 1});
  p.outputs.push_back(p.emit(Fn::kWhere, {negative, filled, plain}));
  return p;
}

}  // namespace

TENON_OP(bitwise_and){
    .name = "BitwiseAnd",
    .since = {18},
    .in = {port("A", kInts, "T"), port("B", kInts, "T")},
    .out = {port("C", kInts, "T")},
    .shape = broadcast_inputs,
    .trait = pointwise<Fn::kBitAnd>(true),
};
TENON_CPU(bitwise_and) kPointwise;
TENON_CASES(bitwise_and) {
  cases.types(kInts);
  cases.reference(binary_reference(
      [](double x, double y) { return static_cast<double>(static_cast<int64_t>(x) & static_cast<int64_t>(y)); }));
  add_binary_cases(cases, -100, 100);
}

TENON_OP(bitwise_or){
    .name = "BitwiseOr",
    .since = {18},
    .in = {port("A", kInts, "T"), port("B", kInts, "T")},
    .out = {port("C", kInts, "T")},
    .shape = broadcast_inputs,
    .trait = pointwise<Fn::kBitOr>(true),
};
TENON_CPU(bitwise_or) kPointwise;
TENON_CASES(bitwise_or) {
  cases.types(kInts);
  cases.reference(binary_reference(
      [](double x, double y) { return static_cast<double>(static_cast<int64_t>(x) | static_cast<int64_t>(y)); }));
  add_binary_cases(cases, -100, 100);
}

TENON_OP(bitwise_xor){
    .name = "BitwiseXor",
    .since = {18},
    .in = {port("A", kInts, "T"), port("B", kInts, "T")},
    .out = {port("C", kInts, "T")},
    .shape = broadcast_inputs,
    .trait = pointwise<Fn::kBitXor>(true),
};
TENON_CPU(bitwise_xor) kPointwise;
TENON_CASES(bitwise_xor) {
  cases.types(kInts);
  cases.reference(binary_reference(
      [](double x, double y) { return static_cast<double>(static_cast<int64_t>(x) ^ static_cast<int64_t>(y)); }));
  add_binary_cases(cases, -100, 100);
}

TENON_OP(bitwise_not) unary_op("BitwiseNot", {18}, kInts, pointwise<Fn::kBitNot>());
TENON_CPU(bitwise_not) kPointwise;
TENON_CASES(bitwise_not) {
  unary_cases(cases, [](double x) { return -1 - x; }, -100, 100);
}

TENON_OP(bit_shift){
    .name = "BitShift",
    .since = {11, 28},
    .in = {port("X", kInts, "T"), port("Y", kInts, "T")},
    .out = {port("Z", kInts, "T")},
    .attributes = {{"direction", 's', true}},
    .shape = bit_shift_shape,
    .trait = pointwise(bit_shift_program),
};
TENON_CPU(bit_shift) kPointwise;
TENON_CASES(bit_shift) {
  cases.types(kInts);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    bool left = c.attr_s("direction", "") == "LEFT";
    return left ? binary_reference([](double x, double y) { return x * std::exp2(y); })(c, in)
                : binary_reference([](double x, double y) {
                    return y < 0 || y > 63 ? (x < 0 ? -1.0 : 0.0) : std::floor(x / std::exp2(y));
                  })(c, in);
  });
  cases.add("left").in(values({4}, {1, 2, 3, 0})).in(values({4}, {0, 1, 2, 3})).attr_s("direction", "LEFT");
  cases.add("right").in(values({4}, {16, 4, 1, 100})).in(values({4}, {1, 2, 3, 4})).attr_s("direction", "RIGHT");
  cases.add("right, negative")
      .in(values({4}, {-16, -5, -1, -100}))
      .in(values({4}, {1, 2, 3, 4}))
      .attr_s("direction", "RIGHT");
  cases.add("right, far").in(values({2, 1}, {-16, 5})).in(values({2}, {100, 64})).attr_s("direction", "RIGHT");
  cases.add("no such way")
      .in(typed(DType::kU8, values({1}, {1})))
      .in(typed(DType::kU8, values({1}, {1})))
      .attr_s("direction", "UP")
      .fails("LEFT or RIGHT");
}

}  // namespace tenon::ops
