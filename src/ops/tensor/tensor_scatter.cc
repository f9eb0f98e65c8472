// TensorScatter: writes new entries into a cache at a position for each batch entry, straight on or around its end.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status tensor_scatter_shape(InferContext& c) {
  std::string_view mode = c.node().string_or("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return invalid("TensorScatter: mode '", mode, "' is neither linear nor circular");
  c.copy(0, 0);
  if (!c.has_shape(0)) return {};
  TENON_ASSIGN(int64_t axis, normal_axis(c.attr("axis", -2), c.rank(0)));
  if (axis == 0) return invalid("TensorScatter: the axis may not be the batch dimension");
  if (!c.has_shape(1)) return {};
  if (c.rank(1) != c.rank(0))
    return invalid("TensorScatter: the update has rank ", c.rank(1), ", the cache ", c.rank(0));
  for (size_t i = 0; i < c.shape(0).size(); ++i) {
    Dim d = c.shape(0)[i], n = c.shape(1)[i];
    if (!d.is_const() || !n.is_const()) continue;
    if (static_cast<int64_t>(i) == axis ? n.value() > d.value() : n.value() != d.value())
      return invalid("TensorScatter: the update ", ir::dims_text(c.shape(1)), " does not fit the cache ",
                     ir::dims_text(c.shape(0)));
  }
  return {};
}

Status run_tensor_scatter(KernelContext& c) {
  const TensorRef &cache = c.in(0), &update = c.in(1);
  TENON_ASSIGN(int64_t axis, normal_axis(c.node().int_or("axis", -2), cache.rank));
  bool circular = c.node().string_or("mode", "linear") == "circular";
  size_t a = static_cast<size_t>(axis), rank = cache.shape().size();
  int64_t batch = cache.dims[0], size = cache.dims[axis], n = update.dims[axis];
  if (c.has(2) && c.in(2).count != batch)
    return invalid("TensorScatter: ", c.in(2).count, " write indices for a batch of ", batch);
  for (int64_t b = 0; c.has(2) && b < batch; ++b) {
    int64_t at = c.in(2).as<int64_t>()[b];
    if (at < 0 || at >= std::max<int64_t>(size, 1) || (!circular && at > size - n))
      return invalid("TensorScatter: ", n, " entries from position ", at, " on do not fit a cache of ", size);
  }
  int width = mover_width(cache.dtype);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(const void* fresh, input_bytes(c, 1));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  if (to.data() != from) kernels::copy_bytes(to.data(), from, cache.count * width, c.team());
  int64_t heads = product(cache.shape(), 1, a), inner = product(cache.shape(), a + 1, rank);
  size_t row = static_cast<size_t>(inner * width);
  char* out = static_cast<char*>(to.data());
  const char* in = static_cast<const char*>(fresh);
  c.team().parallel_for_cost(
      batch * heads, 5.0 + 0.1 * static_cast<double>(row) * static_cast<double>(n), [&](int64_t begin, int64_t end) {
        for (int64_t h = begin; h < end; ++h) {
          int64_t start = c.has(2) ? c.in(2).as<int64_t>()[h / heads] : 0;
          int64_t first = std::min(n, size - start);  // up to the end, then around
          std::memcpy(out + static_cast<size_t>(h * size + start) * row, in + static_cast<size_t>(h * n) * row,
                      static_cast<size_t>(first) * row);
          if (first < n)
            std::memcpy(out + static_cast<size_t>(h * size) * row, in + static_cast<size_t>(h * n + first) * row,
                        static_cast<size_t>(n - first) * row);
        }
      });
  to.finish();
  return {};
}

}  // namespace

TENON_OP(tensor_scatter){
    .name = "TensorScatter",
    .since = {24},
    .in = {port("past_cache", kAll, "T"), port("update", kAll, "T"), optional(port("write_indices", kI64Only))},
    .out = {port("present_cache", kAll, "T")},
    .attributes = {{"axis", 'i'}, {"mode", 's'}},
    .shape = tensor_scatter_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(tensor_scatter){{{{.name = "move", .run = run_tensor_scatter}}}};

TENON_CASES(tensor_scatter) {
  cases.types(kAll);
  cases.add("linear")
      .in(values({1, 1, 3, 1}, {0, 0, 0}))
      .in(values({1, 1, 2, 1}, {1, 1}))
      .in(typed(DType::kI64, values({1}, {1})))
      .out(values({1, 1, 3, 1}, {0, 1, 1}));
  cases.add("circular")
      .in(values({1, 3, 1}, {0, 0, 0}))
      .in(values({1, 2, 1}, {1, 1}))
      .in(typed(DType::kI64, values({1}, {2})))
      .attr_s("mode", "circular")
      .out(values({1, 3, 1}, {1, 0, 1}));
  cases.add("no positions")
      .in(values({2, 2, 1}, {0, 0, 0, 0}))
      .in(values({2, 1, 1}, {1, 1}))
      .out(values({2, 2, 1}, {1, 0, 1, 0}));
  cases.add("beyond")
      .in(typed(DType::kF32, values({1, 2, 1}, {0, 0})))
      .in(typed(DType::kF32, values({1, 2, 1}, {1, 1})))
      .in(typed(DType::kI64, values({1}, {1})))
      .fails("do not fit a cache of 2");
}

}  // namespace tenon::ops
