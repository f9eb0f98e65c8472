// Type: what a value may hold: element type and symbolic shape of a tensor, or a sequence, map, optional, sparse
// tensor. SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>

#include "ir/dim.h"
#include "tensor/dtype.h"

namespace tenon::ir {

struct Type {
  enum class Kind : uint8_t { kUnknown, kTensor, kSparseTensor, kSequence, kMap, kOptional, kOpaque };
  Kind kind = Kind::kUnknown;
  DType dtype = DType::kUndefined;    ///< element type; key type of a map
  bool has_shape = false;             ///< whether the rank is known
  DimVector shape;                    ///< dimensions; unknown ones are symbols of their own
  std::shared_ptr<const Type> inner;  ///< element of a sequence or optional, value of a map

  static Type tensor(DType dtype) {
    Type t;
    t.kind = Kind::kTensor;
    t.dtype = dtype;
    return t;
  }
  static Type tensor(DType dtype, DimVector shape) {
    Type t = tensor(dtype);
    t.has_shape = true;
    t.shape = std::move(shape);
    return t;
  }
  static Type sequence(Type element) {
    Type t;
    t.kind = Kind::kSequence;
    t.inner = std::make_shared<const Type>(std::move(element));
    return t;
  }
  static Type optional(Type element) {
    Type t = sequence(std::move(element));
    t.kind = Kind::kOptional;
    return t;
  }
  static Type map(DType key, Type value) {
    Type t = sequence(std::move(value));
    t.kind = Kind::kMap;
    t.dtype = key;
    return t;
  }
  bool is_tensor() const { return kind == Kind::kTensor; }
  bool known() const { return kind != Kind::kUnknown; }
  int rank() const { return has_shape ? static_cast<int>(shape.size()) : -1; }
  /// ONNX form without shape: "tensor(float)", "seq(map(int64,tensor(float)))".
  std::string onnx_text() const;
  /// "f32[batch,3]" for tensors, the ONNX form for others.
  std::string to_string() const;
};

/// Whether both are of known rank and the dimensions are proved equal.
bool same_shape(const Type& a, const Type& b);
/// The same for tensors, element types included.
bool same_type(const Type& a, const Type& b);

}  // namespace tenon::ir
