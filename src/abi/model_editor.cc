// OrtModelEditorApi: models that clients build in memory, and changes to a model before its session is finalised.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/op_attr.h"
#include "abi/session.h"
#include "abi/type_info.h"
#include "model/read.h"

struct OrtValueInfo {
  std::string name;
  std::unique_ptr<OrtTypeInfo> type;
};
struct OrtNode {
  std::string name, op, domain;
  std::vector<std::string> inputs, outputs;
  std::vector<std::unique_ptr<OrtOpAttr>> attributes;
};
struct OrtGraph {
  std::vector<std::unique_ptr<OrtValueInfo>> inputs, outputs;
  std::vector<std::pair<std::string, tenon::ValueRef>> initializers;
  std::vector<std::unique_ptr<OrtNode>> nodes;
};
struct OrtModel {
  std::vector<std::pair<std::string, int>> opsets;
  std::unique_ptr<OrtGraph> graph;
};

namespace tenon::abi {

namespace {

std::string plain_domain(const char* domain) {
  return !domain || std::strcmp(domain, "ai.onnx") == 0 ? std::string() : std::string(domain);
}

ir::Type type_of(const OrtTypeInfo& from, ir::DimPool& pool) {
  using Kind = ir::Type::Kind;
  ir::Type to;
  switch (from.kind) {
    case ONNX_TYPE_TENSOR:
    case ONNX_TYPE_SPARSETENSOR:
      to.kind = from.kind == ONNX_TYPE_TENSOR ? Kind::kTensor : Kind::kSparseTensor;
      to.dtype = from_ort(from.tensor->type);
      to.has_shape = from.tensor->has_shape;
      for (size_t i = 0; i < from.tensor->dims.size(); ++i) {
        const std::string& name = from.tensor->names[i];
        if (from.tensor->dims[i] >= 0) to.shape.push_back(ir::Dim(from.tensor->dims[i]));
        else to.shape.push_back(name.empty() ? pool.fresh() : pool.named(name));
      }
      return to;
    case ONNX_TYPE_SEQUENCE: return ir::Type::sequence(type_of(*from.sequence->element, pool));
    case ONNX_TYPE_OPTIONAL: return ir::Type::optional(type_of(*from.optional->contained, pool));
    case ONNX_TYPE_MAP: return ir::Type::map(from_ort(from.map->key), type_of(*from.map->value, pool));
    default: return to;
  }
}

/// Adds a client's graph to the main graph of a model; names of values that the model has already are those values.
class Adder {
 public:
  explicit Adder(ir::Model& model) : m_(model), g_(model.main()) {
    for (size_t v = 0; v < m_.value_count(); ++v)
      if (m_.value(static_cast<ir::ValueId>(v)).graph == &g_)
        by_name_.emplace(m_.value(static_cast<ir::ValueId>(v)).name, static_cast<ir::ValueId>(v));
  }

  Status add(const OrtGraph& graph) {
    if (!graph.inputs.empty()) {
      while (!g_.inputs().empty()) g_.remove_input(0);
      for (const auto& input : graph.inputs) {
        const ir::ValueId v = value(input->name);
        m_.value(v).type = type_of(*input->type, m_.dims());
        g_.add_input(v);
      }
    }
    for (const auto& [name, tensor] : graph.initializers) {
      refresh_strings(*tensor);
      if (auto known = by_name_.find(name); known != by_name_.end()) {
        if (m_.value(known->second).producer) return invalid("The initializer '", name, "' is the output of a node");
        m_.value(known->second).constant = tensor->tensor;
        continue;
      }
      by_name_.emplace(name, m_.add_constant(name, &g_, tensor->tensor));
    }
    for (const auto& node : graph.nodes) TENON_TRY(add_node(*node));
    if (!graph.outputs.empty()) {
      if (graph.outputs.size() < g_.outputs().size())
        return error(Code::kNotImplemented, "The model has ", g_.outputs().size(), " outputs; they cannot become ",
                     graph.outputs.size());
      for (size_t i = 0; i < graph.outputs.size(); ++i) {
        const auto found = by_name_.find(graph.outputs[i]->name);
        if (found == by_name_.end())
          return invalid("The graph output '", graph.outputs[i]->name, "' is made by no node");
        ir::Type& type = m_.value(found->second).type;
        if (!type.known()) type = type_of(*graph.outputs[i]->type, m_.dims());
        if (i < g_.outputs().size()) g_.set_output(i, found->second);
        else g_.add_output(found->second);
      }
    }
    return g_.sort();
  }

 private:
  ir::ValueId value(const std::string& name) {
    if (name.empty()) return ir::kNoValue;
    const auto [it, added] = by_name_.try_emplace(name, ir::kNoValue);
    if (added) it->second = m_.add_value(name, &g_);
    return it->second;
  }

  Status add_node(const OrtNode& from) {
    std::vector<ir::ValueId> in, out;
    for (const std::string& name : from.inputs) in.push_back(value(name));
    for (const std::string& name : from.outputs) {
      out.push_back(value(name));
      if (out.back() != ir::kNoValue && m_.value(out.back()).producer)
        return invalid("The value '", name, "' has two producers");
    }
    ir::Node& node = g_.add(from.op, in, out, from.domain);
    node.name = from.name;
    const auto opset = m_.opsets.find(from.domain);
    if (opset == m_.opsets.end())
      return invalid("The node '", from.name, "' is of domain '", from.domain, "', which the model does not import");
    node.opset = opset->second;
    for (const auto& attribute : from.attributes) {
      TENON_ASSIGN(auto copy, copy_attribute(*attribute->attribute));
      node.set(copy.name, std::move(copy.value));
    }
    return {};
  }

  ir::Model& m_;
  ir::Graph& g_;
  std::map<std::string, ir::ValueId, std::less<>> by_name_;
};

OrtStatus* wrap_tensor_type(const OrtTensorTypeAndShapeInfo* info, ONNXType kind, OrtTypeInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    auto type = std::make_unique<OrtTypeInfo>();
    type->kind = kind;
    type->tensor = std::make_unique<OrtTensorTypeAndShapeInfo>(*info);
    type->tensor->names.resize(type->tensor->dims.size());
    *out = type.release();
    return {};
  });
}

}  // namespace

OrtStatus* editor_slots::CreateTensorTypeInfo(const OrtTensorTypeAndShapeInfo* tensor_info,
                                              OrtTypeInfo** type_info) noexcept {
  return wrap_tensor_type(tensor_info, ONNX_TYPE_TENSOR, type_info);
}
OrtStatus* editor_slots::CreateSparseTensorTypeInfo(const OrtTensorTypeAndShapeInfo* tensor_info,
                                                    OrtTypeInfo** type_info) noexcept {
  return wrap_tensor_type(tensor_info, ONNX_TYPE_SPARSETENSOR, type_info);
}
OrtStatus* editor_slots::CreateMapTypeInfo(ONNXTensorElementDataType map_key_type, const OrtTypeInfo* map_value_type,
                                           OrtTypeInfo** type_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(map_value_type, type_info);
    auto type = std::make_unique<OrtTypeInfo>();
    type->kind = ONNX_TYPE_MAP;
    type->map.reset(new OrtMapTypeInfo{map_key_type, map_value_type->clone()});
    *type_info = type.release();
    return {};
  });
}
OrtStatus* editor_slots::CreateSequenceTypeInfo(const OrtTypeInfo* sequence_type, OrtTypeInfo** type_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(sequence_type, type_info);
    auto type = std::make_unique<OrtTypeInfo>();
    type->kind = ONNX_TYPE_SEQUENCE;
    type->sequence.reset(new OrtSequenceTypeInfo{sequence_type->clone()});
    *type_info = type.release();
    return {};
  });
}
OrtStatus* editor_slots::CreateOptionalTypeInfo(const OrtTypeInfo* contained_type, OrtTypeInfo** type_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(contained_type, type_info);
    auto type = std::make_unique<OrtTypeInfo>();
    type->kind = ONNX_TYPE_OPTIONAL;
    type->optional.reset(new OrtOptionalTypeInfo{contained_type->clone()});
    *type_info = type.release();
    return {};
  });
}

OrtStatus* editor_slots::CreateValueInfo(const char* name, const OrtTypeInfo* type_info,
                                         OrtValueInfo** value_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(name, type_info, value_info);
    if (*name == '\0') return invalid("name cannot be null or empty string");
    if (!type_info->tensor && type_info->kind == ONNX_TYPE_TENSOR) return invalid("the tensor type says nothing");
    *value_info = new OrtValueInfo{name, type_info->clone()};
    return {};
  });
}

OrtStatus* editor_slots::CreateNode(const char* operator_name, const char* domain_name, const char* node_name,
                                    const char* const* input_names, size_t input_names_len,
                                    const char* const* output_names, size_t output_names_len, OrtOpAttr** attributes,
                                    size_t attribs_len, OrtNode** node) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(operator_name, node);
    if (*operator_name == '\0') return invalid("operator_name cannot be null or empty string");
    if (input_names_len != 0) TENON_REQUIRE(input_names);
    if (output_names_len != 0) TENON_REQUIRE(output_names);
    if (attribs_len != 0) TENON_REQUIRE(attributes);
    auto made = std::make_unique<OrtNode>();
    made->op = operator_name;
    made->domain = plain_domain(domain_name);
    made->name = node_name ? node_name : "";
    for (size_t i = 0; i < input_names_len; ++i) made->inputs.emplace_back(input_names[i] ? input_names[i] : "");
    for (size_t i = 0; i < output_names_len; ++i) made->outputs.emplace_back(output_names[i] ? output_names[i] : "");
    for (size_t i = 0; i < attribs_len; ++i)
      if (!attributes[i]) return invalid("attribute ", i, " must not be NULL");
    for (size_t i = 0; i < attribs_len; ++i) made->attributes.emplace_back(attributes[i]);  // the node owns them now
    *node = made.release();
    return {};
  });
}

OrtStatus* editor_slots::CreateGraph(OrtGraph** graph) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(graph);
    *graph = new OrtGraph();
    return {};
  });
}

namespace {

OrtStatus* set_values(OrtGraph* graph, std::vector<std::unique_ptr<OrtValueInfo>> OrtGraph::* list,
                      OrtValueInfo** values, size_t count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(graph);
    if (count != 0) TENON_REQUIRE(values);
    for (size_t i = 0; i < count; ++i)
      if (!values[i]) return invalid("value ", i, " must not be NULL");
    (graph->*list).clear();
    for (size_t i = 0; i < count; ++i) (graph->*list).emplace_back(values[i]);
    return {};
  });
}

}  // namespace

OrtStatus* editor_slots::SetGraphInputs(OrtGraph* graph, OrtValueInfo** inputs, size_t inputs_len) noexcept {
  return set_values(graph, &OrtGraph::inputs, inputs, inputs_len);
}
OrtStatus* editor_slots::SetGraphOutputs(OrtGraph* graph, OrtValueInfo** outputs, size_t outputs_len) noexcept {
  return set_values(graph, &OrtGraph::outputs, outputs, outputs_len);
}

OrtStatus* editor_slots::AddInitializerToGraph(OrtGraph* graph, const char* name, OrtValue* tensor,
                                               bool data_is_external) noexcept {
  static_cast<void>(data_is_external);  // the value keeps its memory either way
  return guarded([&]() -> Status {
    TENON_REQUIRE(graph, name, tensor);
    if (from_ort(tensor)->kind != Value::Kind::kTensor) return invalid("Only Tensor is currently supported.");
    graph->initializers.emplace_back(name, ValueRef::adopt(from_ort(tensor)));
    return {};
  });
}

OrtStatus* editor_slots::AddNodeToGraph(OrtGraph* graph, OrtNode* node) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(graph, node);
    graph->nodes.emplace_back(node);
    return {};
  });
}

OrtStatus* editor_slots::CreateModel(const char* const* domain_names, const int* opset_versions,
                                     size_t opset_entries_len, OrtModel** model) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(model);
    if (opset_entries_len != 0) TENON_REQUIRE(domain_names, opset_versions);
    auto made = std::make_unique<OrtModel>();
    for (size_t i = 0; i < opset_entries_len; ++i)
      made->opsets.emplace_back(plain_domain(domain_names[i]), opset_versions[i]);
    *model = made.release();
    return {};
  });
}

OrtStatus* editor_slots::AddGraphToModel(OrtModel* model, OrtGraph* graph) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(model, graph);
    model->graph.reset(graph);
    return {};
  });
}

OrtStatus* editor_slots::CreateSessionFromModel(const OrtEnv* env, const OrtModel* model,
                                                const OrtSessionOptions* options, OrtSession** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, model, out);
    *out = nullptr;
    if (!model->graph) return invalid("The model has no graph");
    auto built = std::make_unique<ir::Model>();
    built->ir_version = opdef::kNewestIr;
    for (const auto& [domain, version] : model->opsets) built->opsets[domain] = version;
    TENON_TRY(Adder(*built).add(*model->graph));
    return create_session(env, options, out, [&](const session::SessionOptions& to) {
      return session::Session::load(std::move(built), "model built in memory", to);
    });
  });
}

namespace {

Status edit(const OrtEnv* env, const OrtSessionOptions* options, Result<std::unique_ptr<ir::Model>> model,
            OrtSession** out) {
  if (!model.ok()) return std::move(model).status();
  TENON_ASSIGN(auto session, empty_session(*env, options));
  session->editing = std::move(model).value();
  *out = session.release();
  return {};
}

}  // namespace

OrtStatus* editor_slots::CreateModelEditorSession(const OrtEnv* env, const char* model_path,
                                                  const OrtSessionOptions* options, OrtSession** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, model_path, out);
    *out = nullptr;
    return edit(env, options, model::read_model_file(model_path, {}), out);
  });
}

OrtStatus* editor_slots::CreateModelEditorSessionFromArray(const OrtEnv* env, const void* model_data,
                                                           size_t model_data_length, const OrtSessionOptions* options,
                                                           OrtSession** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, model_data, out);
    *out = nullptr;
    return edit(env, options, model::read_model_bytes({static_cast<const uint8_t*>(model_data), model_data_length}, {}),
                out);
  });
}

OrtStatus* editor_slots::SessionGetOpsetForDomain(const OrtSession* session, const char* domain, int* opset) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, domain, opset);
    if (!session->editing) TENON_TRY(check_ready(*session));
    const ir::Model& model = session->editing ? *session->editing : session->session->program().model();
    const auto found = model.opsets.find(plain_domain(domain));
    if (found == model.opsets.end()) return error(Code::kFail, "Domain not used by model.");
    *opset = found->second;
    return {};
  });
}

OrtStatus* editor_slots::ApplyModelToModelEditorSession(OrtSession* session, OrtModel* model) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, model);
    if (!session->editing) return error(Code::kFail, "The session cannot be edited any more");
    if (!model->graph) return invalid("The model has no graph");
    for (const auto& [domain, version] : model->opsets) session->editing->opsets.try_emplace(domain, version);
    return Adder(*session->editing).add(*model->graph);
  });
}

OrtStatus* editor_slots::FinalizeModelEditorSession(OrtSession* session, const OrtSessionOptions* options,
                                                    OrtPrepackedWeightsContainer*) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session);
    if (!session->editing) return error(Code::kFail, "The session was finalised already");
    const OrtEnv* env = current_env();
    if (!env) return error(Code::kFail, "There is no environment");
    if (options) session->options = *options;
    return load_session(*env, *session, [&](const session::SessionOptions& to) {
      return session::Session::load(std::move(session->editing), "edited model", to);
    });
  });
}

OrtStatus* slots::GetValueInfoName(const OrtValueInfo* value_info, const char** name) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value_info, name);
    *name = value_info->name.c_str();
    return {};
  });
}
OrtStatus* slots::GetValueInfoTypeInfo(const OrtValueInfo* value_info, const OrtTypeInfo** type_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value_info, type_info);
    *type_info = value_info->type.get();
    return {};
  });
}
void slots::ReleaseValueInfo(OrtValueInfo* input) noexcept { delete input; }
void slots::ReleaseNode(OrtNode* input) noexcept { delete input; }
void slots::ReleaseGraph(OrtGraph* input) noexcept { delete input; }
void slots::ReleaseModel(OrtModel* input) noexcept { delete input; }

}  // namespace tenon::abi
