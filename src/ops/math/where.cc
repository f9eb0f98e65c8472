// Where: condition ? x : y with broadcasting; choices between small integers stay known.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/move/select.h"
#include "ops/bytes.h"
#include "ops/math/arithmetic.h"

namespace tenon::ops {
namespace {

Status where_shape(InferContext& c) {
  TENON_TRY(broadcast_inputs(c));
  Type t = c.out[0].type;
  t.dtype = c.dtype(1);
  c.set(0, std::move(t));
  if (!kIndices.has(c.dtype(1))) return {};
  auto condition = c.elements(0), x = c.elements(1), y = c.elements(2);
  if (!condition || !x || !y || c.rank(0) > 1 || c.rank(1) > 1 || c.rank(2) > 1) return {};
  if (condition->empty() || x->empty() || y->empty()) return {};
  size_t n = std::max({condition->size(), x->size(), y->size()});
  DimVector out;
  for (size_t i = 0; i < n; ++i) {
    auto at = [&](const DimVector& v) { return v[v.size() == 1 ? 0 : i]; };
    Dim chosen = at(*condition);
    if (chosen.is_const()) out.push_back(chosen.is(0) ? at(*y) : at(*x));
    else out.push_back(at(*x) == at(*y) ? at(*x) : Dim::unknown());
  }
  c.set_elements(0, std::move(out));
  return {};
}

Status run_move(KernelContext& c) {
  const TensorRef& out = c.out(0);
  TENON_ASSIGN(Dims condition, kernels::broadcast_strides(c.in(0).shape(), out.shape()));
  TENON_ASSIGN(Dims x, kernels::broadcast_strides(c.in(1).shape(), out.shape()));
  TENON_ASSIGN(Dims y, kernels::broadcast_strides(c.in(2).shape(), out.shape()));
  TENON_ASSIGN(const void* a, input_bytes(c, 1));
  TENON_ASSIGN(const void* b, input_bytes(c, 2));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  kernels::where_move(to.data(), out.shape(), c.in(0).as<uint8_t>(), condition, a, x, b, y, mover_width(out.dtype),
                      c.team());
  to.finish();
  return {};
}

constexpr Trait where_trait() {
  Trait t = pointwise<Fn::kWhere>();
  t.in_place = 0x06;  // never over the condition
  return t;
}

}  // namespace

TENON_OP(where){
    .name = "Where",
    .since = {9, 16},
    .in = {port("condition", kBools), port("X", kAll, "T"), port("Y", kAll, "T")},
    .out = {port("output", kAll, "T")},
    .shape = where_shape,
    .trait = where_trait(),
};
TENON_CPU(where){{
    {.name = "pointwise", .can = can_pointwise, .pack = pack_pointwise, .run = run_pointwise_node},
    {.name = "move", .run = run_move},
}};

TENON_CASES(where) {
  cases.types(kAll);
  CaseTensor flags = typed(DType::kBool, values({2, 3}, {1, 0, 1, 0, 0, 1}));
  cases.add("equal shapes")
      .in(flags)
      .in(values({2, 3}, {0, 1, 1, 0, 1, 0}))
      .in(values({2, 3}, {1, 1, 0, 0, 0, 1}))
      .out(values({2, 3}, {0, 1, 1, 0, 0, 0}));
  cases.add("broadcast")
      .in(typed(DType::kBool, values({2, 1}, {1, 0})))
      .in(values({3}, {0, 1, 1}))
      .in(values({}, {1}))
      .out(values({2, 3}, {0, 1, 1, 1, 1, 1}));
  cases.add("empty")
      .in(typed(DType::kBool, values({0, 1}, {})))
      .in(values({3}, {0, 1, 1}))
      .in(values({}, {1}))
      .out(values({0, 3}, {}));
  cases.add("sizes")
      .in(typed(DType::kBool, values({3}, {1, 0, 1})))
      .in(ints({7, 8, 9}))
      .in(ints({-1}))
      .out(ints({7, -1, 9}));
}

}  // namespace tenon::ops
