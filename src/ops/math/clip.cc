// Clip: x bounded below by min and above by max, either of which may be missing.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "opdef/build.h"
#include "opdef/cases.h"
#include "ops/pointwise.h"

namespace tenon::ops {
namespace {

Status clip_shape(InferContext& c) {
  c.copy(0, 0);
  for (size_t i = 1; i <= 2; ++i) {
    if (!c.has_shape(i)) continue;
    auto n = c.count(i);
    if ((n && *n != 1) || c.rank(i) > std::max(0, c.has_shape(0) ? c.rank(0) : c.rank(i)))
      return invalid("Clip: ", i == 1 ? "min" : "max", " has shape ", ir::dims_text(c.shape(i)),
                     "; it must be a scalar");
  }
  return {};
}

Program clip_program(const ir::Node& n) {
  bool low = n.input(1) != ir::kNoValue, high = n.input(2) != ir::kNoValue;
  return Program::single(low && high ? Fn::kClip : low ? Fn::kMax : high ? Fn::kMin : Fn::kIdentity);
}

/// Before version 11 the bounds were attributes.
Status clip_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 11) return {};
  DType t = b.model().value(node.input(0)).type.dtype;
  constexpr float kLargest = std::numeric_limits<float>::max();
  if (t == DType::kUndefined) t = DType::kF32;
  if (node.find("min") || node.find("max")) {
    b.graph().append_input(node, b.scalar(t, node.float_or("min", -kLargest)));
    b.graph().append_input(node, b.scalar(t, node.float_or("max", kLargest)));
  }
  node.erase("min");
  node.erase("max");
  node.erase("consumed_inputs");
  return {};
}

}  // namespace

TENON_OP(clip){
    .name = "Clip",
    .since = {1, 6, 11, 12, 13},
    .in = {port("input", kNumbers, "T"), optional(port("min", kNumbers, "T")), optional(port("max", kNumbers, "T"))},
    .out = {port("output", kNumbers, "T")},
    .shape = clip_shape,
    .upgrade = clip_upgrade,
    .trait = pointwise(clip_program),
};
TENON_CPU(clip) kPointwise;

TENON_CASES(clip) {
  cases.types(kNumbers);
  cases.reference([](const Case& c, const std::vector<CaseTensor>& in) {
    bool low = in.size() > 1 && !in[1].missing, high = in.size() > 2 && !in[2].missing;
    double lo = low ? in[1].data[0] : c.attr_f("min", -INFINITY), hi = high ? in[2].data[0] : c.attr_f("max", INFINITY);
    return map_elements(in[0], [&](double x) { return std::min(hi, std::max(lo, x)); });
  });
  cases.add("both").in(range({3, 7}, -9, 9)).in(values({}, {2})).in(values({}, {5}));
  cases.add("min").in(range({3, 7}, -9, 9)).in(values({}, {2}));
  cases.add("max").in(range({3, 7}, -9, 9)).in(missing()).in(values({}, {5}));
  cases.add("neither").in(range({3, 7}, -9, 9));
  cases.add("min above max").in(range({7}, 0, 9)).in(values({}, {6})).in(values({}, {3}));
  cases.add("one element").in(range({7}, 0, 9)).in(values({1}, {2})).in(values({1}, {3}));
  cases.add("empty").in(range({0, 7}, -9, 9)).in(values({}, {2}));
  cases.add("version 6").in(typed(DType::kF32, range({9}, -9, 9))).attr_f("min", -2).attr_f("max", 3).opset(6);
  cases.add("version 6, one bound").in(typed(DType::kF32, range({9}, -9, 9))).attr_f("max", 3).opset(6);
  cases.add("a list")
      .in(typed(DType::kF32, range({7}, 0, 9)))
      .in(typed(DType::kF32, values({2}, {2, 3})))
      .fails("must be a scalar");
}

}  // namespace tenon::ops
