// The table of all operators in this build.
// SPDX-License-Identifier: MIT
#pragma once
#include "opdef/registry.h"

namespace tenon::ops {

/// All operators of ops.inc; built on first use, lives as long as the process.
const opdef::Registry& registry();

}  // namespace tenon::ops
