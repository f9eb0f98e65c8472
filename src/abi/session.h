// OrtSession and OrtIoBinding: a loaded model with the logger its client chose; values bound to its names.
// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "abi/env.h"
#include "abi/options.h"
#include "session/session.h"

struct OrtSession {
  OrtSession(const OrtSessionOptions& options, OrtLogger logger_settings);
  OrtSessionOptions options;  ///< a copy: keeps initializers and libraries of custom operators alive
  OrtLogger logger;
  std::unique_ptr<tenon::session::Session> session;  ///< null until a model editor session is finalised
  std::unique_ptr<tenon::ir::Model> editing;         ///< the model until then
  /// The answer to Session_GetEpGraphAssignmentInfo, made when first asked for.
  std::mutex assignments_mutex;
  std::shared_ptr<struct OrtAssignments> assignments;
};

struct OrtPrepackedWeightsContainer {};

struct OrtIoBinding {
  OrtSession* session = nullptr;
  struct Bound {
    std::string name;
    tenon::ValueRef value;  ///< outputs: null until a run made it, when bound to a device
    bool fresh = false;     ///< outputs: bound to a device, so every run makes a new value
  };
  std::vector<Bound> inputs, outputs;
};

namespace tenon::abi {

/// Operators of the client as entries of a registry; null when the options have none.
Result<std::shared_ptr<const opdef::Registry>> custom_registry(const OrtSessionOptions& options,
                                                               const OrtLogger& logger);

/// Fails for a model editor session that is not finalised.
Status check_ready(const OrtSession& session);

/// Makes a session with the engine's options for `load`, which gets them.
using LoadSession = std::function<Result<std::unique_ptr<session::Session>>(const session::SessionOptions&)>;
Status create_session(const OrtEnv* env, const OrtSessionOptions* options, OrtSession** out, const LoadSession& load);
/// The same for a session object that exists already, with options that may have changed.
Status load_session(const OrtEnv& env, OrtSession& session, const LoadSession& load);
/// A session object without a loaded model.
Result<std::unique_ptr<OrtSession>> empty_session(const OrtEnv& env, const OrtSessionOptions* options);

/// Checks what a client passes to a run and runs; outputs as OrtApi::Run has them.
Status run_session(OrtSession& session, const OrtRunOptions* run_options, const char* const* input_names,
                   const OrtValue* const* inputs, size_t input_count, const char* const* output_names,
                   size_t output_count, OrtValue** outputs);

}  // namespace tenon::abi
