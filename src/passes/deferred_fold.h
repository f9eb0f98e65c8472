// deferred_fold: the result of a constant node as a tensor whose contents are computed when somebody reads them.
// SPDX-License-Identifier: MIT
#pragma once
#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

/// Folded results from this size on, in bytes, are computed when they are first read: a weight that is only packed
/// never exists twice, and loading a model does not wait for it.
inline constexpr int64_t kDeferFrom = int64_t{1} << 18;

/// Whether the node's result may be computed later: one output of a known type and shape of at least kDeferFrom bytes,
/// constant inputs, and an operator that no contents can make fail (Trait::total).
bool can_defer(const ir::Node& node);

/// The result of such a node. Takes the node's attributes: the node must be removed. `registry` outlives the tensor.
Result<Tensor> defer_node(ir::Node& node, const opdef::Registry& registry);

}  // namespace tenon::passes
