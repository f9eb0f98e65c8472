// OrtMemoryInfo and the allocators that the library hands out.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/status.h"
#include "ort/onnxruntime_c_api.h"
#include "tensor/tensor.h"

struct OrtMemoryInfo {
  std::string name;
  OrtAllocatorType type = OrtDeviceAllocator;
  OrtMemType mem_type = OrtMemTypeDefault;
  tenon::Device device;
  size_t alignment = 0;
  friend bool operator==(const OrtMemoryInfo& a, const OrtMemoryInfo& b) {
    return a.name == b.name && a.type == b.type && a.mem_type == b.mem_type && a.device == b.device;
  }
};

namespace tenon::abi {

/// Plain CPU memory: "Cpu", id 0, device allocator.
const OrtMemoryInfo& cpu_memory_info();
/// The information that stands for a device, of the process, never freed. The CPU's is cpu_memory_info().
const OrtMemoryInfo& memory_info_of(const Device& device);
/// The process-wide CPU allocator.
OrtAllocator* default_allocator();
/// An allocator object of its own over the same memory; freed by ReleaseAllocator.
OrtAllocator* new_cpu_allocator(const OrtMemoryInfo& info);

/// Copies text with a terminator into memory of the allocator.
Status allocate_text(OrtAllocator* allocator, std::string_view text, char** out);
/// Memory of the allocator; 0 bytes give NULL, a failure is an error.
Status allocate_bytes(OrtAllocator* allocator, size_t bytes, void** out);

}  // namespace tenon::abi
