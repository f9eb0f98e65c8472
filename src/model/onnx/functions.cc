// FunctionTable: lookup and growth.
// SPDX-License-Identifier: MIT
#include "model/onnx/functions.h"

#include <algorithm>
#include <limits>

#include "opdef/registry.h"

namespace tenon::model::onnx {
namespace {

int64_t saturating_add(int64_t a, int64_t b) {
  int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<int64_t>::max() : sum;
}

}  // namespace

Result<Opsets> read_opsets(std::span<const Bytes> imports) {
  Opsets out;
  for (Bytes b : imports) {
    OpsetProto opset;
    TENON_TRY(parse(b, &opset));
    const std::string_view domain = opset.domain.empty() ? "ai.onnx" : opset.domain;
    if (opset.version < 1 || opset.version > std::numeric_limits<int>::max())
      return error(Code::kInvalidGraph, "opset version ", opset.version, " of ", domain, " is not valid");
    if (opset.domain.empty() && opset.version > opdef::kNewestOpset)
      return error(Code::kFail, "opset ", opset.version, " of ai.onnx is newer than ", opdef::kNewestOpset,
                   ", the newest that is supported");
    out[std::string(opset.domain)] = static_cast<int>(opset.version);
  }
  return out;
}

Status FunctionTable::load(std::span<const Bytes> functions,
                           FunctionRef<bool(std::string_view, std::string_view)> keep) {
  for (Bytes b : functions) {
    Function f;
    TENON_TRY(parse(b, &f.proto));
    if (f.proto.name.empty()) return error(Code::kInvalidGraph, "a function of the model has no name");
    if (keep(f.proto.domain, f.proto.name)) continue;
    auto imports = read_opsets(f.proto.opsets);
    if (!imports.ok()) return std::move(imports).status().with("function", std::string(f.proto.name));
    f.opsets = std::move(imports).value();
    const auto id = std::tuple(f.proto.domain, f.proto.name, f.proto.overload);
    functions_.push_back(std::move(f));
    if (!by_id_.emplace(id, &functions_.back()).second)
      return error(Code::kInvalidGraph, "function ", std::get<0>(id), ".", std::get<1>(id), " is defined twice");
  }
  return {};
}

Function* FunctionTable::find(std::string_view domain, std::string_view op, std::string_view overload) {
  if (by_id_.empty()) return nullptr;
  auto found = by_id_.find({domain, op, overload});
  return found == by_id_.end() ? nullptr : found->second;
}

Status FunctionTable::check_growth(std::span<const Bytes> nodes) {
  if (empty()) return {};
  Growth growth;
  TENON_TRY(measure_nodes(nodes, false, 0, &growth));
  if (growth.nodes > kMaxInlinedNodes || growth.bytes > kMaxInlinedBytes)
    return error(Code::kFail, "the functions of the model unfold to ", growth.nodes, " nodes of ", growth.bytes,
                 " bytes; at most ", kMaxInlinedNodes, " nodes and ", kMaxInlinedBytes, " bytes are accepted");
  return {};
}

Status FunctionTable::measure_nodes(std::span<const Bytes> nodes, bool in_function, int depth, Growth* out) {
  if (depth > kMaxDepth)
    return error(Code::kFail, "subgraphs and function calls are nested more than ", kMaxDepth, " deep");
  for (Bytes b : nodes) {
    NodeProto node;
    TENON_TRY(parse(b, &node));
    int64_t own = static_cast<int64_t>(b.size());
    auto measure_graph = [&](Bytes bytes) -> Status {
      GraphProto graph;
      TENON_TRY(parse(bytes, &graph));
      Growth inner;
      TENON_TRY(measure_nodes(graph.nodes, in_function, depth + 1, &inner));
      out->nodes = saturating_add(out->nodes, inner.nodes);
      out->bytes = saturating_add(out->bytes, inner.bytes);
      out->height = std::max(out->height, inner.height + 1);
      own -= static_cast<int64_t>(bytes.size());
      return {};
    };
    for (Bytes ab : node.attributes) {
      AttributeProto a;
      TENON_TRY(parse(ab, &a));
      own -= static_cast<int64_t>(a.tensor.size());  // weights are shared, not copied
      if (a.graph.data()) TENON_TRY(measure_graph(a.graph));
      for (Bytes g : a.graphs) TENON_TRY(measure_graph(g));
    }
    if (in_function) {
      out->nodes = saturating_add(out->nodes, 1);
      out->bytes = saturating_add(out->bytes, own);
    }
    if (Function* f = find(node.domain, node.op, node.overload)) {
      if (f->state == Function::State::kActive)
        return error(Code::kInvalidGraph, "function ", f->proto.name, " calls itself").with("node", label(node));
      if (f->state == Function::State::kNew) TENON_TRY(measure(*f, depth + 1));
      out->nodes = saturating_add(out->nodes, f->nodes);
      out->bytes = saturating_add(out->bytes, f->bytes);
      out->height = std::max(out->height, f->height + 1);
    }
    if (depth + out->height > kMaxDepth)
      return error(Code::kFail, "subgraphs and function calls are nested more than ", kMaxDepth, " deep");
  }
  return {};
}

Status FunctionTable::measure(Function& function, int depth) {
  function.state = Function::State::kActive;
  Growth growth;
  TENON_TRY(measure_nodes(function.proto.nodes, true, depth, &growth));
  function.nodes = growth.nodes;
  function.bytes = growth.bytes;
  function.height = growth.height;
  function.state = Function::State::kMeasured;
  return {};
}

}  // namespace tenon::model::onnx
