// The processor's cache sizes, from sysconf where it knows them.
// SPDX-License-Identifier: MIT
#include "base/os/cpu.h"

#if defined(__linux__)
#include <unistd.h>
#endif

namespace tenon::os {

const Caches& caches() {
  static const Caches found = [] {
    Caches c;
#if defined(__linux__) && defined(_SC_LEVEL1_DCACHE_SIZE)
    if (const long n = sysconf(_SC_LEVEL1_DCACHE_SIZE); n >= 8 << 10) c.l1 = n;
    if (const long n = sysconf(_SC_LEVEL2_CACHE_SIZE); n >= 64 << 10) c.l2 = n;
    if (const long n = sysconf(_SC_LEVEL3_CACHE_SIZE); n >= 256 << 10) c.l3 = n;
#endif
    return c;
  }();
  return found;
}

}  // namespace tenon::os
