// Layout: images travel through the graph with their channels last.
// SPDX-License-Identifier: MIT
#pragma once
#include "base/status.h"
#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

/// Convolutions and pools become their channels-last forms ([N, C, spatial...] is held as [N, spatial..., C]), and the
/// operators around them work on that layout as far as they can; what remains is a Transpose where a value is needed in
/// ONNX's own layout. Subgraphs are included. Nodes must be in their newest form with types inferred. Results differ
/// from the unchanged graph only by the order of sums in reductions. A model that holds such forms already stays as it
/// is.
Status carry_channels_last(ir::Model& model, const opdef::Registry& registry);

}  // namespace tenon::passes
