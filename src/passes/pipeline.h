// The order of the passes.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "base/status.h"
#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

struct PipelineOptions {
  int level = 99;        ///< 0 none, 1 basic, 2 extended, 3 layout, 99 all
  std::string disabled;  ///< names of rules, separated by ';', that do not run
};

/// Brings a bound model into the form that exec compiles: simplified, fused, laid out, as far as the level allows.
Status run_pipeline(ir::Model& model, const opdef::Registry& registry, const PipelineOptions& options);

}  // namespace tenon::passes
