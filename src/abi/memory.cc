// Memory information and allocators.
// SPDX-License-Identifier: MIT
#include "abi/memory.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>

#include "abi/entry.h"
#include "abi/key_values.h"

namespace tenon::abi {

namespace {

/// Names that CreateMemoryInfo takes, with the device they stand for.
struct NamedDevice {
  const char* name;
  int type;
  uint32_t vendor;
  int memory;
};
constexpr uint32_t kNvidia = 0x10DE, kAmd = 0x1002, kIntel = 0x8086, kMicrosoft = 0x1414, kQualcomm = 0x5143;
constexpr NamedDevice kDevices[] = {
    {"Cpu", OrtMemoryInfoDeviceType_CPU, 0, OrtDeviceMemoryType_DEFAULT},
    {"Cuda", OrtMemoryInfoDeviceType_GPU, kNvidia, OrtDeviceMemoryType_DEFAULT},
    {"CudaPinned", OrtMemoryInfoDeviceType_GPU, kNvidia, OrtDeviceMemoryType_HOST_ACCESSIBLE},
    {"Hip", OrtMemoryInfoDeviceType_GPU, kAmd, OrtDeviceMemoryType_DEFAULT},
    {"HipPinned", OrtMemoryInfoDeviceType_GPU, kAmd, OrtDeviceMemoryType_HOST_ACCESSIBLE},
    {"DML", OrtMemoryInfoDeviceType_GPU, kMicrosoft, OrtDeviceMemoryType_DEFAULT},
    {"OpenVINO_GPU", OrtMemoryInfoDeviceType_GPU, kIntel, OrtDeviceMemoryType_DEFAULT},
    {"WebGPU_Buffer", OrtMemoryInfoDeviceType_GPU, 0, OrtDeviceMemoryType_DEFAULT},
    {"WebGPU_Buf", OrtMemoryInfoDeviceType_GPU, 0, OrtDeviceMemoryType_DEFAULT},
    {"WebNN_Tensor", OrtMemoryInfoDeviceType_GPU, 0, OrtDeviceMemoryType_DEFAULT},
    {"QnnHtpShared", OrtMemoryInfoDeviceType_CPU, kQualcomm, OrtDeviceMemoryType_HOST_ACCESSIBLE},
};

/// A heap allocator with counters. The block size stands in front of the block, one cache line ahead.
struct CpuAllocator : OrtAllocator {
  explicit CpuAllocator(OrtMemoryInfo memory_info);
  OrtMemoryInfo info;
  std::atomic<int64_t> live_bytes{0}, peak_bytes{0}, live_blocks{0}, all_blocks{0}, largest{0};

  static CpuAllocator& self(OrtAllocator* a) { return *static_cast<CpuAllocator*>(a); }
};

void raise_to(std::atomic<int64_t>& peak, int64_t value) {
  for (int64_t seen = peak.load(); seen < value && !peak.compare_exchange_weak(seen, value);) {}
}

void* ORT_API_CALL cpu_alloc(OrtAllocator* a, size_t size) {
  if (size == 0 || size > static_cast<size_t>(kMaxSize)) return nullptr;
  const size_t whole = (size + 2 * kAlignment - 1) / kAlignment * kAlignment;
  auto* block = static_cast<char*>(std::aligned_alloc(kAlignment, whole));
  if (!block) return nullptr;
  std::memcpy(block, &size, sizeof size);
  CpuAllocator& c = CpuAllocator::self(a);
  const auto bytes = static_cast<int64_t>(size);
  raise_to(c.peak_bytes, c.live_bytes.fetch_add(bytes) + bytes);
  raise_to(c.largest, bytes);
  ++c.live_blocks;
  ++c.all_blocks;
  return block + kAlignment;
}

void ORT_API_CALL cpu_free(OrtAllocator* a, void* p) {
  if (!p) return;
  char* block = static_cast<char*>(p) - kAlignment;
  size_t size;
  std::memcpy(&size, block, sizeof size);
  CpuAllocator& c = CpuAllocator::self(a);
  c.live_bytes -= static_cast<int64_t>(size);
  --c.live_blocks;
  std::free(block);
}

const OrtMemoryInfo* ORT_API_CALL cpu_info(const OrtAllocator* a) { return &static_cast<const CpuAllocator*>(a)->info; }

OrtStatusPtr ORT_API_CALL cpu_stats(const OrtAllocator* a, OrtKeyValuePairs** out) {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    const auto& c = *static_cast<const CpuAllocator*>(a);
    *out = new OrtKeyValuePairs({{"InUse", cat(c.live_bytes.load())},
                                 {"MaxInUse", cat(c.peak_bytes.load())},
                                 {"MaxAllocSize", cat(c.largest.load())},
                                 {"NumAllocs", cat(c.all_blocks.load())},
                                 {"TotalAllocated", cat(c.live_bytes.load())},
                                 {"NumReserves", "0"},
                                 {"NumArenaExtensions", "0"},
                                 {"NumArenaShrinkages", "0"},
                                 {"Limit", "0"}});
    return {};
  });
}

CpuAllocator::CpuAllocator(OrtMemoryInfo memory_info) : OrtAllocator{}, info(std::move(memory_info)) {
  version = ORT_API_VERSION;
  Alloc = cpu_alloc;
  Free = cpu_free;
  Info = cpu_info;
  Reserve = cpu_alloc;
  GetStats = cpu_stats;
}

OrtStatus* create_info(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type,
                       OrtMemoryInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(name, out);
    for (const NamedDevice& d : kDevices) {
      if (std::strcmp(name, d.name) != 0) continue;
      *out = new OrtMemoryInfo{name, type, mem_type, Device{d.type, d.vendor, id, d.memory}, 0};
      return {};
    }
    return invalid("Specified device is not supported. Try CreateMemoryInfo_V2.");
  });
}

}  // namespace

const OrtMemoryInfo& cpu_memory_info() {
  static const OrtMemoryInfo* const info = new OrtMemoryInfo{"Cpu"};
  return *info;
}

const OrtMemoryInfo& memory_info_of(const Device& device) {
  if (device == Device{}) return cpu_memory_info();
  static std::mutex mutex;
  static auto* const known = new std::map<std::string, OrtMemoryInfo>();
  const char* name = "Device";
  for (const NamedDevice& d : kDevices)
    if (d.type == device.type && d.vendor == device.vendor && d.memory == device.memory) {
      name = d.name;
      break;
    }
  const std::lock_guard lock(mutex);
  const std::string key = cat(device.type, ' ', device.vendor, ' ', device.id, ' ', device.memory);
  return known->try_emplace(key, OrtMemoryInfo{name, OrtDeviceAllocator, OrtMemTypeDefault, device, 0}).first->second;
}

OrtAllocator* default_allocator() {
  static CpuAllocator* const allocator = new CpuAllocator(cpu_memory_info());
  return allocator;
}

OrtAllocator* new_cpu_allocator(const OrtMemoryInfo& info) { return new CpuAllocator(info); }

Status allocate_bytes(OrtAllocator* allocator, size_t bytes, void** out) {
  *out = nullptr;
  if (bytes == 0) return {};
  Status called = call_client([&]() -> Status {
    *out = allocator->Alloc(allocator, bytes);
    return {};
  });
  if (!called.ok()) return called;
  return *out ? Status() : error(Code::kFail, "The allocator gave no memory for ", bytes, " bytes");
}

Status allocate_text(OrtAllocator* allocator, std::string_view text, char** out) {
  void* memory = nullptr;
  TENON_TRY(allocate_bytes(allocator, text.size() + 1, &memory));
  *out = static_cast<char*>(memory);
  std::memcpy(*out, text.data(), text.size());
  (*out)[text.size()] = '\0';
  return {};
}

OrtStatus* slots::CreateMemoryInfo(const char* name, OrtAllocatorType type, int id, OrtMemType mem_type,
                                   OrtMemoryInfo** out) noexcept {
  return create_info(name, type, id, mem_type, out);
}

OrtStatus* slots::CreateCpuMemoryInfo(OrtAllocatorType type, OrtMemType mem_type, OrtMemoryInfo** out) noexcept {
  return create_info("Cpu", type, 0, mem_type, out);
}

OrtStatus* slots::CreateMemoryInfo_V2(const char* name, OrtMemoryInfoDeviceType device_type, uint32_t vendor_id,
                                      int32_t device_id, OrtDeviceMemoryType mem_type, size_t alignment,
                                      OrtAllocatorType allocator_type, OrtMemoryInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(name, out);
    if (alignment & (alignment - 1)) return invalid("The alignment ", alignment, " is not a power of two");
    if (mem_type != OrtDeviceMemoryType_DEFAULT && mem_type != OrtDeviceMemoryType_HOST_ACCESSIBLE)
      return invalid("Memory type ", static_cast<int>(mem_type), " does not exist");
    const OrtMemType kind = mem_type == OrtDeviceMemoryType_HOST_ACCESSIBLE ? OrtMemTypeCPUOutput : OrtMemTypeDefault;
    *out = new OrtMemoryInfo{name, allocator_type, kind,
                             Device{static_cast<int>(device_type), vendor_id, device_id, static_cast<int>(mem_type)},
                             alignment};
    return {};
  });
}

OrtStatus* slots::CompareMemoryInfo(const OrtMemoryInfo* info1, const OrtMemoryInfo* info2, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info1, info2, out);
    *out = *info1 == *info2 ? 0 : -1;
    return {};
  });
}

OrtStatus* slots::MemoryInfoGetName(const OrtMemoryInfo* ptr, const char** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ptr, out);
    *out = ptr->name.c_str();
    return {};
  });
}

OrtStatus* slots::MemoryInfoGetId(const OrtMemoryInfo* ptr, int* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ptr, out);
    *out = ptr->device.id;
    return {};
  });
}

OrtStatus* slots::MemoryInfoGetMemType(const OrtMemoryInfo* ptr, OrtMemType* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ptr, out);
    *out = ptr->mem_type;
    return {};
  });
}

OrtStatus* slots::MemoryInfoGetType(const OrtMemoryInfo* ptr, OrtAllocatorType* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ptr, out);
    *out = ptr->type;
    return {};
  });
}

void slots::MemoryInfoGetDeviceType(const OrtMemoryInfo* ptr, OrtMemoryInfoDeviceType* out) noexcept {
  if (out) *out = static_cast<OrtMemoryInfoDeviceType>(ptr ? ptr->device.type : 0);
}

OrtDeviceMemoryType slots::MemoryInfoGetDeviceMemType(const OrtMemoryInfo* ptr) noexcept {
  return static_cast<OrtDeviceMemoryType>(ptr ? ptr->device.memory : 0);
}

uint32_t slots::MemoryInfoGetVendorId(const OrtMemoryInfo* ptr) noexcept { return ptr ? ptr->device.vendor : 0; }

void slots::ReleaseMemoryInfo(OrtMemoryInfo* input) noexcept { delete input; }

OrtStatus* slots::AllocatorAlloc(OrtAllocator* ort_allocator, size_t size, void** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_allocator, out);
    *out = ort_allocator->Alloc(ort_allocator, size);
    return {};
  });
}

OrtStatus* slots::AllocatorFree(OrtAllocator* ort_allocator, void* p) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_allocator);
    ort_allocator->Free(ort_allocator, p);
    return {};
  });
}

OrtStatus* slots::AllocatorGetInfo(const OrtAllocator* ort_allocator, const OrtMemoryInfo** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_allocator, out);
    *out = ort_allocator->Info(ort_allocator);
    return {};
  });
}

OrtStatus* slots::AllocatorGetStats(const OrtAllocator* ort_allocator, OrtKeyValuePairs** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(ort_allocator, out);
    if (ort_allocator->version >= 23 && ort_allocator->GetStats)
      return from_ort(ort_allocator->GetStats(ort_allocator, out));
    *out = new OrtKeyValuePairs();
    return {};
  });
}

OrtStatus* slots::GetAllocatorWithDefaultOptions(OrtAllocator** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    *out = default_allocator();
    return {};
  });
}

void slots::ReleaseAllocator(OrtAllocator* input) noexcept {
  if (input != default_allocator()) delete static_cast<CpuAllocator*>(input);
}

}  // namespace tenon::abi
