// Devices, memory descriptions, allocators and plug-in providers.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "engine.h"

namespace tenon::python {

/// The memory of the CPU; not owned.
const OrtMemoryInfo* cpu_memory_info();
/// A description by the names that OrtDevice knows: "cpu", "cuda", ...
MemoryInfoPtr memory_info(const std::string& device, int id);
/// "cpu", "cuda", ...: where a tensor lies.
std::string device_name_of(const OrtValue* tensor);
/// Python objects for what the engine owns.
nb::object ep_device_object(const OrtEpDevice* device);
nb::object memory_info_object(const OrtMemoryInfo* info);
nb::object key_values_object(const OrtKeyValuePairs* pairs);
void define_devices(nb::module_& m);

}  // namespace tenon::python
