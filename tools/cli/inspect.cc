// tenon inspect: what a model is: signature, operators, sizes.
// SPDX-License-Identifier: MIT
#include <cstdio>
#include <nlohmann/json.hpp>

#include "command.h"
#include "tenon/tenon_c_api.h"

namespace tenon::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Choices {
  std::string model;
  bool json = false, load = false;
  int top = 10;
};

Json describe(const Choices& c) {
  char* text = nullptr;
  const TenonApi* tenon = TenonGetApi(TENON_API_VERSION);
  if (!tenon) throw Fault(kModel, "the library is older than this program");
  const std::string options = Json{{"largest", c.top}}.dump();
  if (OrtStatus* status = tenon->DescribeModel(c.model.c_str(), options.c_str(), &text)) {
    Ort::Status owner(status);
    throw Fault(kModel, owner.GetErrorMessage());
  }
  Json out = Json::parse(text);
  tenon->FreeText(text);
  return out;
}

void print_ports(const char* title, const Json& ports) {
  std::printf("%s\n", title);
  for (auto& p : ports)
    std::printf("  %-28s %s%s\n", p["name"].get<std::string>().c_str(), p["type"].get<std::string>().c_str(),
                p.value("has_default", false) ? "  (has a default)" : "");
}

void print_text(const Json& d, const Choices& c) {
  std::printf("%s  %s, IR %lld", c.model.c_str(), bytes_text(d["file_bytes"].get<double>()).c_str(),
              d["ir_version"].get<long long>());
  for (auto& [domain, version] : d["opsets"].items())
    std::printf(", %s %lld", domain.c_str(), version.get<long long>());
  std::printf("\n");
  std::string producer = d["producer"].get<std::string>();
  if (!producer.empty()) std::printf("made by %s\n", producer.c_str());
  print_ports("inputs", d["inputs"]);
  print_ports("outputs", d["outputs"]);
  auto& w = d["weights"];
  std::printf("weights\n  %lld tensors, %s numbers, %s\n", w["tensors"].get<long long>(),
              count_text(w["numbers"].get<double>()).c_str(), bytes_text(w["bytes"].get<double>()).c_str());
  for (auto& [type, bytes] : w["bytes_by_type"].items())
    std::printf("  %-10s %s\n", type.c_str(), bytes_text(bytes.get<double>()).c_str());
  if (c.top > 0) {
    std::printf("largest weights\n");
    for (auto& t : w["largest"])
      std::printf("  %-10s %-28s %s\n", bytes_text(t["bytes"].get<double>()).c_str(),
                  t["type"].get<std::string>().c_str(), t["name"].get<std::string>().c_str());
  }
  std::printf("operators  (%lld nodes, %lld subgraphs)\n", d["nodes"].get<long long>(),
              d["subgraphs"].get<long long>());
  bool missing = false;
  for (auto& o : d["operators"]) {
    const bool known = o["known"].get<bool>();
    missing |= !known;
    std::printf("  %6lld  %s%s\n", o["count"].get<long long>(), o["name"].get<std::string>().c_str(),
                known ? "" : "   (not known)");
  }
  if (missing) std::printf("operators that are not known need a library of custom operators\n");
  if (!d["metadata"].empty()) {
    std::printf("metadata\n");
    for (auto& [k, v] : d["metadata"].items()) {
      std::string text = v.get<std::string>();
      if (text.size() > 100) text = text.substr(0, 100) + "...";
      std::printf("  %s: %s\n", k.c_str(), text.c_str());
    }
  }
  if (d.contains("loaded"))
    std::printf("loaded\n  %.1f ms, %s of memory\n", d["loaded"]["ms"].get<double>(),
                bytes_text(d["loaded"]["memory_bytes"].get<double>()).c_str());
}

void inspect(const Choices& c) {
  Json d = describe(c);
  if (c.load) {
    const uint64_t before = process_memory().now;
    const auto begin = std::chrono::steady_clock::now();
    Ort::Session session = load(c.model, Ort::SessionOptions());
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    const uint64_t after = process_memory().now;
    d["loaded"] = {{"ms", ms}, {"memory_bytes", after > before ? after - before : 0}};
  }
  if (c.json) std::printf("%s\n", d.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  else print_text(d, c);
}

}  // namespace

void add_inspect(CLI::App& app, int& exit) {
  auto c = std::make_shared<Choices>();
  CLI::App* inspect_app = app.add_subcommand("inspect", "Shows what a model is: signature, operators, sizes");
  inspect_app->footer(R"(
Examples
  tenon inspect model.onnx                  signature, weights, operators with counts
  tenon inspect model.onnx --load           also loads it: time and memory
  tenon inspect model.onnx --json | jq .operators

Functions of the model are shown unfolded. Exit codes: 0 done, 2 wrong usage, 3 the model does not load.)");
  inspect_app->add_option("model", c->model, "The model (.onnx)")->required();
  inspect_app->add_flag("--json", c->json, "Everything as JSON");
  inspect_app->add_flag("--load", c->load, "Loads the model as a run would");
  inspect_app->add_option("--top", c->top, "How many of the largest weights are listed")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  inspect_app->callback([c, &exit] {
    inspect(*c);
    exit = kOk;
  });
}

}  // namespace tenon::cli
