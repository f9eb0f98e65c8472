// OrtOpAttr: an attribute that a client made, or one of a node.
// SPDX-License-Identifier: MIT
#pragma once
#include <memory>

#include "ir/graph.h"
#include "ort/onnxruntime_c_api.h"

struct OrtOpAttr {
  /// Takes an attribute over.
  explicit OrtOpAttr(std::unique_ptr<tenon::ir::Attribute> made) : own(std::move(made)), attribute(own.get()) {}
  /// Points at an attribute of a node, which outlives this object.
  explicit OrtOpAttr(const tenon::ir::Attribute& of_node) : attribute(&of_node) {}
  std::unique_ptr<tenon::ir::Attribute> own;
  const tenon::ir::Attribute* attribute;
};

namespace tenon::abi {

OrtOpAttrType attribute_type(const ir::Attribute& attribute);
/// ReadOpAttr on any attribute: *size is the number of bytes needed, also when `room` is too small.
Status read_attribute(const ir::Attribute& attribute, OrtOpAttrType type, void* data, size_t room, size_t* size);
/// A copy; fails for attributes that hold graphs.
Result<ir::Attribute> copy_attribute(const ir::Attribute& attribute);

}  // namespace tenon::abi
