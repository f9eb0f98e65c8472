// Tests of one session used by many threads at once, and of sessions that come and go beside it.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <thread>

#include "model/onnx/test_bytes.h"
#include "session/session.h"

namespace tenon::session {
namespace {

namespace pb = model::onnx::test;

constexpr int64_t kWidth = 64, kInner = 512;

std::string argument(std::string_view name, DType dtype, std::initializer_list<std::string> dims) {
  std::string shape;
  for (const auto& d : dims) shape += pb::sub(1, isdigit(d[0]) ? pb::num(1, std::stoul(d)) : pb::sub(2, d));
  const auto type = pb::num(1, static_cast<uint64_t>(dtype));
  return pb::sub(1, name) + pb::sub(2, pb::sub(1, type + pb::sub(2, shape)));
}
std::string weight(std::string_view name, int64_t rows, int64_t columns) {
  std::vector<float> items;
  for (int64_t i = 0; i < rows * columns; ++i) items.push_back(static_cast<float>((i * 37) % 101 - 50) / 512);
  const std::string_view bytes(reinterpret_cast<const char*>(items.data()), items.size() * sizeof(float));
  return pb::tensor(name, 1, {rows, columns}, pb::sub(9, bytes));
}
std::string graph_attribute(std::string_view name, const pb::GraphParts& parts) {
  return pb::attribute(name, 5, pb::sub(6, pb::graph(parts)));
}

/// One step of a decoder in small: two large products, a cache that grows by a row, a loop whose states and scans
/// depend on `trips`, and a branch whose results differ in shape.
std::string decoder() {
  const auto axis = [](int64_t a) { return pb::int_attribute("axis", a); };
  const pb::GraphParts body{
      .nodes = {pb::node("Mul", {"state", "half"}, {"halved"}), pb::node("Add", {"halved", "p"}, {"next"}),
                pb::node("ReduceSum", {"next"}, {"sum"}, pb::int_attribute("keepdims", 0)),
                pb::node("Concat", {"grown", "next"}, {"longer"}, axis(0)), pb::node("Identity", {"go"}, {"on"})},
      .inputs = {pb::sub(1, "i"), pb::sub(1, "go"), pb::sub(1, "state"), pb::sub(1, "grown")},
      .outputs = {pb::sub(1, "on"), pb::sub(1, "next"), pb::sub(1, "longer"), pb::sub(1, "sum")}};
  const pb::GraphParts yes{.nodes = {pb::node("Softmax", {"present"}, {"soft"}, axis(-1))},
                           .outputs = {pb::sub(1, "soft")}};
  const pb::GraphParts no{.nodes = {pb::node("Concat", {"present", "present"}, {"both"}, axis(1))},
                          .outputs = {pb::sub(1, "both")}};
  const auto axes0 = pb::attribute("axes", 7, pb::num(8, 0));
  return pb::model(pb::graph(
      {.nodes = {pb::node("MatMul", {"x", "w1"}, {"h"}), pb::node("Relu", {"h"}, {"r"}),
                 pb::node("MatMul", {"r", "w2"}, {"p"}), pb::node("ReduceMean", {"p"}, {"m"}, axes0),
                 pb::node("Unsqueeze", {"m", "zero"}, {"u"}), pb::node("Concat", {"past", "u"}, {"present"}, axis(1)),
                 pb::node("Loop", {"trips", "", "p", "p"}, {"state_out", "grown_out", "sums"},
                          graph_attribute("body", body)),
                 pb::node("If", {"soften"}, {"branch"},
                          graph_attribute("then_branch", yes) + graph_attribute("else_branch", no))},
       .initializers = {weight("w1", kWidth, kInner), weight("w2", kInner, kWidth),
                        pb::tensor("half", 1, {}, pb::sub(9, pb::raw_of({0.5f}))),
                        pb::tensor("zero", 7, {1}, pb::sub(9, pb::raw_of({int64_t{0}})))},
       .inputs = {argument("x", DType::kF32, {"rows", "64"}), argument("past", DType::kF32, {"1", "length", "64"}),
                  argument("trips", DType::kI64, {}), argument("soften", DType::kBool, {})},
       .outputs = {pb::sub(1, "present"), pb::sub(1, "state_out"), pb::sub(1, "grown_out"), pb::sub(1, "sums"),
                   pb::sub(1, "branch")}}));
}

constexpr const char* kInputs[] = {"x", "past", "trips", "soften"};
constexpr const char* kOutputs[] = {"present", "state_out", "grown_out", "sums", "branch"};

std::unique_ptr<Session> load(const SessionOptions& options = {}) {
  const std::string bytes = decoder();
  auto s = Session::load(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), options);
  EXPECT_TRUE(s.ok()) << s.status().to_string();
  return s.ok() ? std::move(s).value() : nullptr;
}
SessionOptions pool_of(int threads) {
  SessionOptions options;
  options.intra_threads = threads;
  options.private_pool = true;
  return options;
}

template <class T>
ValueRef single(DType dtype, T v) {
  Tensor t = std::move(Tensor::allocate(dtype, Shape{})).value();
  std::memcpy(t.data(), &v, sizeof v);
  return tensor_value(std::move(t));
}

/// Runs the decoder step by step, each step fed with the cache that the one before gave; adds all outputs up as bits.
class Decoder {
 public:
  Decoder(Session& session, int seed) : session_(session), seed_(seed) {
    past_ = tensor_value(std::move(Tensor::allocate(DType::kF32, Shape{1, 0, kWidth})).value());
  }
  Status step(const RunOptions* options = nullptr, int64_t trips = -1) {
    const int64_t rows = 1 + (seed_ + count_) % 4 * 16;
    Tensor x = std::move(Tensor::allocate(DType::kF32, Shape{rows, kWidth})).value();
    for (int64_t i = 0; i < x.count(); ++i)
      x.as<float>()[i] = static_cast<float>((i * 7 + seed_ * 5 + count_) % 23 - 11);
    const ValueRef in[] = {tensor_value(std::move(x)), past_,
                           single(DType::kI64, trips < 0 ? (count_ + seed_) % 4 : trips),
                           single(DType::kBool, static_cast<uint8_t>((count_ + seed_) % 3 == 0))};
    ValueRef out[5];
    TENON_TRY(session_.run(options, kInputs, in, kOutputs, out));
    for (const auto& v : out)
      for (const uint32_t word :
           std::span(static_cast<const uint32_t*>(v->tensor.data()), static_cast<size_t>(v->tensor.count())))
        bits_ = bits_ * 0x9E3779B97F4A7C15u + word + 1;
    past_ = out[0];
    ++count_;
    return {};
  }
  /// The sum after `steps` steps; 0 when one fails.
  uint64_t decode(int steps) {
    for (int i = 0; i < steps; ++i)
      if (Status s = step(); !s.ok()) {
        ADD_FAILURE() << s.to_string();
        return 0;
      }
    return bits_;
  }

 private:
  Session& session_;
  int seed_;
  int count_ = 0;
  uint64_t bits_ = 0;
  ValueRef past_;
};

/// What each of `seeds` decoders gives when it is alone and has one thread.
std::vector<uint64_t> alone(int seeds, int steps) {
  SessionOptions options;
  options.intra_threads = 1;
  auto session = load(options);
  std::vector<uint64_t> sums;
  for (int seed = 0; seed < seeds; ++seed) sums.push_back(Decoder(*session, seed).decode(steps));
  return sums;
}

/// Calls body(t) on `count` threads that start together.
template <class F>
void at_once(int count, F body) {
  std::barrier start(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t)
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      body(t);
    });
  for (auto& t : threads) t.join();
}

void frames_of_one_session(int count, int pool, int steps) {
  const auto expected = alone(count, steps);
  auto session = load(pool_of(pool));
  ASSERT_TRUE(session);
  at_once(count, [&](int t) { EXPECT_EQ(Decoder(*session, t).decode(steps), expected[static_cast<size_t>(t)]) << t; });
}

TEST(Frames, TwoOfOneSession) { frames_of_one_session(2, 2, 24); }
TEST(Frames, SixteenOfOneSession) { frames_of_one_session(16, 2, 8); }
TEST(Frames, SixteenOnAPoolOfFour) { frames_of_one_session(16, 4, 8); }

/// The first runs pack the weights: whoever comes first does it, the others wait or use what is there.
TEST(Frames, FirstRunsAtOnce) {
  const auto expected = alone(4, 2);
  for (int round = 0; round < 8; ++round) {
    auto session = load(pool_of(2));
    ASSERT_TRUE(session);
    at_once(8,
            [&](int t) { EXPECT_EQ(Decoder(*session, t % 4).decode(2), expected[static_cast<size_t>(t % 4)]) << t; });
  }
}

/// Sessions of the process-wide pool and of pools of their own are made, run and released while others run.
TEST(Frames, OtherSessionsComeAndGo) {
  const auto expected = alone(6, 4);
  auto session = load(pool_of(2));
  ASSERT_TRUE(session);
  at_once(6, [&](int t) {
    for (int round = 0; round < 4; ++round) {
      auto own = t < 2 ? nullptr : load(t % 2 ? pool_of(3) : SessionOptions());
      Session& used = own ? *own : *session;
      EXPECT_EQ(Decoder(used, t).decode(4), expected[static_cast<size_t>(t)]) << t;
      if (t == 1) used.shrink();
    }
  });
}

/// A run that is told to stop from another thread does, and its neighbours in the same session never notice.
TEST(Frames, OneIsTerminatedBesideOthers) {
  const auto expected = alone(4, 6);
  auto session = load(pool_of(2));
  ASSERT_TRUE(session);
  RunOptions stopped;
  std::atomic<bool> begun{false};
  at_once(4, [&](int t) {
    if (t == 0) {
      begun = true;
      Status s = Decoder(*session, 0).step(&stopped, INT64_MAX);
      EXPECT_NE(s.to_string().find("terminate flag"), std::string::npos) << s.to_string();
    } else if (t == 1) {
      while (!begun) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      stopped.terminate = true;
    } else {
      EXPECT_EQ(Decoder(*session, t).decode(6), expected[static_cast<size_t>(t)]) << t;
    }
  });
  EXPECT_EQ(Decoder(*session, 0).decode(6), expected[0]);
}

/// Dimensions that contradict their common name make the session compile the model once more: once for all threads.
TEST(Frames, ContradictingDimensionsAtOnce) {
  const std::string bytes =
      pb::model(pb::graph({.nodes = {pb::node("Add", {"a", "b"}, {"c"})},
                           .inputs = {argument("a", DType::kF32, {"n"}), argument("b", DType::kF32, {"n"})},
                           .outputs = {pb::sub(1, "c")}}));
  auto session = Session::load(std::span(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()), pool_of(2));
  ASSERT_TRUE(session.ok()) << session.status().to_string();
  at_once(8, [&](int t) {
    Tensor a = std::move(Tensor::allocate(DType::kF32, Shape{t + 2})).value(),
           b = std::move(Tensor::allocate(DType::kF32, Shape{1})).value();
    std::fill_n(a.as<float>(), a.count(), 1.0f);
    *b.as<float>() = static_cast<float>(t);
    const ValueRef in[] = {tensor_value(std::move(a)), tensor_value(std::move(b))};
    const char *names[] = {"a", "b"}, *results[] = {"c"};
    ValueRef out[1];
    Status s = (*session)->run(nullptr, names, in, results, out);
    ASSERT_TRUE(s.ok()) << s.to_string();
    for (float v : out[0]->tensor.items<float>()) EXPECT_EQ(v, static_cast<float>(t + 1));
  });
}

TEST(Frames, ProfiledAtOnce) {
  const auto expected = alone(2, 4);
  SessionOptions options = pool_of(2);
  options.profiling = true;
  options.profile_prefix = testing::TempDir() + "frames_test";
  auto session = load(options);
  ASSERT_TRUE(session);
  at_once(2, [&](int t) { EXPECT_EQ(Decoder(*session, t).decode(4), expected[static_cast<size_t>(t)]) << t; });
  const std::string file = session->end_profiling();
  std::ifstream in(file);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  EXPECT_NE(text.find("MatMul"), std::string::npos) << file;
  std::remove(file.c_str());
}

}  // namespace
}  // namespace tenon::session
