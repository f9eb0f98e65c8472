// Files on POSIX systems.
// SPDX-License-Identifier: MIT
#include "base/os/file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace tenon::os {
namespace {

bool has_nul(std::string_view path) { return path.find('\0') != std::string_view::npos; }

Status system_error(std::string_view what, const std::string& path, int number) {
  if (number == ENOENT || number == ENOTDIR)
    return error(Code::kNoSuchFile, what, " ", path, " failed. File doesn't exist");
  return error(Code::kFail, what, " ", path, " failed: ", std::strerror(number), " (system error ", number, ")");
}

}  // namespace

Result<FileMapping> FileMapping::open(const std::string& path) {
  if (path.empty()) return error(Code::kNoSuchFile, "Load model  failed. File doesn't exist: the path is empty");
  if (has_nul(path)) return invalid("a path with a zero byte in it cannot be opened");
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (fd < 0) return system_error("Reading", path, errno);
  struct Close {
    int fd;
    ~Close() { ::close(fd); }
  } close_at_end{fd};
  struct stat info;
  if (::fstat(fd, &info) != 0) return system_error("Reading", path, errno);
  if (S_ISDIR(info.st_mode)) return invalid("Reading ", path, " failed: it is a directory");
  if (!S_ISREG(info.st_mode)) return invalid("Reading ", path, " failed: it is not a regular file");
  const size_t size = static_cast<size_t>(info.st_size);
  if (size == 0) return FileMapping(nullptr, 0);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (data == MAP_FAILED) return system_error("Mapping", path, errno);
  return FileMapping(data, size);
}

FileMapping::~FileMapping() {
  if (data_) ::munmap(data_, size_);
}

void drop_mapped_pages(const void* data, size_t bytes) {
  const uintptr_t page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(data) + page - 1) / page * page;
  const uintptr_t end = (reinterpret_cast<uintptr_t>(data) + bytes) / page * page;
  if (begin < end) ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

bool path_exists(const std::string& path) {
  struct stat info;
  return !has_nul(path) && ::stat(path.c_str(), &info) == 0;
}

bool is_folder(const std::string& path) {
  struct stat info;
  return !has_nul(path) && ::stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

Result<std::string> real_path(const std::string& path) {
  if (has_nul(path)) return invalid("a path with a zero byte in it cannot be opened");
  char* found = ::realpath(path.c_str(), nullptr);
  if (!found) return system_error("Finding", path, errno);
  std::string out = found;
  std::free(found);
  return out;
}

std::string parent_folder(std::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return ".";
  return std::string(slash == 0 ? "/" : path.substr(0, slash));
}

std::string_view file_name(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string join_path(std::string_view folder, std::string_view name) {
  if (folder.empty()) return std::string(name);
  std::string out(folder);
  if (out.back() != '/') out += '/';
  out += name;
  return out;
}

bool is_absolute(std::string_view path) { return !path.empty() && path[0] == '/'; }

bool is_inside(std::string_view path, std::string_view folder) {
  if (folder == "/") return is_absolute(path);
  return path.size() > folder.size() && path.substr(0, folder.size()) == folder && path[folder.size()] == '/';
}

Result<FileWriter> FileWriter::create(const std::string& path) {
  if (path.empty() || has_nul(path)) return invalid("'", path, "' is no path to write to");
  if (is_folder(path)) return invalid("Writing ", path, " failed: it is a directory");
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return system_error("Writing", path, errno);
  ::fchmod(fd, 0644);
  return FileWriter(fd, path, std::move(temporary));
}

FileWriter::~FileWriter() {
  if (fd_ < 0) return;
  ::close(fd_);
  ::unlink(temporary_.c_str());
}

Status FileWriter::write(const void* data, size_t bytes) {
  auto* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t n = ::write(fd_, from, bytes < (size_t{1} << 30) ? bytes : size_t{1} << 30);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("Writing", path_, errno);
    from += n;
    bytes -= static_cast<size_t>(n);
    written_ += static_cast<uint64_t>(n);
  }
  return {};
}

Status FileWriter::commit() {
  const int fd = std::exchange(fd_, -1);
  if (::close(fd) != 0 || ::rename(temporary_.c_str(), path_.c_str()) != 0) {
    Status fault = system_error("Writing", path_, errno);
    ::unlink(temporary_.c_str());
    return fault;
  }
  return {};
}

}  // namespace tenon::os
