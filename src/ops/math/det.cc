// Det: determinants of a batch of square matrices, by elimination with row exchange.
// SPDX-License-Identifier: MIT
#include <cmath>

#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"

namespace tenon::ops {
namespace {

Status det_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  const DimVector& x = c.shape(0);
  if (x.size() < 2) return invalid("Det: the input ", ir::dims_text(x), " is no matrix");
  Dim rows = x[x.size() - 2], columns = x[x.size() - 1];
  if (rows.is_const() && columns.is_const() && rows.value() != columns.value())
    return invalid("Det: the matrices of ", ir::dims_text(x), " are not square");
  c.set(0, c.dtype(0), DimVector(std::span<const Dim>(x.data(), x.size() - 2)));
  return {};
}

double determinant(double* m, int64_t n) {
  double det = 1;
  for (int64_t k = 0; k < n; ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < n; ++i)
      if (std::fabs(m[i * n + k]) > std::fabs(m[best * n + k])) best = i;
    if (m[best * n + k] == 0) return 0;
    if (best != k) {
      for (int64_t j = k; j < n; ++j) std::swap(m[best * n + j], m[k * n + j]);
      det = -det;
    }
    det *= m[k * n + k];
    for (int64_t i = k + 1; i < n; ++i) {
      double f = m[i * n + k] / m[k * n + k];
      for (int64_t j = k + 1; j < n; ++j) m[i * n + j] -= f * m[k * n + j];
    }
  }
  return det;
}

Status run_det(KernelContext& c) {
  const TensorRef& x = c.in(0);
  const int64_t n = x.dims[x.rank - 1], batch = c.out(0).count;
  // The elimination overwrites its matrix: always on a copy in double.
  TENON_ASSIGN(void* memory, c.scratch(static_cast<size_t>(x.count + batch) * sizeof(double)));
  double *m = static_cast<double*>(memory), *result = m + x.count;
  convert(x.dtype, x.data, DType::kF64, m, x.count, true, c.team());
  c.team().parallel_for_cost(batch, static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n),
                             [&](int64_t begin, int64_t end) {
                               for (int64_t i = begin; i < end; ++i) result[i] = determinant(m + i * n * n, n);
                             });
  convert(DType::kF64, result, c.out(0).dtype, c.out(0).data, batch);
  return {};
}

}  // namespace

TENON_OP(det){
    .name = "Det",
    .since = {11, 22},
    .in = {port("X", kFloats, "T")},
    .out = {port("Y", kFloats, "T")},
    .shape = det_shape,
};
TENON_CPU(det){{{{.name = "elimination", .run = run_det}}}};

TENON_CASES(det) {
  cases.types(kFloats);
  cases.add("one").in(values({2, 2}, {0, 1, 2, 3})).out(values({}, {-2}));
  cases.add("batch").in(values({3, 2, 2}, {1, 2, 3, 4, 1, 2, 2, 1, 1, 3, 3, 1})).out(values({3}, {-2, -3, -8}));
  cases.add("singular").in(values({2, 2}, {1, 2, 2, 4})).out(values({}, {0}));
  cases.add("3 x 3").in(values({3, 3}, {2, 0, 1, 1, 3, 2, 1, 1, 1})).out(values({}, {0}));
  cases.add("no matrices").in(values({0, 2, 2}, {})).out(values({0}, {}));
  cases.add("not square").in(typed(DType::kF32, range({2, 3}, 0, 1))).fails("not square");
}

}  // namespace tenon::ops
