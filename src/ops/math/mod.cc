// Mod: the rest of a division, with the sign of the divisor, or with fmod = 1 that of the dividend.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "ops/math/arithmetic.h"

namespace tenon::ops {
namespace {

Status mod_shape(InferContext& c) {
  int64_t fmod = c.attr("fmod", 0);
  if (fmod != 0 && fmod != 1) return invalid("Mod: fmod is ", fmod, "; it must be 0 or 1");
  return arithmetic_shape(c);
}

}  // namespace

TENON_OP(mod){
    .name = "Mod",
    .since = {10, 13, 28},
    .in = {port("A", kNumbers, "T"), port("B", kNumbers, "T")},
    .out = {port("C", kNumbers, "T")},
    .attributes = {{"fmod", 'i'}},
    .shape = mod_shape,
    .trait = pointwise([](const ir::Node& n) { return Program::single(n.int_or("fmod", 0) ? Fn::kFMod : Fn::kMod); }),
};
TENON_CPU(mod) kPointwise;

TENON_CASES(mod) {
  cases.types(kNumbers);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    return c.attr("fmod", 0) ? binary_reference([](double x, double y) { return std::fmod(x, y); })(c, in)
                             : binary_reference([](double x, double y) { return x - y * std::floor(x / y); })(c, in);
  });
  cases.add("sign of the divisor").in(values({6}, {-4, 7, 5, 4, -7, 8})).in(values({6}, {2, -3, 8, -2, 3, 5}));
  cases.add("sign of the dividend")
      .in(values({6}, {-4, 7, 5, 4, -7, 8}))
      .in(values({6}, {2, -3, 8, -2, 3, 5}))
      .attr("fmod", 1);
  cases.add("row").in(range({4, 5}, -20, 20)).in(values({5}, {1, 2, 3, 4, 5}));
  cases.add("sizes").in(ints({7, 8})).in(ints({4}));
  cases.add("by nothing")
      .in(typed(DType::kI32, values({2}, {3, -3})))
      .in(typed(DType::kI32, values({}, {0})))
      .out(typed(DType::kI32, values({2}, {0, 0})));
  cases.add("wrong fmod")
      .in(typed(DType::kI32, values({2}, {3, -3})))
      .in(typed(DType::kI32, values({}, {0})))
      .attr("fmod", 2)
      .fails("0 or 1");
}

}  // namespace tenon::ops
