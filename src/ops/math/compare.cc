// Equal, Less, LessOrEqual, Greater, GreaterOrEqual, IsNaN, IsInf; comparisons of small integers stay known.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/move/select.h"
#include "ops/math/arithmetic.h"

namespace tenon::ops {
namespace {

/// Equal on strings.
Status run_equal_strings(KernelContext& c) {
  const TensorRef& out = c.out(0);
  TENON_ASSIGN(Dims a, kernels::broadcast_strides(c.in(0).shape(), out.shape()));
  TENON_ASSIGN(Dims b, kernels::broadcast_strides(c.in(1).shape(), out.shape()));
  const auto *x = c.in(0).as<StringRef>(), *y = c.in(1).as<StringRef>();
  Dims at(static_cast<size_t>(out.rank), 0);
  int64_t i = 0, j = 0;
  for (int64_t k = 0; k < out.count; ++k) {
    out.as<bool>()[k] = x[i].view() == y[j].view();
    for (size_t d = at.size(); d-- > 0;) {
      i += a[d];
      j += b[d];
      if (++at[d] < out.dims[d]) break;
      i -= a[d] * at[d];
      j -= b[d] * at[d];
      at[d] = 0;
    }
  }
  return {};
}

Status to_bool(InferContext& c) {
  Type t = c.type(0);
  t.dtype = DType::kBool;
  c.set(0, std::move(t));
  return {};
}

constexpr TypeSet kFloatsAnd8 =
    kFloats | TypeSet(DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ);

}  // namespace

TENON_OP(equal){
    .name = "Equal",
    .since = {1, 7, 11, 13, 19},
    .in = {port("A", kNumbers | kBools | kStrings, "T"), port("B", kNumbers | kBools | kStrings, "T")},
    .out = {port("C", kBools)},
    .shape = compare_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kEqual>(true),
};
TENON_CPU(equal){{
    {.name = "pointwise", .can = can_pointwise, .pack = pack_pointwise, .run = run_pointwise_node},
    {.name = "strings", .run = run_equal_strings},
}};
TENON_CASES(equal) {
  cases.types(kNumbers);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>(x == y); }));
  add_binary_cases(cases, -2, 2);
  cases.add("sizes").in(ints({2, -1, 3})).in(ints({2, 2, 2}));
  cases.add("texts")
      .in(texts({2, 1}, {"a", "bc"}))
      .in(texts({3}, {"a", "b", "bc"}))
      .out(typed(DType::kBool, values({2, 3}, {1, 0, 0, 0, 0, 1})));
  cases.add("truths")
      .in(typed(DType::kBool, values({2}, {0, 1})))
      .in(typed(DType::kBool, values({2}, {1, 1})))
      .out(typed(DType::kBool, values({2}, {0, 1})));
  cases.add("axis of version 1")
      .in(values({2, 2, 1}, {1, 2, 3, 4}))
      .in(values({2}, {1, 4}))
      .attr("broadcast", 1)
      .attr("axis", 1)
      .opset(1)
      .out(typed(DType::kBool, values({2, 2, 1}, {1, 0, 0, 1})));
}

TENON_OP(less){
    .name = "Less",
    .since = {1, 7, 9, 13},
    .in = {port("A", kNumbers, "T"), port("B", kNumbers, "T")},
    .out = {port("C", kBools)},
    .shape = compare_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kLess>(),
};
TENON_CPU(less) kPointwise;
TENON_CASES(less) {
  cases.types(kNumbers);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>(x < y); }));
  add_binary_cases(cases, -2, 2);
  cases.add("sizes").in(ints({2, -1, 3})).in(ints({2, 2, 2}));
}

TENON_OP(less_or_equal){
    .name = "LessOrEqual",
    .since = {12, 16},
    .in = {port("A", kNumbers, "T"), port("B", kNumbers, "T")},
    .out = {port("C", kBools)},
    .shape = compare_shape,
    .trait = pointwise<Fn::kLessEqual>(),
};
TENON_CPU(less_or_equal) kPointwise;
TENON_CASES(less_or_equal) {
  cases.types(kNumbers);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>(x <= y); }));
  add_binary_cases(cases, -2, 2);
  cases.add("sizes").in(ints({2, -1, 3})).in(ints({2, 2, 2}));
}

TENON_OP(greater){
    .name = "Greater",
    .since = {1, 7, 9, 13},
    .in = {port("A", kNumbers, "T"), port("B", kNumbers, "T")},
    .out = {port("C", kBools)},
    .shape = compare_shape,
    .upgrade = upgrade_legacy_broadcast,
    .trait = pointwise<Fn::kGreater>(),
};
TENON_CPU(greater) kPointwise;
TENON_CASES(greater) {
  cases.types(kNumbers);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>(x > y); }));
  add_binary_cases(cases, -2, 2);
  cases.add("sizes").in(ints({2, -1, 3})).in(ints({2, 2, 2}));
}

TENON_OP(greater_or_equal){
    .name = "GreaterOrEqual",
    .since = {12, 16},
    .in = {port("A", kNumbers, "T"), port("B", kNumbers, "T")},
    .out = {port("C", kBools)},
    .shape = compare_shape,
    .trait = pointwise<Fn::kGreaterEqual>(),
};
TENON_CPU(greater_or_equal) kPointwise;
TENON_CASES(greater_or_equal) {
  cases.types(kNumbers);
  cases.reference(binary_reference([](double x, double y) { return static_cast<double>(x >= y); }));
  add_binary_cases(cases, -2, 2);
  cases.add("sizes").in(ints({2, -1, 3})).in(ints({2, 2, 2}));
}

TENON_OP(is_nan){
    .name = "IsNaN",
    .since = {9, 13, 20},
    .in = {port("X", kFloatsAnd8)},
    .out = {port("Y", kBools)},
    .shape = to_bool,
    .trait = pointwise<Fn::kIsNaN>(),
};
TENON_CPU(is_nan) kPointwise;
TENON_CASES(is_nan) {
  cases.types(kFloatsAnd8);
  cases.add("some").in(values({2, 2}, {1, NAN, -2, NAN})).out(typed(DType::kBool, values({2, 2}, {0, 1, 0, 1})));
  cases.add("nothing").in(values({0}, {})).out(typed(DType::kBool, values({0}, {})));
}

TENON_OP(is_inf){
    .name = "IsInf",
    .since = {10, 20},
    .in = {port("X", kFloatsAnd8)},
    .out = {port("Y", kBools)},
    .attributes = {{"detect_negative", 'i'}, {"detect_positive", 'i'}},
    .shape = to_bool,
    .trait = pointwise([](const ir::Node& n) {
      return Program::single(Fn::kIsInf, n.int_or("detect_negative", 1) != 0, n.int_or("detect_positive", 1) != 0);
    }),
};
TENON_CPU(is_inf) kPointwise;
TENON_CASES(is_inf) {
  cases.types(kFloats);
  cases.add("both")
      .in(values({5}, {1, INFINITY, -INFINITY, NAN, 0}))
      .out(typed(DType::kBool, values({5}, {0, 1, 1, 0, 0})));
  cases.add("positive")
      .in(values({3}, {1, INFINITY, -INFINITY}))
      .attr("detect_negative", 0)
      .out(typed(DType::kBool, values({3}, {0, 1, 0})));
  cases.add("negative")
      .in(values({3}, {1, INFINITY, -INFINITY}))
      .attr("detect_positive", 0)
      .out(typed(DType::kBool, values({3}, {0, 0, 1})));
}

}  // namespace tenon::ops
