// TensorReader: TensorProto and SparseTensorProto to tensors, as views into the file wherever that is possible.
// SPDX-License-Identifier: MIT
#pragma once
#include <span>

#include "base/status.h"
#include "ir/graph.h"
#include "model/external_data.h"
#include "model/onnx/proto.h"
#include "tensor/tensor.h"

namespace tenon::model::onnx {

/// The most dimensions a tensor of a model may have.
inline constexpr size_t kMaxRank = 64;

/// The element type of a TensorProto.DataType; NOT_IMPLEMENTED for ONNX types without an implementation, INVALID_GRAPH
/// for other numbers. 0 gives kUndefined.
Result<DType> element_type(int32_t number);

class TensorReader {
 public:
  /// `file` holds the bytes that messages point into; views share it. `mapped`: it is a FileMapping.
  TensorReader(Ref<Buffer> file, bool mapped, ExternalData& external)
      : file_(std::move(file)), mapped_(mapped), external_(&external) {}

  /// Element type and dimensions without the contents, checked.
  Result<std::pair<DType, Shape>> type_of(const TensorProto& proto);
  /// The tensor: a view of raw or external bytes when they are aligned for the element type, else a copy. No memory is
  /// taken before the bytes for it were seen. Little-endian machines only, like the format.
  Result<Tensor> read(const TensorProto& proto);
  Result<Tensor> read(Bytes bytes);
  /// Values, indices and shape, checked against each other.
  Result<ir::SparseTensor> read_sparse(Bytes bytes, std::string_view* label = nullptr);

 private:
  Tensor view(DType dtype, Shape shape, const ExternalData::Place& place, Status* fault);
  Ref<Buffer> file_;
  bool mapped_;
  ExternalData* external_;
};

/// The dense form, zeros elsewhere. Refuses shapes that are out of all proportion to the number of values.
Result<Tensor> densify(const ir::SparseTensor& sparse);

}  // namespace tenon::model::onnx
