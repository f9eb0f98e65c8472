// Tests of compiled programs: control flow in one flat list, growing shapes, memory plan, concurrent frames,
// cancelling. SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <thread>

#include "exec/frame.h"
#include "ops/table.h"
#include "passes/pipeline.h"
#include "threads/pool.h"

namespace tenon::exec {
namespace {

using ir::Dim;
using ir::Graph;
using ir::Model;
using ir::Type;
using ir::ValueId;

/// Builds a model, runs it and gives outputs as floats.
struct Fixture {
  std::unique_ptr<Model> owned = std::make_unique<Model>();
  Model& m = *owned;
  std::shared_ptr<const Program> program;

  ValueId input(std::string name, DType dtype, ir::DimVector dims) {
    ValueId v = m.add_value(std::move(name), &m.main(), Type::tensor(dtype, std::move(dims)));
    m.main().add_input(v);
    return v;
  }
  ValueId scalar(Graph& g, int64_t v) { return m.add_constant(m.unique_name("c"), &g, Tensor::scalar(v)); }
  Status compile(int level = 99) {
    TENON_TRY(opdef::bind_graph(m.main(), ops::registry()));
    passes::PipelineOptions options;
    options.level = level;
    TENON_TRY(passes::run_pipeline(m, ops::registry(), options));
    TENON_ASSIGN(program, Program::compile(std::move(owned), ops::registry(), Team()));
    return {};
  }
};

ValueRef floats(Shape shape, std::vector<float> data) {
  Tensor t = std::move(Tensor::allocate(DType::kF32, std::move(shape))).value();
  std::copy(data.begin(), data.end(), t.as<float>());
  return tensor_value(std::move(t));
}
ValueRef flag(bool v) {
  Tensor t = std::move(Tensor::allocate(DType::kBool, Shape{})).value();
  *t.as<uint8_t>() = v;
  return tensor_value(std::move(t));
}
ValueRef number(int64_t v) { return tensor_value(Tensor::scalar(v)); }

std::vector<float> run(Frame& frame, std::vector<ValueRef> in, size_t outputs = 1, size_t which = 0, Team team = {}) {
  std::vector<ValueRef> out(outputs);
  std::unique_ptr<bool[]> wanted(new bool[outputs]);
  std::fill_n(wanted.get(), outputs, true);
  RunSettings settings;
  settings.team = team;
  Status s = frame.run(in, out, {wanted.get(), outputs}, settings);
  EXPECT_TRUE(s.ok()) << s.to_string();
  if (!s.ok()) return {};
  auto items = out[which]->tensor.items<float>();
  return {items.begin(), items.end()};
}

/// x -> Loop(n) { state = state * 2 + x; grown = concat(grown, state) } -> state, grown
Fixture loop_model() {
  Fixture f;
  Graph& g = f.m.main();
  ValueId x = f.input("x", DType::kF32, {f.m.dims().named("k")}), n = f.input("n", DType::kI64, {});
  auto body = std::make_unique<Graph>(f.m, &g, nullptr);
  Graph& b = *body;
  auto in = [&](std::string name) {
    ValueId v = f.m.add_value(std::move(name), &b);
    b.add_input(v);
    return v;
  };
  in("i");
  ValueId cond = in("cond"), state = in("state"), grown = in("grown");
  ValueId doubled = b.add_one("Add", {state, state}, "doubled");
  ValueId next = b.add_one("Add", {doubled, x}, "next");
  ValueId longer = f.m.add_value("longer", &b);
  b.add("Concat", {grown, next}, {longer}).set("axis", int64_t{0});
  ValueId go = b.add_one("Identity", {cond}, "go");
  for (ValueId v : {go, next, longer, next}) b.add_output(v);
  ValueId out_state = f.m.add_value("out_state", &g), out_grown = f.m.add_value("out_grown", &g),
          scan = f.m.add_value("scan", &g);
  ir::Node& loop = g.add("Loop", {n, ir::kNoValue, x, x}, {out_state, out_grown, scan});
  body->set_owner(&loop);
  loop.set("body", std::move(body));
  for (ValueId v : {out_state, out_grown, scan}) g.add_output(v);
  return f;
}

TEST(Program, LoopCarriesFixedAndGrowingStates) {
  Fixture f = loop_model();
  Status s = f.compile();
  ASSERT_TRUE(s.ok()) << s.to_string();
  Frame frame(f.program);
  for (int64_t trips : {3, 1, 0, 5}) {
    float state = 1;
    for (int64_t i = 0; i < trips; ++i) state = 2 * state + 1;
    EXPECT_EQ(run(frame, {floats({2}, {1, 1}), number(trips)}, 3, 0), (std::vector<float>{state, state}));
    EXPECT_EQ(run(frame, {floats({2}, {1, 1}), number(trips)}, 3, 1).size(), static_cast<size_t>(2 + 2 * trips));
    EXPECT_EQ(run(frame, {floats({2}, {1, 1}), number(trips)}, 3, 2).size(), static_cast<size_t>(2 * trips));
  }
}

TEST(Program, LoopStopsWhenCancelled) {
  Fixture f = loop_model();
  ASSERT_TRUE(f.compile().ok());
  Frame frame(f.program);
  CancelFlag stop{false};
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  std::vector<ValueRef> in{floats({1}, {0}), number(INT64_MAX)}, out(3);
  bool wanted[3] = {true, false, false};
  RunSettings settings;
  settings.cancel = &stop;
  Status s = frame.run(in, out, wanted, settings);
  later.join();
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.to_string().find("terminate flag"), std::string::npos) << s.to_string();
  stop = false;  // the frame can be used again
  EXPECT_EQ(run(frame, {floats({1}, {1}), number(1)}, 3, 0), (std::vector<float>{3}));
}

/// Two states that change places in every iteration.
TEST(Program, LoopStatesMoveAtOnce) {
  Fixture f;
  Graph& g = f.m.main();
  ValueId x = f.input("x", DType::kF32, {Dim(1)}), y = f.input("y", DType::kF32, {Dim(1)}),
          n = f.input("n", DType::kI64, {});
  auto body = std::make_unique<Graph>(f.m, &g, nullptr);
  std::vector<ValueId> in;
  for (auto name : {"i", "cond", "a", "b"}) {
    in.push_back(f.m.add_value(name, body.get()));
    body->add_input(in.back());
  }
  for (ValueId v : {in[1], in[3], in[2]}) body->add_output(v);
  ValueId a = f.m.add_value("oa", &g), b = f.m.add_value("ob", &g);
  ir::Node& loop = g.add("Loop", {n, ir::kNoValue, x, y}, {a, b});
  body->set_owner(&loop);
  loop.set("body", std::move(body));
  g.add_output(a);
  g.add_output(b);
  Status s = f.compile();
  ASSERT_TRUE(s.ok()) << s.to_string();
  Frame frame(f.program);
  for (int64_t trips : {0, 1, 2, 3})
    EXPECT_EQ(run(frame, {floats({1}, {1}), floats({1}, {2}), number(trips)}, 2, 0)[0], trips % 2 ? 2 : 1);
}

TEST(Program, IfTakesEitherWay) {
  Fixture f;
  Graph& g = f.m.main();
  ValueId x = f.input("x", DType::kF32, {f.m.dims().named("k")}), c = f.input("c", DType::kBool, {});
  auto yes = std::make_unique<Graph>(f.m, &g, nullptr), no = std::make_unique<Graph>(f.m, &g, nullptr);
  yes->add_output(yes->add_one("Add", {x, x}, "sum"));
  ValueId both = f.m.add_value("both", no.get());
  no->add("Concat", {x, x}, {both}).set("axis", int64_t{0});
  no->add_output(both);
  ValueId y = f.m.add_value("y", &g);
  ir::Node& n = g.add("If", {c}, {y});
  yes->set_owner(&n);
  no->set_owner(&n);
  n.set("then_branch", std::move(yes));
  n.set("else_branch", std::move(no));
  g.add_output(g.add_one("Relu", {y}, "z"));
  Status s = f.compile();
  ASSERT_TRUE(s.ok()) << s.to_string();
  Frame frame(f.program);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(run(frame, {floats({2}, {1, -1}), flag(true)}), (std::vector<float>{2, 0}));
    EXPECT_EQ(run(frame, {floats({2}, {1, -1}), flag(false)}), (std::vector<float>{1, 0, 1, 0}));
  }
}

/// A branch that could not run on these shapes does no harm while the other one is taken.
TEST(Program, FaultsOfBranchesCountWhenTaken) {
  Fixture f;
  Graph& g = f.m.main();
  ValueId x = f.input("x", DType::kF32, {f.m.dims().named("k")}), c = f.input("c", DType::kBool, {});
  auto yes = std::make_unique<Graph>(f.m, &g, nullptr), no = std::make_unique<Graph>(f.m, &g, nullptr);
  ValueId two = f.m.add_constant("two", &g, Tensor::of(std::span<const int64_t>(std::vector<int64_t>{1, 2})));
  ValueId three = f.m.add_constant("three", &g, *Tensor::allocate(DType::kF32, Shape{3}));
  std::fill_n(const_cast<Tensor*>(f.m.constant(three))->as<float>(), 3, 1.0f);
  yes->add_output(yes->add_one("Reshape", {x, two}, "pair"));
  no->add_output(no->add_one("Add", {x, three}, "sum"));
  ValueId y = f.m.add_value("y", &g);
  ir::Node& n = g.add("If", {c}, {y});
  yes->set_owner(&n);
  no->set_owner(&n);
  n.set("then_branch", std::move(yes));
  n.set("else_branch", std::move(no));
  g.add_output(y);
  Status s = f.compile();
  ASSERT_TRUE(s.ok()) << s.to_string();
  Frame frame(f.program);
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(run(frame, {floats({2}, {1, 2}), flag(true)}), (std::vector<float>{1, 2}));
    EXPECT_EQ(run(frame, {floats({3}, {1, 2, 3}), flag(false)}), (std::vector<float>{2, 3, 4}));
    std::vector<ValueRef> out(1);
    bool wanted[1] = {true};
    std::vector<ValueRef> in{floats({3}, {1, 2, 3}), flag(true)};
    EXPECT_FALSE(frame.run(in, out, wanted, {}).ok());
    in = {floats({2}, {1, 2}), flag(false)};
    EXPECT_FALSE(frame.run(in, out, wanted, {}).ok());
  }
}

/// Chains of element-wise nodes share a few regions; results are those of any shape, bound anew each time.
Fixture chain_model(int length) {
  Fixture f;
  Graph& g = f.m.main();
  ValueId v = f.input("x", DType::kF32, {f.m.dims().named("rows"), Dim(3)});
  for (int i = 0; i < length; ++i) v = g.add_one("Add", {v, v}, "v" + std::to_string(i));
  ValueId shape = g.add_one("Shape", {v}, "shape");
  ValueId flat = f.m.add_value("flat", &g);
  ValueId count = f.m.add_constant("minus", &g, Tensor::of(std::span<const int64_t>(std::vector<int64_t>{-1})));
  g.add("Reshape", {v, count}, {flat});
  g.add_output(g.add_one("Reshape", {flat, shape}, "back"));
  return f;
}

TEST(Program, RegionsAreSharedAndShapesChange) {
  Fixture f = chain_model(20);
  Status s = f.compile(1);  // above, the chain would be one step
  ASSERT_TRUE(s.ok()) << s.to_string();
  EXPECT_LE(f.program->facts().regions, 2u);
  EXPECT_EQ(f.program->facts().steps, 20u);  // views and shape arithmetic take no step
  Frame frame(f.program);
  for (int64_t rows : {1, 7, 2, 500, 0, 3}) {
    auto y = run(frame, {floats({rows, 3}, std::vector<float>(static_cast<size_t>(3 * rows), 1))});
    ASSERT_EQ(y.size(), static_cast<size_t>(3 * rows));
    for (float v : y) ASSERT_EQ(v, 1 << 20);
  }
}

TEST(Program, UnoptimisedGivesTheSame) {
  Fixture a = chain_model(5), b = chain_model(5);
  ASSERT_TRUE(a.compile(0).ok());
  ASSERT_TRUE(b.compile(99).ok());
  Frame fa(a.program), fb(b.program);
  std::vector<float> x{1.5f, -2, 3e-5f, 7, 0, -0.0f};
  EXPECT_EQ(run(fa, {floats({2, 3}, x)}), run(fb, {floats({2, 3}, x)}));
}

TEST(Program, FramesRunAtTheSameTime) {
  Fixture f = loop_model();
  ASSERT_TRUE(f.compile().ok());
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Frame frame(f.program);
      Team team(&Pool::process(), 2);
      for (int i = 0; i < 50; ++i) {
        int64_t trips = (t + i) % 6;
        float state = static_cast<float>(t);
        for (int64_t k = 0; k < trips; ++k) state = 2 * state + static_cast<float>(t);
        ASSERT_EQ(run(frame, {floats({1}, {static_cast<float>(t)}), number(trips)}, 3, 0, team)[0], state);
      }
    });
  for (auto& t : threads) t.join();
}

TEST(Program, BroadcastOfSymbolsIsCheckedWhenBound) {
  Fixture f;
  Graph& g = f.m.main();
  ValueId x = f.input("x", DType::kF32, {f.m.dims().named("a")}),
          y = f.input("y", DType::kF32, {f.m.dims().named("b")});
  g.add_output(g.add_one("Add", {x, y}, "z"));
  ASSERT_TRUE(f.compile().ok());
  Frame frame(f.program);
  EXPECT_EQ(run(frame, {floats({2}, {1, 2}), floats({1}, {10})}), (std::vector<float>{11, 12}));
  std::vector<ValueRef> in{floats({2}, {1, 2}), floats({3}, {1, 2, 3})}, out(1);
  bool wanted[1] = {true};
  Status s = frame.run(in, out, wanted, {});
  EXPECT_FALSE(s.ok());
  EXPECT_NE(s.to_string().find("broadcast"), std::string::npos) << s.to_string();
  EXPECT_EQ(run(frame, {floats({1}, {1}), floats({2}, {1, 2})}), (std::vector<float>{2, 3}));
}

TEST(Program, GivenOutputIsWrittenInPlace) {
  Fixture f = chain_model(3);
  ASSERT_TRUE(f.compile().ok());
  Frame frame(f.program);
  std::vector<ValueRef> in{floats({1, 3}, {1, 2, 3})}, out{floats({1, 3}, {0, 0, 0})};
  void* memory = out[0]->tensor.data();
  bool wanted[1] = {true};
  ASSERT_TRUE(frame.run(in, out, wanted, {}).ok());
  EXPECT_EQ(out[0]->tensor.data(), memory);
  EXPECT_EQ(out[0]->tensor.as<float>()[2], 24);
  out[0] = floats({3}, {0, 0, 0});
  EXPECT_FALSE(frame.run(in, out, wanted, {}).ok());
}

}  // namespace
}  // namespace tenon::exec
