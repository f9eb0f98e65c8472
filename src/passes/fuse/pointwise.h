// pointwise: a connected region of element-wise nodes becomes one node with one program.
// SPDX-License-Identifier: MIT
#pragma once
#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

/// Makes com.tenon Pointwise nodes in the graph and its subgraphs. A region ends in one value; all values inside have
/// its shape and no reader outside, so nothing is computed twice and the bits are those of the single nodes.
Status fuse_pointwise(ir::Graph& graph, const opdef::Registry& registry);

}  // namespace tenon::passes
