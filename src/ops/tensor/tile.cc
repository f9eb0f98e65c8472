// Tile: the input repeated along each axis.
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status tile_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  size_t rank = c.shape(0).size();
  auto repeats = c.since() < 6 ? std::nullopt : c.elements(1);
  if (!repeats) {
    set_rank(c, 0, c.dtype(0), rank);
    return {};
  }
  if (repeats->size() != rank) return invalid("Tile: ", repeats->size(), " repeats for an input of rank ", rank);
  DimVector dims;
  for (size_t i = 0; i < rank; ++i) {
    Dim r = (*repeats)[i];
    if (r.is_const() && r.value() < 0)
      return invalid("Tile: the repeats ", ir::dims_text(*repeats), " have a negative number");
    dims.push_back(c.shape(0)[i] * r);
  }
  c.set(0, c.dtype(0), std::move(dims));
  auto numbers = ir::constant_dims(*repeats);
  if (!numbers) return {};
  return move_elements(c, [&](void* dst, const void* src) -> Status {
    kernels::tile(dst, src, *ir::constant_dims(c.shape(0)), *numbers, 8, Team());
    return {};
  });
}

/// Version 1 repeated along one axis: `tiles` and `axis` were inputs (here they must be constants).
Status tile_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 6) return {};
  const Tensor *tiles = b.model().constant(node.input(1)), *axis = b.model().constant(node.input(2));
  const ir::Type& x = b.model().value(node.input(0)).type;
  if (!tiles || !axis || !x.has_shape)
    return error(Code::kNotImplemented, "Tile-1: tiles and axis must be constants and the rank of the input known");
  int64_t a = integer_at(axis->ref()), rank = x.rank();
  if (a < 0 || a >= rank) return invalid("Tile-1: axis ", a, " is outside of [0, ", rank, ")");
  std::vector<int64_t> repeats(static_cast<size_t>(rank), 1);
  repeats[static_cast<size_t>(a)] = integer_at(tiles->ref());
  b.graph().set_input(node, 1, b.ints(repeats));
  b.graph().truncate_inputs(node, 2);
  return {};
}

Status run_tile(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(Dims repeats, read_ints(c.in(1)));
  if (static_cast<int32_t>(repeats.size()) != x.rank)
    return invalid("Tile: ", repeats.size(), " repeats for an input of rank ", x.rank);
  for (int64_t r : repeats)
    if (r < 0) return invalid("Tile: the repeats ", list_text(repeats), " have a negative number");
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  kernels::tile(to.data(), from, x.shape(), repeats, mover_width(x.dtype), c.team());
  to.finish();
  return {};
}

}  // namespace

TENON_OP(tile){
    .name = "Tile",
    .since = {1, 6, 13},
    .in = {port("input", kAll, "T"), port("repeats", kAll), optional(port("axis", kAll))},
    .out = {port("output", kAll, "T")},
    .shape = tile_shape,
    .upgrade = tile_upgrade,
};
TENON_CPU(tile){{{{.name = "move", .run = run_tile}}}};

TENON_CASES(tile) {
  cases.types(kAll);
  cases.add("both axes").in(values({1, 2}, {1, 0})).in(ints({2, 2})).out(values({2, 4}, {1, 0, 1, 0, 1, 0, 1, 0}));
  cases.add("once").in(values({2}, {1, 0})).in(ints({1})).out(values({2}, {1, 0}));
  cases.add("never").in(values({2, 1}, {1, 0})).in(ints({0, 3})).out(values({0, 3}, {}));
  cases.add("wrong length")
      .in(typed(DType::kF32, range({2, 2}, 0, 1)))
      .in(ints({2}))
      .fails("1 repeats for an input of rank 2");
  cases.add("negative").in(typed(DType::kF32, range({2}, 0, 1))).in(ints({-1})).fails("negative");
}

}  // namespace tenon::ops
