// Reductions over any axes: the shape is collapsed, rows or columns are folded, results are finished.
// SPDX-License-Identifier: MIT
#include "kernels/reduce/reduce.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/elementwise/cast.h"
#include "kernels/reduce/reduce_kernels.h"

namespace tenon {
namespace {

struct Axis {
  int64_t size, stride;
};
using Axes = SmallVector<Axis, 8>;

Fold fold_of(Reduction r) {
  switch (r) {
    case Reduction::kMax: return Fold::kMax;
    case Reduction::kMin: return Fold::kMin;
    case Reduction::kProd: return Fold::kProd;
    case Reduction::kL1: return Fold::kSumAbs;
    case Reduction::kL2:
    case Reduction::kSumSquare: return Fold::kSumSquare;
    case Reduction::kLogSumExp: return Fold::kSumExp;
    default: return Fold::kSum;
  }
}

// The offset of combination `index` of some axes, first axis slowest.
int64_t offset_of(const Axes& axes, int64_t index) {
  int64_t at = 0;
  for (size_t k = axes.size(); k-- > 0;) {
    at += index % axes[k].size * axes[k].stride;
    index /= axes[k].size;
  }
  return at;
}

// One reduction with its shape taken apart: the innermost axis is either folded (rows) or kept (columns).
struct Job {
  DType type;
  const char* data;
  int width;
  Axes kept, reduced;  // without the innermost axis
  bool inner_reduced = true;
  int64_t inner = 1;          // size of the innermost axis
  int64_t reduced_outer = 1;  // combinations of `reduced`
  int64_t outputs = 1;

  // Column tiles of one combination of kept axes.
  int64_t tiles() const { return inner_reduced ? 1 : (inner + kFoldColumns - 1) / kFoldColumns; }
  int64_t units() const { return inner_reduced ? outputs : outputs / inner * tiles(); }
  int64_t columns(int64_t unit) const {
    return inner_reduced ? 1 : std::min(kFoldColumns, inner - unit % tiles() * kFoldColumns);
  }
  int64_t first_output(int64_t unit) const {
    return inner_reduced ? unit : unit / tiles() * inner + unit % tiles() * kFoldColumns;
  }
  // What the reduced elements of one output are counted in: elements of rows, or rows.
  int64_t length() const { return inner_reduced ? reduced_outer * inner : reduced_outer; }

  // Folds the part [begin, end) of the reduced elements of a unit into acc[columns(unit)].
  void fold(const FoldKernels& k, int64_t unit, int64_t begin, int64_t end, const double* shift, void* acc) const {
    if (inner_reduced) {
      const int64_t base = offset_of(kept, unit);
      for (int64_t r = begin; r < end;) {
        const int64_t in_row = r % inner, n = std::min(end - r, inner - in_row);
        k.row(data + (base + offset_of(reduced, r / inner) + in_row) * width, n, *shift, acc);
        r += n;
      }
      return;
    }
    const int64_t base = offset_of(kept, unit / tiles()) + unit % tiles() * kFoldColumns;
    const Axis last = reduced.empty() ? Axis{1, 0} : reduced.back();
    for (int64_t r = begin; r < end;) {
      const int64_t n = std::min(end - r, last.size - r % last.size);
      k.columns(data + (base + offset_of(reduced, r)) * width, n, last.stride, columns(unit), shift, acc);
      r += n;
    }
  }
};

// A value of 8 bytes: double, int64 or uint64 by the element type.
union Slot {
  double f;
  int64_t i;
  uint64_t u;
};

template <typename T>
void store(const TensorRef& out, int64_t at, int64_t n, const Slot* v, bool is_float) {
  T* p = out.as<T>() + at;
  for (int64_t k = 0; k < n; ++k) p[k] = is_float ? static_cast<T>(v[k].f) : static_cast<T>(v[k].u);
}

// A double back into the accumulator of an integer type; NaN and infinity as the conversion rules say.
void to_integer(DType type, double v, Slot* slot) {
  const bool wide = type == DType::kU64;
  if (wide) convert(DType::kF64, &v, DType::kU64, &slot->u, 1);
  else convert(DType::kF64, &v, DType::kI64, &slot->i, 1);
}

void finish(Reduction reduction, DType type, int64_t length, const double* shift, int64_t n, Slot* v) {
  const bool is_float = is_float_type(type);
  const bool is_unsigned64 = type == DType::kU64;
  for (int64_t k = 0; k < n; ++k) {
    switch (reduction) {
      case Reduction::kMean:
        if (is_float) v[k].f /= static_cast<double>(length);
        else if (is_unsigned64) v[k].u = length ? v[k].u / static_cast<uint64_t>(length) : 0;
        else v[k].i = length ? v[k].i / length : 0;
        break;
      case Reduction::kL2:
      case Reduction::kLogSum: {
        if (!is_float) {
          const double sum = is_unsigned64 ? static_cast<double>(v[k].u) : static_cast<double>(v[k].i);
          to_integer(type, reduction == Reduction::kL2 ? std::sqrt(sum) : std::log(sum), &v[k]);
        } else {
          v[k].f = reduction == Reduction::kL2 ? std::sqrt(v[k].f) : std::log(v[k].f);
        }
        break;
      }
      case Reduction::kLogSumExp: v[k].f = std::log(v[k].f) + shift[k]; break;
      default: break;
    }
  }
}

void write(const TensorRef& out, int64_t at, int64_t n, Slot* v) {
  switch (out.dtype) {
    case DType::kF32: return store<float>(out, at, n, v, true);
    case DType::kF64: return store<double>(out, at, n, v, true);
    case DType::kF16:
    case DType::kBF16: convert(DType::kF64, v, out.dtype, out.as<uint16_t>() + at, n); return;
    case DType::kBool:
    case DType::kI8:
    case DType::kU8: return store<uint8_t>(out, at, n, v, false);
    case DType::kI16:
    case DType::kU16: return store<uint16_t>(out, at, n, v, false);
    case DType::kI32:
    case DType::kU32: return store<uint32_t>(out, at, n, v, false);
    default: return store<uint64_t>(out, at, n, v, false);
  }
}

constexpr int64_t kSegment = 32768;  // reduced elements that make a segment worth its own task
constexpr int64_t kMostPartials = 2048;

}  // namespace

Status reduce(Reduction reduction, const TensorRef& in, std::span<const int64_t> axes, const TensorRef& out,
              const Team& team) {
  if (in.dtype != out.dtype) return invalid("reduction: ", name(in.dtype), " in, ", name(out.dtype), " out");
  Fold fold = fold_of(reduction);
  const FoldKernels kernels = fold_kernels(in.dtype, fold);
  const bool order_only = fold == Fold::kMax || fold == Fold::kMin;
  if (!kernels.row || (in.dtype == DType::kBool && !order_only)) {
    return error(Code::kNotImplemented, "reduction: no kernel for ", name(in.dtype));
  }
  // Collapse neighbouring axes of one kind; axes of size 1 vanish.
  Job job;
  job.type = in.dtype;
  job.data = static_cast<const char*>(in.data);
  job.width = byte_width(in.dtype);
  SmallVector<uint8_t, 8> is_reduced(static_cast<size_t>(in.rank), 0);
  for (int64_t a : axes) {
    if (a < 0 || a >= in.rank) return invalid("reduction: axis ", a, " of rank ", in.rank);
    is_reduced[static_cast<size_t>(a)] = 1;
  }
  int64_t length = 1;
  SmallVector<Axis, 8> collapsed;  // innermost first
  SmallVector<uint8_t, 8> kind;
  int64_t stride = 1;
  for (int d = in.rank - 1; d >= 0; --d) {
    const int64_t size = in.dims[d];
    if (is_reduced[d]) length *= size;
    else job.outputs *= size;
    if (size != 1) {
      if (!kind.empty() && kind.back() == is_reduced[d]) collapsed.back().size *= size;
      else collapsed.push_back({size, stride}), kind.push_back(is_reduced[d]);
    }
    stride *= size;
  }
  if (job.outputs != out.count)
    return invalid("reduction: ", out.count, " outputs for ", job.outputs, " kept elements");
  if (out.count == 0) return Status();
  const auto finish_unit = [&](int64_t unit, const double* shift, Slot* v) {
    finish(reduction, in.dtype, length, shift, job.columns(unit), v);
    write(out, job.first_output(unit), job.columns(unit), v);
  };
  if (length == 0) {
    Slot v;
    fold_identity(in.dtype, fold, &v);
    if (reduction == Reduction::kMean && is_float_type(in.dtype)) v.f = std::numeric_limits<double>::quiet_NaN();
    const double zero = 0;
    if (reduction != Reduction::kMean) finish(reduction, in.dtype, 1, &zero, 1, &v);
    for (int64_t i = 0; i < out.count; ++i) write(out, i, 1, &v);
    return Status();
  }
  if (!collapsed.empty()) {
    job.inner_reduced = kind[0];
    job.inner = collapsed[0].size;
    for (size_t k = collapsed.size(); k-- > 1;) {
      (kind[k] ? job.reduced : job.kept).push_back(collapsed[k]);
      if (kind[k]) job.reduced_outer *= collapsed[k].size;
    }
  }
  const FoldKernels max_kernels = fold == Fold::kSumExp ? fold_kernels(in.dtype, Fold::kMax) : FoldKernels{};
  // Few outputs of many elements: segments of a fixed size are folded apart and met in order.
  const int64_t units = job.units(), cells = job.outputs;
  int64_t segments = std::min<int64_t>(
      {length * (job.inner_reduced ? 1 : std::min(job.inner, kFoldColumns)) / kSegment, 64, job.length()});
  if (units >= 16 || cells * segments > kMostPartials)
    segments = std::min<int64_t>(segments, kMostPartials / std::max<int64_t>(cells, 1));
  if (units >= 64 || segments < 2) segments = 1;
  const double cost = 0.3 * static_cast<double>(length) * (fold == Fold::kSumExp ? 4 : 1) + 10;
  if (segments == 1) {
    team.parallel_for_cost(units, cost * static_cast<double>(job.columns(0)), [&](int64_t begin, int64_t end) {
      Slot acc[kFoldColumns];
      double shift[kFoldColumns];
      for (int64_t u = begin; u < end; ++u) {
        const int64_t n = job.columns(u);
        shift[0] = 0;
        if (fold == Fold::kSumExp) {
          for (int64_t c = 0; c < n; ++c) fold_identity(in.dtype, Fold::kMax, &acc[c]);
          job.fold(max_kernels, u, 0, job.length(), shift, acc);
          for (int64_t c = 0; c < n; ++c) shift[c] = std::isfinite(acc[c].f) ? acc[c].f : 0;
        }
        for (int64_t c = 0; c < n; ++c) fold_identity(in.dtype, fold, &acc[c]);
        job.fold(kernels, u, 0, job.length(), shift, acc);
        finish_unit(u, shift, acc);
      }
    });
    return Status();
  }
  Slot partial[kMostPartials];
  Slot shift_slots[kMostPartials];
  double shift[kMostPartials] = {};
  const auto fold_segments = [&](const FoldKernels& k, Fold f, Slot* result) {
    team.parallel_for_cost(units * segments, cost * static_cast<double>(job.columns(0)) / static_cast<double>(segments),
                           [&](int64_t begin, int64_t end) {
                             for (int64_t t = begin; t < end; ++t) {
                               const int64_t u = t / segments, s = t % segments;
                               const int64_t from = job.length() * s / segments, to = job.length() * (s + 1) / segments;
                               // Partials of one segment lie together for all outputs.
                               Slot* acc = partial + s * cells + job.first_output(u);
                               for (int64_t c = 0; c < job.columns(u); ++c) fold_identity(in.dtype, f, &acc[c]);
                               job.fold(k, u, from, to, shift + job.first_output(u), acc);
                             }
                           });
    for (int64_t o = 0; o < cells; ++o) {
      result[o] = partial[o];
      for (int64_t s = 1; s < segments; ++s) fold_merge(in.dtype, f, &partial[s * cells + o], &result[o]);
    }
  };
  if (fold == Fold::kSumExp) {
    fold_segments(max_kernels, Fold::kMax, shift_slots);
    for (int64_t o = 0; o < cells; ++o) shift[o] = std::isfinite(shift_slots[o].f) ? shift_slots[o].f : 0;
  }
  fold_segments(kernels, fold, shift_slots);
  for (int64_t u = 0; u < units; ++u) finish_unit(u, shift + job.first_output(u), shift_slots + job.first_output(u));
  return Status();
}

}  // namespace tenon
