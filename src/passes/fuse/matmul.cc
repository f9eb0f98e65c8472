// matmul: rules for transposed operands, and the walk that moves tails into products.
// SPDX-License-Identifier: MIT
#include "passes/fuse/matmul.h"

#include "passes/fuse/tail.h"

namespace tenon::passes {
namespace {

using ir::kNoValue;
using ir::Node;
using ir::ValueId;

/// A Transpose that swaps the last two dimensions and no others.
bool swaps_last_two(const Node& n) {
  const ir::Type& type = n.graph->model().value(n.input(0)).type;
  if (!type.is_tensor() || !type.has_shape || type.rank() < 2) return false;
  auto perm = n.ints("perm");
  if (perm.empty()) return type.rank() == 2;
  const size_t rank = static_cast<size_t>(type.rank());
  for (size_t i = 0; i + 2 < rank; ++i)
    if (perm[i] != static_cast<int64_t>(i)) return false;
  return perm[rank - 2] == static_cast<int64_t>(rank - 1) && perm[rank - 1] == static_cast<int64_t>(rank - 2);
}

constexpr TypeSet kExact{DType::kF32, DType::kF64};  // smaller floats would be rounded once instead of twice

Rule transposed(std::string name, Term product, bool a, bool b) {
  return {std::move(name), std::move(product), [a, b](Match& m) -> std::optional<Replacement> {
            if (!kExact.has(m.result_type().dtype)) return m.refuse("the element type is neither f32 nor f64");
            for (const char* operand : {"a", "b"})
              if (!m.type(operand).has_shape || m.type(operand).rank() < 2) return m.refuse("an operand is no matrix");
            Replacement r{"FusedMatMul", "com.microsoft", {m["a"], m["b"]}, {}};
            if (a) r.attributes.emplace_back("transA", int64_t{1});
            if (b) r.attributes.emplace_back("transB", int64_t{1});
            return r;
          }};
}

/// A vector with one number for each column: [n], or [1, .., n] of no higher rank than the product.
bool is_bias(const ir::Type& bias, const ir::Type& product) {
  if (!bias.is_tensor() || !bias.has_shape || bias.dtype != product.dtype || bias.shape.empty()) return false;
  if (bias.shape.size() > product.shape.size() || !(bias.shape.back() == product.shape.back())) return false;
  for (size_t i = 0; i + 1 < bias.shape.size(); ++i)
    if (!bias.shape[i].is(1)) return false;
  return true;
}

/// MatMul + bias as one node; null when there is none.
Result<Node*> take_bias(ir::Model& m, Node& product, const opdef::Registry& registry) {
  const ir::Type& type = m.value(product.output(0)).type;
  if (!type.is_tensor() || !type.has_shape || !kExact.has(type.dtype) || type.shape.size() < 2) return nullptr;
  for (ValueId v : product.inputs())
    if (!m.value(v).type.has_shape || m.value(v).type.rank() < 2) return nullptr;
  auto list = readers(m, product);
  if (list.size() != 1 || list[0]->op != "Add" || !list[0]->domain.empty()) return nullptr;
  Node& add = *list[0];
  const ValueId y = product.output(0), bias = add.input(0) == y ? add.input(1) : add.input(0);
  if (bias == y || bias == kNoValue || !is_bias(m.value(bias).type, type)) return nullptr;
  if (!same_type(m.value(add.output(0)).type, type)) return nullptr;
  ir::Graph& g = *product.graph;
  const ValueId result = add.output(0);
  std::vector<std::string> origins = ir::origins_of({&product, &add});
  g.set_node_output(add, 0, kNoValue);
  Node& fused = g.add("FusedMatMulBias", {product.input(0), product.input(1), bias}, {result}, "com.tenon", &add);
  fused.name = product.name;
  fused.origins = std::move(origins);
  g.remove(add);
  g.remove(product);
  TENON_TRY(opdef::bind_node(fused, registry));
  return &fused;
}

Result<Node*> gemm_with_tail(ir::Model& m, Node& gemm, const opdef::Registry& registry) {
  if (!kExact.has(m.value(gemm.output(0)).type.dtype)) return nullptr;
  auto list = readers(m, gemm);
  if (list.size() != 1 || !activation_of(m, *list[0])) return nullptr;
  gemm.op = "FusedGemm";
  gemm.domain = "com.tenon";
  gemm.opset = 0;
  TENON_TRY(opdef::bind_node(gemm, registry));
  return &gemm;
}

}  // namespace

std::vector<Rule> matmul_transpose_rules() {
  const Term a = any("a"), b = any("b");
  const Term at = op("Transpose", {a}).where(swaps_last_two), bt = op("Transpose", {b}).where(swaps_last_two);
  return {transposed("matmul-transpose-both", op("MatMul", {at, bt}), true, true),
          transposed("matmul-transpose-right", op("MatMul", {a, bt}), false, true),
          transposed("matmul-transpose-left", op("MatMul", {at, b}), true, false)};
}

Status absorb_matmul_tails(ir::Graph& graph, const opdef::Registry& registry) {
  ir::Model& m = graph.model();
  std::vector<Node*> products;
  for (Node& n : graph.nodes()) {
    for (ir::Graph* g : n.subgraphs()) TENON_TRY(absorb_matmul_tails(*g, registry));
    if (n.domain.empty() && (n.op == "MatMul" || n.op == "Gemm")) products.push_back(&n);
  }
  for (size_t i = products.size(); i-- > 0;) {
    Node* n = products[i];
    const bool gemm = n->op == "Gemm";
    TENON_ASSIGN(Node * fused, gemm ? gemm_with_tail(m, *n, registry) : take_bias(m, *n, registry));
    if (!fused) continue;
    if (!gemm) absorb_sum(m, *fused, 3);
    absorb_activation(m, *fused);
  }
  return {};
}

}  // namespace tenon::passes
