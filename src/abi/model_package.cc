// Model packages: folders with several variants of a model. Only the refusal of what is no folder exists so far.
// SPDX-License-Identifier: MIT
#include <filesystem>

#include "abi/entry.h"

namespace tenon::abi {

OrtStatus* package_slots::CreateModelPackageContext(const char* package_root, OrtModelPackageContext** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(package_root, out);
    std::error_code ignored;
    if (!std::filesystem::is_directory(package_root, ignored))
      return error(Code::kFail, "Failed to open model package at '", package_root, "': package_root '", package_root,
                   "' is not a directory.");
    return error(Code::kNotImplemented, "CreateModelPackageContext is not implemented");
  });
}

}  // namespace tenon::abi
