// SwiGLU: the Swish of a gate times a value.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "opdef/cases.h"
#include "ops/pointwise.h"

namespace tenon::ops {
namespace {

Status swiglu_shape(InferContext& c) {
  if (c.has_shape(0) && c.has_shape(1)) {
    bool same = c.rank(0) == c.rank(1);
    for (size_t i = 0; same && i < c.shape(0).size(); ++i) {
      Dim a = c.shape(0)[i], b = c.shape(1)[i];
      same = !a.is_const() || !b.is_const() || a.value() == b.value();
    }
    if (!same)
      return invalid("SwiGLU: A ", ir::dims_text(c.shape(0)), " and B ", ir::dims_text(c.shape(1)),
                     " must have one shape");
  }
  return same_as_input(c);
}

}  // namespace

TENON_OP(swiglu){
    .name = "SwiGLU",
    .since = {28},
    .in = {port("A", kFloats, "T"), port("B", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"alpha", 'f'}},
    .shape = swiglu_shape,
    .trait = pointwise([](const ir::Node& n) {
      Program p;
      p.inputs = 2;
      uint8_t gate = p.emit(Fn::kQuickGelu, {0}, n.float_or("alpha", 1));
      p.outputs.push_back(p.emit(Fn::kMul, {gate, 1}));
      return p;
    }),
};
TENON_CPU(swiglu) kPointwise;

TENON_CASES(swiglu) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor y = in[0];
    y.dtype = DType::kUndefined;
    for (size_t i = 0; i < y.data.size(); ++i)
      y.data[i] *= in[1].data[i] / (1 + std::exp(-c.attr_f("alpha", 1) * y.data[i]));
    return std::vector<CaseTensor>{y};
  });
  cases.add("a matrix").in(range({3, 7}, -4, 4)).in(range({3, 7}, -2, 2));
  cases.add("alpha").in(range({9}, -4, 4)).in(range({9}, -2, 2)).attr_f("alpha", 1.75f);
  cases.add("shapes differ")
      .in(typed(DType::kF32, range({9}, -4, 4)))
      .in(typed(DType::kF32, range({1}, -2, 2)))
      .fails("one shape");
}

}  // namespace tenon::ops
