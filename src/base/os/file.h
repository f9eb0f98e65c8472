// Files: read-only mappings, path questions, and writing a file so that it appears whole or not at all.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/status.h"

namespace tenon::os {

/// A regular file's bytes in memory, read-only and private. Sizes beyond 4 GiB are fine; an empty file has no bytes.
/// Somebody who shortens the file while it is mapped can make reads fault: replace files, do not truncate them.
class FileMapping {
 public:
  /// Fails with NO_SUCHFILE ("File doesn't exist"), INVALID_ARGUMENT for what is no regular file, else FAIL with the
  /// system's reason. Never waits on a pipe or a device.
  static Result<FileMapping> open(const std::string& path);
  FileMapping(FileMapping&& o) noexcept : data_(std::exchange(o.data_, nullptr)), size_(std::exchange(o.size_, 0)) {}
  FileMapping& operator=(FileMapping&& o) noexcept {
    std::swap(data_, o.data_);
    std::swap(size_, o.size_);
    return *this;
  }
  ~FileMapping();
  std::span<const uint8_t> bytes() const { return {static_cast<const uint8_t*>(data_), size_}; }

 private:
  FileMapping(void* data, size_t size) : data_(data), size_(size) {}
  void* data_ = nullptr;
  size_t size_ = 0;
};

/// Gives back the memory behind whole pages of a FileMapping: read again from the file when they are touched. For
/// nothing but FileMapping memory: other memory would lose its contents.
void drop_mapped_pages(const void* data, size_t bytes);

bool path_exists(const std::string& path);
bool is_folder(const std::string& path);
/// Absolute path with every link resolved. Fails with NO_SUCHFILE when a part is missing.
Result<std::string> real_path(const std::string& path);
/// The folder part: "a/b" of "a/b/c", "." of "c", "/" of "/c".
std::string parent_folder(std::string_view path);
/// The last part of a path.
std::string_view file_name(std::string_view path);
/// "folder/name", or `name` alone when the folder is empty.
std::string join_path(std::string_view folder, std::string_view name);
bool is_absolute(std::string_view path);
/// Whether `path` lies in `folder` or deeper; both are real paths.
bool is_inside(std::string_view path, std::string_view folder);

/// A file under construction: a temporary file beside `path` that commit() renames to it. Without commit() nothing is
/// left behind. An existing file is replaced.
class FileWriter {
 public:
  static Result<FileWriter> create(const std::string& path);
  FileWriter(FileWriter&& o) noexcept
      : fd_(std::exchange(o.fd_, -1)),
        written_(o.written_),
        path_(std::move(o.path_)),
        temporary_(std::move(o.temporary_)) {}
  FileWriter& operator=(FileWriter&&) = delete;
  ~FileWriter();
  Status write(const void* data, size_t bytes);
  uint64_t written() const { return written_; }
  Status commit();

 private:
  FileWriter(int fd, std::string path, std::string temporary)
      : fd_(fd), path_(std::move(path)), temporary_(std::move(temporary)) {}
  int fd_ = -1;
  uint64_t written_ = 0;
  std::string path_, temporary_;
};

}  // namespace tenon::os
