// What Cast and CastLike share.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;

/// Output 0: the shape of input 0 with another element type; integer contents go along.
Status cast_output(InferContext& c, DType to);
/// A float as the shortest text with that many digits; "NaN", "INF", "-INF".
std::string number_text(double v, int digits);
/// Conversions from or to strings.
Status cast_strings(KernelContext& c, bool saturate);

}  // namespace tenon::ops
