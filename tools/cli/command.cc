// Shared parts of the commands.
// SPDX-License-Identifier: MIT
#include "command.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace tenon::cli {

Ort::Env& environment() {
  static auto* env = new Ort::Env(ORT_LOGGING_LEVEL_WARNING, "tenon");
  return *env;
}

Ort::Session load(const std::string& path, const Ort::SessionOptions& options) {
  try {
    return Ort::Session(environment(), path.c_str(), options);
  } catch (const Ort::Exception& e) { throw Fault(kModel, e.what()); }
}

std::pair<std::string, std::string> split_pair(const std::string& text, const char* option) {
  const size_t at = text.find('=');
  if (at == std::string::npos || at == 0)
    throw Fault(kUsage, std::string(option) + " takes NAME=VALUE, not '" + text + "'");
  return {text.substr(0, at), text.substr(at + 1)};
}

std::vector<int64_t> parse_dims(const std::string& text) {
  std::vector<int64_t> out;
  const char* at = text.data();
  const char* end = at + text.size();
  while (at < end) {
    int64_t d = 0;
    auto [next, fault] = std::from_chars(at, end, d);
    if (fault != std::errc() || d < 0 || (next != end && *next != ',' && *next != 'x'))
      throw Fault(kUsage, "'" + text + "' is no shape; write 1,3,224,224");
    out.push_back(d);
    at = next == end ? end : next + 1;
  }
  return out;
}

void SessionChoices::add_to(CLI::App& app) {
  app.add_option("-t,--threads", threads, "Threads of one run; 0: all processors")
      ->group("Session")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--opt", level, "Optimisation: off, basic, extended, layout or all")
      ->group("Session")
      ->check(CLI::IsMember({"off", "basic", "extended", "layout", "all"}))
      ->capture_default_str();
  app.add_option("--config", config, "Session configuration KEY=VALUE; may be repeated")
      ->group("Session")
      ->type_name("KEY=VALUE");
  app.add_option("--provider", providers, "Execution provider, best first; the CPU comes last by itself")
      ->group("Session")
      ->type_name("NAME");
  app.add_option("-d,--dim", dims, "Fixes a named dimension: batch=4; may be repeated")
      ->group("Session")
      ->type_name("NAME=SIZE");
  app.add_option("--save-optimized", save_optimized, "Writes the optimised model")->group("Session")->type_name("FILE");
  app.add_option("--profile", profile, "Writes a profile (Chrome trace JSON) whose name begins with this")
      ->group("Session")
      ->type_name("PREFIX");
}

Ort::SessionOptions SessionChoices::make() const {
  Ort::SessionOptions options;
  try {
    options.SetIntraOpNumThreads(threads);
    static const std::map<std::string, GraphOptimizationLevel> kLevels = {{"off", ORT_DISABLE_ALL},
                                                                          {"basic", ORT_ENABLE_BASIC},
                                                                          {"extended", ORT_ENABLE_EXTENDED},
                                                                          {"layout", ORT_ENABLE_LAYOUT},
                                                                          {"all", ORT_ENABLE_ALL}};
    options.SetGraphOptimizationLevel(kLevels.at(level));
    for (auto& c : config) {
      auto [key, value] = split_pair(c, "--config");
      options.AddConfigEntry(key.c_str(), value.c_str());
    }
    for (auto& d : dims) {
      auto [name, size] = split_pair(d, "--dim");
      auto parsed = parse_dims(size);
      if (parsed.size() != 1) throw Fault(kUsage, "--dim takes NAME=SIZE, not '" + d + "'");
      options.AddFreeDimensionOverrideByName(name.c_str(), parsed[0]);
    }
    for (std::string name : providers) {
      constexpr std::string_view kSuffix = "ExecutionProvider";
      if (name.size() > kSuffix.size() && name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
      if (name != "CPU") options.AppendExecutionProvider(name);
    }
    if (!save_optimized.empty()) options.SetOptimizedModelFilePath(save_optimized.c_str());
    if (!profile.empty()) options.EnableProfiling(profile.c_str());
  } catch (const Ort::Exception& e) { throw Fault(kUsage, e.what()); }
  return options;
}

std::string bytes_text(double bytes) {
  static constexpr const char* kUnits[] = {"B", "KB", "MB", "GB", "TB"};
  int unit = 0;
  while (bytes >= 1000 && unit < 4) bytes /= 1000, ++unit;
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, unit == 0 || bytes >= 100 ? "%.0f %s" : "%.1f %s", bytes, kUnits[unit]);
  return buffer;
}

std::string count_text(double count) {
  static constexpr const char* kUnits[] = {"", " thousand", " million", " billion"};
  int unit = 0;
  while (count >= 1000 && unit < 3) count /= 1000, ++unit;
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, unit == 0 ? "%.0f%s" : "%.1f%s", count, kUnits[unit]);
  return buffer;
}

Memory process_memory() {
  Memory out;
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    unsigned long long kb = 0;
    if (std::sscanf(line.c_str(), "VmRSS: %llu", &kb) == 1) out.now = kb * 1024;
    if (std::sscanf(line.c_str(), "VmHWM: %llu", &kb) == 1) out.peak = kb * 1024;
  }
  return out;
}

}  // namespace tenon::cli
