// What the commands of the command line tool share: exit codes, faults, options of sessions, texts of numbers.
// SPDX-License-Identifier: MIT
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "ort/onnxruntime_cxx_api.h"

namespace tenon::cli {

/// Exit codes of every command.
enum Exit { kOk = 0, kUsage = 2, kModel = 3, kRun = 4, kInput = 5 };

/// A fault with the exit code it leads to.
struct Fault : std::runtime_error {
  Fault(int code, const std::string& text) : std::runtime_error(text), code(code) {}
  int code;
};

/// Options that say how the session is made.
struct SessionChoices {
  int threads = 0;
  std::string level = "all";
  std::vector<std::string> config, dims, providers;
  std::string save_optimized, profile;
  void add_to(CLI::App& app);
  Ort::SessionOptions make() const;
};

/// The environment of the process.
Ort::Env& environment();
/// Loads a model; failures are Faults of kModel.
Ort::Session load(const std::string& path, const Ort::SessionOptions& options);
/// "NAME=VALUE" as a pair; a Fault of kUsage when there is no '='.
std::pair<std::string, std::string> split_pair(const std::string& text, const char* option);
std::vector<int64_t> parse_dims(const std::string& text);

/// "1.5 MB"
std::string bytes_text(double bytes);
std::string count_text(double count);
/// Memory of the process in bytes: now and at its peak. 0 where the system does not tell.
struct Memory {
  uint64_t now = 0, peak = 0;
};
Memory process_memory();

void add_run(CLI::App& app, int& exit);
void add_bench(CLI::App& app, int& exit);
void add_inspect(CLI::App& app, int& exit);

}  // namespace tenon::cli
