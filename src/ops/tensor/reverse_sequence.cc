// ReverseSequence: the first steps of each batch entry in reverse.
// SPDX-License-Identifier: MIT
#include "kernels/move/rearrange.h"
#include "opdef/cases.h"
#include "ops/bytes.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

Status reverse_sequence_shape(InferContext& c) {
  int64_t batch = c.attr("batch_axis", 1), time = c.attr("time_axis", 0);
  if ((batch != 0 && batch != 1) || (time != 0 && time != 1) || batch == time)
    return invalid("ReverseSequence: batch_axis ", batch, " and time_axis ", time, " must be 0 and 1, or 1 and 0");
  c.copy(0, 0);
  if (!c.has_shape(0)) return {};
  if (c.rank(0) < 2) return invalid("ReverseSequence: the input has rank ", c.rank(0), ", at least 2 is needed");
  Dim b = c.shape(0)[static_cast<size_t>(batch)];
  if (auto n = c.count(1); n && b.is_const() && *n != b.value())
    return invalid("ReverseSequence: ", *n, " lengths for a batch of ", b);
  return {};
}

Status run_reverse_sequence(KernelContext& c) {
  const TensorRef &x = c.in(0), &lengths = c.in(1);
  bool time_first = c.node().int_or("time_axis", 0) == 0;
  int64_t time = x.dims[time_first ? 0 : 1], batch = x.dims[time_first ? 1 : 0];
  if (lengths.count != batch) return invalid("ReverseSequence: ", lengths.count, " lengths for a batch of ", batch);
  TENON_ASSIGN(const void* from, input_bytes(c, 0));
  TENON_ASSIGN(auto to, OutputBytes::of(c, 0));
  auto s = kernels::reverse_sequence(to.data(), from, time, batch, product(x.shape(), 2, x.shape().size()), time_first,
                                     indices_of(lengths), mover_width(x.dtype), c.team());
  if (!s.ok()) return std::move(s).prefix("ReverseSequence: ");
  to.finish();
  return {};
}

}  // namespace

TENON_OP(reverse_sequence){
    .name = "ReverseSequence",
    .since = {10, 28},
    .in = {port("input", kAll, "T"), port("sequence_lens", kI64Only)},
    .out = {port("Y", kAll, "T")},
    .attributes = {{"batch_axis", 'i'}, {"time_axis", 'i'}},
    .shape = reverse_sequence_shape,
};
TENON_CPU(reverse_sequence){{{{.name = "move", .run = run_reverse_sequence}}}};

TENON_CASES(reverse_sequence) {
  cases.types(kAll);
  auto n = [](std::vector<double> v) {
    int64_t k = static_cast<int64_t>(v.size());
    return typed(DType::kI64, values({k}, std::move(v)));
  };
  cases.add("time first").in(values({3, 2}, {1, 0, 0, 1, 0, 0})).in(n({3, 2})).out(values({3, 2}, {0, 1, 0, 0, 1, 0}));
  cases.add("batch first")
      .in(values({2, 3}, {1, 0, 0, 1, 1, 0}))
      .in(n({2, 0}))
      .attr("batch_axis", 0)
      .attr("time_axis", 1)
      .out(values({2, 3}, {0, 1, 0, 1, 1, 0}));
  cases.add("same axis")
      .in(typed(DType::kF32, range({2, 2}, 0, 1)))
      .in(n({1, 1}))
      .attr("batch_axis", 0)
      .fails("must be 0 and 1");
  cases.add("too long").in(typed(DType::kF32, range({2, 1}, 0, 1))).in(n({3})).fails("3");
}

}  // namespace tenon::ops
