// SessionOptions and RunOptions as Python sees them.
// SPDX-License-Identifier: MIT
#include "options.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>

#include "devices.h"
#include "values.h"

namespace tenon::python {

Options::Options() {
  OrtSessionOptions* o = nullptr;
  check(api().CreateSessionOptions(&o));
  base.reset(o);
}

RunOptions::RunOptions() {
  OrtRunOptions* o = nullptr;
  check(api().CreateRunOptions(&o));
  p.reset(o);
}

OptionsPtr Options::materialise() const {
  OrtSessionOptions* o = nullptr;
  check(api().CloneSessionOptions(base.get(), &o));
  OptionsPtr owner(o);
  auto& a = api();
  check(a.SetSessionGraphOptimizationLevel(o, graph_optimization_level));
  check(a.SetSessionExecutionMode(o, execution_mode));
  check(enable_cpu_mem_arena ? a.EnableCpuMemArena(o) : a.DisableCpuMemArena(o));
  check(enable_mem_pattern ? a.EnableMemPattern(o) : a.DisableMemPattern(o));
  if (enable_profiling) check(a.EnableProfiling(o, profile_file_prefix.c_str()));
  check(a.SetIntraOpNumThreads(o, intra_op_num_threads));
  check(a.SetInterOpNumThreads(o, inter_op_num_threads));
  if (log_severity_level >= 0) check(a.SetSessionLogSeverityLevel(o, log_severity_level));
  check(a.SetSessionLogVerbosityLevel(o, log_verbosity_level));
  if (!logid.empty()) check(a.SetSessionLogId(o, logid.c_str()));
  if (!optimized_model_filepath.empty()) check(a.SetOptimizedModelFilePath(o, optimized_model_filepath.c_str()));
  if (use_deterministic_compute) check(a.SetDeterministicCompute(o, true));
  if (!use_per_session_threads) check(a.DisablePerSessionThreads(o));
  return owner;
}

const std::vector<std::string>& known_providers() {
  static const auto* names = new std::vector<std::string>{"NvTensorRTRTXExecutionProvider", "TensorrtExecutionProvider",
                                                          "CUDAExecutionProvider",          "MIGraphXExecutionProvider",
                                                          "ROCMExecutionProvider",          "OpenVINOExecutionProvider",
                                                          "DnnlExecutionProvider",          "VitisAIExecutionProvider",
                                                          "QNNExecutionProvider",           "NnapiExecutionProvider",
                                                          "VSINPUExecutionProvider",        "JsExecutionProvider",
                                                          "CoreMLExecutionProvider",        "ACLExecutionProvider",
                                                          "DmlExecutionProvider",           "RknpuExecutionProvider",
                                                          "WebNNExecutionProvider",         "WebGpuExecutionProvider",
                                                          "XnnpackExecutionProvider",       "CANNExecutionProvider",
                                                          "AzureExecutionProvider",         "CPUExecutionProvider"};
  return *names;
}

void append_provider(OrtSessionOptions* options, const std::string& provider, const TextMap& values) {
  if (provider == "CPUExecutionProvider") return;
  char** names = nullptr;
  int n = 0;
  check(api().GetAvailableProviders(&names, &n));
  bool available = false;
  for (int i = 0; i < n; ++i) available |= provider == names[i];
  check(api().ReleaseAvailableProviders(names, n));
  if (!available) {
    auto& known = known_providers();
    if (std::find(known.begin(), known.end(), provider) != known.end()) return;
    throw nb::value_error(("Unknown Provider Type: " + provider).c_str());
  }
  std::string name = provider;
  constexpr std::string_view kSuffix = "ExecutionProvider";
  if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
  std::vector<const char*> keys, texts;
  for (auto& [k, v] : values) {
    keys.push_back(k.c_str());
    texts.push_back(v.c_str());
  }
  check(api().SessionOptionsAppendExecutionProvider(options, name.c_str(), keys.data(), texts.data(), keys.size()));
}

namespace {

/// Faults of option calls are RuntimeErrors with the bare text, as clients know them.
void check_option(OrtStatus* status) {
  if (!status) return;
  std::string text = api().GetErrorMessage(status);
  api().ReleaseStatus(status);
  throw std::runtime_error(text);
}

std::string config_entry(const Options& o, const std::string& key) {
  size_t size = 0;
  int has = 0;
  check(api().HasSessionConfigEntry(o.base.get(), key.c_str(), &has));
  if (!has) throw std::runtime_error("SessionOptions does not have configuration with key: " + key);
  take_text(api().GetSessionConfigEntry(o.base.get(), key.c_str(), nullptr, &size));
  std::string out(size, 0);
  check(api().GetSessionConfigEntry(o.base.get(), key.c_str(), out.data(), &size));
  out.resize(size ? size - 1 : 0);
  return out;
}

const OrtValue* value_in(nb::handle object, std::vector<nb::object>& kept) {
  nb::object value = nb::hasattr(object, "_ortvalue") ? nb::object(object.attr("_ortvalue")) : nb::borrow(object);
  if (!nb::isinstance<Value>(value)) throw nb::type_error("an OrtValue is expected");
  kept.push_back(value);
  return nb::cast<Value&>(value).p.get();
}

/// Asks a Python function (devices, model metadata, runtime metadata, at most) for the devices to use.
OrtStatus* ORT_API_CALL choose_devices(const OrtEpDevice** devices, size_t count, const OrtKeyValuePairs* model,
                                       const OrtKeyValuePairs* runtime, const OrtEpDevice** selected, size_t at_most,
                                       size_t* chosen, void* state) noexcept {
  nb::gil_scoped_acquire lock;
  try {
    nb::list list;
    for (size_t i = 0; i < count; ++i) list.append(ep_device_object(devices[i]));
    nb::object answer =
        nb::handle(static_cast<PyObject*>(state))(list, key_values_object(model), key_values_object(runtime), at_most);
    *chosen = 0;
    for (nb::handle d : nb::borrow<nb::iterable>(answer)) {
      if (*chosen == at_most)
        return api().CreateStatus(ORT_INVALID_ARGUMENT, "the function chose more devices than it may");
      selected[(*chosen)++] = reinterpret_cast<const OrtEpDevice*>(nb::cast<uintptr_t>(d.attr("_pointer")));
    }
    return nullptr;
  } catch (const std::exception& e) { return api().CreateStatus(ORT_FAIL, e.what()); }
}

void define_session_options(nb::module_& m) {
  nb::enum_<GraphOptimizationLevel>(m, "GraphOptimizationLevel", nb::is_arithmetic())
      .value("ORT_DISABLE_ALL", ORT_DISABLE_ALL)
      .value("ORT_ENABLE_BASIC", ORT_ENABLE_BASIC)
      .value("ORT_ENABLE_EXTENDED", ORT_ENABLE_EXTENDED)
      .value("ORT_ENABLE_LAYOUT", ORT_ENABLE_LAYOUT)
      .value("ORT_ENABLE_ALL", ORT_ENABLE_ALL);
  nb::enum_<ExecutionMode>(m, "ExecutionMode", nb::is_arithmetic())
      .value("ORT_SEQUENTIAL", ORT_SEQUENTIAL)
      .value("ORT_PARALLEL", ORT_PARALLEL);
  nb::enum_<ExecutionOrder>(m, "ExecutionOrder", nb::is_arithmetic())
      .value("DEFAULT", ExecutionOrder::kDefault)
      .value("PRIORITY_BASED", ExecutionOrder::kPriorityBased)
      .value("MEMORY_EFFICIENT", ExecutionOrder::kMemoryEfficient);
  nb::enum_<OrtExecutionProviderDevicePolicy>(m, "OrtExecutionProviderDevicePolicy", nb::is_arithmetic())
      .value("DEFAULT", OrtExecutionProviderDevicePolicy_DEFAULT)
      .value("PREFER_CPU", OrtExecutionProviderDevicePolicy_PREFER_CPU)
      .value("PREFER_NPU", OrtExecutionProviderDevicePolicy_PREFER_NPU)
      .value("PREFER_GPU", OrtExecutionProviderDevicePolicy_PREFER_GPU)
      .value("MAX_PERFORMANCE", OrtExecutionProviderDevicePolicy_MAX_PERFORMANCE)
      .value("MAX_EFFICIENCY", OrtExecutionProviderDevicePolicy_MAX_EFFICIENCY)
      .value("MIN_OVERALL_POWER", OrtExecutionProviderDevicePolicy_MIN_OVERALL_POWER);

  nb::class_<Options>(m, "SessionOptions",
                      "How a session is made. Read when the session is made; later changes do nothing.")
      .def(nb::init<>())
      .def_rw("graph_optimization_level", &Options::graph_optimization_level,
              "How far the graph is optimised; default: all.")
      .def_rw("execution_mode", &Options::execution_mode, "Accepted for compatibility; steps run one after another.")
      .def_rw("execution_order", &Options::execution_order, "Accepted for compatibility.")
      .def_rw("enable_cpu_mem_arena", &Options::enable_cpu_mem_arena)
      .def_rw("enable_mem_pattern", &Options::enable_mem_pattern)
      .def_rw("enable_mem_reuse", &Options::enable_mem_reuse, "Accepted for compatibility.")
      .def_rw("enable_profiling", &Options::enable_profiling, "Writes a profile; see InferenceSession.end_profiling.")
      .def_rw("profile_file_prefix", &Options::profile_file_prefix)
      .def_rw("intra_op_num_threads", &Options::intra_op_num_threads,
              "Threads of one run, the caller included; 0: all processors.")
      .def_rw("inter_op_num_threads", &Options::inter_op_num_threads, "Accepted for compatibility.")
      .def_rw("log_severity_level", &Options::log_severity_level,
              "0 verbose, 1 info, 2 warning, 3 error, 4 fatal; -1: the default.")
      .def_rw("log_verbosity_level", &Options::log_verbosity_level)
      .def_rw("logid", &Options::logid)
      .def_rw("optimized_model_filepath", &Options::optimized_model_filepath,
              "Where the optimised model is written; empty: nowhere.")
      .def_rw("use_deterministic_compute", &Options::use_deterministic_compute,
              "Results never depend on threads; accepted for compatibility.")
      .def_rw("use_per_session_threads", &Options::use_per_session_threads)
      .def("add_session_config_entry",
           [](Options& o, const std::string& key, const std::string& value) {
             check_option(api().AddSessionConfigEntry(o.base.get(), key.c_str(), value.c_str()));
           })
      .def("get_session_config_entry", &config_entry)
      .def("add_free_dimension_override_by_name",
           [](Options& o, const std::string& name, int64_t size) {
             check_option(api().AddFreeDimensionOverrideByName(o.base.get(), name.c_str(), size));
           })
      .def("add_free_dimension_override_by_denotation",
           [](Options& o, const std::string& name, int64_t size) {
             check_option(api().AddFreeDimensionOverride(o.base.get(), name.c_str(), size));
           })
      .def("add_initializer",
           [](Options& o, const std::string& name, nb::handle value) {
             check(api().AddInitializer(o.base.get(), name.c_str(), value_in(value, o.kept)));
           })
      .def("add_external_initializers",
           [](Options& o, nb::list names, nb::list values) {
             if (nb::len(names) != nb::len(values)) throw nb::value_error("as many names as values are needed");
             CStrings texts(names);
             std::vector<const OrtValue*> pointers;
             for (nb::handle v : values) pointers.push_back(value_in(v, o.kept));
             check(api().AddExternalInitializers(o.base.get(), texts.data(), pointers.data(), pointers.size()));
           })
      .def("add_external_initializers_from_files_in_memory",
           [](Options& o, nb::list names, nb::list buffers, nb::list lengths) {
             if (nb::len(names) != nb::len(buffers) || nb::len(names) != nb::len(lengths))
               throw nb::value_error("as many buffers and lengths as names are needed");
             CStrings texts(names);
             std::vector<char*> pointers;
             std::vector<size_t> sizes;
             for (size_t i = 0; i < nb::len(buffers); ++i) {
               nb::object item = buffers[i];
               sizes.push_back(nb::cast<size_t>(lengths[i]));
               Py_buffer view;
               if (PyObject_GetBuffer(item.ptr(), &view, PyBUF_SIMPLE) != 0) throw nb::python_error();
               const bool enough = static_cast<size_t>(view.len) >= sizes.back();
               pointers.push_back(static_cast<char*>(view.buf));
               PyBuffer_Release(&view);
               if (!enough) throw nb::value_error("a length is larger than its buffer");
               o.kept.push_back(std::move(item));
             }
             check(api().AddExternalInitializersFromFilesInMemory(o.base.get(), texts.data(), pointers.data(),
                                                                  sizes.data(), sizes.size()));
           })
      .def("register_custom_ops_library",
           [](Options& o, nb::handle path) {
             nb::object text = nb::steal(PyOS_FSPath(path.ptr()));
             if (!text.is_valid()) throw nb::python_error();
             check(api().RegisterCustomOpsLibrary_V2(o.base.get(), nb::cast<std::string>(nb::str(text)).c_str()));
           })
      .def("add_provider",
           [](Options& o, const std::string& name, const TextMap& values) {
             append_provider(o.base.get(), name, values);
             o.has_providers = true;
           })
      .def(
          "add_provider_for_devices",
          [](Options& o, const std::vector<nb::object>& devices, const TextMap& values) {
            std::vector<const OrtEpDevice*> pointers;
            for (auto& d : devices)
              pointers.push_back(reinterpret_cast<const OrtEpDevice*>(nb::cast<uintptr_t>(d.attr("_pointer"))));
            std::vector<const char*> keys, texts;
            for (auto& [k, v] : values) keys.push_back(k.c_str()), texts.push_back(v.c_str());
            check(api().SessionOptionsAppendExecutionProvider_V2(
                o.base.get(), environment(), pointers.data(), pointers.size(), keys.data(), texts.data(), keys.size()));
            o.has_providers = true;
          })
      .def("set_provider_selection_policy",
           [](Options& o, OrtExecutionProviderDevicePolicy policy) {
             check(api().SessionOptionsSetEpSelectionPolicy(o.base.get(), policy));
             o.has_providers = true;
           })
      .def("set_provider_selection_policy_delegate",
           [](Options& o, nb::object choose) {
             o.kept.push_back(choose);
             check(api().SessionOptionsSetEpSelectionPolicyDelegate(o.base.get(), &choose_devices, choose.ptr()));
             o.has_providers = true;
           })
      .def("has_providers", [](const Options& o) { return o.has_providers; })
      .def("set_load_cancellation_flag",
           [](Options& o, bool cancel) { check(api().SessionOptionsSetLoadCancellationFlag(o.base.get(), cancel)); });
}

struct LoraAdapter {
  std::unique_ptr<OrtLoraAdapter, Release<&OrtApi::ReleaseLoraAdapter>> p;
};

void define_run_options(nb::module_& m) {
  nb::class_<LoraAdapter>(m, "LoraAdapter", "Weights that take the place of inputs of a run.")
      .def(nb::init<>())
      .def("Load", [](LoraAdapter& a, nb::handle path) {
        nb::object text = nb::steal(PyOS_FSPath(path.ptr()));
        if (!text.is_valid()) throw nb::python_error();
        OrtLoraAdapter* made = nullptr;
        check(api().CreateLoraAdapter(nb::cast<std::string>(nb::str(text)).c_str(), cpu_allocator(), &made));
        a.p.reset(made);
      });
  nb::class_<RunOptions>(m, "RunOptions", "How one run is done.")
      .def(nb::init<>())
      .def_prop_rw(
          "log_severity_level",
          [](const RunOptions& o) {
            int level = -1;
            check(api().RunOptionsGetRunLogSeverityLevel(o.p.get(), &level));
            return level;
          },
          [](RunOptions& o, int level) { check(api().RunOptionsSetRunLogSeverityLevel(o.p.get(), level)); })
      .def_prop_rw(
          "log_verbosity_level",
          [](const RunOptions& o) {
            int level = 0;
            check(api().RunOptionsGetRunLogVerbosityLevel(o.p.get(), &level));
            return level;
          },
          [](RunOptions& o, int level) { check(api().RunOptionsSetRunLogVerbosityLevel(o.p.get(), level)); })
      .def_prop_rw(
          "logid",
          [](const RunOptions& o) {
            const char* tag = "";
            check(api().RunOptionsGetRunTag(o.p.get(), &tag));
            return std::string(tag ? tag : "");
          },
          [](RunOptions& o, const std::string& tag) { check(api().RunOptionsSetRunTag(o.p.get(), tag.c_str())); })
      .def_prop_rw(
          "terminate", [](const RunOptions& o) { return o.terminate; },
          [](RunOptions& o, bool stop) {
            check(stop ? api().RunOptionsSetTerminate(o.p.get()) : api().RunOptionsUnsetTerminate(o.p.get()));
            o.terminate = stop;
          },
          "Set from another thread, it ends the run with an error.")
      .def_rw("only_execute_path_to_fetches", &RunOptions::only_execute_path_to_fetches,
              "Always so; accepted for compatibility.")
      .def_rw("training_mode", &RunOptions::training_mode)
      .def("add_active_adapter",
           [](RunOptions& o, nb::handle adapter) {
             auto& a = nb::cast<LoraAdapter&>(adapter);
             if (!a.p) throw std::runtime_error("the adapter holds nothing yet: call Load");
             check(api().RunOptionsAddActiveLoraAdapter(o.p.get(), a.p.get()));
             o.kept.push_back(nb::borrow(adapter));
           })
      .def("add_run_config_entry",
           [](RunOptions& o, const std::string& key, const std::string& value) {
             check_option(api().AddRunConfigEntry(o.p.get(), key.c_str(), value.c_str()));
           })
      .def("get_run_config_entry", [](const RunOptions& o, const std::string& key) {
        const char* value = api().GetRunConfigEntry(o.p.get(), key.c_str());
        if (!value) throw std::runtime_error("RunOptions does not have configuration with key: " + key);
        return std::string(value);
      });
}

}  // namespace

void define_options(nb::module_& m) {
  define_session_options(m);
  define_run_options(m);
  m.def("get_all_providers", [] { return known_providers(); });
}

}  // namespace tenon::python
