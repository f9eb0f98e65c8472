// TenonApi: the table for tools.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>

#include "abi/entry.h"
#include "abi/type_info.h"
#include "abi/values.h"
#include "base/os/file.h"
#include "model/read.h"
#include "ops/table.h"
#include "tenon/tenon_c_api.h"

namespace tenon::abi {
namespace {

using Json = nlohmann::ordered_json;

Json arguments(const ir::Model& model, const std::vector<ir::ValueId>& values) {
  Json out = Json::array();
  for (ir::ValueId v : values) {
    auto& info = model.value(v);
    std::string type = info.type.known() ? info.type.to_string() : "?";
    out.push_back(
        {{"name", info.name}, {"type", std::move(type)}, {"has_default", info.is_input && info.constant.has_value()}});
  }
  return out;
}

struct Count {
  std::map<std::pair<std::string, std::string>, int64_t> operators;
  int64_t nodes = 0, subgraphs = 0;
};

void count(const ir::Graph& graph, Count& out) {
  for (auto& n : graph.nodes()) {
    ++out.nodes;
    ++out.operators[{n.domain, n.op}];
    for (ir::Graph* s : n.subgraphs()) {
      ++out.subgraphs;
      count(*s, out);
    }
  }
}

Json operators(const Count& counted) {
  std::vector<std::pair<int64_t, std::pair<std::string, std::string>>> order;
  for (auto& [op, n] : counted.operators) order.push_back({-n, op});
  std::sort(order.begin(), order.end());
  Json out = Json::array();
  for (auto& [n, op] : order) {
    auto& [domain, name] = op;
    out.push_back({{"name", domain.empty() ? name : domain + "." + name},
                   {"domain", domain.empty() ? "ai.onnx" : domain},
                   {"count", -n},
                   {"known", ops::registry().find(domain, name) != nullptr}});
  }
  return out;
}

Json weights(const ir::Model& model, size_t largest) {
  int64_t tensors = 0, numbers = 0, bytes = 0;
  std::map<std::string, int64_t> by_type;
  std::vector<std::pair<int64_t, ir::ValueId>> sizes;
  for (ir::ValueId v = 0; v < static_cast<ir::ValueId>(model.value_count()); ++v) {
    auto& c = model.value(v).constant;
    if (!c) continue;
    ++tensors;
    numbers += c->count();
    bytes += c->bytes();
    by_type[std::string(name(c->dtype()))] += c->bytes();
    sizes.push_back({-c->bytes(), v});
  }
  std::sort(sizes.begin(), sizes.end());
  Json list = Json::array();
  for (size_t i = 0; i < std::min(largest, sizes.size()); ++i) {
    auto& info = model.value(sizes[i].second);
    list.push_back({{"name", info.name}, {"type", info.constant->to_string()}, {"bytes", info.constant->bytes()}});
  }
  return {{"tensors", tensors}, {"numbers", numbers}, {"bytes", bytes}, {"bytes_by_type", by_type}, {"largest", list}};
}

Status describe(const ORTCHAR_T* path, const char* options, char** result) {
  TENON_REQUIRE(path, result);
  *result = nullptr;
  size_t largest = 10;
  if (options && *options) {
    const Json given = Json::parse(options, nullptr, false);
    if (!given.is_object()) return invalid("the options are no JSON object");
    for (auto& [key, value] : given.items()) {
      if (key != "largest" || !value.is_number_unsigned())
        return invalid("option '", key, "' is not known or has no fitting value");
      largest = value.get<size_t>();
    }
  }
  TENON_ASSIGN(auto model, model::read_model_file(path));
  Count counted;
  count(model->main(), counted);
  Json opsets = Json::object(), metadata = Json::object();
  for (auto& [domain, version] : model->opsets) opsets[domain.empty() ? "ai.onnx" : domain] = version;
  for (auto& [key, value] : model->metadata) metadata[key] = value;
  auto& main = model->main();
  Json out = {
      {"file_bytes", static_cast<int64_t>(model->backing.empty() ? 0 : model->backing.front()->size())},
      {"ir_version", model->ir_version},
      {"producer", model->producer_name + (model->producer_version.empty() ? "" : " " + model->producer_version)},
      {"opsets", opsets},
      {"inputs", arguments(*model, main.inputs())},
      {"outputs", arguments(*model, main.outputs())},
      {"weights", weights(*model, largest)},
      {"nodes", counted.nodes},
      {"subgraphs", counted.subgraphs},
      {"operators", operators(counted)},
      {"metadata", metadata}};
  const std::string text = out.dump(-1, ' ', false, Json::error_handler_t::replace);
  *result = static_cast<char*>(std::malloc(text.size() + 1));
  if (!*result) return error(Code::kFail, "out of memory");
  std::memcpy(*result, text.c_str(), text.size() + 1);
  return {};
}

void ORT_API_CALL free_text(char* text) noexcept { std::free(text); }
OrtStatusPtr ORT_API_CALL describe_model(const ORTCHAR_T* path, const char* options, char** result) noexcept {
  return guarded([&] { return describe(path, options, result); });
}

OrtStatusPtr ORT_API_CALL create_empty_value(ONNXType kind, ONNXTensorElementDataType element,
                                             OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = nullptr;
    if (kind != ONNX_TYPE_SEQUENCE && kind != ONNX_TYPE_OPTIONAL)
      return invalid("only sequences and optionals can be without a value");
    const DType type = from_ort(element);
    if (type == DType::kUndefined) return invalid("there is no element type ", static_cast<int>(element));
    auto made = make_ref<Value>(kind == ONNX_TYPE_SEQUENCE ? Value::Kind::kSequence : Value::Kind::kOptional);
    made->element = type;
    *out = give(std::move(made));
    return {};
  });
}

constexpr TenonApi kTools = {TENON_API_VERSION, free_text, describe_model, create_empty_value};

}  // namespace
}  // namespace tenon::abi

extern "C" const TenonApi* TenonGetApi(uint32_t version) noexcept {
  return version >= 1 && version <= TENON_API_VERSION ? &tenon::abi::kTools : nullptr;
}
