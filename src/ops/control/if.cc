// If: one of two subgraphs by a boolean; lowered to jumps by exec.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/control/subgraph.h"

namespace tenon::ops {
namespace {

Status if_shape(InferContext& c) {
  auto* yes = c.node().get<std::unique_ptr<ir::Graph>>("then_branch");
  auto* no = c.node().get<std::unique_ptr<ir::Graph>>("else_branch");
  if (!yes || !no) return invalid("If: both then_branch and else_branch are required");
  if (!c.infer_subgraph) return {};
  TENON_TRY(c.infer_subgraph(**yes));
  TENON_TRY(c.infer_subgraph(**no));
  for (auto* branch : {yes->get(), no->get()})
    if (branch->outputs().size() != c.output_count())
      return error(Code::kInvalidGraph, "If: the node has ", c.output_count(), " outputs, its branch '", branch->name,
                   "' has ", branch->outputs().size());
  const ir::Model& m = c.node().graph->model();
  for (size_t i = 0; i < c.output_count(); ++i) {
    TENON_ASSIGN(Type t, join_types(m.value((*yes)->outputs()[i]).type, m.value((*no)->outputs()[i]).type, "If"));
    c.set(i, std::move(t));
  }
  return {};
}

}  // namespace

TENON_OP(if){
    .name = "If",
    .since = {1, 11, 13, 16, 19, 21, 23, 24, 25, 28},
    .in = {port("cond", kBools)},
    .out = {any_kind(heterogeneous(port("outputs", kAll)))},
    .shape = if_shape,
    .trait = {.control_flow = true},
};

TENON_CASES(if) {}

}  // namespace tenon::ops
