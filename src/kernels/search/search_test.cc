// Tests of topk, suppression, nonzero and unique against sorting and counting.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/small_float.h"
#include "kernels/guarded.h"
#include "kernels/search/nms.h"
#include "kernels/search/nonzero.h"
#include "kernels/search/topk.h"
#include "kernels/search/unique.h"
#include "tensor/tensor.h"

namespace tenon::kernels {
namespace {

// NaN above all else.
template <class T>
bool before(T a, T b, bool largest) {
  const bool an = a != a, bn = b != b;
  if (an || bn) return largest ? an && !bn : bn && !an;
  return largest ? a > b : a < b;
}

template <class T, class Make, class Read>
void check_topk(DType dtype, const TopkShape& shape, Make&& make, Read&& read) {
  std::vector<T> x;
  for (int64_t i = 0; i < shape.outer * shape.axis * shape.inner; ++i) x.push_back(make(i));
  const int64_t out = shape.outer * shape.k * shape.inner;
  for (const Team& team : {Team(), wide_team()}) {
    Guarded<T> values(out);
    Guarded<int64_t> indices(out);
    Guarded<uint8_t> scratch(topk_scratch_bytes(shape, dtype, team.width()));
    ASSERT_TRUE(topk(values.data(), indices.data(), x.data(), dtype, shape, scratch.data(), team).ok());
    for (int64_t o = 0; o < shape.outer; ++o) {
      for (int64_t c = 0; c < shape.inner; ++c) {
        const auto at = [&](int64_t i) { return x[static_cast<size_t>((o * shape.axis + i) * shape.inner + c)]; };
        std::vector<int64_t> order(static_cast<size_t>(shape.axis));
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(),
                         [&](int64_t a, int64_t b) { return before(read(at(a)), read(at(b)), shape.largest); });
        order.resize(static_cast<size_t>(shape.k));
        if (!shape.sorted) std::sort(order.begin(), order.end());
        for (int64_t i = 0; i < shape.k; ++i) {
          const int64_t to = (o * shape.k + i) * shape.inner + c;
          ASSERT_EQ(indices[to], order[static_cast<size_t>(i)]) << "k " << i << " of axis " << shape.axis;
          const T want = at(order[static_cast<size_t>(i)]);
          ASSERT_EQ(std::memcmp(&values[to], &want, sizeof(T)), 0);
        }
      }
    }
  }
}

TEST(Topk, TypesAndShapes) {
  Random random(1);
  const TopkShape shapes[] = {
      {3, 50, 1, 7, true, true},       {2, 5000, 1, 20, true, true},    {2, 5000, 1, 20, false, true},
      {1, 300000, 1, 100, true, true}, {1, 300000, 1, 5, false, true},  {2, 40, 19, 40, true, true},
      {1, 3000, 5, 9, false, false},   {4, 1, 1, 1, true, true},        {2, 9, 3, 0, true, true},
      {0, 9, 3, 2, true, true},        {1, 70001, 1, 69000, true, true}};
  for (const TopkShape& s : shapes) {
    const auto same = [](auto v) { return v; };
    check_topk<float>(
        DType::kF32, s,
        [&](int64_t i) {
          const int64_t r = random.between(0, 200);
          return r == 0 ? NAN : r == 1 ? -0.0f : r == 2 ? 0.0f : r == 3 ? INFINITY : i % 3 ? random.unit() : float(r);
        },
        same);
    check_topk<double>(DType::kF64, s, [&](int64_t) { return std::round(random.unit() * 100) / 8; }, same);
    check_topk<int64_t>(DType::kI64, s, [&](int64_t) { return static_cast<int64_t>(random.next()); }, same);
    check_topk<int32_t>(DType::kI32, s, [&](int64_t) { return static_cast<int32_t>(random.between(-99, 99)); }, same);
    check_topk<uint8_t>(DType::kU8, s, [&](int64_t) { return static_cast<uint8_t>(random.next()); }, same);
    check_topk<int8_t>(DType::kI8, s, [&](int64_t) { return static_cast<int8_t>(random.next()); }, same);
    check_topk<uint16_t>(DType::kF16, s, [&](int64_t) { return static_cast<uint16_t>(random.next()); }, f16_to_f32);
    check_topk<uint16_t>(DType::kBF16, s, [&](int64_t) { return static_cast<uint16_t>(random.next()); }, bf16_to_f32);
  }
  // Mostly NaN, rising and falling rows: every element beats the bound, or none.
  for (bool largest : {true, false}) {
    const TopkShape s{1, 9000, 1, 33, largest, true};
    const auto same = [](auto v) { return v; };
    check_topk<float>(DType::kF32, s, [](int64_t i) { return i < 8990 ? NAN : float(i); }, same);
    check_topk<float>(DType::kF32, s, [](int64_t i) { return float(i); }, same);
    check_topk<float>(DType::kF32, s, [](int64_t i) { return -float(i); }, same);
    check_topk<float>(DType::kF32, s, [](int64_t) { return 1.0f; }, same);
  }
  float f = 0;
  int64_t i = 0;
  EXPECT_FALSE(topk(&f, &i, &f, DType::kF32, {1, 1, 1, 2, true, true}, nullptr, Team()).ok());
  EXPECT_FALSE(topk(&f, &i, &f, DType::kC64, {1, 1, 1, 1, true, true}, nullptr, Team()).ok());
}

TEST(Nms, AgainstPlainLoops) {
  Random random(2);
  for (int round = 0; round < 30; ++round) {
    NmsShape s{random.between(1, 3),        random.between(1, 4), random.between(0, 120), random.between(0, 40),
               0.3f + 0.1f * random.unit(), round % 2 == 0,       random.unit(),          round % 3 == 0};
    std::vector<float> boxes, scores;
    for (int64_t i = 0; i < s.batches * s.boxes * 4; ++i) boxes.push_back(random.unit() * (i % 4 > 1 ? 2 : 1));
    for (int64_t i = 0; i < s.batches * s.classes * s.boxes; ++i) scores.push_back(std::round(random.unit() * 20) / 20);
    if (!scores.empty()) scores[0] = NAN;
    std::vector<int64_t> want;
    for (int64_t b = 0; b < s.batches; ++b) {
      for (int64_t c = 0; c < s.classes; ++c) {
        const float* sc = scores.data() + (b * s.classes + c) * s.boxes;
        std::vector<int64_t> order, kept;
        for (int64_t i = 0; i < s.boxes; ++i) {
          if (!std::isnan(sc[i]) && (!s.has_score_threshold || sc[i] > s.score_threshold)) order.push_back(i);
        }
        std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return sc[i] > sc[j]; });
        const auto corner = [&](int64_t i, float* o) {
          const float* p = boxes.data() + (b * s.boxes + i) * 4;
          if (s.center_form) {
            o[0] = p[1] - p[3] / 2, o[1] = p[0] - p[2] / 2, o[2] = p[1] + p[3] / 2, o[3] = p[0] + p[2] / 2;
          } else {
            o[0] = std::min(p[0], p[2]), o[1] = std::min(p[1], p[3]), o[2] = std::max(p[0], p[2]),
            o[3] = std::max(p[1], p[3]);
          }
        };
        for (int64_t i : order) {
          if (static_cast<int64_t>(kept.size()) >= s.max_per_class) break;
          bool drop = false;
          for (int64_t j : kept) {
            float p[4], q[4];
            corner(i, p), corner(j, q);
            const float h = std::min(p[2], q[2]) - std::max(p[0], q[0]),
                        w = std::min(p[3], q[3]) - std::max(p[1], q[1]);
            const float a1 = (p[2] - p[0]) * (p[3] - p[1]), a2 = (q[2] - q[0]) * (q[3] - q[1]);
            if (h > 0 && w > 0 && a1 > 0 && a2 > 0 && h * w / (a1 + a2 - h * w) > s.iou_threshold) drop = true;
          }
          if (drop) continue;
          kept.push_back(i);
          want.insert(want.end(), {b, c, i});
        }
      }
    }
    for (const Team& team : {Team(), wide_team()}) {
      ASSERT_EQ(non_max_suppression(boxes.data(), scores.data(), s, team), want);
    }
  }
}

TEST(Nonzero, CoordinatesOfAllTypes) {
  Random random(3);
  for (const Dims& dims : {Dims{5}, Dims{3, 4, 5}, Dims{2, 0}, Dims{40, 3, 700}, Dims{1, 1}}) {
    const int64_t count = product(dims);
    std::vector<float> x;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t r = random.between(0, 5);
      x.push_back(r == 0 ? 0.0f : r == 1 ? -0.0f : r == 2 ? NAN : 1e-42f);
      if (r > 1) places.push_back(i);
    }
    const int64_t n = static_cast<int64_t>(places.size()), rank = static_cast<int64_t>(dims.size());
    for (const Team& team : {Team(), wide_team()}) {
      ASSERT_EQ(count_nonzero(x.data(), DType::kF32, count, team), n);
      Guarded<int64_t> out(rank * n);
      nonzero(out.data(), x.data(), DType::kF32, dims, n, team);
      for (int64_t i = 0; i < n; ++i) {
        int64_t rest = places[static_cast<size_t>(i)];
        for (int64_t d = rank; d-- > 0;) {
          ASSERT_EQ(out[d * n + i], rest % dims[static_cast<size_t>(d)]);
          rest /= dims[static_cast<size_t>(d)];
        }
      }
    }
  }
  const uint8_t bytes[] = {0, 1, 0x80, 0};
  EXPECT_EQ(count_nonzero(bytes, DType::kBool, 4, Team()), 2);
  EXPECT_EQ(count_nonzero(bytes, DType::kF8E4M3FN, 4, Team()), 1);
  EXPECT_EQ(count_nonzero(bytes, DType::kF8E5M2FNUZ, 4, Team()), 2);
  const double complex[] = {0, -0.0, 0, 1};
  EXPECT_EQ(count_nonzero(complex, DType::kC128, 2, Team()), 1);
  const StringRef texts[] = {{"", 0}, {"a", 1}};
  EXPECT_EQ(count_nonzero(texts, DType::kString, 2, Team()), 1);
}

TEST(Unique, SortedUnsortedAxis) {
  const float x[] = {2, 1, 1, 3, NAN, 4, 3, NAN, -0.0f, 0};
  auto r = unique(x, DType::kF32, 1, 10, 1, true);
  ASSERT_TRUE(r.ok());
  EXPECT_EQ(r->first, (std::vector<int64_t>{8, 1, 0, 3, 5, 4}));
  EXPECT_EQ(r->inverse, (std::vector<int64_t>{2, 1, 1, 3, 5, 4, 3, 5, 0, 0}));
  EXPECT_EQ(r->counts, (std::vector<int64_t>{2, 2, 1, 2, 1, 2}));
  r = unique(x, DType::kF32, 1, 10, 1, false);
  EXPECT_EQ(r->first, (std::vector<int64_t>{0, 1, 3, 4, 5, 8}));
  EXPECT_EQ(r->inverse, (std::vector<int64_t>{0, 1, 1, 2, 3, 4, 2, 3, 5, 5}));
  // [2, 4, 3] along axis 1: items 0 and 2 are equal, 3 is below 1 because of the second outer slice only.
  const int64_t y[] = {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 0, 0, 9, 9, 9, 1, 0, 0, 8, 9, 9};
  r = unique(y, DType::kI64, 2, 4, 3, true);
  EXPECT_EQ(r->first, (std::vector<int64_t>{0, 3, 1}));
  EXPECT_EQ(r->inverse, (std::vector<int64_t>{0, 2, 0, 1}));
  EXPECT_EQ(r->counts, (std::vector<int64_t>{2, 1, 1}));
  const StringRef texts[] = {{"b", 1}, {"a", 1}, {"b", 1}, {"", 0}};
  r = unique(texts, DType::kString, 1, 4, 1, true);
  EXPECT_EQ(r->first, (std::vector<int64_t>{3, 1, 0}));
  EXPECT_TRUE(unique(x, DType::kF32, 1, 0, 1, true)->first.empty());
  EXPECT_FALSE(unique(x, DType::kC64, 1, 1, 1, true).ok());
}

}  // namespace
}  // namespace tenon::kernels
