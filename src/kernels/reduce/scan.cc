// Index of the extreme along an axis, running sums and products.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <type_traits>

#include "kernels/elementwise/cast.h"
#include "kernels/reduce/reduce.h"
#include "kernels/reduce/reduce_kernels.h"

namespace tenon {
namespace {

struct View {
  int64_t outer, axis, inner;
};
View view_of(const TensorRef& t, int64_t axis) {
  const auto s = t.shape();
  return {product(s, 0, static_cast<size_t>(axis)), s[static_cast<size_t>(axis)],
          product(s, static_cast<size_t>(axis) + 1, s.size())};
}

constexpr int64_t kScan = 64;    // elements of a row among which the extreme is looked for one by one
constexpr int64_t kPiece = 256;  // columns or elements that are widened or compared at a time

// Copies n elements to the type that they are compared or added in.
template <typename T, typename W>
struct Plain {
  using Element = T;
  using Wide = W;
  static const W* widen(DType, const T* x, int64_t n, W* buffer) {
    if constexpr (std::is_same_v<T, W>) return x;
    for (int64_t i = 0; i < n; ++i) buffer[i] = static_cast<W>(x[i]);
    return buffer;
  }
  static void narrow(DType, const W* x, int64_t n, T* out) {
    for (int64_t i = 0; i < n; ++i) out[i] = static_cast<T>(x[i]);
  }
};
struct Half {
  using Element = uint16_t;
  using Wide = float;
  static const float* widen(DType type, const uint16_t* x, int64_t n, float* buffer) {
    convert(type, x, DType::kF32, buffer, n);
    return buffer;
  }
  static void narrow(DType type, const float* x, int64_t n, uint16_t* out) { convert(DType::kF32, x, type, out, n); }
};

// Whether v takes the place of the best so far; NaN beats all but an earlier (or with last: no) NaN.
template <bool largest, bool last, typename W>
bool takes_over(W v, W best) {
  if constexpr (std::is_floating_point_v<W>) {
    if (best != best) return last && v != v;
    if (v != v) return true;
  }
  if constexpr (largest) return last ? v >= best : v > best;
  return last ? v <= best : v < best;
}

template <class Load, bool largest, bool last>
void extremes(const TensorRef& in, const View& v, int64_t* out, const Team& team) {
  using T = typename Load::Element;
  using W = typename Load::Wide;
  const T* x = in.as<T>();
  if (v.inner == 1) {
    const FoldRow fold = fold_kernels(in.dtype, largest ? Fold::kMax : Fold::kMin).row;
    team.parallel_for_cost(v.outer, 0.4 * static_cast<double>(v.axis) + 10, [&](int64_t begin, int64_t end) {
      W buffer[kScan];
      for (int64_t o = begin; o < end; ++o) {
        const T* row = x + o * v.axis;
        // The piece that holds the extreme by vector folds, then the element by a scan.
        using A = std::conditional_t<std::is_floating_point_v<W>, double,
                                     std::conditional_t<std::is_unsigned_v<W>, uint64_t, int64_t>>;
        A best{};
        int64_t piece = 0;
        for (int64_t i = 0; i < v.axis; i += kScan) {
          A here{};
          fold_identity(in.dtype, largest ? Fold::kMax : Fold::kMin, &here);
          fold(row + i, std::min(kScan, v.axis - i), 0, &here);
          if (i == 0 || takes_over<largest, last>(here, best)) best = here, piece = i;
        }
        const int64_t n = std::min(kScan, v.axis - piece);
        const W* w = Load::widen(in.dtype, row + piece, n, buffer);
        int64_t at = 0;
        for (int64_t i = 1; i < n; ++i) {
          if (takes_over<largest, last>(w[i], w[at])) at = i;
        }
        out[o] = piece + at;
      }
    });
    return;
  }
  const int64_t tiles = (v.inner + kPiece - 1) / kPiece;
  team.parallel_for_cost(v.outer * tiles, 1.5 * static_cast<double>(v.axis * std::min(kPiece, v.inner)),
                         [&](int64_t begin, int64_t end) {
                           W buffer[kPiece], best[kPiece];
                           int64_t at[kPiece];
                           for (int64_t t = begin; t < end; ++t) {
                             const int64_t o = t / tiles, c = t % tiles * kPiece, n = std::min(kPiece, v.inner - c);
                             for (int64_t a = 0; a < v.axis; ++a) {
                               const W* w = Load::widen(in.dtype, x + (o * v.axis + a) * v.inner + c, n, buffer);
                               for (int64_t i = 0; i < n; ++i) {
                                 const bool better = a == 0 || takes_over<largest, last>(w[i], best[i]);
                                 best[i] = better ? w[i] : best[i];
                                 at[i] = better ? a : at[i];
                               }
                             }
                             std::copy(at, at + n, out + o * v.inner + c);
                           }
                         });
}

template <class Load>
void choose(bool largest, bool last, const TensorRef& in, const View& v, int64_t* out, const Team& team) {
  if (largest)
    return last ? extremes<Load, true, true>(in, v, out, team) : extremes<Load, true, false>(in, v, out, team);
  return last ? extremes<Load, false, true>(in, v, out, team) : extremes<Load, false, false>(in, v, out, team);
}

template <typename W>
W joined(bool product, W a, W b) {
  if constexpr (std::is_integral_v<W>) {
    const uint64_t p = static_cast<uint64_t>(a), q = static_cast<uint64_t>(b);
    return static_cast<W>(product ? p * q : p + q);
  } else {
    return product ? a * b : a + b;
  }
}

template <class Load>
void running(bool product, const TensorRef& in, const View& v, bool exclusive, bool reverse, void* result,
             const Team& team) {
  using T = typename Load::Element;
  using W = typename Load::Wide;
  const T* x = in.as<T>();
  T* y = static_cast<T*>(result);
  const W start = product ? W(1) : W(0);
  if (v.inner == 1) {
    team.parallel_for_cost(v.outer, 1.2 * static_cast<double>(v.axis) + 5, [&](int64_t begin, int64_t end) {
      W buffer[kPiece], sums[kPiece];
      for (int64_t o = begin; o < end; ++o) {
        W acc = start;
        for (int64_t done = 0; done < v.axis; done += kPiece) {
          const int64_t n = std::min(kPiece, v.axis - done);
          const int64_t from = o * v.axis + (reverse ? v.axis - done - n : done);
          const W* w = Load::widen(in.dtype, x + from, n, buffer);
          for (int64_t k = 0; k < n; ++k) {
            const int64_t i = reverse ? n - 1 - k : k;
            const W next = joined(product, acc, w[i]);
            sums[i] = exclusive ? acc : next;
            acc = next;
          }
          Load::narrow(in.dtype, sums, n, y + from);
        }
      }
    });
    return;
  }
  const int64_t tiles = (v.inner + kPiece - 1) / kPiece;
  team.parallel_for_cost(v.outer * tiles, 0.8 * static_cast<double>(v.axis * std::min(kPiece, v.inner)),
                         [&](int64_t begin, int64_t end) {
                           W buffer[kPiece], acc[kPiece], before[kPiece];
                           for (int64_t t = begin; t < end; ++t) {
                             const int64_t o = t / tiles, c = t % tiles * kPiece, n = std::min(kPiece, v.inner - c);
                             std::fill(acc, acc + n, start);
                             for (int64_t k = 0; k < v.axis; ++k) {
                               const int64_t at = (o * v.axis + (reverse ? v.axis - 1 - k : k)) * v.inner + c;
                               const W* w = Load::widen(in.dtype, x + at, n, buffer);
                               if (exclusive) std::copy(acc, acc + n, before);
                               for (int64_t i = 0; i < n; ++i) acc[i] = joined(product, acc[i], w[i]);
                               Load::narrow(in.dtype, exclusive ? before : acc, n, y + at);
                             }
                           }
                         });
}

// Calls f with the loader of an element type; false when there is none.
template <class F>
bool with_loader(DType type, F&& f) {
  switch (type) {
    case DType::kF32: f(Plain<float, float>()); return true;
    case DType::kF64: f(Plain<double, double>()); return true;
    case DType::kF16:
    case DType::kBF16: f(Half()); return true;
    case DType::kI8: f(Plain<int8_t, int32_t>()); return true;
    case DType::kU8: f(Plain<uint8_t, uint32_t>()); return true;
    case DType::kI16: f(Plain<int16_t, int32_t>()); return true;
    case DType::kU16: f(Plain<uint16_t, uint32_t>()); return true;
    case DType::kI32: f(Plain<int32_t, int32_t>()); return true;
    case DType::kU32: f(Plain<uint32_t, uint32_t>()); return true;
    case DType::kI64: f(Plain<int64_t, int64_t>()); return true;
    case DType::kU64: f(Plain<uint64_t, uint64_t>()); return true;
    default: return false;
  }
}

Status check(std::string_view what, const TensorRef& in, int64_t axis) {
  if (axis < 0 || axis >= in.rank) return invalid(what, ": axis ", axis, " of rank ", in.rank);
  return Status();
}

}  // namespace

Status arg_extreme(bool largest, const TensorRef& in, int64_t axis, bool last, const TensorRef& out, const Team& team) {
  const std::string_view what = largest ? "ArgMax" : "ArgMin";
  TENON_TRY(check(what, in, axis));
  const View v = view_of(in, axis);
  if (out.dtype != DType::kI64 || out.count != v.outer * v.inner) {
    return invalid(what, ": the output must be i64 with ", v.outer * v.inner, " elements");
  }
  if (out.count == 0) return Status();
  if (v.axis == 0) return invalid(what, ": axis ", axis, " is empty");
  if (!with_loader(in.dtype,
                   [&](auto load) { choose<decltype(load)>(largest, last, in, v, out.as<int64_t>(), team); })) {
    return error(Code::kNotImplemented, what, ": no kernel for ", name(in.dtype));
  }
  return Status();
}

Status cumulative(bool product, const TensorRef& in, int64_t axis, bool exclusive, bool reverse, const TensorRef& out,
                  const Team& team) {
  const std::string_view what = product ? "CumProd" : "CumSum";
  TENON_TRY(check(what, in, axis));
  if (out.dtype != in.dtype || out.count != in.count) return invalid(what, ": the output must be as the input");
  if (in.count == 0) return Status();
  const View v = view_of(in, axis);
  if (!with_loader(in.dtype,
                   [&](auto load) { running<decltype(load)>(product, in, v, exclusive, reverse, out.data, team); })) {
    return error(Code::kNotImplemented, what, ": no kernel for ", name(in.dtype));
  }
  return Status();
}

}  // namespace tenon
