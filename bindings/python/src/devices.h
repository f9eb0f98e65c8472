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
void define_devices(nb::module_& m);

}  // namespace tenon::python
