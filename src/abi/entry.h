// What every function of the tables shares: statuses, the barrier for exceptions, and the declarations of all slots.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <exception>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include "base/status.h"
#include "ort/onnxruntime_c_api.h"

/// What clients hold as OrtStatus*.
struct OrtStatus {
  OrtErrorCode code;
  std::string message;
};

namespace tenon::abi {

/// NULL for success, else a status with the message and its context. Never throws: without memory it gives a status
/// that needs none.
OrtStatus* to_ort(const Status& status) noexcept;
OrtStatus* make_ort_status(OrtErrorCode code, std::string_view message) noexcept;
OrtStatus* out_of_memory() noexcept;
/// Takes over a status that a callback of the client gave.
Status from_ort(OrtStatus* status);

/// Runs the body of a table function; nothing it throws gets out.
template <class Body>
OrtStatus* guarded(Body&& body) noexcept {
  try {
    return to_ort(body());
  } catch (const std::bad_alloc&) { return out_of_memory(); } catch (const std::exception& e) {
    return make_ort_status(ORT_RUNTIME_EXCEPTION, e.what());
  } catch (...) { return make_ort_status(ORT_RUNTIME_EXCEPTION, "An exception of unknown type was thrown"); }
}

/// Calls a function of the client that may throw (C++ clients) and gives a status.
template <class Call>
Status call_client(Call&& call) {
  try {
    return call();
  } catch (const std::exception& e) { return error(Code::kRuntimeException, e.what()); } catch (...) {
    return error(Code::kRuntimeException, "A callback threw an exception of unknown type");
  }
}

/// The name at `index` of "a, b, c".
std::string listed_name(const char* names, size_t index);

template <class... P>
Status check_not_null(const char* names, P... pointers) {
  size_t index = 0, missing = static_cast<size_t>(-1);
  ((pointers == nullptr && missing == static_cast<size_t>(-1) ? void(missing = index) : void(), ++index), ...);
  if (missing == static_cast<size_t>(-1)) return Status();
  return invalid(listed_name(names, missing), " must not be NULL");
}

/// Leaves the body with INVALID_ARGUMENT when one of the pointers is NULL.
#define TENON_REQUIRE(...) \
  if (auto require_ = ::tenon::abi::check_not_null(#__VA_ARGS__, __VA_ARGS__); !require_.ok()) return require_

/// The functions behind the tables: one declaration for each SLOT, with the type that the table has.
#define LATER(name)
#define SLOT(name) std::remove_pointer_t<decltype(OrtApi::name)> name;
namespace slots {
#include "abi/tables/ort_api.inc"
}
#undef SLOT
#define SLOT(name) std::remove_pointer_t<decltype(OrtModelEditorApi::name)> name;
namespace editor_slots {
#include "abi/tables/model_editor_api.inc"
}
#undef SLOT
#define SLOT(name) std::remove_pointer_t<decltype(OrtCompileApi::name)> name;
namespace compile_slots {
#include "abi/tables/compile_api.inc"
}
#undef SLOT
#define SLOT(name) std::remove_pointer_t<decltype(OrtInteropApi::name)> name;
namespace interop_slots {
#include "abi/tables/interop_api.inc"
}
#undef SLOT
#define SLOT(name) std::remove_pointer_t<decltype(OrtEpApi::name)> name;
namespace ep_slots {
#include "abi/tables/ep_api.inc"
}
#undef SLOT
#define SLOT(name) std::remove_pointer_t<decltype(OrtModelPackageApi::name)> name;
namespace package_slots {
#include "abi/tables/model_package_api.inc"
}
#undef SLOT
#undef LATER

}  // namespace tenon::abi
