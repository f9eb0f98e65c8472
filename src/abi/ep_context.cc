// The EPContext callbacks of session options as plug-in providers read them.
// SPDX-License-Identifier: MIT
#include "abi/entry.h"
#include "abi/env.h"
#include "abi/options.h"

struct OrtEpContextConfig {
  OrtReadNamedBufferFunc read = nullptr;
  void* read_state = nullptr;
  OrtWriteNamedBufferFunc write = nullptr;
  void* write_state = nullptr;
};

namespace tenon::abi {

OrtStatus* ep_slots::SessionOptionsGetEpContextConfig(const OrtSessionOptions* session_options,
                                                      OrtEpContextConfig** config) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session_options, config);
    *config =
        new OrtEpContextConfig{session_options->read_context, session_options->read_context_state, nullptr, nullptr};
    return {};
  });
}
void ep_slots::ReleaseEpContextConfig(OrtEpContextConfig* input) noexcept { delete input; }

OrtStatus* ep_slots::EpContextConfigGetEpContextDataReadFunc(const OrtEpContextConfig* config,
                                                             OrtReadNamedBufferFunc* read_func, void** state) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(config, read_func, state);
    *read_func = config->read;
    *state = config->read_state;
    return {};
  });
}
OrtStatus* ep_slots::EpContextConfigGetEpContextDataWriteFunc(const OrtEpContextConfig* config,
                                                              OrtWriteNamedBufferFunc* write_func,
                                                              void** state) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(config, write_func, state);
    *write_func = config->write;
    *state = config->write_state;
    return {};
  });
}

OrtStatus* ep_slots::SessionOptionsGetWeightlessSourceModelBuffer(const OrtSessionOptions* session_options,
                                                                  const void** data, size_t* length) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session_options, data, length);
    *data = session_options->weightless_source.first;
    *length = session_options->weightless_source.second;
    return {};
  });
}

OrtStatus* ep_slots::GetEnvConfigEntries(OrtKeyValuePairs** config_entries) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(config_entries);
    const OrtEnv* env = current_env();
    if (!env) return error(Code::kFail, "There is no environment");
    *config_entries = new OrtKeyValuePairs(env->config.entries);
    return {};
  });
}

OrtMemoryInfoDeviceType ep_slots::MemoryDevice_GetDeviceType(const OrtMemoryDevice* device) noexcept {
  return device ? static_cast<OrtMemoryInfoDeviceType>(reinterpret_cast<const Device*>(device)->type)
                : OrtMemoryInfoDeviceType_CPU;
}
OrtDeviceMemoryType ep_slots::MemoryDevice_GetMemoryType(const OrtMemoryDevice* device) noexcept {
  return device ? static_cast<OrtDeviceMemoryType>(reinterpret_cast<const Device*>(device)->memory)
                : OrtDeviceMemoryType_DEFAULT;
}
uint32_t ep_slots::MemoryDevice_GetVendorId(const OrtMemoryDevice* device) noexcept {
  return device ? reinterpret_cast<const Device*>(device)->vendor : 0;
}
uint32_t ep_slots::MemoryDevice_GetDeviceId(const OrtMemoryDevice* device) noexcept {
  return device ? static_cast<uint32_t>(reinterpret_cast<const Device*>(device)->id) : 0;
}
bool ep_slots::MemoryDevice_AreEqual(const OrtMemoryDevice* a, const OrtMemoryDevice* b) noexcept {
  return a == b || (a && b && *reinterpret_cast<const Device*>(a) == *reinterpret_cast<const Device*>(b));
}
const OrtMemoryDevice* ep_slots::MemoryInfo_GetMemoryDevice(const OrtMemoryInfo* info) noexcept {
  return info ? reinterpret_cast<const OrtMemoryDevice*>(&info->device) : nullptr;
}
const OrtMemoryDevice* ep_slots::Value_GetMemoryDevice(const OrtValue* value) noexcept {
  if (!value) return nullptr;
  const Value& v = unwrapped(*from_ort(value));
  if (v.kind != Value::Kind::kTensor && v.kind != Value::Kind::kSparse) return nullptr;
  return reinterpret_cast<const OrtMemoryDevice*>(&v.tensor.device);
}

}  // namespace tenon::abi
