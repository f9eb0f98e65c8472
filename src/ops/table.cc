// The table of all operators, made from ops.inc.
// SPDX-License-Identifier: MIT
#include "ops/table.h"

namespace tenon::ops {

#define TENON_DECLARE_CPU(id) extern const opdef::KernelList cpu_##id;
#define TENON_DECLARE_BODY(id) extern const opdef::Body body_##id;
#define TENON_DECLARE_CPU_BODY(id) TENON_DECLARE_CPU(id) TENON_DECLARE_BODY(id)
#define TENON_DECLARE_CONTROL(id)
#define OP(folder, id, facets)       \
  extern const opdef::OpDef op_##id; \
  TENON_DECLARE_##facets(id)
#include "ops/ops.inc"
#undef OP

const opdef::Registry& registry() {
#define TENON_ENTRY_CPU(id) &cpu_##id, nullptr
#define TENON_ENTRY_BODY(id) nullptr, body_##id
#define TENON_ENTRY_CPU_BODY(id) &cpu_##id, body_##id
#define TENON_ENTRY_CONTROL(id) nullptr, nullptr
#define OP(folder, id, facets) {&op_##id, TENON_ENTRY_##facets(id)},
  static const opdef::OpEntry entries[] = {
#include "ops/ops.inc"
  };
#undef OP
  static const opdef::Registry table(entries);
  return table;
}

}  // namespace tenon::ops
