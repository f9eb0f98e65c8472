// Vector folds of rows and columns of f32, f64, i32 and i64.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <type_traits>

#include "kernels/reduce/reduce_kernels.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/fold_vector.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/elementwise/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

constexpr int64_t kBlock = 1024;  // elements whose f32 sum is formed before it is added in f64
constexpr int64_t kRows = 64;     // rows likewise

// The term of an element, and how two partial results meet.
template <Fold fold, class D, class V = hn::Vec<D>>
HWY_INLINE V Term(D d, V x, V shift) {
  (void)d, (void)shift;
  if constexpr (fold == Fold::kSumAbs) return hn::Abs(x);
  else if constexpr (fold == Fold::kSumSquare) return hn::Mul(x, x);
  else if constexpr (fold == Fold::kSumExp) return vmath::Exp(d, hn::Sub(x, shift));
  else return x;
}
template <Fold fold, class V>
HWY_INLINE V Meet(V a, V b) {
  if constexpr (fold == Fold::kMax) {
    if constexpr (hwy::IsFloat<hn::TFromV<V>>()) return vmath::MaxNaN(a, b);
    else return hn::Max(a, b);
  } else if constexpr (fold == Fold::kMin) {
    if constexpr (hwy::IsFloat<hn::TFromV<V>>()) return vmath::MinNaN(a, b);
    else return hn::Min(a, b);
  } else {
    return hn::Add(a, b);
  }
}
template <Fold fold, typename A>
A MeetOne(A a, A b) {
  if constexpr (fold == Fold::kMax) return a > b || a != a ? a : b;
  if constexpr (fold == Fold::kMin) return a < b || a != a ? a : b;
  if constexpr (std::is_integral_v<A>) return static_cast<A>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}
template <typename T>
using Acc = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

template <Fold fold, typename T>
void Row(const void* data, int64_t n, double shift, void* out) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* x = static_cast<const T*>(data);
  auto& acc = *static_cast<Acc<T>*>(out);
  const auto s = hn::Set(d, static_cast<T>(shift));
  HWY_ALIGN T lane[HWY_MAX_BYTES / sizeof(T)];
  while (n > 0) {
    const int64_t block = std::min(n, kBlock);
    if (block < lanes) {
      // Too short for a vector: one by one, in order.
      for (int64_t i = 0; i < block; ++i) {
        const hn::CappedTag<T, 1> d1;
        const auto term = Term<fold>(d1, hn::Set(d1, x[i]), hn::Set(d1, static_cast<T>(shift)));
        acc = MeetOne<fold>(acc, static_cast<Acc<T>>(hn::GetLane(term)));
      }
    } else {
      auto a = Term<fold>(d, hn::LoadU(d, x), s);
      int64_t i = lanes;
      if (block >= 8 * lanes) {
        auto b = Term<fold>(d, hn::LoadU(d, x + lanes), s);
        auto e = Term<fold>(d, hn::LoadU(d, x + 2 * lanes), s);
        auto f = Term<fold>(d, hn::LoadU(d, x + 3 * lanes), s);
        for (i = 4 * lanes; i + 4 * lanes <= block; i += 4 * lanes) {
          a = Meet<fold>(a, Term<fold>(d, hn::LoadU(d, x + i), s));
          b = Meet<fold>(b, Term<fold>(d, hn::LoadU(d, x + i + lanes), s));
          e = Meet<fold>(e, Term<fold>(d, hn::LoadU(d, x + i + 2 * lanes), s));
          f = Meet<fold>(f, Term<fold>(d, hn::LoadU(d, x + i + 3 * lanes), s));
        }
        a = Meet<fold>(Meet<fold>(a, b), Meet<fold>(e, f));
      }
      for (; i + lanes <= block; i += lanes) a = Meet<fold>(a, Term<fold>(d, hn::LoadU(d, x + i), s));
      if (i < block) {
        // The rest as the last whole vector, with the lanes that were taken already left out.
        const int64_t back = block - lanes;
        const auto fresh = hn::Not(hn::FirstN(d, static_cast<size_t>(i - back)));
        const auto rest = Meet<fold>(a, Term<fold>(d, hn::LoadU(d, x + back), s));
        a = hn::IfThenElse(fresh, rest, a);
      }
      hn::Store(a, d, lane);
      for (int64_t half = lanes / 2; half > 0; half /= 2) {
        for (int64_t j = 0; j < half; ++j) {
          if constexpr (std::is_integral_v<T> &&
                        (fold == Fold::kSum || fold == Fold::kSumAbs || fold == Fold::kSumSquare)) {
            using U = std::make_unsigned_t<T>;
            lane[j] = static_cast<T>(static_cast<U>(lane[j]) + static_cast<U>(lane[j + half]));
          } else {
            lane[j] = MeetOne<fold>(lane[j], lane[j + half]);
          }
        }
      }
      acc = MeetOne<fold>(acc, static_cast<Acc<T>>(lane[0]));
    }
    x += block;
    n -= block;
  }
}

template <Fold fold, typename T>
void Columns(const void* data, int64_t rows, int64_t stride, int64_t cols, const double* shift, void* out) {
  const hn::ScalableTag<T> d;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const T* x = static_cast<const T*>(data);
  auto* acc = static_cast<Acc<T>*>(out);
  HWY_ALIGN T part[kFoldColumns + HWY_MAX_BYTES / sizeof(T)];
  HWY_ALIGN T offset[fold == Fold::kSumExp ? kFoldColumns + HWY_MAX_BYTES / sizeof(T) : HWY_MAX_BYTES / sizeof(T)];
  if constexpr (fold == Fold::kSumExp) {
    for (int64_t c = 0; c < cols; ++c) offset[c] = static_cast<T>(shift[c]);
  } else {
    (void)shift;
    hn::Store(hn::Zero(d), d, offset);
  }
  const auto load = [&](int64_t r, int64_t c, bool whole) HWY_ATTR {
    const T* p = x + r * stride + c;
    const auto v = whole ? hn::LoadU(d, p) : hn::LoadN(d, p, static_cast<size_t>(cols - c));
    return Term<fold>(d, v, hn::Load(d, offset + (fold == Fold::kSumExp ? c : 0)));
  };
  while (rows > 0) {
    const int64_t many = std::min(rows, kRows);
    for (int64_t c = 0; c < cols; c += lanes) hn::Store(load(0, c, c + lanes <= cols), d, part + c);
    int64_t r = 1;
    for (; r + 4 <= many; r += 4) {
      for (int64_t c = 0; c < cols; c += lanes) {
        const bool whole = c + lanes <= cols;
        const auto four = Meet<fold>(Meet<fold>(load(r, c, whole), load(r + 1, c, whole)),
                                     Meet<fold>(load(r + 2, c, whole), load(r + 3, c, whole)));
        hn::Store(Meet<fold>(hn::Load(d, part + c), four), d, part + c);
      }
    }
    for (; r < many; ++r) {
      for (int64_t c = 0; c < cols; c += lanes) {
        hn::Store(Meet<fold>(hn::Load(d, part + c), load(r, c, c + lanes <= cols)), d, part + c);
      }
    }
    for (int64_t c = 0; c < cols; ++c) acc[c] = MeetOne<fold>(acc[c], static_cast<Acc<T>>(part[c]));
    x += many * stride;
    rows -= many;
  }
}

template <typename T>
FoldKernels For(Fold fold) {
  switch (fold) {
    case Fold::kSum: return {Row<Fold::kSum, T>, Columns<Fold::kSum, T>};
    case Fold::kSumAbs: return {Row<Fold::kSumAbs, T>, Columns<Fold::kSumAbs, T>};
    case Fold::kSumSquare: return {Row<Fold::kSumSquare, T>, Columns<Fold::kSumSquare, T>};
    case Fold::kMax: return {Row<Fold::kMax, T>, Columns<Fold::kMax, T>};
    case Fold::kMin: return {Row<Fold::kMin, T>, Columns<Fold::kMin, T>};
    case Fold::kSumExp:
      if constexpr (std::is_same_v<T, float>) return {Row<Fold::kSumExp, T>, Columns<Fold::kSumExp, T>};
      return {};
    default: return {};
  }
}

}  // namespace
FoldKernels FoldLookup(DType type, Fold fold) {
  switch (type) {
    case DType::kF32: return For<float>(fold);
    case DType::kF64: return For<double>(fold);
    case DType::kI32: return For<int32_t>(fold);
    case DType::kI64: return For<int64_t>(fold);
    default: return {};
  }
}
}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon {
HWY_EXPORT(FoldLookup);
FoldKernels vector_fold_kernels(DType type, Fold fold) { return HWY_DYNAMIC_DISPATCH(FoldLookup)(type, fold); }
}  // namespace tenon
#endif
