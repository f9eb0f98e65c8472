// ExternalData: checks of locations, mapping of files.
// SPDX-License-Identifier: MIT
#include "model/external_data.h"

#include <memory>

#include "base/os/file.h"

namespace tenon::model {
namespace {

/// Whether the parts of a relative path climb above their start.
bool climbs_out(std::string_view path) {
  int depth = 0;
  while (!path.empty()) {
    const size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash + 1);
    if (part == "..") {
      if (--depth < 0) return true;
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
  }
  return false;
}

std::string_view without_dot(std::string_view path) {
  while (path.size() > 2 && path.substr(0, 2) == "./") path.remove_prefix(2);
  return path;
}

}  // namespace

Result<std::string> ExternalData::allowed_path(std::string_view location) {
  if (location.empty()) return invalid("External data: no location is given");
  if (os::is_absolute(location))
    return invalid("External data path '", location, "' is absolute; only files beside the model are read");
  if (climbs_out(location)) return invalid("External data path escapes model directory: '", location, "'");
  if (allowed_.empty()) {
    TENON_ASSIGN(auto start, os::real_path(folder_.empty() ? "." : folder_));
    allowed_.push_back(std::move(start));
    if (!model_path_.empty()) {
      TENON_ASSIGN(auto file, os::real_path(model_path_));
      allowed_.push_back(os::parent_folder(file));
    }
  }
  auto real = os::real_path(os::join_path(folder_.empty() ? "." : folder_, location));
  if (!real.ok()) return std::move(real).status().prefix("External data: ");
  for (auto& folder : allowed_)
    if (os::is_inside(*real, folder)) return real;
  if (*real == allowed_.front()) return invalid("External data: '", location, "' is a directory");
  return invalid("External data path escapes model directory: '", location, "' leads to ", *real);
}

Result<const ExternalData::Open*> ExternalData::open(std::string_view location) {
  if (auto found = open_.find(location); found != open_.end()) return &found->second;
  Ref<Buffer> buffer;
  bool mapped = false;
  if (memory_) {
    auto given = memory_->find(location);
    if (given == memory_->end()) given = memory_->find(without_dot(location));
    if (given != memory_->end())
      buffer = Buffer::wrap(const_cast<uint8_t*>(given->second.data()), given->second.size());
  }
  if (!buffer) {
    TENON_ASSIGN(auto path, allowed_path(location));
    auto mapping = os::FileMapping::open(path);
    if (!mapping.ok()) return std::move(mapping).status().prefix("External data: ");
    auto kept = std::make_shared<os::FileMapping>(std::move(mapping).value());
    auto bytes = kept->bytes();
    buffer = Buffer::wrap(const_cast<uint8_t*>(bytes.data()), bytes.size(), [kept] {});
    mapped = true;
  }
  return &open_.emplace(location, Open{std::move(buffer), mapped}).first->second;
}

Result<ExternalData::Place> ExternalData::find(std::span<const std::pair<std::string_view, std::string_view>> entries,
                                               int64_t bytes) {
  std::string_view location;
  int64_t offset = 0;
  std::optional<int64_t> length;
  for (auto& [key, value] : entries) {
    if (key == "location") location = value;
    if (key != "offset" && key != "length") continue;
    int64_t number = 0;
    if (!parse_int(value, &number) || number < 0 || number > kMaxSize)
      return invalid("External data: ", key, " '", value, "' is no byte count");
    if (key == "offset") offset = number;
    else length = number;
  }
  if (length && *length != bytes)
    return invalid("External data: the length of ", *length, " bytes is not the ", bytes, " bytes of type and shape");
  TENON_ASSIGN(const Open* file, open(location));
  const int64_t size = static_cast<int64_t>(file->buffer->size());
  if (offset > size || bytes > size - offset)
    return invalid("External data: ", bytes, " bytes at offset ", offset, " are outside of '", location, "' with its ",
                   size, " bytes");
  return Place{file->buffer, static_cast<size_t>(offset), file->mapped};
}

}  // namespace tenon::model
