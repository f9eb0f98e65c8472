// Conversions between case tensors (numbers as double) and real tensors, written independently of the engine's.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>

#include "opdef/cases.h"
#include "tensor/tensor.h"

namespace tenon::cases {

/// One number as an element of the type: integers keep their low bits, floats round to nearest.
void store(DType dtype, void* data, int64_t index, double number);
/// The element as a number; the real part of complex types.
double load(DType dtype, const void* data, int64_t index);

/// The tensor of a case tensor; `dtype` where it names none.
Tensor make_tensor(const opdef::CaseTensor& t, DType dtype);
/// Back again, with the rounding of the type.
opdef::CaseTensor read_tensor(const Tensor& t);

/// Empty when `actual` is `expected` within the tolerance (relative to the largest expected magnitude, or to `least`
/// where that is larger; 0: by type), otherwise what differs.
std::string difference(const opdef::CaseTensor& expected, const Tensor& actual, double tolerance, double least = 0);

}  // namespace tenon::cases
