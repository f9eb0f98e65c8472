// Aligned memory from the operating system.
// SPDX-License-Identifier: MIT
#include "base/os/memory.h"

#include <cstdlib>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace tenon::os {
namespace {
constexpr size_t kHugePage = size_t{2} << 20;
}

void* allocate_aligned(size_t bytes, size_t alignment) {
  if (bytes > (size_t{1} << 56)) return nullptr;
  if (bytes >= kHugePage) alignment = kHugePage;
  size_t rounded = (bytes + alignment - 1) / alignment * alignment;
  if (bytes >= kHugePage) rounded = (bytes + 4095) / 4096 * 4096;
  if (rounded == 0) rounded = alignment;
  void* p = nullptr;
  if (posix_memalign(&p, alignment, rounded) != 0) return nullptr;
#if defined(__linux__)
  if (bytes >= kHugePage) madvise(p, rounded, MADV_HUGEPAGE);  // a wish: failure changes nothing but speed
#endif
  return p;
}

void free_aligned(void* p, size_t) { std::free(p); }

}  // namespace tenon::os
