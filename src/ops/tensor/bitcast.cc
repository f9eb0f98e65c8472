// BitCast: the same bits as another element type of the same width.
// SPDX-License-Identifier: MIT
#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;
namespace {

Status bitcast_shape(InferContext& c) {
  int64_t to = c.attr("to", 0);
  DType t = to > 0 && to < kDTypeCount ? static_cast<DType>(to) : DType::kUndefined;
  if (!is_valid(t) || t == DType::kString) return invalid("BitCast: 'to' is ", to, ", which is no type of numbers");
  DType from = c.dtype(0);
  if (from != DType::kUndefined && bit_width(from) != bit_width(t))
    return invalid("BitCast: ", name(from), " has ", bit_width(from), " bits, ", name(t), " has ", bit_width(t));
  if (c.has_shape(0)) c.set(0, t, c.shape(0));
  else c.set(0, t);
  return {};
}

Status run_bitcast(KernelContext& c) {
  if (c.out(0).data != c.in(0).data) kernels::copy_bytes(c.out(0).data, c.in(0).data, c.in(0).bytes(), c.team());
  return {};
}

constexpr TypeSet kBits = kNumbers | kBools | kComplex | kFloat8 | kSubBytes;

}  // namespace

TENON_OP(bitcast){
    .name = "BitCast",
    .since = {26},
    .in = {port("input", kBits)},
    .out = {port("output", kBits)},
    .attributes = {{"to", 'i', true}},
    .shape = bitcast_shape,
    .trait = {.in_place = 1},
};
TENON_CPU(bitcast){{{{.name = "copy", .run = run_bitcast}}}};

TENON_CASES(bitcast) {
  cases.types(TypeSet{DType::kI32});
  cases.add("integers as floats")
      .in(values({2}, {1065353216, 0}))
      .attr("to", 1)
      .out(typed(DType::kF32, values({2}, {1, 0})));
  cases.add("signed as unsigned")
      .in(values({1}, {-1}))
      .attr("to", 12)
      .out(typed(DType::kU32, values({1}, {4294967295.0})));
  cases.add("other width").in(values({1}, {0})).attr("to", 7).fails("i32 has 32 bits, i64 has 64");
}

}  // namespace tenon::ops
