// The inner loops of reductions: folding rows and columns into 8-byte accumulators.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

#include "tensor/dtype.h"

namespace tenon {

/// What is folded. Sums add the term; the accumulator of floats is a double, that of integers an int64 (uint64 for
/// unsigned Max and Min), wrapping.
enum class Fold : uint8_t { kSum, kSumAbs, kSumSquare, kMax, kMin, kProd, kSumExp };

/// acc = acc folded with x[0, n). `shift` is what kSumExp subtracts before the exponential.
using FoldRow = void (*)(const void* x, int64_t n, double shift, void* acc);
/// acc[c] = acc[c] folded with x[r * stride + c] for r in [0, rows), for columns [0, cols), cols <= kFoldColumns.
using FoldColumns = void (*)(const void* x, int64_t rows, int64_t stride, int64_t cols, const double* shift, void* acc);
inline constexpr int64_t kFoldColumns = 512;

struct FoldKernels {
  FoldRow row = nullptr;
  FoldColumns columns = nullptr;
};
/// For every number type and bool (Max, Min); kSumExp for floats only. Nulls where there is none.
FoldKernels fold_kernels(DType type, Fold fold);
/// Vector kernels for f32, f64, i32, i64 (fold_vector.cc); nulls where there is none.
FoldKernels vector_fold_kernels(DType type, Fold fold);

constexpr bool is_float_type(DType t) {
  return t == DType::kF32 || t == DType::kF64 || t == DType::kF16 || t == DType::kBF16;
}
/// The accumulator before any element: 0, 1, or the far end of the type.
void fold_identity(DType type, Fold fold, void* acc);
/// acc = acc folded with another accumulator.
void fold_merge(DType type, Fold fold, const void* other, void* acc);

}  // namespace tenon
