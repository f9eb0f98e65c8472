// Run options.
// SPDX-License-Identifier: MIT
#include "abi/entry.h"
#include "abi/options.h"

namespace tenon::abi {

namespace {

template <class Change>
OrtStatus* change(OrtRunOptions* options, Change&& body) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    body(*options);
    return {};
  });
}

}  // namespace

OrtStatus* slots::CreateRunOptions(OrtRunOptions** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = new OrtRunOptions();
    return {};
  });
}

void slots::ReleaseRunOptions(OrtRunOptions* input) noexcept { delete input; }

OrtStatus* slots::RunOptionsSetRunLogVerbosityLevel(OrtRunOptions* options, int level) noexcept {
  return change(options, [&](OrtRunOptions& o) { o.log_verbosity = level; });
}
OrtStatus* slots::RunOptionsSetRunLogSeverityLevel(OrtRunOptions* options, int level) noexcept {
  return change(options, [&](OrtRunOptions& o) { o.run.log_severity = level; });
}
OrtStatus* slots::RunOptionsSetRunTag(OrtRunOptions* options, const char* run_tag) noexcept {
  return change(options, [&](OrtRunOptions& o) { o.run.tag = run_tag ? run_tag : ""; });
}
OrtStatus* slots::RunOptionsSetTerminate(OrtRunOptions* options) noexcept {
  return change(options, [](OrtRunOptions& o) { o.run.terminate = true; });
}
OrtStatus* slots::RunOptionsUnsetTerminate(OrtRunOptions* options) noexcept {
  return change(options, [](OrtRunOptions& o) { o.run.terminate = false; });
}
OrtStatus* slots::RunOptionsEnableProfiling(OrtRunOptions* options, const char* profile_file_prefix) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, profile_file_prefix);
    options->profile = true;
    options->profile_prefix = profile_file_prefix;
    return {};
  });
}
OrtStatus* slots::RunOptionsDisableProfiling(OrtRunOptions* options) noexcept {
  return change(options, [](OrtRunOptions& o) {
    o.profile = false;
    o.profile_prefix.clear();
  });
}

OrtStatus* slots::RunOptionsGetRunLogVerbosityLevel(const OrtRunOptions* options, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, out);
    *out = options->log_verbosity;
    return {};
  });
}
OrtStatus* slots::RunOptionsGetRunLogSeverityLevel(const OrtRunOptions* options, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, out);
    *out = options->run.log_severity;
    return {};
  });
}
OrtStatus* slots::RunOptionsGetRunTag(const OrtRunOptions* options, const char** run_tag) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, run_tag);
    *run_tag = options->run.tag.c_str();
    return {};
  });
}

OrtStatus* slots::AddRunConfigEntry(OrtRunOptions* options, const char* config_key, const char* config_value) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, config_key, config_value);
    TENON_TRY(check_config_key(config_key));
    options->run.config.insert_or_assign(config_key, config_value);
    return {};
  });
}

const char* slots::GetRunConfigEntry(const OrtRunOptions* options, const char* config_key) noexcept {
  if (!options || !config_key) return nullptr;
  auto it = options->run.config.find(std::string_view(config_key));
  return it == options->run.config.end() ? nullptr : it->second.c_str();
}

// There are no device streams on the CPU: nothing to set.
void slots::RunOptionsSetSyncStream(OrtRunOptions*, OrtSyncStream*) noexcept {}

}  // namespace tenon::abi
