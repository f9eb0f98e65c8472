// Runs one case of an operator as a model with one node: a plain interpreter over what its upgrade or body makes of it.
// SPDX-License-Identifier: MIT
#include "case_run.h"

#include <algorithm>
#include <map>

#include "opdef/build.h"
#include "opdef/infer.h"
#include "opdef/registry.h"
#include "ops/table.h"

namespace tenon::cases {
namespace {
using namespace opdef;

/// Attributes of cases hold numbers, texts, lists of them and tensors.
ir::Attribute::Value copy_value(const ir::Attribute::Value& v) {
  ir::Attribute::Value out;
  std::visit(
      [&]<class T>(const T& x) {
        if constexpr (std::is_copy_constructible_v<T> && !std::is_same_v<T, std::vector<std::unique_ptr<ir::Graph>>>)
          out = x;
      },
      v);
  return out;
}

struct Bound {
  std::vector<int64_t> symbols;
  std::vector<bool> known;
};

/// A symbol for each dimension (the same symbol nowhere twice), remembered with its number.
ir::DimVector symbols_for(ir::Model& m, const Shape& dims, Bound& bound) {
  ir::DimVector out;
  for (int64_t d : dims) {
    Dim s = m.dims().fresh();
    out.push_back(s);
    uint32_t number = *ir::as_symbol(s);
    bound.symbols.resize(m.dims().symbol_count());
    bound.known.resize(m.dims().symbol_count());
    bound.symbols[number] = d;
    bound.known[number] = true;
  }
  return out;
}

Status check_type(const ir::ValueInfo& v, const Tensor& actual, const Bound& bound) {
  auto wrong = [&] { return error(Code::kFail, "inferred ", v.type, " but the output is ", actual.to_string()); };
  if (!v.type.known()) return {};
  if (!v.type.is_tensor()) return wrong();
  if (v.type.dtype != DType::kUndefined && v.type.dtype != actual.dtype()) return wrong();
  if (!v.type.has_shape) return {};
  if (v.type.shape.size() != actual.shape().size()) return wrong();
  for (size_t i = 0; i < v.type.shape.size(); ++i) {
    Dim d = v.type.shape[i];
    bool all_known = d.known();
    ir::visit_symbols(d, [&](uint32_t s) { all_known = all_known && s < bound.known.size() && bound.known[s]; });
    if (!all_known) continue;
    auto n = ir::evaluate(d, bound.symbols);
    if (n && *n != actual.shape()[i]) return wrong();
  }
  if (v.elements) {
    auto numbers = read_ints(actual.ref());
    if (!numbers.ok() || numbers->size() != v.elements->size())
      return error(Code::kFail, "inferred contents ", ir::dims_text(*v.elements), " do not fit the output ",
                   actual.to_string());
    for (size_t i = 0; i < v.elements->size(); ++i) {
      Dim d = (*v.elements)[i];
      bool all_known = d.known();
      ir::visit_symbols(d, [&](uint32_t s) { all_known = all_known && s < bound.known.size() && bound.known[s]; });
      if (!all_known) continue;
      auto n = ir::evaluate(d, bound.symbols);
      if (n && *n != (*numbers)[i])
        return error(Code::kFail, "inferred contents ", ir::dims_text(*v.elements), " but the output holds ",
                     list_text(*numbers));
    }
  }
  return {};
}

/// Upgrades and opens bodies until every node has kernels; the list grows while it is walked.
Status lower(ir::Graph& graph) {
  const Registry& registry = ops::registry();
  int rounds = 0;
  for (auto it = graph.nodes().begin(); it != graph.nodes().end();) {
    if (++rounds > 1000) return error(Code::kFail, "bodies do not come to an end");
    ir::Node& node = *it;
    ir::Node* before = it == graph.nodes().begin() ? nullptr : &*std::prev(it);
    auto again = [&] {
      return before ? std::next(std::find_if(graph.nodes().begin(), graph.nodes().end(),
                                             [&](auto& n) { return &n == before; }))
                    : graph.nodes().begin();
    };
    TENON_TRY(infer_node(node));
    if (node.def->upgrade && node.since < node.def->newest()) {
      Build b(node, registry);
      size_t count = graph.nodes().size();
      ir::Node* self = &node;
      TENON_TRY(node.def->upgrade(node, b));
      bool alive = false;
      for (auto& n : graph.nodes()) alive = alive || &n == self;
      if (alive) {
        self->since = self->def->newest();
        self->opset = self->domain.empty() ? kNewestOpset : self->def->newest();
      }
      if (!alive || graph.nodes().size() != count) {
        it = again();
        continue;
      }
      TENON_TRY(infer_node(node));
    }
    const OpEntry* entry = registry.entry(node.def);
    if (entry && !entry->cpu && entry->body) {
      Build b(node, registry);
      TENON_TRY(entry->body(node, b));
      it = again();
      continue;
    }
    TENON_TRY(check_node(node));
    ++it;
  }
  return {};
}

}  // namespace

std::string_view name(Form form) {
  switch (form) {
    case Form::kVariable: return "variable";
    case Form::kConstant: return "constant";
    case Form::kSymbolic: return "symbolic";
    case Form::kRankless: return "rankless";
  }
  return "";
}

Result<std::vector<Tensor>> run_case(const OpDef& op, const Case& c, const std::vector<Tensor>& inputs,
                                     const std::vector<bool>& wanted, Form form, const Team& team) {
  ir::Model m;
  m.opsets[std::string(op.domain)] = c.opset ? c.opset : kNewestOpset;
  ir::Graph& g = m.main();
  std::map<ir::ValueId, Tensor> at;
  std::vector<ir::ValueId> in, out;
  Bound bound;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& t = inputs[i];
    if (t.empty_handle()) {
      in.push_back(ir::kNoValue);
      continue;
    }
    ir::ValueId v;
    if (form == Form::kConstant || c.in[i].constant) {
      v = m.add_constant(cat("in", i), &g, t);
    } else {
      ir::Type type = ir::Type::tensor(t.dtype());
      if (form == Form::kSymbolic) type = ir::Type::tensor(t.dtype(), symbols_for(m, t.shape(), bound));
      if (form == Form::kVariable) {
        ir::DimVector dims;
        for (int64_t d : t.shape()) dims.push_back(d);
        type = ir::Type::tensor(t.dtype(), std::move(dims));
      }
      v = m.add_value(cat("in", i), &g, std::move(type));
      g.add_input(v);
    }
    at[v] = t;
    in.push_back(v);
  }
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) {
      out.push_back(ir::kNoValue);
      continue;
    }
    out.push_back(m.add_value(cat("out", i), &g));
  }
  ir::Node& node = g.add(std::string(op.name), in, out, std::string(op.domain));
  node.name = "case";
  node.opset = c.opset;
  for (auto& a : c.attributes) node.set(a.name, copy_value(a.value));
  for (ir::ValueId v : out)
    if (v != ir::kNoValue) g.add_output(v);
  TENON_TRY(bind_node(node, ops::registry()));
  TENON_TRY(check_node(node));
  TENON_TRY(lower(g));
  TENON_TRY(ir::verify(m));
  for (ir::Node& n : g.nodes()) {
    std::vector<const Tensor*> operands;
    for (ir::ValueId v : n.inputs()) {
      if (v == ir::kNoValue) {
        operands.push_back(nullptr);
        continue;
      }
      if (const Tensor* t = m.constant(v)) {
        operands.push_back(t);
        continue;
      }
      auto found = at.find(v);
      if (found == at.end()) return error(Code::kFail, "value '", m.value(v).name, "' was not computed");
      operands.push_back(&found->second);
    }
    TENON_ASSIGN(auto results, evaluate_node(n, operands, ops::registry(), team));
    for (size_t i = 0; i < results.size(); ++i) {
      ir::ValueId v = n.outputs()[i];
      if (v == ir::kNoValue) continue;
      TENON_TRY(check_type(m.value(v), results[i], bound));
      at[v] = std::move(results[i]);
    }
  }
  std::vector<Tensor> results(wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    ir::ValueId v =
        g.outputs()[static_cast<size_t>(std::count(wanted.begin(), wanted.begin() + static_cast<int64_t>(i), true))];
    if (const Tensor* t = m.constant(v)) {
      results[i] = *t;
      continue;
    }
    auto found = at.find(v);
    if (found == at.end()) return error(Code::kFail, "output ", i, " was not computed");
    results[i] = found->second;
  }
  return results;
}

}  // namespace tenon::cases
