// Writing models: an ir::Model back to ONNX.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>

#include "base/status.h"
#include "ir/graph.h"

namespace tenon::model {

struct WriteOptions {
  /// Name of a file beside the model that takes large initializers; empty: everything stands in the model.
  std::string external_file;
  /// Initializers of at least this many bytes go there.
  int64_t external_min_bytes = 1024;
};

/// The model in ONNX's format. Values whose names are missing or taken get new ones; inputs and outputs of the main
/// graph keep theirs. Each operator set is imported in the version that all of its nodes mean; fails with
/// NOT_IMPLEMENTED when there is none, and with INVALID_ARGUMENT above 2 GiB, where other programs cannot read the
/// file.
Result<std::string> write_model_bytes(const ir::Model& model);
/// Writes the file, and the external one, under temporary names first: a fault leaves what was there before.
Status write_model_file(const ir::Model& model, const std::string& path, const WriteOptions& options = {});

}  // namespace tenon::model
