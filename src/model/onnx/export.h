// Export: an ir::Model to the message ModelProto.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "base/status.h"
#include "ir/graph.h"
#include "model/onnx/wire_write.h"
#include "tensor/tensor.h"

namespace tenon::model::onnx {

/// Where an initializer lies in the external file, or nothing when it stays in the model.
struct ExternalPlace {
  std::string file;
  uint64_t offset = 0;
};
using PlaceTensor = std::function<Result<std::optional<ExternalPlace>>(const Tensor&)>;

/// Large contents are borrowed from the model, which must outlive the message. `place` may be empty.
Result<Message> export_model(const ir::Model& model, const PlaceTensor& place);

}  // namespace tenon::model::onnx
