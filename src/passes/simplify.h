// Simplify: one walk over a graph that brings every node to its newest form, infers types and shapes, and folds what is
// constant.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "base/status.h"
#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

struct SimplifyOptions {
  bool fold = true;                        ///< constant folding
  int64_t fold_limit = int64_t{64} << 20;  ///< largest folded tensor in bytes, unless its inputs are as large
  bool keep_quantised = false;             ///< 8-bit weights stay behind their DequantizeLinear (see fold_kept)
  /// Large constants that are transposed for MatMul alone stay: a rule turns the transpose into a flag.
  bool keep_transposed = false;
};

/// Upgrades (OpDef::upgrade), expands operators that only have a body, checks and infers every node in order, subgraphs
/// included, and replaces nodes with constant results by constants. The graph must be bound and sorted.
Status simplify(ir::Model& model, const opdef::Registry& registry, const SimplifyOptions& options);

/// Folds the nodes with constant inputs that keep_quantised and keep_transposed left and no rule took, in all graphs.
Status fold_kept(ir::Model& model, const opdef::Registry& registry);

/// Removes nodes whose results nobody reads, in all graphs.
void remove_dead_nodes(ir::Graph& graph);

}  // namespace tenon::passes
