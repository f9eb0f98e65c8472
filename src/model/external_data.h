// ExternalData: finds the bytes of tensors that a model keeps in other files, and keeps files outside its folder out.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "tensor/tensor.h"

namespace tenon::model {

/// Files that the caller gives as memory: location as the model writes it, to bytes that outlive the model.
using MemoryFiles = std::map<std::string, std::span<const uint8_t>, std::less<>>;

class ExternalData {
 public:
  /// `folder`: where locations start from (empty: the current one). `model_path`: the model's file, whose real folder
  /// (a cache may hold links) is allowed too; empty for a model in memory.
  ExternalData(std::string folder, std::string model_path, const MemoryFiles* memory)
      : folder_(std::move(folder)), model_path_(std::move(model_path)), memory_(memory) {}

  struct Place {
    Ref<Buffer> buffer;
    size_t offset = 0;
    bool mapped = false;  ///< the buffer is a FileMapping
  };
  /// The place of `bytes` bytes, mapped. `entries` are the key-value pairs of TensorProto.external_data: location,
  /// offset, length. Fails when the location is absolute, leads out of the folder (links are followed), is no regular
  /// file, when the file is too short or the stated length is another.
  Result<Place> find(std::span<const std::pair<std::string_view, std::string_view>> entries, int64_t bytes);

 private:
  struct Open {
    Ref<Buffer> buffer;
    bool mapped = false;
  };
  Result<const Open*> open(std::string_view location);
  Result<std::string> allowed_path(std::string_view location);
  std::string folder_, model_path_;
  const MemoryFiles* memory_;
  std::vector<std::string> allowed_;  ///< real folders, found at first use
  std::map<std::string, Open, std::less<>> open_;
};

}  // namespace tenon::model
