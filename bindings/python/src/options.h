// SessionOptions and RunOptions as Python sees them.
// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine.h"

namespace tenon::python {

enum class ExecutionOrder { kDefault = 0, kPriorityBased = 1, kMemoryEfficient = 2 };

/// What the attributes say, and an OrtSessionOptions that holds everything added by calls. Attributes are written into
/// a copy when a session is made.
struct Options {
  Options();
  OptionsPtr base;
  GraphOptimizationLevel graph_optimization_level = ORT_ENABLE_ALL;
  ExecutionMode execution_mode = ORT_SEQUENTIAL;
  ExecutionOrder execution_order = ExecutionOrder::kDefault;
  bool enable_cpu_mem_arena = true, enable_mem_pattern = true, enable_mem_reuse = true, enable_profiling = false;
  bool use_deterministic_compute = false, use_per_session_threads = true;
  int intra_op_num_threads = 0, inter_op_num_threads = 0;
  int log_severity_level = -1, log_verbosity_level = 0;
  std::string logid, optimized_model_filepath, profile_file_prefix = "onnxruntime_profile_";
  bool has_providers = false;
  std::vector<nb::object> kept;  ///< objects whose memory the engine borrows

  OptionsPtr materialise() const;
};

struct RunOptions {
  RunOptions();
  RunOptionsPtr p;
  bool terminate = false, only_execute_path_to_fetches = false;
  bool training_mode = false;
  std::vector<nb::object> kept;  ///< adapters in use
};

using TextMap = std::map<std::string, std::string>;
/// Adds a provider by its full name. CPU is always there; known ones that this build lacks are left out; others throw
/// ValueError ("Unknown Provider Type").
void append_provider(OrtSessionOptions* options, const std::string& provider, const TextMap& values);
const std::vector<std::string>& known_providers();

void define_options(nb::module_& m);

}  // namespace tenon::python
