// Type and shape inference: shared rules and the drivers for nodes and graphs.
// SPDX-License-Identifier: MIT
#include "opdef/infer.h"

#include <algorithm>

namespace tenon::opdef {

const Type InferContext::none_;

std::optional<TensorRef> InferContext::contents(size_t i) const {
  if (!has(i)) return std::nullopt;
  if (in[i].constant) return in[i].constant->ref();
  if (in[i].actual && in[i].actual->data) return *in[i].actual;
  return std::nullopt;
}

std::optional<DimVector> InferContext::elements(size_t i) const {
  if (!has(i)) return std::nullopt;
  if (in[i].elements) return *in[i].elements;
  auto t = contents(i);
  if (!t || t->count > kMaxElements) return std::nullopt;
  auto numbers = read_ints(*t);
  if (!numbers.ok()) return std::nullopt;
  DimVector out;
  for (int64_t v : *numbers) out.push_back(v);
  return out;
}

std::optional<Dims> InferContext::integers(size_t i) const {
  if (auto t = contents(i)) {
    auto numbers = read_ints(*t);
    if (numbers.ok()) return std::move(numbers).value();
    return std::nullopt;
  }
  auto e = elements(i);
  return e ? ir::constant_dims(*e) : std::nullopt;
}

std::optional<int64_t> InferContext::count(size_t i) const {
  if (!has_shape(i)) return std::nullopt;
  Dim n = ir::dim_product(shape(i));
  if (!n.is_const()) return std::nullopt;
  return n.value();
}

void InferContext::set(size_t i, DType dtype, DimVector shape) { set(i, Type::tensor(dtype, std::move(shape))); }
void InferContext::set(size_t i, DType dtype) { set(i, Type::tensor(dtype)); }
void InferContext::set(size_t i, Type type) {
  if (i < out.size()) out[i].type = std::move(type);
}
void InferContext::copy(size_t i, size_t j) { set(i, type(j)); }
void InferContext::set_elements(size_t i, DimVector elements) {
  if (i < out.size()) out[i].elements = std::move(elements);
}

Status same_as_input(InferContext& c) {
  c.copy(0, 0);
  if (c.has(0) && c.in[0].elements) c.out[0].elements = std::nullopt;
  return {};
}

Result<DimVector> broadcast_dims(std::span<const Dim> a, std::span<const Dim> b) {
  size_t rank = std::max(a.size(), b.size());
  DimVector out(rank, Dim(1));
  for (size_t i = 0; i < rank; ++i) {
    Dim x = i < rank - a.size() ? Dim(1) : a[i - (rank - a.size())];
    Dim y = i < rank - b.size() ? Dim(1) : b[i - (rank - b.size())];
    if (x.is_const() && y.is_const() && x.value() != y.value() && x.value() != 1 && y.value() != 1)
      return invalid("shapes ", ir::dims_text(a), " and ", ir::dims_text(b), " do not broadcast: ", x, " against ", y);
    out[i] = ir::dim_broadcast(x, y);
  }
  return out;
}

namespace {
Status broadcast_all(InferContext& c, DType dtype) {
  DimVector dims;
  for (size_t i = 0; i < c.in.size(); ++i) {
    if (!c.has(i)) continue;
    if (!c.has_shape(i)) { c.set(0, dtype); return {}; }
    if (i == 0) dims = c.shape(0);
    else { TENON_ASSIGN(dims, broadcast_dims(dims, c.shape(i))); }
  }
  c.set(0, dtype, std::move(dims));
  return {};
}
}  // namespace

Status broadcast_inputs(InferContext& c) { return broadcast_all(c, c.dtype(0)); }
Status broadcast_compare(InferContext& c) { return broadcast_all(c, DType::kBool); }

namespace {

std::string describe_inputs(const ir::Node& node) {
  std::string out;
  const auto& m = node.graph->model();
  for (ir::ValueId v : node.inputs()) {
    if (!out.empty()) out += "   ";
    out += v == ir::kNoValue ? std::string("-") : cat(m.value(v).name, " ", m.value(v).type);
  }
  return out;
}

Status locate(Status s, const ir::Node& node) {
  if (s.ok()) return s;
  if (s.message().substr(0, node.op.size()) != node.op) s = std::move(s).prefix(cat(node.op, ": "));
  return std::move(s)
      .with("node", cat(node.label(), "   (", node.domain_text(), " ", node.op, "-", node.since, ")"))
      .with("inputs", describe_inputs(node));
}

/// What is wrong with a model at load time is FAIL for the peer's clients, whatever the rule called it.
Status at_load(Status s) {
  return s.code() == Code::kInvalidArgument ? Status(Code::kFail, std::string(s.message())) : s;
}

/// Merges what a rule found into what is known of the value. Unknown dimensions become fresh symbols.
Status merge_type(ir::Model& m, ir::ValueInfo& v, const Type& found) {
  if (!found.known()) return {};
  if (!v.type.known()) v.type = Type{};
  Type merged = found;
  if (v.type.known()) {
    if (v.type.kind != found.kind || (found.is_tensor() && found.dtype != DType::kUndefined &&
                                      v.type.dtype != DType::kUndefined && v.type.dtype != found.dtype))
      return error(Code::kFail, "Type Error: value '", v.name, "' is stated to be ", v.type.onnx_text(), " but is ",
                   found.onnx_text());
    if (merged.dtype == DType::kUndefined) merged.dtype = v.type.dtype;
    // Dimensions that the file states are not believed: a plan made from wrong ones would write outside of buffers.
  }
  for (Dim& d : merged.shape)
    if (d.is_unknown()) d = m.dims().fresh();
    else if (d.is_const() && d.value() < 0)
      return invalid("value '", v.name, "' would have the negative dimension ", d, " in ", merged);
  v.type = std::move(merged);
  return {};
}

}  // namespace

Status infer_node(ir::Node& node, const std::function<Status(ir::Graph&)>& infer_subgraph) {
  if (!node.def || !node.def->shape) return {};
  ir::Model& m = node.graph->model();
  InferContext c(node, node.since);
  c.in.resize(node.inputs().size());
  for (size_t i = 0; i < c.in.size(); ++i) {
    ir::ValueId v = node.inputs()[i];
    if (v == ir::kNoValue) continue;
    auto& info = m.value(v);
    c.in[i].present = true;
    c.in[i].type = info.type;
    c.in[i].constant = m.constant(v);
    if (info.elements) c.in[i].elements = &*info.elements;
  }
  c.out.resize(node.outputs().size());
  for (size_t i = 0; i < c.out.size(); ++i) c.out[i].wanted = node.outputs()[i] != ir::kNoValue;
  c.infer_subgraph = infer_subgraph ? infer_subgraph : infer_graph;
  TENON_TRY(locate(at_load(node.def->shape(c)), node));
  for (size_t i = 0; i < c.out.size(); ++i) {
    if (!c.out[i].wanted) continue;
    auto& v = m.value(node.outputs()[i]);
    TENON_TRY(locate(merge_type(m, v, c.out[i].type), node));
    auto& e = c.out[i].elements;
    v.elements.reset();
    if (e && static_cast<int64_t>(e->size()) <= kMaxElements) {
      bool any = std::any_of(e->begin(), e->end(), [](Dim d) { return d.known(); });
      if (any) {
        for (Dim& d : *e)
          if (d.is_unknown()) d = m.dims().fresh({}, false);
        v.elements = std::move(*e);
      }
    }
  }
  return {};
}

Status infer_graph(ir::Graph& graph) {
  for (auto& node : graph.nodes()) TENON_TRY(infer_node(node));
  return {};
}

Status infer_concrete(const ir::Node& node, std::span<const TensorRef* const> inputs, InferContext& c) {
  c.in.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const TensorRef* t = inputs[i];
    if (!t) continue;
    DimVector dims;
    for (int64_t d : t->shape()) dims.push_back(d);
    c.in[i].present = true;
    c.in[i].type = Type::tensor(t->dtype, std::move(dims));
    c.in[i].actual = t;
  }
  Status s = node.def->shape(c);
  if (s.ok()) return s;
  std::string given;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (i) given += "   ";
    ir::ValueId v = node.input(i);
    given += inputs[i] ? cat(v == ir::kNoValue ? "" : node.graph->model().value(v).name, " ", *inputs[i]) : std::string("-");
  }
  s.add_context("inputs", std::move(given));
  return locate(std::move(s), node);
}

Status check_node(const ir::Node& node) {
  const OpDef& op = *node.def;
  const ir::Model& m = node.graph->model();
  auto fail = [&](auto&&... text) { return locate(error(Code::kInvalidGraph, op.name, ": ", text...), node); };
  if (static_cast<int>(node.inputs().size()) < op.min_inputs())
    return fail("needs at least ", op.min_inputs(), " inputs, has ", node.inputs().size());
  if (node.outputs().empty()) return fail("has no output");
  std::vector<std::pair<std::string_view, DType>> bound;
  auto check = [&](size_t i, bool input) -> Status {
    const Port* p = input ? op.input_port(i) : op.output_port(i);
    const char* side = input ? "input " : "output ";
    if (!p) return fail("has no ", side, i);
    ir::ValueId v = input ? node.inputs()[i] : node.outputs()[i];
    if (v == ir::kNoValue) {
      if (input && !p->optional && !p->variadic) return fail("input ", i, " (", p->name, ") is required");
      return {};
    }
    const Type& t = m.value(v).type;
    if (!t.known() || t.dtype == DType::kUndefined) return {};
    if (!t.is_tensor()) {
      if (p->any_kind) return {};
      return locate(error(Code::kFail, "Type Error: ", op.name, ": ", side, i, " (", p->name, ") is ", t.onnx_text(),
                          ", a tensor was expected"), node);
    }
    if (!p->types.has(t.dtype))
      return locate(error(Code::kFail, "Type Error: ", op.name, ": ", side, i, " (", p->name, ") is tensor(",
                          onnx_name(t.dtype), "), a type that the operator does not take there"), node);
    if (p->var.empty() || p->heterogeneous) return {};
    for (auto& [var, dtype] : bound)
      if (var == p->var) {
        if (dtype != t.dtype)
          return locate(error(Code::kFail, "Type Error: ", op.name, ": Type parameter (", p->var, ") is bound to tensor(",
                              onnx_name(dtype), ") and to tensor(", onnx_name(t.dtype), ") by ", side, i), node);
        return {};
      }
    bound.emplace_back(p->var, t.dtype);
    return {};
  };
  for (size_t i = 0; i < node.inputs().size(); ++i) TENON_TRY(check(i, true));
  for (size_t i = 0; i < node.outputs().size(); ++i) TENON_TRY(check(i, false));
  for (auto& def : op.attributes) {
    auto* a = node.find(def.name);
    if (!a) {
      if (def.required) return fail("attribute '", def.name, "' is required");
      continue;
    }
    bool right = false;
    switch (def.type) {
      case 'i': right = std::holds_alternative<int64_t>(a->value); break;
      case 'f': right = std::holds_alternative<float>(a->value); break;
      case 's': right = std::holds_alternative<std::string>(a->value); break;
      case 't': right = std::holds_alternative<Tensor>(a->value); break;
      case 'g': right = std::holds_alternative<std::unique_ptr<ir::Graph>>(a->value); break;
      case 'I': right = std::holds_alternative<std::vector<int64_t>>(a->value); break;
      case 'F': right = std::holds_alternative<std::vector<float>>(a->value); break;
      case 'S': right = std::holds_alternative<std::vector<std::string>>(a->value); break;
      case 'p': right = std::holds_alternative<Type>(a->value); break;
      case 'n': right = std::holds_alternative<ir::SparseTensor>(a->value); break;
      default: break;
    }
    if (!right) return fail("attribute '", def.name, "' has the wrong type");
  }
  return {};
}

}  // namespace tenon::opdef
