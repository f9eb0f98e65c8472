// Parsers of the ONNX messages. Field numbers are those of onnx.proto.
// SPDX-License-Identifier: MIT
#include "model/onnx/proto.h"

namespace tenon::model::onnx {
namespace {

void take_entry(WireReader& in, const Field& f, std::vector<Entry>& out) {
  Bytes bytes;
  in.take(f, bytes);
  Entry entry;
  WireReader inner(bytes, "StringStringEntryProto");
  for (Field g; inner.next(g);) {
    if (g.number == 1) inner.take(g, entry.first);
    else if (g.number == 2) inner.take(g, entry.second);
  }
  if (!inner.status().ok()) in.fail("an entry of a text map is malformed");
  out.push_back(entry);
}

Status parse_dimension(Bytes bytes, DimensionProto* out) {
  WireReader in(bytes, "TensorShapeProto.Dimension");
  for (Field f; in.next(f);) {
    if (f.number == 1) {
      out->kind = DimensionProto::Kind::kNumber;
      in.take(f, out->number);
    } else if (f.number == 2) {
      out->kind = DimensionProto::Kind::kName;
      in.take(f, out->name);
    }
  }
  return in.status();
}

Status parse_shape(Bytes bytes, std::vector<DimensionProto>* out) {
  WireReader in(bytes, "TensorShapeProto");
  for (Field f; in.next(f);) {
    if (f.number != 1) continue;
    Bytes dim;
    in.take(f, dim);
    DimensionProto d;
    TENON_TRY(parse_dimension(dim, &d));
    out->push_back(d);
  }
  return in.status();
}

/// The inner message of a TypeProto: element type (or key type), and shape or inner type.
Status parse_type_case(Bytes bytes, TypeProto* out) {
  using Kind = TypeProto::Kind;
  WireReader in(bytes, "TypeProto");
  for (Field f; in.next(f);) {
    if (out->kind == Kind::kSequence || out->kind == Kind::kOptional) {
      if (f.number == 1) in.take(f, out->inner);
    } else if (f.number == 1 && out->kind != Kind::kOpaque) {
      in.take(f, out->element);
    } else if (f.number == 2 && out->kind == Kind::kMap) {
      in.take(f, out->inner);
    } else if (f.number == 2 && out->kind != Kind::kOpaque) {
      Bytes shape;
      in.take(f, shape);
      out->has_shape = true;
      TENON_TRY(parse_shape(shape, &out->dims));
    }
  }
  return in.status();
}

AttributeType type_of_fields(const AttributeProto& a, bool has_f, bool has_i, bool has_s) {
  using T = AttributeType;
  if (has_f) return T::kFloat;
  if (has_i) return T::kInt;
  if (has_s) return T::kString;
  if (a.tensor.data()) return T::kTensor;
  if (a.graph.data()) return T::kGraph;
  if (a.sparse.data()) return T::kSparseTensor;
  if (a.type_proto.data()) return T::kType;
  if (!a.floats.empty()) return T::kFloats;
  if (!a.ints.empty()) return T::kInts;
  if (!a.strings.empty()) return T::kStrings;
  if (!a.tensors.empty()) return T::kTensors;
  if (!a.graphs.empty()) return T::kGraphs;
  if (!a.sparse_tensors.empty()) return T::kSparseTensors;
  if (!a.type_protos.empty()) return T::kTypes;
  return T::kUndefined;
}

}  // namespace

Status parse(Bytes bytes, AttributeProto* out) {
  WireReader in(bytes, "AttributeProto");
  bool has_f = false, has_i = false, has_s = false;
  for (Field f; in.next(f);) {
    switch (f.number) {
      case 1: in.take(f, out->name); break;
      case 2:
        in.take(f, out->f);
        has_f = true;
        break;
      case 3:
        in.take(f, out->i);
        has_i = true;
        break;
      case 4:
        in.take(f, out->s);
        has_s = true;
        break;
      case 5: in.take(f, out->tensor); break;
      case 6: in.take(f, out->graph); break;
      case 7: in.add(f, out->floats); break;
      case 8: in.add(f, out->ints); break;
      case 9: in.add(f, out->strings); break;
      case 10: in.add(f, out->tensors); break;
      case 11: in.add(f, out->graphs); break;
      case 14: in.take(f, out->type_proto); break;
      case 15: in.add(f, out->type_protos); break;
      case 20: in.take(f, out->type); break;
      case 21: in.take(f, out->ref_name); break;
      case 22: in.take(f, out->sparse); break;
      case 23: in.add(f, out->sparse_tensors); break;
      default: break;
    }
  }
  if (out->type == 0) out->type = static_cast<int32_t>(type_of_fields(*out, has_f, has_i, has_s));
  return in.status();
}

Status parse(Bytes bytes, NodeProto* out) {
  WireReader in(bytes, "NodeProto");
  for (Field f; in.next(f);) {
    switch (f.number) {
      case 1: in.add(f, out->inputs); break;
      case 2: in.add(f, out->outputs); break;
      case 3: in.take(f, out->name); break;
      case 4: in.take(f, out->op); break;
      case 5: in.add(f, out->attributes); break;
      case 7: in.take(f, out->domain); break;
      case 8: in.take(f, out->overload); break;
      default: break;
    }
  }
  out->domain = plain_domain(out->domain);
  return in.status();
}

Status parse_outputs(Bytes node, std::vector<std::string_view>* outputs) {
  WireReader in(node, "NodeProto");
  for (Field f; in.next(f);)
    if (f.number == 2) in.add(f, *outputs);
  return in.status();
}

Status parse(Bytes bytes, TensorProto* out) {
  WireReader in(bytes, "TensorProto");
  int32_t location = 0;
  for (Field f; in.next(f);) {
    switch (f.number) {
      case 1: in.add(f, out->dims); break;
      case 2: in.take(f, out->data_type); break;
      case 3: out->segmented = true; break;
      case 8: in.take(f, out->name); break;
      case 9:
        in.take(f, out->raw);
        out->has_raw = true;
        break;
      case 13: take_entry(in, f, out->external_data); break;
      case 14: in.take(f, location); break;
      default: break;
    }
  }
  out->external = location == 1;
  out->all = bytes;
  return in.status();
}

Status parse(Bytes bytes, SparseTensorProto* out) {
  WireReader in(bytes, "SparseTensorProto");
  for (Field f; in.next(f);) {
    switch (f.number) {
      case 1: in.take(f, out->values); break;
      case 2: in.take(f, out->indices); break;
      case 3: in.add(f, out->dims); break;
      default: break;
    }
  }
  return in.status();
}

Status parse(Bytes bytes, TypeProto* out) {
  using Kind = TypeProto::Kind;
  WireReader in(bytes, "TypeProto");
  for (Field f; in.next(f);) {
    Kind kind = Kind::kUnknown;
    switch (f.number) {
      case 1: kind = Kind::kTensor; break;
      case 4: kind = Kind::kSequence; break;
      case 5: kind = Kind::kMap; break;
      case 7: kind = Kind::kOpaque; break;
      case 8: kind = Kind::kSparseTensor; break;
      case 9: kind = Kind::kOptional; break;
      default: continue;
    }
    Bytes inner;
    in.take(f, inner);
    *out = {};
    out->kind = kind;
    TENON_TRY(parse_type_case(inner, out));
  }
  return in.status();
}

Status parse(Bytes bytes, ValueInfoProto* out) {
  WireReader in(bytes, "ValueInfoProto");
  for (Field f; in.next(f);) {
    if (f.number == 1) in.take(f, out->name);
    else if (f.number == 2) in.take(f, out->type);
  }
  return in.status();
}

Status parse(Bytes bytes, GraphProto* out) {
  WireReader in(bytes, "GraphProto");
  for (Field f; in.next(f);) {
    switch (f.number) {
      case 1: in.add(f, out->nodes); break;
      case 2: in.take(f, out->name); break;
      case 5: in.add(f, out->initializers); break;
      case 10: in.take(f, out->doc); break;
      case 11: in.add(f, out->inputs); break;
      case 12: in.add(f, out->outputs); break;
      case 13: in.add(f, out->value_infos); break;
      case 15: in.add(f, out->sparse_initializers); break;
      default: break;
    }
  }
  return in.status();
}

Status parse(Bytes bytes, OpsetProto* out) {
  WireReader in(bytes, "OperatorSetIdProto");
  for (Field f; in.next(f);) {
    if (f.number == 1) in.take(f, out->domain);
    else if (f.number == 2) in.take(f, out->version);
  }
  out->domain = plain_domain(out->domain);
  return in.status();
}

Status parse(Bytes bytes, FunctionProto* out) {
  WireReader in(bytes, "FunctionProto");
  for (Field f; in.next(f);) {
    switch (f.number) {
      case 1: in.take(f, out->name); break;
      case 4: in.add(f, out->inputs); break;
      case 5: in.add(f, out->outputs); break;
      case 6: in.add(f, out->attributes); break;
      case 7: in.add(f, out->nodes); break;
      case 9: in.add(f, out->opsets); break;
      case 10: in.take(f, out->domain); break;
      case 11: in.add(f, out->default_attributes); break;
      case 12: in.add(f, out->value_infos); break;
      case 13: in.take(f, out->overload); break;
      default: break;
    }
  }
  out->domain = plain_domain(out->domain);
  return in.status();
}

Status parse(Bytes bytes, ModelProto* out) {
  WireReader in(bytes, "ModelProto");
  for (Field f; in.next(f);) {
    switch (f.number) {
      case 1:
        in.take(f, out->ir_version);
        out->has_ir_version = true;
        break;
      case 2: in.take(f, out->producer_name); break;
      case 3: in.take(f, out->producer_version); break;
      case 4: in.take(f, out->domain); break;
      case 5: in.take(f, out->model_version); break;
      case 6: in.take(f, out->doc); break;
      case 7: {
        Bytes graph;
        in.take(f, graph);
        out->has_graph = true;
        TENON_TRY(parse(graph, &out->graph));
        break;
      }
      case 8: in.add(f, out->opsets); break;
      case 14: take_entry(in, f, out->metadata); break;
      case 25: in.add(f, out->functions); break;
      default: break;
    }
  }
  return in.status();
}

std::string label(const NodeProto& node) {
  if (!node.name.empty()) return std::string(node.name);
  for (auto& output : node.outputs)
    if (!output.empty()) return cat(node.op, " giving '", output, "'");
  return std::string(node.op);
}

}  // namespace tenon::model::onnx
