// Reading models: entry points.
// SPDX-License-Identifier: MIT
#include "model/read.h"

#include <cstring>

#include "base/os/file.h"
#include "model/onnx/import.h"

namespace tenon::model {

Result<std::unique_ptr<ir::Model>> read_model_file(const std::string& path, const ReadOptions& options) {
  auto fail = [&](Status&& status) { return std::move(status).prefix(cat("Load model from ", path, " failed:")); };
  auto mapping = os::FileMapping::open(path);
  if (!mapping.ok()) {
    if (mapping.status().code() == Code::kNoSuchFile)
      return fail(error(Code::kNoSuchFile, "Load model ", path, " failed. File doesn't exist"));
    return fail(std::move(mapping).status());
  }
  auto kept = std::make_shared<os::FileMapping>(std::move(mapping).value());
  const auto bytes = kept->bytes();
  auto buffer = Buffer::wrap(const_cast<uint8_t*>(bytes.data()), bytes.size(), [kept] {});
  const std::string folder = options.external_folder.empty() ? os::parent_folder(path) : options.external_folder;
  ExternalData external(folder, path, &options.external_files);
  auto model = onnx::import_model(std::move(buffer), true, external, options);
  if (!model.ok()) return fail(std::move(model).status());
  (*model)->path = path;
  return model;
}

Result<std::unique_ptr<ir::Model>> read_model_bytes(std::span<const uint8_t> bytes, const ReadOptions& options,
                                                    const std::string& path) {
  Ref<Buffer> buffer;
  if (options.borrow) {
    buffer = Buffer::wrap(const_cast<uint8_t*>(bytes.data()), bytes.size());
  } else {
    TENON_ASSIGN(buffer, Buffer::allocate(bytes.size()));
    if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  }
  std::string folder = options.external_folder;
  if (folder.empty() && !path.empty()) folder = os::parent_folder(path);
  ExternalData external(folder, path, &options.external_files);
  TENON_ASSIGN(auto model, onnx::import_model(std::move(buffer), false, external, options));
  model->path = path;
  return model;
}

}  // namespace tenon::model
