// Export: graphs, nodes, attributes, types and initializers. Field numbers are those of onnx.proto.
// SPDX-License-Identifier: MIT
#include "model/onnx/export.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "model/onnx/proto.h"
#include "opdef/op.h"
#include "opdef/registry.h"

namespace tenon::model::onnx {
namespace {

using ir::kNoValue;
using ir::ValueId;

class Exporter {
 public:
  Exporter(const ir::Model& model, const PlaceTensor& place) : model_(model), place_(place) {}
  Result<Message> run();

 private:
  void name_values();
  void name_value(ValueId v);
  void name_graph(const ir::Graph& graph);
  const std::string& name(ValueId v) const { return names_[static_cast<size_t>(v)]; }
  std::string fresh_name(const std::string& base);

  Status choose_opsets();
  void collect(const ir::Graph& graph, std::map<std::string, std::vector<const ir::Node*>>& by_domain) const;

  Result<Message> graph_message(const ir::Graph& graph, bool main);
  Result<Message> node_message(const ir::Node& node);
  Result<Message> attribute_message(const ir::Attribute& a);
  Result<Message> tensor_message(const Tensor& t, std::string_view label, bool initializer);
  Result<Message> sparse_message(const ir::SparseTensor& s);
  Message type_message(const ir::Type& type) const;
  Message value_message(ValueId v) const;

  const ir::Model& model_;
  const PlaceTensor& place_;
  std::vector<std::string> names_;
  std::unordered_set<std::string> taken_;
  uint64_t next_ = 0;
  std::map<std::string, int> opsets_;
  bool upgraded_ = false;
};

std::string Exporter::fresh_name(const std::string& base) {
  std::string name = base;
  while (name.empty() || !taken_.insert(name).second) name = cat(base, "__", next_++);
  return name;
}

void Exporter::name_value(ValueId v) {
  if (v == kNoValue || !names_[static_cast<size_t>(v)].empty()) return;
  names_[static_cast<size_t>(v)] = fresh_name(model_.value(v).name);
}

void Exporter::name_graph(const ir::Graph& graph) {
  for (ValueId v : graph.inputs()) name_value(v);
  for (auto& n : graph.nodes()) {
    for (ValueId v : n.outputs()) name_value(v);
    for (ValueId v : n.inputs()) name_value(v);
    for (const ir::Graph* s : n.subgraphs()) name_graph(*s);
  }
  for (ValueId v : graph.outputs()) name_value(v);
}

void Exporter::name_values() {
  names_.resize(model_.value_count());
  for (ValueId v : model_.main().inputs()) name_value(v);  // these come first: their names must stay
  for (ValueId v : model_.main().outputs()) name_value(v);
  name_graph(model_.main());
}

void Exporter::collect(const ir::Graph& graph, std::map<std::string, std::vector<const ir::Node*>>& by_domain) const {
  for (auto& n : graph.nodes()) {
    by_domain[n.domain].push_back(&n);
    for (const ir::Graph* s : n.subgraphs()) collect(*s, by_domain);
  }
}

Status Exporter::choose_opsets() {
  std::map<std::string, std::vector<const ir::Node*>> by_domain;
  by_domain[""];
  collect(model_.main(), by_domain);
  for (auto& [domain, nodes] : by_domain) {
    std::set<int, std::greater<int>> versions;
    if (auto found = model_.opsets.find(domain); found != model_.opsets.end()) versions.insert(found->second);
    const int stated = versions.empty() ? 0 : *versions.begin();
    for (auto* n : nodes)
      versions.insert(n->opset > 0 ? n->opset : domain.empty() ? opdef::kNewestOpset : n->def ? n->def->newest() : 1);
    if (domain.empty()) versions.insert(opdef::kNewestOpset);
    // A version is right when every node means in it what it means here.
    auto fits = [&](int version, const ir::Node& n) {
      return n.def && n.since > 0 ? n.def->since_for(version) == n.since : n.opset == version || n.opset == 0;
    };
    int chosen = 0;
    const ir::Node* misfit = nullptr;
    std::vector<int> order;  // what the model states first, then the newest
    if (stated) order.push_back(stated);
    for (int v : versions)
      if (v != stated) order.push_back(v);
    for (int v : order) {
      misfit = nullptr;
      for (auto* n : nodes)
        if (!fits(v, *n)) misfit = n;
      if (misfit) continue;
      chosen = v;
      break;
    }
    if (!chosen)
      return error(Code::kNotImplemented, "the model mixes versions of operator set ",
                   domain.empty() ? "ai.onnx" : domain, " that one import cannot name; node '",
                   misfit ? misfit->label() : "", "' is one of them");
    if (chosen != stated) upgraded_ = true;
    opsets_[domain] = chosen;
  }
  return {};
}

Message Exporter::type_message(const ir::Type& type) const {
  using Kind = ir::Type::Kind;
  Message inner, out;
  switch (type.kind) {
    case Kind::kUnknown: return out;
    case Kind::kOpaque: out.message(7, std::move(inner)); return out;
    case Kind::kSequence:
    case Kind::kOptional:
      if (type.inner) inner.message(1, type_message(*type.inner));
      out.message(type.kind == Kind::kSequence ? 4 : 9, std::move(inner));
      return out;
    case Kind::kMap:
      inner.number(1, static_cast<int64_t>(type.dtype));
      if (type.inner) inner.message(2, type_message(*type.inner));
      out.message(5, std::move(inner));
      return out;
    case Kind::kTensor:
    case Kind::kSparseTensor: break;
  }
  inner.number(1, static_cast<int64_t>(type.dtype));
  if (type.has_shape) {
    Message shape;
    for (ir::Dim d : type.shape) {
      Message dim;
      if (d.is_const()) {
        dim.number(1, d.value());
      } else if (auto symbol = ir::as_symbol(d)) {
        dim.text_if(2, const_cast<ir::Model&>(model_).dims().symbol_name(*symbol));
      }
      shape.message(1, std::move(dim));
    }
    inner.message(2, std::move(shape));
  }
  out.message(type.kind == Kind::kTensor ? 1 : 8, std::move(inner));
  return out;
}

Message Exporter::value_message(ValueId v) const {
  Message out;
  out.text(1, name(v));
  auto& type = model_.value(v).type;
  if (type.known()) out.message(2, type_message(type));
  return out;
}

Result<Message> Exporter::tensor_message(const Tensor& t, std::string_view label, bool initializer) {
  Message out;
  for (int64_t d : t.shape()) out.number(1, d);
  out.number(2, static_cast<int64_t>(t.dtype()));
  if (t.dtype() == DType::kString) {
    for (auto& s : t.items<StringRef>()) out.text(6, s.view());
    out.text_if(8, label);
    return out;
  }
  out.text_if(8, label);
  if (initializer && place_) {
    TENON_ASSIGN(auto place, place_(t));
    if (place) {
      for (auto& [key, value] : {std::pair<std::string, std::string>{"location", place->file},
                                 {"offset", cat(place->offset)},
                                 {"length", cat(t.bytes())}}) {
        Message entry;
        entry.text(1, key);
        entry.text(2, value);
        out.message(13, std::move(entry));
      }
      out.number(14, 1);
      return out;
    }
  }
  out.bytes(9, t.data(), static_cast<size_t>(t.bytes()));
  return out;
}

Result<Message> Exporter::sparse_message(const ir::SparseTensor& s) {
  Message out;
  TENON_ASSIGN(auto values, tensor_message(s.values, {}, false));
  TENON_ASSIGN(auto indices, tensor_message(s.indices, {}, false));
  out.message(1, std::move(values));
  out.message(2, std::move(indices));
  for (int64_t d : s.dims) out.number(3, d);
  return out;
}

Result<Message> Exporter::attribute_message(const ir::Attribute& a) {
  Message out;
  out.text(1, a.name);
  auto type = [&](AttributeType t) { out.number(20, static_cast<int64_t>(t)); };
  using T = AttributeType;
  auto& v = a.value;
  if (auto* i = std::get_if<int64_t>(&v)) {
    out.number(3, *i);
    type(T::kInt);
  } else if (auto* f = std::get_if<float>(&v)) {
    out.real(2, *f);
    type(T::kFloat);
  } else if (auto* s = std::get_if<std::string>(&v)) {
    out.text(4, *s);
    type(T::kString);
  } else if (auto* t = std::get_if<Tensor>(&v)) {
    TENON_ASSIGN(auto m, tensor_message(*t, {}, false));
    out.message(5, std::move(m));
    type(T::kTensor);
  } else if (auto* g = std::get_if<std::unique_ptr<ir::Graph>>(&v)) {
    TENON_ASSIGN(auto m, graph_message(**g, false));
    out.message(6, std::move(m));
    type(T::kGraph);
  } else if (auto* is = std::get_if<std::vector<int64_t>>(&v)) {
    for (int64_t i : *is) out.number(8, i);
    type(T::kInts);
  } else if (auto* fs = std::get_if<std::vector<float>>(&v)) {
    for (float f : *fs) out.real(7, f);
    type(T::kFloats);
  } else if (auto* ss = std::get_if<std::vector<std::string>>(&v)) {
    for (auto& s : *ss) out.text(9, s);
    type(T::kStrings);
  } else if (auto* ts = std::get_if<std::vector<Tensor>>(&v)) {
    for (auto& t : *ts) {
      TENON_ASSIGN(auto m, tensor_message(t, {}, false));
      out.message(10, std::move(m));
    }
    type(T::kTensors);
  } else if (auto* gs = std::get_if<std::vector<std::unique_ptr<ir::Graph>>>(&v)) {
    for (auto& g : *gs) {
      TENON_ASSIGN(auto m, graph_message(*g, false));
      out.message(11, std::move(m));
    }
    type(T::kGraphs);
  } else if (auto* tp = std::get_if<ir::Type>(&v)) {
    out.message(14, type_message(*tp));
    type(T::kType);
  } else if (auto* tps = std::get_if<std::vector<ir::Type>>(&v)) {
    for (auto& t : *tps) out.message(15, type_message(t));
    type(T::kTypes);
  } else if (auto* sp = std::get_if<ir::SparseTensor>(&v)) {
    TENON_ASSIGN(auto m, sparse_message(*sp));
    out.message(22, std::move(m));
    type(T::kSparseTensor);
  }
  return out;
}

Result<Message> Exporter::node_message(const ir::Node& node) {
  Message out;
  for (ValueId v : node.inputs()) out.text(1, v == kNoValue ? std::string_view() : std::string_view(name(v)));
  for (ValueId v : node.outputs()) out.text(2, v == kNoValue ? std::string_view() : std::string_view(name(v)));
  out.text_if(3, node.name);
  out.text(4, node.op);
  out.text_if(7, node.domain);
  for (auto& a : node.attributes) {
    auto m = attribute_message(a);
    if (!m.ok()) return std::move(m).status().with("node", node.label());
    out.message(5, std::move(m).value());
  }
  return out;
}

Result<Message> Exporter::graph_message(const ir::Graph& graph, bool main) {
  Message out;
  std::unordered_set<ValueId> own;  // what this graph gives itself, and may therefore be its output
  for (ValueId v : graph.inputs()) own.insert(v);
  for (auto& n : graph.nodes()) {
    TENON_ASSIGN(auto m, node_message(n));
    out.message(1, std::move(m));
    for (ValueId v : n.outputs()) own.insert(v);
  }
  std::vector<Message> outputs;
  for (ValueId v : graph.outputs()) {
    if (v == kNoValue) return error(Code::kInvalidGraph, "graph '", graph.name, "' has an output without a value");
    if (main || own.count(v)) {
      outputs.push_back(value_message(v));
      continue;
    }
    // The output of a subgraph that comes from outside or is a constant: ONNX wants a node in between.
    const std::string copy = fresh_name(cat(name(v), "_out"));
    Message node, value;
    node.text(1, name(v));
    node.text(2, copy);
    node.text(4, "Identity");
    out.message(1, std::move(node));
    value.text(1, copy);
    if (model_.value(v).type.known()) value.message(2, type_message(model_.value(v).type));
    outputs.push_back(std::move(value));
  }
  out.text(2, graph.name.empty() ? "graph" : graph.name);
  // Constants stand in the main graph, where every subgraph sees them; only defaults of inputs stand with their input.
  std::vector<ValueId> constants;
  if (main) {
    for (ValueId v = 0; v < static_cast<ValueId>(model_.value_count()); ++v)
      if (model_.constant(v) && model_.value(v).use_count() > 0 && !name(v).empty()) constants.push_back(v);
  }
  for (ValueId v : graph.inputs())
    if (model_.value(v).constant) constants.push_back(v);
  for (ValueId v : constants) {
    TENON_ASSIGN(auto m, tensor_message(*model_.value(v).constant, name(v), true));
    out.message(5, std::move(m));
  }
  out.text_if(10, graph.doc);
  for (ValueId v : graph.inputs()) out.message(11, value_message(v));
  for (auto& m : outputs) out.message(12, std::move(m));
  for (auto& n : graph.nodes())
    for (ValueId v : n.outputs())
      if (v != kNoValue && model_.value(v).type.known() &&
          std::find(graph.outputs().begin(), graph.outputs().end(), v) == graph.outputs().end())
        out.message(13, value_message(v));
  return out;
}

Result<Message> Exporter::run() {
  name_values();
  TENON_TRY(choose_opsets());
  Message out;
  out.number(1, upgraded_ ? opdef::kNewestIr : std::max<int64_t>(model_.ir_version, 4));
  out.text_if(2, model_.producer_name);
  out.text_if(3, model_.producer_version);
  out.text_if(4, model_.domain);
  out.number(5, model_.model_version);
  out.text_if(6, model_.doc);
  TENON_ASSIGN(auto graph, graph_message(model_.main(), true));
  out.message(7, std::move(graph));
  for (auto& [domain, version] : opsets_) {
    Message opset;
    opset.text_if(1, domain);
    opset.number(2, version);
    out.message(8, std::move(opset));
  }
  for (auto& [key, value] : model_.metadata) {
    Message entry;
    entry.text(1, key);
    entry.text(2, value);
    out.message(14, std::move(entry));
  }
  return out;
}

}  // namespace

Result<Message> export_model(const ir::Model& model, const PlaceTensor& place) { return Exporter(model, place).run(); }

}  // namespace tenon::model::onnx
