// Import: names to values, nodes, attributes, functions.
// SPDX-License-Identifier: MIT
#include "model/onnx/import.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "model/onnx/functions.h"
#include "model/onnx/import_type.h"
#include "model/onnx/proto.h"
#include "model/onnx/tensor.h"
#include "model/read.h"
#include "opdef/registry.h"

namespace tenon::model::onnx {
namespace {

using ir::kNoValue;
using ir::ValueId;

/// The longest prefix that calls put before the names of what they unfold to.
constexpr size_t kMaxPrefix = 200;

/// The names of one graph or function body; `outer` is where captured names are looked for (null: nowhere).
struct Scope {
  const Scope* outer = nullptr;
  std::unordered_map<std::string_view, ValueId> names;

  std::optional<ValueId> find(std::string_view name) const {
    for (const Scope* s = this; s; s = s->outer)
      if (auto found = s->names.find(name); found != s->names.end()) return found->second;
    return {};
  }
};

struct Frame;

/// An attribute of a call: its text belongs to where the call stands.
struct Argument {
  AttributeProto proto;
  const Frame* frame = nullptr;
  const Scope* scope = nullptr;
};

/// One function call that is being unfolded; without a function: the main graph.
struct Frame {
  const Function* function = nullptr;
  const Opsets* opsets = nullptr;
  std::string prefix;
  std::string origin;  ///< label of the file's node that all this came from
  std::unordered_map<std::string_view, Argument> arguments;
};

Status no_such_name(std::string_view name) {
  return invalid("Invalid model. Node input '", name,
                 "' is not a graph input, initializer, or output of a previous node.");
}

Status defined_twice(std::string_view name) {
  return error(Code::kFail, "This is an invalid model. Error: Duplicate definition of name (", name, ").");
}

class Importer {
 public:
  Importer(ir::Model& model, Ref<Buffer> file, bool mapped, ExternalData& external, const ReadOptions& options)
      : model_(model), options_(options), tensors_(std::move(file), mapped, external) {}
  Status run(const ModelProto& proto);

 private:
  Status import_graph(const GraphProto& proto, ir::Graph& graph, const Frame& frame, const Scope* outer, int depth);
  Status import_inputs(const GraphProto& proto, ir::Graph& graph, const Frame& frame, Scope& scope,
                       const std::unordered_set<std::string_view>& left_out);
  Status import_initializers(const GraphProto& proto, ir::Graph& graph, const Frame& frame, Scope& scope);
  Status import_types(std::span<const Bytes> infos, const Scope& scope);
  Status declare(std::span<const Bytes> nodes, ir::Graph& graph, const Frame& frame, Scope& scope,
                 std::unordered_map<std::string_view, ValueId>* bound);
  Status import_node(Bytes bytes, ir::Graph& graph, const Frame& frame, const Scope& scope, int depth);
  Status import_attributes(const NodeProto& proto, ir::Node& node, const Frame& frame, const Scope& scope, int depth);
  Result<ir::Attribute::Value> attribute_value(const AttributeProto& proto, ir::Node& node, const Frame& frame,
                                               const Scope* scope, int depth);
  Status import_constant(const NodeProto& proto, const Frame& frame, const Scope& scope);
  Status unfold(const Function& function, const NodeProto& call, ir::Graph& graph, const Frame& frame,
                const Scope& scope, int depth);
  /// The attribute of the call where this one refers to it; `missing` when the call does not give it.
  Result<const Argument*> argument(const AttributeProto& proto, const Frame& frame);
  Result<int> opset_of(std::string_view domain, std::string_view op, const Frame& frame) const;
  Result<Tensor> tensor(Bytes bytes, const Frame& frame);
  /// Weights are shared by all calls and the nodes of subgraphs are counted themselves: neither is growth.
  void spare_shared(const AttributeProto& a, const Frame& frame) {
    if (frame.function) unfolded_bytes_ -= static_cast<int64_t>(a.tensor.size() + a.graph.size());
  }
  std::string prefix_of(const NodeProto& call, const Frame& frame);

  ir::Model& model_;
  const ReadOptions& options_;
  TensorReader tensors_;
  FunctionTable functions_;
  std::unordered_map<const uint8_t*, Tensor> shared_;  ///< tensors of function bodies, read once for all calls
  std::unordered_set<std::string> prefixes_;
  int64_t unfolded_nodes_ = 0, unfolded_bytes_ = 0;
};

Status Importer::run(const ModelProto& proto) {
  if (!proto.has_graph) return invalid("No graph was found in the protobuf.");
  if (!proto.has_ir_version) return error(Code::kFail, "Missing model IR version.");
  if (proto.ir_version > opdef::kNewestIr)
    return error(Code::kFail, "Unsupported model IR version: ", proto.ir_version,
                 ", max supported IR version: ", opdef::kNewestIr);
  model_.ir_version = proto.ir_version;
  model_.producer_name = proto.producer_name;
  model_.producer_version = proto.producer_version;
  model_.domain = proto.domain;
  model_.doc = proto.doc;
  model_.model_version = proto.model_version;
  for (auto& [key, value] : proto.metadata) model_.metadata.emplace_back(key, value);
  TENON_ASSIGN(model_.opsets, read_opsets(proto.opsets));
  if (model_.opsets.empty()) {
    if (proto.ir_version >= 3)
      return error(Code::kFail, "Missing opset in the model. A model of IR version 3 or newer imports at least one.");
    model_.opsets[""] = 1;
  }
  auto keep = [&](std::string_view domain, std::string_view op) {
    return options_.known && options_.known(domain, op);
  };
  TENON_TRY(functions_.load(proto.functions, keep));
  TENON_TRY(functions_.check_growth(proto.graph.nodes));
  Frame frame;
  frame.opsets = &model_.opsets;
  return import_graph(proto.graph, model_.main(), frame, nullptr, 0);
}

Status Importer::import_graph(const GraphProto& proto, ir::Graph& graph, const Frame& frame, const Scope* outer,
                              int depth) {
  if (depth > kMaxDepth)
    return error(Code::kFail, "subgraphs and function calls are nested more than ", kMaxDepth, " deep");
  graph.name = proto.name;
  graph.doc = proto.doc;
  Scope scope;
  scope.outer = outer;
  // Before IR version 4 every initializer had to be an input as well, without meaning that it can be fed.
  std::unordered_set<std::string_view> left_out;
  if (!graph.owner() && model_.ir_version < 4) {
    for (Bytes b : proto.initializers) {
      TensorProto t;
      TENON_TRY(parse(b, &t));
      left_out.insert(t.name);
    }
  }
  TENON_TRY(import_inputs(proto, graph, frame, scope, left_out));
  TENON_TRY(import_initializers(proto, graph, frame, scope));
  TENON_TRY(declare(proto.nodes, graph, frame, scope, nullptr));
  TENON_TRY(import_types(proto.value_infos, scope));
  TENON_TRY(import_types(proto.outputs, scope));
  for (Bytes b : proto.nodes) TENON_TRY(import_node(b, graph, frame, scope, depth));
  for (Bytes b : proto.outputs) {
    ValueInfoProto info;
    TENON_TRY(parse(b, &info));
    auto v = scope.find(info.name);
    if (!v || *v == kNoValue)
      return error(Code::kFail, "This is an invalid model. Graph output (", info.name,
                   ") does not exist in the graph.");
    graph.add_output(*v);
  }
  return graph.sort();
}

Status Importer::import_inputs(const GraphProto& proto, ir::Graph& graph, const Frame& frame, Scope& scope,
                               const std::unordered_set<std::string_view>& left_out) {
  for (Bytes b : proto.inputs) {
    ValueInfoProto info;
    TENON_TRY(parse(b, &info));
    if (left_out.count(info.name)) continue;
    if (info.name.empty()) return error(Code::kInvalidGraph, "an input of graph '", proto.name, "' has no name");
    auto type = import_type(info.type, model_.dims());
    if (!type.ok()) return std::move(type).status().with("input", std::string(info.name));
    if (!graph.owner() && !type->known())
      return error(Code::kInvalidGraph, "graph input '", info.name, "' has no type");
    if (scope.names.count(info.name)) return defined_twice(info.name);
    const ValueId v = model_.add_value(cat(frame.prefix, info.name), &graph, std::move(type).value());
    scope.names[info.name] = v;
    graph.add_input(v);
  }
  return {};
}

Status Importer::import_initializers(const GraphProto& proto, ir::Graph& graph, const Frame& frame, Scope& scope) {
  std::unordered_set<std::string_view> seen;
  auto add = [&](std::string_view name, Tensor tensor) -> Status {
    if (name.empty()) return error(Code::kInvalidGraph, "an initializer of graph '", proto.name, "' has no name");
    if (!seen.insert(name).second) return defined_twice(name);
    if (auto input = scope.names.find(name); input != scope.names.end()) {
      auto& value = model_.value(input->second);
      if (value.type.is_tensor() && value.type.dtype != tensor.dtype())
        return error(Code::kFail, "Type Error: initializer ", name, " is ", tensor.to_string(),
                     ", the input of its name ", value.type);
      value.constant = std::move(tensor);
    } else {
      scope.names[name] = model_.add_constant(cat(frame.prefix, name), &graph, std::move(tensor));
    }
    return {};
  };
  for (Bytes b : proto.initializers) {
    TensorProto t;
    TENON_TRY(parse(b, &t));
    auto in_context = [&](Status&& s) { return std::move(s).with("initializer", std::string(t.name)); };
    auto given = graph.owner() ? options_.initializers.end() : options_.initializers.find(t.name);
    if (given != options_.initializers.end()) {
      auto type = tensors_.type_of(t);
      if (!type.ok()) return in_context(std::move(type).status());
      if (type->first != given->second.dtype() || !(type->second == given->second.shape()))
        return in_context(invalid("the tensor given for initializer ", t.name, " is ", given->second.to_string(),
                                  ", the model has ", name(type->first), list_text(type->second)));
      TENON_TRY(add(t.name, given->second));
      continue;
    }
    auto read = frame.function ? tensor(b, frame) : tensors_.read(t);
    if (!read.ok()) return in_context(std::move(read).status());
    TENON_TRY(add(t.name, std::move(read).value()));
  }
  for (Bytes b : proto.sparse_initializers) {
    std::string_view label;
    auto sparse = tensors_.read_sparse(b, &label);
    if (!sparse.ok()) return std::move(sparse).status().with("initializer", std::string(label));
    auto dense = densify(*sparse);
    if (!dense.ok()) return std::move(dense).status().with("initializer", std::string(label));
    TENON_TRY(add(label, std::move(dense).value()));
  }
  return {};
}

Status Importer::import_types(std::span<const Bytes> infos, const Scope& scope) {
  for (Bytes b : infos) {
    ValueInfoProto info;
    TENON_TRY(parse(b, &info));
    auto found = scope.names.find(info.name);
    if (found == scope.names.end() || found->second == kNoValue) continue;
    auto& value = model_.value(found->second);
    if (value.type.known()) continue;
    auto type = import_type(info.type, model_.dims());
    if (!type.ok()) return std::move(type).status().with("value", std::string(info.name));
    value.type = std::move(type).value();
  }
  return {};
}

/// Makes the values that nodes give, so that nodes may stand in any order. `bound`: names of function outputs whose
/// values the caller has; those that a node gives are taken out of it.
Status Importer::declare(std::span<const Bytes> nodes, ir::Graph& graph, const Frame& frame, Scope& scope,
                         std::unordered_map<std::string_view, ValueId>* bound) {
  std::vector<std::string_view> outputs;
  for (Bytes b : nodes) {
    outputs.clear();
    TENON_TRY(parse_outputs(b, &outputs));
    for (auto output : outputs) {
      if (output.empty()) continue;
      auto [place, fresh] = scope.names.emplace(output, kNoValue);
      if (!fresh) {
        NodeProto node;
        TENON_TRY(parse(b, &node));
        return defined_twice(output).with("node", label(node));
      }
      if (bound) {
        if (auto found = bound->find(output); found != bound->end()) {
          place->second = found->second;
          bound->erase(found);
          continue;
        }
      }
      place->second = model_.add_value(cat(frame.prefix, output), &graph);
    }
  }
  return {};
}

Status Importer::import_node(Bytes bytes, ir::Graph& graph, const Frame& frame, const Scope& scope, int depth) {
  NodeProto proto;
  TENON_TRY(parse(bytes, &proto));
  auto at_node = [&](Status&& s) { return std::move(s).with("node", cat(frame.prefix, label(proto))); };
  if (proto.op.empty()) return at_node(error(Code::kInvalidGraph, "a node has no operator"));
  if (frame.function) {
    unfolded_nodes_ += 1;
    unfolded_bytes_ += static_cast<int64_t>(bytes.size());
    if (unfolded_nodes_ > kMaxInlinedNodes)
      return at_node(error(Code::kFail, "the functions of the model unfold to more than ", kMaxInlinedNodes, " nodes"));
  }
  if (const Function* function = functions_.find(proto.domain, proto.op, proto.overload)) {
    Status s = unfold(*function, proto, graph, frame, scope, depth + 1);
    return s.ok() ? std::move(s) : at_node(std::move(s));
  }
  auto opset = opset_of(proto.domain, proto.op, frame);
  if (!opset.ok()) return at_node(std::move(opset).status());
  if (proto.op == "Constant" && proto.domain.empty()) {
    Status s = import_constant(proto, frame, scope);
    return s.ok() ? std::move(s) : at_node(std::move(s));
  }
  std::vector<ValueId> inputs, outputs;
  for (auto input : proto.inputs) {
    auto v = input.empty() ? std::optional(kNoValue) : scope.find(input);
    if (!v) return at_node(no_such_name(input));
    inputs.push_back(*v);
  }
  for (auto output : proto.outputs) outputs.push_back(output.empty() ? kNoValue : scope.names.at(output));
  ir::Node& node = graph.add(std::string(proto.op), std::move(inputs), std::move(outputs), std::string(proto.domain));
  node.name = frame.function && proto.name.empty() ? std::string() : cat(frame.prefix, proto.name);
  node.opset = *opset;
  if (!frame.origin.empty()) node.origins.push_back(frame.origin);
  Status s = import_attributes(proto, node, frame, scope, depth);
  return s.ok() ? std::move(s) : at_node(std::move(s));
}

Result<int> Importer::opset_of(std::string_view domain, std::string_view op, const Frame& frame) const {
  if (auto found = frame.opsets->find(domain); found != frame.opsets->end()) return found->second;
  if (auto found = model_.opsets.find(domain); found != model_.opsets.end()) return found->second;
  // Domains that exporters leave out and whose versions say nothing.
  if (domain == "com.microsoft" || domain == "com.microsoft.nchwc" || domain == "com.ms.internal.nhwc") return 1;
  if (domain.empty())
    return error(Code::kInvalidGraph, "operator ", op, " needs an opset import of ai.onnx, which the model lacks");
  return error(Code::kFail, "Fatal error: ", domain, ":", op,
               "(-1) is not a registered function/op: the model does not import '", domain, "'");
}

Result<const Argument*> Importer::argument(const AttributeProto& proto, const Frame& frame) {
  if (!frame.function)
    return error(Code::kInvalidGraph, "attribute '", proto.name, "' refers to '", proto.ref_name,
                 "' outside of a function");
  auto found = frame.arguments.find(proto.ref_name);
  return found == frame.arguments.end() ? nullptr : &found->second;
}

Result<Tensor> Importer::tensor(Bytes bytes, const Frame& frame) {
  if (!frame.function) return tensors_.read(bytes);
  auto found = shared_.find(bytes.data());
  if (found != shared_.end()) return found->second;
  TENON_ASSIGN(Tensor t, tensors_.read(bytes));
  shared_.emplace(bytes.data(), t);
  return t;
}

Status Importer::import_attributes(const NodeProto& proto, ir::Node& node, const Frame& frame, const Scope& scope,
                                   int depth) {
  std::unordered_set<std::string_view> seen;
  for (Bytes b : proto.attributes) {
    AttributeProto a;
    TENON_TRY(parse(b, &a));
    spare_shared(a, frame);
    if (!seen.insert(a.name).second) return error(Code::kInvalidGraph, "attribute '", a.name, "' is given twice");
    const Argument* given = nullptr;
    if (!a.ref_name.empty()) {
      TENON_ASSIGN(given, argument(a, frame));
      if (!given) continue;  // optional, and the call leaves it out
    }
    auto value = given ? attribute_value(given->proto, node, *given->frame, given->scope, depth)
                       : attribute_value(a, node, frame, &scope, depth);
    if (!value.ok()) return std::move(value).status().with("attribute", std::string(a.name));
    node.attributes.push_back({std::string(a.name), std::move(value).value()});
  }
  return {};
}

Result<ir::Attribute::Value> Importer::attribute_value(const AttributeProto& a, ir::Node& node, const Frame& frame,
                                                       const Scope* scope, int depth) {
  using T = AttributeType;
  auto graph = [&](Bytes bytes) -> Result<std::unique_ptr<ir::Graph>> {
    GraphProto proto;
    TENON_TRY(parse(bytes, &proto));
    auto out = std::make_unique<ir::Graph>(model_, node.graph, &node);
    TENON_TRY(import_graph(proto, *out, frame, scope, depth + 1));
    return out;
  };
  switch (static_cast<T>(a.type)) {
    case T::kUndefined: return ir::Attribute::Value();
    case T::kFloat: return ir::Attribute::Value(a.f);
    case T::kInt: return ir::Attribute::Value(a.i);
    case T::kString: return ir::Attribute::Value(std::string(a.s));
    case T::kTensor: {
      TENON_ASSIGN(Tensor t, tensor(a.tensor, frame));
      return ir::Attribute::Value(std::move(t));
    }
    case T::kGraph: {
      TENON_ASSIGN(auto g, graph(a.graph));
      return ir::Attribute::Value(std::move(g));
    }
    case T::kFloats: return ir::Attribute::Value(a.floats);
    case T::kInts: return ir::Attribute::Value(a.ints);
    case T::kStrings: return ir::Attribute::Value(std::vector<std::string>(a.strings.begin(), a.strings.end()));
    case T::kTensors: {
      std::vector<Tensor> list;
      for (Bytes b : a.tensors) {
        TENON_ASSIGN(Tensor t, tensor(b, frame));
        list.push_back(std::move(t));
      }
      return ir::Attribute::Value(std::move(list));
    }
    case T::kGraphs: {
      std::vector<std::unique_ptr<ir::Graph>> list;
      for (Bytes b : a.graphs) {
        TENON_ASSIGN(auto g, graph(b));
        list.push_back(std::move(g));
      }
      return ir::Attribute::Value(std::move(list));
    }
    case T::kSparseTensor: {
      TENON_ASSIGN(auto s, tensors_.read_sparse(a.sparse));
      return ir::Attribute::Value(std::move(s));
    }
    case T::kType: {
      TENON_ASSIGN(auto t, import_type(a.type_proto, model_.dims()));
      return ir::Attribute::Value(std::move(t));
    }
    case T::kTypes: {
      std::vector<ir::Type> list;
      for (Bytes b : a.type_protos) {
        TENON_ASSIGN(auto t, import_type(b, model_.dims()));
        list.push_back(std::move(t));
      }
      return ir::Attribute::Value(std::move(list));
    }
    case T::kSparseTensors:
      return error(Code::kNotImplemented, "attributes that are lists of sparse tensors are not supported");
  }
  return error(Code::kInvalidGraph, "attribute type ", a.type, " is not known");
}

Status Importer::import_constant(const NodeProto& proto, const Frame& frame, const Scope& scope) {
  if (!proto.inputs.empty() || proto.outputs.size() != 1)
    return error(Code::kInvalidGraph, "Constant has ", proto.inputs.size(), " inputs and ", proto.outputs.size(),
                 " outputs");
  Tensor t;
  int found = 0;
  for (Bytes b : proto.attributes) {
    AttributeProto own;
    TENON_TRY(parse(b, &own));
    spare_shared(own, frame);
    const AttributeProto* a = &own;
    const Frame* place = &frame;
    if (!own.ref_name.empty()) {
      TENON_ASSIGN(auto* given, argument(own, frame));
      if (!given) continue;
      a = &given->proto;
      place = given->frame;
    }
    if (own.name == "value") {
      if (!a->tensor.data()) return error(Code::kInvalidGraph, "Constant: attribute value holds no tensor");
      TENON_ASSIGN(t, tensor(a->tensor, *place));
    } else if (own.name == "sparse_value") {
      TENON_ASSIGN(auto sparse, tensors_.read_sparse(a->sparse));
      TENON_ASSIGN(t, densify(sparse));
    } else if (own.name == "value_float") {
      t = Tensor::scalar(a->f);
    } else if (own.name == "value_int") {
      t = Tensor::scalar(a->i);
    } else if (own.name == "value_floats") {
      t = Tensor::of(std::span<const float>(a->floats));
    } else if (own.name == "value_ints") {
      t = Tensor::of(std::span<const int64_t>(a->ints));
    } else if (own.name == "value_string" || own.name == "value_strings") {
      const bool one = own.name == "value_string";
      TENON_ASSIGN(t, Tensor::allocate(DType::kString, one ? Shape{} : Shape{static_cast<int64_t>(a->strings.size())}));
      if (one) t.as<StringRef>()[0] = t.strings()->add(a->s);
      for (size_t i = 0; !one && i < a->strings.size(); ++i) t.as<StringRef>()[i] = t.strings()->add(a->strings[i]);
    } else {
      continue;
    }
    ++found;
  }
  if (found != 1) return error(Code::kInvalidGraph, "Constant has ", found, " values instead of one");
  if (proto.outputs[0].empty()) return {};
  auto& value = model_.value(scope.names.at(proto.outputs[0]));
  ir::DimVector dims;
  for (int64_t d : t.shape()) dims.push_back(d);
  value.type = ir::Type::tensor(t.dtype(), dims);
  value.constant = std::move(t);
  return {};
}

std::string Importer::prefix_of(const NodeProto& call, const Frame& frame) {
  std::string prefix = cat(frame.prefix, call.name.empty() ? call.op : call.name, "/");
  if (prefix.size() > kMaxPrefix || !prefixes_.insert(prefix).second) {
    prefix = cat(call.op.substr(0, 64), "#", prefixes_.size(), "/");
    prefixes_.insert(prefix);
  }
  return prefix;
}

Status Importer::unfold(const Function& function, const NodeProto& call, ir::Graph& graph, const Frame& frame,
                        const Scope& scope, int depth) {
  const FunctionProto& f = function.proto;
  if (depth > kMaxDepth)
    return error(Code::kFail, "subgraphs and function calls are nested more than ", kMaxDepth, " deep");
  if (unfolded_bytes_ > kMaxInlinedBytes)
    return error(Code::kFail, "the functions of the model unfold to more than ", kMaxInlinedBytes, " bytes");
  if (call.inputs.size() > f.inputs.size() || call.outputs.size() > f.outputs.size())
    return error(Code::kInvalidGraph, "the call has ", call.inputs.size(), " inputs and ", call.outputs.size(),
                 " outputs, function ", f.name, " has ", f.inputs.size(), " and ", f.outputs.size());
  Frame inner;
  inner.function = &function;
  inner.opsets = &function.opsets;
  inner.prefix = prefix_of(call, frame);
  inner.origin = frame.function ? frame.origin : label(call).substr(0, kMaxPrefix);
  for (Bytes b : f.default_attributes) {
    Argument a{{}, &inner, nullptr};
    TENON_TRY(parse(b, &a.proto));
    const auto key = a.proto.name;
    inner.arguments[key] = std::move(a);
  }
  for (Bytes b : call.attributes) {
    Argument a{{}, &frame, &scope};
    TENON_TRY(parse(b, &a.proto));
    const auto key = a.proto.name;
    if (!a.proto.ref_name.empty()) {
      TENON_ASSIGN(auto* given, argument(a.proto, frame));
      if (!given) continue;
      a = *given;
    }
    inner.arguments[key] = std::move(a);
  }

  Scope body;
  for (size_t i = 0; i < f.inputs.size(); ++i) {
    ValueId v = kNoValue;
    if (i < call.inputs.size() && !call.inputs[i].empty()) {
      auto found = scope.find(call.inputs[i]);
      if (!found) return no_such_name(call.inputs[i]);
      v = *found;
    }
    if (!body.names.emplace(f.inputs[i], v).second) return defined_twice(f.inputs[i]);
  }
  std::unordered_map<std::string_view, ValueId> bound;
  std::unordered_set<std::string_view> formal;
  for (size_t i = 0; i < f.outputs.size(); ++i) {
    if (!formal.insert(f.outputs[i]).second) return defined_twice(f.outputs[i]);
    if (i < call.outputs.size() && !call.outputs[i].empty()) bound[f.outputs[i]] = scope.names.at(call.outputs[i]);
  }
  TENON_TRY(declare(f.nodes, graph, inner, body, &bound));
  for (auto& [output, v] : bound) {  // left over: no node gives it, so it must be an input passed through
    auto found = body.names.find(output);
    if (found == body.names.end() || found->second == kNoValue)
      return error(Code::kInvalidGraph, "output '", output, "' of function ", f.name, " is not given by any node");
    ir::Node& copy = graph.add("Identity", {found->second}, {v});
    copy.name = cat(inner.prefix, output);
    copy.opset = opdef::kNewestOpset;
    copy.origins.push_back(inner.origin);
  }
  for (Bytes b : f.nodes) TENON_TRY(import_node(b, graph, inner, body, depth));
  return {};
}

}  // namespace

Result<std::unique_ptr<ir::Model>> import_model(Ref<Buffer> file, bool mapped, ExternalData& external,
                                                const ReadOptions& options) {
  ModelProto proto;
  TENON_TRY(parse(Bytes(static_cast<const uint8_t*>(file->data()), file->size()), &proto));
  auto model = std::make_unique<ir::Model>();
  model->backing.push_back(file);
  Importer importer(*model, std::move(file), mapped, external, options);
  TENON_TRY(importer.run(proto));
  return model;
}

}  // namespace tenon::model::onnx
