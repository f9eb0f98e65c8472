// What the files of the Python module share: the C table, ownership of its objects, and how its faults become
// exceptions. SPDX-License-Identifier: MIT
#pragma once
#include <nanobind/nanobind.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ort/onnxruntime_c_api.h"

namespace tenon::python {

namespace nb = nanobind;

inline const OrtApi& api() {
  static const OrtApi* table = OrtGetApiBase()->GetApi(ORT_API_VERSION);
  return *table;
}

/// A failed status; becomes the Python exception of its code, with the text that the peer's module gives.
struct Failure : std::exception {
  Failure(OrtErrorCode code, std::string text) : code(code), text(std::move(text)) {}
  const char* what() const noexcept override { return text.c_str(); }
  OrtErrorCode code;
  std::string text;
};

/// Throws Failure unless the status is null; frees it.
void check(OrtStatus* status);
/// The message of a status, which is freed; "" for null.
std::string take_text(OrtStatus* status);
void define_errors(nb::module_& m);

template <auto Slot>
struct Release {
  template <class T>
  void operator()(T* p) const {
    (api().*Slot)(p);
  }
};
using ValuePtr = std::unique_ptr<OrtValue, Release<&OrtApi::ReleaseValue>>;
using SessionPtr = std::unique_ptr<OrtSession, Release<&OrtApi::ReleaseSession>>;
using OptionsPtr = std::unique_ptr<OrtSessionOptions, Release<&OrtApi::ReleaseSessionOptions>>;
using RunOptionsPtr = std::unique_ptr<OrtRunOptions, Release<&OrtApi::ReleaseRunOptions>>;
using BindingPtr = std::unique_ptr<OrtIoBinding, Release<&OrtApi::ReleaseIoBinding>>;
using MemoryInfoPtr = std::unique_ptr<OrtMemoryInfo, Release<&OrtApi::ReleaseMemoryInfo>>;
using TypeInfoPtr = std::unique_ptr<OrtTypeInfo, Release<&OrtApi::ReleaseTypeInfo>>;
using ShapeInfoPtr = std::unique_ptr<OrtTensorTypeAndShapeInfo, Release<&OrtApi::ReleaseTensorTypeAndShapeInfo>>;
using MetadataPtr = std::unique_ptr<OrtModelMetadata, Release<&OrtApi::ReleaseModelMetadata>>;
using KeyValuesPtr = std::unique_ptr<OrtKeyValuePairs, Release<&OrtApi::ReleaseKeyValuePairs>>;

/// The environment of the process; made at first use and kept until the process ends.
OrtEnv* environment();
/// The default CPU allocator; not owned.
OrtAllocator* cpu_allocator();

/// Python text from bytes that should be UTF-8; what is not is replaced.
nb::object text_object(std::string_view text);
/// Text that was allocated with cpu_allocator(); frees it. Null gives "".
std::string take_allocated(char* text);

/// Lists of texts as C strings, alive as long as the Python objects.
class CStrings {
 public:
  CStrings() = default;
  explicit CStrings(nb::handle sequence_of_str);
  void add(nb::handle str);
  const char* const* data() const { return pointers_.data(); }
  size_t size() const { return pointers_.size(); }

 private:
  std::vector<const char*> pointers_;
  std::vector<nb::object> kept_;
};

}  // namespace tenon::python
