// Tests of writing: what was written reads back the same.
// SPDX-License-Identifier: MIT
#include "model/write.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "model/onnx/test_bytes.h"
#include "model/read.h"

namespace tenon::model {
namespace {
using namespace onnx::test;  // NOLINT

std::span<const uint8_t> span_of(const std::string& s) {
  return {reinterpret_cast<const uint8_t*>(s.data()), s.size()};
}

std::string sample() {
  const std::string branch = graph({{node("Scale", {"x"}, {"o"}, int_attribute("k", 2), "f")},
                                    {tensor("z", 7, {1}, num(7, 5))},
                                    {},
                                    {value("o")},
                                    {}});
  const std::string passing = graph({{}, {}, {}, {value("x")}, {}});
  return model(
      graph({{node("If", {"c"}, {"t"},
                   attribute("then_branch", 5, sub(6, branch)) + attribute("else_branch", 5, sub(6, passing))),
              node("Sum", {"t", "w", ""}, {"y"},
                   int_attribute("a", -3) + attribute("b", 8, sub(9, "text")) +
                       attribute("f", 1, varint(2 << 3 | 5) + raw_of({1.5f}))),
              node("Identity", {"s"}, {"n"})},
             {tensor("w", 1, {2}, sub(4, raw_of({1.f, 2.f}))), tensor("s", 8, {2}, sub(6, "a") + sub(6, "bc"))},
             {value("x"), value("c", 9, {})},
             {value("y"), value("n", 8)},
             {}}),
      opset(1, "f") + sub(14, sub(1, "key") + sub(2, "value")) +
          function("Scale", {"a"}, {"r"},
                   {node("Constant", {}, {"c"}, ref_attribute("value_int", 2, "k")),
                    node("CastLike", {"c", "a"}, {"d"}), node("Mul", {"a", "d"}, {"r"})},
                   sub(6, "k")));
}

TEST(Write, RoundTrip) {
  const std::string bytes = sample();
  auto first = read_model_bytes(span_of(bytes));
  ASSERT_TRUE(first.ok()) << first.status().to_string();
  auto written = write_model_bytes(**first);
  ASSERT_TRUE(written.ok()) << written.status().to_string();
  auto second = read_model_bytes(span_of(*written));
  ASSERT_TRUE(second.ok()) << second.status().to_string();
  EXPECT_TRUE(ir::verify(**second).ok());
  EXPECT_EQ((*second)->metadata, (*first)->metadata);
  EXPECT_EQ((*second)->main().nodes().size(), (*first)->main().nodes().size());
  // Written again it is the same: names are settled.
  auto again = write_model_bytes(**second);
  ASSERT_TRUE(again.ok());
  auto third = read_model_bytes(span_of(*again));
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(ir::print((*third)->main()), ir::print((*second)->main()));
  auto& sum = *std::next((*second)->main().nodes().begin());
  EXPECT_EQ(sum.op, "Sum");
  EXPECT_EQ(sum.int_or("a", 0), -3);
  EXPECT_EQ(sum.float_or("f", 0), 1.5f);
  EXPECT_EQ(sum.input(2), ir::kNoValue);
}

TEST(Write, FileAndExternalData) {
  std::string name = (std::filesystem::temp_directory_path() / "tenon_write_XXXXXX").string();
  const std::filesystem::path root = ::mkdtemp(name.data());
  const std::string bytes = sample();
  auto model = read_model_bytes(span_of(bytes));
  ASSERT_TRUE(model.ok());
  const std::string path = (root / "m.onnx").string();
  Status s = write_model_file(**model, path, {"m.data", 8});
  ASSERT_TRUE(s.ok()) << s.to_string();
  EXPECT_TRUE(std::filesystem::exists(root / "m.data"));
  auto back = read_model_file(path);
  ASSERT_TRUE(back.ok()) << back.status().to_string();
  EXPECT_FALSE(write_model_file(**model, (root / "none" / "m.onnx").string()).ok());
  EXPECT_FALSE(write_model_file(**model, path, {"../m.data", 8}).ok());
  size_t files = 0;
  for ([[maybe_unused]] auto& f : std::filesystem::directory_iterator(root)) ++files;
  EXPECT_EQ(files, 2u);  // no temporary files are left
  std::filesystem::remove_all(root);
}

TEST(Write, EveryModelRoundTrips) {
  const char* folder = std::getenv("TENON_MODEL_FOLDER");
  if (!folder || !std::filesystem::is_directory(folder)) GTEST_SKIP() << "TENON_MODEL_FOLDER is not set";
  for (auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    auto m = read_model_file(entry.path().string());
    if (!m.ok()) continue;
    auto written = write_model_bytes(**m);
    ASSERT_TRUE(written.ok()) << entry.path() << ": " << written.status().to_string();
    ReadOptions borrow;
    borrow.borrow = true;
    auto back = read_model_bytes(span_of(*written), borrow);
    ASSERT_TRUE(back.ok()) << entry.path() << ": " << back.status().to_string();
    EXPECT_EQ((*back)->main().nodes().size(), (*m)->main().nodes().size()) << entry.path();
  }
}

}  // namespace
}  // namespace tenon::model
