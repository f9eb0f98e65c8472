// CastLike: Cast to the element type of a second tensor.
// SPDX-License-Identifier: MIT
#include "opdef/build.h"
#include "opdef/cases.h"
#include "opdef/registry.h"
#include "ops/tensor/cast.h"

namespace tenon::ops {
namespace {
Status cast_like_shape(InferContext& c) { return cast_output(c, c.dtype(1)); }
}  // namespace

TENON_OP(cast_like){
    .name = "CastLike",
    .since = {15, 19, 21, 23, 24, 25},
    .in = {port("input", kAll, "T1"), port("target_type", kAll, "T2")},
    .out = {port("output", kAll, "T2")},
    .shape = cast_like_shape,
};
TENON_BODY(cast_like)(ir::Node& node, Build& b)->Status {
  DType to = b.model().value(node.input(1)).type.dtype;
  ir::Node& cast = b.node("Cast", {node.input(0)});
  cast.set("to", static_cast<int64_t>(to));
  if (auto* s = node.get<int64_t>("saturate")) cast.set("saturate", *s);
  b.replace({cast.output(0)});
  return {};
};

TENON_CASES(cast_like) {
  cases.add("to int64")
      .in(values({3}, {1, 0, 1}))
      .in(typed(DType::kI64, values({1}, {0})))
      .out(typed(DType::kI64, values({3}, {1, 0, 1})));
}

}  // namespace tenon::ops
