// Scan: a subgraph run over slices of its inputs; lowered to jumps by exec.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/control/subgraph.h"

namespace tenon::ops {
namespace {

// Inputs: states..., scans...; body: states..., slices... -> states..., slices...
Status scan_shape(InferContext& c) {
  auto* attribute = c.node().get<std::unique_ptr<ir::Graph>>("body");
  if (!attribute) return invalid("Scan: the body is required");
  if (!c.infer_subgraph) return {};
  if (c.since() < 9) return error(Code::kNotImplemented, "Scan-8 (batched) is not supported");
  ir::Graph& body = **attribute;
  ir::Model& m = body.model();
  int64_t scans = c.attr("num_scan_inputs", 0);
  int64_t states = static_cast<int64_t>(c.in.size()) - scans;
  if (scans < 1 || states < 0 || body.inputs().size() != c.in.size())
    return error(Code::kInvalidGraph, "Scan: num_scan_inputs ", scans, " does not fit ", c.in.size(),
                 " inputs and a body of ", body.inputs().size());
  if (body.outputs().size() != c.output_count() || static_cast<int64_t>(c.output_count()) < states)
    return error(Code::kInvalidGraph, "Scan: the node has ", c.output_count(), " outputs, the body ",
                 body.outputs().size());
  auto in_axes = c.ints("scan_input_axes"), out_axes = c.ints("scan_output_axes");
  Dim length = Dim::unknown();
  for (int64_t i = 0; i < scans; ++i) {
    size_t at = static_cast<size_t>(states + i);
    Type slice = c.type(at);
    if (slice.has_shape) {
      int64_t stated = static_cast<size_t>(i) < in_axes.size() ? in_axes[static_cast<size_t>(i)] : 0;
      TENON_ASSIGN(int64_t axis, normal_axis(stated, slice.rank(), "scan_input_axes"));
      if (length.is_unknown()) length = slice.shape[static_cast<size_t>(axis)];
      slice.shape.erase(static_cast<size_t>(axis));
    }
    m.value(body.inputs()[at]).type = slice;
  }
  std::vector<Type> state(static_cast<size_t>(states));
  for (size_t i = 0; i < state.size(); ++i) state[i] = c.type(i);
  for (int round = 0; round < 8; ++round) {
    for (size_t i = 0; i < state.size(); ++i) m.value(body.inputs()[i]).type = state[i];
    TENON_TRY(c.infer_subgraph(body));
    bool changed = false;
    for (size_t i = 0; i < state.size(); ++i) {
      TENON_ASSIGN(bool wider, widen(state[i], c.type(i), m.value(body.outputs()[i]).type, m.dims(), "Scan"));
      changed |= wider;
    }
    if (!changed) break;
    if (round == 6)
      for (auto& t : state) {
        t.has_shape = false;
        t.shape.clear();
      }
  }
  for (size_t i = 0; i < state.size(); ++i) c.set(i, state[i]);
  for (size_t i = state.size(); i < c.output_count(); ++i) {
    const Type& item = m.value(body.outputs()[i]).type;
    if (!item.has_shape) {
      c.set(i, item.dtype);
      continue;
    }
    size_t k = i - state.size();
    TENON_ASSIGN(int64_t axis, normal_axis(k < out_axes.size() ? out_axes[k] : 0, item.rank() + 1, "scan_output_axes"));
    DimVector dims = item.shape;
    dims.insert(static_cast<size_t>(axis), length);
    c.set(i, item.dtype, std::move(dims));
  }
  return {};
}

}  // namespace

TENON_OP(scan){
    .name = "Scan",
    .since = {8, 9, 11, 16, 19, 21, 23, 24, 25, 28},
    .in = {any_kind(heterogeneous(port("initial_state_and_scan_inputs", kAll)))},
    .out = {any_kind(heterogeneous(port("final_state_and_scan_outputs", kAll)))},
    .shape = scan_shape,
    .trait = {.control_flow = true},
};

TENON_CASES(scan) {}

}  // namespace tenon::ops
