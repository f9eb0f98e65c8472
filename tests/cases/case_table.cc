// The operators of ops.inc with their cases; an operator without a CASES facet shows as a null pointer.
// SPDX-License-Identifier: MIT
#include "case_table.h"

namespace tenon::ops {
#define OP(folder, id, facets)       \
  extern const opdef::OpDef op_##id; \
  [[gnu::weak]] void cases_##id(opdef::Cases&);
#include "ops/ops.inc"
#undef OP
}  // namespace tenon::ops

namespace tenon::cases {

std::span<const CaseOp> case_ops() {
#define OP(folder, id, facets) {#id, &ops::op_##id, &ops::cases_##id},
  static const CaseOp table[] = {
#include "ops/ops.inc"
  };
#undef OP
  return table;
}

}  // namespace tenon::cases
