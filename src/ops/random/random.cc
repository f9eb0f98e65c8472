// RandomNormal, RandomUniform, their Like forms, Bernoulli and Multinomial. Numbers come from a counter: element i of
// run r of a node is a function of (seed, r, i), whatever the number of threads. SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"
#include "ops/random/generator.h"

namespace tenon::ops {
namespace {

Result<DType> dtype_of_node(const ir::Node& n, DType fallback, TypeSet allowed) {
  if (!n.find("dtype")) return fallback;
  int64_t v = n.int_or("dtype", 0);
  DType t = v > 0 && v < kDTypeCount ? static_cast<DType>(v) : DType::kUndefined;
  if (!allowed.has(t)) return invalid(n.op, ": dtype ", v, " is no type that it gives");
  return t;
}

/// The four filling operators: shape by attribute, or like the input.
Status fill_shape(InferContext& c) {
  const ir::Node& n = c.node();
  if (n.op == "RandomNormal" || n.op == "RandomUniform") {
    TENON_ASSIGN(DType t, dtype_of_node(n, DType::kF32, kFloats));
    auto shape = n.ints("shape");
    TENON_TRY(checked_count(shape).status());
    DimVector dims;
    for (int64_t d : shape) dims.push_back(d);
    c.set(0, t, std::move(dims));
    return {};
  }
  DType like = n.op == "Bernoulli" || kFloats.has(c.dtype(0)) ? c.dtype(0) : DType::kF32;
  TENON_ASSIGN(DType t, dtype_of_node(n, like, n.op == "Bernoulli" ? kNumbers | kBools : kFloats));
  if (c.has_shape(0)) c.set(0, t, c.shape(0));
  else c.set(0, t);
  return {};
}

/// Fills output 0 with f(draw, element).
template <class F>
Status fill_random(KernelContext& c, F&& f) {
  Draw draw = c.state<RandomState>().next();
  return with_float(c.out(0).dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    TENON_ASSIGN(auto to, OutputAs<T>::of(c, 0));
    T* out = to.data();
    c.team().parallel_for_cost(c.out(0).count, 20, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) out[i] = static_cast<T>(f(draw, i));
    });
    to.finish();
    return {};
  });
}

Status run_normal(KernelContext& c) {
  double mean = c.node().float_or("mean", 0), scale = c.node().float_or("scale", 1);
  return fill_random(c, [=](const Draw& d, int64_t i) { return mean + scale * d.normal(i); });
}
Status run_uniform(KernelContext& c) {
  double low = c.node().float_or("low", 0), high = c.node().float_or("high", 1);
  return fill_random(c, [=](const Draw& d, int64_t i) { return low + (high - low) * d.uniform(i); });
}
Status run_bernoulli(KernelContext& c) {
  TENON_ASSIGN(const double* p, input_as<double>(c, 0));
  return fill_random(c, [=](const Draw& d, int64_t i) { return d.uniform(i) < p[i] ? 1.0 : 0.0; });
}

Status multinomial_shape(InferContext& c) {
  TENON_ASSIGN(DType t, dtype_of_node(c.node(), DType::kI32, kIndices));
  int64_t n = c.attr("sample_size", 1);
  if (n < 1) return invalid("Multinomial: sample_size is ", n);
  if (c.has_shape(0) && c.rank(0) != 2)
    return invalid("Multinomial: the input has rank ", c.rank(0), ", [batch, classes] is needed");
  c.set(0, t, {c.has_shape(0) ? c.shape(0)[0] : Dim::unknown(), Dim(n)});
  return {};
}

Status run_multinomial(KernelContext& c) {
  const TensorRef &x = c.in(0), &y = c.out(0);
  int64_t batch = x.dims[0], classes = x.dims[1], samples = y.dims[1];
  if (batch && !classes) return invalid("Multinomial: there are no classes");
  Draw draw = c.state<RandomState>().next();
  TENON_ASSIGN(const double* logits, input_as<double>(c, 0));
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(x.count) * sizeof(double)));
  double* sums = static_cast<double*>(scratch);
  c.team().parallel_for(batch, 1, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      const double* row = logits + b * classes;
      double* sum = sums + b * classes;
      double largest = row[0], total = 0;
      for (int64_t k = 1; k < classes; ++k) largest = std::max(largest, row[k]);
      for (int64_t k = 0; k < classes; ++k) sum[k] = total += std::exp(row[k] - largest);
      for (int64_t s = 0; s < samples; ++s) {
        double at = draw.uniform(b * samples + s) * total;
        int64_t k = std::min<int64_t>(std::upper_bound(sum, sum + classes, at) - sum, classes - 1);
        if (y.dtype == DType::kI64) y.as<int64_t>()[b * samples + s] = k;
        else y.as<int32_t>()[b * samples + s] = static_cast<int32_t>(k);
      }
    }
  });
  return {};
}

constexpr TypeSet kLike = kNumbers | kBools | kStrings | kComplex;
constexpr Trait kRandom{.deterministic = false};

}  // namespace

Result<StatePtr> pack_random(PackContext& c) {
  return StatePtr(std::make_unique<RandomState>(c.node().get<float>("seed")));
}

TENON_OP(random_normal){
    .name = "RandomNormal",
    .since = {1, 22},
    .in = {},
    .out = {port("output", kFloats)},
    .attributes = {{"dtype", 'i'}, {"mean", 'f'}, {"scale", 'f'}, {"seed", 'f'}, {"shape", 'I', true}},
    .shape = fill_shape,
    .trait = kRandom,
};
TENON_CPU(random_normal){{{{.name = "counter", .pack = pack_random, .run = run_normal}}}};
TENON_CASES(random_normal) {
  cases.add("no spread")
      .attr("shape", std::vector<int64_t>{2, 2})
      .attr_f("mean", 3)
      .attr_f("scale", 0)
      .out(typed(DType::kF32, values({2, 2}, {3, 3, 3, 3})));
  cases.add("integers").attr("shape", std::vector<int64_t>{2}).attr("dtype", 7).fails("dtype 7");
}

TENON_OP(random_uniform){
    .name = "RandomUniform",
    .since = {1, 22},
    .in = {},
    .out = {port("output", kFloats)},
    .attributes = {{"dtype", 'i'}, {"high", 'f'}, {"low", 'f'}, {"seed", 'f'}, {"shape", 'I', true}},
    .shape = fill_shape,
    .trait = kRandom,
};
TENON_CPU(random_uniform){{{{.name = "counter", .pack = pack_random, .run = run_uniform}}}};
TENON_CASES(random_uniform) {
  cases.add("no spread")
      .attr("shape", std::vector<int64_t>{3})
      .attr_f("low", 2)
      .attr_f("high", 2)
      .attr("dtype", 11)
      .out(typed(DType::kF64, values({3}, {2, 2, 2})));
  cases.add("around a half")
      .attr("shape", std::vector<int64_t>{2})
      .attr_f("low", -1)
      .attr_f("high", 1)
      .attr_f("seed", 4)
      .tolerance(2000)
      .out(typed(DType::kF32, values({2}, {0.001, 0.001})));
}

TENON_OP(random_normal_like){
    .name = "RandomNormalLike",
    .since = {1, 22},
    .in = {port("input", kLike)},
    .out = {port("output", kFloats)},
    .attributes = {{"dtype", 'i'}, {"mean", 'f'}, {"scale", 'f'}, {"seed", 'f'}},
    .shape = fill_shape,
    .trait = kRandom,
};
TENON_CPU(random_normal_like){{{{.name = "counter", .pack = pack_random, .run = run_normal}}}};
TENON_CASES(random_normal_like) {
  cases.types(kFloats);
  cases.add("no spread").in(values({2}, {0, 0})).attr_f("mean", 3).attr_f("scale", 0).out(values({2}, {3, 3}));
}

TENON_OP(random_uniform_like){
    .name = "RandomUniformLike",
    .since = {1, 22},
    .in = {port("input", kLike)},
    .out = {port("output", kFloats)},
    .attributes = {{"dtype", 'i'}, {"high", 'f'}, {"low", 'f'}, {"seed", 'f'}},
    .shape = fill_shape,
    .trait = kRandom,
};
TENON_CPU(random_uniform_like){{{{.name = "counter", .pack = pack_random, .run = run_uniform}}}};
TENON_CASES(random_uniform_like) {
  cases.types(kFloats);
  cases.add("no spread").in(values({0, 2}, {})).attr_f("low", 3).attr_f("high", 3).out(values({0, 2}, {}));
}

TENON_OP(bernoulli){
    .name = "Bernoulli",
    .since = {15, 22},
    .in = {port("input", kFloats)},
    .out = {port("output", kNumbers | kBools)},
    .attributes = {{"dtype", 'i'}, {"seed", 'f'}},
    .shape = fill_shape,
    .trait = kRandom,
};
TENON_CPU(bernoulli){{{{.name = "counter", .pack = pack_random, .run = run_bernoulli}}}};
TENON_CASES(bernoulli) {
  cases.types(kFloats);
  cases.add("certain").in(values({4}, {0, 1, 1, 0})).out(values({4}, {0, 1, 1, 0}));
  cases.add("as bool").in(values({2}, {0, 1})).attr("dtype", 9).out(typed(DType::kBool, values({2}, {0, 1})));
}

TENON_OP(multinomial){
    .name = "Multinomial",
    .since = {7, 22},
    .in = {port("input", kFloats)},
    .out = {port("output", kIndices)},
    .attributes = {{"dtype", 'i'}, {"sample_size", 'i'}, {"seed", 'f'}},
    .shape = multinomial_shape,
    .trait = kRandom,
};
TENON_CPU(multinomial){{{{.name = "counter", .pack = pack_random, .run = run_multinomial}}}};
TENON_CASES(multinomial) {
  cases.types(TypeSet{DType::kF32, DType::kF64});
  cases.add("certain")
      .in(values({2, 3}, {-900, 0, -900, 0, -900, -900}))
      .attr("sample_size", 2)
      .out(typed(DType::kI32, values({2, 2}, {1, 1, 0, 0})));
  cases.add("64 bits").in(values({1, 1}, {0})).attr("dtype", 7).out(typed(DType::kI64, values({1, 1}, {0})));
  cases.add("a vector").in(typed(DType::kF32, values({2}, {0, 0}))).fails("rank 1");
}

}  // namespace tenon::ops
