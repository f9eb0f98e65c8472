// InferenceSession and SessionIOBinding.
// SPDX-License-Identifier: MIT
#include "session.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "devices.h"
#include "values.h"

namespace tenon::python {
namespace {

using Count = decltype(OrtApi::SessionGetInputCount);
using Name = decltype(OrtApi::SessionGetInputName);
using Type = decltype(OrtApi::SessionGetInputTypeInfo);

std::vector<NodeArg> arguments(const OrtSession* s, Count count, Name name, Type type) {
  size_t n = 0;
  check(count(s, &n));
  std::vector<NodeArg> out(n);
  for (size_t i = 0; i < n; ++i) {
    char* text = nullptr;
    check(name(s, i, cpu_allocator(), &text));
    out[i].name = take_allocated(text);
    OrtTypeInfo* info = nullptr;
    check(type(s, i, &info));
    TypeInfoPtr owner(info);
    out[i].type = describe(info);
  }
  return out;
}

Metadata read_metadata(const OrtSession* session) {
  OrtModelMetadata* m = nullptr;
  check(api().SessionGetModelMetadata(session, &m));
  MetadataPtr owner(m);
  Metadata out;
  auto text = [&](decltype(OrtApi::ModelMetadataGetDomain) get) {
    char* value = nullptr;
    check(get(m, cpu_allocator(), &value));
    return take_allocated(value);
  };
  out.producer_name = text(api().ModelMetadataGetProducerName);
  out.graph_name = text(api().ModelMetadataGetGraphName);
  out.domain = text(api().ModelMetadataGetDomain);
  out.description = text(api().ModelMetadataGetDescription);
  out.graph_description = text(api().ModelMetadataGetGraphDescription);
  check(api().ModelMetadataGetVersion(m, &out.version));
  char** keys = nullptr;
  int64_t n = 0;
  check(api().ModelMetadataGetCustomMetadataMapKeys(m, cpu_allocator(), &keys, &n));
  for (int64_t i = 0; i < n; ++i) {
    char* value = nullptr;
    check(api().ModelMetadataLookupCustomMetadataMap(m, cpu_allocator(), keys[i], &value));
    out.custom[keys[i]] = take_allocated(value);
    check(api().AllocatorFree(cpu_allocator(), keys[i]));
  }
  if (keys) check(api().AllocatorFree(cpu_allocator(), keys));
  return out;
}

/// Calls the engine without the interpreter's lock.
template <class F>
void unlocked(const F& call) {
  OrtStatus* status = nullptr;
  {
    nb::gil_scoped_release release;
    status = call();
  }
  check(status);
}

}  // namespace

Session::Session(nb::handle model, nb::object options, const std::vector<std::pair<std::string, TextMap>>& wanted,
                 const std::vector<std::string>& disabled)
    : options_(options.is_none() ? nb::cast(Options()) : options) {
  auto& o = nb::cast<Options&>(options_);
  OptionsPtr made = o.materialise();
  if (!disabled.empty()) {
    std::string list;
    for (auto& d : disabled) list += (list.empty() ? "" : ";") + d;
    check(api().AddSessionConfigEntry(made.get(), "optimization.disable_specified_optimizers", list.c_str()));
  }
  for (auto& [name, values] : wanted) {
    append_provider(made.get(), name, values);
    if (name != "CPUExecutionProvider") {
      char** names = nullptr;
      int n = 0;
      check(api().GetAvailableProviders(&names, &n));
      for (int i = 0; i < n; ++i)
        if (name == names[i]) providers.push_back(name), provider_options[name] = values;
      check(api().ReleaseAvailableProviders(names, n));
    }
  }
  providers.emplace_back("CPUExecutionProvider");
  provider_options["CPUExecutionProvider"] = {};

  OrtEnv* env = environment();
  OrtSession* session = nullptr;
  if (PyBytes_Check(model.ptr())) {
    char* data = nullptr;
    Py_ssize_t size = 0;
    PyBytes_AsStringAndSize(model.ptr(), &data, &size);
    unlocked([&] { return api().CreateSessionFromArray(env, data, static_cast<size_t>(size), made.get(), &session); });
  } else {
    nb::object encoded;
    PyObject* path = nullptr;
    if (!PyUnicode_FSConverter(model.ptr(), &path)) throw nb::python_error();
    encoded = nb::steal(path);
    const char* text = PyBytes_AS_STRING(path);
    unlocked([&] { return api().CreateSession(env, text, made.get(), &session); });
  }
  p.reset(session);
  auto& a = api();
  inputs = arguments(session, a.SessionGetInputCount, a.SessionGetInputName, a.SessionGetInputTypeInfo);
  outputs = arguments(session, a.SessionGetOutputCount, a.SessionGetOutputName, a.SessionGetOutputTypeInfo);
  overridable = arguments(session, a.SessionGetOverridableInitializerCount, a.SessionGetOverridableInitializerName,
                          a.SessionGetOverridableInitializerTypeInfo);
  metadata = read_metadata(session);
  for (auto& i : inputs) types_[i.name] = &i.type;
  for (auto& i : overridable) types_[i.name] = &i.type;
}

void Session::feed(nb::dict feeds, Feeds& out) const {
  for (auto [name, value] : feeds) {
    const char* text = PyUnicode_Check(name.ptr()) ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
    if (!text) {
      PyErr_Clear();
      throw nb::type_error("input names must be strings");
    }
    auto found = types_.find(std::string_view(text));
    const TypeDescription* type = found == types_.end() ? nullptr : found->second;
    out.add(name, value, type);
  }
}

std::vector<ValuePtr> Session::run_raw(const CStrings& names, nb::dict given, const RunOptions* options) {
  Feeds feeds;
  feed(given, feeds);
  std::vector<OrtValue*> results(names.size(), nullptr);
  OrtStatus* status = nullptr;
  {
    nb::gil_scoped_release release;
    status = api().Run(p.get(), options ? options->p.get() : nullptr, feeds.names(), feeds.values(), feeds.size(),
                       names.data(), names.size(), results.data());
  }
  std::vector<ValuePtr> out;
  out.reserve(results.size());
  for (OrtValue* v : results) out.emplace_back(v);
  check(status);
  return out;
}

nb::list Session::run(nb::handle output_names, nb::dict feeds, const RunOptions* options) {
  CStrings names(output_names);
  nb::list out;
  for (auto& v : run_raw(names, feeds, options)) out.append(python_of(std::move(v)));
  return out;
}

nb::list Session::run_values(nb::dict feeds, nb::handle output_names, const RunOptions* options) {
  CStrings names(output_names);
  nb::list out;
  for (auto& v : run_raw(names, feeds, options)) out.append(nb::cast(Value{std::move(v), {}}));
  return out;
}

namespace {

/// What an asynchronous run needs until its callback was called.
struct AsyncCall {
  CStrings names;
  Feeds feeds;
  std::vector<OrtValue*> results;
  nb::object callback, user_data, options, given;
};

void ORT_API_CALL async_done(void* user, OrtValue** outputs, size_t count, OrtStatusPtr status) {
  nb::gil_scoped_acquire lock;
  std::unique_ptr<AsyncCall> call(static_cast<AsyncCall*>(user));
  std::string fault = take_text(status);
  try {
    nb::list results;
    for (size_t i = 0; i < count; ++i) {
      ValuePtr v(outputs ? outputs[i] : nullptr);
      if (fault.empty()) results.append(python_of(std::move(v)));
    }
    call->callback(results, call->user_data, text_object(fault));
  } catch (nb::python_error& e) { e.discard_as_unraisable(call->callback); } catch (const std::exception& e) {
    PyErr_SetString(PyExc_RuntimeError, e.what());
    PyErr_WriteUnraisable(call->callback.ptr());
  }
}

}  // namespace

void Session::run_async(nb::handle output_names, nb::dict given, nb::object callback, nb::object user_data,
                        nb::object options) {
  auto call = std::make_unique<AsyncCall>();
  call->names = CStrings(output_names);
  feed(given, call->feeds);
  call->results.resize(call->names.size(), nullptr);
  call->callback = std::move(callback);
  call->user_data = std::move(user_data);
  call->options = options;
  call->given = given;
  const RunOptions* o = options.is_none() ? nullptr : nb::cast<const RunOptions*>(options);
  AsyncCall* raw = call.get();
  OrtStatus* status = nullptr;
  {
    nb::gil_scoped_release release;
    status =
        api().RunAsync(p.get(), o ? o->p.get() : nullptr, raw->feeds.names(), raw->feeds.values(), raw->feeds.size(),
                       raw->names.data(), raw->names.size(), raw->results.data(), async_done, raw);
  }
  if (!status) call.release();  // the callback frees it
  check(status);
}

namespace {

/// Inputs and outputs of a session bound to values or places.
struct Binding {
  nb::object session;
  BindingPtr p;
  std::map<std::string, nb::object> kept;  ///< memory that bound values borrow

  OrtSession* raw() const { return nb::cast<Session&>(session).p.get(); }
};

/// A tensor over memory whose address the caller gives.
ValuePtr tensor_at(const std::string& device, int id, nb::handle type, const std::vector<int64_t>& shape,
                   uintptr_t address) {
  const auto element = element_type_of(type);
  size_t count = 1;
  for (int64_t d : shape) count *= static_cast<size_t>(d < 0 ? 0 : d);
  MemoryInfoPtr info = memory_info(device, id);
  OrtValue* v = nullptr;
  check(api().CreateTensorWithDataAsOrtValue(info.get(), reinterpret_cast<void*>(address), byte_size(element, count),
                                             shape.data(), shape.size(), element, &v));
  return ValuePtr(v);
}

/// Unknown names are RuntimeErrors.
void check_bind(OrtStatus* status) {
  if (!status) return;
  std::string text = api().GetErrorMessage(status);
  api().ReleaseStatus(status);
  throw std::runtime_error(text);
}

nb::list bound_outputs(const Binding& b, bool as_python) {
  OrtValue** values = nullptr;
  size_t n = 0;
  check(api().GetBoundOutputValues(b.p.get(), cpu_allocator(), &values, &n));
  std::vector<ValuePtr> owned;
  for (size_t i = 0; i < n; ++i) owned.emplace_back(values[i]);
  if (values) check(api().AllocatorFree(cpu_allocator(), values));
  nb::list out;
  for (auto& v : owned) out.append(as_python ? python_of(std::move(v)) : nb::cast(Value{std::move(v), {}}));
  return out;
}

void bind_array(Binding& b, const std::string& name, nb::handle array) {
  auto& s = nb::cast<Session&>(b.session);
  const TypeDescription* type = nullptr;
  for (auto* list : {&s.inputs, &s.overridable})
    for (auto& i : *list)
      if (i.name == name) type = &i.type;
  Value value = value_of(array, type);
  check_bind(api().BindInput(b.p.get(), name.c_str(), value.p.get()));
  b.kept["<" + name] = nb::cast(std::move(value));
}

/// The name of a plain device description.
std::string device_text(nb::handle device) {
  switch (nb::cast<int>(device.attr("device_type")())) {
    case 0: return "cpu";
    case 1: return "gpu";
    default: return "npu";
  }
}

void define_binding(nb::module_& m) {
  nb::class_<Binding>(m, "SessionIOBinding", "Inputs and outputs of a session bound to values or places.")
      .def("__init__",
           [](Binding* self, nb::object session) {
             OrtIoBinding* b = nullptr;
             check(api().CreateIoBinding(nb::cast<Session&>(session).p.get(), &b));
             new (self) Binding{session, BindingPtr(b), {}};
           })
      .def("bind_array", &bind_array)
      .def("bind_input", &bind_array)
      .def("bind_input",
           [](Binding& b, const std::string& name, nb::handle device, nb::handle type,
              const std::vector<int64_t>& shape, uintptr_t address) {
             check_bind(api().BindInput(b.p.get(), name.c_str(),
                                        tensor_at(device_text(device), 0, type, shape, address).get()));
           })
      .def("bind_output",
           [](Binding& b, const std::string& name, nb::handle device) {
             check_bind(api().BindOutputToDevice(b.p.get(), name.c_str(), memory_info(device_text(device), 0).get()));
           })
      .def("bind_output",
           [](Binding& b, const std::string& name, nb::handle device, nb::handle type,
              const std::vector<int64_t>& shape, uintptr_t address) {
             check_bind(api().BindOutput(b.p.get(), name.c_str(),
                                         tensor_at(device_text(device), 0, type, shape, address).get()));
           })
      .def("bind_ortvalue_input",
           [](Binding& b, const std::string& name, nb::handle value) {
             check_bind(api().BindInput(b.p.get(), name.c_str(), nb::cast<Value&>(value).p.get()));
             b.kept["<" + name] = nb::borrow(value);
           })
      .def("bind_input_at",
           [](Binding& b, const std::string& name, const std::string& device, int id, nb::handle type,
              const std::vector<int64_t>& shape, uintptr_t address) {
             check_bind(api().BindInput(b.p.get(), name.c_str(), tensor_at(device, id, type, shape, address).get()));
           })
      .def("bind_ortvalue_output",
           [](Binding& b, const std::string& name, nb::handle value) {
             check_bind(api().BindOutput(b.p.get(), name.c_str(), nb::cast<Value&>(value).p.get()));
             b.kept[">" + name] = nb::borrow(value);
           })
      .def("bind_output_at",
           [](Binding& b, const std::string& name, const std::string& device, int id, nb::handle type,
              const std::vector<int64_t>& shape, uintptr_t address) {
             check_bind(api().BindOutput(b.p.get(), name.c_str(), tensor_at(device, id, type, shape, address).get()));
           })
      .def("bind_output_to",
           [](Binding& b, const std::string& name, const std::string& device, int id) {
             check_bind(api().BindOutputToDevice(b.p.get(), name.c_str(), memory_info(device, id).get()));
           })
      .def("synchronize_inputs", [](Binding& b) { check(api().SynchronizeBoundInputs(b.p.get())); })
      .def("synchronize_outputs", [](Binding& b) { check(api().SynchronizeBoundOutputs(b.p.get())); })
      .def("get_outputs", [](const Binding& b) { return bound_outputs(b, false); })
      .def("copy_outputs_to_cpu", [](const Binding& b) { return bound_outputs(b, true); })
      .def("clear_binding_inputs",
           [](Binding& b) {
             api().ClearBoundInputs(b.p.get());
             std::erase_if(b.kept, [](auto& k) { return k.first[0] != '>'; });
           })
      .def("clear_binding_outputs", [](Binding& b) {
        api().ClearBoundOutputs(b.p.get());
        std::erase_if(b.kept, [](auto& k) { return k.first[0] == '>'; });
      });
}

nb::list places(const Session& s, decltype(OrtApi::SessionGetMemoryInfoForInputs) get, size_t count) {
  std::vector<const OrtMemoryInfo*> infos(count);
  check(get(s.p.get(), infos.data(), count));
  nb::list out;
  for (auto* i : infos) out.append(memory_info_object(i));
  return out;
}

nb::list placement(const Session& s) {
  const OrtEpAssignedSubgraph* const* graphs = nullptr;
  size_t n = 0;
  check(api().Session_GetEpGraphAssignmentInfo(s.p.get(), &graphs, &n));
  nb::list out;
  for (size_t i = 0; i < n; ++i) {
    const char* ep = "";
    check(api().EpAssignedSubgraph_GetEpName(graphs[i], &ep));
    const OrtEpAssignedNode* const* nodes = nullptr;
    size_t count = 0;
    check(api().EpAssignedSubgraph_GetNodes(graphs[i], &nodes, &count));
    nb::list list;
    for (size_t k = 0; k < count; ++k) {
      const char *name = "", *domain = "", *op = "";
      check(api().EpAssignedNode_GetName(nodes[k], &name));
      check(api().EpAssignedNode_GetDomain(nodes[k], &domain));
      check(api().EpAssignedNode_GetOperatorType(nodes[k], &op));
      list.append(nb::make_tuple(text_object(name), text_object(domain), text_object(op)));
    }
    out.append(nb::make_tuple(text_object(ep), list));
  }
  return out;
}

void define_metadata(nb::module_& m) {
  auto text = [](auto member) { return [member](const Metadata& d) { return text_object(d.*member); }; };
  auto set = [](auto member) { return [member](Metadata& d, const std::string& v) { d.*member = v; }; };
  nb::class_<Metadata>(m, "ModelMetadata", "What a model says about itself.")
      .def(nb::init<>())
      .def_prop_rw("producer_name", text(&Metadata::producer_name), set(&Metadata::producer_name))
      .def_prop_rw("graph_name", text(&Metadata::graph_name), set(&Metadata::graph_name))
      .def_prop_rw("domain", text(&Metadata::domain), set(&Metadata::domain))
      .def_prop_rw("description", text(&Metadata::description), set(&Metadata::description))
      .def_prop_rw("graph_description", text(&Metadata::graph_description), set(&Metadata::graph_description))
      .def_rw("version", &Metadata::version)
      .def_prop_rw(
          "custom_metadata_map",
          [](const Metadata& d) {
            nb::dict out;
            for (auto& [k, v] : d.custom) out[text_object(k)] = text_object(v);
            return out;
          },
          [](Metadata& d, const std::map<std::string, std::string>& v) { d.custom = v; });
}

}  // namespace

void define_session(nb::module_& m) {
  define_metadata(m);
  nb::class_<Session>(m, "InferenceSession", nb::is_weak_referenceable(), "A loaded model.")
      .def(nb::init<nb::handle, nb::object, const std::vector<std::pair<std::string, TextMap>>&,
                    const std::vector<std::string>&>(),
           nb::arg("model"), nb::arg("options").none() = nb::none(),
           nb::arg("providers") = std::vector<std::pair<std::string, TextMap>>(),
           nb::arg("disabled_optimizers") = std::vector<std::string>())
      .def("run", &Session::run, nb::arg("output_names"), nb::arg("feeds"), nb::arg("run_options").none() = nb::none())
      .def("run_with_ort_values", &Session::run_values, nb::arg("feeds"), nb::arg("output_names"),
           nb::arg("run_options").none() = nb::none())
      .def("run_async", &Session::run_async, nb::arg("output_names"), nb::arg("feeds"), nb::arg("callback"),
           nb::arg("user_data").none(), nb::arg("run_options").none() = nb::none())
      .def(
          "run_with_iobinding",
          [](Session& s, const Binding& b, const RunOptions* options) {
            unlocked([&] { return api().RunWithBinding(s.p.get(), options ? options->p.get() : nullptr, b.p.get()); });
          },
          nb::arg("binding"), nb::arg("run_options").none() = nb::none())
      .def_prop_ro("inputs_meta", [](const Session& s) { return s.inputs; })
      .def_prop_ro("outputs_meta", [](const Session& s) { return s.outputs; })
      .def_prop_ro("overridable_initializers", [](const Session& s) { return s.overridable; })
      .def_prop_ro("model_meta", [](const Session& s) { return s.metadata; })
      .def("get_providers", [](const Session& s) { return s.providers; })
      .def("get_provider_options", [](const Session& s) { return s.provider_options; })
      .def_prop_ro("input_meminfos",
                   [](const Session& s) { return places(s, api().SessionGetMemoryInfoForInputs, s.inputs.size()); })
      .def_prop_ro("output_meminfos",
                   [](const Session& s) { return places(s, api().SessionGetMemoryInfoForOutputs, s.outputs.size()); })
      .def_prop_ro("input_epdevices",
                   [](const Session& s) {
                     std::vector<const OrtEpDevice*> devices(s.inputs.size());
                     check(api().SessionGetEpDeviceForInputs(s.p.get(), devices.data(), devices.size()));
                     nb::list out;
                     for (auto* d : devices) out.append(ep_device_object(d));
                     return out;
                   })
      .def("placement", &placement)
      .def("end_profiling",
           [](Session& s) {
             char* file = nullptr;
             check(api().SessionEndProfiling(s.p.get(), cpu_allocator(), &file));
             return take_allocated(file);
           })
      .def_prop_ro("get_profiling_start_time_ns",
                   [](const Session& s) {
                     uint64_t t = 0;
                     check(api().SessionGetProfilingStartTimeNs(s.p.get(), &t));
                     return t;
                   })
      .def("set_ep_dynamic_options", [](Session& s, const TextMap& values) {
        std::vector<const char*> keys, texts;
        for (auto& [k, v] : values) keys.push_back(k.c_str()), texts.push_back(v.c_str());
        check(api().SetEpDynamicOptions(s.p.get(), keys.data(), texts.data(), keys.size()));
      });
  define_binding(m);
}

}  // namespace tenon::python
