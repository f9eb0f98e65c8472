// matmul_quant: the rule and what it asks of scales and zero points.
// SPDX-License-Identifier: MIT
#include "passes/fuse/matmul_quant.h"

#include "opdef/op.h"

namespace tenon::passes {
namespace {

bool is_single(const ir::Type& t) {
  if (!t.has_shape) return false;
  for (ir::Dim d : t.shape)
    if (!d.is(1)) return false;
  return true;
}

/// The dequantised value's scale is one number, or one for each column of a matrix.
bool scales_columns(const ir::Node& dequantize) {
  const ir::Model& m = dequantize.graph->model();
  const ir::Type &x = m.value(dequantize.input(0)).type, &scale = m.value(dequantize.input(1)).type;
  if (is_single(scale)) return true;
  const int64_t axis = dequantize.int_or("axis", 1);
  return x.has_shape && x.rank() == 2 && scale.has_shape && scale.rank() == 1 && (axis == 1 || axis == -1) &&
         dequantize.int_or("block_size", 0) == 0 && scale.shape[0] == x.shape[1];
}
bool scales_all(const ir::Node& node) { return is_single(node.graph->model().value(node.input(1)).type); }

std::optional<Replacement> become(Match& m) {
  for (const char* v : {"a", "b"})
    if (!opdef::kBytes.has(m.type(v).dtype)) return m.refuse("an operand has no 8-bit integers");
  if (!opdef::kBytes.has(m.result_type().dtype)) return m.refuse("the result has no 8-bit integers");
  for (const char* v : {"as", "bs", "ys"})
    if (m.type(v).dtype != DType::kF32) return m.refuse("a scale is not f32");
  for (const char* v : {"a", "b"})
    if (!m.type(v).has_shape || m.type(v).rank() < 2) return m.refuse("an operand is no matrix");
  return Replacement{"QLinearMatMul", "", {m["a"], m["as"], m["az"], m["b"], m["bs"], m["bz"], m["ys"], m["yz"]}, {}};
}

}  // namespace

std::vector<Rule> quantised_matmul_rules() {
  const Term a = op("DequantizeLinear", {any("a"), any("as"), any("az")}).where(scales_all).shared();
  const Term b = op("DequantizeLinear", {any("b"), any("bs"), any("bz")}).where(scales_columns).shared();
  return {
      {"qlinear-matmul", op("QuantizeLinear", {op("MatMul", {a, b}), any("ys"), any("yz")}).where(scales_all), become}};
}

}  // namespace tenon::passes
