// PRelu: x < 0 ? slope * x : x; the slope broadcasts to x.
// SPDX-License-Identifier: MIT
#include "opdef/build.h"
#include "ops/math/arithmetic.h"

namespace tenon::ops {
namespace {

Status prelu_shape(InferContext& c) {
  c.copy(0, 0);
  if (c.since() < 7 || !c.has_shape(0) || !c.has_shape(1)) return {};
  TENON_ASSIGN(DimVector both, broadcast_dims(c.shape(0), c.shape(1)));
  const DimVector& x = c.shape(0);
  bool fits = both.size() == x.size();
  for (size_t i = 0; fits && i < x.size(); ++i)
    fits = !both[i].is_const() || !x[i].is_const() || both[i].value() == x[i].value();
  if (!fits)
    return invalid("PRelu: the slope ", ir::dims_text(c.shape(1)), " does not broadcast to ", ir::dims_text(x));
  return {};
}

/// Before version 7 a slope of several values had one for each channel.
Status prelu_upgrade(ir::Node& node, Build& b) {
  node.erase("consumed_inputs");
  if (node.since >= 7) return {};
  const Type &x = b.model().value(node.input(0)).type, &slope = b.model().value(node.input(1)).type;
  if (!x.has_shape || !slope.has_shape)
    return error(Code::kNotImplemented, "PRelu-", node.since, ": a slope for each channel needs known ranks");
  if (slope.rank() != 1 || x.rank() <= 2 || slope.shape[0].is(1)) return {};
  std::vector<int64_t> axes;
  for (int64_t i = 1; i < x.rank() - 1; ++i) axes.push_back(i);
  b.graph().set_input(node, 1, b.op("Unsqueeze", {node.input(1), b.ints(axes)}));
  return {};
}

constexpr TypeSet kPReluTypes = kFloats | TypeSet(DType::kI32, DType::kI64, DType::kU32, DType::kU64);
constexpr Trait prelu_trait() {
  Trait t = pointwise<Fn::kPRelu>();
  t.in_place = 0x01;
  return t;
}

}  // namespace

TENON_OP(prelu){
    .name = "PRelu",
    .since = {1, 6, 7, 9, 16},
    .in = {port("X", kPReluTypes, "T"), port("slope", kPReluTypes, "T")},
    .out = {port("Y", kPReluTypes, "T")},
    .shape = prelu_shape,
    .upgrade = prelu_upgrade,
    .trait = prelu_trait(),
};
TENON_CPU(prelu) kPointwise;

TENON_CASES(prelu) {
  cases.types(kPReluTypes);
  cases.reference(binary_reference([](double x, double slope) { return x < 0 ? slope * x : x; }));
  cases.add("equal shapes").in(range({3, 5}, -9, 9)).in(range({3, 5}, 0, 3));
  cases.add("by channel").in(range({2, 3, 5}, -9, 9)).in(range({3, 1}, 0, 3));
  cases.add("scalar").in(range({2, 3, 5}, -9, 9)).in(range({}, 2, 3));
  cases.add("too large")
      .in(typed(DType::kF32, range({3}, -9, 9)))
      .in(typed(DType::kF32, range({2, 3}, 2, 3)))
      .fails("does not broadcast");
}

}  // namespace tenon::ops
