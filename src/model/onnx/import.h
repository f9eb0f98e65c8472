// Import: the bytes of an ONNX model to an ir::Model. Functions of the model are replaced by their bodies, Constant
// nodes become constants, and nodes come out sorted. SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "base/status.h"
#include "ir/graph.h"
#include "model/external_data.h"
#include "tensor/tensor.h"

namespace tenon::model {
struct ReadOptions;
}

namespace tenon::model::onnx {

/// `file` holds a ModelProto (`mapped`: it is a FileMapping); the model keeps it alive as far as constants point into
/// it.
Result<std::unique_ptr<ir::Model>> import_model(Ref<Buffer> file, bool mapped, ExternalData& external,
                                                const ReadOptions& options);

}  // namespace tenon::model::onnx
