// Shape: the dimensions of the input as int64, or a slice of them.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "opdef/cases.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;
namespace {

/// start and end by the attributes, clamped to [0, rank].
std::pair<int64_t, int64_t> section(const ir::Node& n, int64_t rank) {
  auto clamp = [&](int64_t v) { return std::clamp<int64_t>(v < 0 ? v + rank : v, 0, rank); };
  int64_t start = clamp(n.int_or("start", 0));
  int64_t end = clamp(n.int_or("end", rank));
  return {start, std::max(start, end)};
}

Status shape_shape(InferContext& c) {
  if (!c.has_shape(0)) {
    c.set(0, DType::kI64, {Dim::unknown()});
    return {};
  }
  auto [start, end] = section(c.node(), c.rank(0));
  DimVector elements;
  for (int64_t i = start; i < end; ++i) elements.push_back(c.shape(0)[static_cast<size_t>(i)]);
  c.set(0, DType::kI64, {Dim(end - start)});
  c.set_elements(0, std::move(elements));
  return {};
}

Status run_shape(KernelContext& c) {
  auto [start, end] = section(c.node(), c.in(0).rank);
  std::copy(c.in(0).dims + start, c.in(0).dims + end, c.out(0).as<int64_t>());
  return {};
}

}  // namespace

TENON_OP(shape){
    .name = "Shape",
    .since = {1, 13, 15, 19, 21, 23, 24, 25, 28},
    .in = {port("data", kAll)},
    .out = {port("shape", kI64Only)},
    .shape = shape_shape,
};
TENON_CPU(shape){{{{.name = "plain", .run = run_shape}}}};

TENON_CASES(shape) {
  cases.types(kAll);
  cases.add("all").in(values({2, 3}, {0, 1, 1, 0, 1, 0})).out(ints({2, 3}));
  cases.add("scalar").in(values({}, {1})).out(ints({}));
  cases.add("section").in(values({1, 2, 3}, {0, 1, 1, 0, 1, 0})).attr("start", 1).attr("end", -1).out(ints({2}));
  cases.add("beyond").in(values({1, 2, 3}, {0, 1, 1, 0, 1, 0})).attr("start", -7).attr("end", 9).out(ints({1, 2, 3}));
  cases.add("empty section").in(values({1, 2}, {0, 1})).attr("start", 2).attr("end", 1).out(ints({}));
}

}  // namespace tenon::ops
