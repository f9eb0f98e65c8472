// Writing models: entry points.
// SPDX-License-Identifier: MIT
#include "model/write.h"

#include <optional>

#include "base/os/file.h"
#include "model/onnx/export.h"

namespace tenon::model {
namespace {

constexpr uint64_t kProtobufLimit = (uint64_t{1} << 31) - 1;
constexpr uint64_t kExternalAlignment = 64;

Status check_size(const onnx::Message& message) {
  if (message.size() <= kProtobufLimit) return {};
  return invalid("the model takes ", message.size(), " bytes; above 2 GiB its weights must go to an external file");
}

}  // namespace

Result<std::string> write_model_bytes(const ir::Model& model) {
  TENON_ASSIGN(auto message, onnx::export_model(model, {}));
  TENON_TRY(check_size(message));
  std::string out;
  out.reserve(message.size());
  TENON_TRY(message.each_piece([&](const char* data, size_t size) {
    out.append(data, size);
    return Status();
  }));
  return out;
}

Status write_model_file(const ir::Model& model, const std::string& path, const WriteOptions& options) {
  std::optional<os::FileWriter> weights;
  onnx::PlaceTensor place;
  if (!options.external_file.empty()) {
    if (options.external_file.find('/') != std::string::npos)
      return invalid("'", options.external_file, "' must be a name without folders");
    auto made = os::FileWriter::create(os::join_path(os::parent_folder(path), options.external_file));
    if (!made.ok()) return std::move(made).status();
    weights.emplace(std::move(made).value());
    place = [&](const Tensor& t) -> Result<std::optional<onnx::ExternalPlace>> {
      if (t.bytes() < options.external_min_bytes) return std::optional<onnx::ExternalPlace>();
      static constexpr char kZeros[kExternalAlignment] = {};
      TENON_TRY(
          weights->write(kZeros, (kExternalAlignment - weights->written() % kExternalAlignment) % kExternalAlignment));
      onnx::ExternalPlace at{options.external_file, weights->written()};
      TENON_TRY(weights->write(t.data(), static_cast<size_t>(t.bytes())));
      return std::optional(std::move(at));
    };
  }
  TENON_ASSIGN(auto message, onnx::export_model(model, place));
  TENON_TRY(check_size(message));
  TENON_ASSIGN(auto file, os::FileWriter::create(path));
  TENON_TRY(message.each_piece([&](const char* data, size_t size) { return file.write(data, size); }));
  if (weights) TENON_TRY(weights->commit());
  return file.commit();
}

}  // namespace tenon::model
