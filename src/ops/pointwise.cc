// The kernel of every element-wise operator.
// SPDX-License-Identifier: MIT
#include "ops/pointwise.h"

namespace tenon::ops {
namespace {
struct PointwiseState final : KernelState {
  PointwisePlan plan;
};

Result<PointwisePlan> plan_of(const KernelQuery& q) {
  SmallVector<DType, 4> types;
  for (size_t i = 0; i < q.node().inputs().size(); ++i)
    if (q.has(i)) types.push_back(q.in_type(i));
  return plan_pointwise(q.node().def->trait.program(q.node()), types);
}
}  // namespace

bool can_pointwise(const KernelQuery& q) { return plan_of(q).ok(); }

Result<StatePtr> pack_pointwise(PackContext& c) {
  auto state = std::make_unique<PointwiseState>();
  TENON_ASSIGN(state->plan, plan_of(c));
  return StatePtr(std::move(state));
}

Status run_pointwise_node(KernelContext& c) {
  SmallVector<TensorRef, 4> in;
  for (size_t i = 0; i < c.inputs(); ++i)
    if (c.has(i)) in.push_back(c.in(i));
  TensorRef out = c.out(0);
  run_pointwise(c.state<PointwiseState>().plan, in, std::span<const TensorRef>(&out, 1), c.team());
  return {};
}

}  // namespace tenon::ops
