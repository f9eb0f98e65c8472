// conv_quant: operators between DequantizeLinear and QuantizeLinear that become 8-bit operators.
// SPDX-License-Identifier: MIT
#pragma once
#include "base/status.h"
#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

/// In a graph with channels last:
///   ConvNhwc (with bias, Relu or Clip) of dequantised values and weights, quantised again: QConvNhwc, exact sums
///   Add of two dequantised values (with Relu or Clip), quantised again: QAdd, the same bits
///   MaxPool of a dequantised value: MaxPool of the 8-bit value, the same bits
///   QuantizeLinear of a DequantizeLinear with the same parameters: nothing
/// Scales must be constants. Subgraphs are included.
Status fuse_quantised_convolutions(ir::Graph& graph, const opdef::Registry& registry);

}  // namespace tenon::passes
