// NonZero: coordinates of the elements that are not zero, int64 [rank, found].
// SPDX-License-Identifier: MIT
#include "kernels/search/nonzero.h"

#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/bytes.h"

namespace tenon::ops {
namespace {

Status nonzero_shape(InferContext& c) {
  if (!c.has_shape(0)) c.set(0, DType::kI64, {Dim::unknown(), Dim::unknown()});
  else c.set(0, DType::kI64, {Dim(c.rank(0)), Dim::unknown()});
  return {};
}

Status run_nonzero(KernelContext& c) {
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(const void* data, input_bytes(c, 0));
  DType dtype = is_sub_byte(x.dtype) ? DType::kU8 : x.dtype;
  int64_t found = kernels::count_nonzero(data, dtype, x.count, c.team());
  TENON_TRY(c.allocate(0, Dims{x.rank, found}));
  kernels::nonzero(c.out(0).as<int64_t>(), data, dtype, x.shape(), found, c.team());
  return {};
}

}  // namespace

TENON_OP(nonzero){
    .name = "NonZero",
    .since = {9, 13},
    .in = {port("X", kAll)},
    .out = {port("Y", kI64Only)},
    .shape = nonzero_shape,
    .trait = {.kernel_sizes_output = true},
};
TENON_CPU(nonzero){{{{.name = "count and write", .run = run_nonzero}}}};

TENON_CASES(nonzero) {
  cases.types(kNumbers | kBools);
  cases.add("a matrix").in(values({2, 2}, {1, 0, 1, 1})).out(typed(DType::kI64, values({2, 3}, {0, 1, 1, 0, 0, 1})));
  cases.add("none").in(values({3}, {0, 0, 0})).out(typed(DType::kI64, values({1, 0}, {})));
  cases.add("a scalar").in(values({}, {1})).out(typed(DType::kI64, values({0, 1}, {})));
}

}  // namespace tenon::ops
