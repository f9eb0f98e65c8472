// ScatterElements, Scatter and ScatterND: a copy of the data with updates written, or reduced, into indexed places.
// SPDX-License-Identifier: MIT
#include "kernels/move/scatter.h"

#include <algorithm>

#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<kernels::ScatterOp> reduction_of(const ir::Node& node) {
  std::string_view r = node.string_or("reduction", "none");
  if (r == "none") return kernels::ScatterOp::kNone;
  if (r == "add") return kernels::ScatterOp::kAdd;
  if (r == "mul") return kernels::ScatterOp::kMul;
  if (r == "min") return kernels::ScatterOp::kMin;
  if (r == "max") return kernels::ScatterOp::kMax;
  return invalid(node.op, ": reduction '", r, "' is none of none, add, mul, min, max");
}

Status scatter_elements_shape(InferContext& c) {
  TENON_TRY(reduction_of(c.node()).status());
  c.copy(0, 0);
  if (!c.has_shape(0) || !c.has_shape(1)) return {};
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 0), c.rank(0)));
  const std::string& op = c.node().op;
  if (c.rank(0) != c.rank(1)) return invalid(op, ": the indices have rank ", c.rank(1), ", the data ", c.rank(0));
  if (c.has_shape(2)) {
    if (c.rank(2) != c.rank(1)) return invalid(op, ": the updates have rank ", c.rank(2), ", the indices ", c.rank(1));
    for (size_t i = 0; i < c.shape(1).size(); ++i)
      if (c.shape(1)[i].is_const() && c.shape(2)[i].is_const() && c.shape(1)[i].value() != c.shape(2)[i].value())
        return invalid(op, ": the updates ", ir::dims_text(c.shape(2)), " do not have the shape of the indices ",
                       ir::dims_text(c.shape(1)));
  }
  for (size_t i = 0; i < c.shape(0).size(); ++i) {
    Dim d = c.shape(0)[i], n = c.shape(1)[i];
    if (static_cast<int64_t>(i) != axis && d.is_const() && n.is_const() && n.value() > d.value())
      return invalid(op, ": dimension ", i, " of the indices is ", n, ", of the data ", d);
  }
  return {};
}

Status scatter_nd_shape(InferContext& c) {
  TENON_TRY(reduction_of(c.node()).status());
  c.copy(0, 0);
  if (!c.has_shape(0) || !c.has_shape(1)) return {};
  if (c.rank(0) < 1 || c.rank(1) < 1) return invalid("ScatterND: data and indices need at least rank 1");
  Dim tuple = c.shape(1).back();
  if (!tuple.is_const()) return {};
  if (tuple.value() < 0 || tuple.value() > c.rank(0))
    return invalid("ScatterND: tuples of ", tuple, " do not fit data of rank ", c.rank(0));
  if (!c.has_shape(2)) return {};
  DimVector want;
  want.append(c.shape(1).data(), c.shape(1).size() - 1);
  size_t t = static_cast<size_t>(tuple.value());
  want.append(c.shape(0).data() + t, c.shape(0).size() - t);
  bool fits = want.size() == c.shape(2).size();
  for (size_t i = 0; fits && i < want.size(); ++i)
    fits = !want[i].is_const() || !c.shape(2)[i].is_const() || want[i].value() == c.shape(2)[i].value();
  if (!fits)
    return invalid("ScatterND: the updates are ", ir::dims_text(c.shape(2)), ", data and indices ask for ",
                   ir::dims_text(want));
  return {};
}

struct ScatterState final : KernelState {
  kernels::ScatterOp op = kernels::ScatterOp::kNone;
};
Result<StatePtr> pack_scatter(PackContext& c) {
  auto s = std::make_unique<ScatterState>();
  TENON_ASSIGN(s->op, reduction_of(c.node()));
  return StatePtr(std::move(s));
}

/// Runs write(dst, updates, element type) on a copy of the data.
template <class F>
Status scatter_into_copy(KernelContext& c, F&& write) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(const void* updates, input_bytes(c, 2));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  if (to.data() != from) kernels::copy_bytes(to.data(), from, x.count * mover_width(x.dtype), c.team());
  DType t = x.dtype;
  if (is_sub_byte(t)) t = t == DType::kI4 || t == DType::kI2 ? DType::kI8 : DType::kU8;
  Status s = write(to.data(), updates, t);
  if (!s.ok()) return std::move(s).prefix(cat(c.node().op, ": "));
  to.finish();
  return {};
}

Status run_scatter_elements(KernelContext& c) {
  const TensorRef &x = c.in(0), &at = c.in(1);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", 0), x.rank));
  if (!std::ranges::equal(at.shape(), c.in(2).shape()))
    return invalid(c.node().op, ": indices and updates differ in shape");
  return scatter_into_copy(c, [&](void* dst, const void* updates, DType t) {
    return kernels::scatter_elements(dst, t, x.shape(), indices_of(at), at.shape(), updates, axis,
                                     c.state<ScatterState>().op, c.team());
  });
}

Status run_scatter_nd(KernelContext& c) {
  const TensorRef &x = c.in(0), &at = c.in(1);
  return scatter_into_copy(c, [&](void* dst, const void* updates, DType t) {
    return kernels::scatter_nd(dst, t, x.shape(), indices_of(at), at.shape(), updates, c.state<ScatterState>().op,
                               c.team());
  });
}

}  // namespace

TENON_OP(scatter_elements){
    .name = "ScatterElements",
    .since = {11, 13, 16, 18},
    .in = {port("data", kAll, "T"), port("indices", kIndices), port("updates", kAll, "T")},
    .out = {port("output", kAll, "T")},
    .attributes = {{"axis", 'i'}, {"reduction", 's'}},
    .shape = scatter_elements_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(scatter_elements){{{{.name = "move", .pack = pack_scatter, .run = run_scatter_elements}}}};

TENON_CASES(scatter_elements) {
  cases.types(kAll);
  CaseTensor at = typed(DType::kI64, values({1, 2}, {1, 0}));
  cases.add("rows")
      .in(values({2, 2}, {0, 0, 0, 0}))
      .in(at)
      .in(values({1, 2}, {1, 1}))
      .out(values({2, 2}, {0, 1, 1, 0}));
  cases.add("columns, negative")
      .in(values({1, 3}, {0, 0, 0}))
      .in(typed(DType::kI32, values({1, 2}, {-1, 1})))
      .in(values({1, 2}, {1, 0}))
      .attr("axis", 1)
      .out(values({1, 3}, {0, 0, 1}));
  auto f = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("added")
      .in(f(values({3}, {1, 2, 3})))
      .in(typed(DType::kI64, values({3}, {1, 1, 0})))
      .in(f(values({3}, {10, 20, 30})))
      .attr_s("reduction", "add")
      .out(f(values({3}, {31, 32, 3})));
  cases.add("largest")
      .in(f(values({2}, {1, 9})))
      .in(typed(DType::kI64, values({2}, {0, 1})))
      .in(f(values({2}, {5, 5})))
      .attr_s("reduction", "max")
      .out(f(values({2}, {5, 9})));
  cases.add("beyond")
      .in(f(values({2}, {0, 0})))
      .in(typed(DType::kI64, values({1}, {2})))
      .in(f(values({1}, {1})))
      .fails("2");
  cases.add("unknown reduction")
      .in(f(values({2}, {0, 0})))
      .in(typed(DType::kI64, values({1}, {0})))
      .in(f(values({1}, {1})))
      .attr_s("reduction", "mean")
      .fails("'mean' is none of");
}

TENON_OP(scatter){
    .name = "Scatter",
    .since = {9},
    .in = {port("data", kAll, "T"), port("indices", kIndices), port("updates", kAll, "T")},
    .out = {port("output", kAll, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = scatter_elements_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(scatter){{{{.name = "move", .pack = pack_scatter, .run = run_scatter_elements}}}};

TENON_CASES(scatter) {
  cases.types(kAll);
  cases.add("rows")
      .in(values({2, 2}, {0, 0, 0, 0}))
      .in(typed(DType::kI64, values({1, 2}, {1, 0})))
      .in(values({1, 2}, {1, 1}))
      .opset(9)
      .out(values({2, 2}, {0, 1, 1, 0}));
}

TENON_OP(scatter_nd){
    .name = "ScatterND",
    .since = {11, 13, 16, 18},
    .in = {port("data", kAll, "T"), port("indices", kI64Only), port("updates", kAll, "T")},
    .out = {port("output", kAll, "T")},
    .attributes = {{"reduction", 's'}},
    .shape = scatter_nd_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(scatter_nd){{{{.name = "move", .pack = pack_scatter, .run = run_scatter_nd}}}};

TENON_CASES(scatter_nd) {
  cases.types(kAll);
  cases.add("elements")
      .in(values({4}, {0, 0, 0, 0}))
      .in(typed(DType::kI64, values({2, 1}, {3, 1})))
      .in(values({2}, {1, 1}))
      .out(values({4}, {0, 1, 0, 1}));
  cases.add("rows")
      .in(values({2, 2}, {0, 0, 0, 0}))
      .in(typed(DType::kI64, values({1, 1}, {-1})))
      .in(values({1, 2}, {1, 0}))
      .out(values({2, 2}, {0, 0, 1, 0}));
  auto f = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  cases.add("multiplied")
      .in(f(values({2}, {2, 3})))
      .in(typed(DType::kI64, values({2, 1}, {0, 0})))
      .in(f(values({2}, {5, 7})))
      .attr_s("reduction", "mul")
      .out(f(values({2}, {70, 3})));
  cases.add("shape of updates")
      .in(f(values({2, 2}, {0, 0, 0, 0})))
      .in(typed(DType::kI64, values({1, 1}, {0})))
      .in(f(values({1, 3}, {1, 1, 1})))
      .fails("ask for [1,2]");
  cases.add("beyond")
      .in(f(values({2}, {0, 0})))
      .in(typed(DType::kI64, values({1, 1}, {-3})))
      .in(f(values({1}, {1})))
      .fails("-3");
}

}  // namespace tenon::ops
