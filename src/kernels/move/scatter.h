// ScatterElements and ScatterND, with reductions.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "kernels/move/gather.h"
#include "tensor/dtype.h"
#include "threads/team.h"

namespace tenon::kernels {

enum class ScatterOp { kNone, kAdd, kMul, kMin, kMax };

// `dst` holds a copy of the data operand on entry and is updated in place. Updates are applied in the order of the
// index operand, so for kNone the last one wins. Every index is checked before anything is written. Reductions exist
// for all integer and float types (16-bit and smaller floats are widened for each step and rounded back) and for bool
// (kAdd and kMax: or; kMul and kMin: and); other types (strings, complex) fail with kNotImplemented. Min and Max
// propagate NaN. Types below 8 bits must be unpacked to bytes first and named kU8 or kI8.

/// dst has shape dims; indices and updates have shape index_dims (same rank, no dimension but `axis` larger).
Status scatter_elements(void* dst, DType dtype, std::span<const int64_t> dims, const Indices& indices,
                        std::span<const int64_t> index_dims, const void* updates, int64_t axis, ScatterOp op,
                        const Team& team);

/// The last dimension of index_dims is the length of a tuple, at most the rank of dst. updates has shape
/// index_dims[:-1] + dims[tuple:].
Status scatter_nd(void* dst, DType dtype, std::span<const int64_t> dims, const Indices& indices,
                  std::span<const int64_t> index_dims, const void* updates, ScatterOp op, const Team& team);

}  // namespace tenon::kernels
