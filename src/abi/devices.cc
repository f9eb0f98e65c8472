// Hardware devices, the providers on them, and allocators shared through the environment.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/env.h"
#include "abi/options.h"

namespace tenon::abi {

namespace {

const OrtHardwareDevice& cpu_device() {
  static const OrtHardwareDevice* const device = [] {
    auto* d = new OrtHardwareDevice();
    d->vendor = "unknown";
#if defined(__x86_64__) || defined(__i386__)
    __builtin_cpu_init();
    if (__builtin_cpu_is("intel")) d->vendor = "Intel", d->vendor_id = 0x8086;
    else if (__builtin_cpu_is("amd")) d->vendor = "AMD", d->vendor_id = 0x1022;
#elif defined(__aarch64__)
    d->vendor = "ARM", d->vendor_id = 0x13B5;
#endif
    return d;
  }();
  return *device;
}

const OrtEpDevice& cpu_ep_device() {
  static const OrtEpDevice* const device = [] {
    auto* d = new OrtEpDevice();
    d->ep_name = "CPUExecutionProvider";
    d->ep_vendor = "Microsoft";  // clients compare it with what they know
    d->device = &cpu_device();
    d->metadata.set("version", kReleaseVersion);
    d->device_memory = &cpu_memory_info();
    return d;
  }();
  return *device;
}

}  // namespace

const std::vector<const OrtHardwareDevice*>& hardware_devices() {
  static const auto* const list = new std::vector<const OrtHardwareDevice*>{&cpu_device()};
  return *list;
}

const std::vector<const OrtEpDevice*>& ep_devices() {
  static const auto* const list = new std::vector<const OrtEpDevice*>{&cpu_ep_device()};
  return *list;
}

OrtStatus* slots::GetEpDevices(const OrtEnv* env, const OrtEpDevice* const** ep_devices_out,
                               size_t* num_ep_devices) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, ep_devices_out, num_ep_devices);
    *ep_devices_out = ep_devices().data();
    *num_ep_devices = ep_devices().size();
    return {};
  });
}

OrtStatus* slots::GetNumHardwareDevices(const OrtEnv* env, size_t* num_devices) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, num_devices);
    *num_devices = hardware_devices().size();
    return {};
  });
}

OrtStatus* slots::GetHardwareDevices(const OrtEnv* env, const OrtHardwareDevice** devices,
                                     size_t num_devices) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, devices);
    if (num_devices < hardware_devices().size())
      return invalid("There are ", hardware_devices().size(), " devices, room for ", num_devices);
    std::copy(hardware_devices().begin(), hardware_devices().end(), devices);
    return {};
  });
}

OrtHardwareDeviceType slots::HardwareDevice_Type(const OrtHardwareDevice* device) noexcept {
  return device ? device->type : OrtHardwareDeviceType_CPU;
}
uint32_t slots::HardwareDevice_VendorId(const OrtHardwareDevice* device) noexcept {
  return device ? device->vendor_id : 0;
}
const char* slots::HardwareDevice_Vendor(const OrtHardwareDevice* device) noexcept {
  return device ? device->vendor.c_str() : "";
}
uint32_t slots::HardwareDevice_DeviceId(const OrtHardwareDevice* device) noexcept {
  return device ? device->device_id : 0;
}
const OrtKeyValuePairs* slots::HardwareDevice_Metadata(const OrtHardwareDevice* device) noexcept {
  return device ? &device->metadata : nullptr;
}
const char* slots::EpDevice_EpName(const OrtEpDevice* ep_device) noexcept {
  return ep_device ? ep_device->ep_name.c_str() : "";
}
const char* slots::EpDevice_EpVendor(const OrtEpDevice* ep_device) noexcept {
  return ep_device ? ep_device->ep_vendor.c_str() : "";
}
const OrtKeyValuePairs* slots::EpDevice_EpMetadata(const OrtEpDevice* ep_device) noexcept {
  return ep_device ? &ep_device->metadata : nullptr;
}
const OrtKeyValuePairs* slots::EpDevice_EpOptions(const OrtEpDevice* ep_device) noexcept {
  return ep_device ? &ep_device->options : nullptr;
}
const OrtHardwareDevice* slots::EpDevice_Device(const OrtEpDevice* ep_device) noexcept {
  return ep_device ? ep_device->device : nullptr;
}
const OrtMemoryInfo* slots::EpDevice_MemoryInfo(const OrtEpDevice* ep_device, OrtDeviceMemoryType type) noexcept {
  if (!ep_device) return nullptr;
  return type == OrtDeviceMemoryType_DEFAULT ? ep_device->device_memory : ep_device->host_memory;
}

OrtStatus* slots::CreateAndRegisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info,
                                             const OrtArenaCfg* arena_cfg) noexcept {
  static_cast<void>(arena_cfg);  // there is no arena to configure: memory goes back to the system's heap
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, mem_info);
    if (mem_info->device.type != OrtMemoryInfoDeviceType_CPU)
      return error(Code::kNotImplemented, "Only CPU allocators can be registered; this one is for ", mem_info->name);
    if (env->find_allocator(*mem_info))
      return invalid("An allocator for this device has already been registered for sharing.");
    OrtAllocator* made = new_cpu_allocator(*mem_info);
    const std::lock_guard lock(env->mutex);
    env->allocators.push_back({made, true});
    return {};
  });
}

OrtStatus* slots::CreateAndRegisterAllocatorV2(OrtEnv* env, const char* provider_type, const OrtMemoryInfo* mem_info,
                                               const OrtArenaCfg* arena_cfg, const char* const*, const char* const*,
                                               size_t) noexcept {
  if (!provider_type) return make_ort_status(ORT_INVALID_ARGUMENT, "provider_type must not be NULL");
  if (std::strcmp(provider_type, "CPUExecutionProvider") != 0)
    return guarded([&] {
      return error(Code::kNotImplemented, provider_type, " is not implemented in CreateAndRegisterAllocatorV2()");
    });
  return CreateAndRegisterAllocator(env, mem_info, arena_cfg);
}

OrtStatus* slots::RegisterAllocator(OrtEnv* env, OrtAllocator* allocator) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, allocator);
    const OrtMemoryInfo* info = allocator->Info(allocator);
    if (!info) return invalid("The allocator has no memory information");
    if (env->find_allocator(*info))
      return invalid("An allocator for this device has already been registered for sharing.");
    const std::lock_guard lock(env->mutex);
    env->allocators.push_back({allocator, false});
    return {};
  });
}

OrtStatus* slots::UnregisterAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, mem_info);
    const std::lock_guard lock(env->mutex);
    for (auto it = env->allocators.begin(); it != env->allocators.end(); ++it) {
      if (!(it->allocator->Info(it->allocator)->device == mem_info->device)) continue;
      if (it->owned) ReleaseAllocator(it->allocator);
      env->allocators.erase(it);
      return {};
    }
    return invalid("No allocator for this device has been registered for sharing.");
  });
}

OrtStatus* slots::CreateSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device, OrtDeviceMemoryType mem_type,
                                        OrtAllocatorType allocator_type, const OrtKeyValuePairs*,
                                        OrtAllocator** allocator) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, ep_device);
    const OrtMemoryInfo* base = EpDevice_MemoryInfo(ep_device, mem_type);
    if (!base) return invalid("Invalid memory type for OrtEpDevice.");
    OrtMemoryInfo info = *base;
    info.type = allocator_type;
    OrtAllocator* made = new_cpu_allocator(info);
    const std::lock_guard lock(env->mutex);
    std::erase_if(env->allocators, [&](const OrtEnv::Shared& s) {
      if (!s.owned || !(s.allocator->Info(s.allocator)->device == info.device)) return false;
      ReleaseAllocator(s.allocator);
      return true;
    });
    env->allocators.push_back({made, true});
    if (allocator) *allocator = made;
    return {};
  });
}

OrtStatus* slots::GetSharedAllocator(OrtEnv* env, const OrtMemoryInfo* mem_info, OrtAllocator** allocator) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, mem_info, allocator);
    *allocator = env->find_allocator(*mem_info);
    if (!*allocator && mem_info->device == cpu_memory_info().device) *allocator = default_allocator();
    return {};
  });
}

OrtStatus* slots::ReleaseSharedAllocator(OrtEnv* env, const OrtEpDevice* ep_device,
                                         OrtDeviceMemoryType mem_type) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, ep_device);
    const OrtMemoryInfo* info = EpDevice_MemoryInfo(ep_device, mem_type);
    if (!info) return invalid("Invalid memory type for OrtEpDevice.");
    const std::lock_guard lock(env->mutex);
    std::erase_if(env->allocators, [&](const OrtEnv::Shared& s) {
      if (!s.owned || !(s.allocator->Info(s.allocator)->device == info->device)) return false;
      ReleaseAllocator(s.allocator);
      return true;
    });
    return {};
  });
}

OrtStatus* slots::CopyTensors(const OrtEnv* env, const OrtValue* const* src_tensors, OrtValue* const* dst_tensors,
                              OrtSyncStream*, size_t num_tensors) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(env, src_tensors, dst_tensors);
    for (size_t i = 0; i < num_tensors; ++i) TENON_TRY(copy_tensor(src_tensors[i], dst_tensors[i]));
    return {};
  });
}

OrtStatus* slots::CreateArenaCfg(size_t max_mem, int arena_extend_strategy, int initial_chunk_size_bytes,
                                 int max_dead_bytes_per_chunk, OrtArenaCfg** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = new OrtArenaCfg{{{"max_mem", max_mem},
                            {"arena_extend_strategy", static_cast<size_t>(arena_extend_strategy)},
                            {"initial_chunk_size_bytes", static_cast<size_t>(initial_chunk_size_bytes)},
                            {"max_dead_bytes_per_chunk", static_cast<size_t>(max_dead_bytes_per_chunk)}}};
    return {};
  });
}

OrtStatus* slots::CreateArenaCfgV2(const char* const* arena_config_keys, const size_t* arena_config_values,
                                   size_t num_keys, OrtArenaCfg** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    if (num_keys != 0) TENON_REQUIRE(arena_config_keys, arena_config_values);
    static constexpr const char* kKnown[] = {"max_mem",
                                             "arena_extend_strategy",
                                             "initial_chunk_size_bytes",
                                             "max_dead_bytes_per_chunk",
                                             "initial_growth_chunk_size_bytes",
                                             "max_power_of_two_extend_bytes",
                                             "use_cuda_mempool",
                                             "cuda_mempool_release_threshold",
                                             "cuda_mempool_bytes_to_keep_on_shrink"};
    auto cfg = std::make_unique<OrtArenaCfg>();
    for (size_t i = 0; i < num_keys; ++i) {
      const char* key = arena_config_keys[i];
      if (!key || std::find_if(std::begin(kKnown), std::end(kKnown),
                               [&](const char* k) { return std::strcmp(k, key) == 0; }) == std::end(kKnown))
        return invalid("Invalid key found: ", key ? key : "NULL");
      cfg->entries.emplace_back(key, arena_config_values[i]);
    }
    *out = cfg.release();
    return {};
  });
}

void slots::ReleaseArenaCfg(OrtArenaCfg* input) noexcept { delete input; }

}  // namespace tenon::abi
