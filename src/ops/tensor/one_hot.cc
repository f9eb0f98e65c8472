// OneHot: a new axis that is "on" at the index and "off" elsewhere.
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/cast.h"
#include "kernels/move/select.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status one_hot_shape(InferContext& c) {
  DType t = c.dtype(2);
  if (auto n = c.count(1); n && *n != 1) return invalid("OneHot: depth has ", *n, " elements, one is needed");
  if (auto n = c.count(2); n && *n != 2) return invalid("OneHot: values has ", *n, " elements, [off, on] is needed");
  if (!c.has_shape(0)) {
    c.set(0, t);
    return {};
  }
  int64_t rank = c.rank(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", -1), rank + 1));
  Dim depth = Dim::unknown();
  if (auto e = c.elements(1); e && e->size() == 1) depth = (*e)[0];
  else if (auto d = c.contents(1); d && d->count == 1) depth = Dim(integer_at(*d));
  if (depth.is_const() && depth.value() < 0) return invalid("OneHot: depth is ", depth);
  DimVector dims = c.shape(0);
  dims.insert(static_cast<size_t>(axis), depth);
  c.set(0, t, std::move(dims));
  return {};
}

Status run_one_hot(KernelContext& c) {
  const TensorRef &x = c.in(0), &out = c.out(0);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", -1), out.rank));
  if (c.in(2).count != 2) return invalid("OneHot: values has ", c.in(2).count, " elements, [off, on] is needed");
  const int64_t* indices = x.as<int64_t>();
  if (x.dtype != DType::kI64) {
    TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(x.count) * sizeof(int64_t)));
    convert(x.dtype, x.data, DType::kI64, p, x.count, true, c.team());
    indices = static_cast<const int64_t*>(p);
  }
  size_t a = static_cast<size_t>(axis);
  int width = byte_width(out.dtype);
  const char* pair = c.in(2).as<const char>();
  kernels::one_hot(out.data, indices, product(x.shape(), 0, a), out.dims[axis], product(x.shape(), a, x.shape().size()),
                   pair, pair + width, width, c.team());
  return {};
}

constexpr TypeSet kValues = kNumbers | kBools | kStrings | kComplex;

}  // namespace

TENON_OP(one_hot){
    .name = "OneHot",
    .since = {9, 11, 28},
    .in = {port("indices", kNumbers), port("depth", kNumbers), port("values", kValues, "T3")},
    .out = {port("output", kValues, "T3")},
    .attributes = {{"axis", 'i'}},
    .shape = one_hot_shape,
};
TENON_CPU(one_hot){{{{.name = "move", .run = run_one_hot}}}};

TENON_CASES(one_hot) {
  cases.types(kNumbers | kBools);
  auto i = [](CaseTensor t) { return typed(DType::kI64, std::move(t)); };
  cases.add("last axis")
      .in(i(values({2}, {0, 2})))
      .in(i(values({}, {3})))
      .in(values({2}, {0, 1}))
      .out(values({2, 3}, {1, 0, 0, 0, 0, 1}));
  cases.add("first axis")
      .in(i(values({2}, {1, 0})))
      .in(i(values({1}, {2})))
      .in(values({2}, {0, 1}))
      .attr("axis", 0)
      .out(values({2, 2}, {0, 1, 1, 0}));
  cases.add("outside")
      .in(i(values({3}, {-1, 5, -7})))
      .in(i(values({}, {2})))
      .in(values({2}, {0, 1}))
      .out(values({3, 2}, {0, 1, 0, 0, 0, 0}));
  cases.add("float indices")
      .in(typed(DType::kF32, values({1}, {1})))
      .in(typed(DType::kF32, values({}, {2})))
      .in(values({2}, {1, 0}))
      .out(values({1, 2}, {1, 0}));
  cases.add("negative depth")
      .in(i(values({1}, {0})))
      .in(constant(i(values({}, {-1}))))
      .in(typed(DType::kF32, values({2}, {0, 1})))
      .fails("depth is -1");
}

}  // namespace tenon::ops
