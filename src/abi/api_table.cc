// The tables: each slot is either the function of its name or one that says that it is not implemented.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "abi/entry.h"
#include "abi/options.h"
#include "ort/cpu_provider_factory.h"
#include "tenon/tenon_c_api.h"

namespace tenon::abi {

namespace {

/// A string literal as a template argument.
template <size_t N>
struct Name {
  char text[N];
  constexpr Name(const char (&s)[N]) { std::copy_n(s, N, text); }  // NOLINT(google-explicit-constructor)
};

/// What stands in a slot that is not written yet: a status that names it, or nothing for functions without a status.
template <class Function, Name name>
struct Later;
template <class... Args, Name name>
struct Later<OrtStatus* (*)(Args...) noexcept, name> {
  static OrtStatus* call(Args...) noexcept {
    return guarded([] { return error(Code::kNotImplemented, name.text, " is not implemented"); });
  }
};
template <class R, class... Args, Name name>
struct Later<R (*)(Args...) noexcept, name> {
  static R call(Args...) noexcept {
    if constexpr (!std::is_void_v<R>) return R{};
  }
};

#define LATER(name) Later<decltype(Table::name), #name>::call,
#define SLOT(name) functions::name,

constexpr OrtModelEditorApi kModelEditorApi = [] {
  using Table = OrtModelEditorApi;
  namespace functions = editor_slots;
  return Table{
#include "abi/tables/model_editor_api.inc"
  };
}();
constexpr OrtCompileApi kCompileApi = [] {
  using Table = OrtCompileApi;
  namespace functions = compile_slots;
  return Table{
#include "abi/tables/compile_api.inc"
  };
}();
constexpr OrtInteropApi kInteropApi = [] {
  using Table = OrtInteropApi;
  namespace functions = interop_slots;
  return Table{
#include "abi/tables/interop_api.inc"
  };
}();
constexpr OrtEpApi kEpApi = [] {
  using Table = OrtEpApi;
  namespace functions = ep_slots;
  return Table{
#include "abi/tables/ep_api.inc"
  };
}();
constexpr OrtModelPackageApi kModelPackageApi = [] {
  using Table = OrtModelPackageApi;
  namespace functions = package_slots;
  return Table{
#include "abi/tables/model_package_api.inc"
  };
}();
constexpr OrtApi kApi = [] {
  using Table = OrtApi;
  namespace functions = slots;
  return Table{
#include "abi/tables/ort_api.inc"
  };
}();
#undef LATER
#undef SLOT

const OrtApi* ORT_API_CALL get_api(uint32_t version) noexcept {
  if (version >= 1 && version <= ORT_API_VERSION) return &kApi;
  // Clients probe downwards after NULL; the line tells people why.
  if (!std::getenv("TENON_QUIET"))
    std::fprintf(stderr,
                 "The requested API version [%u] is not available, only API versions [1, %u] are supported in this "
                 "build. Current ORT Version is: %s\n",
                 version, ORT_API_VERSION, kReleaseVersion);
  return nullptr;
}

const char* ORT_API_CALL get_version_string() noexcept { return kReleaseVersion; }

constexpr OrtApiBase kApiBase = {get_api, get_version_string};

}  // namespace

const OrtTrainingApi* slots::GetTrainingApi(uint32_t) noexcept { return nullptr; }
const OrtModelEditorApi* slots::GetModelEditorApi() noexcept { return &kModelEditorApi; }
const OrtCompileApi* slots::GetCompileApi() noexcept { return &kCompileApi; }
const OrtInteropApi* slots::GetInteropApi() noexcept { return &kInteropApi; }
const OrtEpApi* slots::GetEpApi() noexcept { return &kEpApi; }
const OrtModelPackageApi* slots::GetModelPackageApi() noexcept { return &kModelPackageApi; }
OrtExperimentalFnPtr slots::GetExperimentalFunction(const char*) noexcept { return nullptr; }
const char* slots::GetBuildInfoString() noexcept { return "ORT Build Info: Tenon 0.1.0, build type=Release"; }

/// The table, for the parts of this folder that hand it to callbacks.
const OrtApi* api_table() { return &kApi; }

}  // namespace tenon::abi

extern "C" {
const OrtApiBase* TenonGetOrtApiBase(void) noexcept { return &tenon::abi::kApiBase; }
const OrtApiBase* OrtGetApiBase(void) noexcept { return &tenon::abi::kApiBase; }
OrtStatusPtr OrtSessionOptionsAppendExecutionProvider_CPU(OrtSessionOptions* options, int use_arena) noexcept {
  return TenonAppendCpuProvider(options, use_arena);
}
}
