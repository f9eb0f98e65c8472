// The operators of ops.inc with their cases.
// SPDX-License-Identifier: MIT
#pragma once
#include <ostream>
#include <span>
#include <string_view>

#include "opdef/cases.h"

namespace tenon::cases {

struct CaseOp {
  std::string_view id;
  const opdef::OpDef* op = nullptr;
  void (*fill)(opdef::Cases&) = nullptr;  ///< null: the operator states no cases
};
std::span<const CaseOp> case_ops();
/// How GoogleTest shows one.
inline void PrintTo(const CaseOp& op, std::ostream* out) { *out << op.op->name; }

}  // namespace tenon::cases
