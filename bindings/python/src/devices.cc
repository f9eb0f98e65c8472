// Devices, memory descriptions, allocators and plug-in providers.
// SPDX-License-Identifier: MIT
#include "devices.h"

#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <map>

#include "values.h"

namespace tenon::python {
namespace {

struct MemoryInfo {
  MemoryInfoPtr owned;
  const OrtMemoryInfo* p = nullptr;
};
struct EpDevice {
  const OrtEpDevice* p;
};
struct HardwareDevice {
  const OrtHardwareDevice* p;
};
struct ArenaConfig {
  std::map<std::string, size_t> values;
};

std::map<std::string, std::string> map_of(const OrtKeyValuePairs* pairs) {
  std::map<std::string, std::string> out;
  if (!pairs) return out;
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t n = 0;
  api().GetKeyValuePairs(pairs, &keys, &values, &n);
  for (size_t i = 0; i < n; ++i) out[keys[i]] = values[i];
  return out;
}

std::unique_ptr<OrtArenaCfg, Release<&OrtApi::ReleaseArenaCfg>> arena_of(const ArenaConfig* config) {
  if (!config) return nullptr;
  std::vector<const char*> keys;
  std::vector<size_t> values;
  for (auto& [k, v] : config->values) {
    keys.push_back(k.c_str());
    values.push_back(v);
  }
  OrtArenaCfg* out = nullptr;
  check(api().CreateArenaCfgV2(keys.data(), values.data(), keys.size(), &out));
  return std::unique_ptr<OrtArenaCfg, Release<&OrtApi::ReleaseArenaCfg>>(out);
}

void define_memory(nb::module_& m) {
  nb::enum_<OrtAllocatorType>(m, "OrtAllocatorType")
      .value("INVALID", OrtInvalidAllocator)
      .value("ORT_DEVICE_ALLOCATOR", OrtDeviceAllocator)
      .value("ORT_ARENA_ALLOCATOR", OrtArenaAllocator);
  nb::enum_<OrtMemType>(m, "OrtMemType")
      .value("CPU_INPUT", OrtMemTypeCPUInput)
      .value("CPU_OUTPUT", OrtMemTypeCPUOutput)
      .value("CPU", OrtMemTypeCPU)
      .value("DEFAULT", OrtMemTypeDefault);
  nb::enum_<OrtMemoryInfoDeviceType>(m, "OrtMemoryInfoDeviceType")
      .value("CPU", OrtMemoryInfoDeviceType_CPU)
      .value("GPU", OrtMemoryInfoDeviceType_GPU)
      .value("NPU", OrtMemoryInfoDeviceType_NPU)
      .value("FPGA", OrtMemoryInfoDeviceType_FPGA);
  nb::enum_<OrtDeviceMemoryType>(m, "OrtDeviceMemoryType")
      .value("DEFAULT", OrtDeviceMemoryType_DEFAULT)
      .value("HOST_ACCESSIBLE", OrtDeviceMemoryType_HOST_ACCESSIBLE);
  nb::class_<MemoryInfo>(m, "OrtMemoryInfo", "Where memory lies and who allocates it.")
      .def("__init__",
           [](MemoryInfo* self, const std::string& name, OrtAllocatorType type, int id, OrtMemType memory) {
             OrtMemoryInfo* info = nullptr;
             check(api().CreateMemoryInfo(name.c_str(), type, id, memory, &info));
             new (self) MemoryInfo{MemoryInfoPtr(info), info};
           })
      .def_static("create_v2",
                  [](const std::string& name, OrtMemoryInfoDeviceType device, uint32_t vendor, int id,
                     OrtDeviceMemoryType memory, size_t alignment, OrtAllocatorType type) {
                    OrtMemoryInfo* info = nullptr;
                    check(api().CreateMemoryInfo_V2(name.c_str(), device, vendor, id, memory, alignment, type, &info));
                    return MemoryInfo{MemoryInfoPtr(info), info};
                  })
      .def_prop_ro("name",
                   [](const MemoryInfo& i) {
                     const char* name = "";
                     check(api().MemoryInfoGetName(i.p, &name));
                     return std::string(name);
                   })
      .def_prop_ro("device_id",
                   [](const MemoryInfo& i) {
                     int id = 0;
                     check(api().MemoryInfoGetId(i.p, &id));
                     return id;
                   })
      .def_prop_ro("mem_type",
                   [](const MemoryInfo& i) {
                     OrtMemType type = OrtMemTypeDefault;
                     check(api().MemoryInfoGetMemType(i.p, &type));
                     return type;
                   })
      .def_prop_ro("allocator_type",
                   [](const MemoryInfo& i) {
                     OrtAllocatorType type = OrtInvalidAllocator;
                     check(api().MemoryInfoGetType(i.p, &type));
                     return type;
                   })
      .def_prop_ro("device_mem_type", [](const MemoryInfo& i) { return api().MemoryInfoGetDeviceMemType(i.p); })
      .def_prop_ro("device_vendor_id", [](const MemoryInfo& i) { return api().MemoryInfoGetVendorId(i.p); });

  auto arena = nb::class_<ArenaConfig>(m, "OrtArenaCfg", "Sizes of an arena allocator, by key.");
  arena.def("__init__",
            [](ArenaConfig* self, const std::map<std::string, size_t>& values) { new (self) ArenaConfig{values}; });
  for (const char* key : {"max_mem", "arena_extend_strategy", "initial_chunk_size_bytes", "max_dead_bytes_per_chunk",
                          "initial_growth_chunk_size_bytes", "max_power_of_two_extend_bytes"})
    arena.def_prop_rw(
        key,
        [key](const ArenaConfig& c) {
          auto found = c.values.find(key);
          return found == c.values.end() ? size_t{0} : found->second;
        },
        [key](ArenaConfig& c, size_t v) { c.values[key] = v; });
  m.def(
      "create_and_register_allocator",
      [](const MemoryInfo& info, const ArenaConfig* config) {
        auto arena = arena_of(config);
        check(api().CreateAndRegisterAllocator(environment(), info.p, arena.get()));
      },
      nb::arg("memory_info"), nb::arg("arena_cfg").none());
  m.def(
      "create_and_register_allocator_v2",
      [](const std::string& provider, const MemoryInfo& info, const std::map<std::string, std::string>& options,
         const ArenaConfig* config) {
        auto arena = arena_of(config);
        std::vector<const char*> keys, values;
        for (auto& [k, v] : options) keys.push_back(k.c_str()), values.push_back(v.c_str());
        check(api().CreateAndRegisterAllocatorV2(environment(), provider.c_str(), info.p, arena.get(), keys.data(),
                                                 values.data(), keys.size()));
      },
      nb::arg("provider"), nb::arg("memory_info"), nb::arg("options"), nb::arg("arena_cfg").none());
}

void define_ep_devices(nb::module_& m) {
  nb::enum_<OrtHardwareDeviceType>(m, "OrtHardwareDeviceType")
      .value("CPU", OrtHardwareDeviceType_CPU)
      .value("GPU", OrtHardwareDeviceType_GPU)
      .value("NPU", OrtHardwareDeviceType_NPU);
  nb::class_<HardwareDevice>(m, "OrtHardwareDevice")
      .def_prop_ro("type", [](const HardwareDevice& d) { return api().HardwareDevice_Type(d.p); })
      .def_prop_ro("vendor_id", [](const HardwareDevice& d) { return api().HardwareDevice_VendorId(d.p); })
      .def_prop_ro("vendor", [](const HardwareDevice& d) { return std::string(api().HardwareDevice_Vendor(d.p)); })
      .def_prop_ro("device_id", [](const HardwareDevice& d) { return api().HardwareDevice_DeviceId(d.p); })
      .def_prop_ro("metadata", [](const HardwareDevice& d) { return map_of(api().HardwareDevice_Metadata(d.p)); });
  nb::class_<EpDevice>(m, "OrtEpDevice")
      .def_prop_ro("ep_name", [](const EpDevice& d) { return std::string(api().EpDevice_EpName(d.p)); })
      .def_prop_ro("ep_vendor", [](const EpDevice& d) { return std::string(api().EpDevice_EpVendor(d.p)); })
      .def_prop_ro("ep_metadata", [](const EpDevice& d) { return map_of(api().EpDevice_EpMetadata(d.p)); })
      .def_prop_ro("ep_options", [](const EpDevice& d) { return map_of(api().EpDevice_EpOptions(d.p)); })
      .def_prop_ro("device", [](const EpDevice& d) { return HardwareDevice{api().EpDevice_Device(d.p)}; })
      .def("memory_info",
           [](const EpDevice& d, OrtDeviceMemoryType type) -> nb::object {
             const OrtMemoryInfo* info = api().EpDevice_MemoryInfo(d.p, type);
             return info ? nb::cast(MemoryInfo{nullptr, info}) : nb::none();
           })
      .def_prop_ro("_pointer", [](const EpDevice& d) { return reinterpret_cast<uintptr_t>(d.p); });
  m.def("get_ep_devices", [] {
    const OrtEpDevice* const* devices = nullptr;
    size_t n = 0;
    check(api().GetEpDevices(environment(), &devices, &n));
    nb::list out;
    for (size_t i = 0; i < n; ++i) out.append(nb::cast(EpDevice{devices[i]}));
    return out;
  });
  m.def("register_execution_provider_library", [](const std::string& name, const std::string& path) {
    check(api().RegisterExecutionProviderLibrary(environment(), name.c_str(), path.c_str()));
  });
  m.def("unregister_execution_provider_library",
        [](const std::string& name) { check(api().UnregisterExecutionProviderLibrary(environment(), name.c_str())); });
}

}  // namespace

const OrtMemoryInfo* cpu_memory_info() {
  static const OrtMemoryInfo* info = [] {
    OrtMemoryInfo* i = nullptr;
    check(api().CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &i));
    return i;
  }();
  return info;
}

MemoryInfoPtr memory_info(const std::string& device, int id) {
  OrtMemoryInfo* info = nullptr;
  if (device == "cpu") {
    check(api().CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &info));
    return MemoryInfoPtr(info);
  }
  static const std::map<std::string, const char*> kNames = {
      {"cuda", "Cuda"}, {"gpu", "Cuda"}, {"dml", "DML"}, {"webgpu", "WebGPU_Buffer"}, {"npu", "QnnHtpShared"}};
  auto found = kNames.find(device);
  if (found == kNames.end()) throw std::runtime_error("Unsupported device type: " + device);
  check(api().CreateMemoryInfo(found->second, OrtDeviceAllocator, id, OrtMemTypeDefault, &info));
  return MemoryInfoPtr(info);
}

std::string device_name_of(const OrtValue* tensor) {
  const OrtMemoryInfo* info = nullptr;
  if (!take_text(api().GetTensorMemoryInfo(tensor, &info)).empty() || !info) return "cpu";
  const char* name = "Cpu";
  check(api().MemoryInfoGetName(info, &name));
  std::string out = name;
  for (char& c : out) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
  return out;
}

nb::object ep_device_object(const OrtEpDevice* device) { return device ? nb::cast(EpDevice{device}) : nb::none(); }
nb::object memory_info_object(const OrtMemoryInfo* info) {
  return info ? nb::cast(MemoryInfo{nullptr, info}) : nb::none();
}
nb::object key_values_object(const OrtKeyValuePairs* pairs) { return nb::cast(map_of(pairs)); }

void define_devices(nb::module_& m) {
  define_memory(m);
  define_ep_devices(m);
  m.def(
      "copy_tensors",
      [](const std::vector<Value*>& from, const std::vector<Value*>& to, nb::handle) {
        if (from.size() != to.size()) throw nb::value_error("as many destinations as sources are needed");
        std::vector<const OrtValue*> a;
        std::vector<OrtValue*> b;
        for (auto* v : from) a.push_back(v->p.get());
        for (auto* v : to) b.push_back(v->p.get());
        check(api().CopyTensors(environment(), a.data(), b.data(), nullptr, a.size()));
      },
      nb::arg("src"), nb::arg("dst"), nb::arg("stream") = nb::none());
  m.def("get_available_providers", [] {
    char** names = nullptr;
    int n = 0;
    check(api().GetAvailableProviders(&names, &n));
    nb::list out;
    for (int i = 0; i < n; ++i) out.append(std::string(names[i]));
    check(api().ReleaseAvailableProviders(names, n));
    return out;
  });
  m.def("get_version_string", [] { return std::string(OrtGetApiBase()->GetVersionString()); });
  m.def("get_build_info", [] { return std::string(api().GetBuildInfoString()); });
}

}  // namespace tenon::python
