// Aligned memory from the operating system; large blocks ask for huge pages.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

namespace tenon::os {

/// `bytes` of memory aligned to `alignment` (a power of two); a real pointer also for 0 bytes; null when out of memory.
void* allocate_aligned(size_t bytes, size_t alignment);
void free_aligned(void* p, size_t bytes);

/// For the address sanitizer, which knows only whole allocations: bytes of a block that nobody may touch now, and bytes
/// that are in use again. Nothing happens in other builds.
void forbid(const void* p, size_t bytes);
void allow(const void* p, size_t bytes);

}  // namespace tenon::os
