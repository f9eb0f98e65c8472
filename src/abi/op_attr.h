// OrtOpAttr: an attribute that a client made, or one of a node.
// SPDX-License-Identifier: MIT
#pragma once
#include "ir/graph.h"
#include "ort/onnxruntime_c_api.h"

struct OrtOpAttr {
  tenon::ir::Attribute attribute;
};

namespace tenon::abi {

OrtOpAttrType attribute_type(const ir::Attribute& attribute);
/// ReadOpAttr on any attribute: *size is the number of bytes needed, also when `room` is too small.
Status read_attribute(const ir::Attribute& attribute, OrtOpAttrType type, void* data, size_t room, size_t* size);

}  // namespace tenon::abi
