// Faults, the environment and texts.
// SPDX-License-Identifier: MIT
#include "engine.h"

#include <nanobind/stl/string.h>

#include <array>
#include <mutex>
#include <utility>

namespace tenon::python {
namespace {

struct ErrorName {
  OrtErrorCode code;
  const char* python;  ///< class in capi.onnxruntime_pybind11_state
  const char* text;    ///< as it stands in messages
};
constexpr ErrorName kErrors[] = {
    {ORT_FAIL, "Fail", "FAIL"},
    {ORT_INVALID_ARGUMENT, "InvalidArgument", "INVALID_ARGUMENT"},
    {ORT_NO_SUCHFILE, "NoSuchFile", "NO_SUCHFILE"},
    {ORT_NO_MODEL, "NoModel", "NO_MODEL"},
    {ORT_ENGINE_ERROR, "EngineError", "ENGINE_ERROR"},
    {ORT_RUNTIME_EXCEPTION, "RuntimeException", "RUNTIME_EXCEPTION"},
    {ORT_INVALID_PROTOBUF, "InvalidProtobuf", "INVALID_PROTOBUF"},
    {ORT_MODEL_LOADED, "ModelLoaded", "MODEL_LOADED"},
    {ORT_NOT_IMPLEMENTED, "NotImplemented", "NOT_IMPLEMENTED"},
    {ORT_INVALID_GRAPH, "InvalidGraph", "INVALID_GRAPH"},
    {ORT_EP_FAIL, "EPFail", "EP_FAIL"},
    {ORT_MODEL_LOAD_CANCELED, "ModelLoadCanceled", "MODEL_LOAD_CANCELED"},
    {ORT_MODEL_REQUIRES_COMPILATION, "ModelRequiresCompilation", "MODEL_REQUIRES_COMPILATION"},
    {ORT_NOT_FOUND, "NotFound", "NOT_FOUND"},
    {ORT_DEVICE_RESET, "DeviceReset", "DEVICE_RESET"},
};
std::array<PyObject*, 16> error_classes{};  // live as long as the interpreter

struct Environment {
  std::mutex mutex;
  OrtEnv* env = nullptr;
  OrtLoggingLevel level = ORT_LOGGING_LEVEL_WARNING;
  bool global_pools = false;
  int intra_threads = 0, inter_threads = 0;
};
Environment& state() {
  static auto* s = new Environment;
  return *s;
}

}  // namespace

void check(OrtStatus* status) {
  if (!status) [[likely]]
    return;
  const OrtErrorCode code = api().GetErrorCode(status);
  throw Failure(code, take_text(status));
}

std::string take_text(OrtStatus* status) {
  if (!status) return {};
  const OrtErrorCode code = api().GetErrorCode(status);
  const char* name = "";
  for (auto& e : kErrors)
    if (e.code == code) name = e.text;
  std::string text =
      "[ONNXRuntimeError] : " + std::to_string(code) + " : " + name + " : " + api().GetErrorMessage(status);
  api().ReleaseStatus(status);
  return text;
}

void define_errors(nb::module_& m) {
  for (auto& e : kErrors) {
    const std::string full = std::string("tenon.capi.onnxruntime_pybind11_state.") + e.python;
    PyObject* cls = PyErr_NewException(full.c_str(), PyExc_Exception, nullptr);
    error_classes[static_cast<size_t>(e.code)] = cls;
    m.attr(e.python) = nb::borrow(cls);
  }
  nb::register_exception_translator([](const std::exception_ptr& p, void*) {
    try {
      std::rethrow_exception(p);
    } catch (const Failure& f) {
      const size_t code = static_cast<size_t>(f.code);
      PyObject* cls =
          code < error_classes.size() && error_classes[code] ? error_classes[code] : error_classes[ORT_FAIL];
      nb::object text = text_object(f.text);
      PyErr_SetObject(cls, text.ptr());
    }
  });
  m.def("set_default_logger_severity", [](int level) {
    if (level < 0 || level > 4) throw std::runtime_error("Invalid severity: 0 (verbose) to 4 (fatal) are valid");
    auto& s = state();
    {
      std::lock_guard lock(s.mutex);
      s.level = static_cast<OrtLoggingLevel>(level);
    }
    if (s.env) check(api().UpdateEnvWithCustomLogLevel(environment(), s.level));
  });
  m.def(
      "set_global_thread_pool_sizes",
      [](int intra, int inter) {
        auto& s = state();
        std::lock_guard lock(s.mutex);
        if (s.env)
          throw std::runtime_error("set_global_thread_pool_sizes must be called before the first session is made");
        s.global_pools = true;
        s.intra_threads = intra;
        s.inter_threads = inter;
      },
      nb::arg("intra_op_num_threads") = 0, nb::arg("inter_op_num_threads") = 0);
}

OrtEnv* environment() {
  auto& s = state();
  std::lock_guard lock(s.mutex);
  if (s.env) return s.env;
  if (s.global_pools) {
    OrtThreadingOptions* threads = nullptr;
    check(api().CreateThreadingOptions(&threads));
    std::unique_ptr<OrtThreadingOptions, Release<&OrtApi::ReleaseThreadingOptions>> owner(threads);
    check(api().SetGlobalIntraOpNumThreads(threads, s.intra_threads));
    check(api().SetGlobalInterOpNumThreads(threads, s.inter_threads));
    check(api().CreateEnvWithGlobalThreadPools(s.level, "Default", threads, &s.env));
  } else {
    check(api().CreateEnv(s.level, "Default", &s.env));
  }
  if (OrtStatus* status = api().SetLanguageProjection(s.env, ORT_PROJECTION_PYTHON)) api().ReleaseStatus(status);
  return s.env;
}

OrtAllocator* cpu_allocator() {
  static OrtAllocator* allocator = [] {
    OrtAllocator* a = nullptr;
    check(api().GetAllocatorWithDefaultOptions(&a));
    return a;
  }();
  return allocator;
}

nb::object text_object(std::string_view text) {
  return nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

std::string take_allocated(char* text) {
  if (!text) return {};
  std::string out = text;
  check(api().AllocatorFree(cpu_allocator(), text));
  return out;
}

CStrings::CStrings(nb::handle sequence) {
  if (nb::isinstance<nb::str>(sequence)) throw nb::type_error("a list of names is expected, not one string");
  for (nb::handle item : nb::borrow<nb::iterable>(sequence)) add(item);
}

void CStrings::add(nb::handle str) {
  if (!nb::isinstance<nb::str>(str)) throw nb::type_error("names must be strings");
  const char* text = PyUnicode_AsUTF8(str.ptr());
  if (!text) throw nb::python_error();
  pointers_.push_back(text);
  kept_.push_back(nb::borrow(str));
}

}  // namespace tenon::python
