// Aligned memory from the operating system.
// SPDX-License-Identifier: MIT
#include "base/os/memory.h"

#include <cstdlib>
#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#define TENON_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TENON_ADDRESS_SANITIZER 1
#endif
#endif
#if defined(TENON_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#endif

namespace tenon::os {
namespace {
constexpr size_t kHugePage = size_t{2} << 20;
}

void* allocate_aligned(size_t bytes, size_t alignment) {
  if (bytes > (size_t{1} << 56)) return nullptr;
  if (bytes >= kHugePage) alignment = kHugePage;
  void* p = nullptr;  // no byte more than asked for: the address sanitizer finds who reads on
  if (posix_memalign(&p, alignment, bytes ? bytes : 1) != 0) return nullptr;
#if defined(__linux__)
  if (bytes >= kHugePage) madvise(p, bytes, MADV_HUGEPAGE);  // a wish: failure changes nothing but speed
#endif
  return p;
}

void free_aligned(void* p, size_t) { std::free(p); }

#if defined(TENON_ADDRESS_SANITIZER)
void forbid(const void* p, size_t bytes) { __asan_poison_memory_region(p, bytes); }
void allow(const void* p, size_t bytes) { __asan_unpoison_memory_region(p, bytes); }
#else
void forbid(const void*, size_t) {}
void allow(const void*, size_t) {}
#endif

}  // namespace tenon::os
