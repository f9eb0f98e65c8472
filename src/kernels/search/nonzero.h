// NonZero in two steps: count, then write coordinates.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "tensor/dtype.h"
#include "threads/team.h"

namespace tenon::kernels {

/// How many elements differ from zero (NaN does, -0 does not). All numeric types of 8 to 128 bits; strings: non-empty
/// ones. Types below 8 bits are unpacked by the caller. Returns 0 for types it does not know.
int64_t count_nonzero(const void* x, DType dtype, int64_t count, const Team& team);

/// Writes the coordinates, row-major: dst [rank, found] with found = count_nonzero(...). A scalar has rank 0: nothing
/// is written.
void nonzero(int64_t* dst, const void* x, DType dtype, std::span<const int64_t> dims, int64_t found, const Team& team);

}  // namespace tenon::kernels
