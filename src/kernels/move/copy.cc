// Slice, expand, tile, concat, split and pad as strided copies.
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"

#include "kernels/move/loop.h"
#include "kernels/move/rows.h"
#include "kernels/move/select.h"

namespace tenon::kernels {

Result<SliceRange> slice_range(int64_t start, int64_t end, int64_t step, int64_t dim) {
  if (step == 0) return invalid("slice step is 0");
  // Clamping first keeps every later sum small. Bounds of a backward slice are one lower: -1 stands for "before 0".
  const auto place = [&](int64_t v, int64_t low, int64_t high) {
    if (v < 0) v = v < -dim ? -1 - dim : v;
    if (v < 0) v += dim;
    return std::clamp(v, low, high);
  };
  SliceRange r;
  r.step = step;
  if (step > 0) {
    r.start = place(start, 0, dim);
    const int64_t stop = place(end, 0, dim);
    r.count = stop > r.start ? (stop - r.start - 1) / step + 1 : 0;
  } else {
    r.start = place(start, -1, dim - 1);
    const int64_t stop = place(end, -1, dim - 1);
    r.count = r.start > stop ? (stop - r.start + 1) / step + 1 : 0;  // dividing by the negative step: no negation
  }
  if (r.count == 0) r.start = 0;
  if (r.count <= 1) r.step = 1;
  return r;
}

namespace {
// Offset of the first element of a box in a dense tensor and the strides that walk it.
int64_t box(std::span<const int64_t> dims, std::span<const SliceRange> ranges, Dims* strides, Dims* counts) {
  *strides = row_major_strides(dims);
  int64_t offset = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    offset += ranges[i].start * (*strides)[i];
    (*strides)[i] *= ranges[i].step;
    counts->push_back(ranges[i].count);
  }
  return offset;
}
}  // namespace

void slice(void* dst, const void* src, std::span<const int64_t> dims, std::span<const SliceRange> ranges, int width,
           const Team& team) {
  Dims strides, counts;
  const int64_t offset = box(dims, ranges, &strides, &counts);
  if (product(counts) == 0) return;
  copy_strided(dst, row_major_strides(counts), byte_at(src, offset, width), strides, counts, width, team);
}

void slice_assign(void* dst, std::span<const int64_t> dims, std::span<const SliceRange> ranges, const void* src,
                  int width, const Team& team) {
  Dims strides, counts;
  const int64_t offset = box(dims, ranges, &strides, &counts);
  if (product(counts) == 0) return;
  copy_strided(byte_at(dst, offset, width), strides, src, row_major_strides(counts), counts, width, team);
}

void flip(void* dst, const void* src, std::span<const int64_t> dims, std::span<const bool> reversed, int width,
          const Team& team) {
  Dims strides = row_major_strides(dims);
  const Dims dense = strides;
  int64_t offset = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0) return;
    if (!reversed[i]) continue;
    offset += (dims[i] - 1) * strides[i];
    strides[i] = -strides[i];
  }
  copy_strided(dst, dense, byte_at(src, offset, width), strides, dims, width, team);
}

Status expand(void* dst, std::span<const int64_t> dst_dims, const void* src, std::span<const int64_t> src_dims,
              int width, const Team& team) {
  TENON_ASSIGN(const Dims strides, broadcast_strides(src_dims, dst_dims));
  copy_strided(dst, row_major_strides(dst_dims), src, strides, dst_dims, width, team);
  return {};
}

void tile(void* dst, const void* src, std::span<const int64_t> dims, std::span<const int64_t> repeats, int width,
          const Team& team) {
  const Dims strides = row_major_strides(dims);
  Dims all, from;
  for (size_t i = 0; i < dims.size(); ++i) {
    all.push_back(repeats[i]);
    from.push_back(0);
    all.push_back(dims[i]);
    from.push_back(strides[i]);
  }
  copy_strided(dst, row_major_strides(all), src, from, all, width, team);
}

void concat(void* dst, std::span<const AxisPart> parts, int64_t outer, int64_t inner, int width, const Team& team) {
  int64_t axis = 0, at = 0;
  for (const AxisPart& p : parts) axis += p.axis;
  for (const AxisPart& p : parts) {
    const int64_t row = p.axis * inner;
    if (row == 0) continue;
    copy_strided(byte_at(dst, at * inner, width), Dims{axis * inner, 1}, p.data, Dims{row, 1}, Dims{outer, row}, width,
                 team);
    at += p.axis;
  }
}

void split(std::span<const AxisPart> parts, const void* src, int64_t outer, int64_t inner, int width,
           const Team& team) {
  int64_t axis = 0, at = 0;
  for (const AxisPart& p : parts) axis += p.axis;
  for (const AxisPart& p : parts) {
    const int64_t row = p.axis * inner;
    if (row == 0) continue;
    copy_strided(p.data, Dims{row, 1}, byte_at(src, at * inner, width), Dims{axis * inner, 1}, Dims{outer, row}, width,
                 team);
    at += p.axis;
  }
}

namespace {

// Which of n elements a position outside of [0, n) copies.
int64_t mirror(int64_t i, int64_t n, PadMode mode) {
  if (mode == PadMode::kEdge || n == 1) return i < 0 ? 0 : i >= n ? n - 1 : i;
  if (mode == PadMode::kWrap) return ((i % n) + n) % n;
  const int64_t period = 2 * (n - 1);
  i = ((i % period) + period) % period;
  return i < n ? i : period - i;
}

struct PadBox {
  void* dst;
  const Dims& dims;     // of dst
  const Dims& strides;  // of dst
  int width;
  const Team& team;

  // Positions [begin, end) of `axis`, the middle [low, high) of the axes before it and all of those after it: from the
  // positions source, source + step, ... of the same tensor, or from one value.
  void copy(size_t axis, const Dims& low, const Dims& high, int64_t begin, int64_t end, int64_t source, int64_t step,
            const void* value) const {
    Dims counts = dims, from = strides;
    int64_t offset = 0;
    for (size_t i = 0; i < axis; ++i) {
      counts[i] = high[i] - low[i];
      offset += low[i] * strides[i];
    }
    counts[axis] = end - begin;
    from[axis] *= step;
    if (product(counts) == 0) return;
    const void* first = byte_at(static_cast<const void*>(dst), offset + source * strides[axis], width);
    if (value) {
      first = value;
      from.assign(from.size(), 0);
    }
    copy_strided(byte_at(dst, offset + begin * strides[axis], width), strides, first, from, counts, width, team);
  }
};

}  // namespace

Status pad(void* dst, const void* src, std::span<const int64_t> dims, std::span<const int64_t> before,
           std::span<const int64_t> after, PadMode mode, const void* value, int width, const Team& team) {
  const size_t rank = dims.size();
  Dims out(rank), low(rank), high(rank);  // low, high: where the kept part of src lies in dst
  SmallVector<SliceRange, 8> kept(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (before[i] < -kMaxSize || before[i] > kMaxSize || after[i] < -kMaxSize || after[i] > kMaxSize) {
      return invalid("pad amount ", before[i], " or ", after[i], " of dimension ", i, " is out of range");
    }
    out[i] = dims[i] + before[i] + after[i];
    const int64_t first = std::max<int64_t>(0, -before[i]), last = dims[i] - std::max<int64_t>(0, -after[i]);
    if (out[i] < 0 || last < first) {
      return invalid("pads ", before[i], " and ", after[i], " remove more than the ", dims[i],
                     " elements of dimension ", i);
    }
    kept[i] = {first, 1, last - first};
    low[i] = std::max<int64_t>(0, before[i]);
    high[i] = low[i] + kept[i].count;
    if (mode != PadMode::kConstant && kept[i].count == 0 && out[i] > 0) {
      return invalid("dimension ", i, " is empty: only constant padding can fill ", out[i], " elements");
    }
  }
  TENON_TRY(checked_count(out).status());
  if (product(out) == 0) return {};
  const Dims strides = row_major_strides(out);
  int64_t offset = 0;
  for (size_t i = 0; i < rank; ++i) offset += low[i] * strides[i];
  Dims counts, from;
  const int64_t start = box(dims, kept, &from, &counts);
  if (product(counts) != 0) {
    copy_strided(byte_at(dst, offset, width), strides, byte_at(src, start, width), from, counts, width, team);
  }
  const PadBox boxes{dst, out, strides, width, team};
  for (size_t axis = rank; axis-- > 0;) {
    const int64_t n = high[axis] - low[axis];
    for (const auto& [begin, end] : {std::pair{int64_t{0}, low[axis]}, std::pair{high[axis], out[axis]}}) {
      if (mode == PadMode::kConstant) {
        if (begin < end) boxes.copy(axis, low, high, begin, end, begin, 1, value);
        continue;
      }
      for (int64_t at = begin; at < end;) {  // runs of source positions with one step
        const int64_t source = mirror(at - low[axis], n, mode);
        int64_t step = 0, stop = at + 1;
        if (stop < end) {
          step = mirror(stop - low[axis], n, mode) - source;
          while (stop < end && mirror(stop - low[axis], n, mode) - source == step * (stop - at)) ++stop;
        }
        boxes.copy(axis, low, high, at, stop, low[axis] + source, step, nullptr);
        at = stop;
      }
    }
  }
  return {};
}

}  // namespace tenon::kernels
