// The order of the passes, to be read from top to bottom.
// SPDX-License-Identifier: MIT
#include "passes/pipeline.h"

#include "passes/fuse/activations.h"
#include "passes/fuse/conv_fold.h"
#include "passes/fuse/conv_quant.h"
#include "passes/fuse/conv_tail.h"
#include "passes/fuse/gelu.h"
#include "passes/fuse/matmul.h"
#include "passes/fuse/matmul_quant.h"
#include "passes/fuse/pointwise.h"
#include "passes/layout.h"
#include "passes/simplify.h"

namespace tenon::passes {

Status run_pipeline(ir::Model& model, const opdef::Registry& registry, const PipelineOptions& options) {
  TENON_TRY(model.main().sort());
  SimplifyOptions simple;
  simple.fold = options.level > 0;
  simple.keep_quantised = options.level >= 3;
  simple.keep_transposed = options.level >= 2;
  TENON_TRY(simplify(model, registry, simple));
  if (options.level > 0) {
    remove_dead_nodes(model.main());
    TENON_TRY(fold_into_convolutions(model.main(), registry));
  }
  if (options.level >= 2) {
    std::vector<Rule> rules = gelu_rules();
    for (auto more : {activation_rules(), quantised_matmul_rules(), matmul_transpose_rules()})
      for (Rule& r : more) rules.push_back(std::move(r));
    TENON_TRY(apply_rules(model.main(), rules, registry, options.disabled));
  }
  if (options.level >= 3) {
    TENON_TRY(carry_channels_last(model, registry));
    absorb_conv_tails(model.main());
    TENON_TRY(fuse_quantised_convolutions(model.main(), registry));
  }
  if (options.level >= 2) {
    TENON_TRY(fold_kept(model, registry));
    remove_dead_nodes(model.main());
    TENON_TRY(absorb_matmul_tails(model.main(), registry));
    TENON_TRY(fuse_pointwise(model.main(), registry));
  }
  return {};
}

}  // namespace tenon::passes
