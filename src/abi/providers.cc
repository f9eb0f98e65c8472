// Execution providers named by clients, libraries of custom operators, tables of other providers.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/env.h"
#include "abi/options.h"
#include "base/os/library.h"
#include "tenon/tenon_c_api.h"

namespace tenon::abi {

namespace {

/// Providers that clients may name although this build does not have them: short and long names.
struct Known {
  const char *name, *type;
};
constexpr Known kKnown[] = {
    {"DML", "DmlExecutionProvider"},
    {"QNN", "QNNExecutionProvider"},
    {"OpenVINO", "OpenVINOExecutionProvider"},
    {"SNPE", "SNPEExecutionProvider"},
    {"XNNPACK", "XnnpackExecutionProvider"},
    {"WEBNN", "WebNNExecutionProvider"},
    {"WebGPU", "WebGpuExecutionProvider"},
    {"AZURE", "AzureExecutionProvider"},
    {"JS", "JsExecutionProvider"},
    {"VitisAI", "VitisAIExecutionProvider"},
    {"CoreML", "CoreMLExecutionProvider"},
    {"NvTensorRtRtx", "NvTensorRTRTXExecutionProvider"},
};

Status append_provider(OrtSessionOptions* options, const char* name) {
  TENON_REQUIRE(options, name);
  if (std::strcmp(name, "CPU") == 0 || std::strcmp(name, "CPUExecutionProvider") == 0) {
    options->providers.emplace_back("CPUExecutionProvider");
    return {};
  }
  std::string list;
  for (const Known& k : kKnown) {
    if (std::strcmp(name, k.name) == 0 || std::strcmp(name, k.type) == 0)
      return invalid(name, " execution provider is not supported in this build. ");
    list += cat(list.empty() ? "" : ", ", '\'', k.name, "'/'", k.type, '\'');
  }
  return invalid("Unknown provider name '", name, "'. Currently supported values are ", list);
}

OrtStatus* absent(const char* provider) noexcept {
  return guarded([&] { return error(Code::kFail, provider, " execution provider is not enabled in this build."); });
}

/// Loads a library of custom operators and lets it register them.
Result<void*> register_library(OrtSessionOptions* options, const char* path) {
  auto library = os::open_library(path);
  if (!library.ok()) return library;
  auto* function = reinterpret_cast<RegisterCustomOpsFn>(os::find_symbol(library.value(), "RegisterCustomOps"));
  Status done = function
                    ? call_client([&] { return from_ort(function(options, TenonGetOrtApiBase())); })
                    : error(Code::kFail, "RegisterCustomOpsLibrary: Entry point RegisterCustomOps not found in ", path);
  if (!done.ok()) {
    os::close_library(library.value());
    return done;
  }
  return library;
}

}  // namespace

OrtStatus* slots::GetAvailableProviders(char*** out_ptr, int* provider_length) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out_ptr, provider_length);
    static constexpr const char kName[] = "CPUExecutionProvider";
    auto list = std::make_unique<char*[]>(1);
    list[0] = new char[sizeof kName];
    std::memcpy(list[0], kName, sizeof kName);
    *out_ptr = list.release();
    *provider_length = 1;
    return {};
  });
}

OrtStatus* slots::ReleaseAvailableProviders(char** ptr, int providers_length) noexcept {
  if (!ptr) return nullptr;
  for (int i = 0; i < providers_length; ++i) delete[] ptr[i];
  delete[] ptr;
  return nullptr;
}

OrtStatus* slots::SessionOptionsAppendExecutionProvider(OrtSessionOptions* options, const char* provider_name,
                                                        const char* const*, const char* const*, size_t) noexcept {
  return guarded([&] { return append_provider(options, provider_name); });
}

OrtStatus* slots::SessionOptionsAppendExecutionProvider_V2(OrtSessionOptions* session_options, OrtEnv* env,
                                                           const OrtEpDevice* const* ep_devices_in,
                                                           size_t num_ep_devices, const char* const*,
                                                           const char* const*, size_t) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session_options, env);
    if (num_ep_devices == 0) return invalid("Empty 'ep_devices' array.");
    TENON_REQUIRE(ep_devices_in);
    for (size_t i = 0; i < num_ep_devices; ++i) {
      if (!ep_devices_in[i]) return invalid("device ", i, " must not be NULL");
      if (ep_devices_in[i]->ep_name != ep_devices_in[0]->ep_name)
        return invalid("All OrtEpDevice values in ep_devices must have the same execution provider.");
    }
    return append_provider(session_options, ep_devices_in[0]->ep_name.c_str());
  });
}

#define TENON_ABSENT(slot, type, provider) \
  OrtStatus* slots::slot(OrtSessionOptions*, const type*) noexcept { return absent(provider); }
TENON_ABSENT(SessionOptionsAppendExecutionProvider_CUDA, OrtCUDAProviderOptions, "CUDA")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_CUDA_V2, OrtCUDAProviderOptionsV2, "CUDA")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_ROCM, OrtROCMProviderOptions, "ROCM")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_OpenVINO, OrtOpenVINOProviderOptions, "OpenVINO")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_TensorRT, OrtTensorRTProviderOptions, "TensorRT")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_TensorRT_V2, OrtTensorRTProviderOptionsV2, "TensorRT")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_MIGraphX, OrtMIGraphXProviderOptions, "MIGraphX")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_CANN, OrtCANNProviderOptions, "CANN")
TENON_ABSENT(SessionOptionsAppendExecutionProvider_Dnnl, OrtDnnlProviderOptions, "Dnnl")
#undef TENON_ABSENT

OrtStatus* slots::SessionOptionsAppendExecutionProvider_OpenVINO_V2(OrtSessionOptions*, const char* const*,
                                                                    const char* const*, size_t) noexcept {
  return absent("OpenVINO");
}
OrtStatus* slots::SessionOptionsAppendExecutionProvider_VitisAI(OrtSessionOptions*, const char* const*,
                                                                const char* const*, size_t) noexcept {
  return absent("VitisAI");
}
OrtStatus* slots::CreateCUDAProviderOptions(OrtCUDAProviderOptionsV2**) noexcept { return absent("CUDA"); }
OrtStatus* slots::CreateTensorRTProviderOptions(OrtTensorRTProviderOptionsV2**) noexcept { return absent("TensorRT"); }
OrtStatus* slots::CreateROCMProviderOptions(OrtROCMProviderOptions**) noexcept { return absent("ROCM"); }
OrtStatus* slots::CreateCANNProviderOptions(OrtCANNProviderOptions**) noexcept { return absent("CANN"); }
OrtStatus* slots::CreateDnnlProviderOptions(OrtDnnlProviderOptions**) noexcept { return absent("Dnnl"); }
OrtStatus* slots::SetCurrentGpuDeviceId(int) noexcept { return absent("CUDA"); }
OrtStatus* slots::GetCurrentGpuDeviceId(int*) noexcept { return absent("CUDA"); }

OrtStatus* slots::GetExecutionProviderApi(const char* provider_name, uint32_t, const void** provider_api) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(provider_name, provider_api);
    return invalid("Specified provider is not supported.");
  });
}

OrtStatus* slots::EnableOrtCustomOps(OrtSessionOptions* options) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options);
    return error(Code::kFail, "EnableOrtCustomOps: Custom operators in onnxruntime-extensions are not enabled");
  });
}

OrtStatus* slots::CreateCustomOpDomain(const char* domain, OrtCustomOpDomain** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(domain, out);
    *out = new OrtCustomOpDomain{domain, {}};
    return {};
  });
}

void slots::ReleaseCustomOpDomain(OrtCustomOpDomain* input) noexcept { delete input; }

OrtStatus* slots::CustomOpDomain_Add(OrtCustomOpDomain* custom_op_domain, const OrtCustomOp* op) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(custom_op_domain, op);
    custom_op_domain->ops.push_back(op);
    return {};
  });
}

OrtStatus* slots::AddCustomOpDomain(OrtSessionOptions* options, OrtCustomOpDomain* custom_op_domain) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, custom_op_domain);
    options->domains.push_back(custom_op_domain);
    return {};
  });
}

OrtStatus* slots::RegisterCustomOpsLibrary(OrtSessionOptions* options, const char* library_path,
                                           void** library_handle) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, library_path, library_handle);
    TENON_ASSIGN(auto library, register_library(options, library_path));
    *library_handle = library;  // the client closes it
    return {};
  });
}

OrtStatus* slots::RegisterCustomOpsLibrary_V2(OrtSessionOptions* options, const char* library_name) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, library_name);
    TENON_ASSIGN(auto library, register_library(options, library_name));
    options->libraries.emplace_back(library, os::close_library);
    return {};
  });
}

OrtStatus* slots::RegisterCustomOpsUsingFunction(OrtSessionOptions* options,
                                                 const char* registration_func_name) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(options, registration_func_name);
    if (*registration_func_name == '\0')
      return invalid("RegisterCustomOpsUsingFunction: Registration function name must be specified.");
    auto* function = reinterpret_cast<RegisterCustomOpsFn>(os::find_symbol(nullptr, registration_func_name));
    if (!function)
      return error(Code::kFail,
                   "RegisterCustomOpsUsingFunction: Registration function was not found: ", registration_func_name);
    return call_client([&] { return from_ort(function(options, TenonGetOrtApiBase())); });
  });
}

OrtStatus* slots::RegisterExecutionProviderLibrary(OrtEnv* env, const char* registration_name,
                                                   const char* path) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, registration_name, path);
    TENON_ASSIGN(auto library, os::open_library(path));
    os::close_library(library);
    return error(Code::kNotImplemented, "Plug-in providers are not implemented: ", path, " was not registered");
  });
}

OrtStatus* slots::UnregisterExecutionProviderLibrary(OrtEnv* env, const char* registration_name) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, registration_name);
    return error(Code::kFail, "Execution provider library: ", registration_name, " was not registered.");
  });
}

}  // namespace tenon::abi

extern "C" OrtStatusPtr TenonAppendCpuProvider(OrtSessionOptions* options, int use_arena) noexcept {
  return tenon::abi::guarded([&]() -> tenon::Status {
    TENON_REQUIRE(options);
    options->providers.emplace_back("CPUExecutionProvider");
    options->cpu_arena = use_arena != 0;
    return {};
  });
}
