// OrtKeyValuePairs: an ordered string map with stable lists of pointers for C.
// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ort/onnxruntime_c_api.h"

struct OrtKeyValuePairs {
  OrtKeyValuePairs() = default;
  explicit OrtKeyValuePairs(std::map<std::string, std::string, std::less<>> entries);
  void set(std::string key, std::string value);
  void erase(const char* key);
  /// NULL when the key is missing.
  const char* find(const char* key) const;

  std::map<std::string, std::string, std::less<>> entries;
  std::vector<const char*> keys, values;  ///< into entries, in their order

 private:
  void relist();
};
