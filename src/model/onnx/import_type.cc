// TypeProto to ir::Type.
// SPDX-License-Identifier: MIT
#include "model/onnx/import_type.h"

#include "model/onnx/tensor.h"

namespace tenon::model::onnx {
namespace {
/// Whether a dimension parameter is a name at all: exporters also write "?" or "-1" for sizes that have nothing to do
/// with each other.
bool is_identifier(std::string_view name) { return !name.empty() && ((name[0] | 32) >= 'a' && (name[0] | 32) <= 'z'); }

constexpr int kMaxTypeDepth = 16;
}  // namespace

Result<ir::Type> import_type(Bytes bytes, ir::DimPool& pool, int depth) {
  using Kind = TypeProto::Kind;
  if (depth > kMaxTypeDepth) return error(Code::kInvalidGraph, "a type is nested more than ", kMaxTypeDepth, " deep");
  TypeProto proto;
  TENON_TRY(parse(bytes, &proto));
  switch (proto.kind) {
    case Kind::kUnknown: return ir::Type();
    case Kind::kOpaque: {
      ir::Type t;
      t.kind = ir::Type::Kind::kOpaque;
      return t;
    }
    case Kind::kSequence:
    case Kind::kOptional:
    case Kind::kMap: {
      TENON_ASSIGN(auto inner, import_type(proto.inner, pool, depth + 1));
      if (proto.kind == Kind::kSequence) return ir::Type::sequence(std::move(inner));
      if (proto.kind == Kind::kOptional) return ir::Type::optional(std::move(inner));
      TENON_ASSIGN(DType key, element_type(proto.element));
      return ir::Type::map(key, std::move(inner));
    }
    case Kind::kTensor:
    case Kind::kSparseTensor: break;
  }
  TENON_ASSIGN(DType dtype, element_type(proto.element));
  if (dtype == DType::kUndefined) return ir::Type();
  if (proto.dims.size() > kMaxRank) return invalid(proto.dims.size(), " dimensions are more than ", kMaxRank);
  ir::Type t = ir::Type::tensor(dtype);
  if (proto.kind == Kind::kSparseTensor) t.kind = ir::Type::Kind::kSparseTensor;
  t.has_shape = proto.has_shape;
  for (auto& d : proto.dims) {
    if (d.kind == DimensionProto::Kind::kNumber && d.number >= 0) t.shape.push_back(d.number);
    else if (d.kind == DimensionProto::Kind::kName && is_identifier(d.name)) t.shape.push_back(pool.named(d.name));
    else if (d.kind == DimensionProto::Kind::kName) t.shape.push_back(pool.fresh(d.name));
    else t.shape.push_back(pool.fresh());
  }
  return t;
}

}  // namespace tenon::model::onnx
