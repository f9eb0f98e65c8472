// Plain folds for the types without vector kernels, 16-bit floats by conversion, and accumulators.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/elementwise/tile_kernels.h"
#include "kernels/reduce/reduce_kernels.h"

namespace tenon {
namespace {

template <typename T>
using Acc = std::conditional_t<std::is_floating_point_v<T>, double,
                               std::conditional_t<std::is_unsigned_v<T>, uint64_t, int64_t>>;

template <Fold fold, typename A>
A meet(A a, A b) {
  if constexpr (fold == Fold::kMax) return a > b || a != a ? a : b;
  if constexpr (fold == Fold::kMin) return a < b || a != a ? a : b;
  if constexpr (fold == Fold::kProd) {
    if constexpr (std::is_integral_v<A>) return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    else return a * b;
  }
  if constexpr (std::is_integral_v<A>) return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}
template <Fold fold, typename T>
Acc<T> term(T x, double shift) {
  using A = Acc<T>;
  const A a = static_cast<A>(x);
  if constexpr (fold == Fold::kSumAbs) {
    if constexpr (std::is_floating_point_v<A>) return std::fabs(a);
    else return a < A(0) ? static_cast<A>(0 - static_cast<uint64_t>(a)) : a;
  }
  if constexpr (fold == Fold::kSumSquare) {
    if constexpr (std::is_integral_v<A>) return static_cast<A>(static_cast<uint64_t>(a) * static_cast<uint64_t>(a));
    else return a * a;
  }
  if constexpr (fold == Fold::kSumExp) return static_cast<A>(std::exp(static_cast<double>(a) - shift));
  return a;
}
template <Fold fold, typename T>
void row(const void* data, int64_t n, double shift, void* out) {
  const T* x = static_cast<const T*>(data);
  Acc<T> acc = *static_cast<Acc<T>*>(out);
  for (int64_t i = 0; i < n; ++i) acc = meet<fold>(acc, term<fold>(x[i], shift));
  *static_cast<Acc<T>*>(out) = acc;
}
template <Fold fold, typename T>
void columns(const void* data, int64_t rows, int64_t stride, int64_t cols, const double* shift, void* out) {
  const T* x = static_cast<const T*>(data);
  auto* acc = static_cast<Acc<T>*>(out);
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < cols; ++c) {
      acc[c] = meet<fold>(acc[c], term<fold>(x[r * stride + c], fold == Fold::kSumExp ? shift[c] : 0));
    }
  }
}
template <typename T>
FoldKernels plain(Fold fold) {
  switch (fold) {
    case Fold::kSum: return {row<Fold::kSum, T>, columns<Fold::kSum, T>};
    case Fold::kSumAbs: return {row<Fold::kSumAbs, T>, columns<Fold::kSumAbs, T>};
    case Fold::kSumSquare: return {row<Fold::kSumSquare, T>, columns<Fold::kSumSquare, T>};
    case Fold::kMax: return {row<Fold::kMax, T>, columns<Fold::kMax, T>};
    case Fold::kMin: return {row<Fold::kMin, T>, columns<Fold::kMin, T>};
    case Fold::kProd: return {row<Fold::kProd, T>, columns<Fold::kProd, T>};
    case Fold::kSumExp: return {row<Fold::kSumExp, T>, columns<Fold::kSumExp, T>};
  }
  return {};
}

// 16-bit floats: pieces are widened and folded as f32.
template <DType type, Fold fold>
void half_row(const void* data, int64_t n, double shift, void* acc) {
  constexpr int64_t kPiece = 1024;
  alignas(64) float wide[kPiece];
  const TileFn load = find_load(type);
  const FoldRow fold_row = fold_kernels(DType::kF32, fold).row;
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t m = std::min(kPiece, n - i);
    load({wide,
          {static_cast<const uint16_t*>(data) + i, nullptr, nullptr},
          {~size_t{0}, 0, 0},
          static_cast<size_t>(m),
          nullptr});
    fold_row(wide, m, shift, acc);
  }
}
template <DType type, Fold fold>
void half_columns(const void* data, int64_t rows, int64_t stride, int64_t cols, const double* shift, void* acc) {
  constexpr int64_t kRows = 8;
  alignas(64) float wide[kRows * kFoldColumns];
  const TileFn load = find_load(type);
  const FoldColumns fold_columns = fold_kernels(DType::kF32, fold).columns;
  for (int64_t r = 0; r < rows; r += kRows) {
    const int64_t m = std::min(kRows, rows - r);
    for (int64_t k = 0; k < m; ++k) {
      load({wide + k * cols,
            {static_cast<const uint16_t*>(data) + (r + k) * stride, nullptr, nullptr},
            {~size_t{0}, 0, 0},
            static_cast<size_t>(cols),
            nullptr});
    }
    fold_columns(wide, m, cols, cols, shift, acc);
  }
}
template <DType type>
FoldKernels half(Fold fold) {
  switch (fold) {
    case Fold::kSum: return {half_row<type, Fold::kSum>, half_columns<type, Fold::kSum>};
    case Fold::kSumAbs: return {half_row<type, Fold::kSumAbs>, half_columns<type, Fold::kSumAbs>};
    case Fold::kSumSquare: return {half_row<type, Fold::kSumSquare>, half_columns<type, Fold::kSumSquare>};
    case Fold::kMax: return {half_row<type, Fold::kMax>, half_columns<type, Fold::kMax>};
    case Fold::kMin: return {half_row<type, Fold::kMin>, half_columns<type, Fold::kMin>};
    case Fold::kProd: return {half_row<type, Fold::kProd>, half_columns<type, Fold::kProd>};
    case Fold::kSumExp: return {half_row<type, Fold::kSumExp>, half_columns<type, Fold::kSumExp>};
  }
  return {};
}

template <typename A>
void merge(Fold fold, const void* other, void* acc) {
  A& a = *static_cast<A*>(acc);
  const A b = *static_cast<const A*>(other);
  switch (fold) {
    case Fold::kMax: a = meet<Fold::kMax>(a, b); break;
    case Fold::kMin: a = meet<Fold::kMin>(a, b); break;
    case Fold::kProd: a = meet<Fold::kProd>(a, b); break;
    default: a = meet<Fold::kSum>(a, b);
  }
}
constexpr bool is_unsigned(DType t) {
  return t == DType::kU8 || t == DType::kU16 || t == DType::kU32 || t == DType::kU64 || t == DType::kBool;
}

}  // namespace

FoldKernels fold_kernels(DType type, Fold fold) {
  if (const FoldKernels k = vector_fold_kernels(type, fold); k.row) return k;
  if (fold == Fold::kSumExp && !is_float_type(type)) return {};
  switch (type) {
    case DType::kF16: return half<DType::kF16>(fold);
    case DType::kBF16: return half<DType::kBF16>(fold);
    case DType::kF32: return plain<float>(fold);
    case DType::kF64: return plain<double>(fold);
    case DType::kI8: return plain<int8_t>(fold);
    case DType::kBool:
    case DType::kU8: return plain<uint8_t>(fold);
    case DType::kI16: return plain<int16_t>(fold);
    case DType::kU16: return plain<uint16_t>(fold);
    case DType::kI32: return plain<int32_t>(fold);
    case DType::kU32: return plain<uint32_t>(fold);
    case DType::kI64: return plain<int64_t>(fold);
    case DType::kU64: return plain<uint64_t>(fold);
    default: return {};
  }
}

void fold_identity(DType type, Fold fold, void* acc) {
  if (is_float_type(type)) {
    const double inf = std::numeric_limits<double>::infinity();
    *static_cast<double*>(acc) = fold == Fold::kProd ? 1 : fold == Fold::kMax ? -inf : fold == Fold::kMin ? inf : 0;
    return;
  }
  if (fold == Fold::kMax || fold == Fold::kMin) {
    const int bits = type == DType::kBool ? 1 : bit_width(type);
    const bool high = fold == Fold::kMin;
    if (is_unsigned(type)) {
      *static_cast<uint64_t*>(acc) = high ? ~uint64_t{0} >> (64 - bits) : 0;
    } else {
      const int64_t top = std::numeric_limits<int64_t>::max() >> (64 - bits);
      *static_cast<int64_t*>(acc) = high ? top : -top - 1;
    }
    return;
  }
  *static_cast<int64_t*>(acc) = fold == Fold::kProd ? 1 : 0;
}

void fold_merge(DType type, Fold fold, const void* other, void* acc) {
  if (is_float_type(type)) merge<double>(fold, other, acc);
  else if (is_unsigned(type)) merge<uint64_t>(fold, other, acc);
  else merge<int64_t>(fold, other, acc);
}

}  // namespace tenon
