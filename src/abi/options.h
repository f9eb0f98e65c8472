// OrtSessionOptions and OrtRunOptions: what clients choose, kept until a session or a run reads it.
// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/values.h"
#include "base/status.h"
#include "ort/onnxruntime_c_api.h"
#include "session/session.h"

struct OrtArenaCfg {
  std::vector<std::pair<std::string, size_t>> entries;
};

struct OrtCustomOpDomain {
  std::string name;
  std::vector<const OrtCustomOp*> ops;
};

struct OrtSessionOptions {
  // Graph and execution.
  GraphOptimizationLevel level = ORT_ENABLE_ALL;
  ExecutionMode mode = ORT_SEQUENTIAL;
  bool deterministic = false;
  bool mem_pattern = true;
  bool cpu_arena = true;
  std::string optimized_path;
  std::map<std::string, std::string, std::less<>> config;
  std::vector<std::pair<std::string, int64_t>> dims_by_denotation, dims_by_name;
  std::vector<std::pair<std::string, tenon::ValueRef>> initializers, external_initializers;
  struct FileInMemory {
    std::string name;
    const char* data;
    size_t size;
  };
  std::vector<FileInMemory> external_files;
  std::pair<const void*, size_t> weightless_source{nullptr, 0};

  // Threads.
  int intra_op_threads = 0;
  int inter_op_threads = 0;
  bool own_threads = true;
  OrtCustomCreateThreadFn create_thread = nullptr;
  OrtCustomJoinThreadFn join_thread = nullptr;
  void* thread_options = nullptr;

  // Logs and profiles.
  std::string log_id;
  int log_severity = -1;  ///< -1: the environment's
  int log_verbosity = 0;
  OrtLoggingFunction log_function = nullptr;
  void* log_param = nullptr;
  bool profile = false;
  std::string profile_prefix;

  // Operators and providers of the client.
  std::vector<const OrtCustomOpDomain*> domains;
  std::vector<std::shared_ptr<void>> libraries;  ///< keep libraries of custom operators loaded
  std::vector<std::string> providers;            ///< named by the client, in order
  OrtExecutionProviderDevicePolicy policy = OrtExecutionProviderDevicePolicy_DEFAULT;
  EpSelectionDelegate select_devices = nullptr;
  void* select_state = nullptr;
  OrtReadNamedBufferFunc read_context = nullptr;
  void* read_context_state = nullptr;

  /// Set by any thread while the session loads; copies share it.
  std::shared_ptr<std::atomic<bool>> cancel_load = std::make_shared<std::atomic<bool>>(false);

  const char* entry(std::string_view key) const;
  /// True when the entry is "1".
  bool on(std::string_view key) const;
};

struct OrtRunOptions {
  tenon::session::RunOptions run;  ///< tag, severity, entries and the terminate flag, as the session reads them
  int log_verbosity = 0;
  std::vector<const OrtLoraAdapter*> adapters;
  bool profile = false;
  std::string profile_prefix;
};

namespace tenon::abi {

/// The release of the peer whose interface this is.
inline constexpr const char* kReleaseVersion = "1.31.1";

/// Keys of configuration entries have 1 to 1024 bytes.
Status check_config_key(const char* key);
/// Copies the contents of one CPU tensor into another of the same type and element count.
Status copy_tensor(const OrtValue* from, OrtValue* to);

}  // namespace tenon::abi
