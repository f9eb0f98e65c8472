// The kernel of every element-wise operator: its program, planned for the node's types, on the tile engine.
// SPDX-License-Identifier: MIT
#pragma once
#include "kernels/elementwise/pointwise.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"
#include "opdef/op.h"

namespace tenon::ops {
using namespace opdef;

/// Plans trait.program for the types of the inputs.
Result<StatePtr> pack_pointwise(PackContext& c);
Status run_pointwise_node(KernelContext& c);
bool can_pointwise(const KernelQuery& q);

/// The CPU facet of a pointwise operator: TENON_CPU(relu) = kPointwise;
inline constexpr KernelList kPointwise{
    {{.name = "pointwise", .can = can_pointwise, .pack = pack_pointwise, .run = run_pointwise_node}}};

}  // namespace tenon::ops
