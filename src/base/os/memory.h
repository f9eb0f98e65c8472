// Aligned memory from the operating system; large blocks ask for huge pages.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>

namespace tenon::os {

/// `bytes` of memory aligned to `alignment` (a power of two); a real pointer also for 0 bytes; null when out of memory.
void* allocate_aligned(size_t bytes, size_t alignment);
void free_aligned(void* p, size_t bytes);

}  // namespace tenon::os
