// Tenon's own C table: descriptions of models as JSON.
// SPDX-License-Identifier: MIT
#include "tenon/tenon_c_api.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <nlohmann/json.hpp>

#include "model/read.h"
#include "session/session.h"

namespace tenon::abi {
namespace {

char* copy_text(std::string_view text) {
  char* p = static_cast<char*>(std::malloc(text.size() + 1));
  if (!p) return nullptr;
  std::memcpy(p, text.data(), text.size());
  p[text.size()] = 0;
  return p;
}

void count_nodes(const ir::Graph& g, std::map<std::string, int64_t>& operators, int64_t& nodes) {
  for (auto& n : g.nodes()) {
    ++nodes;
    ++operators[n.domain.empty() ? n.op : n.domain + "." + n.op];
    for (ir::Graph* s : n.subgraphs()) count_nodes(*s, operators, nodes);
  }
}

nlohmann::json arguments(const ir::Model& m, const std::vector<ir::ValueId>& values) {
  nlohmann::json list = nlohmann::json::array();
  for (ir::ValueId v : values) list.push_back({{"name", m.value(v).name}, {"type", m.value(v).type.to_string()}});
  return list;
}

Result<std::string> describe(const char* path) {
  TENON_ASSIGN(auto model, model::read_model_file(path, {}));
  nlohmann::json j;
  j["ir_version"] = model->ir_version;
  for (auto& [domain, version] : model->opsets) j["opsets"][domain.empty() ? "ai.onnx" : domain] = version;
  j["producer"] = model->producer_name;
  j["producer_version"] = model->producer_version;
  j["metadata"] = nlohmann::json::object();
  for (auto& [key, value] : model->metadata) j["metadata"][key] = value;
  j["inputs"] = arguments(*model, model->main().inputs());
  j["outputs"] = arguments(*model, model->main().outputs());
  std::map<std::string, int64_t> operators;
  int64_t nodes = 0, bytes = 0;
  count_nodes(model->main(), operators, nodes);
  for (size_t v = 0; v < model->value_count(); ++v)
    if (auto& c = model->value(static_cast<ir::ValueId>(v)).constant) bytes += c->bytes();
  j["nodes"] = nodes;
  j["operators"] = operators;
  j["weight_bytes"] = bytes;
  auto begin = std::chrono::steady_clock::now();
  auto session = session::Session::load(std::string(path), {});
  if (session.ok()) {
    auto& facts = (*session)->program().facts();
    j["program"] = {{"steps", facts.steps}, {"regions", facts.regions},
                    {"load_ms", std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count()}};
  } else {
    j["refused"] = session.status().to_string();
  }
  return j.dump(2, ' ', false, nlohmann::json::error_handler_t::replace);
}

const char* version() { return TENON_VERSION; }

int describe_model(const char* path, const char*, char** answer, char** fault) {
  if (answer) *answer = nullptr;
  if (fault) *fault = nullptr;
  auto fail = [&](Code code, std::string_view text) {
    if (fault) *fault = copy_text(text);
    return static_cast<int>(code);
  };
  if (!path || !answer) return fail(Code::kInvalidArgument, "path and answer must not be NULL");
  try {
    auto text = describe(path);
    if (!text.ok()) return fail(text.status().code(), text.status().to_string());
    *answer = copy_text(*text);
    return 0;
  } catch (const std::exception& e) {
    return fail(Code::kFail, e.what());
  }
}

void free_text(char* text) { std::free(text); }

}  // namespace
}  // namespace tenon::abi

extern "C" const TenonApi* TenonGetApi(uint32_t version) {
  static const TenonApi api{tenon::abi::version, tenon::abi::describe_model, tenon::abi::free_text};
  return version >= 1 && version <= TENON_API_VERSION ? &api : nullptr;
}
