// Sin, Cos, Tan, their inverses and the hyperbolic functions.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "ops/math/unary.h"

namespace tenon::ops {

TENON_OP(sin) unary_op("Sin", {7, 22}, kFloats, pointwise<Fn::kSin>());
TENON_CPU(sin) kPointwise;
TENON_CASES(sin) {
  unary_cases(cases, [](double x) { return std::sin(x); }, -9, 9);
}

TENON_OP(cos) unary_op("Cos", {7, 22}, kFloats, pointwise<Fn::kCos>());
TENON_CPU(cos) kPointwise;
TENON_CASES(cos) {
  unary_cases(cases, [](double x) { return std::cos(x); }, -9, 9);
}

TENON_OP(tan) unary_op("Tan", {7, 22}, kFloats, pointwise<Fn::kTan>());
TENON_CPU(tan) kPointwise;
TENON_CASES(tan) {
  unary_cases(cases, [](double x) { return std::tan(x); }, -1.2, 1.2);
}

TENON_OP(asin) unary_op("Asin", {7, 22}, kFloats, pointwise<Fn::kAsin>());
TENON_CPU(asin) kPointwise;
TENON_CASES(asin) {
  unary_cases(cases, [](double x) { return std::asin(x); }, -1, 1);
}

TENON_OP(acos) unary_op("Acos", {7, 22}, kFloats, pointwise<Fn::kAcos>());
TENON_CPU(acos) kPointwise;
TENON_CASES(acos) {
  unary_cases(cases, [](double x) { return std::acos(x); }, -1, 1);
}

TENON_OP(atan) unary_op("Atan", {7, 22}, kFloats, pointwise<Fn::kAtan>());
TENON_CPU(atan) kPointwise;
TENON_CASES(atan) {
  unary_cases(cases, [](double x) { return std::atan(x); }, -9, 9);
}

TENON_OP(sinh) unary_op("Sinh", {9, 22}, kFloats, pointwise<Fn::kSinh>());
TENON_CPU(sinh) kPointwise;
TENON_CASES(sinh) {
  unary_cases(cases, [](double x) { return std::sinh(x); }, -4, 4);
}

TENON_OP(cosh) unary_op("Cosh", {9, 22}, kFloats, pointwise<Fn::kCosh>());
TENON_CPU(cosh) kPointwise;
TENON_CASES(cosh) {
  unary_cases(cases, [](double x) { return std::cosh(x); }, -4, 4);
}

TENON_OP(asinh) unary_op("Asinh", {9, 22}, kFloats, pointwise<Fn::kAsinh>());
TENON_CPU(asinh) kPointwise;
TENON_CASES(asinh) {
  unary_cases(cases, [](double x) { return std::asinh(x); }, -9, 9);
}

TENON_OP(acosh) unary_op("Acosh", {9, 22}, kFloats, pointwise<Fn::kAcosh>());
TENON_CPU(acosh) kPointwise;
TENON_CASES(acosh) {
  unary_cases(cases, [](double x) { return std::acosh(x); }, 1, 9);
}

TENON_OP(atanh) unary_op("Atanh", {9, 22}, kFloats, pointwise<Fn::kAtanh>());
TENON_CPU(atanh) kPointwise;
TENON_CASES(atanh) {
  unary_cases(cases, [](double x) { return std::atanh(x); }, -0.9, 0.9);
}

}  // namespace tenon::ops
