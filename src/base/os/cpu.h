// The processor's cache sizes.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::os {

/// Bytes per core of the data caches; a cautious guess where the system does not say.
struct Caches {
  int64_t l1 = 32 << 10;
  int64_t l2 = 256 << 10;
  int64_t l3 = 2 << 20;  ///< the whole shared cache
};
const Caches& caches();

}  // namespace tenon::os
