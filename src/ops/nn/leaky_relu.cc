// LeakyRelu: x < 0 ? alpha * x : x.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "ops/pointwise.h"

namespace tenon::ops {

TENON_OP(leaky_relu){
    .name = "LeakyRelu",
    .since = {1, 6, 16},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"alpha", 'f'}},
    .shape = same_as_input,
    .trait = pointwise([](const ir::Node& n) { return Program::single(Fn::kLeakyRelu, n.float_or("alpha", 0.01f)); }),
};
TENON_CPU(leaky_relu) kPointwise;

TENON_CASES(leaky_relu) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    double alpha = c.attr_f("alpha", 0.01f);
    return map_elements(in[0], [&](double x) { return x < 0 ? alpha * x : x; });
  });
  add_unary_cases(cases, -9, 9);
  cases.add("steep").in(range({33}, -2, 2)).attr_f("alpha", 0.5f);
}

}  // namespace tenon::ops
