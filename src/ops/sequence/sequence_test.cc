// Operators whose inputs or outputs are sequences, maps and optionals, run on values.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <deque>

#include "opdef/infer.h"
#include "opdef/kernel.h"
#include "opdef/registry.h"
#include "ops/table.h"

namespace tenon::ops {
namespace {
using namespace opdef;

class Host final : public KernelHost {
 public:
  Status allocate(Slot& slot, std::span<const int64_t> dims) override {
    slot.dims = Dims(dims);
    TENON_ASSIGN(int64_t count, checked_count(dims));
    TENON_ASSIGN(slot.memory, Buffer::allocate(static_cast<size_t>(byte_size(slot.tensor.dtype, count)), true));
    slot.tensor = {slot.memory->data(), slot.dims.data(), static_cast<int32_t>(dims.size()), slot.tensor.dtype, count};
    return {};
  }
  Result<void*> scratch(size_t bytes) override {
    TENON_ASSIGN(auto b, Buffer::allocate(bytes));
    kept_.push_back(b);
    return b->data();
  }
  StringArena& strings() override { return *strings_; }

 private:
  std::deque<Ref<Buffer>> kept_;
  Ref<StringArena> strings_ = make_ref<StringArena>();
};

Type type_of(const Value& v) {
  switch (v.kind) {
    case Value::Kind::kTensor: {
      ir::DimVector dims;
      for (int64_t d : v.tensor.shape()) dims.push_back(d);
      return Type::tensor(v.tensor.dtype(), std::move(dims));
    }
    case Value::Kind::kSequence:
      return Type::sequence(v.items.empty() ? Type::tensor(v.element) : type_of(*v.items[0]));
    case Value::Kind::kOptional:
      return Type::optional(v.items.empty() ? Type::tensor(v.element) : type_of(*v.items[0]));
    case Value::Kind::kMap: return Type::map(v.items[0]->tensor.dtype(), Type::tensor(v.items[1]->tensor.dtype()));
    default: return {};
  }
}

/// An attribute that can be copied.
using Named =
    std::pair<std::string, std::variant<int64_t, std::string, std::vector<int64_t>, std::vector<std::string>, Type>>;

/// Runs a node on values (null: missing) and gives its first output.
Result<ValueRef> run(std::string_view op, const std::vector<ValueRef>& inputs, std::vector<Named> attributes = {},
                     std::string_view domain = "") {
  ir::Model m;
  ir::Graph& g = m.main();
  std::vector<ir::ValueId> in;
  for (auto& v : inputs) in.push_back(v ? m.add_value(m.unique_name("in"), &g, type_of(*v)) : ir::kNoValue);
  ir::ValueId out = m.add_value("out", &g);
  ir::Node& node = g.add(std::string(op), in, {out}, std::string(domain));
  for (auto& [name, value] : attributes) std::visit([&](auto& v) { node.set(name, v); }, value);
  TENON_TRY(bind_node(node, registry()));
  TENON_TRY(check_node(node));
  TENON_TRY(infer_node(node));
  TENON_ASSIGN(const Kernel* kernel, choose_kernel(node, registry().entry(node.def)->cpu));
  Team team;
  StatePtr state;
  if (kernel->pack) {
    PackContext pack(node, team);
    TENON_ASSIGN(state, kernel->pack(pack));
  }
  std::vector<Slot> slots(inputs.size() + 1);
  std::vector<int32_t> in_slots, out_slots{static_cast<int32_t>(inputs.size())};
  for (size_t i = 0; i < inputs.size(); ++i) {
    in_slots.push_back(inputs[i] ? static_cast<int32_t>(i) : -1);
    if (!inputs[i]) continue;
    slots[i].value = inputs[i];
    if (inputs[i]->kind == Value::Kind::kTensor) slots[i].tensor = inputs[i]->tensor.ref();
  }
  Host host;
  Slot& result = slots.back();
  const Type& type = m.value(out).type;
  if (type.is_tensor()) {
    result.tensor.dtype = type.dtype;
    if (!node.def->trait.kernel_sizes_output) TENON_TRY(host.allocate(result, *ir::constant_dims(type.shape)));
  }
  KernelContext context(node, state.get(), slots.data(), in_slots, out_slots, team, host, nullptr);
  TENON_TRY(kernel->run(context));
  if (result.value) return result.value;
  if (!result.memory) return error(Code::kFail, "no output");
  TENON_ASSIGN(Tensor copy, Tensor(result.tensor.dtype, result.dims, result.memory).clone());
  return tensor_value(std::move(copy));
}

template <class T>
ValueRef tensor(Shape shape, std::vector<T> items) {
  return tensor_value(Tensor::of(std::span<const T>(items)).reshaped(std::move(shape)));
}
ValueRef number(int64_t v) { return tensor_value(Tensor::scalar(v)); }
ValueRef words(std::vector<std::string> items) {
  Tensor t = Tensor::allocate(DType::kString, Shape{static_cast<int64_t>(items.size())}).value();
  auto arena = make_ref<StringArena>();
  for (size_t i = 0; i < items.size(); ++i) t.as<StringRef>()[i] = arena->add(items[i]);
  t.set_strings(std::move(arena));
  return tensor_value(std::move(t));
}
template <class T>
std::vector<T> items(const ValueRef& v) {
  auto s = v->tensor.items<T>();
  return {s.begin(), s.end()};
}
std::string failure(const Result<ValueRef>& r) { return r.ok() ? "no failure" : std::string(r.status().message()); }

const std::vector<float> kOne{1}, kTwo{2, 3}, kThree{4, 5, 6};
ValueRef three() {
  return run("SequenceConstruct", {tensor<float>({1}, kOne), tensor<float>({2}, kTwo), tensor<float>({3}, kThree)})
      .value();
}

TEST(Sequence, ConstructAtLength) {
  ValueRef s = three();
  ASSERT_EQ(s->items.size(), 3u);
  EXPECT_EQ(items<float>(run("SequenceAt", {s, number(1)}).value()), kTwo);
  EXPECT_EQ(items<float>(run("SequenceAt", {s, number(-1)}).value()), kThree);
  EXPECT_EQ(failure(run("SequenceAt", {s, number(3)})), "SequenceAt: position 3 is outside of [-3, 3)");
  EXPECT_EQ(items<int64_t>(run("SequenceLength", {s}).value()), std::vector<int64_t>{3});
  EXPECT_NE(failure(run("SequenceConstruct", {tensor<float>({1}, kOne), number(1)})), "no failure");
}

TEST(Sequence, InsertErase) {
  ValueRef s = three(), x = tensor<float>({1}, {9});
  EXPECT_EQ(items<float>(run("SequenceInsert", {s, x}).value()->items[3]), std::vector<float>{9});
  EXPECT_EQ(items<float>(run("SequenceInsert", {s, x, number(-3)}).value()->items[0]), std::vector<float>{9});
  EXPECT_EQ(s->items.size(), 3u);
  EXPECT_NE(failure(run("SequenceInsert", {s, x, number(4)})), "no failure");
  EXPECT_NE(failure(run("SequenceInsert", {s, number(4)})), "no failure");
  ValueRef e = run("SequenceErase", {s, number(0)}).value();
  EXPECT_EQ(items<float>(e->items[0]), kTwo);
  EXPECT_EQ(run("SequenceErase", {s}).value()->items.size(), 2u);
  ValueRef empty = run("SequenceEmpty", {}, {{"dtype", int64_t{1}}}).value();
  EXPECT_EQ(failure(run("SequenceErase", {empty})), "SequenceErase: the sequence is empty");
  EXPECT_EQ(run("SequenceInsert", {empty, x}).value()->items.size(), 1u);
}

TEST(Sequence, SplitAndConcat) {
  ValueRef x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  ValueRef s = run("SplitToSequence", {x}, {{"axis", int64_t{1}}, {"keepdims", int64_t{0}}}).value();
  ASSERT_EQ(s->items.size(), 3u);
  EXPECT_EQ(s->items[1]->tensor.shape(), (Shape{2}));
  EXPECT_EQ(items<float>(s->items[1]), (std::vector<float>{2, 5}));
  ValueRef stacked = run("ConcatFromSequence", {s}, {{"axis", int64_t{-1}}, {"new_axis", int64_t{1}}}).value();
  EXPECT_EQ(stacked->tensor.shape(), (Shape{2, 3}));
  EXPECT_EQ(items<float>(stacked), items<float>(x));
  ValueRef pairs = run("SplitToSequence", {x, number(2)}, {{"axis", int64_t{1}}}).value();
  ASSERT_EQ(pairs->items.size(), 2u);
  EXPECT_EQ(pairs->items[1]->tensor.shape(), (Shape{2, 1}));
  EXPECT_EQ(items<float>(run("ConcatFromSequence", {pairs}, {{"axis", int64_t{1}}}).value()), items<float>(x));
  EXPECT_NE(failure(run("SplitToSequence", {x, tensor<int64_t>({2}, {1, 1})}, {{"axis", int64_t{1}}})), "no failure");
  EXPECT_NE(failure(run("ConcatFromSequence", {three()}, {{"axis", int64_t{0}}, {"new_axis", int64_t{1}}})),
            "no failure");
  EXPECT_EQ(items<float>(run("ConcatFromSequence", {three()}, {{"axis", int64_t{0}}}).value()),
            (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(Sequence, Optionals) {
  ValueRef full = run("Optional", {tensor<float>({2}, kTwo)}).value();
  ValueRef empty = run("Optional", {}, {{"type", Type::tensor(DType::kF32)}}).value();
  EXPECT_EQ(items<bool>(run("OptionalHasElement", {full}).value()), std::vector<bool>{true});
  EXPECT_EQ(items<bool>(run("OptionalHasElement", {empty}).value()), std::vector<bool>{false});
  EXPECT_EQ(items<float>(run("OptionalGetElement", {full}).value()), kTwo);
  EXPECT_EQ(failure(run("OptionalGetElement", {empty})), "OptionalGetElement: the optional is empty");
  EXPECT_EQ(run("OptionalGetElement", {run("Optional", {three()}).value()}).value()->items.size(), 3u);
}

TEST(Maps, ZipDictCast) {
  using Strings = std::vector<std::string>;
  ValueRef rows = tensor<float>({2, 2}, {1, 2, 3, 4});
  ValueRef s = run("ZipMap", {rows}, {{"classlabels_strings", Strings{"a", "b"}}}, "ai.onnx.ml").value();
  ASSERT_EQ(s->items.size(), 2u);
  EXPECT_EQ(s->items[1]->kind, Value::Kind::kMap);
  EXPECT_EQ(items<float>(s->items[1]->items[1]), (std::vector<float>{3, 4}));
  ValueRef row =
      run("DictVectorizer", {s->items[0]}, {{"string_vocabulary", Strings{"b", "x", "a"}}}, "ai.onnx.ml").value();
  EXPECT_EQ(items<float>(row), (std::vector<float>{2, 0, 1}));
  ValueRef map =
      run("ZipMap", {rows}, {{"classlabels_int64s", std::vector<int64_t>{3, 1}}}, "ai.onnx.ml").value()->items[0];
  EXPECT_EQ(items<float>(run("CastMap", {map}, {}, "ai.onnx.ml").value()), (std::vector<float>{2, 1}));
  EXPECT_EQ(
      items<int64_t>(
          run("CastMap", {map},
              {{"cast_to", std::string("TO_INT64")}, {"map_form", std::string("SPARSE")}, {"max_map", int64_t{5}}},
              "ai.onnx.ml")
              .value()),
      (std::vector<int64_t>{0, 2, 0, 1, 0}));
  auto texts = make_ref<Value>(Value::Kind::kMap);
  texts->items = {tensor<int64_t>({1}, {0}), words({"7.5"})};
  EXPECT_EQ(items<float>(run("CastMap", {texts}, {}, "ai.onnx.ml").value()), std::vector<float>{7.5f});
  EXPECT_NE(failure(run("ZipMap", {rows}, {{"classlabels_strings", Strings{"a"}}}, "ai.onnx.ml")), "no failure");
}

}  // namespace
}  // namespace tenon::ops
