// Tests of fusions: each spelling fires, look-alikes stay, results are those of the graph as written.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "exec/frame.h"
#include "ops/table.h"
#include "passes/fuse/pointwise.h"
#include "passes/pipeline.h"

namespace tenon::exec {
namespace {

using ir::Model;
using ir::Type;
using ir::ValueId;

Tensor tensor(DType dtype, Shape shape, unsigned seed, double low = -2, double high = 2) {
  Tensor t = std::move(Tensor::allocate(dtype, std::move(shape))).value();
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  for (int64_t i = 0; i < t.count(); ++i) {
    const double v = uniform(random);
    if (dtype == DType::kF32) t.as<float>()[i] = static_cast<float>(v);
    else if (dtype == DType::kF64) t.as<double>()[i] = v;
    else if (dtype == DType::kI32) t.as<int32_t>()[i] = static_cast<int32_t>(v * 50);
    else t.as<uint8_t>()[i] = v > 0;
  }
  return t;
}

/// A graph that is written down twice, as the levels need models of their own.
struct Writer {
  std::unique_ptr<Model> owned = std::make_unique<Model>();
  std::vector<ValueRef> feeds;

  ir::Graph& g() { return owned->main(); }
  ValueId input(Shape shape, DType dtype = DType::kF32) {
    ir::DimVector dims;
    for (int64_t d : shape) dims.push_back(d);
    ValueId v = owned->add_value(owned->unique_name("in"), &g(), Type::tensor(dtype, std::move(dims)));
    g().add_input(v);
    feeds.push_back(tensor_value(tensor(dtype, std::move(shape), static_cast<unsigned>(feeds.size() + 1))));
    return v;
  }
  ValueId number(float v) { return owned->add_constant(owned->unique_name("c"), &g(), Tensor::scalar(v)); }
  ValueId weights(Shape shape, unsigned seed = 77, DType dtype = DType::kF32) {
    return owned->add_constant(owned->unique_name("w"), &g(), tensor(dtype, std::move(shape), seed));
  }
  ValueId op(std::string name, std::vector<ValueId> in) {
    return g().add_one(std::move(name), std::move(in), owned->unique_name("v"));
  }
  ir::Node& last() { return g().nodes().back(); }
};

struct Outcome {
  std::vector<std::string> ops;  ///< of the optimised graph
  std::vector<std::vector<char>> bytes;
  std::vector<std::vector<float>> floats;
};

Outcome outcome(const std::function<void(Writer&)>& write, int level) {
  Writer w;
  write(w);
  Outcome o;
  EXPECT_TRUE(opdef::bind_graph(w.g(), ops::registry()).ok());
  passes::PipelineOptions options;
  options.level = level;
  Status s = passes::run_pipeline(*w.owned, ops::registry(), options);
  EXPECT_TRUE(s.ok()) << s.to_string();
  EXPECT_TRUE(ir::verify(*w.owned).ok()) << ir::verify(*w.owned).to_string();
  for (auto& n : w.g().nodes()) o.ops.push_back(n.op);
  size_t outputs = w.g().outputs().size();
  auto program = Program::compile(std::move(w.owned), ops::registry(), Team());
  EXPECT_TRUE(program.ok()) << program.status().to_string();
  Frame frame(*program);
  std::vector<ValueRef> out(outputs);
  std::unique_ptr<bool[]> wanted(new bool[outputs]);
  std::fill_n(wanted.get(), outputs, true);
  s = frame.run(w.feeds, out, {wanted.get(), outputs}, {});
  EXPECT_TRUE(s.ok()) << s.to_string();
  if (!s.ok()) return o;
  for (auto& v : out) {
    const Tensor& t = v->tensor;
    const char* from = static_cast<const char*>(t.data());
    o.bytes.emplace_back(from, from + t.bytes());
    if (t.dtype() == DType::kF32) o.floats.emplace_back(t.as<float>(), t.as<float>() + t.count());
  }
  return o;
}

int count(const Outcome& o, std::string_view op) {
  return static_cast<int>(std::count(o.ops.begin(), o.ops.end(), op));
}

/// The optimised outcome; bits (or, with a tolerance, numbers) are those of the graph as written.
Outcome same(const std::function<void(Writer&)>& write, double tolerance = 0) {
  Outcome plain = outcome(write, 0), fused = outcome(write, 99);
  EXPECT_EQ(plain.bytes.size(), fused.bytes.size());
  if (tolerance == 0) {
    EXPECT_EQ(plain.bytes, fused.bytes);
    return fused;
  }
  for (size_t k = 0; k < plain.floats.size() && k < fused.floats.size(); ++k) {
    EXPECT_EQ(plain.floats[k].size(), fused.floats[k].size());
    for (size_t i = 0; i < std::min(plain.floats[k].size(), fused.floats[k].size()); ++i)
      EXPECT_NEAR(plain.floats[k][i], fused.floats[k][i], tolerance);
  }
  return fused;
}

ValueId erf_gate(Writer& w, ValueId x, bool divide, float root = 1.41421356f) {
  ValueId scaled = divide ? w.op("Div", {x, w.number(root)}) : w.op("Mul", {w.number(1 / root), x});
  return w.op("Add", {w.number(1), w.op("Erf", {scaled})});
}

TEST(Fusion, GeluOfEverySpelling) {
  for (int order = 0; order < 6; ++order) {
    auto o = same(
        [&](Writer& w) {
          ValueId x = w.input({3, 7}), gate = erf_gate(w, x, order % 2), half = w.number(0.5f);
          ValueId y = order < 2   ? w.op("Mul", {w.op("Mul", {x, gate}), half})
                      : order < 4 ? w.op("Mul", {gate, w.op("Mul", {half, x})})
                                  : w.op("Mul", {w.op("Mul", {gate, half}), x});
          w.g().add_output(y);
        },
        2e-6);
    EXPECT_EQ(count(o, "Gelu"), 1) << order;
    EXPECT_EQ(o.ops.size(), 1u) << order;
  }
  for (bool power : {false, true}) {
    auto o = same(
        [&](Writer& w) {
          ValueId x = w.input({2, 9});
          ValueId cube = power ? w.op("Pow", {x, w.number(3)}) : w.op("Mul", {x, w.op("Mul", {x, x})});
          ValueId inner =
              w.op("Mul", {w.op("Add", {x, w.op("Mul", {cube, w.number(0.044715f)})}), w.number(0.7978846f)});
          ValueId gate = w.op("Add", {w.op("Tanh", {inner}), w.number(1)});
          w.g().add_output(w.op("Mul", {w.op("Mul", {x, w.number(0.5f)}), gate}));
        },
        4e-6);
    EXPECT_EQ(count(o, "Gelu"), 1) << power;
  }
}

TEST(Fusion, WhatOnlyLooksLikeGelu) {
  auto other_root = [](Writer& w) {
    ValueId x = w.input({5});
    w.g().add_output(w.op("Mul", {w.op("Mul", {x, erf_gate(w, x, true, 1.5f)}), w.number(0.5f)}));
  };
  auto other_factor = [](Writer& w) {
    ValueId x = w.input({5});
    w.g().add_output(w.op("Mul", {w.op("Mul", {x, erf_gate(w, x, true)}), w.number(0.51f)}));
  };
  auto two_values = [](Writer& w) {
    ValueId x = w.input({5}), y = w.input({5});
    w.g().add_output(w.op("Mul", {w.op("Mul", {y, erf_gate(w, x, true)}), w.number(0.5f)}));
  };
  auto gate_is_output = [](Writer& w) {
    ValueId x = w.input({5}), gate = erf_gate(w, x, true);
    w.g().add_output(w.op("Mul", {w.op("Mul", {x, gate}), w.number(0.5f)}));
    w.g().add_output(gate);
  };
  auto gate_is_read = [](Writer& w) {
    ValueId x = w.input({5}), gate = erf_gate(w, x, true);
    w.g().add_output(w.op("Mul", {w.op("Mul", {x, gate}), w.number(0.5f)}));
    w.g().add_output(w.op("ReduceSum", {gate}));
  };
  auto vector_of_halves = [](Writer& w) {
    ValueId x = w.input({5});
    w.g().add_output(w.op("Mul", {w.op("Mul", {x, erf_gate(w, x, true)}), w.weights({5})}));
  };
  auto raises_rank = [](Writer& w) {
    ValueId x = w.input({5});
    ValueId half = w.owned->add_constant("half", &w.g(), Tensor::scalar(0.5f).reshaped(Shape{1, 1}));
    w.g().add_output(w.op("Mul", {w.op("Mul", {x, erf_gate(w, x, true)}), half}));
  };
  for (auto& write : std::vector<std::function<void(Writer&)>>{other_root, other_factor, two_values, gate_is_output,
                                                               gate_is_read, vector_of_halves, raises_rank})
    EXPECT_EQ(count(same(write), "Gelu"), 0);
}

TEST(Fusion, RulesCanBeSwitchedOff) {
  Writer w;
  ValueId x = w.input({5});
  w.g().add_output(w.op("Mul", {w.op("Mul", {x, erf_gate(w, x, true)}), w.number(0.5f)}));
  ASSERT_TRUE(opdef::bind_graph(w.g(), ops::registry()).ok());
  passes::PipelineOptions options;
  options.disabled = "other;gelu";
  ASSERT_TRUE(passes::run_pipeline(*w.owned, ops::registry(), options).ok());
  for (auto& n : w.g().nodes()) EXPECT_NE(n.op, "Gelu");
}

TEST(Fusion, TailsOfProducts) {
  auto o = same([](Writer& w) {
    ValueId x = w.input({2, 5, 4}), r = w.input({2, 5, 6});
    ValueId y = w.op("Add", {w.weights({6}, 3), w.op("MatMul", {x, w.weights({4, 6})})});
    w.g().add_output(w.op("Relu", {w.op("Add", {r, y})}));
  });
  EXPECT_EQ(o.ops, std::vector<std::string>{"FusedMatMulBias"});
  o = same([](Writer& w) {
    ValueId x = w.input({5, 4});
    w.g().add_output(w.op("Tanh", {w.op("Gemm", {x, w.weights({4, 6}), w.weights({6}, 3)})}));
  });
  EXPECT_EQ(o.ops, std::vector<std::string>{"FusedGemm"});
  // Not a bias: a column, a vector for a product of one row that grows, a vector product.
  o = same([](Writer& w) {
    ValueId x = w.input({5, 4});
    w.g().add_output(w.op("Add", {w.op("MatMul", {x, w.weights({4, 6})}), w.weights({5, 1}, 3)}));
  });
  EXPECT_EQ(count(o, "MatMul"), 1);
  o = same([](Writer& w) {
    ValueId x = w.input({5, 4});
    w.g().add_output(w.op("Add", {w.op("MatMul", {x, w.weights({4, 1})}), w.weights({6}, 3)}));
  });
  EXPECT_EQ(count(o, "MatMul"), 1);
  o = same([](Writer& w) {
    ValueId x = w.input({5, 4});
    w.g().add_output(w.op("Add", {w.op("MatMul", {x, w.weights({4, 6})}), w.weights({1, 1, 6}, 3)}));
  });
  EXPECT_EQ(count(o, "MatMul"), 1);
  o = same([](Writer& w) {
    ValueId x = w.input({4});
    w.g().add_output(w.op("Add", {w.op("MatMul", {x, w.weights({4, 6})}), w.weights({6}, 3)}));
  });
  EXPECT_EQ(count(o, "MatMul"), 1);
  o = same([](Writer& w) {
    ValueId x = w.input({5, 4}), y = w.op("MatMul", {x, w.weights({4, 6})});
    w.g().add_output(w.op("Add", {y, w.weights({6}, 3)}));
    w.g().add_output(y);
  });
  EXPECT_EQ(count(o, "MatMul"), 1);
}

TEST(Fusion, TransposedOperands) {
  auto product = [](std::vector<int64_t> left, std::vector<int64_t> right) {
    return [=](Writer& w) {
      ValueId a = w.input({2, 3, 4, 4}), b = w.input({2, 3, 4, 4});
      auto turned = [&](ValueId v, const std::vector<int64_t>& perm) {
        if (perm.empty()) return v;
        ValueId t = w.op("Transpose", {v});
        w.last().set("perm", perm);
        return t;
      };
      ValueId ta = turned(a, left), tb = turned(b, right);
      w.g().add_output(w.op("MatMul", {ta, tb}));
    };
  };
  const std::vector<int64_t> swap{0, 1, 3, 2}, other{1, 0, 2, 3}, all{0, 2, 3, 1};
  EXPECT_EQ(same(product({}, swap)).ops, std::vector<std::string>{"FusedMatMul"});
  EXPECT_EQ(same(product(swap, {})).ops, std::vector<std::string>{"FusedMatMul"});
  EXPECT_EQ(same(product(swap, swap)).ops, std::vector<std::string>{"FusedMatMul"});
  EXPECT_EQ(count(same([&](Writer& w) {
                    ValueId a = w.input({3, 3, 4, 4}), t = w.op("Transpose", {a});
                    w.last().set("perm", other);
                    w.g().add_output(w.op("MatMul", {a, t}));
                  }),
                  "FusedMatMul"),
            0);
  EXPECT_EQ(count(same([&](Writer& w) {
                    ValueId a = w.input({3, 4, 4, 4}), t = w.op("Transpose", {a});
                    w.last().set("perm", all);
                    w.g().add_output(w.op("MatMul", {a, t}));
                  }),
                  "FusedMatMul"),
            0);
}

TEST(Fusion, ProductsOfBytes) {
  auto bytes = [](Writer& w, Shape shape, unsigned seed) {
    Tensor t = std::move(Tensor::allocate(DType::kU8, std::move(shape))).value();
    for (int64_t i = 0; i < t.count(); ++i) t.as<uint8_t>()[i] = static_cast<uint8_t>(i * 37 + seed);
    return w.owned->add_constant(w.owned->unique_name("q"), &w.g(), std::move(t));
  };
  auto product = [&](Shape scale, int64_t axis, bool leave) {
    return [=](Writer& w) {
      ValueId x = w.op("QuantizeLinear", {w.input({3, 8}), w.number(0.02f), bytes(w, {}, 100)});
      ValueId a = w.op("DequantizeLinear", {x, w.number(0.02f), bytes(w, {}, 100)});
      ValueId b =
          w.op("DequantizeLinear",
               {bytes(w, {8, 8}, 3), w.owned->add_constant("s", &w.g(), tensor(DType::kF32, scale, 5, 0.01, 0.02)),
                bytes(w, scale, 128)});
      w.last().set("axis", axis);
      ValueId y = w.op("MatMul", {a, b});
      w.g().add_output(w.op("DequantizeLinear", {w.op("QuantizeLinear", {y, w.number(0.1f), bytes(w, {}, 128)}),
                                                 w.number(0.1f), bytes(w, {}, 128)}));
      if (leave) w.g().add_output(y);
    };
  };
  EXPECT_EQ(count(same(product({}, 1, false), 0.11), "QLinearMatMul"), 1);
  EXPECT_EQ(count(same(product({8}, 1, false), 0.11), "QLinearMatMul"), 1);
  EXPECT_EQ(count(same(product({8}, 0, false), 0.11), "QLinearMatMul"), 0) << "scales of rows";
  EXPECT_EQ(count(same(product({}, 1, true), 0.11), "QLinearMatMul"), 0) << "the float product leaves";
}

TEST(Fusion, RegionsOfElementWiseNodes) {
  auto o = same([](Writer& w) {  // broadcasts, a number, a gate read twice, a cast and a choice
    ValueId x = w.input({3, 5}), row = w.input({5});
    ValueId s = w.op("Sigmoid", {w.op("Add", {x, row})});
    ValueId y = w.op("Mul", {s, w.op("Mul", {s, w.number(3)})});
    ValueId positive = w.op("Greater", {y, w.number(0.5f)});
    w.g().add_output(w.op("Where", {positive, y, w.op("Neg", {y})}));
  });
  EXPECT_EQ(o.ops, std::vector<std::string>{"Pointwise"});
  o = same([](Writer& w) {  // an inner value that leaves stays a node's result
    ValueId x = w.input({3, 5}), inner = w.op("Exp", {x});
    w.g().add_output(inner);
    w.g().add_output(w.op("Neg", {w.op("Sqrt", {inner})}));
  });
  EXPECT_EQ(count(o, "Exp"), 1);
  EXPECT_EQ(count(o, "Pointwise"), 1);
  o = same([](Writer& w) {  // what is smaller than the result is not computed again for each row
    ValueId x = w.input({3, 5}), row = w.input({5});
    w.g().add_output(w.op("Add", {x, w.op("Exp", {row})}));
  });
  EXPECT_EQ(count(o, "Exp"), 1);
  o = same([](Writer& w) {  // the rank of the result comes from a number
    ValueId x = w.input({5});
    ValueId one = w.owned->add_constant("one", &w.g(), Tensor::scalar(1.0f).reshaped(Shape{1, 1}));
    w.g().add_output(w.op("Neg", {w.op("Add", {x, one})}));
  });
}

TEST(Fusion, RandomElementWiseGraphs) {
  const std::vector<Shape> shapes{{2, 3, 4}, {3, 4}, {2, 1, 4}, {1}, {}, {4}, {0, 4}};
  for (unsigned seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(seed);
    auto write = [seed](Writer& w) {
      std::mt19937 random(seed);
      auto pick = [&](size_t n) { return random() % n; };
      const std::vector<Shape> mine{{2, 3, 4}, {3, 4}, {2, 1, 4}, {1}, {}, {4}};
      std::vector<ValueId> floats, ints, flags;
      for (int i = 0; i < 3; ++i) floats.push_back(w.input(mine[pick(mine.size())]));
      ints.push_back(w.input(mine[pick(mine.size())], DType::kI32));
      flags.push_back(w.input(mine[pick(mine.size())], DType::kBool));
      floats.push_back(w.number(1.5f));
      floats.push_back(w.weights({4}, seed));
      for (int i = 0; i < 25; ++i) {
        auto f = [&] { return floats[pick(floats.size())]; };
        auto n = [&] { return ints[pick(ints.size())]; };
        auto b = [&] { return flags[pick(flags.size())]; };
        static constexpr const char* kOne[] = {"Neg", "Abs", "Sigmoid", "Tanh",    "Relu",
                                               "Erf", "Exp", "Floor",   "Softplus"};
        static constexpr const char* kTwo[] = {"Add", "Mul", "Sub", "Div", "Max"};
        switch (pick(9)) {
          case 0:
          case 1: floats.push_back(w.op(kOne[pick(9)], {f()})); break;
          case 2:
          case 3: floats.push_back(w.op(kTwo[pick(5)], {f(), f()})); break;
          case 4: flags.push_back(w.op(pick(2) ? "Less" : "GreaterOrEqual", {f(), f()})); break;
          case 5: floats.push_back(w.op("Where", {b(), f(), f()})); break;
          case 6: ints.push_back(w.op(kTwo[pick(3)], {n(), n()})); break;
          case 7: {
            ValueId v = w.op("Cast", {pick(2) ? n() : b()});
            w.last().set("to", int64_t{1});
            floats.push_back(v);
            break;
          }
          default: flags.push_back(w.op("And", {b(), b()})); break;
        }
      }
      w.g().add_output(floats.back());
      w.g().add_output(ints.back());
      w.g().add_output(flags.back());
      w.g().add_output(floats[floats.size() / 2 + 2]);
    };
    Outcome plain = outcome(write, 0), fused = outcome(write, 99);
    ASSERT_EQ(plain.bytes, fused.bytes);
    EXPECT_LE(fused.ops.size(), plain.ops.size());
  }
}

}  // namespace
}  // namespace tenon::exec
