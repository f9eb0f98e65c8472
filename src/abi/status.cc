// Statuses as clients see them.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"

namespace tenon::abi {

namespace {

/// Stands in where no memory is left for a real one; ReleaseStatus leaves it alone.
OrtStatus* memory_status() {
  static OrtStatus* const status = [] {
    static OrtStatus s{ORT_FAIL, "Out of memory"};
    return &s;
  }();
  return status;
}

}  // namespace

OrtStatus* out_of_memory() noexcept { return memory_status(); }

OrtStatus* make_ort_status(OrtErrorCode code, std::string_view message) noexcept {
  try {
    return new OrtStatus{code, std::string(message)};
  } catch (const std::bad_alloc&) { return out_of_memory(); }
}

OrtStatus* to_ort(const Status& status) noexcept {
  if (status.ok()) return nullptr;
  try {
    return new OrtStatus{static_cast<OrtErrorCode>(status.code()), status.to_string()};
  } catch (const std::bad_alloc&) { return out_of_memory(); }
}

Status from_ort(OrtStatus* status) {
  if (!status) return Status();
  Status out(static_cast<Code>(status->code == ORT_OK ? ORT_FAIL : status->code), status->message);
  slots::ReleaseStatus(status);
  return out;
}

std::string listed_name(const char* names, size_t index) {
  const char* at = names;
  for (; index > 0; --index) {
    const char* comma = std::strchr(at, ',');
    if (!comma) break;
    at = comma + 1;
  }
  while (*at == ' ') ++at;
  const char* end = std::strchr(at, ',');
  return end ? std::string(at, end) : std::string(at);
}

OrtStatus* slots::CreateStatus(OrtErrorCode code, const char* msg) noexcept {
  return make_ort_status(code, msg ? msg : "");
}

OrtErrorCode slots::GetErrorCode(const OrtStatus* status) noexcept { return status ? status->code : ORT_OK; }

const char* slots::GetErrorMessage(const OrtStatus* status) noexcept { return status ? status->message.c_str() : ""; }

void slots::ReleaseStatus(OrtStatus* input) noexcept {
  if (input != memory_status()) delete input;
}

}  // namespace tenon::abi
