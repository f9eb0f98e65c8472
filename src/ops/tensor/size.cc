// Size: the number of elements as an int64 scalar.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;
namespace {

Status size_shape(InferContext& c) {
  c.set(0, DType::kI64, {});
  if (c.has_shape(0)) c.set_elements(0, {ir::dim_product(c.shape(0))});
  return {};
}

Status run_size(KernelContext& c) {
  *c.out(0).as<int64_t>() = c.in(0).count;
  return {};
}

}  // namespace

TENON_OP(size){
    .name = "Size",
    .since = {1, 13, 19, 21, 23, 24, 25},
    .in = {port("data", kAll)},
    .out = {port("size", kI64Only)},
    .shape = size_shape,
};
TENON_CPU(size){{{{.name = "plain", .run = run_size}}}};

TENON_CASES(size) {
  cases.types(kAll);
  cases.add("matrix").in(values({2, 3}, {0, 1, 1, 0, 1, 0})).out(typed(DType::kI64, values({}, {6})));
  cases.add("scalar").in(values({}, {1})).out(typed(DType::kI64, values({}, {1})));
  cases.add("nothing").in(values({3, 0}, {})).out(typed(DType::kI64, values({}, {0})));
}

}  // namespace tenon::ops
