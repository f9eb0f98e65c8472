// FusedMatMul and FusedConv of the peer; the second is opened into plain operators for the engine's own fusions.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "kernels/move/transpose.h"
#include "opdef/cases.h"
#include "opdef/registry.h"
#include "ops/activation.h"
#include "ops/convert.h"
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

bool trans_batch(const ir::Node& n) { return n.int_or("transBatchA", 0) != 0 || n.int_or("transBatchB", 0) != 0; }
bool can_product(const KernelQuery& q) { return !trans_batch(q.node()); }
Result<StatePtr> pack_product(PackContext& c) {
  const ir::Node& n = c.node();
  MatMulForm form;
  form.trans_a = n.int_or("transA", 0) != 0;
  form.trans_b = n.int_or("transB", 0) != 0;
  form.alpha = static_cast<double>(n.float_or("alpha", 1));
  return pack_matmul(c, form);
}

/// Operand i as T in plain order, copied where its axes are not.
template <class T>
Result<const T*> ordered_operand(KernelContext& c, size_t i, std::string_view batch, std::string_view trans,
                                 Dims& dims) {
  TENON_ASSIGN(const T* from, input_as<T>(c, i));
  std::span<const int64_t> shape = c.in(i).shape();
  Dims order = operand_order(shape.size(), c.node().int_or(batch, 0) != 0, c.node().int_or(trans, 0) != 0);
  for (int64_t k : order) dims.push_back(shape[static_cast<size_t>(k)]);
  if (kernels::transpose_is_copy(shape, order)) return from;
  TENON_ASSIGN(void* to, c.scratch(static_cast<size_t>(c.in(i).count) * sizeof(T)));
  kernels::transpose(to, from, shape, order, sizeof(T), c.team());
  return static_cast<const T*>(to);
}

/// Products whose batch stands behind the rows.
Status run_reordered(KernelContext& c) {
  return with_float(c.out(0).dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    Dims a_dims, b_dims;
    kernels::Gemm<T> g;
    TENON_ASSIGN(g.a, ordered_operand<T>(c, 0, "transBatchA", "transA", a_dims));
    TENON_ASSIGN(g.b, ordered_operand<T>(c, 1, "transBatchB", "transB", b_dims));
    TENON_ASSIGN(MatMulSizes s, MatMulSizes::of(a_dims, b_dims));
    TENON_ASSIGN(auto to, OutputAs<T>::of(c, 0));
    if (c.out(0).count == 0) return {};
    g.m = s.m, g.n = s.n, g.k = s.k;
    g.lda = s.k, g.ldb = s.n, g.ldc = s.n;
    g.c = to.data();
    g.alpha = static_cast<T>(c.node().float_or("alpha", 1));
    g.batch = product(s.batch);
    g.stride_c = s.m * s.n;
    TENON_ASSIGN(void* lists, c.scratch(static_cast<size_t>(2 * g.batch) * sizeof(int64_t)));
    int64_t* offsets = static_cast<int64_t*>(lists);
    TENON_TRY(broadcast_index(s.batch_a, s.batch, s.m * s.k, offsets));
    TENON_TRY(broadcast_index(s.batch_b, s.batch, s.k * s.n, offsets + g.batch));
    g.offsets_a = offsets;
    g.offsets_b = offsets + g.batch;
    TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_scratch_bytes(g, c.team().width()))));
    kernels::gemm(g, c.team(), scratch);
    to.finish();
    return {};
  });
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
TENON_CPU(fused_matmul){{{{.name = "gemm", .can = can_product, .pack = pack_product, .run = run_matmul, .lazy = true},
                          {.name = "reordered", .run = run_reordered}}}};
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
