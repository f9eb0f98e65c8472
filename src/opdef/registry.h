// Registry: finds operators by domain and name; binds the nodes of a graph to them.
// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/status.h"
#include "opdef/kernel.h"
#include "opdef/op.h"

namespace tenon::opdef {

/// The operator in simpler ones: builds them before the node and replaces it.
using Body = Status (*)(ir::Node&, Build&);

/// Declares the BODY facet: TENON_BODY(mish)(ir::Node& node, Build& b) -> Status { ... };
#define TENON_BODY(id)                         \
  extern const ::tenon::opdef::Body body_##id; \
  constinit const ::tenon::opdef::Body body_##id = []

/// All facets of one operator that a runtime needs.
struct OpEntry {
  const OpDef* op = nullptr;
  const KernelList* cpu = nullptr;
  Body body = nullptr;
};

/// A table of operators. Lookup by domain and name; custom operators add theirs in a copy.
class Registry {
 public:
  explicit Registry(std::span<const OpEntry> entries);
  void add(const OpEntry& entry);
  const OpEntry* find(std::string_view domain, std::string_view op) const;
  /// The entry that an OpDef came from.
  const OpEntry* entry(const OpDef* op) const;
  std::span<const OpEntry> all() const { return entries_; }

 private:
  std::vector<OpEntry> entries_;
  std::unordered_map<std::string, size_t> by_name_;
  std::unordered_map<const OpDef*, size_t> by_op_;
};

/// The newest ai.onnx operator set that Tenon knows.
inline constexpr int kNewestOpset = 28;
/// The newest IR version.
inline constexpr int kNewestIr = 14;

/// Sets def and since of a node from its domain, op and opset (0: newest). Unknown operators fail: INVALID_GRAPH for
/// ai.onnx, FAIL for other domains.
Status bind_node(ir::Node& node, const Registry& registry);
/// Binds every node of the graph and its subgraphs.
Status bind_graph(ir::Graph& graph, const Registry& registry);

/// Computes a node on given tensors outside any session (constant folding, tests). Inputs are null where missing.
/// The node must be bound and its value types set. Fails with NOT_IMPLEMENTED when no kernel serves it.
Result<std::vector<Tensor>> evaluate_node(const ir::Node& node, std::span<const Tensor* const> inputs,
                                          const Registry& registry, const Team& team = Team());

/// The first kernel of the list that can serve the node; NOT_IMPLEMENTED with the types when there is none.
Result<const Kernel*> choose_kernel(const ir::Node& node, const KernelList* list);

}  // namespace tenon::opdef
