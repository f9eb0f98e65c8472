// NonMaxSuppression: greedy selection of boxes that overlap little, per batch entry and class.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "threads/team.h"

namespace tenon::kernels {

struct NmsShape {
  int64_t batches = 0;
  int64_t classes = 0;
  int64_t boxes = 0;
  int64_t max_per_class = 0;  ///< at most this many are selected per batch entry and class; <= 0 selects nothing
  float iou_threshold = 0;    ///< a box is dropped when its overlap with a selected one is above this
  bool has_score_threshold = false;
  float score_threshold = 0;  ///< only scores above this take part
  bool center_form = false;   ///< boxes are (x_center, y_center, width, height), else two corners (y1, x1, y2, x2)
};

/// boxes [batches, boxes, 4], scores [batches, classes, boxes]. Returns triples (batch, class, box) in order of batch
/// and class, then falling score (equal scores: lower box index first). NaN scores take no part.
std::vector<int64_t> non_max_suppression(const float* boxes, const float* scores, const NmsShape& shape,
                                         const Team& team);

}  // namespace tenon::kernels
