// Sessions: loading, asking for inputs and outputs, running.
// SPDX-License-Identifier: MIT
#include "abi/session.h"

#include <cstring>
#include <filesystem>

#include "abi/entry.h"
#include "abi/type_info.h"

OrtSession::OrtSession(const OrtSessionOptions& o, OrtLogger logger_settings)
    : options(o), logger(std::move(logger_settings)) {}

namespace tenon::abi {

namespace {

OrtLogger logger_for(const OrtEnv& env, const OrtSessionOptions& o) {
  const int severity = o.log_severity >= 0 ? o.log_severity : env.logger.severity.load();
  return o.log_function ? OrtLogger(o.log_function, o.log_param, severity, o.log_id)
                        : OrtLogger(env.logger.function, env.logger.param, severity, o.log_id);
}

/// Entries that say the same as a setter; they win over it.
Status apply_entries(OrtSessionOptions& o) {
  const auto number = [&](const char* key, int* to) -> Status {
    const char* text = o.entry(key);
    if (!text) return {};
    int64_t parsed = 0;
    if (!parse_int(text, &parsed) || parsed < INT32_MIN || parsed > INT32_MAX)
      return invalid("Session config entry '", key, "' is no number: ", text);
    *to = static_cast<int>(parsed);
    return {};
  };
  const auto flag = [&](const char* key, bool* to) {
    if (const char* text = o.entry(key)) *to = std::strcmp(text, "1") == 0;
  };
  const auto text = [&](const char* key, std::string* to) {
    if (const char* value = o.entry(key)) *to = value;
  };
  int level = o.level;
  TENON_TRY(number("session.graph_optimization_level", &level));
  o.level = static_cast<GraphOptimizationLevel>(level);
  TENON_TRY(number("session.intra_op_num_threads", &o.intra_op_threads));
  TENON_TRY(number("session.inter_op_num_threads", &o.inter_op_threads));
  TENON_TRY(number("session.log_severity_level", &o.log_severity));
  TENON_TRY(number("session.log_verbosity_level", &o.log_verbosity));
  flag("session.use_per_session_threads", &o.own_threads);
  flag("session.enable_cpu_mem_arena", &o.cpu_arena);
  flag("session.enable_mem_pattern", &o.mem_pattern);
  flag("session.use_deterministic_compute", &o.deterministic);
  text("session.log_id", &o.log_id);
  text("session.optimized_model_filepath", &o.optimized_path);
  return {};
}

Result<session::SessionOptions> engine_options(const OrtEnv& env, const OrtSessionOptions& o, const OrtLogger& logger) {
  if (!o.own_threads && !env.global_pools)
    return error(Code::kFail,
                 "When the session is not configured to use per session threadpools, the env must be created with the "
                 "CreateEnvWithGlobalThreadPools API.");
  if (o.cancel_load->load())
    return Status(static_cast<Code>(ORT_MODEL_LOAD_CANCELED), "Loading was cancelled through the session options");
  session::SessionOptions to;
  to.level = static_cast<session::OptimizationLevel>(o.level);
  to.intra_threads = o.own_threads ? o.intra_op_threads : env.threads.intra_op_threads;
  to.inter_threads = o.own_threads ? o.inter_op_threads : env.threads.inter_op_threads;
  if (to.intra_threads < 0) to.intra_threads = 0;
  to.log_id = o.log_id;
  to.log_severity = logger.severity.load();
  to.profiling = o.profile;
  to.profile_prefix = o.profile_prefix;
  to.optimized_model_path = o.optimized_path;
  to.config = o.config;
  for (const auto& [name, size] : o.dims_by_name) to.free_dimensions[name] = size;
  for (const auto& [name, size] : o.dims_by_denotation) to.free_denotations[name] = size;
  for (const auto* list : {&o.external_initializers, &o.initializers})
    for (const auto& [name, value] : *list) {
      refresh_strings(*value);
      to.initializers[name] = ValueRef(&unwrapped(*value));
    }
  for (const auto& file : o.external_files)
    to.external_files[file.name] = {reinterpret_cast<const uint8_t*>(file.data), file.size};
  TENON_ASSIGN(to.registry, custom_registry(o, logger));
  return to;
}

}  // namespace

Status check_ready(const OrtSession& session) {
  return session.session ? Status() : error(Code::kFail, "The model editor session was not finalised yet");
}

Result<std::unique_ptr<OrtSession>> empty_session(const OrtEnv& env, const OrtSessionOptions* options) {
  static const OrtSessionOptions* const defaults = new OrtSessionOptions();
  OrtSessionOptions chosen = options ? *options : *defaults;
  TENON_TRY(apply_entries(chosen));
  return std::make_unique<OrtSession>(chosen, logger_for(env, chosen));
}

Status load_session(const OrtEnv& env, OrtSession& session, const LoadSession& load) {
  TENON_ASSIGN(const session::SessionOptions to, engine_options(env, session.options, session.logger));
  auto loaded = load(to);
  if (!loaded.ok()) {
    session.logger.log(ORT_LOGGING_LEVEL_ERROR, "session.cc:0 load", loaded.status().to_string());
    return std::move(loaded).status();
  }
  session.session = std::move(loaded).value();
  return {};
}

Status create_session(const OrtEnv* env, const OrtSessionOptions* options, OrtSession** out, const LoadSession& load) {
  TENON_ASSIGN(auto made, empty_session(*env, options));
  TENON_TRY(load_session(*env, *made, load));
  *out = made.release();
  return {};
}

namespace {

OrtStatus* create_from_file(const OrtEnv* env, const char* path, const OrtSessionOptions* options,
                            OrtSession** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = nullptr;
    TENON_REQUIRE(env, path);
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored))
      return invalid("The model path ", path,
                     " is a directory. Loading a model package from a directory path is not supported. Use the model "
                     "package API (CreateModelPackageContext, SelectComponent, CreateSession) instead.");
    return create_session(env, options, out, [&](const session::SessionOptions& to) {
      return session::Session::load(std::string(path), to);
    });
  });
}

OrtStatus* create_from_bytes(const OrtEnv* env, const void* data, size_t length, const OrtSessionOptions* options,
                             OrtSession** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = nullptr;
    TENON_REQUIRE(env);
    if (length == 0) return invalid("No graph was found in the protobuf.");
    TENON_REQUIRE(data);
    const std::span<const uint8_t> bytes(static_cast<const uint8_t*>(data), length);
    return create_session(env, options, out,
                          [&](const session::SessionOptions& to) { return session::Session::load(bytes, to); });
  });
}

}  // namespace

OrtStatus* slots::CreateSession(const OrtEnv* env, const char* model_path, const OrtSessionOptions* options,
                                OrtSession** out) noexcept {
  return create_from_file(env, model_path, options, out);
}

OrtStatus* slots::CreateSessionFromArray(const OrtEnv* env, const void* model_data, size_t model_data_length,
                                         const OrtSessionOptions* options, OrtSession** out) noexcept {
  return create_from_bytes(env, model_data, model_data_length, options, out);
}

// Packed weights are shared between sessions by the engine itself; the container only has to exist.
OrtStatus* slots::CreateSessionWithPrepackedWeightsContainer(const OrtEnv* env, const char* model_path,
                                                             const OrtSessionOptions* options,
                                                             OrtPrepackedWeightsContainer* container,
                                                             OrtSession** out) noexcept {
  if (!container) return make_ort_status(ORT_INVALID_ARGUMENT, "prepacked_weights_container must not be NULL");
  return create_from_file(env, model_path, options, out);
}

OrtStatus* slots::CreateSessionFromArrayWithPrepackedWeightsContainer(const OrtEnv* env, const void* model_data,
                                                                      size_t model_data_length,
                                                                      const OrtSessionOptions* options,
                                                                      OrtPrepackedWeightsContainer* container,
                                                                      OrtSession** out) noexcept {
  if (!container) return make_ort_status(ORT_INVALID_ARGUMENT, "prepacked_weights_container must not be NULL");
  return create_from_bytes(env, model_data, model_data_length, options, out);
}

OrtStatus* slots::CreatePrepackedWeightsContainer(OrtPrepackedWeightsContainer** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = new OrtPrepackedWeightsContainer();
    return {};
  });
}

void slots::ReleasePrepackedWeightsContainer(OrtPrepackedWeightsContainer* input) noexcept { delete input; }

void slots::ReleaseSession(OrtSession* input) noexcept { delete input; }

// ---- inputs and outputs ----

namespace {

using Arguments = const std::vector<session::Argument>& (session::Session::*)() const;

OrtStatus* argument_count(const OrtSession* session, Arguments list, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, out);
    TENON_TRY(check_ready(*session));
    *out = (session->session.get()->*list)().size();
    return {};
  });
}

OrtStatus* argument_name(const OrtSession* session, Arguments list, size_t index, OrtAllocator* allocator,
                         char** value) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, allocator, value);
    TENON_TRY(check_ready(*session));
    const auto& arguments = (session->session.get()->*list)();
    if (index >= arguments.size()) return error(Code::kFail, "index out of range");
    return allocate_text(allocator, arguments[index].name, value);
  });
}

OrtStatus* argument_type(const OrtSession* session, Arguments list, size_t index, OrtTypeInfo** type_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, type_info);
    TENON_TRY(check_ready(*session));
    const auto& arguments = (session->session.get()->*list)();
    if (index >= arguments.size()) return error(Code::kFail, "out of index");
    *type_info = type_info_of(arguments[index], *session->session->program().model().dims_handle()).release();
    return {};
  });
}

}  // namespace

OrtStatus* slots::SessionGetInputCount(const OrtSession* session, size_t* out) noexcept {
  return argument_count(session, &session::Session::inputs, out);
}
OrtStatus* slots::SessionGetOutputCount(const OrtSession* session, size_t* out) noexcept {
  return argument_count(session, &session::Session::outputs, out);
}
OrtStatus* slots::SessionGetOverridableInitializerCount(const OrtSession* session, size_t* out) noexcept {
  return argument_count(session, &session::Session::overridable, out);
}
OrtStatus* slots::SessionGetInputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                      char** value) noexcept {
  return argument_name(session, &session::Session::inputs, index, allocator, value);
}
OrtStatus* slots::SessionGetOutputName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                       char** value) noexcept {
  return argument_name(session, &session::Session::outputs, index, allocator, value);
}
OrtStatus* slots::SessionGetOverridableInitializerName(const OrtSession* session, size_t index, OrtAllocator* allocator,
                                                       char** value) noexcept {
  return argument_name(session, &session::Session::overridable, index, allocator, value);
}
OrtStatus* slots::SessionGetInputTypeInfo(const OrtSession* session, size_t index, OrtTypeInfo** type_info) noexcept {
  return argument_type(session, &session::Session::inputs, index, type_info);
}
OrtStatus* slots::SessionGetOutputTypeInfo(const OrtSession* session, size_t index, OrtTypeInfo** type_info) noexcept {
  return argument_type(session, &session::Session::outputs, index, type_info);
}
OrtStatus* slots::SessionGetOverridableInitializerTypeInfo(const OrtSession* session, size_t index,
                                                           OrtTypeInfo** type_info) noexcept {
  return argument_type(session, &session::Session::overridable, index, type_info);
}

// ---- placement ----

namespace {

template <class T>
OrtStatus* fill(const OrtSession* session, Arguments list, const T* with, const T** out, size_t count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, out);
    TENON_TRY(check_ready(*session));
    const size_t needed = (session->session.get()->*list)().size();
    if (count != needed) return invalid("The session has ", needed, " of these values, not ", count);
    for (size_t i = 0; i < count; ++i) out[i] = with;
    return {};
  });
}

}  // namespace

OrtStatus* slots::SessionGetMemoryInfoForInputs(const OrtSession* session, const OrtMemoryInfo** infos,
                                                size_t num_inputs) noexcept {
  return fill(session, &session::Session::inputs, &cpu_memory_info(), infos, num_inputs);
}
OrtStatus* slots::SessionGetMemoryInfoForOutputs(const OrtSession* session, const OrtMemoryInfo** infos,
                                                 size_t num_outputs) noexcept {
  return fill(session, &session::Session::outputs, &cpu_memory_info(), infos, num_outputs);
}
OrtStatus* slots::SessionGetEpDeviceForInputs(const OrtSession* session, const OrtEpDevice** devices,
                                              size_t num_inputs) noexcept {
  return fill(session, &session::Session::inputs, ep_devices()[0], devices, num_inputs);
}
OrtStatus* slots::SessionGetEpDeviceForOutputs(const OrtSession* session, const OrtEpDevice** devices,
                                               size_t num_outputs) noexcept {
  return fill(session, &session::Session::outputs, ep_devices()[0], devices, num_outputs);
}

OrtStatus* slots::CreateAllocator(const OrtSession* session, const OrtMemoryInfo* mem_info,
                                  OrtAllocator** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, mem_info, out);
    if (!(mem_info->device == cpu_memory_info().device)) return invalid("No requested allocator available");
    *out = new_cpu_allocator(*mem_info);
    return {};
  });
}

// ---- profiles ----

OrtStatus* slots::SessionEndProfiling(OrtSession* session, OrtAllocator* allocator, char** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, allocator, out);
    TENON_TRY(check_ready(*session));
    return allocate_text(allocator, session->session->end_profiling(), out);
  });
}

OrtStatus* slots::SessionGetProfilingStartTimeNs(const OrtSession* session, uint64_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, out);
    TENON_TRY(check_ready(*session));
    *out = static_cast<uint64_t>(session->session->profiling_start_ns());
    return {};
  });
}

}  // namespace tenon::abi
