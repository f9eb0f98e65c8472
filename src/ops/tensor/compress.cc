// Compress: the slices (or elements) whose condition holds.
// SPDX-License-Identifier: MIT
#include "kernels/move/select.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status compress_shape(InferContext& c) {
  bool flat = !c.node().find("axis");
  if (c.has_shape(1) && c.rank(1) != 1)
    return invalid("Compress: the condition has rank ", c.rank(1), ", a list is needed");
  if (flat) {
    c.set(0, c.dtype(0), {Dim::unknown()});
    return {};
  }
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", 0), c.rank(0)));
  DimVector dims = c.shape(0);
  dims[static_cast<size_t>(axis)] = Dim::unknown();
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Status run_compress(KernelContext& c) {
  const TensorRef &x = c.in(0), &condition = c.in(1);
  int64_t outer = 1, size = x.count, inner = 1;
  Dims dims{0};
  size_t axis = 0;
  if (c.node().find("axis")) {
    TENON_ASSIGN(int64_t a, normal_axis(c.node().int_or("axis", 0), x.rank));
    axis = static_cast<size_t>(a);
    outer = product(x.shape(), 0, axis);
    size = x.dims[axis];
    inner = product(x.shape(), axis + 1, x.shape().size());
    dims = Dims(x.shape());
  }
  if (condition.count > size) return invalid("Compress: ", condition.count, " conditions for ", size, " slices");
  dims[axis] = kernels::count_true(condition.as<uint8_t>(), condition.count);
  TENON_TRY(c.allocate(0, dims));
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  TENON_TRY(kernels::compress(to.data(), from, outer, size, inner, condition.as<uint8_t>(), condition.count,
                              mover_width(x.dtype), c.team()));
  to.finish();
  return {};
}

}  // namespace

TENON_OP(compress){
    .name = "Compress",
    .since = {9, 11, 28},
    .in = {port("input", kAll, "T"), port("condition", kBools)},
    .out = {port("output", kAll, "T")},
    .attributes = {{"axis", 'i'}},
    .shape = compress_shape,
    .trait = {.kernel_sizes_output = true},
};
TENON_CPU(compress){{{{.name = "move", .run = run_compress}}}};

TENON_CASES(compress) {
  cases.types(kAll);
  auto b = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kBool, values({n}, std::move(v)));
  };
  cases.add("rows")
      .in(values({3, 2}, {1, 0, 0, 1, 1, 1}))
      .in(b({0, 1, 1}))
      .attr("axis", 0)
      .out(values({2, 2}, {0, 1, 1, 1}));
  cases.add("columns, fewer conditions")
      .in(values({2, 3}, {1, 0, 0, 0, 1, 1}))
      .in(b({0, 1}))
      .attr("axis", -1)
      .out(values({2, 1}, {0, 1}));
  cases.add("flat").in(values({2, 2}, {1, 0, 0, 1})).in(b({1, 0, 0, 1})).out(values({2}, {1, 1}));
  cases.add("none").in(values({2}, {1, 0})).in(b({0, 0})).out(values({0}, {}));
  cases.add("too many").in(typed(DType::kF32, range({2}, 0, 1))).in(b({1, 1, 1})).fails("3 conditions for 2");
}

}  // namespace tenon::ops
