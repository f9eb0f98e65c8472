// Shared libraries on POSIX systems.
// SPDX-License-Identifier: MIT
#include "base/os/library.h"

#include <dlfcn.h>

namespace tenon::os {

Result<void*> open_library(const char* path) {
  if (void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL)) return library;
  const char* why = dlerror();
  return error(Code::kFail, "Failed to load library ", path, " with error: ", why ? why : "unknown");
}

void* find_symbol(void* library, const char* name) { return dlsym(library ? library : RTLD_DEFAULT, name); }

void close_library(void* library) {
  if (library) dlclose(library);
}

}  // namespace tenon::os
