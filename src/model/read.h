// Reading models: from a file or from memory to an ir::Model.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "base/status.h"
#include "ir/graph.h"
#include "model/external_data.h"
#include "tensor/tensor.h"

namespace tenon::model {

struct ReadOptions {
  /// read_model_bytes: the bytes outlive the model and are not copied.
  bool borrow = false;
  /// Where external data lies; empty: the folder of the model's file, or the current folder for a model in memory.
  std::string external_folder;
  /// External files given as memory that outlives the model.
  MemoryFiles external_files;
  /// Tensors that take the place of initializers of these names; element type and shape must agree with the file.
  std::map<std::string, Tensor, std::less<>> initializers;
  /// Calls of the model's own functions stay nodes where this answers true: the operator (domain, name) is known by
  /// itself. Empty: every call is replaced by the function's body.
  std::function<bool(std::string_view, std::string_view)> known;
};

/// Reads an ONNX file. The file stays mapped as long as a constant of the model needs it.
/// Messages begin "Load model from PATH failed:". Codes: NO_SUCHFILE, INVALID_ARGUMENT (a directory, no graph, sizes
/// that do not agree, external data outside its folder), INVALID_PROTOBUF, INVALID_GRAPH, NOT_IMPLEMENTED, FAIL (names
/// given twice, versions that are too new, functions that unfold too far).
Result<std::unique_ptr<ir::Model>> read_model_file(const std::string& path, const ReadOptions& options = {});
/// The same for bytes in memory; `path` (may be empty) is the file they came from, for messages and external data.
Result<std::unique_ptr<ir::Model>> read_model_bytes(std::span<const uint8_t> bytes, const ReadOptions& options = {},
                                                    const std::string& path = {});

}  // namespace tenon::model
