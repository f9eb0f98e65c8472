// Dropout: hands its input on; in training, zeroes a random part and scales the rest.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "opdef/build.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"
#include "ops/random/generator.h"

namespace tenon::ops {
namespace {

Status dropout_shape(InferContext& c) {
  c.copy(0, 0);
  Type mask = c.type(0);
  mask.dtype = c.since() >= 10 ? DType::kBool : mask.dtype;  // before version 10 the mask had the data's type
  c.set(1, std::move(mask));
  for (size_t i = 1; i <= 2; ++i) {
    auto n = c.count(i);
    if (n && *n != 1) return invalid("Dropout: input ", i, " has ", *n, " values; it must be a scalar");
  }
  return {};
}

/// Before version 12 the ratio was an attribute and training was told by is_test or by the mask.
Status dropout_upgrade(ir::Node& node, Build& b) {
  if (node.since >= 12) return {};
  // Old models name a mask that nobody reads.
  if (node.output(1) != ir::kNoValue && b.model().value(node.output(1)).use_count() == 0)
    b.graph().truncate_outputs(node, 1);
  if (node.since < 7 && node.int_or("is_test", 0) == 0 && node.output(1) != ir::kNoValue)
    return error(Code::kNotImplemented, "Dropout-", node.since, ": the training form is not supported");
  if (node.since < 10 && node.output(1) != ir::kNoValue)
    return error(Code::kNotImplemented, "Dropout-", node.since, ": a mask of the data's type is not supported");
  for (auto name : {"ratio", "is_test", "consumed_inputs"}) node.erase(name);
  return {};
}

struct State final : KernelState {
  explicit State(const float* seed) : random(seed) {}
  RandomState random;
};
Result<StatePtr> pack_dropout(PackContext& c) {
  auto* seed = c.node().get<int64_t>("seed");
  float value = seed ? static_cast<float>(*seed) : 0;
  return StatePtr(std::make_unique<State>(seed ? &value : nullptr));
}

Status run_dropout(KernelContext& c) {
  const TensorRef& x = c.in(0);
  const bool training = c.has(2) && c.in(2).count == 1 && *c.in(2).as<bool>();
  double ratio = 0.5;
  if (c.has(1) && c.in(1).count == 1) convert(c.in(1).dtype, c.in(1).data, DType::kF64, &ratio, 1);
  bool* mask = c.wants(1) ? c.out(1).as<bool>() : nullptr;
  if (!training || ratio == 0) {
    if (c.wants(0) && c.out(0).data != x.data && x.count)
      std::memcpy(c.out(0).data, x.data, static_cast<size_t>(x.bytes()));
    if (mask && x.count) std::memset(mask, 1, static_cast<size_t>(x.count));
    return {};
  }
  if (!(ratio > 0 && ratio < 1)) return invalid("Dropout: ratio is ", ratio, "; it must be in [0, 1)");
  if (!c.wants(0)) return {};
  Draw draw = c.state<State>().random.next();
  return with_float(x.dtype, [&]<class T>(T) -> Status {
    TENON_ASSIGN(const T* in, input_as<T>(c, 0));
    TENON_ASSIGN(auto out, OutputAs<T>::of(c, 0));
    const T scale = static_cast<T>(1 / (1 - ratio));
    c.team().parallel_for_cost(x.count, 5, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const bool stays = draw.uniform(i) >= ratio;
        out.data()[i] = stays ? in[i] * scale : T{0};
        if (mask) mask[i] = stays;
      }
    });
    out.finish();
    return {};
  });
}

constexpr TypeSet kTypes = kFloats | TypeSet(DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ);

}  // namespace

TENON_OP(dropout){
    .name = "Dropout",
    .since = {1, 6, 7, 10, 12, 13, 22},
    .in = {port("data", kTypes, "T"), optional(port("ratio", kTypes, "T1")),
           optional(port("training_mode", kBools, "T2"))},
    .out = {port("output", kTypes, "T"), optional(port("mask", kBools))},
    .attributes = {{"seed", 'i'}},
    .shape = dropout_shape,
    .upgrade = dropout_upgrade,
    .trait = {.in_place = 0x01, .deterministic = false},
};
TENON_CPU(dropout){{{{.name = "plain", .pack = pack_dropout, .run = run_dropout}}}};

TENON_CASES(dropout) {
  cases.types(kTypes);
  cases.add("inference")
      .in(values({2, 2}, {1, -2, 3, 4}))
      .out(values({2, 2}, {1, -2, 3, 4}))
      .out(typed(DType::kBool, values({2, 2}, {1, 1, 1, 1})));
  cases.add("training without loss")
      .in(values({3}, {1, 2, 3}))
      .in(values({}, {0}))
      .in(typed(DType::kBool, values({}, {1})))
      .out(values({3}, {1, 2, 3}));
  cases.add("training on zeros")
      .in(values({3}, {0, 0, 0}))
      .in(values({}, {0.5}))
      .in(typed(DType::kBool, values({}, {1})))
      .attr("seed", 7)
      .out(values({3}, {0, 0, 0}));
  cases.add("version 7").in(values({3}, {1, 2, 3})).attr_f("ratio", 0.25f).opset(7).out(values({3}, {1, 2, 3}));
  cases.add("ratio of 1")
      .in(typed(DType::kF32, values({3}, {1, 2, 3})))
      .in(typed(DType::kF32, values({}, {1})))
      .in(typed(DType::kBool, values({}, {1})))
      .fails("must be in [0, 1)");
}

}  // namespace tenon::ops
