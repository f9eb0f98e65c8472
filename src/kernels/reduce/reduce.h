// Reductions over any set of axes, index of the extreme, running sums and products.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon {

enum class Reduction : uint8_t { kSum, kMean, kMax, kMin, kProd, kL1, kL2, kSumSquare, kLogSum, kLogSumExp };

/// out = reduction of `in` over `axes`. Axes are in [0, rank), without repeats, in any order; an empty list copies
/// (applying the function to single elements: L2 gives |x|, LogSum log x). out has the kept dimensions, dense; whether
/// reduced ones stay as 1 does not matter, only the count is checked. Types: all numbers, bool for Max and Min; in and
/// out are of one type. Integers wrap; an integer mean truncates; L2 and LogSum of integers are computed in f64
/// and truncated; LogSumExp takes floats only. Max and Min give NaN when any element is. An empty reduction gives 0
/// (Sum, Mean: NaN for floats, L1, L2, SumSquare), 1 (Prod), -inf (LogSum, LogSumExp, Max of floats), +inf (Min of
/// floats) or the end of the integer type. f32 sums add blocks of a fixed size in f32 and the blocks in f64, the same
/// for any team. Fails with kNotImplemented for other types and kInvalidArgument for a wrong axis or output count.
Status reduce(Reduction reduction, const TensorRef& in, std::span<const int64_t> axes, const TensorRef& out,
              const Team& team);

/// Index (i64) of the largest (or smallest) element along `axis` in [0, rank); the first of equal ones, or the last
/// when `last` is set. NaN counts as the extreme. out has in's dimensions without (or with 1 at) the axis. The axis
/// must not be empty unless out is.
Status arg_extreme(bool largest, const TensorRef& in, int64_t axis, bool last, const TensorRef& out, const Team& team);

/// Running sum (or product) along `axis`; out has in's shape and type and may be its memory when not exclusive.
/// Numbers; sequential order along the axis, f16 and bf16 accumulate in f32.
Status cumulative(bool product, const TensorRef& in, int64_t axis, bool exclusive, bool reverse, const TensorRef& out,
                  const Team& team);

}  // namespace tenon
