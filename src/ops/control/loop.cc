// Loop: a subgraph repeated up to a trip count or while a condition holds; lowered to jumps by exec.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/control/subgraph.h"

namespace tenon::ops {
namespace {

// Inputs: trip count, condition, states...; body: iteration, condition, states... -> condition, states..., scans...
Status loop_shape(InferContext& c) {
  auto* attribute = c.node().get<std::unique_ptr<ir::Graph>>("body");
  if (!attribute) return invalid("Loop: the body is required");
  if (!c.infer_subgraph) return {};
  ir::Graph& body = **attribute;
  ir::Model& m = body.model();
  size_t states = c.in.size() < 2 ? 0 : c.in.size() - 2;
  if (body.inputs().size() != states + 2)
    return error(Code::kInvalidGraph, "Loop: ", states, " states enter, the body has ", body.inputs().size(),
                 " inputs (iteration, condition and states)");
  if (body.outputs().size() < states + 1 || body.outputs().size() - 1 != c.output_count())
    return error(Code::kInvalidGraph, "Loop: the node has ", c.output_count(), " outputs, the body ",
                 body.outputs().size(), " (condition, ", states, " states and scan outputs)");
  m.value(body.inputs()[0]).type =
      Type::tensor(DType::kI64, m.value(body.inputs()[0]).type.shape.size() == 1 ? DimVector{Dim(1)} : DimVector{});
  m.value(body.inputs()[1]).type =
      Type::tensor(DType::kBool, m.value(body.inputs()[1]).type.shape.size() == 1 ? DimVector{Dim(1)} : DimVector{});
  std::vector<Type> state(states);
  for (size_t i = 0; i < states; ++i) state[i] = c.type(i + 2);
  for (int round = 0; round < 8; ++round) {
    for (size_t i = 0; i < states; ++i) {
      m.value(body.inputs()[i + 2]).type = state[i];
      m.value(body.inputs()[i + 2]).elements.reset();
    }
    TENON_TRY(c.infer_subgraph(body));
    bool changed = false;
    for (size_t i = 0; i < states; ++i) {
      TENON_ASSIGN(bool wider, widen(state[i], c.type(i + 2), m.value(body.outputs()[i + 1]).type, m.dims(), "Loop"));
      changed |= wider;
    }
    if (!changed) break;
    if (round == 6)
      for (auto& t : state) {
        t.has_shape = false;
        t.shape.clear();
      }
  }
  for (size_t i = 0; i < states; ++i) {
    // With zero trips a state leaves as it came; widening started from that type.
    c.set(i, state[i]);
  }
  for (size_t i = states; i < c.output_count(); ++i) {
    const Type& item = m.value(body.outputs()[i + 1]).type;
    if (!item.has_shape) {
      c.set(i, item.dtype);
      continue;
    }
    DimVector dims{Dim::unknown()};  // the trips are known when the loop ends
    dims.append(item.shape.data(), item.shape.size());
    c.set(i, item.dtype, std::move(dims));
  }
  return {};
}

}  // namespace

TENON_OP(loop){
    .name = "Loop",
    .since = {1, 11, 13, 16, 19, 21, 23, 24, 25, 28},
    .in = {optional(port("M", kI64Only)), optional(port("cond", kBools)),
           any_kind(heterogeneous(port("v_initial", kAll)))},
    .out = {any_kind(heterogeneous(port("v_final_and_scan_outputs", kAll)))},
    .shape = loop_shape,
    .trait = {.control_flow = true},
};

TENON_CASES(loop) {}

}  // namespace tenon::ops
