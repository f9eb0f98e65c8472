// Graph: editing operations that keep producers and uses in step.
// SPDX-License-Identifier: MIT
#include "ir/graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace tenon::ir {

const Attribute* Node::find(std::string_view attribute) const {
  for (auto& a : attributes)
    if (a.name == attribute) return &a;
  return nullptr;
}
int64_t Node::int_or(std::string_view attribute, int64_t fallback) const {
  auto* v = get<int64_t>(attribute);
  return v ? *v : fallback;
}
float Node::float_or(std::string_view attribute, float fallback) const {
  auto* v = get<float>(attribute);
  return v ? *v : fallback;
}
std::string_view Node::string_or(std::string_view attribute, std::string_view fallback) const {
  auto* v = get<std::string>(attribute);
  return v ? std::string_view(*v) : fallback;
}
std::span<const int64_t> Node::ints(std::string_view attribute) const {
  auto* v = get<std::vector<int64_t>>(attribute);
  return v ? std::span<const int64_t>(*v) : std::span<const int64_t>();
}
void Node::set(std::string_view attribute, Attribute::Value value) {
  for (auto& a : attributes)
    if (a.name == attribute) {
      a.value = std::move(value);
      return;
    }
  attributes.push_back({std::string(attribute), std::move(value)});
}
void Node::erase(std::string_view attribute) {
  std::erase_if(attributes, [&](auto& a) { return a.name == attribute; });
}
std::vector<Graph*> Node::subgraphs() const {
  std::vector<Graph*> out;
  for (auto& a : attributes) {
    if (auto* g = std::get_if<std::unique_ptr<Graph>>(&a.value)) out.push_back(g->get());
    else if (auto* gs = std::get_if<std::vector<std::unique_ptr<Graph>>>(&a.value))
      for (auto& g : *gs) out.push_back(g.get());
  }
  return out;
}
std::vector<std::string> Node::origin_names() const {
  return origins.empty() ? std::vector<std::string>{label()} : origins;
}
std::vector<std::string> origins_of(std::span<const Node* const> nodes) {
  std::vector<std::string> all;
  for (const Node* n : nodes)
    if (n)
      for (auto& name : n->origin_names()) all.push_back(std::move(name));
  return all;
}
std::string Node::label() const {
  if (!name.empty()) return name;
  for (ValueId v : outputs_)
    if (v != kNoValue) return cat(op, " giving '", graph->model().value(v).name, "'");
  return op;
}

Graph::~Graph() = default;

void Graph::add_input(ValueId v) {
  inputs_.push_back(v);
  model_->value(v).is_input = true;
}
void Graph::add_output(ValueId v) {
  outputs_.push_back(v);
  if (v != kNoValue) model_->value(v).output_uses++;
}
void Graph::set_output(size_t i, ValueId v) {
  if (outputs_[i] != kNoValue) model_->value(outputs_[i]).output_uses--;
  outputs_[i] = v;
  if (v != kNoValue) model_->value(v).output_uses++;
}
void Graph::remove_input(size_t i) {
  model_->value(inputs_[i]).is_input = false;
  inputs_.erase(inputs_.begin() + static_cast<ptrdiff_t>(i));
}

void Graph::link(Node& node) {
  for (size_t i = 0; i < node.inputs_.size(); ++i)
    if (node.inputs_[i] != kNoValue) model_->value(node.inputs_[i]).uses.push_back({&node, static_cast<int>(i)});
  for (size_t i = 0; i < node.outputs_.size(); ++i) {
    if (node.outputs_[i] == kNoValue) continue;
    auto& v = model_->value(node.outputs_[i]);
    v.producer = &node;
    v.producer_index = static_cast<int>(i);
  }
}

void Graph::unlink_input(Node& node, size_t i) {
  if (node.inputs_[i] == kNoValue) return;
  auto& uses = model_->value(node.inputs_[i]).uses;
  for (size_t k = uses.size(); k-- > 0;)
    if (uses[k].node == &node && uses[k].index == static_cast<int>(i)) {
      uses.erase(uses.begin() + static_cast<ptrdiff_t>(k));
      break;
    }
}

Node& Graph::add(std::string op, std::vector<ValueId> inputs, std::vector<ValueId> outputs, std::string domain,
                 Node* before) {
  auto at = nodes_.emplace(before ? before->self_ : nodes_.end());
  Node& n = *at;
  n.self_ = at;
  n.op = std::move(op);
  n.domain = std::move(domain);
  n.graph = this;
  n.inputs_ = std::move(inputs);
  n.outputs_ = std::move(outputs);
  link(n);
  return n;
}

ValueId Graph::add_one(std::string op, std::vector<ValueId> inputs, std::string output_name, Node* before,
                       std::string domain) {
  ValueId out = model_->add_value(std::move(output_name), this);
  add(std::move(op), std::move(inputs), {out}, std::move(domain), before);
  return out;
}

void Graph::remove(Node& node) {
  for (Graph* g : node.subgraphs()) {
    for (ValueId v : std::vector<ValueId>(g->outputs_))
      if (v != kNoValue) model_->value(v).output_uses--;
    g->outputs_.clear();
    while (!g->nodes_.empty()) g->remove(g->nodes_.back());
  }
  for (size_t i = 0; i < node.inputs_.size(); ++i) unlink_input(node, i);
  for (ValueId v : node.outputs_)
    if (v != kNoValue && model_->value(v).producer == &node) model_->value(v).producer = nullptr;
  nodes_.erase(node.self_);
}

void Graph::set_input(Node& node, size_t i, ValueId v) {
  unlink_input(node, i);
  node.inputs_[i] = v;
  if (v != kNoValue) model_->value(v).uses.push_back({&node, static_cast<int>(i)});
}
void Graph::append_input(Node& node, ValueId v) {
  node.inputs_.push_back(kNoValue);
  set_input(node, node.inputs_.size() - 1, v);
}
void Graph::truncate_inputs(Node& node, size_t count) {
  while (node.inputs_.size() > count) {
    unlink_input(node, node.inputs_.size() - 1);
    node.inputs_.pop_back();
  }
}
void Graph::set_node_output(Node& node, size_t i, ValueId v) {
  ValueId old = node.outputs_[i];
  if (old != kNoValue && model_->value(old).producer == &node) model_->value(old).producer = nullptr;
  node.outputs_[i] = v;
  if (v != kNoValue) {
    model_->value(v).producer = &node;
    model_->value(v).producer_index = static_cast<int>(i);
  }
}
void Graph::truncate_outputs(Node& node, size_t count) {
  while (node.outputs_.size() > count) {
    set_node_output(node, node.outputs_.size() - 1, kNoValue);
    node.outputs_.pop_back();
  }
}
void Graph::move_before(Node& node, Node* before) {
  nodes_.splice(before ? before->self_ : nodes_.end(), nodes_, node.self_);
}

void Graph::give_nodes_to(Graph& other, Node& before) {
  for (auto& n : nodes_) {
    n.graph = &other;
    for (ValueId v : n.outputs_)
      if (v != kNoValue) model_->value(v).graph = &other;
    for (Graph* g : n.subgraphs()) g->parent_ = &other;
  }
  other.nodes_.splice(before.self_, nodes_);
}

namespace {
/// Calls visit for every value that the node reads from outside its own subgraphs, those read inside them included.
template <class F>
void visit_reads(const Node& node, const F& visit) {
  for (ValueId v : node.inputs())
    if (v != kNoValue) visit(v);
  for (Graph* g : node.subgraphs()) {
    for (auto& inner : g->nodes()) visit_reads(inner, visit);
    for (ValueId v : g->outputs())
      if (v != kNoValue) visit(v);
  }
}
}  // namespace

Status Graph::sort() {
  std::unordered_map<const Node*, int> waiting;  // producers of this graph not yet placed
  std::unordered_map<const Node*, std::vector<Node*>> readers;
  bool in_order = true;
  std::unordered_set<const Node*> seen;
  for (auto& n : nodes_) {
    std::unordered_set<const Node*> needs;
    visit_reads(n, [&](ValueId v) {
      Node* p = model_->value(v).producer;
      if (p && p->graph == this && needs.insert(p).second) {
        readers[p].push_back(&n);
        if (!seen.count(p)) in_order = false;
      }
    });
    waiting[&n] = static_cast<int>(needs.size());
    seen.insert(&n);
  }
  if (in_order) return {};
  std::unordered_map<const Node*, size_t> place;
  std::vector<Node*> order;
  for (auto& n : nodes_) {
    place[&n] = order.size();
    order.push_back(&n);
  }
  std::vector<size_t> ready;  // a heap of places, smallest first
  auto later = std::greater<size_t>();
  for (auto* n : order)
    if (waiting[n] == 0) ready.push_back(place[n]);
  std::make_heap(ready.begin(), ready.end(), later);
  size_t placed = 0;
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), later);
    Node* n = order[ready.back()];
    ready.pop_back();
    nodes_.splice(nodes_.end(), nodes_, n->self_);
    ++placed;
    for (Node* r : readers[n])
      if (--waiting[r] == 0) {
        ready.push_back(place[r]);
        std::push_heap(ready.begin(), ready.end(), later);
      }
  }
  if (placed != order.size())
    for (auto* n : order)
      if (waiting[n] > 0)
        return error(Code::kInvalidGraph, "the graph is not acyclic: node '", n->label(), "' reads its own result");
  return {};
}

Model::Model() : dims_(std::make_shared<DimPool>()), main_(std::make_unique<Graph>(*this, nullptr, nullptr)) {}
Model::~Model() = default;

ValueId Model::add_value(std::string name, Graph* graph, Type type) {
  ValueId id = static_cast<ValueId>(values_.size());
  auto& v = values_.emplace_back();
  v.name = std::move(name);
  v.graph = graph;
  v.type = std::move(type);
  return id;
}

ValueId Model::add_constant(std::string name, Graph* graph, Tensor tensor) {
  DimVector shape;
  for (int64_t d : tensor.shape()) shape.push_back(d);
  ValueId id = add_value(std::move(name), graph, Type::tensor(tensor.dtype(), shape));
  value(id).constant = std::move(tensor);
  return id;
}

std::string Model::unique_name(std::string_view base) { return cat(base, "/tenon_", next_name_++); }

void Model::replace_uses(ValueId from, ValueId to) {
  if (from == to) return;
  auto uses = std::move(value(from).uses);
  value(from).uses.clear();
  for (auto& u : uses) { u.node->graph->set_input(*u.node, static_cast<size_t>(u.index), to); }
  if (value(from).output_uses == 0) return;
  auto fix = [&](auto&& self, Graph& g) -> void {
    for (size_t i = 0; i < g.outputs().size(); ++i)
      if (g.outputs()[i] == from) g.set_output(i, to);
    for (auto& n : g.nodes())
      for (Graph* s : n.subgraphs()) self(self, *s);
  };
  fix(fix, *main_);
}

const Tensor* Model::constant(ValueId v) const {
  if (v == kNoValue) return nullptr;
  auto& info = value(v);
  return info.is_constant() ? &*info.constant : nullptr;
}

namespace {
void print_graph(const Graph& g, const std::string& indent, std::string& out) {
  const Model& m = g.model();
  auto say = [&](ValueId v) { return v == kNoValue ? std::string("-") : "%" + m.value(v).name; };
  out += indent + "graph " + g.name + "(";
  for (size_t i = 0; i < g.inputs().size(); ++i)
    out += cat(i ? ", " : "", say(g.inputs()[i]), ": ", m.value(g.inputs()[i]).type);
  out += ")\n";
  for (auto& n : g.nodes()) {
    out += indent + "  ";
    for (size_t i = 0; i < n.outputs().size(); ++i) {
      ValueId v = n.outputs()[i];
      out += cat(i ? ", " : "", say(v), v == kNoValue ? std::string() : ": " + m.value(v).type.to_string());
    }
    out += cat(" = ", n.domain.empty() ? "" : n.domain + ".", n.op, "(");
    for (size_t i = 0; i < n.inputs().size(); ++i) out += cat(i ? ", " : "", say(n.inputs()[i]));
    out += ")\n";
    for (Graph* s : n.subgraphs()) print_graph(*s, indent + "    ", out);
  }
  out += indent + "  return ";
  for (size_t i = 0; i < g.outputs().size(); ++i) out += cat(i ? ", " : "", say(g.outputs()[i]));
  out += "\n";
}

Status verify_graph(const Graph& g, std::unordered_set<ValueId>& defined) {
  const Model& m = g.model();
  std::vector<ValueId> added;
  auto define = [&](ValueId v) {
    if (defined.insert(v).second) added.push_back(v);
  };
  for (ValueId v : g.inputs()) define(v);
  auto readable = [&](ValueId v) { return defined.count(v) || m.value(v).constant.has_value(); };
  for (auto& n : g.nodes()) {
    if (n.graph != &g) return error(Code::kInvalidGraph, "node '", n.label(), "' is not of its graph");
    for (size_t i = 0; i < n.inputs().size(); ++i) {
      ValueId v = n.inputs()[i];
      if (v == kNoValue) continue;
      if (!readable(v))
        return error(Code::kInvalidGraph, "node '", n.label(), "' reads '", m.value(v).name, "' before it is made");
      int found = 0;
      for (auto& u : m.value(v).uses) found += u.node == &n && u.index == static_cast<int>(i);
      if (found != 1) return error(Code::kInvalidGraph, "uses of '", m.value(v).name, "' are out of step");
    }
    for (Graph* s : n.subgraphs()) TENON_TRY(verify_graph(*s, defined));
    for (ValueId v : n.outputs()) {
      if (v == kNoValue) continue;
      if (m.value(v).producer != &n) return error(Code::kInvalidGraph, "'", m.value(v).name, "' has another producer");
      if (defined.count(v)) return error(Code::kInvalidGraph, "'", m.value(v).name, "' is made twice");
      define(v);
    }
  }
  for (ValueId v : g.outputs())
    if (v == kNoValue || !readable(v))
      return error(Code::kInvalidGraph, "output '", v == kNoValue ? "" : m.value(v).name, "' of graph '", g.name,
                   "' is not made by any node");
  for (ValueId v : added) defined.erase(v);
  return {};
}
}  // namespace

std::string print(const Graph& graph) {
  std::string out;
  print_graph(graph, "", out);
  return out;
}

Status verify(const Model& model) {
  std::unordered_set<ValueId> defined;
  return verify_graph(model.main(), defined);
}

}  // namespace tenon::ir
