// Value: what enters and leaves a run: a tensor, sequence, map, optional, sparse tensor or opaque object.
// SPDX-License-Identifier: MIT
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "base/ref.h"
#include "tensor/tensor.h"

namespace tenon {

class Value;
using ValueRef = Ref<Value>;

/// A reference-counted value. This object is the C table's OrtValue.
class Value : public RefCounted {
 public:
  enum class Kind { kTensor, kSequence, kMap, kOptional, kSparse, kOpaque };

  explicit Value(Tensor t) : kind(Kind::kTensor), tensor(std::move(t)) {}
  explicit Value(Kind k) : kind(k) {}

  Kind kind;
  /// The dense tensor; for a sparse tensor its values.
  Tensor tensor;
  /// Elements of a sequence; {keys, values} of a map (rank-1 tensors, or a sequence as values); at most one for an
  /// optional (none: empty); the index tensors of a sparse tensor.
  std::vector<ValueRef> items;
  /// Element type of an empty sequence, or of what an empty optional would hold.
  DType element = DType::kUndefined;
  /// Dense shape of a sparse tensor.
  Shape dense_shape;
  int sparse_format = 0;  ///< OrtSparseFormat: 1 COO, 2 CSRC, 4 block sparse
};

inline ValueRef tensor_value(Tensor t) { return make_ref<Value>(std::move(t)); }

}  // namespace tenon
