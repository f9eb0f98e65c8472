// EyeLike and Trilu: ones on a diagonal, and one side of it kept.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "kernels/move/rearrange.h"
#include "kernels/move/select.h"
#include "opdef/build.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status eye_like_shape(InferContext& c) {
  DType t = static_cast<DType>(c.attr("dtype", static_cast<int64_t>(c.dtype(0))));
  if (c.node().find("dtype") && !(is_valid(t) && (kNumbers | kBools).has(t)))
    return invalid("EyeLike: dtype ", c.attr("dtype", 0), " is no type that it gives");
  if (!c.has_shape(0)) {
    c.set(0, t, {Dim::unknown(), Dim::unknown()});
    return {};
  }
  if (c.rank(0) != 2) return invalid("EyeLike: the input has rank ", c.rank(0), ", a matrix is needed");
  c.set(0, t, c.shape(0));
  return {};
}

struct EyeState final : KernelState {
  Tensor one;
};
Result<StatePtr> pack_eye_like(PackContext& c) {
  auto s = std::make_unique<EyeState>();
  s->one = scalar_of(c.out_type(0), 1);
  return StatePtr(std::move(s));
}
Status run_eye_like(KernelContext& c) {
  const TensorRef& out = c.out(0);
  int64_t k = std::clamp<int64_t>(c.node().int_or("k", 0), -out.dims[0] - 1, out.dims[1] + 1);
  kernels::eye(out.data, out.dims[0], out.dims[1], k, c.state<EyeState>().one.data(), byte_width(out.dtype), c.team());
  return {};
}

Status trilu_shape(InferContext& c) {
  if (c.has_shape(0) && c.rank(0) < 2) return invalid("Trilu: the input has rank ", c.rank(0), ", matrices are needed");
  if (auto n = c.count(1); n && *n != 1) return invalid("Trilu: k has ", *n, " elements, one is needed");
  c.copy(0, 0);
  return {};
}
Status run_trilu(KernelContext& c) {
  const TensorRef& x = c.in(0);
  int64_t k = c.has(1) && c.in(1).count ? *c.in(1).as<int64_t>() : 0;
  int64_t rows = x.dims[x.rank - 2], columns = x.dims[x.rank - 1];
  // Diagonals beyond the matrix are all the same: this keeps the kernel's arithmetic small.
  k = std::clamp(k, -rows - 1, columns + 1);
  kernels::triangle(c.out(0).data, x.data, product(x.shape(), 0, x.shape().size() - 2), rows, columns, k,
                    c.node().int_or("upper", 1) != 0, byte_width(x.dtype), c.team());
  if (x.dtype == DType::kString)
    for (auto& s : c.out(0).items<StringRef>())
      if (!s.data) s = StringRef();
  return {};
}

constexpr TypeSet kWhole = kNumbers | kBools | kStrings | kComplex;

}  // namespace

TENON_OP(eye_like){
    .name = "EyeLike",
    .since = {9, 22},
    .in = {port("input", kNumbers | kBools)},
    .out = {port("output", kNumbers | kBools)},
    .attributes = {{"dtype", 'i'}, {"k", 'i'}},
    .shape = eye_like_shape,
};
TENON_CPU(eye_like){{{{.name = "plain", .pack = pack_eye_like, .run = run_eye_like}}}};

TENON_CASES(eye_like) {
  cases.types(kNumbers | kBools);
  cases.add("square").in(values({2, 2}, {0, 0, 0, 0})).out(values({2, 2}, {1, 0, 0, 1}));
  cases.add("above").in(values({2, 3}, {0, 0, 0, 0, 0, 0})).attr("k", 1).out(values({2, 3}, {0, 1, 0, 0, 0, 1}));
  cases.add("far away").in(values({2, 1}, {0, 0})).attr("k", -9).out(values({2, 1}, {0, 0}));
  cases.add("another type")
      .in(values({1, 2}, {0, 0}))
      .attr("dtype", 11)
      .out(typed(DType::kF64, values({1, 2}, {1, 0})));
  cases.add("a vector").in(typed(DType::kF32, range({3}, 0, 1))).fails("rank 1");
}

TENON_OP(trilu){
    .name = "Trilu",
    .since = {14},
    .in = {port("input", kWhole, "T"), optional(port("k", kI64Only))},
    .out = {port("output", kWhole, "T")},
    .attributes = {{"upper", 'i'}},
    .shape = trilu_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(trilu){{{{.name = "plain", .run = run_trilu}}}};

TENON_CASES(trilu) {
  cases.types(kNumbers | kBools);
  CaseTensor x = values({2, 3}, {1, 1, 1, 1, 1, 1});
  cases.add("upper").in(x).out(values({2, 3}, {1, 1, 1, 0, 1, 1}));
  cases.add("lower").in(x).attr("upper", 0).out(values({2, 3}, {1, 0, 0, 1, 1, 0}));
  cases.add("upper, shifted").in(x).in(typed(DType::kI64, values({}, {1}))).out(values({2, 3}, {0, 1, 1, 0, 0, 1}));
  cases.add("lower, shifted, a batch")
      .in(values({2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}))
      .in(typed(DType::kI64, values({1}, {-1})))
      .attr("upper", 0)
      .out(values({2, 2, 2}, {0, 0, 1, 0, 0, 0, 1, 0}));
  cases.add("far away").in(x).in(typed(DType::kI64, values({}, {99}))).out(values({2, 3}, {0, 0, 0, 0, 0, 0}));
  cases.add("empty").in(values({0, 3}, {})).out(values({0, 3}, {}));
  cases.add("a vector").in(typed(DType::kF32, range({3}, 0, 1))).fails("rank 1");
}

}  // namespace tenon::ops
