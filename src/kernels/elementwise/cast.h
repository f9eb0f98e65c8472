// Conversion of dense arrays between any two element types but strings.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "kernels/elementwise/pointwise.h"
#include "tensor/dtype.h"
#include "threads/team.h"

namespace tenon {

// Rules (ONNX leaves out-of-range values open; ours are fixed):
//   float to integer   truncates, saturates at the ends of the type, NaN is 0; integers of 4 and 2 bits do not saturate
//                      but keep the low bits of the truncated number, as in the test cases of ONNX
//   integer to integer keeps the low bits
//   float to float     rounds to nearest, ties to even; overflow is infinity for f64, f32, f16, bf16
//   float to f8        saturate: overflow and infinity become the largest finite value; else NaN or infinity as ONNX
//                      tabulates; f4 always saturates, f8e8m0 rounds up to a power of two as ONNX says (saturating)
//   anything to bool   0 and -0 are false, all else (NaN too) true

/// Converts `count` elements; sub-byte types are packed from the first byte on. In place only for equal widths.
void convert(DType from, const void* in, DType to, void* out, int64_t count, bool saturate = true);
/// The same over a team.
void convert(DType from, const void* in, DType to, void* out, int64_t count, bool saturate, const Team& team);

}  // namespace tenon
