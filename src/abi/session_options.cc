// Session options: setters and configuration entries.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/key_values.h"
#include "abi/options.h"

const char* OrtSessionOptions::entry(std::string_view key) const {
  auto it = config.find(key);
  return it == config.end() ? nullptr : it->second.c_str();
}

bool OrtSessionOptions::on(std::string_view key) const {
  const char* value = entry(key);
  return value && std::strcmp(value, "1") == 0;
}

namespace tenon::abi {

Status check_config_key(const char* key) {
  const size_t length = std::strlen(key);
  return length == 0 || length > 1024 ? invalid("Config key is empty or longer than maximum length 1024") : Status();
}

namespace {

/// A setter that cannot fail but for NULL options.
template <class Change>
OrtStatus* change(OrtSessionOptions* options, Change&& body) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    body(*options);
    return {};
  });
}

/// The same with one string that must be there.
template <class Change>
OrtStatus* change(OrtSessionOptions* options, const char* text, Change&& body) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, text);
    body(*options);
    return {};
  });
}

}  // namespace

OrtStatus* slots::CreateSessionOptions(OrtSessionOptions** options) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    *options = new OrtSessionOptions();
    return {};
  });
}

OrtStatus* slots::CloneSessionOptions(const OrtSessionOptions* in_options, OrtSessionOptions** out_options) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(in_options, out_options);
    *out_options = new OrtSessionOptions(*in_options);
    return {};
  });
}

void slots::ReleaseSessionOptions(OrtSessionOptions* input) noexcept { delete input; }

OrtStatus* slots::SetOptimizedModelFilePath(OrtSessionOptions* options, const char* path) noexcept {
  return change(options, path, [&](OrtSessionOptions& o) { o.optimized_path = path; });
}
OrtStatus* slots::SetSessionExecutionMode(OrtSessionOptions* options, ExecutionMode execution_mode) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    if (execution_mode != ORT_SEQUENTIAL && execution_mode != ORT_PARALLEL)
      return invalid("execution_mode is not valid");
    options->mode = execution_mode;
    return {};
  });
}
OrtStatus* slots::GetSessionExecutionMode(const OrtSessionOptions* options, ExecutionMode* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, out);
    *out = options->mode;
    return {};
  });
}
OrtStatus* slots::EnableProfiling(OrtSessionOptions* options, const char* profile_file_prefix) noexcept {
  return change(options, profile_file_prefix, [&](OrtSessionOptions& o) {
    o.profile = true;
    o.profile_prefix = profile_file_prefix;
  });
}
OrtStatus* slots::DisableProfiling(OrtSessionOptions* options) noexcept {
  return change(options, [](OrtSessionOptions& o) {
    o.profile = false;
    o.profile_prefix.clear();
  });
}
OrtStatus* slots::EnableMemPattern(OrtSessionOptions* options) noexcept {
  return change(options, [](OrtSessionOptions& o) { o.mem_pattern = true; });
}
OrtStatus* slots::DisableMemPattern(OrtSessionOptions* options) noexcept {
  return change(options, [](OrtSessionOptions& o) { o.mem_pattern = false; });
}
OrtStatus* slots::GetMemPatternEnabled(const OrtSessionOptions* options, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, out);
    *out = options->mem_pattern;
    return {};
  });
}
OrtStatus* slots::EnableCpuMemArena(OrtSessionOptions* options) noexcept {
  return change(options, [](OrtSessionOptions& o) { o.cpu_arena = true; });
}
OrtStatus* slots::DisableCpuMemArena(OrtSessionOptions* options) noexcept {
  return change(options, [](OrtSessionOptions& o) { o.cpu_arena = false; });
}
OrtStatus* slots::SetSessionLogId(OrtSessionOptions* options, const char* logid) noexcept {
  return change(options, logid, [&](OrtSessionOptions& o) { o.log_id = logid; });
}
OrtStatus* slots::SetSessionLogVerbosityLevel(OrtSessionOptions* options, int level) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.log_verbosity = level; });
}
OrtStatus* slots::SetSessionLogSeverityLevel(OrtSessionOptions* options, int level) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.log_severity = level; });
}
OrtStatus* slots::SetUserLoggingFunction(OrtSessionOptions* options, OrtLoggingFunction function,
                                         void* param) noexcept {
  return change(options, [&](OrtSessionOptions& o) {
    o.log_function = function;
    o.log_param = param;
  });
}
OrtStatus* slots::SetSessionGraphOptimizationLevel(OrtSessionOptions* options,
                                                   GraphOptimizationLevel graph_optimization_level) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    switch (static_cast<int>(graph_optimization_level)) {
      case ORT_DISABLE_ALL:
      case ORT_ENABLE_BASIC:
      case ORT_ENABLE_EXTENDED:
      case ORT_ENABLE_LAYOUT:
      case ORT_ENABLE_ALL: options->level = graph_optimization_level; return {};
    }
    return invalid("graph_optimization_level is not valid");
  });
}
OrtStatus* slots::SetIntraOpNumThreads(OrtSessionOptions* options, int intra_op_num_threads) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.intra_op_threads = intra_op_num_threads; });
}
OrtStatus* slots::SetInterOpNumThreads(OrtSessionOptions* options, int inter_op_num_threads) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.inter_op_threads = inter_op_num_threads; });
}
OrtStatus* slots::DisablePerSessionThreads(OrtSessionOptions* options) noexcept {
  return change(options, [](OrtSessionOptions& o) { o.own_threads = false; });
}
OrtStatus* slots::SetDeterministicCompute(OrtSessionOptions* options, bool value) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.deterministic = value; });
}
OrtStatus* slots::SessionOptionsSetCustomCreateThreadFn(OrtSessionOptions* options,
                                                        OrtCustomCreateThreadFn function) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.create_thread = function; });
}
OrtStatus* slots::SessionOptionsSetCustomThreadCreationOptions(OrtSessionOptions* options, void* creation) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.thread_options = creation; });
}
OrtStatus* slots::SessionOptionsSetCustomJoinThreadFn(OrtSessionOptions* options,
                                                      OrtCustomJoinThreadFn function) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.join_thread = function; });
}
OrtStatus* slots::SessionOptionsSetLoadCancellationFlag(OrtSessionOptions* options, bool cancel) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.cancel_load->store(cancel); });
}
OrtStatus* slots::AddFreeDimensionOverride(OrtSessionOptions* options, const char* dim_denotation,
                                           int64_t dim_value) noexcept {
  return change(options, dim_denotation,
                [&](OrtSessionOptions& o) { o.dims_by_denotation.emplace_back(dim_denotation, dim_value); });
}
OrtStatus* slots::AddFreeDimensionOverrideByName(OrtSessionOptions* options, const char* dim_name,
                                                 int64_t dim_value) noexcept {
  return change(options, dim_name, [&](OrtSessionOptions& o) { o.dims_by_name.emplace_back(dim_name, dim_value); });
}

OrtStatus* slots::AddSessionConfigEntry(OrtSessionOptions* options, const char* config_key,
                                        const char* config_value) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, config_key, config_value);
    TENON_TRY(check_config_key(config_key));
    options->config.insert_or_assign(config_key, config_value);
    return {};
  });
}

OrtStatus* slots::HasSessionConfigEntry(const OrtSessionOptions* options, const char* config_key, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, config_key, out);
    *out = options->entry(config_key) != nullptr;
    return {};
  });
}

OrtStatus* slots::GetSessionConfigEntry(const OrtSessionOptions* options, const char* config_key, char* config_value,
                                        size_t* size) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, config_key, size);
    const char* value = options->entry(config_key);
    if (!value) return invalid("Session config entry '", config_key, "' was not found.");
    const size_t needed = std::strlen(value) + 1, room = *size;
    *size = needed;
    if (!config_value) return {};
    if (room < needed) return invalid("Output buffer is not large enough for session config entry");
    std::memcpy(config_value, value, needed);
    return {};
  });
}

OrtStatus* slots::GetSessionOptionsConfigEntries(const OrtSessionOptions* options, OrtKeyValuePairs** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, out);
    *out = new OrtKeyValuePairs(options->config);
    return {};
  });
}

OrtStatus* slots::AddInitializer(OrtSessionOptions* options, const char* name, const OrtValue* val) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, name, val);
    const Value& v = unwrapped(*from_ort(val));
    if (v.kind != Value::Kind::kTensor)
      return invalid("Received OrtValue is not a tensor. Only tensors are supported.");
    for (const auto& [known, value] : options->initializers)
      if (known == name) return invalid("An initializer named '", name, "' was given already");
    // The client's memory, not a copy: it must stay valid as long as sessions made from these options.
    options->initializers.emplace_back(name, share(val));
    return {};
  });
}

OrtStatus* slots::AddExternalInitializers(OrtSessionOptions* options, const char* const* initializer_names,
                                          const OrtValue* const* initializers, size_t num_initializers) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    if (num_initializers != 0) TENON_REQUIRE(initializer_names, initializers);
    for (size_t i = 0; i < num_initializers; ++i) {
      if (!initializer_names[i] || !initializers[i]) return invalid("initializer ", i, " must not be NULL");
      if (unwrapped(*from_ort(initializers[i])).kind != Value::Kind::kTensor)
        return invalid("The value given for initializer '", initializer_names[i], "' is not a tensor");
      options->external_initializers.emplace_back(initializer_names[i], share(initializers[i]));
    }
    return {};
  });
}

OrtStatus* slots::AddExternalInitializersFromFilesInMemory(OrtSessionOptions* options, const char* const* names,
                                                           char* const* buffers, const size_t* lengths,
                                                           size_t count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    if (count != 0) TENON_REQUIRE(names, buffers, lengths);
    for (size_t i = 0; i < count; ++i) {
      if (!names[i] || (!buffers[i] && lengths[i] != 0)) return invalid("file ", i, " must not be NULL");
      if (*names[i] == '\0') return invalid("file ", i, " has no name");
      options->external_files.push_back({names[i], buffers[i], lengths[i]});
    }
    return {};
  });
}

OrtStatus* slots::SessionOptionsSetEpSelectionPolicy(OrtSessionOptions* options,
                                                     OrtExecutionProviderDevicePolicy policy) noexcept {
  return change(options, [&](OrtSessionOptions& o) {
    o.policy = policy;
    o.select_devices = nullptr;
  });
}

OrtStatus* slots::SessionOptionsSetEpSelectionPolicyDelegate(OrtSessionOptions* options, EpSelectionDelegate delegate,
                                                             void* delegate_state) noexcept {
  return change(options, [&](OrtSessionOptions& o) {
    o.select_devices = delegate;
    o.select_state = delegate_state;
  });
}

OrtStatus* slots::SessionOptionsSetWeightlessSourceModelBuffer(OrtSessionOptions* options, const void* data,
                                                               size_t length) noexcept {
  return change(options, [&](OrtSessionOptions& o) { o.weightless_source = {data, length}; });
}

OrtStatus* slots::SessionOptionsSetEpContextDataReadFunc(OrtSessionOptions* options, OrtReadNamedBufferFunc read_func,
                                                         void* state) noexcept {
  return change(options, [&](OrtSessionOptions& o) {
    o.read_context = read_func;
    o.read_context_state = state;
  });
}

}  // namespace tenon::abi
