// NonMaxSuppression: candidates leave a heap in order of score and are tested against the selected boxes.
// SPDX-License-Identifier: MIT
#include "kernels/search/nms.h"

#include <algorithm>

#include "kernels/search/scan.h"

namespace tenon::kernels {
namespace {

// Five arrays of n floats in one block of memory.
BoxArrays arrays(std::vector<float>* memory, int64_t n) {
  memory->resize(static_cast<size_t>(5 * n));
  float* p = memory->data();
  return {p, p + n, p + 2 * n, p + 3 * n, p + 4 * n};
}

void prepare(const float* boxes, int64_t n, bool center_form, const BoxArrays& to) {
  for (int64_t i = 0; i < n; ++i) {
    const float* b = boxes + 4 * i;
    if (center_form) {
      to.x1[i] = b[0] - b[2] / 2;
      to.x2[i] = b[0] + b[2] / 2;
      to.y1[i] = b[1] - b[3] / 2;
      to.y2[i] = b[1] + b[3] / 2;
    } else {
      to.y1[i] = std::min(b[0], b[2]);
      to.x1[i] = std::min(b[1], b[3]);
      to.y2[i] = std::max(b[0], b[2]);
      to.x2[i] = std::max(b[1], b[3]);
    }
    to.area[i] = (to.y2[i] - to.y1[i]) * (to.x2[i] - to.x1[i]);
  }
}

struct Candidate {
  float score;
  int64_t box;
  // Order of the heap: its top is the highest score, of equal ones the lowest box.
  bool operator<(const Candidate& o) const { return score != o.score ? score < o.score : box > o.box; }
};

void select_class(const float* scores, const BoxArrays& boxes, const NmsShape& s, std::vector<int64_t>* selected) {
  std::vector<Candidate> heap;
  for (int64_t i = 0; i < s.boxes; ++i) {
    // The comparisons are false for NaN.
    if (s.has_score_threshold ? scores[i] > s.score_threshold : scores[i] == scores[i]) heap.push_back({scores[i], i});
  }
  std::make_heap(heap.begin(), heap.end());
  const int64_t most = std::min(s.max_per_class, static_cast<int64_t>(heap.size()));
  std::vector<float> memory;
  const BoxArrays kept = arrays(&memory, most);
  int64_t n = 0;
  while (n < most && !heap.empty()) {
    std::pop_heap(heap.begin(), heap.end());
    const int64_t i = heap.back().box;
    heap.pop_back();
    const float box[5] = {boxes.y1[i], boxes.x1[i], boxes.y2[i], boxes.x2[i], boxes.area[i]};
    if (overlaps_any(kept, n, box, s.iou_threshold)) continue;
    kept.y1[n] = box[0];
    kept.x1[n] = box[1];
    kept.y2[n] = box[2];
    kept.x2[n] = box[3];
    kept.area[n] = box[4];
    ++n;
    selected->push_back(i);
  }
}

}  // namespace

std::vector<int64_t> non_max_suppression(const float* boxes, const float* scores, const NmsShape& s, const Team& team) {
  std::vector<int64_t> triples;
  if (s.max_per_class <= 0 || s.boxes == 0 || s.classes == 0) return triples;
  std::vector<std::vector<float>> memory(static_cast<size_t>(s.batches));
  std::vector<BoxArrays> prepared(static_cast<size_t>(s.batches));
  for (size_t b = 0; b < prepared.size(); ++b) {
    prepared[b] = arrays(&memory[b], s.boxes);
    prepare(boxes + static_cast<int64_t>(b) * s.boxes * 4, s.boxes, s.center_form, prepared[b]);
  }
  std::vector<std::vector<int64_t>> selected(static_cast<size_t>(s.batches * s.classes));
  team.parallel_for_cost(s.batches * s.classes, 20.0 * static_cast<double>(s.boxes), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      select_class(scores + i * s.boxes, prepared[static_cast<size_t>(i / s.classes)], s,
                   &selected[static_cast<size_t>(i)]);
    }
  });
  for (size_t i = 0; i < selected.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i);
    for (int64_t box : selected[i]) triples.insert(triples.end(), {at / s.classes, at % s.classes, box});
  }
  return triples;
}

}  // namespace tenon::kernels
