// Tests of the reader: what models become, and that broken ones are refused.
// SPDX-License-Identifier: MIT
#include "model/read.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include "model/onnx/test_bytes.h"

namespace tenon::model {
namespace {
using namespace onnx::test;  // NOLINT

std::span<const uint8_t> span_of(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}
Result<std::unique_ptr<ir::Model>> read(const std::string& bytes, const ReadOptions& options = {}) {
  auto m = read_model_bytes(span_of(bytes), options);
  if (m.ok()) {
    Status s = ir::verify(**m);
    EXPECT_TRUE(s.ok()) << s.to_string();
  }
  return m;
}
const Tensor* constant(const ir::Model& m, std::string_view name) {
  for (ir::ValueId v = 0; v < static_cast<ir::ValueId>(m.value_count()); ++v)
    if (m.value(v).name == name && m.value(v).constant) return &*m.value(v).constant;
  return nullptr;
}
std::string ops(const ir::Graph& g) {
  std::string out;
  for (auto& n : g.nodes()) out += (out.empty() ? "" : " ") + n.op;
  return out;
}

std::string add_constant(std::string_view init, std::string_view more = {}) {
  return model(graph({{node("Add", {"x", "w"}, {"y"})}, {std::string(init)}, {value("x")}, {value("y")}, {}}), more);
}
std::string good() { return add_constant(tensor("w", 1, {2}, sub(9, raw_of({1.5f, 2.5f})))); }

TEST(Read, AddWithConstant) {
  auto m = read(good());
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  auto& g = (*m)->main();
  EXPECT_EQ(ops(g), "Add");
  EXPECT_EQ(g.inputs().size(), 1u);
  EXPECT_EQ(g.nodes().front().opset, 17);
  auto* w = constant(**m, "w");
  ASSERT_TRUE(w);
  EXPECT_EQ(w->to_string(), "f32[2]");
  EXPECT_EQ(w->as<float>()[1], 2.5f);
  EXPECT_EQ((*m)->value(g.outputs()[0]).type.to_string(), "f32[2]");
}

TEST(Read, TypedDataOfEveryWidth) {
  struct Case {
    int type;
    std::string data;
    std::string raw;
  };
  const Case cases[] = {
      {1, sub(4, raw_of({1.f, -2.f})), raw_of({1.f, -2.f})},
      {1, varint(4 << 3 | 5) + raw_of({1.f}) + varint(4 << 3 | 5) + raw_of({-2.f}), raw_of({1.f, -2.f})},
      {11, sub(10, raw_of({1., -2.})), raw_of({1., -2.})},
      {6, sub(5, varint(7) + varint(static_cast<uint64_t>(-3))), raw_of<int32_t>({7, -3})},
      {7, num(7, 7) + num(7, static_cast<uint64_t>(-3)), raw_of<int64_t>({7, -3})},
      {12, sub(11, varint(7) + varint(4000000000u)), raw_of<uint32_t>({7, 4000000000u})},
      {13, sub(11, varint(7) + varint(~0ull)), raw_of<uint64_t>({7, ~0ull})},
      {3, sub(5, varint(7) + varint(static_cast<uint64_t>(-3))), raw_of<int8_t>({7, -3})},
      {2, sub(5, varint(7) + varint(255)), raw_of<uint8_t>({7, 255})},
      {5, sub(5, varint(7) + varint(static_cast<uint64_t>(-3))), raw_of<int16_t>({7, -3})},
      {4, sub(5, varint(7) + varint(65535)), raw_of<uint16_t>({7, 65535})},
      {9, sub(5, varint(1) + varint(0)), raw_of<uint8_t>({1, 0})},
      {10, sub(5, varint(0x3c00) + varint(0xc000)), raw_of<uint16_t>({0x3c00, 0xc000})},
      {16, sub(5, varint(0x3f80) + varint(0xc000)), raw_of<uint16_t>({0x3f80, 0xc000})},
      {17, sub(5, varint(0x38) + varint(0xc0)), raw_of<uint8_t>({0x38, 0xc0})},
      {24, sub(5, varint(127) + varint(128)), raw_of<uint8_t>({127, 128})},
      {14, sub(4, raw_of({1.f, 2.f, 3.f, 4.f})), raw_of({1.f, 2.f, 3.f, 4.f})},
      {15, sub(10, raw_of({1., 2., 3., 4.})), raw_of({1., 2., 3., 4.})},
      {21, sub(5, varint(0x21)), raw_of<uint8_t>({0x21})},
      {22, sub(5, varint(0xf1)), raw_of<uint8_t>({0xf1})},
      {23, sub(5, varint(0x12)), raw_of<uint8_t>({0x12})},
      {25, sub(5, varint(0x06)), raw_of<uint8_t>({0x06})},
      {26, sub(5, varint(0x0b)), raw_of<uint8_t>({0x0b})},
  };
  for (auto& c : cases) {
    for (const std::string& data : {c.data, sub(9, c.raw)}) {
      auto m = read(add_constant(tensor("w", c.type, {2}, data)));
      ASSERT_TRUE(m.ok()) << c.type << m.status().to_string();
      auto* w = constant(**m, "w");
      ASSERT_TRUE(w);
      ASSERT_EQ(static_cast<size_t>(w->bytes()), c.raw.size()) << c.type;
      EXPECT_EQ(std::string(w->as<char>(), c.raw.size()), c.raw) << c.type;
    }
  }
}

TEST(Read, RawBoolsBecomeZeroOrOne) {
  auto m = read(add_constant(tensor("w", 9, {3}, sub(9, raw_of<uint8_t>({0, 7, 1})))));
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(std::string(constant(**m, "w")->as<char>(), 3), std::string("\0\1\1", 3));
}

TEST(Read, Strings) {
  auto m = read(add_constant(tensor("w", 8, {2}, sub(6, "a") + sub(6, ""))));
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(constant(**m, "w")->as<StringRef>()[0].view(), "a");
  EXPECT_FALSE(read(add_constant(tensor("w", 8, {2}, sub(9, "abcd")))).ok());
}

TEST(Read, InitializersAsInputs) {
  auto with_input = [](int ir) {
    return model(graph({{node("Add", {"x", "w"}, {"y"})},
                        {tensor("w", 1, {2}, sub(9, raw_of({1.f, 2.f})))},
                        {value("x"), value("w")},
                        {value("y")},
                        {}}),
                 {}, ir);
  };
  auto now = read(with_input(8));
  ASSERT_TRUE(now.ok());
  EXPECT_EQ((*now)->main().inputs().size(), 2u);
  auto& w = (*now)->value((*now)->main().inputs()[1]);
  EXPECT_TRUE(w.is_input && w.constant && !w.is_constant());
  auto old = read(with_input(3));
  ASSERT_TRUE(old.ok());
  EXPECT_EQ((*old)->main().inputs().size(), 1u);
}

TEST(Read, ReplacedInitializer) {
  ReadOptions options;
  options.initializers["w"] = Tensor::of(std::span<const float>(std::initializer_list<float>{5, 6}));
  auto m = read(good(), options);
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(constant(**m, "w")->as<float>()[0], 5.f);
  options.initializers["w"] = Tensor::of(std::span<const float>(std::initializer_list<float>{5}));
  EXPECT_EQ(read(good(), options).status().code(), Code::kInvalidArgument);
}

TEST(Read, UnsortedNodesAreSorted) {
  auto m =
      read(model(graph({{node("Abs", {"t"}, {"y"}), node("Neg", {"x"}, {"t"})}, {}, {value("x")}, {value("y")}, {}})));
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(ops((*m)->main()), "Neg Abs");
}

TEST(Read, ConstantNodesBecomeConstants) {
  auto with = [](std::string_view attributes) {
    return model(
        graph({{node("Constant", {}, {"c"}, attributes), node("Identity", {"c"}, {"y"})}, {}, {}, {value("y")}, {}}));
  };
  auto text = [&](std::string_view attributes) {
    auto m = read(with(attributes));
    EXPECT_TRUE(m.ok()) << m.status().to_string();
    EXPECT_EQ(ops((*m)->main()), "Identity");
    auto* c = constant(**m, "c");
    return c ? c->to_string() : "none";
  };
  EXPECT_EQ(text(attribute("value", 4, sub(5, tensor("", 6, {2}, sub(5, varint(1) + varint(2)))))), "i32[2]");
  EXPECT_EQ(text(attribute("value_int", 2, num(3, 7))), "i64[]");
  EXPECT_EQ(text(attribute("value_ints", 7, sub(8, varint(1) + varint(2)))), "i64[2]");
  EXPECT_EQ(text(attribute("value_float", 1, varint(2 << 3 | 5) + raw_of({1.f}))), "f32[]");
  EXPECT_EQ(text(attribute("value_floats", 6, sub(7, raw_of({1.f, 2.f, 3.f})))), "f32[3]");
  EXPECT_EQ(text(attribute("value_string", 3, sub(4, "hi"))), "string[]");
  EXPECT_EQ(text(attribute("value_strings", 8, sub(9, "a") + sub(9, "b"))), "string[2]");
  const std::string sparse = sub(1, tensor("", 1, {1}, sub(9, raw_of({3.f})))) +
                             sub(2, tensor("", 7, {1, 2}, sub(9, raw_of<int64_t>({1, 2})))) + num(3, 2) + num(3, 3);
  auto m = read(with(attribute("sparse_value", 11, sub(22, sparse))));
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(constant(**m, "c")->to_string(), "f32[2,3]");
  EXPECT_EQ(constant(**m, "c")->as<float>()[5], 3.f);
  EXPECT_FALSE(read(with("")).ok());
}

TEST(Read, SubgraphsCaptureAndShadow) {
  // `x` is captured by one branch; the other has a `t` of its own although the outer graph has one too.
  const std::string then_graph = graph({{node("Neg", {"x"}, {"t"})}, {}, {}, {value("t")}, {}});
  const std::string else_graph = graph({{node("Abs", {"u"}, {"o"})}, {}, {}, {value("o")}, {}});
  auto m = read(model(
      graph({{node("If", {"c"}, {"y"},
                   attribute("then_branch", 5, sub(6, then_graph)) + attribute("else_branch", 5, sub(6, else_graph))),
              node("Neg", {"x"}, {"t"}), node("Abs", {"t"}, {"u"})},
             {},
             {value("x"), value("c", 9, {})},
             {value("y")},
             {}})));
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(ops((*m)->main()), "Neg Abs If");  // moved behind what its branch captures
  auto& branch = *(*m)->main().nodes().back().subgraphs()[0];
  EXPECT_EQ(branch.nodes().front().input(0), (*m)->main().inputs()[0]);
}

TEST(Read, FunctionsAreUnfolded) {
  // G(x; k) = Scale(x), Scale refers to k through an attribute with a default of its own.
  const std::string scale =
      function("Scale", {"a", "b"}, {"r"},
               {node("Constant", {}, {"c"}, ref_attribute("value_int", 2, "k")),
                node("Cast", {"c"}, {"cf"}, int_attribute("to", 1)), node("Mul", {"a", "cf"}, {"r"}, {}, {}, "mul")},
               sub(11, sub(1, "k") + num(3, 3) + num(20, 2)));
  const std::string outer =
      function("G", {"x"}, {"y", "same"}, {node("Scale", {"x"}, {"y"}, ref_attribute("k", 2, "kk"), "f", "inner")},
               sub(6, "kk"));
  auto with = [&](std::string_view more) {
    return model(graph({{node("G", {"x"}, {"y"}, more, "f", "call")}, {}, {value("x")}, {value("y")}, {}}),
                 opset(1, "f") + scale + outer);
  };
  auto m = read(with(int_attribute("kk", 5)));
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(ops((*m)->main()), "Cast Mul");
  EXPECT_EQ((*m)->main().nodes().back().name, "call/inner/mul");
  EXPECT_EQ((*m)->main().nodes().back().origins, std::vector<std::string>{"call"});
  EXPECT_EQ(*constant(**m, "call/inner/c")->as<int64_t>(), 5);
  m = read(with(""));
  ASSERT_TRUE(m.ok());
  EXPECT_EQ(*constant(**m, "call/inner/c")->as<int64_t>(), 3);
}

TEST(Read, FunctionsThatDoNotEnd) {
  const std::string call = graph({{node("F0", {"x"}, {"y"}, {}, "f")}, {}, {value("x")}, {value("y")}, {}});
  auto itself = read(model(call, opset(1, "f") + function("F0", {"x"}, {"y"}, {node("F0", {"x"}, {"y"}, {}, "f")})));
  EXPECT_EQ(itself.status().code(), Code::kInvalidGraph);
  std::string doubling = opset(1, "f");
  for (int i = 0; i < 30; ++i)
    doubling += function("F" + std::to_string(i), {"x"}, {"y"},
                         {node("F" + std::to_string(i + 1), {"x"}, {"t"}, {}, "f"),
                          node("F" + std::to_string(i + 1), {"t"}, {"y"}, {}, "f")});
  auto big = read(model(call, doubling + function("F30", {"x"}, {"y"}, {node("Abs", {"x"}, {"y"})})));
  EXPECT_EQ(big.status().code(), Code::kFail);
  std::string chain = opset(1, "f");
  for (int i = 0; i < 1000; ++i)
    chain +=
        function("F" + std::to_string(i), {"x"}, {"y"}, {node("F" + std::to_string(i + 1), {"x"}, {"y"}, {}, "f")});
  EXPECT_FALSE(read(model(call, chain + function("F1000", {"x"}, {"y"}, {node("Abs", {"x"}, {"y"})}))).ok());
}

TEST(Read, PassedThroughFunctionOutput) {
  auto m = read(model(graph({{node("F", {"x", "z"}, {"y"}, {}, "f")}, {}, {value("x"), value("z")}, {value("y")}, {}}),
                      opset(1, "f") + function("F", {"a", "b"}, {"b"}, {})));
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(ops((*m)->main()), "Identity");
}

TEST(Read, Codes) {
  auto code = [](const std::string& bytes) { return read(bytes).status().code(); };
  EXPECT_EQ(code(""), Code::kInvalidArgument);
  EXPECT_EQ(code("\x08"), Code::kInvalidProtobuf);
  EXPECT_EQ(code(model(graph({}), {}, 99)), Code::kFail);
  EXPECT_EQ(code(model(graph({}), {}, 8, 99)), Code::kFail);
  EXPECT_EQ(code(model(graph({}), {}, 8, -1)), Code::kInvalidGraph);
  EXPECT_EQ(code(model(graph({{node("Abs", {"ghost"}, {"y"})}, {}, {}, {value("y")}, {}}))), Code::kInvalidArgument);
  EXPECT_EQ(code(model(graph({{node("Abs", {"x"}, {"y"}, {}, "no.such")}, {}, {value("x")}, {value("y")}, {}}))),
            Code::kFail);
  EXPECT_EQ(
      code(model(graph({{node("Abs", {"x"}, {"y"}), node("Neg", {"x"}, {"y"})}, {}, {value("x")}, {value("y")}, {}}))),
      Code::kFail);
  EXPECT_EQ(code(model(graph({{node("Abs", {"x"}, {"t"})}, {}, {value("x")}, {value("y")}, {}}))), Code::kFail);
  EXPECT_EQ(code(model(graph(
                {{node("Add", {"x", "b"}, {"a"}), node("Abs", {"a"}, {"b"})}, {}, {value("x")}, {value("b")}, {}}))),
            Code::kInvalidGraph);
  auto init = [&](std::string_view t) { return code(add_constant(t)); };
  EXPECT_NE(init(tensor("w", 1, {2}, sub(9, "abcde"))), Code::kOk);
  EXPECT_NE(init(tensor("w", 1, {2}, sub(9, std::string(64, 0)))), Code::kOk);
  EXPECT_NE(init(tensor("w", 1, {int64_t{1} << 32, int64_t{1} << 32}, sub(9, std::string(8, 0)))), Code::kOk);
  EXPECT_NE(init(tensor("w", 15, {int64_t{1} << 56}, sub(9, std::string(8, 0)))), Code::kOk);
  EXPECT_NE(init(tensor("w", 1, {-2}, sub(9, std::string(8, 0)))), Code::kOk);
  EXPECT_NE(init(tensor("w", 1, {int64_t{1} << 38})), Code::kOk);
  EXPECT_NE(init(tensor("w", 250, {2}, sub(9, std::string(8, 0)))), Code::kOk);
  EXPECT_EQ(init(tensor("w", 27, {2}, sub(9, std::string(8, 0)))), Code::kNotImplemented);
}

TEST(Read, DeepSubgraphs) {
  auto nested = [](int depth) {
    std::string inner = graph({{node("Identity", {"x"}, {"o"})}, {}, {}, {value("o")}, {}});
    const std::string leaf = inner;
    for (int i = 0; i < depth; ++i)
      inner = graph({{node("If", {"c"}, {"o"},
                           attribute("then_branch", 5, sub(6, inner)) + attribute("else_branch", 5, sub(6, leaf)))},
                     {},
                     {},
                     {value("o")},
                     {}});
    return model(inner + sub(11, value("x")) + sub(11, value("c", 9, {})));
  };
  EXPECT_TRUE(read(nested(60)).ok());
  EXPECT_FALSE(read(nested(2000)).ok());
}

class Folder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "tenon_read_XXXXXX").string();
    root = ::mkdtemp(name.data());
    std::filesystem::create_directories(root / "m" / "sub");
  }
  void TearDown() override { std::filesystem::remove_all(root); }
  void put(const std::string& name, const std::string& bytes) { std::ofstream(root / name, std::ios::binary) << bytes; }
  Result<std::unique_ptr<ir::Model>> load(const std::string& name = "m/model.onnx") {
    return read_model_file((root / name).string());
  }
  static std::string entry(std::string_view key, std::string_view v) { return sub(13, sub(1, key) + sub(2, v)); }
  static std::string external(std::string_view entries) {
    return add_constant(tensor("w", 1, {2}, std::string(entries) + num(14, 1)));
  }
  bool loads(std::string_view location, std::string_view more = {}) {
    put("m/model.onnx", external(entry("location", location) + std::string(more)));
    auto m = load();
    return m.ok() && constant(**m, "w")->as<float>()[1] == 2.f;
  }
  std::filesystem::path root;
};

TEST_F(Folder, FilesAndCodes) {
  put("m/model.onnx", good());
  auto m = load();
  ASSERT_TRUE(m.ok());
  EXPECT_EQ((*m)->path, (root / "m/model.onnx").string());
  auto missing = load("m/none.onnx");
  EXPECT_EQ(missing.status().code(), Code::kNoSuchFile);
  EXPECT_NE(missing.status().message().find("doesn't exist"), std::string_view::npos);
  EXPECT_EQ(load("m").status().code(), Code::kInvalidArgument);
  put("m/junk.onnx", "\xff\xff\xff");
  EXPECT_EQ(load("m/junk.onnx").status().code(), Code::kInvalidProtobuf);
  EXPECT_EQ(load("m/junk.onnx").status().message().find("Load model from "), 0u);
  EXPECT_EQ(read_model_file("").status().code(), Code::kNoSuchFile);
  put("m/zero.onnx", "");
  EXPECT_EQ(load("m/zero.onnx").status().code(), Code::kInvalidArgument);
}

TEST_F(Folder, ExternalData) {
  const std::string two = raw_of({1.f, 2.f});
  put("m/w.bin", two);
  put("m/sub/w.bin", std::string(3, 'x') + two + "yyyy");
  put("secret.bin", two);
  EXPECT_TRUE(loads("w.bin"));
  EXPECT_TRUE(loads("./w.bin", entry("length", "8")));
  EXPECT_TRUE(loads("sub/w.bin", entry("offset", "3") + entry("length", "8")));
  EXPECT_TRUE(loads("sub/../w.bin"));
  EXPECT_FALSE(loads("../secret.bin"));
  EXPECT_FALSE(loads("sub/../../secret.bin"));
  EXPECT_FALSE(loads((root / "m/w.bin").string()));
  EXPECT_FALSE(loads("."));
  EXPECT_FALSE(loads("sub"));
  EXPECT_FALSE(loads(""));
  EXPECT_FALSE(loads("w.bin", entry("offset", "-8")));
  EXPECT_FALSE(loads("w.bin", entry("offset", "1")));
  EXPECT_FALSE(loads("w.bin", entry("offset", "99999999999999999999")));
  EXPECT_FALSE(loads("w.bin", entry("length", "4")));
  EXPECT_FALSE(loads(std::string("w.bin\0x", 7)));
  std::filesystem::create_symlink("../secret.bin", root / "m/link.bin");
  EXPECT_FALSE(loads("link.bin"));
  ASSERT_EQ(::system(("mkfifo " + (root / "m/pipe").string()).c_str()), 0);
  EXPECT_FALSE(loads("pipe"));
}

TEST_F(Folder, LinkedCache) {
  std::filesystem::create_directories(root / "blobs");
  put("blobs/1", external(entry("location", "model.data")));
  put("blobs/2", raw_of({1.f, 2.f}));
  std::filesystem::create_symlink("../blobs/1", root / "m/model.onnx");
  std::filesystem::create_symlink("../blobs/2", root / "m/model.data");
  auto m = load();
  EXPECT_TRUE(m.ok()) << m.status().to_string();
}

TEST_F(Folder, ExternalDataInMemory) {
  const std::string two = raw_of({1.f, 2.f});
  ReadOptions options;
  options.external_files["w.bin"] = span_of(two);
  auto m = read(external(entry("location", "w.bin")), options);
  ASSERT_TRUE(m.ok()) << m.status().to_string();
  EXPECT_EQ(constant(**m, "w")->as<float>()[1], 2.f);
}

std::string rich_model() {
  const std::string branch = graph({{node("Scale", {"x"}, {"o"}, int_attribute("k", 2), "f")},
                                    {tensor("z", 7, {1}, num(7, 5))},
                                    {},
                                    {value("o")},
                                    {}});
  const std::string sparse = sub(1, tensor("s", 1, {1}, sub(9, raw_of({3.f})))) +
                             sub(2, tensor("", 7, {1}, sub(9, raw_of<int64_t>({1})))) + num(3, 2);
  return model(
      graph({{node("If", {"c"}, {"t"},
                   attribute("then_branch", 5, sub(6, branch)) + attribute("else_branch", 5, sub(6, branch))),
              node("Constant", {}, {"k"}, attribute("value_floats", 6, sub(7, raw_of({1.f, 2.f})))),
              node("Add", {"t", "k"}, {"u"}),
              node("Sum", {"u", "w", "s", ""}, {"y"}, int_attribute("a", 3) + attribute("b", 8, sub(9, "text")))},
             {tensor("w", 1, {2}, sub(4, raw_of({1.f, 2.f})))},
             {value("x"), value("c", 9, {})},
             {value("y")},
             sub(15, sparse) + sub(13, value("t"))}),
      opset(1, "f") + sub(14, sub(1, "key") + sub(2, "value")) +
          function("Scale", {"a"}, {"r"},
                   {node("Constant", {}, {"c"}, ref_attribute("value_int", 2, "k")),
                    node("CastLike", {"c", "a"}, {"d"}), node("Mul", {"a", "d"}, {"r"})},
                   sub(6, "k")));
}

TEST(Hostile, EveryTruncationAnswers) {
  const std::string whole = rich_model();
  ASSERT_TRUE(read(whole).ok()) << read(whole).status().to_string();
  for (size_t n = 0; n < whole.size(); ++n) (void)read(whole.substr(0, n));
}

TEST(Hostile, BitFlipsAnswer) {
  const std::string whole = rich_model();
  for (size_t i = 0; i < whole.size(); ++i)
    for (int bit = 0; bit < 8; ++bit) {
      std::string bad = whole;
      bad[i] = static_cast<char>(bad[i] ^ (1 << bit));
      (void)read(bad);
    }
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string bad = whole;
    for (int k = 0; k < 4; ++k) bad[random() % bad.size()] = static_cast<char>(random());
    (void)read(bad);
  }
}

TEST(Zoo, EveryModelImports) {
  const char* folder = std::getenv("TENON_MODEL_FOLDER");
  if (!folder || !std::filesystem::is_directory(folder)) GTEST_SKIP() << "TENON_MODEL_FOLDER is not set";
  int count = 0;
  for (auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    auto m = read_model_file(entry.path().string());
    EXPECT_TRUE(m.ok()) << entry.path() << ": " << m.status().to_string();
    if (!m.ok()) continue;
    ++count;
    Status s = (*m)->main().nodes().size() < 20000 ? ir::verify(**m) : Status();
    EXPECT_TRUE(s.ok()) << entry.path() << ": " << s.to_string();
  }
  std::printf("%d models\n", count);
}

}  // namespace
}  // namespace tenon::model
