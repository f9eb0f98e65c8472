// Tests of weights: packed by the first run, read where they stand, computed when read; by several frames at once.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "exec/frame.h"
#include "ops/table.h"
#include "passes/pipeline.h"

namespace tenon::exec {
namespace {

constexpr int64_t kRows = 300, kColumns = 250;

/// Bytes at an odd address; counts how often they were copied.
class Misplaced final : public DeferredData {
 public:
  explicit Misplaced(std::vector<float> items) : items_(items.size() * sizeof(float) + 1) {
    std::memcpy(items_.data() + 1, items.data(), items_.size() - 1);
  }
  int made = 0;

 protected:
  const void* stored() const override { return items_.data() + 1; }
  Result<Ref<Buffer>> make() override {
    ++made;
    TENON_ASSIGN(auto copy, Buffer::allocate(items_.size() - 1));
    std::memcpy(copy->data(), stored(), items_.size() - 1);
    return copy;
  }

 private:
  std::vector<char> items_;
};

struct Weights {
  std::unique_ptr<ir::Model> model = std::make_unique<ir::Model>();
  Ref<Misplaced> data;
  std::vector<float> items;

  Weights() {
    for (int64_t i = 0; i < kRows * kColumns; ++i) items.push_back(static_cast<float>((i * 37) % 101 - 50));
    data = make_ref<Misplaced>(items);
  }
  ir::ValueId constant() {
    return model->add_constant("w", &model->main(),
                               Tensor(DType::kF32, Shape{kRows, kColumns}, Ref<DeferredData>(data)));
  }
  ir::ValueId input(const char* name, DType dtype, ir::DimVector dims) {
    ir::ValueId v = model->add_value(name, &model->main(), ir::Type::tensor(dtype, std::move(dims)));
    model->main().add_input(v);
    return v;
  }
  std::shared_ptr<const Program> compile(int level) {
    EXPECT_TRUE(opdef::bind_graph(model->main(), ops::registry()).ok());
    passes::PipelineOptions options;
    options.level = level;
    EXPECT_TRUE(passes::run_pipeline(*model, ops::registry(), options).ok());
    auto p = Program::compile(std::move(model), ops::registry(), Team());
    EXPECT_TRUE(p.ok()) << p.status().to_string();
    return *p;
  }
};

ValueRef ones(int64_t n) {
  Tensor t = std::move(Tensor::allocate(DType::kF32, Shape{1, n})).value();
  std::fill_n(t.as<float>(), n, 1.0f);
  return tensor_value(std::move(t));
}

Status run(const std::shared_ptr<const Program>& program, std::vector<ValueRef> in, std::vector<ValueRef>* out) {
  Frame frame(program);
  bool wanted[8] = {true, true, true, true, true, true, true, true};
  return frame.run(in, *out, {wanted, out->size()}, {});
}

/// A table that rows are gathered from and that, transposed, is multiplied with: the tied embedding of a decoder.
std::shared_ptr<const Program> tied(Weights& w, int level) {
  ir::Graph& g = w.model->main();
  ir::ValueId table = w.constant();
  ir::ValueId x = w.input("x", DType::kF32, {w.model->dims().named("n"), kColumns});
  ir::ValueId ids = w.input("ids", DType::kI64, {w.model->dims().named("k")});
  ir::ValueId turned = g.add_one("Transpose", {table}, "t");
  g.add_output(g.add_one("MatMul", {x, turned}, "y"));
  g.add_output(g.add_one("Gather", {table, ids}, "rows"));
  return w.compile(level);
}

void check_tied(const Weights& w, const std::vector<ValueRef>& out) {
  for (int64_t r = 0; r < kRows; ++r) {
    float sum = 0;
    for (int64_t c = 0; c < kColumns; ++c) sum += w.items[static_cast<size_t>(r * kColumns + c)];
    ASSERT_EQ(out[0]->tensor.as<float>()[r], sum) << r;
  }
  for (int64_t c = 0; c < kColumns; ++c)
    ASSERT_EQ(out[1]->tensor.as<float>()[c], w.items[static_cast<size_t>(7 * kColumns + c)]);
}

TEST(Weights, OneTableGatheredAndMultiplied) {
  for (int level : {0, 99}) {
    Weights w;
    auto program = tied(w, level);
    EXPECT_EQ(w.data->made, 0) << "read while the model was loaded";
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::vector<ValueRef> out(2);
      Status s = run(program, {ones(kColumns), tensor_value(Tensor::of<int64_t>(std::vector<int64_t>{7}))}, &out);
      ASSERT_TRUE(s.ok()) << s.to_string();
      check_tied(w, out);
    }
  }
}

TEST(Weights, FramesThatStartAtOnce) {
  for (int round = 0; round < 20; ++round) {
    Weights w;
    auto program = tied(w, 99);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&] {
        std::vector<ValueRef> out(2);
        Status s = run(program, {ones(kColumns), tensor_value(Tensor::of<int64_t>(std::vector<int64_t>{7}))}, &out);
        ASSERT_TRUE(s.ok()) << s.to_string();
        check_tied(w, out);
      });
    for (auto& t : threads) t.join();
  }
}

TEST(Weights, PackedOnesAreNeverCopied) {
  Weights w;
  ir::Graph& g = w.model->main();
  ir::ValueId table = w.constant();
  ir::ValueId x = w.input("x", DType::kF32, {1, kRows});
  g.add_output(g.add_one("MatMul", {x, table}, "y"));
  auto program = w.compile(99);
  std::vector<ValueRef> out(1);
  ASSERT_TRUE(run(program, {ones(kRows)}, &out).ok());
  EXPECT_EQ(w.data->made, 0);
  float sum = 0;
  for (int64_t r = 0; r < kRows; ++r) sum += w.items[static_cast<size_t>(r * kColumns)];
  EXPECT_EQ(out[0]->tensor.as<float>()[0], sum);
}

TEST(Weights, AnOutputThatIsAWeight) {
  Weights w;
  w.model->main().add_output(w.constant());
  auto program = w.compile(99);
  std::vector<ValueRef> out(1);
  Status s = run(program, {}, &out);
  ASSERT_TRUE(s.ok()) << s.to_string();
  EXPECT_EQ(out[0]->tensor.as<float>()[1], w.items[1]);
}

}  // namespace
}  // namespace tenon::exec
