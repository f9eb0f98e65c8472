// Build: makes nodes and constants at one place of a graph; used by upgrades, bodies and rules.
// SPDX-License-Identifier: MIT
#pragma once
#include <initializer_list>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "opdef/op.h"

namespace tenon::opdef {

class Registry;

/// New nodes go before `at` and inherit its origins; they are of the newest operator version.
class Build {
 public:
  Build(ir::Node& at, const Registry& registry) : graph_(*at.graph), at_(&at), registry_(&registry) {}

  ir::Graph& graph() const { return graph_; }
  ir::Model& model() const { return graph_.model(); }
  /// A node with one output; returns that output.
  ir::ValueId op(std::string_view op, std::vector<ir::ValueId> inputs, std::string_view domain = "");
  /// The same, giving the node (to set attributes); the output is node.output(0).
  ir::Node& node(std::string_view op, std::vector<ir::ValueId> inputs, int outputs = 1, std::string_view domain = "");
  ir::ValueId constant(Tensor tensor);
  ir::ValueId ints(std::initializer_list<int64_t> values) { return ints(std::span(values.begin(), values.size())); }
  ir::ValueId ints(std::span<const int64_t> values);
  /// A rank-0 constant of the element type.
  ir::ValueId scalar(DType dtype, double value);
  /// The values that `at` gives are given by these from now on; `at` is removed.
  void replace(std::initializer_list<ir::ValueId> by);
  /// Whether replace() was called: the node is gone.
  bool replaced() const { return replaced_; }

 private:
  bool replaced_ = false;
  ir::Graph& graph_;
  ir::Node* at_;
  const Registry* registry_;
};

/// Rank-0 tensor of any number type holding `value` converted to it.
Tensor scalar_of(DType dtype, double value);

}  // namespace tenon::opdef
