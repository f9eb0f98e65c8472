// MatMul: numpy's matrix product; and its fused form with bias, residual and activation.
// SPDX-License-Identifier: MIT
#include "ops/math/matmul.h"

#include <algorithm>

#include "kernels/move/select.h"
#include "ops/activation.h"
#include "ops/convert.h"
#include "ops/math/whole_matmul.h"

namespace tenon::ops {

Result<DimVector> matmul_dims(std::string_view op, std::span<const Dim> a, std::span<const Dim> b, bool trans_a,
                              bool trans_b) {
  if (a.empty() || b.empty())
    return invalid(op, ": operands are ", ir::dims_text(a), " and ", ir::dims_text(b), "; a scalar has no product");
  bool a_row = a.size() == 1, b_column = b.size() == 1;
  Dim m = a_row ? Dim(1) : a[a.size() - (trans_a ? 1 : 2)];
  Dim ka = a_row ? a[0] : a[a.size() - (trans_a ? 2 : 1)];
  Dim kb = b_column ? b[0] : b[b.size() - (trans_b ? 1 : 2)];
  Dim n = b_column ? Dim(1) : b[b.size() - (trans_b ? 2 : 1)];
  if (ka.is_const() && kb.is_const() && ka.value() != kb.value())
    return invalid(op, ": the inner dimensions ", ka, " and ", kb, " of ", ir::dims_text(a), " and ", ir::dims_text(b),
                   " differ");
  std::span<const Dim> none;
  TENON_ASSIGN(DimVector out,
               broadcast_dims(a_row ? none : a.subspan(0, a.size() - 2), b_column ? none : b.subspan(0, b.size() - 2)));
  if (!a_row) out.push_back(m);
  if (!b_column) out.push_back(n);
  return out;
}

Status matmul_shape(InferContext& c) {
  if (!c.has_shape(0) || !c.has_shape(1)) {
    c.set(0, c.dtype(0));
    return {};
  }
  TENON_ASSIGN(DimVector dims, matmul_dims(c.node().op, c.shape(0), c.shape(1)));
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

Result<MatMulSizes> MatMulSizes::of(std::span<const int64_t> a, std::span<const int64_t> b, bool trans_a,
                                    bool trans_b) {
  MatMulSizes s;
  if (a.empty() || b.empty()) return invalid("a scalar has no matrix product");
  bool row = a.size() == 1, column = b.size() == 1;
  s.m = row ? 1 : a[a.size() - (trans_a ? 1 : 2)];
  s.k = row ? a[0] : a[a.size() - (trans_a ? 2 : 1)];
  s.n = column ? 1 : b[b.size() - (trans_b ? 2 : 1)];
  int64_t kb = column ? b[0] : b[b.size() - (trans_b ? 1 : 2)];
  if (kb != s.k) return invalid("the inner dimensions ", s.k, " and ", kb, " differ");
  s.batch_a = row ? Dims() : Dims(a.subspan(0, a.size() - 2));
  s.batch_b = column ? Dims() : Dims(b.subspan(0, b.size() - 2));
  TENON_ASSIGN(s.batch, broadcast(s.batch_a, s.batch_b));
  return s;
}

Status broadcast_index(std::span<const int64_t> dims, std::span<const int64_t> batch, int64_t factor, int64_t* list) {
  TENON_ASSIGN(Dims strides, kernels::broadcast_strides(dims, batch));
  Dims at(batch.size(), 0);
  int64_t n = product(batch), index = 0;
  for (int64_t i = 0; i < n; ++i) {
    list[i] = index * factor;
    for (size_t d = batch.size(); d-- > 0;) {
      index += strides[d];
      if (++at[d] < batch[d]) break;
      index -= strides[d] * batch[d];
      at[d] = 0;
    }
  }
  return {};
}

namespace {

struct MatMulState final : KernelState {
  MatMulForm form;
  Dims b_dims;  ///< of a packed constant
  kernels::PackedB<float> packed_f32;
  kernels::PackedB<double> packed_f64;
  template <class T>
  kernels::PackedB<T>& packed() {
    if constexpr (std::is_same_v<T, float>) return packed_f32;
    else return packed_f64;
  }
  template <class T>
  const kernels::PackedB<T>& packed() const {
    return const_cast<MatMulState*>(this)->packed<T>();
  }
};

template <class T>
Status pack_b_constant(PackContext& c, MatMulState& state) {
  const Tensor* b = c.constant(1);
  std::span<const int64_t> dims = b->shape();
  if (dims.empty() || b->count() == 0) return {};
  bool column = dims.size() == 1, trans = state.form.trans_b && !column;
  int64_t rows = dims[dims.size() - (column ? 1 : 2)], columns = column ? 1 : dims[dims.size() - 1];
  int64_t k = trans ? columns : rows, n = trans ? rows : columns;
  std::vector<T> copy;
  const T* data = b->as<T>();
  if (b->dtype() != dtype_of<T>) {
    copy = constant_as<T>(b);
    data = copy.data();
  }
  TENON_ASSIGN(state.packed<T>(), kernels::pack_b(data, columns, trans, k, n, c.team(), b->count() / (k * n), k * n));
  state.b_dims = b->shape();
  c.release(1);
  return {};
}

template <class T>
Status run_float(KernelContext& c, const MatMulState& state) {
  const MatMulForm& form = state.form;
  const bool packed = state.packed<T>().data != nullptr;
  std::span<const int64_t> b_dims = packed ? std::span<const int64_t>(state.b_dims) : c.in(1).shape();
  TENON_ASSIGN(MatMulSizes s, MatMulSizes::of(c.in(0).shape(), b_dims, form.trans_a, form.trans_b));
  if (c.out(0).count == 0) return {};
  kernels::Gemm<T> g;
  TENON_ASSIGN(g.a, input_as<T>(c, 0));
  if (packed) g.packed = &state.packed<T>();
  else { TENON_ASSIGN(g.b, input_as<T>(c, 1)); }
  TENON_ASSIGN(auto out, OutputAs<T>::of(c, 0));
  g.c = out.data();
  g.trans_a = form.trans_a && c.in(0).rank > 1;
  g.trans_b = form.trans_b && b_dims.size() > 1;
  g.alpha = static_cast<T>(form.alpha);
  g.act = form.act;
  g.m = s.m;
  g.n = s.n;
  g.k = s.k;
  g.lda = g.trans_a ? s.m : s.k;
  g.ldb = g.trans_b ? s.k : s.n;
  g.ldc = g.residual_ld = s.n;
  if (form.bias >= 0) {
    TENON_ASSIGN(g.bias_col, input_as<T>(c, static_cast<size_t>(form.bias)));
    if (g.bias_col && c.in(static_cast<size_t>(form.bias)).count != s.n)
      return invalid("the bias has ", c.in(static_cast<size_t>(form.bias)).count, " values for ", s.n, " columns");
  }
  if (form.residual >= 0) {
    TENON_ASSIGN(g.residual, input_as<T>(c, static_cast<size_t>(form.residual)));
    if (g.residual && c.in(static_cast<size_t>(form.residual)).count != c.out(0).count)
      return invalid("the residual ", c.in(static_cast<size_t>(form.residual)), " does not have the output's shape");
  }
  int64_t batch = product(s.batch), of_a = product(s.batch_a), of_b = product(s.batch_b);
  if (of_b == 1 && !g.trans_a && of_a == batch) {
    g.m *= batch;  // one matrix on the right: the batch is more rows
  } else {
    g.batch = batch;
    g.stride_c = g.stride_residual = s.m * s.n;
    g.stride_a = s.m * s.k;
    g.stride_b = s.k * s.n;
    if (of_a != batch) {
      TENON_ASSIGN(void* list, c.scratch(static_cast<size_t>(batch) * sizeof(int64_t)));
      g.offsets_a = static_cast<int64_t*>(list);
      TENON_TRY(broadcast_index(s.batch_a, s.batch, s.m * s.k, static_cast<int64_t*>(list)));
    }
    if (of_b != batch) {
      TENON_ASSIGN(void* list, c.scratch(static_cast<size_t>(batch) * sizeof(int64_t)));
      g.offsets_b = static_cast<int64_t*>(list);
      TENON_TRY(broadcast_index(s.batch_b, s.batch, packed ? 1 : s.k * s.n, static_cast<int64_t*>(list)));
    }
  }
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_scratch_bytes(g, c.team().width()))));
  kernels::gemm(g, c.team(), scratch);
  out.finish();
  return {};
}

bool can_float(const KernelQuery& q) { return kFloats.has(q.in_type(0)); }
Result<StatePtr> pack_plain(PackContext& c) { return pack_matmul(c, {}); }

template <class T>
Status run_whole(KernelContext& c) {
  TENON_ASSIGN(MatMulSizes s, MatMulSizes::of(c.in(0).shape(), c.in(1).shape(), false, false));
  int64_t batch = product(s.batch);
  if (c.out(0).count == 0) return {};
  TENON_ASSIGN(void* lists, c.scratch(2 * static_cast<size_t>(batch) * sizeof(int64_t)));
  int64_t *at_a = static_cast<int64_t*>(lists), *at_b = at_a + batch;
  TENON_TRY(broadcast_index(s.batch_a, s.batch, s.m * s.k, at_a));
  TENON_TRY(broadcast_index(s.batch_b, s.batch, s.k * s.n, at_b));
  for (int64_t i = 0; i < batch; ++i)
    whole_matmul(c.in(0).as<T>() + at_a[i], c.in(1).as<T>() + at_b[i], c.out(0).as<T>() + i * s.m * s.n, s.m, s.n, s.k,
                 false, false, c.team());
  return {};
}
Status run_integers(KernelContext& c) {
  return byte_width(c.in(0).dtype) == 4 ? run_whole<uint32_t>(c) : run_whole<uint64_t>(c);
}

Status fused_shape(InferContext& c) {
  TENON_TRY(activation_of(c.node()).status());
  return matmul_shape(c);
}
Result<StatePtr> pack_fused(PackContext& c) {
  MatMulForm form{.bias = 2, .residual = 3};
  TENON_ASSIGN(form.act, activation_of(c.node()));
  return pack_matmul(c, form);
}

constexpr TypeSet kMatMulTypes = kFloats | TypeSet(DType::kI32, DType::kI64, DType::kU32, DType::kU64);

}  // namespace

Result<StatePtr> pack_matmul(PackContext& c, const MatMulForm& form) {
  auto state = std::make_unique<MatMulState>();
  state->form = form;
  if (c.constant(1))
    TENON_TRY(c.in_type(1) == DType::kF64 ? pack_b_constant<double>(c, *state) : pack_b_constant<float>(c, *state));
  return StatePtr(std::move(state));
}

Status run_matmul(KernelContext& c) {
  const auto& state = c.state<MatMulState>();
  return c.in(0).dtype == DType::kF64 ? run_float<double>(c, state) : run_float<float>(c, state);
}

CaseTensor matmul_reference(const CaseTensor& a, const CaseTensor& b) {
  MatMulSizes s = MatMulSizes::of(a.dims, b.dims, false, false).value();
  CaseTensor out;
  out.dims = s.batch;
  if (a.dims.size() > 1) out.dims.push_back(s.m);
  if (b.dims.size() > 1) out.dims.push_back(s.n);
  int64_t batch = product(s.batch);
  std::vector<int64_t> at_a(static_cast<size_t>(batch)), at_b(static_cast<size_t>(batch));
  (void)broadcast_index(s.batch_a, s.batch, s.m * s.k, at_a.data()).ok();
  (void)broadcast_index(s.batch_b, s.batch, s.k * s.n, at_b.data()).ok();
  for (size_t i = 0; i < at_a.size(); ++i)
    for (int64_t r = 0; r < s.m; ++r)
      for (int64_t j = 0; j < s.n; ++j) {
        double sum = 0;
        for (int64_t p = 0; p < s.k; ++p)
          sum +=
              a.data[static_cast<size_t>(at_a[i] + r * s.k + p)] * b.data[static_cast<size_t>(at_b[i] + p * s.n + j)];
        out.data.push_back(sum);
      }
  return out;
}

TENON_OP(matmul){
    .name = "MatMul",
    .since = {1, 9, 13},
    .in = {port("A", kMatMulTypes, "T"), port("B", kMatMulTypes, "T")},
    .out = {port("Y", kMatMulTypes, "T")},
    .shape = matmul_shape,
};
TENON_CPU(matmul){{
    {.name = "gemm", .can = can_float, .pack = pack_plain, .run = run_matmul, .lazy = true},
    {.name = "integers", .run = run_integers},
}};

TENON_CASES(matmul) {
  cases.types(kMatMulTypes);
  cases.reference([](const Case&, const std::vector<CaseTensor>& in) {
    return std::vector<CaseTensor>{matmul_reference(in[0], in[1])};
  });
  cases.add("two matrices").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5));
  cases.add("vector and matrix").in(range({4}, -3, 4)).in(range({4, 5}, -2, 5));
  cases.add("matrix and vector").in(range({3, 4}, -3, 4)).in(range({4}, -2, 5));
  cases.add("two vectors").in(range({4}, -3, 4)).in(range({4}, -2, 5));
  cases.add("batch").in(range({2, 3, 4}, -3, 4)).in(range({2, 4, 5}, -2, 5));
  cases.add("batch times one matrix").in(range({2, 2, 3, 4}, -3, 4)).in(range({4, 5}, -2, 5));
  cases.add("one matrix times batch").in(range({3, 4}, -3, 4)).in(range({2, 3, 4, 5}, -2, 5));
  cases.add("both batches broadcast").in(range({2, 1, 3, 4}, -3, 4)).in(range({3, 4, 2}, -2, 5));
  cases.add("vector times batch").in(range({4}, -3, 4)).in(range({2, 4, 5}, -2, 5));
  cases.add("no rows").in(range({0, 4}, -3, 4)).in(range({4, 5}, -2, 5));
  cases.add("no inner").in(range({3, 0}, -3, 4)).in(range({0, 5}, -2, 5));
  cases.add("large").in(range({37, 65}, -1, 1)).in(range({65, 70}, -1, 1));
  cases.add("oldest").in(range({3, 4}, -3, 4)).in(range({4, 5}, -2, 5)).opset(1);
  cases.add("inner differ")
      .in(typed(DType::kF32, range({3, 4}, -3, 4)))
      .in(typed(DType::kF32, range({5, 4}, -2, 5)))
      .fails("differ");
  cases.add("scalar")
      .in(typed(DType::kF32, range({}, -3, 4)))
      .in(typed(DType::kF32, range({5, 4}, -2, 5)))
      .fails("scalar");
}

TENON_OP(fused_matmul_bias){
    .name = "FusedMatMulBias",
    .domain = "com.tenon",
    .since = {1},
    .in = {port("A", kFloats, "T"), port("B", kFloats, "T"), optional(port("bias", kFloats, "T")),
           optional(port("residual", kFloats, "T"))},
    .out = {port("Y", kFloats, "T")},
    .attributes = {{"activation", 's'}, {"activation_params", 'F'}},
    .shape = fused_shape,
};
TENON_CPU(fused_matmul_bias){{{.name = "gemm", .can = can_float, .pack = pack_fused, .run = run_matmul, .lazy = true}}};

TENON_CASES(fused_matmul_bias) {
  cases.types(kFloats);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor out = matmul_reference(in[0], in[1]);
    size_t n = static_cast<size_t>(in[1].dims.back());
    for (size_t i = 0; i < out.data.size(); ++i) {
      double& y = out.data[i];
      if (in.size() > 2 && !in[2].missing) y += in[2].data[i % n];
      if (in.size() > 3) y += in[3].data[i];
      if (c.attr_s("activation", "") == "Relu") y = std::max(0.0, y);
      if (c.attr_s("activation", "") == "Clip") y = std::min(2.0, std::max(-1.0, y));
    }
    return std::vector<CaseTensor>{out};
  });
  cases.add("bias").in(range({2, 3, 4}, -1, 1)).in(range({4, 5}, -1, 1)).in(range({5}, -3, 3));
  cases.add("bias and relu")
      .in(range({3, 4}, -1, 1))
      .in(range({4, 5}, -1, 1))
      .in(range({5}, -3, 3))
      .attr_s("activation", "Relu");
  cases.add("residual and clip")
      .in(range({3, 4}, -1, 1))
      .in(range({4, 5}, -1, 1))
      .in(missing())
      .in(range({3, 5}, -3, 3))
      .attr_s("activation", "Clip")
      .attr_floats("activation_params", {-1, 2});
  cases.add("unknown activation")
      .in(typed(DType::kF32, range({3, 4}, -1, 1)))
      .in(typed(DType::kF32, range({4, 5}, -1, 1)))
      .attr_s("activation", "Snake")
      .fails("'Snake' is not known");
}

}  // namespace tenon::ops
