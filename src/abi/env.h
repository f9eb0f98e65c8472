// OrtEnv: the one environment of the process, with its logger, thread options, shared allocators and devices.
// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "abi/key_values.h"
#include "abi/log.h"
#include "abi/memory.h"
#include "ort/onnxruntime_c_api.h"

struct OrtThreadingOptions {
  int intra_op_threads = 0;
  int inter_op_threads = 0;
  bool spin = true;
  bool denormal_as_zero = false;
  std::string affinity;
  OrtCustomCreateThreadFn create_thread = nullptr;
  OrtCustomJoinThreadFn join_thread = nullptr;
  void* thread_options = nullptr;
};

struct OrtHardwareDevice {
  OrtHardwareDeviceType type = OrtHardwareDeviceType_CPU;
  uint32_t vendor_id = 0;
  uint32_t device_id = 0;
  std::string vendor;
  OrtKeyValuePairs metadata;
};

struct OrtEpDevice {
  std::string ep_name, ep_vendor;
  const OrtHardwareDevice* device = nullptr;
  OrtKeyValuePairs metadata, options;
  const OrtMemoryInfo* device_memory = nullptr;
  const OrtMemoryInfo* host_memory = nullptr;
};

struct OrtEnv {
  OrtEnv(OrtLoggingFunction function, void* param, int severity, std::string id)
      : logger(function, param, severity, std::move(id)) {}
  ~OrtEnv();

  int references = 1;  ///< guarded by the mutex of the process environment
  OrtLogger logger;
  bool global_pools = false;
  OrtThreadingOptions threads;
  OrtKeyValuePairs config;

  /// Allocators that sessions may use, by memory description.
  struct Shared {
    OrtAllocator* allocator;
    bool owned;
  };
  std::mutex mutex;
  std::vector<Shared> allocators;
  OrtAllocator* find_allocator(const OrtMemoryInfo& info);
};

namespace tenon::abi {

/// The processors and the providers on them that this build has.
const std::vector<const OrtHardwareDevice*>& hardware_devices();
const std::vector<const OrtEpDevice*>& ep_devices();
/// The environment that exists now, or null. Not counted: it may go when its owner releases it.
OrtEnv* current_env();

}  // namespace tenon::abi
