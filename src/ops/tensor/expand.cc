// Expand: broadcast to a shape (both ways: dimensions of 1 in the target keep the input's).
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status expand_shape(InferContext& c) {
  auto target = c.elements(1);
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  if (!target) {
    auto n = c.count(1);
    if (n && *n <= kMaxElements) set_rank(c, 0, c.dtype(0), std::max(c.shape(0).size(), static_cast<size_t>(*n)));
    else c.set(0, c.dtype(0));
    return {};
  }
  for (Dim d : *target)
    if (d.is_const() && d.value() < 0)
      return invalid("Expand: the target ", ir::dims_text(*target), " has the dimension ", d);
  TENON_ASSIGN(DimVector dims, broadcast_dims(c.shape(0), *target));
  c.set(0, c.dtype(0), std::move(dims));
  return move_elements(c, [&](void* dst, const void* src) {
    return kernels::expand(dst, *ir::constant_dims(c.out[0].type.shape), src, *ir::constant_dims(c.shape(0)), 8,
                           Team());
  });
}

Status run_expand(KernelContext& c) {
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  TENON_TRY(kernels::expand(to.data(), c.out(0).shape(), from, c.in(0).shape(), mover_width(c.in(0).dtype), c.team()));
  to.finish();
  return {};
}

}  // namespace

TENON_OP(expand){
    .name = "Expand",
    .since = {8, 13},
    .in = {port("input", kAll, "T"), port("shape", kI64Only)},
    .out = {port("output", kAll, "T")},
    .shape = expand_shape,
};
TENON_CPU(expand){{{{.name = "move", .run = run_expand}}}};

TENON_CASES(expand) {
  cases.types(kAll);
  cases.add("columns").in(values({2, 1}, {1, 0})).in(ints({2, 3})).out(values({2, 3}, {1, 1, 1, 0, 0, 0}));
  cases.add("ones in the target")
      .in(values({2, 1}, {1, 0}))
      .in(ints({2, 1, 2}))
      .out(values({2, 2, 2}, {1, 1, 0, 0, 1, 1, 0, 0}));
  cases.add("shorter target").in(values({2, 2}, {1, 0, 0, 1})).in(ints({1})).out(values({2, 2}, {1, 0, 0, 1}));
  cases.add("scalar").in(values({}, {1})).in(ints({3})).out(values({3}, {1, 1, 1}));
  cases.add("to nothing").in(values({1}, {1})).in(ints({0})).out(values({0}, {}));
  cases.add("no fit").in(typed(DType::kF32, range({3}, 0, 1))).in(ints({4})).fails("do not broadcast");
}

}  // namespace tenon::ops
