// The messages of an ONNX file as plain structs whose texts and inner messages are views into the file's bytes.
// Inner messages are kept as bytes and parsed when their turn comes, so that memory stays near the size of the file.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "model/onnx/wire.h"

namespace tenon::model::onnx {

using Entry = std::pair<std::string_view, std::string_view>;

/// Numbers of AttributeProto.AttributeType.
enum class AttributeType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparseTensor = 11,
  kSparseTensors = 12,
  kType = 13,
  kTypes = 14,
};

struct AttributeProto {
  std::string_view name, ref_name;
  int32_t type = 0;  ///< stated, or told from the field that is set where old files state none
  float f = 0;
  int64_t i = 0;
  std::string_view s;
  Bytes tensor, graph, sparse, type_proto;  ///< no data pointer: not there
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
  std::vector<Bytes> tensors, graphs, sparse_tensors, type_protos;
};

struct NodeProto {
  std::vector<std::string_view> inputs, outputs;
  std::string_view name, op, domain, overload;
  std::vector<Bytes> attributes;
};

struct TensorProto {
  std::vector<int64_t> dims;
  int32_t data_type = 0;
  std::string_view name;
  Bytes raw;  ///< no data pointer: not there
  bool has_raw = false;
  bool external = false;
  bool segmented = false;
  std::vector<Entry> external_data;
  Bytes all;  ///< the whole message: typed data fields are decoded from it
};

struct SparseTensorProto {
  Bytes values, indices;
  std::vector<int64_t> dims;
};

struct DimensionProto {
  enum class Kind { kUnknown, kNumber, kName } kind = Kind::kUnknown;
  int64_t number = 0;
  std::string_view name;
};

struct TypeProto {
  enum class Kind { kUnknown, kTensor, kSparseTensor, kSequence, kMap, kOptional, kOpaque } kind = Kind::kUnknown;
  int32_t element = 0;  ///< element type of a tensor, key type of a map
  bool has_shape = false;
  std::vector<DimensionProto> dims;
  Bytes inner;  ///< TypeProto of the element or of the map's values
};

struct ValueInfoProto {
  std::string_view name;
  Bytes type;
};

struct GraphProto {
  std::string_view name, doc;
  std::vector<Bytes> nodes, initializers, sparse_initializers, inputs, outputs, value_infos;
};

struct OpsetProto {
  std::string_view domain;
  int64_t version = 0;
};

struct FunctionProto {
  std::string_view name, domain, overload;
  std::vector<std::string_view> inputs, outputs, attributes;
  std::vector<Bytes> default_attributes, nodes, value_infos, opsets;
};

struct ModelProto {
  int64_t ir_version = 0, model_version = 0;
  bool has_ir_version = false, has_graph = false;
  std::string_view producer_name, producer_version, domain, doc;
  GraphProto graph;
  std::vector<Bytes> opsets, functions;
  std::vector<Entry> metadata;
};

// Each parser adds to `*out` what the bytes hold. Faults are INVALID_PROTOBUF and name the message.
Status parse(Bytes bytes, AttributeProto* out);
Status parse(Bytes bytes, NodeProto* out);
/// Only the names of the outputs.
Status parse_outputs(Bytes node, std::vector<std::string_view>* outputs);
Status parse(Bytes bytes, TensorProto* out);
Status parse(Bytes bytes, SparseTensorProto* out);
Status parse(Bytes bytes, TypeProto* out);
Status parse(Bytes bytes, ValueInfoProto* out);
Status parse(Bytes bytes, GraphProto* out);
Status parse(Bytes bytes, OpsetProto* out);
Status parse(Bytes bytes, FunctionProto* out);
Status parse(Bytes bytes, ModelProto* out);

/// "" for "ai.onnx", else the domain.
inline std::string_view plain_domain(std::string_view domain) { return domain == "ai.onnx" ? "" : domain; }
/// The node's name, or "Add giving 'y'" where it has none.
std::string label(const NodeProto& node);

}  // namespace tenon::model::onnx
