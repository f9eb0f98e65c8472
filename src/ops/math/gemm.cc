// Gemm: alpha A B + beta C on matrices, A and B transposed where the attributes say so; and its fused form.
// SPDX-License-Identifier: MIT
#include "kernels/gemm/gemm.h"

#include <algorithm>
#include <cmath>

#include "kernels/move/copy.h"
#include "opdef/build.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/activation.h"
#include "ops/convert.h"
#include "ops/math/whole_matmul.h"

namespace tenon::ops {
namespace {

Status gemm_shape(InferContext& c) {
  TENON_TRY(activation_of(c.node()).status());
  if (!c.has_shape(0) || !c.has_shape(1)) {
    c.set(0, c.dtype(0), {Dim::unknown(), Dim::unknown()});
    return {};
  }
  if (c.rank(0) != 2 || c.rank(1) != 2)
    return invalid("Gemm: A has rank ", c.rank(0), " and B rank ", c.rank(1), "; both must be matrices");
  size_t ta = c.attr("transA", 0) != 0, tb = c.attr("transB", 0) != 0;
  Dim m = c.shape(0)[ta], ka = c.shape(0)[1 - ta], kb = c.shape(1)[tb], n = c.shape(1)[1 - tb];
  if (ka.is_const() && kb.is_const() && ka.value() != kb.value())
    return invalid("Gemm: the inner dimensions ", ka, " and ", kb, " of A and B differ");
  DimVector out{m, n};
  if (c.has_shape(2)) {
    const DimVector& bias = c.shape(2);
    if (bias.size() > 2) return invalid("Gemm: C has rank ", bias.size(), "; it must broadcast to a matrix");
    for (size_t i = 0; i < bias.size(); ++i) {
      Dim have = bias[bias.size() - 1 - i], want = out[1 - i];
      if (have.is_const() && want.is_const() && have.value() != 1 && have.value() != want.value())
        return invalid("Gemm: C ", ir::dims_text(bias), " does not broadcast to ", ir::dims_text(out));
    }
  }
  c.set(0, c.dtype(0), std::move(out));
  return {};
}

/// Before version 7 broadcasting of C had to be asked for; now it always holds.
Status gemm_upgrade(ir::Node& node, Build&) {
  node.erase("broadcast");
  return {};
}

struct GemmState final : KernelState {
  bool trans_a = false, trans_b = false;
  float alpha = 1, beta = 1;
  kernels::Activation act;
  int64_t n = 0, k = 0;  ///< of a packed B
  kernels::PackedB<float> packed_f32;
  kernels::PackedB<double> packed_f64;
  template <class T>
  kernels::PackedB<T>& packed() {
    if constexpr (std::is_same_v<T, float>) return packed_f32;
    else return packed_f64;
  }
  template <class T>
  const kernels::PackedB<T>& packed() const {
    return const_cast<GemmState*>(this)->packed<T>();
  }
};

template <class T>
Status pack_constant(PackContext& c, GemmState& s) {
  const Tensor* b = c.constant(1);
  if (b->shape().size() != 2 || b->count() == 0) return {};
  int64_t rows = b->shape()[0], columns = b->shape()[1];
  s.k = s.trans_b ? columns : rows;
  s.n = s.trans_b ? rows : columns;
  std::vector<T> copy;
  const T* data = b->as<T>();
  if (b->dtype() != dtype_of<T>) {
    copy = constant_as<T>(b);
    data = copy.data();
  }
  TENON_ASSIGN(s.packed<T>(), kernels::pack_b(data, columns, s.trans_b, s.k, s.n, c.team()));
  c.release(1);
  return {};
}

Result<StatePtr> pack_gemm(PackContext& c) {
  auto s = std::make_unique<GemmState>();
  s->trans_a = c.node().int_or("transA", 0) != 0;
  s->trans_b = c.node().int_or("transB", 0) != 0;
  s->alpha = c.node().float_or("alpha", 1);
  s->beta = c.node().float_or("beta", 1);
  TENON_ASSIGN(s->act, activation_of(c.node()));
  if (c.constant(1) && kFloats.has(c.in_type(1)))
    TENON_TRY(c.in_type(1) == DType::kF64 ? pack_constant<double>(c, *s) : pack_constant<float>(c, *s));
  return StatePtr(std::move(s));
}

/// Adds beta C to the product: as a tail of the kernel where its shape allows, else by filling the output first.
template <class T>
Status attach_bias(KernelContext& c, const GemmState& s, kernels::Gemm<T>& g) {
  if (!c.has(2) || s.beta == 0) return {};
  const TensorRef& t = c.in(2);
  TENON_ASSIGN(const T* bias, input_as<T>(c, 2));
  int64_t columns = t.rank ? t.dims[t.rank - 1] : 1, rows = t.rank == 2 ? t.dims[0] : 1;
  bool per_column = rows == 1 && columns == g.n, per_row = !per_column && columns == 1 && rows == g.m;
  if (per_column || per_row) {
    if (s.beta != 1) {
      TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(t.count) * sizeof(T)));
      T* scaled = static_cast<T*>(p);
      for (int64_t i = 0; i < t.count; ++i) scaled[i] = static_cast<T>(s.beta) * bias[i];
      bias = scaled;
    }
    (per_column ? g.bias_col : g.bias_row) = bias;
    return {};
  }
  if (rows == g.m && columns == g.n && s.beta == 1) {
    g.residual = bias;
    g.residual_ld = g.n;
    return {};
  }
  Dims dims{g.m, g.n};
  TENON_TRY(kernels::expand(g.c, dims, bias, t.shape(), static_cast<int>(sizeof(T)), c.team()));
  g.beta = static_cast<T>(s.beta);
  return {};
}

template <class T>
Status run_typed(KernelContext& c, const GemmState& s) {
  const bool packed = s.packed<T>().data != nullptr;
  kernels::Gemm<T> g;
  const TensorRef& a = c.in(0);
  g.trans_a = s.trans_a;
  g.trans_b = s.trans_b;
  g.m = a.dims[s.trans_a ? 1 : 0];
  g.k = a.dims[s.trans_a ? 0 : 1];
  g.n = c.out(0).dims[1];
  if (packed ? s.k != g.k || s.n != g.n : c.in(1).dims[s.trans_b ? 1 : 0] != g.k)
    return invalid("Gemm: A ", a, " does not fit B");
  if (c.out(0).count == 0) return {};
  TENON_ASSIGN(g.a, input_as<T>(c, 0));
  if (packed) g.packed = &s.packed<T>();
  else { TENON_ASSIGN(g.b, input_as<T>(c, 1)); }
  TENON_ASSIGN(auto out, OutputAs<T>::of(c, 0));
  g.c = out.data();
  g.lda = s.trans_a ? g.m : g.k;
  g.ldb = s.trans_b ? g.k : g.n;
  g.ldc = g.n;
  g.alpha = static_cast<T>(s.alpha);
  g.act = s.act;
  TENON_TRY(attach_bias(c, s, g));
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_scratch_bytes(g, c.team().width()))));
  kernels::gemm(g, c.team(), scratch);
  out.finish();
  return {};
}
Status run_gemm(KernelContext& c) {
  const auto& s = c.state<GemmState>();
  return c.in(0).dtype == DType::kF64 ? run_typed<double>(c, s) : run_typed<float>(c, s);
}

/// T is the signed type; products wrap. Factors other than whole ones are applied in double and truncated.
template <class T>
Status run_whole(KernelContext& c, const GemmState& s) {
  using U = std::make_unsigned_t<T>;
  const TensorRef& out = c.out(0);
  if (out.count == 0) return {};
  int64_t m = out.dims[0], n = out.dims[1], k = c.in(0).dims[s.trans_a ? 0 : 1];
  U* y = out.as<U>();
  whole_matmul(c.in(0).as<U>(), c.in(1).as<U>(), y, m, n, k, s.trans_a, s.trans_b, c.team());
  auto scale = [](float factor, U v) {
    if (factor == std::trunc(factor) && std::fabs(factor) < 9e15f)
      return static_cast<U>(static_cast<U>(static_cast<int64_t>(factor)) * v);
    double product = static_cast<double>(factor) * static_cast<double>(static_cast<T>(v));
    return std::fabs(product) < 9.2e18 ? static_cast<U>(static_cast<int64_t>(product)) : U{0};
  };
  if (s.alpha != 1)
    for (int64_t i = 0; i < out.count; ++i) y[i] = scale(s.alpha, y[i]);
  if (!c.has(2) || s.beta == 0) return {};
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(out.count) * sizeof(U)));
  TENON_TRY(kernels::expand(p, out.shape(), c.in(2).data, c.in(2).shape(), static_cast<int>(sizeof(U)), c.team()));
  const U* bias = static_cast<const U*>(p);
  for (int64_t i = 0; i < out.count; ++i) y[i] += scale(s.beta, bias[i]);
  return {};
}
Status run_integers(KernelContext& c) {
  const auto& s = c.state<GemmState>();
  return byte_width(c.in(0).dtype) == 4 ? run_whole<int32_t>(c, s) : run_whole<int64_t>(c, s);
}

bool can_float(const KernelQuery& q) { return kFloats.has(q.in_type(0)); }

constexpr TypeSet kGemmTypes = kFloats | TypeSet(DType::kI32, DType::kI64, DType::kU32, DType::kU64);

std::vector<CaseTensor> gemm_reference(const Case& c, const std::vector<CaseTensor>& in) {
  size_t ta = c.attr("transA", 0) != 0, tb = c.attr("transB", 0) != 0;
  int64_t m = in[0].dims[ta], k = in[0].dims[1 - ta], n = in[1].dims[1 - tb];
  CaseTensor out;
  out.dims = {m, n};
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0;
      for (int64_t p = 0; p < k; ++p)
        sum += in[0].data[static_cast<size_t>(ta ? p * m + i : i * k + p)] *
               in[1].data[static_cast<size_t>(tb ? j * k + p : p * n + j)];
      sum *= c.attr_f("alpha", 1);
      if (in.size() > 2) {
        const CaseTensor& b = in[2];
        int64_t columns = b.dims.empty() ? 1 : b.dims.back(), rows = b.dims.size() == 2 ? b.dims[0] : 1;
        sum +=
            c.attr_f("beta", 1) * b.data[static_cast<size_t>((rows == 1 ? 0 : i) * columns + (columns == 1 ? 0 : j))];
      }
      if (c.attr_s("activation", "") == "Relu") sum = std::max(sum, 0.0);
      out.data.push_back(sum);
    }
  return {out};
}

}  // namespace

TENON_OP(gemm){
    .name = "Gemm",
    .since = {1, 6, 7, 9, 11, 13},
    .in = {port("A", kGemmTypes, "T"), port("B", kGemmTypes, "T"), optional(port("C", kGemmTypes, "T"))},
    .out = {port("Y", kGemmTypes, "T")},
    .attributes = {{"alpha", 'f'}, {"beta", 'f'}, {"transA", 'i'}, {"transB", 'i'}},
    .shape = gemm_shape,
    .upgrade = gemm_upgrade,
};
TENON_CPU(gemm){{
    {.name = "gemm", .can = can_float, .pack = pack_gemm, .run = run_gemm, .lazy = true},
    {.name = "integers", .pack = pack_gemm, .run = run_integers},
}};

TENON_CASES(gemm) {
  cases.types(kGemmTypes);
  cases.reference(gemm_reference);
  cases.add("no C").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5));
  cases.add("row").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5)).in(range({5}, -9, 9));
  cases.add("column").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5)).in(range({3, 1}, -9, 9));
  cases.add("scalar").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5)).in(range({}, 7, 9));
  cases.add("one").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5)).in(range({1, 1}, 7, 9)).attr_f("beta", 2);
  cases.add("matrix").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5)).in(range({3, 5}, -9, 9));
  cases.add("matrix and factors")
      .in(range({3, 4}, -3, 4))
      .in(range({4, 5}, -2, 5))
      .in(range({3, 5}, -9, 9))
      .attr_f("alpha", 2)
      .attr_f("beta", 3);
  cases.add("row and factors")
      .in(range({3, 4}, -3, 4))
      .in(range({4, 5}, -2, 5))
      .in(range({1, 5}, -9, 9))
      .attr_f("alpha", 2)
      .attr_f("beta", 3);
  cases.add("both transposed")
      .in(range({4, 3}, -3, 4))
      .in(range({5, 4}, -2, 5))
      .in(range({5}, -9, 9))
      .attr("transA", 1)
      .attr("transB", 1);
  cases.add("B transposed, large")
      .in(range({33, 70}, -1, 1))
      .in(range({40, 70}, -1, 1))
      .in(range({40}, -1, 1))
      .attr("transB", 1);
  cases.add("no inner").in(range({3, 0}, 0, 1)).in(range({0, 5}, 0, 1)).in(range({5}, -9, 9));
  cases.add("no rows").in(range({0, 3}, 0, 1)).in(range({3, 5}, 0, 1)).in(range({5}, -9, 9));
  cases.add("version 6")
      .in(range({3, 4}, -3, 4))
      .in(range({4, 5}, -2, 5))
      .in(range({5}, -9, 9))
      .attr("broadcast", 1)
      .opset(6);
  cases.add("inner differ")
      .in(typed(DType::kF32, range({3, 4}, 0, 1)))
      .in(typed(DType::kF32, range({5, 4}, 0, 1)))
      .fails("inner dimensions 4 and 5");
  cases.add("rank")
      .in(typed(DType::kF32, range({3, 4, 1}, 0, 1)))
      .in(typed(DType::kF32, range({5, 4}, 0, 1)))
      .fails("matrices");
  cases.add("C too large")
      .in(typed(DType::kF32, range({3, 4}, 0, 1)))
      .in(typed(DType::kF32, range({4, 5}, 0, 1)))
      .in(typed(DType::kF32, range({4}, 0, 1)))
      .fails("does not broadcast");
}

TENON_OP(fused_gemm){
    .name = "FusedGemm",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("A", kFloats, "T"), port("B", kFloats, "T"), optional(port("C", kFloats, "T"))},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"alpha", 'f'},
                   {"beta", 'f'},
                   {"transA", 'i'},
                   {"transB", 'i'},
                   {"activation", 's'},
                   {"activation_params", 'F'}},
    .shape = gemm_shape,
};
TENON_CPU(fused_gemm){{{.name = "gemm", .can = can_float, .pack = pack_gemm, .run = run_gemm, .lazy = true}}};

TENON_CASES(fused_gemm) {
  cases.types(kFloats);
  cases.reference(gemm_reference);
  cases.add("relu")
      .in(range({3, 4}, -3, 4))
      .in(range({4, 5}, -2, 5))
      .in(range({5}, -9, 9))
      .attr_s("activation", "Relu");
  cases.add("relu over a matrix")
      .in(range({3, 4}, -3, 4))
      .in(range({5, 4}, -2, 5))
      .in(range({3, 5}, -9, 9))
      .attr_s("activation", "Relu")
      .attr("transB", 1);
}

}  // namespace tenon::ops
