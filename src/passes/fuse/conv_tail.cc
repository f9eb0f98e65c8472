// conv_tail: residual sums and activations move into the convolutions before them.
// SPDX-License-Identifier: MIT
#include "passes/fuse/conv_tail.h"

#include <vector>

#include "passes/fuse/tail.h"

namespace tenon::passes {

using ir::Node;

void absorb_conv_tails(ir::Graph& graph) {
  ir::Model& m = graph.model();
  std::vector<Node*> convolutions;
  for (Node& n : graph.nodes()) {
    for (ir::Graph* g : n.subgraphs()) absorb_conv_tails(*g);
    if (n.domain == "com.tenon" && (n.op == "ConvNhwc" || n.op == "ConvTransposeNhwc")) convolutions.push_back(&n);
  }
  // From the back: of two convolutions that are added, the one computed last takes the sum.
  for (size_t i = convolutions.size(); i-- > 0;) {
    absorb_sum(m, *convolutions[i], 3);
    absorb_activation(m, *convolutions[i]);
  }
}

}  // namespace tenon::passes
