// A micro-op program as attributes of a node: what com.tenon Pointwise carries.
// SPDX-License-Identifier: MIT
#pragma once
#include "base/status.h"
#include "ir/graph.h"
#include "kernels/elementwise/program.h"

namespace tenon::opdef {

/// Attributes: functions (names of functions.inc), operands (three registers each), types (result type numbers, 0 where
/// the function tells), immediates (bits of two doubles each), result (the register that leaves).
void store_program(ir::Node& node, const Program& program);
/// Fails on attributes that are no program over as many inputs as the node has.
Result<Program> load_program(const ir::Node& node);

}  // namespace tenon::opdef
