// Products of 8-bit matrices scaled to floats give the bits of the chain of operators that they stand for.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "exec/frame.h"
#include "ops/table.h"
#include "passes/pipeline.h"

namespace tenon::exec {
namespace {

using ir::Type;
using ir::ValueId;

struct Sizes {
  int64_t m, k, n;
  bool by_column, zero, bias;
};

template <class T>
Tensor random_tensor(Shape shape, unsigned seed, double low, double high) {
  Tensor t = std::move(Tensor::allocate(dtype_of<T>, std::move(shape))).value();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  for (int64_t i = 0; i < t.count(); ++i) t.as<T>()[i] = static_cast<T>(uniform(random));
  return t;
}

enum class Form { kChain, kDynamic, kToFloat };

std::vector<float> run(const Sizes& s, Form form, unsigned seed) {
  auto model = std::make_unique<ir::Model>();
  ir::Graph& g = model->main();
  int named = 0;
  auto constant = [&](Tensor t) { return model->add_constant("c" + std::to_string(named++), &g, std::move(t)); };
  auto op = [&](std::string name, std::vector<ValueId> in, std::string domain = "") {
    return g.add_one(std::move(name), std::move(in), "v" + std::to_string(named++), nullptr, std::move(domain));
  };
  const int64_t columns = s.by_column ? s.n : 1;
  ValueId a = model->add_value("a", &g, Type::tensor(DType::kF32, {s.m, s.k}));
  g.add_input(a);
  ValueId b = constant(random_tensor<int8_t>({s.k, s.n}, seed, -128, 128));
  ValueId b_scale = constant(random_tensor<float>({columns}, seed + 1, 0.001, 0.02));
  ValueId zero = s.zero ? constant(random_tensor<int8_t>({columns}, seed + 2, -20, 20)) : ir::kNoValue;
  ValueId bias = s.bias ? constant(random_tensor<float>({s.n}, seed + 3, -3, 3)) : ir::kNoValue;
  ValueId y;
  if (form == Form::kDynamic) {
    y = op("DynamicQuantizeMatMul", {a, b, b_scale, zero, bias}, "com.microsoft");
  } else {
    std::vector<ValueId> q;
    for (const char* name : {"q", "scale", "zero"}) q.push_back(model->add_value(name, &g));
    g.add("DynamicQuantizeLinear", {a}, q);
    if (form == Form::kToFloat) {
      y = op("MatMulIntegerToFloat", {q[0], b, q[1], b_scale, q[2], zero, bias}, "com.microsoft");
    } else {
      ValueId cast = op("Cast", {op("MatMulInteger", {q[0], b, q[2], zero})});
      g.nodes().back().set("to", int64_t{1});
      y = op("Mul", {cast, op("Mul", {q[1], b_scale})});
      if (s.bias) y = op("Add", {y, bias});
    }
  }
  g.add_output(y);
  Status bound = opdef::bind_graph(g, ops::registry());
  EXPECT_TRUE(bound.ok()) << bound.to_string();
  passes::PipelineOptions options;
  options.level = 0;
  EXPECT_TRUE(passes::run_pipeline(*model, ops::registry(), options).ok());
  auto program = Program::compile(std::move(model), ops::registry(), Team());
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  Frame frame(*program);
  std::vector<ValueRef> out(1);
  const ValueRef feeds[] = {tensor_value(random_tensor<float>({s.m, s.k}, seed + 4, -2, 3))};
  const bool wanted[] = {true};
  Status status = frame.run(feeds, out, wanted, {});
  EXPECT_TRUE(status.ok()) << status.to_string();
  if (!status.ok()) return {};
  const Tensor& t = out[0]->tensor;
  return {t.as<float>(), t.as<float>() + t.count()};
}

TEST(IntegerProduct, BitsOfTheChain) {
  unsigned seed = 1;
  for (auto [m, k, n] : {std::array<int64_t, 3>{1, 5, 3}, {1, 300, 70}, {4, 64, 33}, {13, 100, 49}, {30, 2100, 96}})
    for (int kind = 0; kind < 8; ++kind, seed += 10) {
      const Sizes s{m, k, n, (kind & 1) != 0, (kind & 2) != 0, (kind & 4) != 0};
      const auto chain = run(s, Form::kChain, seed);
      EXPECT_EQ(chain.size(), static_cast<size_t>(m * n));
      EXPECT_EQ(chain, run(s, Form::kDynamic, seed)) << m << " " << k << " " << n << " " << kind;
      EXPECT_EQ(chain, run(s, Form::kToFloat, seed)) << m << " " << k << " " << n << " " << kind;
    }
}

}  // namespace
}  // namespace tenon::exec
