// Key and value lists.
// SPDX-License-Identifier: MIT
#include "abi/key_values.h"

#include "abi/entry.h"

OrtKeyValuePairs::OrtKeyValuePairs(std::map<std::string, std::string, std::less<>> from) : entries(std::move(from)) {
  relist();
}

void OrtKeyValuePairs::set(std::string key, std::string value) {
  entries.insert_or_assign(std::move(key), std::move(value));
  relist();
}

void OrtKeyValuePairs::erase(const char* key) {
  if (auto it = entries.find(std::string_view(key)); it != entries.end()) {
    entries.erase(it);
    relist();
  }
}

const char* OrtKeyValuePairs::find(const char* key) const {
  auto it = entries.find(std::string_view(key));
  return it == entries.end() ? nullptr : it->second.c_str();
}

void OrtKeyValuePairs::relist() {
  keys.clear();
  values.clear();
  for (const auto& [key, value] : entries) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
}

namespace tenon::abi {

// These slots return no status: without memory they leave the list as it was.

void slots::CreateKeyValuePairs(OrtKeyValuePairs** out) noexcept {
  if (out) *out = new (std::nothrow) OrtKeyValuePairs();
}

void slots::AddKeyValuePair(OrtKeyValuePairs* kvps, const char* key, const char* value) noexcept {
  if (!kvps || !key || !value || !*key) return;
  static_cast<void>(guarded([&]() -> Status {
    kvps->set(key, value);
    return {};
  }));
}

const char* slots::GetKeyValue(const OrtKeyValuePairs* kvps, const char* key) noexcept {
  return kvps && key ? kvps->find(key) : nullptr;
}

void slots::GetKeyValuePairs(const OrtKeyValuePairs* kvps, const char* const** keys, const char* const** values,
                             size_t* num_entries) noexcept {
  if (keys) *keys = kvps ? kvps->keys.data() : nullptr;
  if (values) *values = kvps ? kvps->values.data() : nullptr;
  if (num_entries) *num_entries = kvps ? kvps->keys.size() : 0;
}

void slots::RemoveKeyValuePair(OrtKeyValuePairs* kvps, const char* key) noexcept {
  if (!kvps || !key) return;
  static_cast<void>(guarded([&]() -> Status {
    kvps->erase(key);
    return {};
  }));
}

void slots::ReleaseKeyValuePairs(OrtKeyValuePairs* input) noexcept { delete input; }

}  // namespace tenon::abi
