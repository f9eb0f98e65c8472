// RotaryEmbedding: turns pairs of each head's elements by angles of the token's position.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"
#include "ops/nn/rotary.h"

namespace tenon::ops {
namespace {

constexpr TypeSet kTypes{DType::kF32, DType::kF16, DType::kBF16};

struct Sizes {
  int64_t batch, heads, positions, head_size, rotated;
};
/// Sizes from concrete dimensions; fails on what does not fit.
Result<Sizes> sizes_of(const ir::Node& node, std::span<const int64_t> x) {
  if (x.size() != 3 && x.size() != 4)
    return invalid("RotaryEmbedding: X ", list_text(x), " has rank ", x.size(), "; it must be 3 or 4");
  int64_t heads = x.size() == 4 ? x[1] : node.int_or("num_heads", 0);
  if (x.size() == 3 && (heads < 1 || x[2] % heads))
    return invalid("RotaryEmbedding: num_heads is ", heads, " for ", x[2], " columns of X");
  Sizes s{x[0], heads, x.size() == 4 ? x[2] : x[1], x.size() == 4 ? x[3] : x[2] / heads,
          node.int_or("rotary_embedding_dim", 0)};
  if (s.rotated == 0) s.rotated = s.head_size;
  if (s.rotated < 0 || s.rotated > s.head_size || s.rotated % 2)
    return invalid("RotaryEmbedding: ", s.rotated, " of ", s.head_size, " elements of a head cannot turn in pairs");
  return s;
}

Status rotary_shape(InferContext& c) {
  if (c.has_shape(0))
    if (auto x = ir::constant_dims(c.shape(0))) TENON_TRY(sizes_of(c.node(), *x).status());
  return same_as_input(c);
}

Status run_rotary(KernelContext& c) {
  const TensorRef &x = c.in(0), &table = c.in(1);
  TENON_ASSIGN(Sizes s, sizes_of(c.node(), x.shape()));
  const int64_t half = s.rotated / 2, tokens = s.batch * s.positions;
  const int64_t rows = half ? table.count / half : 0;
  if (c.in(2).count != table.count || table.rank < 2 || table.dims[table.rank - 1] != half)
    return invalid("RotaryEmbedding: the tables ", table, " and ", c.in(2), " must have ", half, " columns");
  Rotary r;
  if (c.has(3)) {
    if (c.in(3).count != tokens)
      return invalid("RotaryEmbedding: ", c.in(3).count, " positions for ", tokens, " tokens");
    for (int64_t p : c.in(3).items<int64_t>())
      if (p < 0 || p >= rows)
        return invalid("RotaryEmbedding: position ", p, " is outside of the ", rows, " rows of the tables");
    r.rows = c.in(3).as<int64_t>();
  } else if (rows != tokens) {
    return invalid("RotaryEmbedding: the tables have ", rows, " rows for ", tokens, " tokens");
  }
  if (x.count == 0) return {};
  TENON_ASSIGN(r.x, input_as<float>(c, 0));
  TENON_ASSIGN(r.cos, input_as<float>(c, 1));
  TENON_ASSIGN(r.sin, input_as<float>(c, 2));
  TENON_ASSIGN(auto y, OutputAs<float>::of(c, 0));
  r.y = y.data();
  r.batch = s.batch;
  r.heads = s.heads;
  r.positions = s.positions;
  r.head_size = s.head_size;
  r.rotated = s.rotated;
  r.interleaved = c.node().int_or("interleaved", 0) != 0;
  r.x_strides = r.y_strides =
      x.rank == 4 ? HeadStrides{s.heads * s.positions * s.head_size, s.positions * s.head_size, s.head_size}
                  : HeadStrides{s.positions * s.heads * s.head_size, s.head_size, s.heads * s.head_size};
  rotate(r, c.team());
  y.finish();
  return {};
}

}  // namespace

TENON_OP(rotary_embedding){
    .name = "RotaryEmbedding",
    .since = {23},
    .in = {port("X", kTypes, "T"), port("cos_cache", kTypes, "T"), port("sin_cache", kTypes, "T"),
           optional(port("position_ids", kI64Only))},
    .out = {port("Y", kTypes, "T")},
    .attributes = {{"interleaved", 'i'}, {"num_heads", 'i'}, {"rotary_embedding_dim", 'i'}},
    .shape = rotary_shape,
};
TENON_CPU(rotary_embedding){{{{.name = "pairs", .run = run_rotary}}}};

TENON_CASES(rotary_embedding) {
  cases.types(kTypes);
  cases.add("halves")
      .in(values({1, 1, 2, 4}, {1, 2, 3, 4, 1, 2, 3, 4}))
      .in(values({2, 2}, {1, 0, 0, 1}))
      .in(values({2, 2}, {0, 1, 1, 0}))
      .in(typed(DType::kI64, values({1, 2}, {0, 1})))
      .out(values({1, 1, 2, 4}, {1, -4, 3, 2, -3, 2, 1, 4}));
  cases.add("interleaved, rank 3")
      .in(values({1, 1, 4}, {1, 2, 3, 4}))
      .in(values({1, 1, 2}, {0, 1}))
      .in(values({1, 1, 2}, {1, 0}))
      .attr("num_heads", 1)
      .attr("interleaved", 1)
      .out(values({1, 1, 4}, {-2, 1, 3, 4}));
  cases.add("partly")
      .in(values({1, 1, 1, 4}, {1, 2, 3, 4}))
      .in(values({1, 1, 1}, {0}))
      .in(values({1, 1, 1}, {1}))
      .attr("rotary_embedding_dim", 2)
      .out(values({1, 1, 1, 4}, {-2, 1, 3, 4}));
  cases.add("position out of range")
      .in(typed(DType::kF32, range({1, 1, 1, 2}, 0, 1)))
      .in(typed(DType::kF32, range({2, 1}, 0, 1)))
      .in(typed(DType::kF32, range({2, 1}, 0, 1)))
      .in(typed(DType::kI64, values({1, 1}, {2})))
      .fails("outside of the 2 rows");
}

}  // namespace tenon::ops
