// Identity: the same value; no work and no copy for tensors.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "opdef/cases.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"
#include "ops/view.h"

namespace tenon::ops {

TENON_OP(identity){
    .name = "Identity",
    .since = {1, 13, 14, 16, 19, 21, 23, 24, 25, 28},
    .in = {any_kind(port("input", kAll, "V"))},
    .out = {any_kind(port("output", kAll, "V"))},
    .shape = identity_shape,
    .trait = view_trait(),
};
TENON_CPU(identity) kView;

TENON_CASES(identity) {
  cases.types(kAll);
  cases.reference([](const Case&, const std::vector<CaseTensor>& in) { return std::vector<CaseTensor>{in[0]}; });
  add_unary_cases(cases, 0, 1);
}

}  // namespace tenon::ops
