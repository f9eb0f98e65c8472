// Shared libraries loaded at run time.
// SPDX-License-Identifier: MIT
#pragma once
#include "base/status.h"

namespace tenon::os {

/// Opens a library; the message of a failure is "Failed to load library PATH with error: ..." (clients search for it).
Result<void*> open_library(const char* path);
/// The address of a symbol, or null. A null library means the whole process.
void* find_symbol(void* library, const char* name);
void close_library(void* library);

}  // namespace tenon::os
