// FusedMatMul and FusedConv of the peer, opened into plain operators: the engine's own fusions take it from there.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "opdef/cases.h"
#include "opdef/registry.h"
#include "ops/activation.h"
#include "ops/math/matmul.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

/// The order of axes that makes an operand of FusedMatMul a plain one: batch_first undoes transBatch (the row axis
/// stands in front of the batch), then the last two swap.
Dims operand_order(size_t rank, bool trans_batch, bool trans) {
  Dims order;
  for (size_t i = 0; i < rank; ++i) order.push_back(static_cast<int64_t>(i));
  if (rank < 2) return order;
  if (trans_batch)
    for (size_t i = 0; i + 1 < rank; ++i) order[i] = i + 2 < rank ? static_cast<int64_t>(i) + 1 : 0;
  if (trans) std::swap(order[rank - 1], order[rank - 2]);
  return order;
}

Status fused_matmul_shape(InferContext& c) {
  if (!c.has_shape(0) || !c.has_shape(1)) {
    c.set(0, c.dtype(0));
    return {};
  }
  auto ordered = [&](size_t i, std::string_view batch, std::string_view trans) {
    DimVector dims;
    for (int64_t k : operand_order(c.shape(i).size(), c.attr(batch, 0) != 0, c.attr(trans, 0) != 0))
      dims.push_back(c.shape(i)[static_cast<size_t>(k)]);
    return dims;
  };
  TENON_ASSIGN(DimVector dims,
               matmul_dims("FusedMatMul", ordered(0, "transBatchA", "transA"), ordered(1, "transBatchB", "transB")));
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Result<ir::ValueId> ordered_operand(ir::Node& node, Build& b, size_t i, std::string_view batch,
                                    std::string_view trans) {
  bool by_batch = node.int_or(batch, 0) != 0, swap = node.int_or(trans, 0) != 0;
  if (!by_batch && !swap) return node.input(i);
  const ir::Type& t = b.model().value(node.input(i)).type;
  if (!t.has_shape) return error(Code::kNotImplemented, "FusedMatMul: the rank of a transposed operand must be known");
  Dims order = operand_order(t.shape.size(), by_batch, swap);
  ir::Node& n = b.node("Transpose", {node.input(i)});
  n.set("perm", std::vector<int64_t>(order.begin(), order.end()));
  return n.output(0);
}

std::string text_of(const ir::Node& n, std::string_view attribute) { return std::string(n.string_or(attribute, "")); }

}  // namespace

TENON_OP(fused_matmul){
    .name = "FusedMatMul",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("A", kFloats, "T"), port("B", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"alpha", 'f'}, {"transA", 'i'}, {"transB", 'i'}, {"transBatchA", 'i'}, {"transBatchB", 'i'}},
    .shape = fused_matmul_shape,
};
TENON_BODY(fused_matmul)(ir::Node& node, Build& b)->Status {
  TENON_ASSIGN(ir::ValueId x, ordered_operand(node, b, 0, "transBatchA", "transA"));
  TENON_ASSIGN(ir::ValueId w, ordered_operand(node, b, 1, "transBatchB", "transB"));
  float alpha = node.float_or("alpha", 1);
  DType t = b.model().value(node.input(0)).type.dtype;
  ir::ValueId y = b.op("MatMul", {x, w});
  if (alpha != 1) y = b.op("Mul", {y, b.scalar(t, static_cast<double>(alpha))});
  b.replace({y});
  return {};
};
TENON_CASES(fused_matmul) {
  cases.types(TypeSet{DType::kF32, DType::kF64});
  CaseTensor a = values({2, 3}, {1, 2, 3, 4, 5, 6}), b = values({2, 1}, {1, 10});
  cases.add("left transposed")
      .in(a)
      .in(b)
      .attr("transA", 1)
      .attr_f("alpha", 0.5f)
      .out(values({3, 1}, {20.5, 26, 31.5}));
  cases.add("both transposed")
      .in(a)
      .in(values({1, 2}, {1, 10}))
      .attr("transA", 1)
      .attr("transB", 1)
      .out(values({3, 1}, {41, 52, 63}));
  cases.add("batch behind the rows")
      .in(values({2, 1, 2}, {1, 2, 3, 4}))
      .in(values({1, 2, 1}, {1, 10}))
      .attr("transBatchA", 1)
      .out(values({1, 2, 1}, {21, 43}));
}

// FusedConv ----------------------------------------------------------------------------------------------------------
// A Conv, then Z added, then the activation.

TENON_OP(fused_conv){
    .name = "FusedConv",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("X", kFloats, "T"), port("W", kFloats, "T"), optional(port("B", kFloats, "T")),
           optional(port("Z", kFloats, "T"))},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"activation", 's'},
                   {"activation_params", 'F'},
                   {"auto_pad", 's'},
                   {"dilations", 'I'},
                   {"group", 'i'},
                   {"kernel_shape", 'I'},
                   {"pads", 'I'},
                   {"strides", 'I'}},
    .shape = [](InferContext& c) -> Status {
      TENON_TRY(activation_of(c.node()).status());
      c.set(0, c.dtype(0));
      return {};
    },
};
TENON_BODY(fused_conv)(ir::Node& node, Build& b)->Status {
  std::vector<ir::ValueId> in{node.input(0), node.input(1)};
  if (node.input(2) != ir::kNoValue) in.push_back(node.input(2));
  ir::Node& conv = b.node("Conv", std::move(in));
  for (std::string_view name : {"dilations", "kernel_shape", "pads", "strides"})
    if (node.find(name)) conv.set(name, std::vector<int64_t>(node.ints(name).begin(), node.ints(name).end()));
  if (node.find("group")) conv.set("group", node.int_or("group", 1));
  if (node.find("auto_pad")) conv.set("auto_pad", text_of(node, "auto_pad"));
  ir::ValueId y = conv.output(0);
  if (node.input(3) != ir::kNoValue) y = b.op("Add", {y, node.input(3)});
  std::string act = text_of(node, "activation");
  auto* given = node.get<std::vector<float>>("activation_params");
  auto param = [&](size_t i, float fallback) { return given && i < given->size() ? (*given)[i] : fallback; };
  DType t = b.model().value(node.input(0)).type.dtype;
  if (act == "Clip") {
    y = b.op("Clip", {y, b.scalar(t, static_cast<double>(param(0, -3.402823466e38f))),
                      b.scalar(t, static_cast<double>(param(1, 3.402823466e38f)))});
  } else if (!act.empty()) {
    ir::Node& n = b.node(act, {y});
    if (act == "LeakyRelu") n.set("alpha", param(0, 0.01f));
    if (act == "HardSigmoid") {
      n.set("alpha", param(0, 0.2f));
      n.set("beta", param(1, 0.5f));
    }
    if (!n.def) return error(Code::kNotImplemented, "FusedConv: the activation '", act, "' is not known");
    y = n.output(0);
  }
  b.replace({y});
  return {};
};
TENON_CASES(fused_conv) {
  cases.types(TypeSet{DType::kF32});
  cases.add("residual and Relu")
      .in(values({1, 1, 1, 2}, {1, -2}))
      .in(values({1, 1, 1, 1}, {3}))
      .in(values({1}, {1}))
      .in(values({1, 1, 1, 2}, {1, 1}))
      .attr_s("activation", "Relu")
      .out(values({1, 1, 1, 2}, {5, 0}));
}

}  // namespace tenon::ops
