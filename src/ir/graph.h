// Model, Graph, Node, ValueInfo: a model in memory. All graphs of a model (subgraphs too) share one table of values, so
// a captured outer value is simply the same id.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/small_vector.h"
#include "base/status.h"
#include "ir/dim.h"
#include "ir/type.h"
#include "tensor/tensor.h"

namespace tenon::opdef {
struct OpDef;  // floor 4; the graph only carries the pointer
}

namespace tenon::ir {

class Graph;
class Model;
class Node;

using ValueId = int32_t;
inline constexpr ValueId kNoValue = -1;  ///< an optional input or output that is not there

/// Sparse constant: values, indices (int64, [n] linear or [n, rank]) and the dense shape.
struct SparseTensor {
  Tensor values, indices;
  Shape dims;
};

/// An attribute of a node.
struct Attribute {
  using Value = std::variant<std::monostate, int64_t, float, std::string, Tensor, std::unique_ptr<Graph>,
                             std::vector<int64_t>, std::vector<float>, std::vector<std::string>, std::vector<Tensor>,
                             std::vector<std::unique_ptr<Graph>>, Type, std::vector<Type>, SparseTensor>;
  std::string name;
  Value value;
};

/// An edge: a value that one node (or an input, or a constant) gives and others read.
struct ValueInfo {
  struct Use {
    Node* node;
    int index;
  };
  std::string name;
  Type type;
  Node* producer = nullptr;
  int producer_index = 0;
  std::vector<Use> uses;
  int output_uses = 0;  ///< how often it stands among the outputs of graphs
  Graph* graph = nullptr;
  bool is_input = false;           ///< an input of its graph (an initializer may be one too: a default)
  std::optional<Tensor> constant;  ///< contents known at load time
  /// Contents of a small integer tensor as expressions (row-major), when they are known: shapes and what is made of
  /// them.
  std::optional<DimVector> elements;

  bool is_constant() const { return constant.has_value() && !is_input; }
  int use_count() const { return static_cast<int>(uses.size()) + output_uses; }
};

/// One operation.
class Node {
 public:
  std::string name;
  std::string domain;  ///< "" is ai.onnx
  std::string op;
  /// Version of the operator set that the model names for this domain; `def` and `since` follow from it.
  int opset = 0;
  int since = 0;
  const opdef::OpDef* def = nullptr;
  std::vector<Attribute> attributes;
  /// Names of the nodes of the file that this one came from; empty: its own name.
  std::vector<std::string> origins;
  Graph* graph = nullptr;

  std::span<const ValueId> inputs() const { return inputs_; }
  std::span<const ValueId> outputs() const { return outputs_; }
  /// The value, or kNoValue when the position is beyond the end.
  ValueId input(size_t i) const { return i < inputs_.size() ? inputs_[i] : kNoValue; }
  ValueId output(size_t i) const { return i < outputs_.size() ? outputs_[i] : kNoValue; }

  const Attribute* find(std::string_view attribute) const;
  /// The attribute when it is there and of this type, else null.
  template <class T>
  const T* get(std::string_view attribute) const {
    const Attribute* a = find(attribute);
    return a ? std::get_if<T>(&a->value) : nullptr;
  }
  int64_t int_or(std::string_view attribute, int64_t fallback) const;
  float float_or(std::string_view attribute, float fallback) const;
  std::string_view string_or(std::string_view attribute, std::string_view fallback) const;
  /// Empty when missing.
  std::span<const int64_t> ints(std::string_view attribute) const;
  void set(std::string_view attribute, Attribute::Value value);
  void erase(std::string_view attribute);
  /// The subgraphs among the attributes, in order.
  std::vector<Graph*> subgraphs() const;
  /// "encoder/add_1" or, without a name, "Add giving 'y'".
  std::string label() const;
  /// What this node came from: `origins`, or its own label where it has none.
  std::vector<std::string> origin_names() const;
  std::string_view domain_text() const { return domain.empty() ? std::string_view("ai.onnx") : domain; }

 private:
  friend class Graph;
  std::vector<ValueId> inputs_, outputs_;
  std::list<Node>::iterator self_;
};

/// What these nodes came from, in their order (null: none): the origins of a node that takes their place. A node
/// without a name is named by its output, so ask before outputs move.
std::vector<std::string> origins_of(std::span<const Node* const> nodes);
inline std::vector<std::string> origins_of(std::initializer_list<const Node*> nodes) {
  return origins_of(std::span(nodes.begin(), nodes.size()));
}

/// An ordered list of nodes with inputs and outputs; nodes come after the nodes they read.
class Graph {
 public:
  Graph(Model& model, Graph* parent, Node* owner) : model_(&model), parent_(parent), owner_(owner) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::string name, doc;
  std::list<Node>& nodes() { return nodes_; }
  const std::list<Node>& nodes() const { return nodes_; }
  Model& model() const { return *model_; }
  Graph* parent() const { return parent_; }
  /// The node whose attribute this graph is; null for the main graph.
  Node* owner() const { return owner_; }
  void set_owner(Node* owner) { owner_ = owner; }

  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  void add_input(ValueId v);
  void add_output(ValueId v);
  void set_output(size_t i, ValueId v);
  void remove_input(size_t i);

  /// Adds a node before `before` (null: at the end). Outputs get this node as producer.
  Node& add(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs, std::string domain = "",
            Node* before = nullptr);
  /// Adds a node with one fresh output of the given name and type unknown; returns the output.
  ValueId add_one(std::string op, std::vector<ValueId> inputs, std::string output_name, Node* before = nullptr,
                  std::string domain = "");
  /// Removes a node none of whose outputs is used any more (outputs become producer-less).
  void remove(Node& node);
  void set_input(Node& node, size_t i, ValueId v);
  void append_input(Node& node, ValueId v);
  void truncate_inputs(Node& node, size_t count);
  void set_node_output(Node& node, size_t i, ValueId v);
  void truncate_outputs(Node& node, size_t count);
  /// Moves a node before another of the same graph (null: to the end).
  void move_before(Node& node, Node* before);
  /// Moves all nodes into another graph of the model, before a node of it.
  void give_nodes_to(Graph& other, Node& before);
  /// Sorts nodes so that producers come first, keeping the order otherwise. Fails on a cycle, naming a node.
  Status sort();

 private:
  void link(Node& node);
  void unlink_input(Node& node, size_t i);
  Model* model_;
  Graph* parent_;
  Node* owner_;
  std::list<Node> nodes_;
  std::vector<ValueId> inputs_, outputs_;
};

/// A whole model: graphs, the shared value table, dimension symbols, and what the file says about itself.
class Model {
 public:
  Model();
  ~Model();
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;

  DimPool& dims() { return *dims_; }
  const std::shared_ptr<DimPool>& dims_handle() const { return dims_; }
  Graph& main() { return *main_; }
  const Graph& main() const { return *main_; }

  ValueId add_value(std::string name, Graph* graph, Type type = {});
  ValueId add_constant(std::string name, Graph* graph, Tensor tensor);
  ValueInfo& value(ValueId v) { return values_[static_cast<size_t>(v)]; }
  const ValueInfo& value(ValueId v) const { return values_[static_cast<size_t>(v)]; }
  size_t value_count() const { return values_.size(); }
  /// A name that no value has yet, made from this one.
  std::string unique_name(std::string_view base);

  /// Lets every reader of `from` (nodes and graph outputs) read `to`.
  void replace_uses(ValueId from, ValueId to);
  /// A constant's tensor, or null.
  const Tensor* constant(ValueId v) const;

  // What the file says.
  int64_t ir_version = 0;
  std::string producer_name, producer_version, domain, doc, path;
  int64_t model_version = 0;
  std::map<std::string, int, std::less<>> opsets;  ///< domain ("" is ai.onnx) to version
  std::vector<std::pair<std::string, std::string>> metadata;

  /// Keeps memory alive that constants point into (file mappings).
  std::vector<Ref<Buffer>> backing;

 private:
  std::shared_ptr<DimPool> dims_;
  std::deque<ValueInfo> values_;
  std::unique_ptr<Graph> main_;
  uint64_t next_name_ = 0;
};

/// The readable listing of a graph: one line a node, with types.
std::string print(const Graph& graph);

/// Checks the invariants: uses and producers agree, every input is defined before it is read (or captured from an outer
/// graph), every value has one producer. For tests and debug builds; names the first fault.
Status verify(const Model& model);

}  // namespace tenon::ir
