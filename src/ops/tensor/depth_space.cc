// DepthToSpace and SpaceToDepth: blocks of pixels moved between channels and the plane.
// SPDX-License-Identifier: MIT
#include "kernels/move/rearrange.h"
#include "kernels/move/transpose.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<int64_t> block_of(const ir::Node& node) {
  int64_t b = node.int_or("blocksize", 0);
  if (b < 1 || b > 65536) return invalid(node.op, ": blocksize ", b, " is outside of [1, 65536]");
  return b;
}

/// `to_space`: channels shrink by block^2, the plane grows.
Status blocks_shape(InferContext& c, bool to_space) {
  const std::string& op = c.node().op;
  TENON_ASSIGN(int64_t b, block_of(c.node()));
  std::string_view mode = c.node().string_or("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") return invalid(op, ": mode '", mode, "' is neither DCR nor CRD");
  if (!c.has_shape(0)) {
    set_rank(c, 0, c.dtype(0), 4);
    return {};
  }
  if (c.rank(0) != 4) return invalid(op, ": the input has rank ", c.rank(0), ", [n, c, h, w] is needed");
  DimVector d = c.shape(0);
  auto divisible = [&](size_t i, int64_t by) -> Status {
    if (d[i].is_const() && d[i].value() % by != 0)
      return invalid(op, ": dimension ", i, " of ", ir::dims_text(c.shape(0)), " is no multiple of ", by);
    return {};
  };
  if (to_space) {
    TENON_TRY(divisible(1, b * b));
    d[1] = floor_div(d[1], Dim(b * b));
    d[2] = d[2] * Dim(b);
    d[3] = d[3] * Dim(b);
  } else {
    TENON_TRY(divisible(2, b));
    TENON_TRY(divisible(3, b));
    d[1] = d[1] * Dim(b * b);
    d[2] = floor_div(d[2], Dim(b));
    d[3] = floor_div(d[3], Dim(b));
  }
  c.set(0, c.dtype(0), std::move(d));
  return {};
}

Status run_depth_to_space(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  TENON_TRY(kernels::depth_to_space(to.data(), from, x.dims[0], x.dims[1], x.dims[2], x.dims[3],
                                    c.node().int_or("blocksize", 1), c.node().string_or("mode", "DCR") == "CRD",
                                    mover_width(x.dtype), c.team()));
  to.finish();
  return {};
}

Status run_space_to_depth(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  if (c.node().string_or("mode", "DCR") == "CRD") {
    // Channels first: [n, c, h, by, w, bx] to [n, c, by, bx, h, w].
    int64_t b = c.node().int_or("blocksize", 1);
    int64_t dims[6] = {x.dims[0], x.dims[1], x.dims[2] / b, b, x.dims[3] / b, b};
    constexpr int64_t kOrder[6] = {0, 1, 3, 5, 2, 4};
    kernels::transpose(to.data(), from, dims, kOrder, mover_width(x.dtype), c.team());
    to.finish();
    return {};
  }
  TENON_TRY(kernels::space_to_depth(to.data(), from, x.dims[0], x.dims[1], x.dims[2], x.dims[3],
                                    c.node().int_or("blocksize", 1), mover_width(x.dtype), c.team()));
  to.finish();
  return {};
}

}  // namespace

TENON_OP(depth_to_space){
    .name = "DepthToSpace",
    .since = {1, 11, 13},
    .in = {port("input", kAll, "T")},
    .out = {port("output", kAll, "T")},
    .attributes = {{"blocksize", 'i', true}, {"mode", 's'}},
    .shape = [](InferContext& c) { return blocks_shape(c, true); },
};
TENON_CPU(depth_to_space){{{{.name = "move", .run = run_depth_to_space}}}};

TENON_CASES(depth_to_space) {
  cases.types(kAll);
  CaseTensor x = values({1, 8, 1, 1}, {1, 0, 0, 1, 1, 1, 0, 1});
  cases.add("depth first").in(x).attr("blocksize", 2).out(values({1, 2, 2, 2}, {1, 0, 1, 0, 0, 1, 1, 1}));
  cases.add("columns first")
      .in(x)
      .attr("blocksize", 2)
      .attr_s("mode", "CRD")
      .out(values({1, 2, 2, 2}, {1, 0, 0, 1, 1, 1, 0, 1}));
  cases.add("no multiple")
      .in(typed(DType::kF32, range({1, 3, 1, 1}, 0, 1)))
      .attr("blocksize", 2)
      .fails("no multiple of 4");
  cases.add("no block").in(typed(DType::kF32, range({1, 4, 1, 1}, 0, 1))).attr("blocksize", 0).fails("blocksize 0");
}

TENON_OP(space_to_depth){
    .name = "SpaceToDepth",
    .since = {1, 13, 28},
    .in = {port("input", kAll, "T")},
    .out = {port("output", kAll, "T")},
    .attributes = {{"blocksize", 'i', true}, {"mode", 's'}},
    .shape = [](InferContext& c) { return blocks_shape(c, false); },
};
TENON_CPU(space_to_depth){{{{.name = "move", .run = run_space_to_depth}}}};

TENON_CASES(space_to_depth) {
  cases.types(kAll);
  cases.add("blocks of 2")
      .in(values({1, 1, 2, 4}, {1, 0, 0, 1, 1, 1, 0, 1}))
      .attr("blocksize", 2)
      .out(values({1, 4, 1, 2}, {1, 0, 0, 1, 1, 0, 1, 1}));
  cases.add("no multiple")
      .in(typed(DType::kF32, range({1, 1, 3, 2}, 0, 1)))
      .attr("blocksize", 2)
      .fails("no multiple of 2");
}

}  // namespace tenon::ops
