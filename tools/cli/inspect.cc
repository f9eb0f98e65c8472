// tenon inspect: what a model takes and gives, and what it is made of.
// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "tenon/tenon_c_api.h"

namespace tenon::cli {
namespace {

struct InspectArguments {
  std::string model;
  bool json = false;
};

std::string text_of(const nlohmann::json& v) { return v.is_string() ? v.get<std::string>() : v.dump(); }

void inspect(const InspectArguments& a) {
  const TenonApi* api = TenonGetApi(TENON_API_VERSION);
  if (!api) throw Failure("the library is older than this tool");
  char *answer = nullptr, *fault = nullptr;
  int code = api->DescribeModel(a.model.c_str(), "{}", &answer, &fault);
  std::string text = answer ? answer : "", why = fault ? fault : "";
  api->FreeText(answer);
  api->FreeText(fault);
  if (code != 0) throw Failure(why);
  if (a.json) {
    std::printf("%s\n", text.c_str());
    return;
  }
  auto j = nlohmann::json::parse(text);
  std::printf("%s\n", a.model.c_str());
  std::string opsets;
  for (auto& [domain, version] : j["opsets"].items()) opsets += (opsets.empty() ? "" : ", ") + domain + " " + version.dump();
  std::printf("  IR %s, opsets %s, producer %s %s\n", j["ir_version"].dump().c_str(), opsets.c_str(),
              text_of(j["producer"]).c_str(), text_of(j["producer_version"]).c_str());
  for (auto& [key, value] : j["metadata"].items()) std::printf("  %s: %s\n", key.c_str(), text_of(value).c_str());
  for (const char* side : {"inputs", "outputs"}) {
    std::printf("%s\n", side);
    for (auto& v : j[side]) std::printf("  %-32s %s\n", text_of(v["name"]).c_str(), text_of(v["type"]).c_str());
  }
  std::printf("nodes %s, weights %.2f MB\noperators\n", j["nodes"].dump().c_str(), j["weight_bytes"].get<double>() / 1e6);
  for (auto& [op, count] : j["operators"].items()) std::printf("  %-32s %s\n", op.c_str(), count.dump().c_str());
  if (j.contains("program"))
    std::printf("compiled: %s steps, %s memory regions, loaded in %.1f ms\n", j["program"]["steps"].dump().c_str(),
                j["program"]["regions"].dump().c_str(), j["program"]["load_ms"].get<double>());
  else if (j.contains("refused")) std::printf("cannot be run: %s\n", text_of(j["refused"]).c_str());
}

}  // namespace

void add_inspect(CLI::App& app, std::function<void()>& chosen) {
  auto a = std::make_shared<InspectArguments>();
  auto* c = app.add_subcommand("inspect", "Show inputs, outputs, operators, sizes and metadata of a model");
  c->add_option("model", a->model, "The ONNX file")->required();
  c->add_flag("--json", a->json, "The same as JSON");
  c->footer("Examples:\n"
            "  tenon inspect model.onnx\n"
            "  tenon inspect model.onnx --json");
  c->callback([a, &chosen] { chosen = [a] { inspect(*a); }; });
}

}  // namespace tenon::cli
