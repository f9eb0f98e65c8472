// Range: start, start + delta, ... up to but without limit.
// SPDX-License-Identifier: MIT
#include "kernels/move/rearrange.h"
#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status range_shape(InferContext& c) {
  DType t = c.dtype(0);
  for (size_t i = 0; i < 3; ++i)
    if (auto n = c.count(i); n && *n != 1)
      return invalid("Range: operand ", i, " has ", *n, " elements, one is needed");
  auto a = c.contents(0), b = c.contents(1), d = c.contents(2);
  if (a && b && d && a->count == 1 && b->count == 1 && d->count == 1) {
    auto n = kernels::range_count(a->data, b->data, d->data, t);
    if (!n.ok()) return std::move(n).status().prefix("Range: ");
    c.set(0, t, {Dim(*n)});
  } else {
    c.set(0, t, {Dim::unknown()});
  }
  if (!kIndices.has(t)) return {};
  auto start = c.elements(0), limit = c.elements(1), delta = c.elements(2);
  if (!start || !limit || !delta || start->size() != 1 || limit->size() != 1 || delta->size() != 1) return {};
  Dim from = (*start)[0], to = (*limit)[0], step = (*delta)[0];
  if (!step.is_const() || step.value() == INT64_MIN) return {};
  if (step.is(0)) return invalid("Range: delta is 0");
  Dim n = c.out[0].type.shape[0];
  if (n.is_unknown()) {
    Dim distance = step.value() > 0 ? to - from : from - to;
    n = ceil_div(is_non_negative(distance) ? distance : ir::dim_max(distance, Dim(0)), Dim(std::abs(step.value())));
    c.set(0, t, {n});
  }
  if (!n.is_const() || n.value() > kMaxElements) return {};
  DimVector elements;
  for (int64_t i = 0; i < n.value(); ++i) elements.push_back(from + step * Dim(i));
  c.set_elements(0, std::move(elements));
  return {};
}

Status run_range(KernelContext& c) {
  const TensorRef &start = c.in(0), &delta = c.in(2), &out = c.out(0);
  kernels::range(out.data, start.data, delta.data, out.count, out.dtype, c.team());
  return {};
}

constexpr TypeSet kRangeTypes = kFloats | TypeSet{DType::kI16, DType::kI32, DType::kI64};

}  // namespace

TENON_OP(range){
    .name = "Range",
    .since = {11, 27},
    .in = {port("start", kRangeTypes, "T"), port("limit", kRangeTypes, "T"), port("delta", kRangeTypes, "T")},
    .out = {port("output", kRangeTypes, "T")},
    .attributes = {{"stash_type", 'i'}},
    .shape = range_shape,
};
TENON_CPU(range){{{{.name = "fill", .run = run_range}}}};

TENON_CASES(range) {
  cases.types(kRangeTypes);
  cases.add("up").in(values({}, {1})).in(values({}, {6})).in(values({}, {2})).out(values({3}, {1, 3, 5}));
  cases.add("down").in(values({}, {3})).in(values({}, {-1})).in(values({}, {-2})).out(values({2}, {3, 1}));
  cases.add("nothing").in(values({}, {3})).in(values({}, {3})).in(values({}, {1})).out(values({0}, {}));
  cases.add("fractions")
      .in(typed(DType::kF32, values({}, {0})))
      .in(typed(DType::kF32, values({}, {1})))
      .in(typed(DType::kF32, values({}, {0.25})))
      .out(typed(DType::kF32, values({4}, {0, 0.25, 0.5, 0.75})));
  cases.add("no step")
      .in(typed(DType::kI64, values({}, {0})))
      .in(typed(DType::kI64, values({}, {1})))
      .in(typed(DType::kI64, values({}, {0})))
      .fails("delta");
}

}  // namespace tenon::ops
