// Several runs of one session at once, beside sessions that come and go: same bits as alone, and no data race.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>

#include "model/onnx/test_bytes.h"
#include "onnxruntime_cxx_api.h"

namespace {

namespace pb = tenon::model::onnx::test;

constexpr int64_t kWidth = 16, kInner = 2048, kSteps = 12;

/// A value of a graph; dimensions are numbers or names.
std::string value(std::string_view name, int type, std::initializer_list<std::string> dims) {
  std::string shape;
  for (const auto& d : dims)
    shape += pb::sub(1, d[0] >= '0' && d[0] <= '9' ? pb::num(1, std::stoul(d)) : pb::sub(2, d));
  return pb::sub(1, name) + pb::sub(2, pb::sub(1, pb::num(1, static_cast<uint64_t>(type)) + pb::sub(2, shape)));
}
/// Weights without pattern, small enough that sums stay small.
std::string weights(std::string_view name, std::initializer_list<int64_t> dims) {
  size_t n = 1;
  for (int64_t d : dims) n *= static_cast<size_t>(d);
  std::vector<float> w(n);
  uint32_t state = static_cast<uint32_t>(n) + static_cast<uint32_t>(name.back());
  for (float& v : w) {
    state = state * 1664525u + 1013904223u;
    v = (static_cast<float>(state >> 16) / 32768.0f - 1.0f) * 0.05f;
  }
  return pb::tensor(name, 1, dims, pb::sub(9, {reinterpret_cast<const char*>(w.data()), 4 * n}));
}

/// One step of a decoder: two products with large weights (packed by the first run), a cache that grows by a row, a
/// branch on `flag`, a loop of `trips` iterations over the outer value s, and its collected states.
std::string decoder() {
  using pb::node;
  const std::string axis0 = pb::int_attribute("axis", 0);
  const auto branch = [&](std::string_view op) {
    return pb::sub(6, pb::graph({.nodes = {node(op, {"cache_out"}, {"r"}, pb::attribute("axes", 7, pb::num(8, 0)))},
                                 .outputs = {pb::sub(1, "r")}}));
  };
  const std::string body = pb::sub(
      6, pb::graph(
             {.nodes = {node("Identity", {"go_on"}, {"go"}), node("Mul", {"state", "half"}, {"less"}),
                        node("Add", {"less", "s"}, {"next"}), node("Concat", {"all", "next"}, {"longer"}, axis0)},
              .inputs = {value("i", 7, {}), value("go_on", 9, {}), value("state", 1, {"1", "16"}), pb::sub(1, "all")},
              .outputs = {pb::sub(1, "go"), pb::sub(1, "next"), pb::sub(1, "longer"), pb::sub(1, "next")}}));
  const float half = 0.5f;
  return pb::model(pb::graph(
      {.nodes = {node("MatMul", {"x", "W1"}, {"h"}), node("Relu", {"h"}, {"g"}), node("MatMul", {"g", "W2"}, {"y"}),
                 node("Concat", {"cache", "y"}, {"cache_out"}, axis0),
                 node("If", {"flag"}, {"s"},
                      pb::attribute("then_branch", 5, branch("ReduceMean")) +
                          pb::attribute("else_branch", 5, branch("ReduceMax"))),
                 node("Loop", {"trips", "", "y", "y"}, {"last", "grown", "states"}, pb::attribute("body", 5, body))},
       .initializers = {weights("W1", {kWidth, kInner}), weights("W2", {kInner, kWidth}),
                        pb::tensor("half", 1, {1}, pb::sub(9, {reinterpret_cast<const char*>(&half), 4}))},
       .inputs = {value("x", 1, {"1", "16"}), value("cache", 1, {"past", "16"}), value("trips", 7, {}),
                  value("flag", 9, {})},
       .outputs = {value("cache_out", 1, {"now", "16"}), value("last", 1, {"1", "16"}), value("grown", 1, {"g", "16"}),
                   value("states", 1, {"t", "1", "16"})}}));
}
std::string convolution() {
  using pb::node;
  const std::string pads = pb::attribute("pads", 7, pb::num(8, 1) + pb::num(8, 1) + pb::num(8, 1) + pb::num(8, 1));
  return pb::model(pb::graph({.nodes = {node("Conv", {"x", "W"}, {"c"}, pads), node("Relu", {"c"}, {"r"}),
                                        node("GlobalAveragePool", {"r"}, {"y"})},
                              .initializers = {weights("W", {24, 8, 3, 3})},
                              .inputs = {value("x", 1, {"1", "8", "h", "w"})},
                              .outputs = {value("y", 1, {"1", "24", "1", "1"})}}));
}

Ort::Env& env() {
  static Ort::Env e(ORT_LOGGING_LEVEL_FATAL, "stress");
  return e;
}
Ort::Session session(const std::string& model, int threads) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(threads);
  return Ort::Session(env(), model.data(), model.size(), options);
}
Ort::Value tensor(const std::vector<float>& data, std::vector<int64_t> shape) {
  auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  return Ort::Value::CreateTensor<float>(memory, const_cast<float*>(data.data()), data.size(), shape.data(),
                                         shape.size());
}
template <class T>
Ort::Value scalar(T& v) {
  auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
  return Ort::Value::CreateTensor<T>(memory, &v, 1, nullptr, 0);
}
std::vector<float> contents(const Ort::Value& v) {
  const float* p = v.GetTensorData<float>();
  return {p, p + v.GetTensorTypeAndShapeInfo().GetElementCount()};
}

/// A whole decode of `seed`: everything that the steps gave, in a row.
std::vector<float> decode(Ort::Session& s, int seed) {
  const char *in[] = {"x", "cache", "trips", "flag"}, *out[] = {"cache_out", "last", "grown", "states"};
  std::vector<float> all, cache, x(kWidth);
  for (int64_t step = 0; step < kSteps; ++step) {
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = static_cast<float>((seed * 7 + step * 3 + static_cast<int64_t>(i)) % 11) - 5;
    int64_t trips = (seed + step) % 4;
    bool flag = (seed + step) % 2 == 0;
    Ort::Value fed[] = {tensor(x, {1, kWidth}), tensor(cache, {step, kWidth}), scalar(trips), scalar(flag)};
    auto results = s.Run(Ort::RunOptions(), in, fed, 4, out, 4);
    cache = contents(results[0]);
    for (const Ort::Value& r : results) {
      const auto part = contents(r);
      all.insert(all.end(), part.begin(), part.end());
    }
  }
  return all;
}
std::vector<float> convolve(Ort::Session& s, int seed) {
  const int64_t h = 5 + seed % 9, w = 30 - seed % 5;
  std::vector<float> x(static_cast<size_t>(8 * h * w));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>((i * 31 + static_cast<size_t>(seed)) % 17) - 8;
  const char *in[] = {"x"}, *out[] = {"y"};
  Ort::Value fed = tensor(x, {1, 8, h, w});
  return contents(s.Run(Ort::RunOptions(), in, &fed, 1, out, 1)[0]);
}
bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), 4 * a.size()) == 0;
}

/// `runners` threads decode at once on one session that has run nothing yet; others make, run and release sessions.
void runs_at_once(int runners, int threads_of_a_run) {
  const std::string model = decoder(), other_model = convolution();
  std::vector<std::vector<float>> expected, convolved;
  {
    auto alone = session(model, 1);
    for (int r = 0; r < runners; ++r) expected.push_back(decode(alone, r));
    auto other = session(other_model, 1);
    for (int i = 0; i < 4; ++i) convolved.push_back(convolve(other, i));
  }
  auto shared = session(model, threads_of_a_run);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int r = 0; r < runners; ++r)
    threads.emplace_back([&, r] {
      for (int round = 0; round < 2; ++round)
        if (!same_bits(decode(shared, r), expected[static_cast<size_t>(r)])) ++wrong;
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 4; ++i) {
        auto other = session(other_model, threads_of_a_run);
        if (!same_bits(convolve(other, i), convolved[static_cast<size_t>(i)])) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Stress, TwoRunsOfASession) { runs_at_once(2, 2); }
TEST(Stress, SixteenRunsOfASession) { runs_at_once(16, 2); }
TEST(Stress, RunsOfOneThreadEach) { runs_at_once(4, 1); }
TEST(Stress, RunsWithAllThreads) { runs_at_once(4, 0); }

/// The same file opened by several threads: nothing is shared that should not be.
TEST(Stress, SessionsMadeAtOnce) {
  const std::string model = decoder();
  auto alone = session(model, 1);
  const auto expected = decode(alone, 3);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 6; ++t)
    threads.emplace_back([&] {
      auto own = session(model, 2);
      if (!same_bits(decode(own, 3), expected)) ++wrong;
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

/// A run that another thread stops: it ends with an error, the runs beside it do not.
TEST(Stress, OneRunIsStopped) {
  auto s = session(decoder(), 2);
  const auto expected = decode(s, 1);
  std::vector<float> x(kWidth, 1), cache;
  int64_t trips = INT64_MAX / 2;
  bool flag = true;
  Ort::RunOptions options;
  std::atomic<bool> stopped{false};
  std::thread endless([&] {
    const char *in[] = {"x", "cache", "trips", "flag"}, *out[] = {"last"};
    Ort::Value fed[] = {tensor(x, {1, kWidth}), tensor(cache, {0, kWidth}), scalar(trips), scalar(flag)};
    try {
      s.Run(options, in, fed, 4, out, 1);
    } catch (const Ort::Exception& e) {
      stopped = std::string_view(e.what()).find("terminate") != std::string_view::npos;
    }
  });
  EXPECT_TRUE(same_bits(decode(s, 1), expected));
  options.SetTerminate();
  endless.join();
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(same_bits(decode(s, 1), expected));
}

/// Asynchronous runs give their results on other threads; the last one ends the wait.
TEST(Stress, AsynchronousRuns) {
  constexpr int kRuns = 8;
  auto s = session(convolution(), 2);
  const auto expected = convolve(s, 0);
  std::vector<float> x(static_cast<size_t>(8 * 5 * 30));
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 31 % 17) - 8;
  const char *in[] = {"x"}, *out[] = {"y"};
  struct Waiting {
    std::mutex mutex;
    std::condition_variable all_done;
    int done = 0, failed = 0;
  } waiting;
  Ort::RunOptions options;
  Ort::Value fed = tensor(x, {1, 8, 5, 30});
  std::vector<Ort::Value> results;
  for (int i = 0; i < kRuns; ++i) results.emplace_back(nullptr);
  for (size_t i = 0; i < kRuns; ++i)
    s.RunAsync(
        options, in, &fed, 1, out, &results[i], 1,
        [](void* user, OrtValue**, size_t, OrtStatusPtr status) {
          auto& w = *static_cast<Waiting*>(user);
          Ort::Status failure(status);
          std::lock_guard lock(w.mutex);
          if (!failure.IsOK()) ++w.failed;
          if (++w.done == kRuns) w.all_done.notify_one();
        },
        &waiting);
  std::unique_lock lock(waiting.mutex);
  waiting.all_done.wait(lock, [&] { return waiting.done == kRuns; });
  EXPECT_EQ(waiting.failed, 0);
  for (const Ort::Value& r : results) EXPECT_TRUE(same_bits(contents(r), expected));
}

}  // namespace
