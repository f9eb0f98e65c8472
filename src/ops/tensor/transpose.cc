// Transpose: the axes in another order (reversed when no order is given).
// SPDX-License-Identifier: MIT
#include "kernels/move/transpose.h"

#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Result<Dims> permutation(const ir::Node& node, int64_t rank) {
  if (!node.find("perm")) {
    Dims reversed;
    for (int64_t i = rank; i-- > 0;) reversed.push_back(i);
    return reversed;
  }
  auto perm = node.ints("perm");
  if (static_cast<int64_t>(perm.size()) != rank)
    return invalid("Transpose: perm ", list_text(perm), " has ", perm.size(), " axes, the input has ", rank);
  return normal_axes(perm, rank, "Transpose");
}

Status transpose_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    auto perm = c.ints("perm");
    if (perm.empty()) c.set(0, c.dtype(0));
    else set_rank(c, 0, c.dtype(0), perm.size());
    return {};
  }
  TENON_ASSIGN(Dims perm, permutation(c.node(), c.rank(0)));
  DimVector dims;
  for (int64_t p : perm) dims.push_back(c.shape(0)[static_cast<size_t>(p)]);
  c.set(0, c.dtype(0), std::move(dims));
  return move_elements(c, [&](void* dst, const void* src) -> Status {
    kernels::transpose(dst, src, *ir::constant_dims(c.shape(0)), perm, 8, Team());
    return {};
  });
}

struct TransposeState final : KernelState {
  Dims perm;
};

Result<StatePtr> pack_transpose(PackContext& c) {
  auto s = std::make_unique<TransposeState>();
  if (c.in(0).has_shape) { TENON_ASSIGN(s->perm, permutation(c.node(), c.in(0).rank())); }
  return StatePtr(std::move(s));
}

Status run_transpose(KernelContext& c) {
  const TensorRef& x = c.in(0);
  Dims perm = c.state<TransposeState>().perm;
  if (static_cast<int32_t>(perm.size()) != x.rank) { TENON_ASSIGN(perm, permutation(c.node(), x.rank)); }
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  kernels::transpose(to.data(), from, x.shape(), perm, mover_width(x.dtype), c.team());
  to.finish();
  return {};
}

}  // namespace

TENON_OP(transpose){
    .name = "Transpose",
    .since = {1, 13, 21, 23, 24, 25},
    .in = {port("data", kAll, "T")},
    .out = {port("transposed", kAll, "T")},
    .attributes = {{"perm", 'I'}},
    .shape = transpose_shape,
    .trait = {.total = true},
};
TENON_CPU(transpose){{{{.name = "move", .pack = pack_transpose, .run = run_transpose}}}};

TENON_CASES(transpose) {
  cases.types(kAll);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    const CaseTensor& x = in[0];
    size_t rank = x.dims.size();
    std::vector<int64_t> perm = c.attr_ints("perm");
    if (perm.empty())
      for (size_t i = rank; i-- > 0;) perm.push_back(static_cast<int64_t>(i));
    CaseTensor out;
    for (int64_t p : perm) out.dims.push_back(x.dims[static_cast<size_t>(p)]);
    Dims strides = row_major_strides(x.dims);
    int64_t n = product(x.dims);
    for (int64_t i = 0; i < n; ++i) {
      int64_t rest = i, at = 0;
      for (size_t d = rank; d-- > 0;) {
        at += rest % out.dims[d] * strides[static_cast<size_t>(perm[d])];
        rest /= out.dims[d];
      }
      if (x.data.empty()) out.strings.push_back(x.strings[static_cast<size_t>(at)]);
      else out.data.push_back(x.data[static_cast<size_t>(at)]);
    }
    return std::vector<CaseTensor>{out};
  });
  cases.add("matrix").in(range({3, 5}, 0, 1));
  cases.add("matrix, large").in(range({67, 45}, 0, 1));
  cases.add("heads").in(range({2, 5, 3, 4}, 0, 1)).attr("perm", std::vector<int64_t>{0, 2, 1, 3});
  cases.add("channels last").in(range({2, 3, 7, 5}, 0, 1)).attr("perm", std::vector<int64_t>{0, 2, 3, 1});
  cases.add("five axes").in(range({2, 3, 2, 3, 2}, 0, 1)).attr("perm", std::vector<int64_t>{4, 1, 0, 3, 2});
  cases.add("same order").in(range({2, 3}, 0, 1)).attr("perm", std::vector<int64_t>{0, 1});
  cases.add("scalar").in(range({}, 0, 1));
  cases.add("empty").in(range({2, 0, 3}, 0, 1));
  cases.add("short")
      .in(typed(DType::kF32, range({2, 3}, 0, 1)))
      .attr("perm", std::vector<int64_t>{0})
      .fails("has 1 axes, the input has 2");
  cases.add("twice")
      .in(typed(DType::kF32, range({2, 3}, 0, 1)))
      .attr("perm", std::vector<int64_t>{0, 0})
      .fails("stands twice");
}

}  // namespace tenon::ops
