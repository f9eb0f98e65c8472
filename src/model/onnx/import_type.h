// TypeProto to ir::Type.
// SPDX-License-Identifier: MIT
#pragma once
#include "base/status.h"
#include "ir/type.h"
#include "model/onnx/proto.h"

namespace tenon::model::onnx {

/// Named dimensions become symbols of the pool, missing and negative ones fresh symbols. Bytes that are not there, and
/// tensors without element type, give the unknown type.
Result<ir::Type> import_type(Bytes bytes, ir::DimPool& dims, int depth = 0);

}  // namespace tenon::model::onnx
