// Type: text forms.
// SPDX-License-Identifier: MIT
#include "ir/type.h"

#include <algorithm>

#include "base/text.h"

namespace tenon::ir {

std::string Type::onnx_text() const {
  switch (kind) {
    case Kind::kUnknown: return "unknown";
    case Kind::kTensor: return cat("tensor(", onnx_name(dtype), ")");
    case Kind::kSparseTensor: return cat("sparse_tensor(", onnx_name(dtype), ")");
    case Kind::kSequence: return cat("seq(", inner ? inner->onnx_text() : "unknown", ")");
    case Kind::kOptional: return cat("optional(", inner ? inner->onnx_text() : "unknown", ")");
    case Kind::kMap: return cat("map(", onnx_name(dtype), ",", inner ? inner->onnx_text() : "unknown", ")");
    case Kind::kOpaque: return "opaque";
  }
  return "unknown";
}

std::string Type::to_string() const {
  if (kind != Kind::kTensor) return onnx_text();
  return cat(name(dtype), has_shape ? dims_text(shape) : "[...]");
}

bool same_shape(const Type& a, const Type& b) {
  return a.has_shape && b.has_shape && std::equal(a.shape.begin(), a.shape.end(), b.shape.begin(), b.shape.end());
}
bool same_type(const Type& a, const Type& b) { return a.dtype == b.dtype && same_shape(a, b); }

}  // namespace tenon::ir
