// NonMaxSuppression: boxes of high score that overlap little with better ones, for each batch entry and class.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/search/nms.h"
#include "opdef/cases.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status nms_shape(InferContext& c) {
  if (c.has_shape(0) && (c.rank(0) != 3 || (c.shape(0)[2].is_const() && !c.shape(0)[2].is(4))))
    return invalid("NonMaxSuppression: boxes ", ir::dims_text(c.shape(0)), " must be [batch, boxes, 4]");
  if (c.has_shape(1) && c.rank(1) != 3)
    return invalid("NonMaxSuppression: scores ", ir::dims_text(c.shape(1)), " must be [batch, classes, boxes]");
  if (c.has_shape(0) && c.has_shape(1)) {
    auto differs = [](Dim a, Dim b) { return a.is_const() && b.is_const() && a.value() != b.value(); };
    if (differs(c.shape(0)[0], c.shape(1)[0]) || differs(c.shape(0)[1], c.shape(1)[2]))
      return invalid("NonMaxSuppression: boxes ", ir::dims_text(c.shape(0)), " and scores ", ir::dims_text(c.shape(1)),
                     " do not fit");
  }
  c.set(0, DType::kI64, {Dim::unknown(), Dim(3)});
  return {};
}

Status run_nms(KernelContext& c) {
  const TensorRef &boxes = c.in(0), &scores = c.in(1);
  kernels::NmsShape s;
  s.batches = scores.dims[0];
  s.classes = scores.dims[1];
  s.boxes = scores.dims[2];
  s.max_per_class = c.has(2) && c.in(2).count ? *c.in(2).as<int64_t>() : 0;
  s.iou_threshold = c.has(3) && c.in(3).count ? *c.in(3).as<float>() : 0;
  s.has_score_threshold = c.has(4) && c.in(4).count;
  s.score_threshold = s.has_score_threshold ? *c.in(4).as<float>() : 0;
  s.center_form = c.node().int_or("center_point_box", 0) != 0;
  if (!(s.iou_threshold >= 0 && s.iou_threshold <= 1))
    return invalid("NonMaxSuppression: iou_threshold ", s.iou_threshold, " is outside of [0, 1]");
  auto found = kernels::non_max_suppression(boxes.as<float>(), scores.as<float>(), s, c.team());
  TENON_TRY(c.allocate(0, Dims{static_cast<int64_t>(found.size() / 3), 3}));
  std::copy(found.begin(), found.end(), c.out(0).as<int64_t>());
  return {};
}

constexpr TypeSet kF32Only{DType::kF32};

}  // namespace

TENON_OP(non_max_suppression){
    .name = "NonMaxSuppression",
    .since = {10, 11},
    .in = {port("boxes", kF32Only), port("scores", kF32Only), optional(port("max_output_boxes_per_class", kI64Only)),
           optional(port("iou_threshold", kF32Only)), optional(port("score_threshold", kF32Only))},
    .out = {port("selected_indices", kI64Only)},
    .attributes = {{"center_point_box", 'i'}},
    .shape = nms_shape,
    .trait = {.kernel_sizes_output = true},
};
TENON_CPU(non_max_suppression){{{{.name = "greedy", .run = run_nms}}}};

TENON_CASES(non_max_suppression) {
  cases.types(kF32Only);
  auto f = [](CaseTensor t) { return typed(DType::kF32, std::move(t)); };
  auto i = [](CaseTensor t) { return typed(DType::kI64, std::move(t)); };
  CaseTensor boxes = f(values({1, 4, 4}, {0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, 10, 1, 11, 0, 10.1, 1, 11.1}));
  CaseTensor scores = f(values({1, 1, 4}, {0.9, 0.75, 0.6, 0.95}));
  cases.add("overlapping dropped")
      .in(boxes)
      .in(scores)
      .in(ints({3}))
      .in(f(values({1}, {0.5})))
      .out(i(values({2, 3}, {0, 0, 3, 0, 0, 0})));
  cases.add("score threshold")
      .in(boxes)
      .in(scores)
      .in(ints({3}))
      .in(f(values({1}, {0.5})))
      .in(f(values({1}, {0.92})))
      .out(i(values({1, 3}, {0, 0, 3})));
  cases.add("at most one")
      .in(boxes)
      .in(scores)
      .in(ints({1}))
      .in(f(values({1}, {0.5})))
      .out(i(values({1, 3}, {0, 0, 3})));
  cases.add("none asked for").in(boxes).in(scores).out(i(values({0, 3}, {})));
  cases.add("threshold").in(boxes).in(scores).in(ints({1})).in(f(values({1}, {1.5}))).fails("iou_threshold 1.5");
}

}  // namespace tenon::ops
