// Sums over features of one row against many vectors, as the kernels of support vector machines need them.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::kernels {

/// Vectors side by side are padded to a multiple of this.
inline constexpr int64_t kSimilarityTile = 32;

/// Transposes vectors [count, features] into [features, stride]; stride is count rounded up to kSimilarityTile, the
/// padding becomes 0.
void transpose_vectors(const float* vectors, int64_t count, int64_t features, int64_t stride, float* out);

/// sums[v] for v in [0, stride): the sum over features f, in their order and in double, of (x[f] - v[f])^2 where
/// `squared` is set, of x[f] * v[f] otherwise. `vectors` comes from transpose_vectors. The same bits on every target.
void similarity_sums(const float* x, const float* vectors, int64_t features, int64_t stride, bool squared,
                     double* sums);

}  // namespace tenon::kernels
