// The environment: created, shared and released; global thread options; telemetry switches.
// SPDX-License-Identifier: MIT
#include "abi/env.h"

#include "abi/entry.h"

OrtEnv::~OrtEnv() {
  for (const Shared& shared : allocators)
    if (shared.owned) tenon::abi::slots::ReleaseAllocator(shared.allocator);
}

OrtAllocator* OrtEnv::find_allocator(const OrtMemoryInfo& info) {
  const std::lock_guard lock(mutex);
  for (const Shared& shared : allocators)
    if (shared.allocator->Info(shared.allocator)->device == info.device) return shared.allocator;
  return nullptr;
}

namespace tenon::abi {

namespace {

/// One environment for each process: a second creation counts it up and ignores its arguments.
struct ProcessEnv {
  std::mutex mutex;
  OrtEnv* env = nullptr;
  static ProcessEnv& get() {
    static auto* const process = new ProcessEnv();
    return *process;
  }
};

OrtStatus* create_env(OrtLoggingFunction function, void* param, int severity, const char* id,
                      const OrtThreadingOptions* threads, const OrtKeyValuePairs* config, OrtEnv** out,
                      bool global_pools) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    if (global_pools) TENON_REQUIRE(threads);
    ProcessEnv& process = ProcessEnv::get();
    const std::lock_guard lock(process.mutex);
    if (process.env) {
      ++process.env->references;
    } else {
      auto env = std::make_unique<OrtEnv>(function, param, severity, id ? id : "");
      env->global_pools = global_pools;
      if (threads) env->threads = *threads;
      if (config) env->config = OrtKeyValuePairs(config->entries);
      process.env = env.release();
    }
    *out = process.env;
    return {};
  });
}

}  // namespace

OrtEnv* current_env() {
  ProcessEnv& process = ProcessEnv::get();
  const std::lock_guard lock(process.mutex);
  return process.env;
}

OrtStatus* slots::CreateEnv(OrtLoggingLevel log_severity_level, const char* logid, OrtEnv** out) noexcept {
  return create_env(nullptr, nullptr, log_severity_level, logid, nullptr, nullptr, out, false);
}

OrtStatus* slots::CreateEnvWithCustomLogger(OrtLoggingFunction logging_function, void* logger_param,
                                            OrtLoggingLevel log_severity_level, const char* logid,
                                            OrtEnv** out) noexcept {
  return create_env(logging_function, logger_param, log_severity_level, logid, nullptr, nullptr, out, false);
}

OrtStatus* slots::CreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level, const char* logid,
                                                 const OrtThreadingOptions* tp_options, OrtEnv** out) noexcept {
  return create_env(nullptr, nullptr, log_severity_level, logid, tp_options, nullptr, out, true);
}

OrtStatus* slots::CreateEnvWithCustomLoggerAndGlobalThreadPools(OrtLoggingFunction logging_function, void* logger_param,
                                                                OrtLoggingLevel log_severity_level, const char* logid,
                                                                const OrtThreadingOptions* tp_options,
                                                                OrtEnv** out) noexcept {
  return create_env(logging_function, logger_param, log_severity_level, logid, tp_options, nullptr, out, true);
}

OrtStatus* slots::CreateEnvWithOptions(const OrtEnvCreationOptions* options, OrtEnv** out) noexcept {
  if (!options) return make_ort_status(ORT_INVALID_ARGUMENT, "options must not be NULL");
  if (options->version < 24 || options->version > ORT_API_VERSION)
    return guarded([&] {
      return invalid("OrtEnvCreationOptions has version ", options->version, "; 24 to ", ORT_API_VERSION, " are known");
    });
  return create_env(options->custom_logging_function, options->custom_logging_param, options->logging_severity_level,
                    options->log_id, options->threading_options, options->config_entries, out,
                    options->threading_options != nullptr);
}

void slots::ReleaseEnv(OrtEnv* input) noexcept {
  if (!input) return;
  ProcessEnv& process = ProcessEnv::get();
  {
    const std::lock_guard lock(process.mutex);
    if (--input->references > 0) return;
    if (process.env == input) process.env = nullptr;
  }
  delete input;
}

OrtStatus* slots::UpdateEnvWithCustomLogLevel(OrtEnv* ort_env, OrtLoggingLevel log_severity_level) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_env);
    ort_env->logger.severity = log_severity_level;
    return {};
  });
}

// Nothing is ever sent anywhere, so there is nothing to switch.
OrtStatus* slots::EnableTelemetryEvents(const OrtEnv* env) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env);
    return {};
  });
}

OrtStatus* slots::DisableTelemetryEvents(const OrtEnv* env) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env);
    return {};
  });
}

OrtStatus* slots::SetLanguageProjection(const OrtEnv* ort_env, OrtLanguageProjection) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_env);
    return {};
  });
}

OrtStatus* slots::CreateThreadingOptions(OrtThreadingOptions** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = new OrtThreadingOptions();
    return {};
  });
}

void slots::ReleaseThreadingOptions(OrtThreadingOptions* input) noexcept { delete input; }

OrtStatus* slots::SetGlobalIntraOpNumThreads(OrtThreadingOptions* tp_options, int intra_op_num_threads) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options);
    tp_options->intra_op_threads = intra_op_num_threads;
    return {};
  });
}

OrtStatus* slots::SetGlobalInterOpNumThreads(OrtThreadingOptions* tp_options, int inter_op_num_threads) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options);
    tp_options->inter_op_threads = inter_op_num_threads;
    return {};
  });
}

OrtStatus* slots::SetGlobalSpinControl(OrtThreadingOptions* tp_options, int allow_spinning) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options);
    if (allow_spinning != 0 && allow_spinning != 1)
      return invalid("Received invalid value for allow_spinning. Valid values are 0 or 1");
    tp_options->spin = allow_spinning == 1;
    return {};
  });
}

OrtStatus* slots::SetGlobalDenormalAsZero(OrtThreadingOptions* tp_options) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options);
    tp_options->denormal_as_zero = true;
    return {};
  });
}

OrtStatus* slots::SetGlobalIntraOpThreadAffinity(OrtThreadingOptions* tp_options,
                                                 const char* affinity_string) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options, affinity_string);
    if (std::string_view(affinity_string).empty()) return invalid("Affinity string must not be empty");
    tp_options->affinity = affinity_string;
    return {};
  });
}

OrtStatus* slots::SetGlobalCustomCreateThreadFn(OrtThreadingOptions* tp_options,
                                                OrtCustomCreateThreadFn ort_custom_create_thread_fn) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options);
    tp_options->create_thread = ort_custom_create_thread_fn;
    return {};
  });
}

OrtStatus* slots::SetGlobalCustomThreadCreationOptions(OrtThreadingOptions* tp_options,
                                                       void* ort_custom_thread_creation_options) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options);
    tp_options->thread_options = ort_custom_thread_creation_options;
    return {};
  });
}

OrtStatus* slots::SetGlobalCustomJoinThreadFn(OrtThreadingOptions* tp_options,
                                              OrtCustomJoinThreadFn ort_custom_join_thread_fn) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(tp_options);
    tp_options->join_thread = ort_custom_join_thread_fn;
    return {};
  });
}

}  // namespace tenon::abi
