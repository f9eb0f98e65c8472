// String tensors: the strings one by one or all together.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/entry.h"
#include "abi/type_info.h"
#include "abi/values.h"

namespace tenon::abi {

namespace {

Result<Tensor*> strings_of(const OrtValue* value) {
  Value& v = unwrapped(*const_cast<Value*>(from_ort(value)));
  if ((v.kind != Value::Kind::kTensor && v.kind != Value::Kind::kSparse) || v.tensor.dtype() != DType::kString)
    return error(Code::kFail, "The value is a ", type_text(v), ", not a tensor of strings");
  refresh_strings(v.tensor);
  return &v.tensor;
}

Status check_index(const Tensor& t, size_t index) {
  if (index < static_cast<size_t>(t.count())) return {};
  return invalid("index is out of bounds: ", index, " of ", t.count());
}

}  // namespace

OrtStatus* slots::FillStringTensor(OrtValue* value, const char* const* s, size_t s_len) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value);
    if (s_len != 0) TENON_REQUIRE(s);
    TENON_ASSIGN(auto found, strings_of(value));
    Tensor& t = *found;
    if (s_len != static_cast<size_t>(t.count())) return invalid("input array doesn't equal tensor size");
    for (size_t i = 0; i < s_len; ++i)
      if (!s[i]) return invalid("string ", i, " must not be NULL");
    TENON_TRY(need_string_objects(t));
    for (size_t i = 0; i < s_len; ++i) string_objects(t)[i] = s[i];
    refresh_strings(t);
    return {};
  });
}

OrtStatus* slots::FillStringTensorElement(OrtValue* value, const char* s, size_t index) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, s);
    TENON_ASSIGN(auto found, strings_of(value));
    Tensor& t = *found;
    TENON_TRY(check_index(t, index));
    TENON_TRY(need_string_objects(t));
    string_objects(t)[index] = s;
    refresh_strings(t);
    return {};
  });
}

OrtStatus* slots::GetResizedStringTensorElementBuffer(OrtValue* value, size_t index, size_t length_in_bytes,
                                                      char** buffer) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, buffer);
    TENON_ASSIGN(auto found, strings_of(value));
    Tensor& t = *found;
    TENON_TRY(check_index(t, index));
    TENON_TRY(need_string_objects(t));
    std::string& text = string_objects(t)[index];
    text.resize(length_in_bytes);
    refresh_strings(t);
    *buffer = text.data();
    return {};
  });
}

OrtStatus* slots::GetStringTensorDataLength(const OrtValue* value, size_t* len) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, len);
    TENON_ASSIGN(auto found, strings_of(value));
    size_t total = 0;
    for (const StringRef& text : found->items<StringRef>()) total += text.size;
    *len = total;
    return {};
  });
}

OrtStatus* slots::GetStringTensorContent(const OrtValue* value, void* s, size_t s_len, size_t* offsets,
                                         size_t offsets_len) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value);
    TENON_ASSIGN(auto found, strings_of(value));
    const Tensor& t = *found;
    if (offsets_len != static_cast<size_t>(t.count()))
      return error(Code::kFail, "offsets buffer is not equal to tensor size");
    if (offsets_len != 0) TENON_REQUIRE(offsets);
    size_t total = 0;
    for (const StringRef& text : t.items<StringRef>()) total += text.size;
    if (s_len < total) return error(Code::kFail, "output buffer is too small. Use GetStringTensorDataLength.");
    if (total != 0) TENON_REQUIRE(s);
    size_t at = 0;
    for (size_t i = 0; i < offsets_len; ++i) {
      const StringRef& text = t.as<StringRef>()[i];
      offsets[i] = at;
      if (text.size != 0) std::memcpy(static_cast<char*>(s) + at, text.data, text.size);
      at += text.size;
    }
    return {};
  });
}

OrtStatus* slots::GetStringTensorElementLength(const OrtValue* value, size_t index, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value, out);
    TENON_ASSIGN(auto found, strings_of(value));
    TENON_TRY(check_index(*found, index));
    *out = found->as<StringRef>()[index].size;
    return {};
  });
}

OrtStatus* slots::GetStringTensorElement(const OrtValue* value, size_t s_len, size_t index, void* s) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(value);
    TENON_ASSIGN(auto found, strings_of(value));
    TENON_TRY(check_index(*found, index));
    const StringRef& text = found->as<StringRef>()[index];
    if (s_len < text.size) return invalid("buffer size is too small for string element");
    if (text.size != 0) {
      TENON_REQUIRE(s);
      std::memcpy(s, text.data, text.size);
    }
    return {};
  });
}

}  // namespace tenon::abi
