// Min, Max, Sum, Mean: any number of inputs, combined element by element with broadcasting.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "ops/math/arithmetic.h"

namespace tenon::ops {
namespace {

/// Chains longer than this are combined step by step in the output instead of in one program.
constexpr size_t kLongest = 16;

template <Fn fn, bool mean = false>
Program chain(const ir::Node& node) {
  Program p;
  p.inputs = static_cast<int>(node.inputs().size());
  uint8_t last = 0;
  if (p.inputs > static_cast<int>(kLongest)) p.inputs = 0;  // not one program: planning it fails
  for (int i = 1; i < p.inputs; ++i) last = p.emit(fn, {last, static_cast<uint8_t>(i)});
  if (mean) last = p.emit(Fn::kMulImm, {last}, 1.0 / std::max(1, p.inputs));
  else if (p.inputs == 1) last = p.emit(Fn::kIdentity, {last});
  p.outputs.push_back(last);
  return p;
}

bool can_chain(const KernelQuery& q) { return q.node().inputs().size() <= kLongest && can_pointwise(q); }

/// For many inputs: the output collects one after the other.
struct StepState final : KernelState {
  PointwisePlan copy, step, finish;
};
template <Fn fn, bool mean>
Result<StatePtr> pack_steps(PackContext& c) {
  auto s = std::make_unique<StepState>();
  DType t[2] = {c.in_type(0), c.in_type(0)};
  TENON_ASSIGN(s->copy, plan_pointwise(Program::single(Fn::kIdentity), std::span(t, 1)));
  TENON_ASSIGN(s->step, plan_pointwise(Program::single(fn), t));
  if (mean) {
    double count = static_cast<double>(c.node().inputs().size());
    TENON_ASSIGN(s->finish, plan_pointwise(Program::single(Fn::kMulImm, 1.0 / count), std::span(t, 1)));
  }
  return StatePtr(std::move(s));
}
template <bool mean>
Status run_steps(KernelContext& c) {
  const auto& s = c.state<StepState>();
  TensorRef out = c.out(0);
  std::span<const TensorRef> to(&out, 1);
  run_pointwise(s.copy, std::span(&c.in(0), 1), to, c.team());
  for (size_t i = 1; i < c.inputs(); ++i) {
    TensorRef in[2] = {out, c.in(i)};
    run_pointwise(s.step, in, to, c.team());
  }
  if (mean) run_pointwise(s.finish, to, to, c.team());
  return {};
}

/// Before version 8 all inputs had one shape, which broadcasting covers.
Status drop_consumed(ir::Node& node, Build&) {
  node.erase("consumed_inputs");
  return {};
}

template <class F>
Reference chain_reference(F f, bool mean = false) {
  return [=](const Case& c, const std::vector<CaseTensor>& in) {
    CaseTensor all = in[0];
    for (size_t i = 1; i < in.size(); ++i) all = binary_reference(f)(c, {all, in[i]})[0];
    if (mean)
      for (double& v : all.data) v /= static_cast<double>(in.size());
    all.dtype = DType::kUndefined;
    return std::vector<CaseTensor>{all};
  };
}
void add_chain_cases(Cases& cases) {
  cases.add("one").in(range({3, 5}, -9, 9));
  cases.add("three of a shape").in(range({3, 5}, -9, 9)).in(range({3, 5}, -7, 8)).in(range({3, 5}, 0, 5));
  cases.add("broadcast").in(range({3, 1}, -9, 9)).in(range({2, 1, 5}, -7, 8)).in(range({}, 0, 5));
  cases.add("empty").in(range({0, 5}, -9, 9)).in(range({5}, -7, 8));
  auto many = cases.add("many").in(range({2, 3}, -9, 9));
  for (int i = 0; i < 40; ++i) many.in(range({i % 2 ? 3 : 1}, -1 - i % 3, 1 + i % 7));
  cases.add("version 6").in(range({3, 5}, -9, 9)).in(range({3, 5}, -7, 8)).opset(6);
}

}  // namespace

TENON_OP(min){
    .name = "Min",
    .since = {1, 6, 8, 12, 13},
    .in = {variadic(port("data_0", kNumbers, "T"))},
    .out = {port("min", kNumbers, "T")},
    .shape = arithmetic_shape,
    .upgrade = drop_consumed,
    .trait = pointwise(chain<Fn::kMin, false>, true),
};
TENON_CPU(min){{
    {.name = "pointwise", .can = can_chain, .pack = pack_pointwise, .run = run_pointwise_node},
    {.name = "steps", .pack = pack_steps<Fn::kMin, false>, .run = run_steps<false>},
}};
TENON_CASES(min) {
  cases.types(kNumbers);
  cases.reference(chain_reference([](double x, double y) { return std::min(x, y); }, false));
  add_chain_cases(cases);
}

TENON_OP(max){
    .name = "Max",
    .since = {1, 6, 8, 12, 13},
    .in = {variadic(port("data_0", kNumbers, "T"))},
    .out = {port("max", kNumbers, "T")},
    .shape = arithmetic_shape,
    .upgrade = drop_consumed,
    .trait = pointwise(chain<Fn::kMax, false>, true),
};
TENON_CPU(max){{
    {.name = "pointwise", .can = can_chain, .pack = pack_pointwise, .run = run_pointwise_node},
    {.name = "steps", .pack = pack_steps<Fn::kMax, false>, .run = run_steps<false>},
}};
TENON_CASES(max) {
  cases.types(kNumbers);
  cases.reference(chain_reference([](double x, double y) { return std::max(x, y); }, false));
  add_chain_cases(cases);
}

TENON_OP(sum){
    .name = "Sum",
    .since = {1, 6, 8, 13},
    .in = {variadic(port("data_0", kFloats, "T"))},
    .out = {port("sum", kFloats, "T")},
    .shape = arithmetic_shape,
    .upgrade = drop_consumed,
    .trait = pointwise(chain<Fn::kAdd, false>, true),
};
TENON_CPU(sum){{
    {.name = "pointwise", .can = can_chain, .pack = pack_pointwise, .run = run_pointwise_node},
    {.name = "steps", .pack = pack_steps<Fn::kAdd, false>, .run = run_steps<false>},
}};
TENON_CASES(sum) {
  cases.types(kFloats);
  cases.reference(chain_reference([](double x, double y) { return x + y; }, false));
  add_chain_cases(cases);
}

TENON_OP(mean){
    .name = "Mean",
    .since = {1, 6, 8, 13},
    .in = {variadic(port("data_0", kFloats, "T"))},
    .out = {port("mean", kFloats, "T")},
    .shape = arithmetic_shape,
    .upgrade = drop_consumed,
    .trait = pointwise(chain<Fn::kAdd, true>, true),
};
TENON_CPU(mean){{
    {.name = "pointwise", .can = can_chain, .pack = pack_pointwise, .run = run_pointwise_node},
    {.name = "steps", .pack = pack_steps<Fn::kAdd, true>, .run = run_steps<true>},
}};
TENON_CASES(mean) {
  cases.types(kFloats);
  cases.reference(chain_reference([](double x, double y) { return x + y; }, true));
  add_chain_cases(cases);
}

}  // namespace tenon::ops
