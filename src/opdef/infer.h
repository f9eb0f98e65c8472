// Type and shape inference: the context that shape rules work in, and the drivers for nodes and graphs.
// The same rule runs with expressions (when a model is loaded) and with numbers (while it runs).
// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"
#include "opdef/op.h"

namespace tenon::opdef {

using ir::Dim;
using ir::DimVector;
using ir::Type;

/// Integer tensors up to this size carry their contents as expressions.
inline constexpr int64_t kMaxElements = 64;

/// What a shape rule sees: types of the inputs, their integer contents where known, the node's attributes; and where it
/// puts the types of the outputs. A dimension that cannot be told is Dim::unknown().
class InferContext {
 public:
  struct Input {
    bool present = false;
    Type type;
    const Tensor* constant = nullptr;     ///< contents known at load time
    const TensorRef* actual = nullptr;    ///< the tensor itself, while running
    const DimVector* elements = nullptr;  ///< integer contents as expressions
  };
  struct Output {
    bool wanted = false;
    Type type;
    std::optional<DimVector> elements;
  };
  InferContext(const ir::Node& node, int since) : node_(&node), since_(since) {}
  std::vector<Input> in;
  std::vector<Output> out;

  const ir::Node& node() const { return *node_; }
  /// The since-version whose meaning applies.
  int since() const { return since_; }
  bool has(size_t i) const { return i < in.size() && in[i].present; }
  const Type& type(size_t i) const { return i < in.size() ? in[i].type : none_; }
  DType dtype(size_t i) const { return type(i).dtype; }
  bool has_shape(size_t i) const { return has(i) && in[i].type.has_shape; }
  const DimVector& shape(size_t i) const { return in[i].type.shape; }
  /// -1 when unknown.
  int rank(size_t i) const { return has_shape(i) ? static_cast<int>(shape(i).size()) : -1; }
  /// The contents of input i when they are known as numbers of any type: a constant or, while running, the tensor.
  std::optional<TensorRef> contents(size_t i) const;
  /// Integer contents of input i (a constant, or known as expressions); nothing when not known.
  std::optional<DimVector> elements(size_t i) const;
  /// The same when all are numbers.
  std::optional<Dims> integers(size_t i) const;
  /// Number of elements that integer input i holds, when its shape tells.
  std::optional<int64_t> count(size_t i) const;

  bool wants(size_t i) const { return i < out.size() && out[i].wanted; }
  size_t output_count() const { return out.size(); }
  /// Sets the type of output i: element type and dimensions, or rank unknown.
  void set(size_t i, DType dtype, DimVector shape);
  void set(size_t i, DType dtype);
  void set(size_t i, Type type);
  /// Output i has element type and shape of input j.
  void copy(size_t i, size_t j);
  void set_elements(size_t i, DimVector elements);

  // Attributes.
  int64_t attr(std::string_view name, int64_t fallback) const { return node_->int_or(name, fallback); }
  std::span<const int64_t> ints(std::string_view name) const { return node_->ints(name); }

  /// Infers a subgraph of the node after its input types were set (control flow). Null at run time.
  std::function<Status(ir::Graph&)> infer_subgraph;

 private:
  const ir::Node* node_;
  int since_;
  static const Type none_;
};

// Shape rules that many operators share.
/// Output 0 like input 0.
Status same_as_input(InferContext& c);
/// Output 0: the broadcast of all inputs, element type of input 0.
Status broadcast_inputs(InferContext& c);
/// The same with boolean output.
Status broadcast_compare(InferContext& c);
/// Broadcast of dimension lists; fails when numbers disagree.
Result<DimVector> broadcast_dims(std::span<const Dim> a, std::span<const Dim> b);

/// Infers the outputs of one node from its inputs' ValueInfo and writes them there. Dimensions that the rule leaves
/// unknown become fresh symbols. Where the file states a type for a value, the two are merged; a contradiction fails.
/// `rank` checks and element types are those of the operator's ports.
/// `infer_subgraph` is what rules of control flow call for their bodies; empty: infer_graph.
Status infer_node(ir::Node& node, const std::function<Status(ir::Graph&)>& infer_subgraph = {});
/// All nodes of a graph in order, subgraphs included.
Status infer_graph(ir::Graph& graph);

/// Runs the shape rule with numbers: `inputs[i]` null for a missing one. Output dimensions that depend on more than
/// small integer contents come back as unknown.
Status infer_concrete(const ir::Node& node, std::span<const TensorRef* const> inputs, InferContext& context);

/// Checks arity, element types and attributes of a node against its operator.
Status check_node(const ir::Node& node);

}  // namespace tenon::opdef
