// Tests of the movers against index arithmetic, for every width.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/small_float.h"
#include "kernels/guarded.h"
#include "kernels/move/copy.h"
#include "kernels/move/gather.h"
#include "kernels/move/loop.h"
#include "kernels/move/packed.h"
#include "kernels/move/rearrange.h"
#include "kernels/move/rows.h"
#include "kernels/move/scatter.h"
#include "kernels/move/select.h"
#include "kernels/move/transpose.h"

namespace tenon::kernels {
namespace {

const int kWidths[] = {1, 2, 4, 8, 16};

std::vector<Team> teams() { return {Team(), wide_team()}; }

// Bytes whose every position differs from its neighbours in some byte.
Guarded<uint8_t> pattern(int64_t count, int width) {
  Guarded<uint8_t> out(count * width);
  Random random(static_cast<uint64_t>(count + width));
  for (int64_t i = 0; i < count * width; ++i) out[i] = static_cast<uint8_t>(random.next() >> 20);
  return out;
}

// For each position of `dims` in row-major order its coordinates.
template <class F>
void each(const Dims& dims, F&& f) {
  const int64_t n = product(dims);
  Dims at(dims.size());
  for (int64_t i = 0; i < n; ++i) {
    f(i, at);
    for (size_t k = dims.size(); k-- > 0;) {
      if (++at[k] < dims[k]) break;
      at[k] = 0;
    }
  }
}
int64_t dot(const Dims& a, const Dims& b) {
  int64_t s = 0;
  for (size_t i = 0; i < a.size(); ++i) s += a[i] * b[i];
  return s;
}

// Runs `kernel(dst, src, width, team)` for all widths and teams; element i of dst must be element from(i) of src, or
// what is in `value` where from(i) is -1.
template <class Kernel, class From>
void expect_moves(int64_t dst_count, int64_t src_count, Kernel&& kernel, From&& from, const char* value = nullptr) {
  for (int width : kWidths) {
    const Guarded<uint8_t> src = pattern(src_count, width);
    for (const Team& team : teams()) {
      Guarded<uint8_t> dst(dst_count * width);
      kernel(dst.data(), src.data(), width, team);
      for (int64_t i = 0; i < dst_count; ++i) {
        const int64_t k = from(i);
        const void* want = k < 0 ? static_cast<const void*>(value) : src.data() + k * width;
        ASSERT_EQ(std::memcmp(dst.data() + i * width, want, static_cast<size_t>(width)), 0)
            << "width " << width << " element " << i << " of " << dst_count;
      }
    }
  }
}

TEST(Transpose, AllPermutations) {
  const std::vector<Dims> shapes = {
      Dims{},           Dims{5},           Dims{3, 4},        Dims{0, 4},          Dims{17, 33},
      Dims{64, 64},     Dims{2, 130},      Dims{129, 3},      Dims{4, 1, 67},      Dims{3, 40, 35},
      Dims{2, 3, 4, 5}, Dims{8, 16, 2, 9}, Dims{1, 20, 1, 7}, Dims{2, 3, 2, 3, 2}, Dims{31, 2, 2, 17},
      Dims{3, 19, 4}};
  for (const Dims& dims : shapes) {
    Dims perm(dims.size());
    std::iota(perm.begin(), perm.end(), 0);
    do {
      Dims out;
      for (int64_t p : perm) out.push_back(dims[static_cast<size_t>(p)]);
      const Dims strides = row_major_strides(dims);
      std::vector<int64_t> from;
      each(out, [&](int64_t, const Dims& at) {
        int64_t s = 0;
        for (size_t k = 0; k < at.size(); ++k) s += at[k] * strides[static_cast<size_t>(perm[k])];
        from.push_back(s);
      });
      expect_moves(
          product(dims), product(dims),
          [&](void* d, const void* s, int w, const Team& t) { transpose(d, s, dims, perm, w, t); },
          [&](int64_t i) { return from[static_cast<size_t>(i)]; });
      if (transpose_is_copy(dims, perm)) {
        for (size_t i = 0; i < from.size(); ++i) ASSERT_EQ(from[i], static_cast<int64_t>(i));
      }
    } while (std::next_permutation(perm.begin(), perm.end()));
  }
  EXPECT_TRUE(transpose_is_copy(Dims{1, 5, 1, 3}, Dims{1, 0, 3, 2}));
  EXPECT_FALSE(transpose_is_copy(Dims{2, 5}, Dims{1, 0}));
}

TEST(Transpose, PlaneSizes) {
  for (int64_t rows : {1, 2, 3, 4, 5, 7, 8, 15, 16, 31, 32, 33, 65}) {
    for (int64_t cols : {1, 2, 3, 4, 6, 9, 16, 17, 35, 66}) {
      expect_moves(
          rows * cols, rows * cols,
          [&](void* d, const void* s, int w, const Team&) { transpose_2d(d, rows, s, cols, rows, cols, w); },
          [&](int64_t i) { return i % rows * cols + i / rows; });
    }
  }
}

TEST(CopyStrided, RandomSlices) {
  Random random(1);
  for (int round = 0; round < 150; ++round) {
    const size_t rank = static_cast<size_t>(random.between(1, 4));
    Dims dims, out;
    SmallVector<SliceRange, 8> ranges;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t n = random.between(1, i + 1 == rank ? 90 : 9);
      dims.push_back(n);
      const int64_t steps[] = {1, 1, 2, 3, -1, -2, -7};
      auto r =
          slice_range(random.between(-n - 1, n + 1), random.between(-n - 1, n + 1), steps[random.between(0, 6)], n);
      ASSERT_TRUE(r.ok());
      ranges.push_back(*r);
      out.push_back(r->count);
      if (r->count > 0) {
        const int64_t last = r->start + (r->count - 1) * r->step;
        ASSERT_TRUE(r->start >= 0 && r->start < n && last >= 0 && last < n);
      }
    }
    const Dims strides = row_major_strides(dims);
    std::vector<int64_t> from;
    each(out, [&](int64_t, const Dims& at) {
      int64_t s = 0;
      for (size_t k = 0; k < rank; ++k) s += (ranges[k].start + at[k] * ranges[k].step) * strides[k];
      from.push_back(s);
    });
    expect_moves(
        product(out), product(dims),
        [&](void* d, const void* s, int w, const Team& t) { slice(d, s, dims, ranges, w, t); },
        [&](int64_t i) { return from[static_cast<size_t>(i)]; });
    // The way back.
    for (const Team& team : teams()) {
      const Guarded<uint8_t> src = pattern(product(out), 4);
      Guarded<uint8_t> whole = pattern(product(dims), 4);
      std::vector<uint8_t> want = whole.items();
      for (size_t i = 0; i < from.size(); ++i)
        std::memcpy(&want[static_cast<size_t>(from[i]) * 4], src.data() + i * 4, 4);
      slice_assign(whole.data(), dims, ranges, src.data(), 4, team);
      ASSERT_EQ(whole.items(), want);
    }
  }
}

TEST(CopyStrided, SliceRanges) {
  const int64_t big = INT64_MAX, low = INT64_MIN;
  const auto is = [](Result<SliceRange> r, int64_t start, int64_t step, int64_t count) {
    ASSERT_TRUE(r.ok());
    EXPECT_EQ(r->start, start);
    EXPECT_EQ(r->step, step);
    EXPECT_EQ(r->count, count);
  };
  is(slice_range(0, big, 1, 10), 0, 1, 10);
  is(slice_range(low, big, 3, 10), 0, 3, 4);
  is(slice_range(-1, low, -1, 10), 9, -1, 10);
  is(slice_range(big, low, -3, 10), 9, -3, 4);
  is(slice_range(big, low, low, 10), 9, 1, 1);
  is(slice_range(low, big, big, 10), 0, 1, 1);
  is(slice_range(-1, -11, -1, 10), 9, -1, 10);
  is(slice_range(5, 5, 1, 10), 0, 1, 0);
  is(slice_range(0, -1, -1, 10), 0, 1, 0);
  is(slice_range(0, 5, 1, 0), 0, 1, 0);
  is(slice_range(5, 0, -1, 0), 0, 1, 0);
  EXPECT_FALSE(slice_range(0, 5, 0, 10).ok());
}

TEST(CopyStrided, FlipExpandTile) {
  const Dims dims{3, 1, 70};
  const bool reversed[] = {true, false, true};
  expect_moves(
      210, 210, [&](void* d, const void* s, int w, const Team& t) { flip(d, s, dims, reversed, w, t); },
      [](int64_t i) { return (2 - i / 70) * 70 + 69 - i % 70; });
  const Dims wide{4, 3, 5, 70};
  expect_moves(
      4 * 3 * 5 * 70, 210,
      [&](void* d, const void* s, int w, const Team& t) { ASSERT_TRUE(expand(d, wide, s, dims, w, t).ok()); },
      [](int64_t i) { return i / 350 % 3 * 70 + i % 70; });
  expect_moves(
      40 * 50, 40,
      [&](void* d, const void* s, int w, const Team& t) {
        ASSERT_TRUE(expand(d, Dims{40, 50}, s, Dims{40, 1}, w, t).ok());
      },
      [](int64_t i) { return i / 50; });
  uint8_t byte = 0;
  EXPECT_FALSE(expand(&byte, Dims{4, 3}, &byte, Dims{2}, 1, Team()).ok());
  const Dims repeats{2, 3, 2};
  expect_moves(
      210 * 12, 210, [&](void* d, const void* s, int w, const Team& t) { tile(d, s, dims, repeats, w, t); },
      [](int64_t i) {
        const int64_t a = i / (3 * 140), c = i % 140;
        return a % 3 * 70 + c % 70;
      });
}

TEST(CopyStrided, ConcatSplit) {
  Random random(2);
  for (int round = 0; round < 40; ++round) {
    const int64_t outer = random.between(0, 5), inner = random.between(1, 40);
    std::vector<int64_t> sizes;
    for (int64_t i = random.between(1, 5); i > 0; --i) sizes.push_back(random.between(0, 9));
    int64_t axis = 0;
    for (int64_t s : sizes) axis += s;
    for (int width : kWidths) {
      for (const Team& team : teams()) {
        const Guarded<uint8_t> whole = pattern(outer * axis * inner, width);
        std::vector<Guarded<uint8_t>> parts;
        std::vector<AxisPart> refs;
        for (int64_t s : sizes) parts.emplace_back(outer * s * inner * width);
        for (size_t i = 0; i < sizes.size(); ++i) refs.push_back({parts[i].data(), sizes[i]});
        split(refs, whole.data(), outer, inner, width, team);
        Guarded<uint8_t> again(whole.size());
        concat(again.data(), refs, outer, inner, width, team);
        ASSERT_EQ(again.items(), whole.items());
        int64_t at = 0;
        for (size_t p = 0; p < sizes.size(); ++p) {
          for (int64_t o = 0; o < outer; ++o) {
            const int64_t row = sizes[p] * inner * width;
            ASSERT_EQ(std::memcmp(parts[p].data() + o * row, whole.data() + (o * axis + at) * inner * width,
                                  static_cast<size_t>(row)),
                      0);
          }
          at += sizes[p];
        }
      }
    }
  }
}

TEST(Pad, AllModes) {
  Random random(3);
  const char value[17] = "0123456789abcdef";
  for (int round = 0; round < 200; ++round) {
    const PadMode mode = static_cast<PadMode>(round % 4);
    const size_t rank = static_cast<size_t>(random.between(1, 4));
    Dims dims, before, after, out;
    for (size_t i = 0; i < rank; ++i) {
      const int64_t n = random.between(1, 7);
      int64_t b = random.between(-2, 9), a = random.between(-2, 9);
      if (b + a <= -n) b = a = 0;
      if (std::max<int64_t>(-b, 0) + std::max<int64_t>(-a, 0) >= n) b = a = 1;
      dims.push_back(n);
      before.push_back(b);
      after.push_back(a);
      out.push_back(n + b + a);
    }
    const Dims strides = row_major_strides(dims);
    std::vector<int64_t> from;
    each(out, [&](int64_t, const Dims& at) {
      int64_t s = 0;
      for (size_t k = 0; k < rank && s >= 0; ++k) {
        const int64_t first = std::max<int64_t>(0, -before[k]), n = dims[k] - first - std::max<int64_t>(0, -after[k]);
        int64_t i = at[k] - std::max<int64_t>(0, before[k]);
        if (i < 0 || i >= n) {
          if (mode == PadMode::kConstant) {
            s = -1;
            break;
          }
          if (mode == PadMode::kEdge || n == 1) i = i < 0 ? 0 : n - 1;
          else if (mode == PadMode::kWrap) i = (i % n + n) % n;
          else
            while (i < 0 || i >= n) i = i < 0 ? -i : 2 * (n - 1) - i;
        }
        s += (first + i) * strides[k];
      }
      from.push_back(s);
    });
    expect_moves(
        product(out), product(dims),
        [&](void* d, const void* s, int w, const Team& t) {
          const Status status = pad(d, s, dims, before, after, mode, value, w, t);
          ASSERT_TRUE(status.ok()) << status.to_string();
        },
        [&](int64_t i) { return from[static_cast<size_t>(i)]; }, value);
  }
  uint8_t byte = 0;
  EXPECT_FALSE(pad(&byte, &byte, Dims{0}, Dims{1}, Dims{0}, PadMode::kEdge, nullptr, 1, Team()).ok());
  EXPECT_FALSE(pad(&byte, &byte, Dims{2}, Dims{-2}, Dims{-1}, PadMode::kConstant, &byte, 1, Team()).ok());
  Guarded<uint8_t> filled(3);
  ASSERT_TRUE(pad(filled.data(), &byte, Dims{0}, Dims{1}, Dims{2}, PadMode::kConstant, "x", 1, Team()).ok());
  EXPECT_EQ(filled.items(), std::vector<uint8_t>(3, 'x'));
}

TEST(Gather, Axis) {
  Random random(4);
  for (int round = 0; round < 60; ++round) {
    const int64_t outer = random.between(0, 5), axis = random.between(1, 12), inner = random.between(0, 40);
    std::vector<int64_t> wide;
    std::vector<int32_t> narrow;
    for (int64_t i = random.between(0, 50); i > 0; --i) {
      wide.push_back(random.between(-axis, axis - 1));
      narrow.push_back(static_cast<int32_t>(wide.back()));
    }
    const int64_t n = static_cast<int64_t>(wide.size());
    for (bool is64 : {true, false}) {
      const Indices indices{is64 ? static_cast<const void*>(wide.data()) : narrow.data(), n, is64};
      expect_moves(
          outer * n * inner, outer * axis * inner,
          [&](void* d, const void* s, int w, const Team& t) {
            ASSERT_TRUE(gather(d, s, outer, axis, inner, indices, w, t).ok());
          },
          [&](int64_t i) {
            const int64_t k = i % inner, j = i / inner % n, o = i / inner / n;
            const int64_t v = wide[static_cast<size_t>(j)];
            return (o * axis + (v < 0 ? v + axis : v)) * inner + k;
          });
    }
  }
  const int64_t bad[] = {0, 4, -6, 9};
  uint8_t src[5] = {}, dst[4] = {7, 7, 7, 7};
  for (const Team& team : teams()) {
    const Status s = gather(dst, src, 1, 5, 1, Indices{bad, 4, true}, 1, team);
    EXPECT_EQ(s.message(), "index -6 at position 2 is outside of [-5, 4]");
    EXPECT_EQ(dst[0], 7);
  }
  EXPECT_FALSE(gather(dst, src, 1, 0, 1, Indices{bad, 1, true}, 1, Team()).ok());
}

TEST(Gather, ElementsAndScatterElements) {
  Random random(5);
  for (int round = 0; round < 80; ++round) {
    const int64_t rank = random.between(1, 4), axis = random.between(0, rank - 1);
    Dims dims, idims;
    for (int64_t i = 0; i < rank; ++i) {
      dims.push_back(random.between(1, 9));
      idims.push_back(i == axis ? random.between(0, 12) : random.between(1, dims.back()));
    }
    const int64_t size = dims[static_cast<size_t>(axis)];
    std::vector<int64_t> index;
    for (int64_t i = product(idims); i > 0; --i) index.push_back(random.between(-size, size - 1));
    const Dims strides = row_major_strides(dims);
    std::vector<int64_t> place;
    each(idims, [&](int64_t i, const Dims& at) {
      Dims to = at;
      const int64_t v = index[static_cast<size_t>(i)];
      to[static_cast<size_t>(axis)] = v < 0 ? v + size : v;
      place.push_back(dot(to, strides));
    });
    const Indices indices{index.data(), static_cast<int64_t>(index.size()), true};
    expect_moves(
        product(idims), product(dims),
        [&](void* d, const void* s, int w, const Team& t) {
          ASSERT_TRUE(gather_elements(d, s, dims, indices, idims, axis, w, t).ok());
        },
        [&](int64_t i) { return place[static_cast<size_t>(i)]; });
    std::vector<float> data, updates;
    for (int64_t i = product(dims); i > 0; --i) data.push_back(random.unit());
    for (size_t i = 0; i < index.size(); ++i) updates.push_back(random.unit());
    for (ScatterOp op : {ScatterOp::kNone, ScatterOp::kAdd, ScatterOp::kMul, ScatterOp::kMin, ScatterOp::kMax}) {
      std::vector<float> want = data;
      for (size_t i = 0; i < index.size(); ++i) {
        float& w = want[static_cast<size_t>(place[i])];
        const float u = updates[i];
        w = op == ScatterOp::kNone  ? u
            : op == ScatterOp::kAdd ? w + u
            : op == ScatterOp::kMul ? w * u
            : op == ScatterOp::kMin ? std::min(w, u)
                                    : std::max(w, u);
      }
      for (const Team& team : teams()) {
        Guarded<float> dst(data);
        ASSERT_TRUE(
            scatter_elements(dst.data(), DType::kF32, dims, indices, idims, updates.data(), axis, op, team).ok());
        ASSERT_EQ(dst.items(), want);
      }
    }
  }
  float x[2] = {1, 2};
  const int64_t bad[] = {2};
  EXPECT_FALSE(gather_elements(x, x, Dims{2}, Indices{bad, 1, true}, Dims{1}, 0, 4, Team()).ok());
  EXPECT_FALSE(gather_elements(x, x, Dims{2}, Indices{bad, 1, true}, Dims{1, 1}, 0, 4, Team()).ok());
  EXPECT_FALSE(
      scatter_elements(x, DType::kF32, Dims{2}, Indices{bad, 1, true}, Dims{1}, x, 0, ScatterOp::kNone, Team()).ok());
  EXPECT_FALSE(
      scatter_elements(x, DType::kC64, Dims{1}, Indices{bad, 1, true}, Dims{1}, x, 0, ScatterOp::kAdd, Team()).ok());
}

TEST(Gather, TuplesAndScatterNd) {
  Random random(6);
  for (int round = 0; round < 80; ++round) {
    const int64_t rank = random.between(1, 4), batch = random.between(0, rank - 1);
    const int64_t tuple = random.between(1, rank - batch);
    Dims dims, idims;
    for (int64_t i = 0; i < rank; ++i) dims.push_back(random.between(1, 6));
    for (int64_t i = 0; i < batch; ++i) idims.push_back(dims[static_cast<size_t>(i)]);
    const int64_t per = random.between(0, 5);
    idims.push_back(per);
    idims.push_back(tuple);
    const int64_t batches = product(dims, 0, static_cast<size_t>(batch)), items = batches * per;
    const int64_t inner = product(dims, static_cast<size_t>(batch + tuple), dims.size());
    const Dims strides = row_major_strides(dims);
    std::vector<int64_t> index, start;
    for (int64_t i = 0; i < items; ++i) {
      int64_t s = i / per * (product(dims) / batches);
      for (int64_t k = 0; k < tuple; ++k) {
        const size_t d = static_cast<size_t>(batch + k);
        const int64_t v = random.between(-dims[d], dims[d] - 1);
        index.push_back(v);
        s += (v < 0 ? v + dims[d] : v) * strides[d];
      }
      start.push_back(s);
    }
    const Indices indices{index.data(), static_cast<int64_t>(index.size()), true};
    expect_moves(
        items * inner, product(dims),
        [&](void* d, const void* s, int w, const Team& t) {
          ASSERT_TRUE(gather_nd(d, s, dims, indices, idims, batch, w, t).ok());
        },
        [&](int64_t i) { return start[static_cast<size_t>(i / inner)] + i % inner; });
    if (batch != 0) continue;
    std::vector<int32_t> data, updates;
    for (int64_t i = product(dims); i > 0; --i) data.push_back(static_cast<int32_t>(random.next()));
    for (int64_t i = items * inner; i > 0; --i) updates.push_back(static_cast<int32_t>(random.next()));
    for (ScatterOp op : {ScatterOp::kNone, ScatterOp::kAdd, ScatterOp::kMul, ScatterOp::kMin, ScatterOp::kMax}) {
      std::vector<int32_t> want = data;
      for (int64_t i = 0; i < items * inner; ++i) {
        int32_t& w = want[static_cast<size_t>(start[static_cast<size_t>(i / inner)] + i % inner)];
        const int32_t u = updates[static_cast<size_t>(i)];
        const uint32_t a = static_cast<uint32_t>(w), b = static_cast<uint32_t>(u);
        w = op == ScatterOp::kNone  ? u
            : op == ScatterOp::kAdd ? static_cast<int32_t>(a + b)
            : op == ScatterOp::kMul ? static_cast<int32_t>(a * b)
            : op == ScatterOp::kMin ? std::min(w, u)
                                    : std::max(w, u);
      }
      for (const Team& team : teams()) {
        Guarded<int32_t> dst(data);
        ASSERT_TRUE(scatter_nd(dst.data(), DType::kI32, dims, indices, idims, updates.data(), op, team).ok());
        ASSERT_EQ(dst.items(), want);
      }
    }
  }
  float x[4] = {};
  const int64_t bad[] = {0, 3, 0};
  EXPECT_EQ(gather_nd(x, x, Dims{2, 2}, Indices{bad, 2, true}, Dims{1, 2}, 0, 4, Team()).message(),
            "index 3 at position 1 is outside of [-2, 1] of dimension 1");
  EXPECT_FALSE(gather_nd(x, x, Dims{2, 2}, Indices{bad, 3, true}, Dims{1, 3}, 0, 4, Team()).ok());
  EXPECT_FALSE(gather_nd(x, x, Dims{2, 2}, Indices{bad, 1, true}, Dims{1}, 1, 4, Team()).ok());
  EXPECT_FALSE(
      scatter_nd(x, DType::kF32, Dims{2, 2}, Indices{bad, 2, true}, Dims{1, 2}, x, ScatterOp::kAdd, Team()).ok());
  // A tuple of length 0 addresses all of the data.
  float all[4] = {1, 2, 3, 4};
  EXPECT_TRUE(
      scatter_nd(x, DType::kF32, Dims{2, 2}, Indices{bad, 0, true}, Dims{1, 0}, all, ScatterOp::kNone, Team()).ok());
  EXPECT_EQ(x[3], 4);
}

TEST(Scatter, SmallTypes) {
  const int64_t index[] = {1, 1};
  const Indices indices{index, 2, true};
  uint16_t h[2] = {f32_to_f16(1), f32_to_f16(2)}, u[2] = {f32_to_f16(0.5f), f32_to_f16(0.25f)};
  ASSERT_TRUE(scatter_elements(h, DType::kF16, Dims{2}, indices, Dims{2}, u, 0, ScatterOp::kAdd, Team()).ok());
  EXPECT_EQ(f16_to_f32(h[1]), 2.75f);
  uint8_t b[2] = {0, 0}, ub[2] = {0, 1};
  ASSERT_TRUE(scatter_elements(b, DType::kBool, Dims{2}, indices, Dims{2}, ub, 0, ScatterOp::kMax, Team()).ok());
  EXPECT_EQ(b[1], 1);
  float f[2] = {0, 0}, uf[2] = {NAN, 1};
  ASSERT_TRUE(scatter_elements(f, DType::kF32, Dims{2}, indices, Dims{2}, uf, 0, ScatterOp::kMax, Team()).ok());
  EXPECT_TRUE(std::isnan(f[1]));
}

TEST(Select, Where) {
  const std::vector<std::vector<Dims>> cases = {
      {Dims{200}, Dims{200}, Dims{200}, Dims{200}},        {Dims{3, 70}, Dims{3, 70}, Dims{1}, Dims{3, 70}},
      {Dims{3, 70}, Dims{3, 1}, Dims{70}, Dims{3, 70}},    {Dims{4, 3, 50}, Dims{3, 1}, Dims{4, 1, 1}, Dims{1, 3, 50}},
      {Dims{2, 0}, Dims{2, 1}, Dims{1}, Dims{0}},          {Dims{}, Dims{}, Dims{}, Dims{}},
      {Dims{4, 5, 3}, Dims{3}, Dims{5, 1}, Dims{4, 1, 1}}, {Dims{7, 90}, Dims{90}, Dims{}, Dims{}}};
  for (const auto& c : cases) {
    const Dims cs = *broadcast_strides(c[1], c[0]), as = *broadcast_strides(c[2], c[0]),
               bs = *broadcast_strides(c[3], c[0]);
    Guarded<uint8_t> condition(product(c[1]));
    Random random(7);
    for (int64_t i = 0; i < condition.size(); ++i) condition[i] = static_cast<uint8_t>(random.between(0, 2));
    for (int width : kWidths) {
      const Guarded<uint8_t> a = pattern(product(c[2]), width), b = pattern(product(c[3]), width);
      for (const Team& team : teams()) {
        Guarded<uint8_t> dst(product(c[0]) * width);
        where_move(dst.data(), c[0], condition.data(), cs, a.data(), as, b.data(), bs, width, team);
        each(c[0], [&](int64_t i, const Dims& at) {
          const uint8_t* want =
              condition[dot(at, cs)] ? a.data() + dot(at, as) * width : b.data() + dot(at, bs) * width;
          ASSERT_EQ(std::memcmp(dst.data() + i * width, want, static_cast<size_t>(width)), 0);
        });
      }
    }
  }
}

TEST(Select, CompressOneHotTriangle) {
  Random random(8);
  for (int64_t inner : {1, 5, 40}) {
    const int64_t outer = 3, axis = 90;
    std::vector<uint8_t> condition;
    std::vector<int64_t> kept;
    for (int64_t i = 0; i < 77; ++i) {
      condition.push_back(random.between(0, 1) ? 3 : 0);
      if (condition.back()) kept.push_back(i);
    }
    const int64_t n = static_cast<int64_t>(kept.size());
    EXPECT_EQ(count_true(condition.data(), 77), n);
    expect_moves(
        outer * n * inner, outer * axis * inner,
        [&](void* d, const void* s, int w, const Team& t) {
          ASSERT_TRUE(compress(d, s, outer, axis, inner, condition.data(), 77, w, t).ok());
        },
        [&](int64_t i) {
          return (i / inner / n * axis + kept[static_cast<size_t>(i / inner % n)]) * inner + i % inner;
        });
  }
  uint8_t byte = 1;
  EXPECT_FALSE(compress(&byte, &byte, 1, 0, 1, &byte, 1, 1, Team()).ok());

  const std::vector<int64_t> hot = {0, 2, -1, 3, -3, -4, 1, 5};
  for (const Team& team : teams()) {
    Guarded<int32_t> dst(4 * 3 * 2);
    const int32_t off = -1, on = 8;
    one_hot(dst.data(), hot.data(), 4, 3, 2, &off, &on, 4, team);
    for (int64_t o = 0; o < 4; ++o) {
      for (int64_t d = 0; d < 3; ++d) {
        for (int64_t k = 0; k < 2; ++k) {
          int64_t v = hot[static_cast<size_t>(o * 2 + k)];
          if (v < 0) v += 3;
          EXPECT_EQ(dst[(o * 3 + d) * 2 + k], v == d ? on : off);
        }
      }
    }
  }
  const char zero[16] = {};
  for (int64_t k : {int64_t{-20}, int64_t{-3}, int64_t{0}, int64_t{2}, int64_t{40}, INT64_MAX, INT64_MIN}) {
    for (bool upper : {true, false}) {
      expect_moves(
          2 * 5 * 9, 2 * 5 * 9,
          [&](void* d, const void* s, int w, const Team& t) { triangle(d, s, 2, 5, 9, k, upper, w, t); },
          [&](int64_t i) {
            const int64_t r = i / 9 % 5, c = i % 9;
            return (upper ? c - r >= k : c - r <= k) ? i : -1;
          },
          zero);
    }
  }
}

TEST(Rearrange, DepthSequenceRoll) {
  const int64_t n = 2, c = 12, h = 3, w = 5, b = 2, rest = c / 4;
  for (bool crd : {false, true}) {
    expect_moves(
        n * c * h * w, n * c * h * w,
        [&](void* d, const void* s, int width, const Team& t) {
          ASSERT_TRUE(depth_to_space(d, s, n, c, h, w, b, crd, width, t).ok());
        },
        [&](int64_t i) {
          const int64_t x = i % (w * b), y = i / (w * b) % (h * b), k = i / (w * b * h * b) % rest,
                        m = i / (w * b * h * b * rest);
          const int64_t within = y % b * b + x % b, channel = crd ? k * b * b + within : within * rest + k;
          return ((m * c + channel) * h + y / b) * w + x / b;
        });
  }
  expect_moves(
      2 * 3 * 4 * 6, 2 * 3 * 4 * 6,
      [&](void* d, const void* s, int width, const Team& t) {
        ASSERT_TRUE(space_to_depth(d, s, 2, 3, 4, 6, 2, width, t).ok());
      },
      [&](int64_t i) {
        const int64_t x = i % 3, y = i / 3 % 2, k = i / 6 % 12, m = i / 72;
        return ((m * 3 + k % 3) * 4 + y * 2 + k / 3 / 2) * 6 + x * 2 + k / 3 % 2;
      });
  uint8_t byte = 0;
  EXPECT_FALSE(depth_to_space(&byte, &byte, 1, 6, 1, 1, 2, false, 1, Team()).ok());
  EXPECT_FALSE(space_to_depth(&byte, &byte, 1, 1, 3, 2, 2, 1, Team()).ok());
  const int64_t lengths[] = {0, 4, 7};
  for (bool time_first : {true, false}) {
    expect_moves(
        7 * 3 * 5, 7 * 3 * 5,
        [&](void* d, const void* s, int width, const Team& t) {
          ASSERT_TRUE(reverse_sequence(d, s, 7, 3, 5, time_first, Indices{lengths, 3, true}, width, t).ok());
        },
        [&](int64_t i) {
          const int64_t k = i % 5, r = i / 5, t = time_first ? r / 3 : r % 7, bi = time_first ? r % 3 : r / 7;
          const int64_t u = t < lengths[bi] ? lengths[bi] - 1 - t : t;
          return (time_first ? u * 3 + bi : bi * 7 + u) * 5 + k;
        });
  }
  EXPECT_FALSE(reverse_sequence(&byte, &byte, 6, 3, 1, true, Indices{lengths, 3, true}, 1, Team()).ok());
  for (int64_t shift : {int64_t{0}, int64_t{3}, int64_t{-2}, int64_t{23}, INT64_MIN}) {
    expect_moves(
        2 * 7 * 3, 2 * 7 * 3,
        [&](void* d, const void* s, int width, const Team& t) { roll(d, s, 2, 7, 3, shift, width, t); },
        [&](int64_t i) {
          const int64_t at = (i / 3 % 7 - shift % 7 + 14) % 7;
          return (i / 21 * 7 + at) * 3 + i % 3;
        });
  }
}

TEST(Rearrange, RangeEyePacked) {
  const float fs = 1, fl = 2.05f, fd = 0.1f;
  EXPECT_EQ(*range_count(&fs, &fl, &fd, DType::kF32), 11);
  const int64_t is = 10, il = -3, id = -4, zero = 0, low = INT64_MIN, high = INT64_MAX, one = 1;
  EXPECT_EQ(*range_count(&is, &il, &id, DType::kI64), 4);
  EXPECT_EQ(*range_count(&il, &is, &id, DType::kI64), 0);
  EXPECT_FALSE(range_count(&is, &il, &zero, DType::kI64).ok());
  EXPECT_FALSE(range_count(&low, &high, &one, DType::kI64).ok());
  EXPECT_EQ(*range_count(&high, &low, &low, DType::kI64), 2);
  const float nan = NAN;
  EXPECT_FALSE(range_count(&fs, &nan, &fd, DType::kF32).ok());
  Guarded<int64_t> out(4);
  range(out.data(), &is, &id, 4, DType::kI64, wide_team());
  EXPECT_EQ(out.items(), (std::vector<int64_t>{10, 6, 2, -2}));
  Guarded<int16_t> identity(3 * 4);
  const int16_t unit = 5;
  eye(identity.data(), 3, 4, 1, &unit, 2, Team());
  EXPECT_EQ(identity.items(), (std::vector<int16_t>{0, 5, 0, 0, 0, 0, 5, 0, 0, 0, 0, 5}));
  for (int bits : {2, 4}) {
    for (bool is_signed : {false, true}) {
      for (int64_t n : {0, 1, 2, 3, 5, 64, 129}) {
        const int64_t bytes = (n * bits + 7) / 8;
        Guarded<uint8_t> packed = pattern(bytes, 1), wide(n), again(bytes);
        unpack_bits(wide.data(), packed.data(), n, bits, is_signed, Team());
        for (int64_t i = 0; i < n; ++i) {
          int v = packed[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1);
          if (is_signed && v >= 1 << (bits - 1)) v -= 1 << bits;
          ASSERT_EQ(wide[i], static_cast<uint8_t>(v));
        }
        pack_bits(again.data(), wide.data(), n, bits, Team());
        if (n * bits % 8 != 0) packed[bytes - 1] &= static_cast<uint8_t>((1 << (n * bits % 8)) - 1);
        EXPECT_EQ(again.items(), packed.items());
      }
    }
  }
}

TEST(Rows, FillAndCount) {
  for (int width : kWidths) {
    for (int64_t n : {0, 1, 7, 16, 33, 1000}) {
      const char value[17] = "0123456789abcdef";
      expect_moves(
          n, 0, [&](void* d, const void*, int w, const Team& t) { fill(d, value, n, w, t); },
          [](int64_t) { return int64_t{-1}; }, value);
      Guarded<uint8_t> bytes(n);
      int64_t found = 0;
      for (int64_t i = 0; i < n; ++i) found += (bytes[i] = static_cast<uint8_t>(i % 3 * width)) != 0;
      EXPECT_EQ(count_nonzero_bytes(bytes.data(), n), found);
    }
  }
}

TEST(SmallFloat, RoundTripsAndRounding) {
  for (uint32_t code = 0; code < 65536; ++code) {
    const float f = f16_to_f32(static_cast<uint16_t>(code));
    ASSERT_EQ(std::bit_cast<uint32_t>(f),
              std::bit_cast<uint32_t>(std::isnan(f) ? f : small_float_to_f32(code, kFormatF16)));
    if (!std::isnan(f)) {
      ASSERT_EQ(f32_to_f16(f), code);
    } else {
      ASSERT_TRUE(std::isnan(f16_to_f32(f32_to_f16(f))));
    }
  }
  EXPECT_EQ(f32_to_f16(65519.9f), 0x7bff);
  EXPECT_EQ(f32_to_f16(65520.0f), 0x7c00);
  EXPECT_EQ(f32_to_f16(1e-8f), 0);
  EXPECT_EQ(f32_to_f16(0x1.8p-25f), 1);
  EXPECT_EQ(f32_to_f16(0x1p-25f), 0);
  for (const FloatFormat* format : {&kFormatE4M3FN, &kFormatE4M3FNUZ, &kFormatE5M2, &kFormatE5M2FNUZ, &kFormatE2M1}) {
    const uint32_t codes = 1u << (1 + format->exponent_bits + format->mantissa_bits);
    for (uint32_t code = 0; code < codes; ++code) {
      const float f = small_float_to_f32(code, *format);
      if (std::isnan(f)) ASSERT_TRUE(std::isnan(small_float_to_f32(f32_to_small_float(f, *format, true), *format)));
      else ASSERT_EQ(f32_to_small_float(f, *format, false), code) << code;
    }
  }
  EXPECT_EQ(small_float_to_f32(0x7e, kFormatE4M3FN), 448);
  EXPECT_EQ(f32_to_small_float(1000, kFormatE4M3FN, true), 0x7eu);
  EXPECT_EQ(f32_to_small_float(1000, kFormatE4M3FN, false), 0x7fu);
  EXPECT_EQ(f32_to_small_float(1e6f, kFormatE5M2, false), 0x7cu);
  EXPECT_EQ(f32_to_small_float(1e6f, kFormatE5M2, true), 0x7bu);
  EXPECT_EQ(f32_to_small_float(-0.0f, kFormatE4M3FNUZ, true), 0u);
  EXPECT_EQ(f32_to_small_float(100, kFormatE2M1, false), 7u);
}

}  // namespace
}  // namespace tenon::kernels
