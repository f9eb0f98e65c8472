// The C++ classes over libtenon.so, used as programs use them.
// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include "model/onnx/test_bytes.h"
#include "onnxruntime_cxx_api.h"

namespace {

namespace pb = tenon::model::onnx::test;

std::string dims(std::initializer_list<std::string> items) {
  std::string shape;
  for (const auto& d : items)
    shape += pb::sub(1, d[0] >= '0' && d[0] <= '9' ? pb::num(1, std::stoul(d)) : pb::sub(2, d));
  return shape;
}
std::string value(std::string_view name, int type, std::initializer_list<std::string> shape) {
  return pb::sub(1, name) + pb::sub(2, pb::sub(1, pb::num(1, static_cast<uint64_t>(type)) + pb::sub(2, dims(shape))));
}

/// Z = Relu(X[batch,3] x W[3,4]), W = 0..11
std::string matmul_model() {
  std::vector<float> w(12);
  std::iota(w.begin(), w.end(), 0.0f);
  return pb::model(
      pb::graph({.nodes = {pb::node("MatMul", {"X", "W"}, {"Y"}, {}, {}, "mm"), pb::node("Relu", {"Y"}, {"Z"})},
                 .initializers = {pb::tensor("W", 1, {3, 4}, pb::sub(9, {reinterpret_cast<char*>(w.data()), 48}))},
                 .inputs = {value("X", 1, {"batch", "3"})},
                 .outputs = {value("Z", 1, {"batch", "4"})}}));
}
std::string strings_model() {
  return pb::model(pb::graph({.nodes = {pb::node("Identity", {"S"}, {"T"})},
                              .inputs = {value("S", 8, {"n"})},
                              .outputs = {value("T", 8, {"n"})}}));
}
std::string custom_model() {
  return pb::model(
      pb::graph({.nodes = {pb::node("Scale", {"X"}, {"Z"},
                                    pb::attribute("factor", 1, pb::varint(2 << 3 | 5) + pb::raw_of({2.5f})), "test.ops",
                                    "scale")},
                 .inputs = {value("X", 1, {"n", "2"})},
                 .outputs = {pb::sub(1, "Z")}}),
      pb::opset(1, "test.ops"));
}

Ort::Env& env() {
  static Ort::Env e(ORT_LOGGING_LEVEL_FATAL, "test");
  return e;
}
Ort::Session session(const std::string& model, const Ort::SessionOptions& options = Ort::SessionOptions()) {
  return Ort::Session(env(), model.data(), model.size(), options);
}
Ort::MemoryInfo cpu() { return Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault); }
Ort::Value floats(std::vector<float>& data, std::vector<int64_t> shape) {
  return Ort::Value::CreateTensor<float>(cpu(), data.data(), data.size(), shape.data(), shape.size());
}
template <class F>
std::pair<OrtErrorCode, std::string> failure(F&& f) {
  try {
    f();
  } catch (const Ort::Exception& e) { return {e.GetOrtErrorCode(), e.what()}; }
  return {ORT_OK, ""};
}

TEST(Cxx, VersionAndProviders) {
  EXPECT_EQ(Ort::GetVersionString(), "1.31.1");
  EXPECT_EQ(Ort::GetBuildInfoString().substr(0, 15), "ORT Build Info:");
  EXPECT_EQ(Ort::GetAvailableProviders(), std::vector<std::string>{"CPUExecutionProvider"});
  EXPECT_EQ(OrtGetApiBase()->GetApi(1), OrtGetApiBase()->GetApi(ORT_API_VERSION));
}

TEST(Cxx, RunMatMul) {
  auto s = session(matmul_model());
  EXPECT_EQ(s.GetInputNames(), std::vector<std::string>{"X"});
  EXPECT_EQ(s.GetOutputNames(), std::vector<std::string>{"Z"});
  auto type = s.GetInputTypeInfo(0);
  auto info = type.GetTensorTypeAndShapeInfo();
  EXPECT_EQ(info.GetElementType(), ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
  EXPECT_EQ(info.GetShape(), (std::vector<int64_t>{-1, 3}));
  EXPECT_STREQ(info.GetSymbolicDimensions()[0], "batch");
  EXPECT_STREQ(info.GetSymbolicDimensions()[1], "");
  std::vector<float> x = {1, 2, 3, 4, 5, 6};
  const char *in[] = {"X"}, *out[] = {"Z"};
  auto input = floats(x, {2, 3});
  auto results = s.Run(Ort::RunOptions(), in, &input, 1, out, 1);
  ASSERT_EQ(results.size(), 1u);
  const float* z = results[0].GetTensorData<float>();
  EXPECT_EQ(std::vector<float>(z, z + 8), (std::vector<float>{32, 38, 44, 50, 68, 83, 98, 113}));
  EXPECT_EQ(results[0].GetTensorTypeAndShapeInfo().GetShape(), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(results[0].GetTensorSizeInBytes(), 32u);
  // Into memory of the caller.
  std::vector<float> given(8);
  auto output = floats(given, {2, 4});
  s.Run(Ort::RunOptions(), in, &input, 1, out, &output, 1);
  EXPECT_EQ(given[7], 113);
}

TEST(Cxx, Failures) {
  auto s = session(matmul_model());
  std::vector<float> x(6);
  const char *in[] = {"X"}, *out[] = {"Z"}, *bad[] = {"nope"};
  auto input = floats(x, {2, 3}), flat = floats(x, {6}), turned = floats(x, {3, 2});
  const auto run = [&](const char** i, const Ort::Value* v, size_t n, const char** o, size_t m) {
    return failure([&] { s.Run(Ort::RunOptions(), i, v, n, o, m); });
  };
  EXPECT_EQ(run(bad, &input, 1, out, 1).first, ORT_INVALID_ARGUMENT);
  EXPECT_NE(run(bad, &input, 1, out, 1).second.find("Invalid input name: nope"), std::string::npos);
  EXPECT_NE(run(in, &input, 1, bad, 1).second.find("Invalid output name: nope"), std::string::npos);
  EXPECT_EQ(run(in, &input, 0, out, 1).first, ORT_FAIL);
  EXPECT_NE(run(in, &input, 0, out, 1).second.find("Missing Input: X"), std::string::npos);
  EXPECT_NE(run(in, &flat, 1, out, 1).second.find("Invalid rank for input: X Got: 1 Expected: 2"), std::string::npos);
  EXPECT_NE(run(in, &turned, 1, out, 1).second.find("Got: 2 Expected: 3"), std::string::npos);
  EXPECT_EQ(run(in, &input, 1, out, 0).first, ORT_INVALID_ARGUMENT);
  auto missing = failure([&] { Ort::Session(env(), "/nonexistent.onnx", Ort::SessionOptions()); });
  EXPECT_EQ(missing.first, ORT_NO_SUCHFILE);
  EXPECT_NE(missing.second.find("Load model from /nonexistent.onnx failed"), std::string::npos);
  EXPECT_EQ(failure([&] { session("garbage!garbage!"); }).first, ORT_INVALID_PROTOBUF);
}

TEST(Cxx, Binding) {
  auto s = session(matmul_model());
  std::vector<float> x = {1, 2, 3};
  Ort::IoBinding binding(s);
  binding.BindInput("X", floats(x, {1, 3}));
  binding.BindOutput("Z", cpu());
  EXPECT_EQ(binding.GetOutputNames(), std::vector<std::string>{"Z"});
  s.Run(Ort::RunOptions(), binding);
  auto first = binding.GetOutputValues();
  EXPECT_EQ(first[0].GetTensorData<float>()[3], 50);
  // Another size needs no new binding of the output, and leaves the first result alone.
  std::vector<float> y(6, 1.0f);
  binding.BindInput("X", floats(y, {2, 3}));
  s.Run(Ort::RunOptions(), binding);
  EXPECT_EQ(binding.GetOutputValues()[0].GetTensorTypeAndShapeInfo().GetShape(), (std::vector<int64_t>{2, 4}));
  EXPECT_EQ(first[0].GetTensorData<float>()[3], 50);
  EXPECT_EQ(failure([&] { binding.BindInput("nope", floats(x, {1, 3})); }).first, ORT_FAIL);
  binding.ClearBoundOutputs();
  EXPECT_TRUE(binding.GetOutputNames().empty());
}

TEST(Cxx, Strings) {
  auto s = session(strings_model());
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t shape[] = {3};
  auto input = Ort::Value::CreateTensor(allocator, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING);
  const char* texts[] = {"one", "", "three"};
  input.FillStringTensor(texts, 3);
  const char *in[] = {"S"}, *out[] = {"T"};
  auto results = s.Run(Ort::RunOptions(), in, &input, 1, out, 1);
  EXPECT_EQ(results[0].GetStringTensorDataLength(), 8u);
  EXPECT_EQ(results[0].GetStringTensorElement(2), "three");
  EXPECT_EQ(results[0].GetTensorData<std::string>()[0], "one");
  // Writing through the std::string array is seen by the next run.
  input.GetTensorMutableData<std::string>()[1] = "a text that is longer than the small buffer";
  results = s.Run(Ort::RunOptions(), in, &input, 1, out, 1);
  EXPECT_EQ(results[0].GetStringTensorElement(1), "a text that is longer than the small buffer");
}

TEST(Cxx, SequencesAndMaps) {
  std::vector<float> a = {1, 2}, b = {3};
  std::vector<Ort::Value> items;
  items.push_back(floats(a, {2}));
  items.push_back(floats(b, {1}));
  auto sequence = Ort::Value::CreateSequence(items);
  EXPECT_EQ(sequence.GetCount(), 2u);
  EXPECT_EQ(sequence.GetTypeInfo().GetONNXType(), ONNX_TYPE_SEQUENCE);
  Ort::AllocatorWithDefaultOptions allocator;
  EXPECT_EQ(sequence.GetValue(1, allocator).GetTensorData<float>()[0], 3);
  EXPECT_EQ(failure([&] { sequence.GetValue(2, allocator); }).first, ORT_FAIL);
  std::vector<int64_t> keys = {20, 10};
  const int64_t shape[] = {2};
  auto key_tensor = Ort::Value::CreateTensor<int64_t>(cpu(), keys.data(), 2, shape, 1);
  auto map = Ort::Value::CreateMap(key_tensor, floats(a, {2}));
  EXPECT_EQ(map.GetCount(), 2u);
  EXPECT_EQ(map.GetValue(0, allocator).GetTensorData<int64_t>()[0], 10);  // in the order of the keys
  EXPECT_EQ(map.GetValue(1, allocator).GetTensorData<float>()[0], 2);
  EXPECT_EQ(map.GetTypeInfo().GetMapTypeInfo().GetMapKeyType(), ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64);
}

TEST(Cxx, SparseTensors) {
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t dense[] = {3, 3}, two[] = {2}, coordinates[] = {1, 8};
  auto v = Ort::Value::CreateSparseTensor<float>(allocator, {dense, 2});
  const float items[] = {5, 6};
  Ort::Value::OrtSparseValuesParam param{two, 1, {items}};
  v.FillSparseTensorCoo(cpu(), param, coordinates, 2);
  EXPECT_TRUE(v.IsSparseTensor());
  EXPECT_EQ(v.GetSparseFormat(), ORT_SPARSE_COO);
  size_t count = 0;
  EXPECT_EQ(v.GetSparseTensorIndicesData<int64_t>(ORT_SPARSE_COO_INDICES, count)[1], 8);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(v.GetSparseTensorValues<float>()[1], 6);
  EXPECT_EQ(v.GetTensorTypeAndShapeInfo().GetShape(), (std::vector<int64_t>{3, 3}));
  const int64_t beyond[] = {1, 9};
  auto w = Ort::Value::CreateSparseTensor<float>(allocator, {dense, 2});
  EXPECT_EQ(failure([&] { w.FillSparseTensorCoo(cpu(), param, beyond, 2); }).first, ORT_INVALID_ARGUMENT);
}

TEST(Cxx, TensorsTakeMemoryOver) {
  // An allocator of the client that counts.
  struct Counting : OrtAllocator {
    int live = 0;
    Ort::MemoryInfo info = cpu();
    Counting() : OrtAllocator{} {
      version = ORT_API_VERSION;
      Alloc = [](OrtAllocator* a, size_t n) { return ++static_cast<Counting*>(a)->live, std::malloc(n); };
      Free = [](OrtAllocator* a, void* p) {
        if (p) --static_cast<Counting*>(a)->live;
        std::free(p);
      };
      Info = [](const OrtAllocator* a) -> const OrtMemoryInfo* { return static_cast<const Counting*>(a)->info; };
    }
  } counting;
  const int64_t shape[] = {4};
  {
    auto made = Ort::Value::CreateTensor<float>(&counting, shape, 1);
    EXPECT_EQ(counting.live, 1);
    void* memory = counting.Alloc(&counting, 16);
    auto taken = Ort::Value::CreateTensor(&counting, memory, 16, shape, 1, ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT);
    EXPECT_EQ(taken.GetTensorRawData(), memory);
    EXPECT_EQ(counting.live, 2);
  }
  EXPECT_EQ(counting.live, 0);
  // Strings that the library makes with it.
  auto s = session(matmul_model());
  {
    auto name = s.GetInputNameAllocated(0, &counting);
    EXPECT_EQ(counting.live, 1);
  }
  EXPECT_EQ(counting.live, 0);
}

struct ScaleKernel {
  explicit ScaleKernel(const OrtKernelInfo* info) : factor(Ort::ConstKernelInfo(info).GetAttribute<float>("factor")) {
    EXPECT_EQ(Ort::ConstKernelInfo(info).GetNodeName(), "scale");
    EXPECT_EQ(Ort::ConstKernelInfo(info).GetOperatorType(), "Scale");
  }
  void Compute(OrtKernelContext* context) {
    Ort::KernelContext c(context);
    auto x = c.GetInput(0);
    auto z = c.GetOutput(0, x.GetTensorTypeAndShapeInfo().GetShape());
    struct Work {
      const float* from;
      float* to;
      float factor;
    } work{x.GetTensorData<float>(), z.GetTensorMutableData<float>(), factor};
    c.ParallelFor(
        [](void* data, size_t i) {
          auto& w = *static_cast<Work*>(data);
          w.to[i] = w.from[i] * w.factor;
        },
        x.GetTensorTypeAndShapeInfo().GetElementCount(), 0, &work);
  }
  float factor;
};
struct ScaleOp : Ort::CustomOpBase<ScaleOp, ScaleKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo* info) const { return new ScaleKernel(info); }
  const char* GetName() const { return "Scale"; }
  size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  static Ort::Status InferOutputShape(Ort::ShapeInferContext& c) {
    EXPECT_EQ(c.GetAttrFloat("factor"), 2.5f);
    return c.SetOutputShape(0, c.GetInputShape(0));
  }
};

TEST(Cxx, CustomOperator) {
  ScaleOp op;
  Ort::CustomOpDomain domain("test.ops");
  domain.Add(&op);
  Ort::SessionOptions options;
  options.Add(domain);
  auto s = session(custom_model(), options);
  auto type = s.GetOutputTypeInfo(0);
  EXPECT_EQ(type.GetTensorTypeAndShapeInfo().GetShape(), (std::vector<int64_t>{-1, 2}));
  EXPECT_STREQ(type.GetTensorTypeAndShapeInfo().GetSymbolicDimensions()[0], "n");
  std::vector<float> x = {1, 2, 3, 4};
  const char *in[] = {"X"}, *out[] = {"Z"};
  auto input = floats(x, {2, 2});
  for (int i = 0; i < 2; ++i) {
    auto results = s.Run(Ort::RunOptions(), in, &input, 1, out, 1);
    EXPECT_EQ(results[0].GetTensorData<float>()[3], 10);
  }
}

struct ThrowingKernel {
  explicit ThrowingKernel(const OrtKernelInfo*) {}
  void Compute(OrtKernelContext*) { throw std::runtime_error("this kernel always fails"); }
};
struct ThrowingOp : Ort::CustomOpBase<ThrowingOp, ThrowingKernel> {
  void* CreateKernel(const OrtApi&, const OrtKernelInfo* info) const { return new ThrowingKernel(info); }
  const char* GetName() const { return "Scale"; }
  size_t GetInputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetInputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
  size_t GetOutputTypeCount() const { return 1; }
  ONNXTensorElementDataType GetOutputType(size_t) const { return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT; }
};

TEST(Cxx, CustomOperatorThatThrows) {
  ThrowingOp op;
  Ort::CustomOpDomain domain("test.ops");
  domain.Add(&op);
  Ort::SessionOptions options;
  options.Add(domain);
  auto s = session(custom_model(), options);
  std::vector<float> x = {1, 2};
  const char *in[] = {"X"}, *out[] = {"Z"};
  auto input = floats(x, {1, 2});
  auto [code, text] = failure([&] { s.Run(Ort::RunOptions(), in, &input, 1, out, 1); });
  EXPECT_EQ(code, ORT_RUNTIME_EXCEPTION);
  EXPECT_NE(text.find("Non-zero status code returned while running Scale node. Name:'scale'"), std::string::npos)
      << text;
  EXPECT_NE(text.find("this kernel always fails"), std::string::npos) << text;
}

/// A fault in a loop's body names the inner node, in one sentence.
TEST(Cxx, FaultInALoop) {
  const std::string body = pb::graph(
      {.nodes = {pb::node("Gather", {"X", "i"}, {"picked"}, {}, {}, "pick"), pb::node("Identity", {"go"}, {"on"})},
       .inputs = {value("i", 7, {}), value("go", 9, {})},
       .outputs = {pb::sub(1, "on"), pb::sub(1, "picked")}});
  auto s = session(pb::model(pb::graph(
      {.nodes = {pb::node("Loop", {"trips", ""}, {"Y"}, pb::attribute("body", 5, pb::sub(6, body)), {}, "loop")},
       .inputs = {value("X", 1, {"n"}), value("trips", 7, {})},
       .outputs = {value("Y", 1, {"m"})}})));
  std::vector<float> x = {1, 2, 3};
  int64_t trips = 3;
  const char *in[] = {"X", "trips"}, *out[] = {"Y"};
  Ort::Value fed[] = {floats(x, {3}), Ort::Value::CreateTensor<int64_t>(cpu(), &trips, 1, nullptr, 0)};
  EXPECT_EQ(s.Run(Ort::RunOptions(), in, fed, 2, out, 1)[0].GetTensorData<float>()[2], 3);
  trips = 4;
  const std::string text = failure([&] { s.Run(Ort::RunOptions(), in, fed, 2, out, 1); }).second;
  EXPECT_EQ(text.find("Non-zero status code returned while running Gather node. Name:'pick' Status Message: "), 0u)
      << text;
  EXPECT_EQ(text.find("Non-zero status", 1), std::string::npos) << text;
  trips = 2;
  EXPECT_EQ(s.Run(Ort::RunOptions(), in, fed, 2, out, 1)[0].GetTensorTypeAndShapeInfo().GetShape(),
            (std::vector<int64_t>{2}));
}

TEST(Cxx, OptionsAndMetadata) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(1).SetGraphOptimizationLevel(ORT_ENABLE_BASIC).AddConfigEntry("some.key", "5");
  EXPECT_EQ(options.GetConfigEntry("some.key"), "5");
  EXPECT_FALSE(options.HasConfigEntry("other"));
  EXPECT_EQ(options.GetConfigEntryOrDefault("other", "d"), "d");
  auto copy = options.Clone();
  EXPECT_TRUE(copy.HasConfigEntry("some.key"));
  EXPECT_EQ(failure([&] { options.AddConfigEntry("", "1"); }).first, ORT_INVALID_ARGUMENT);
  EXPECT_EQ(failure([&] { options.AppendExecutionProvider("NOSUCH"); }).first, ORT_INVALID_ARGUMENT);
  options.AppendExecutionProvider_CPU(1);
  Ort::AllocatorWithDefaultOptions allocator;
  auto s = session(matmul_model(), options);
  auto metadata = s.GetModelMetadata();
  EXPECT_STREQ(metadata.GetGraphNameAllocated(allocator).get(), "g");
  EXPECT_TRUE(metadata.GetCustomMetadataMapKeysAllocated(allocator).empty());
  EXPECT_FALSE(metadata.LookupCustomMetadataMapAllocated("none", allocator));
}

TEST(Cxx, RunOptionsAndTermination) {
  auto s = session(matmul_model());
  std::vector<float> x(3);
  const char *in[] = {"X"}, *out[] = {"Z"};
  auto input = floats(x, {1, 3});
  Ort::RunOptions options;
  EXPECT_STREQ(options.GetRunTag(), "");
  EXPECT_EQ(options.GetRunLogSeverityLevel(), -1);
  options.SetRunTag("tag").AddConfigEntry("k", "v").SetTerminate();
  EXPECT_STREQ(options.GetConfigEntry("k"), "v");
  EXPECT_EQ(options.GetConfigEntry("none"), nullptr);
  EXPECT_NE(failure([&] { s.Run(options, in, &input, 1, out, 1); }).second.find("terminate flag"), std::string::npos);
  options.UnsetTerminate();
  EXPECT_EQ(s.Run(options, in, &input, 1, out, 1).size(), 1u);
}

TEST(Cxx, RunAsync) {
  Ort::SessionOptions options;
  options.SetIntraOpNumThreads(2);
  auto s = session(matmul_model(), options);
  std::vector<float> x = {1, 2, 3};
  const char *in[] = {"X"}, *out[] = {"Z"};
  auto input = floats(x, {1, 3});
  Ort::Value output{nullptr};
  std::atomic<int> done{0};
  s.RunAsync(
      Ort::RunOptions{nullptr}, in, &input, 1, out, &output, 1,
      [](void* user, OrtValue** outputs, size_t count, OrtStatusPtr status) {
        EXPECT_EQ(status, nullptr);
        EXPECT_EQ(count, 1u);
        EXPECT_NE(outputs[0], nullptr);
        static_cast<std::atomic<int>*>(user)->store(1);
      },
      &done);
  for (int i = 0; i < 5000 && !done; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  ASSERT_EQ(done, 1);
  EXPECT_EQ(output.GetTensorData<float>()[0], 32);
}

TEST(Cxx, ConcurrentRuns) {
  auto s = session(matmul_model());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 50; ++i) {
        std::vector<float> x(static_cast<size_t>(3 * (1 + (i + t) % 5)), 1.0f);
        const char *in[] = {"X"}, *out[] = {"Z"};
        auto input = floats(x, {static_cast<int64_t>(x.size() / 3), 3});
        auto r = s.Run(Ort::RunOptions{nullptr}, in, &input, 1, out, 1);
        if (r[0].GetTensorData<float>()[x.size() / 3 * 4 - 1] != 21.0f) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Cxx, LogFunction) {
  // The environment is one for the process: a session's own function is seen, whatever the environment does.
  static std::atomic<int> lines;
  lines = 0;
  const auto log = [](void* param, OrtLoggingLevel severity, const char* category, const char* id, const char* location,
                      const char* message) {
    EXPECT_STREQ(static_cast<const char*>(param), "param");
    EXPECT_EQ(severity, ORT_LOGGING_LEVEL_ERROR);
    EXPECT_STREQ(category, "onnxruntime");
    EXPECT_STREQ(id, "mine");
    EXPECT_NE(std::string(location).find(':'), std::string::npos);
    EXPECT_NE(std::string(message), "");
    ++lines;
  };
  Ort::SessionOptions options;
  options.SetLogId("mine").SetLogSeverityLevel(ORT_LOGGING_LEVEL_WARNING);
  Ort::ThrowOnError(Ort::GetApi().SetUserLoggingFunction(options, log, const_cast<char*>("param")));
  auto s = session(matmul_model(), options);
  const char* out[] = {"Z"};
  EXPECT_EQ(failure([&] { s.Run(Ort::RunOptions(), nullptr, nullptr, 0, out, 1); }).first, ORT_FAIL);
  EXPECT_EQ(lines, 1);
}

TEST(Cxx, Devices) {
  auto devices = env().GetEpDevices();
  ASSERT_EQ(devices.size(), 1u);
  EXPECT_STREQ(devices[0].EpName(), "CPUExecutionProvider");
  EXPECT_EQ(devices[0].Device().Type(), OrtHardwareDeviceType_CPU);
  EXPECT_EQ(env().GetHardwareDevices().size(), 1u);
  Ort::SessionOptions options;
  options.AppendExecutionProvider_V2(env(), devices, std::unordered_map<std::string, std::string>{});
  auto s = session(matmul_model(), options);
  EXPECT_EQ(s.GetMemoryInfoForInputs()[0].GetAllocatorName(), "Cpu");
  EXPECT_STREQ(s.GetEpDeviceForOutputs()[0].EpName(), "CPUExecutionProvider");
}

TEST(Cxx, KeyValuesAndAttributes) {
  Ort::KeyValuePairs pairs(std::unordered_map<std::string, std::string>{{"b", "2"}, {"a", "1"}});
  pairs.Add("c", "3");
  pairs.Remove("b");
  EXPECT_STREQ(pairs.GetValue("c"), "3");
  EXPECT_EQ(pairs.GetValue("b"), nullptr);
  EXPECT_EQ(pairs.GetKeyValuePairs().size(), 2u);
  const int64_t ints[] = {4, 5, 6};
  Ort::OpAttr attribute("axes", ints, 3, ORT_OP_ATTR_INTS);
  std::vector<int64_t> read;
  EXPECT_TRUE(attribute.GetValueArray(read).IsOK());
  EXPECT_EQ(read, (std::vector<int64_t>{4, 5, 6}));
  const char* texts[] = {"x", "yz"};
  Ort::OpAttr strings("names", texts, 2, ORT_OP_ATTR_STRINGS);
  std::vector<std::string> names;
  EXPECT_TRUE(strings.GetValueArray(names).IsOK());
  EXPECT_EQ(names, (std::vector<std::string>{"x", "yz"}));
  EXPECT_FALSE(strings.GetValueArray(read).IsOK());
}

Ort::TypeInfo float_type(std::vector<int64_t> shape, std::vector<std::string> names) {
  Ort::TensorTypeAndShapeInfo info(ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, shape, &names);
  return Ort::TypeInfo::CreateTensorInfo(info.GetConst());
}

TEST(Cxx, ModelBuiltInMemory) {
  // Z = Gemm(X, W, alpha = 2)
  Ort::Graph graph;
  std::vector<Ort::ValueInfo> inputs, outputs;
  inputs.emplace_back("X", float_type({-1, 2}, {"n", ""}).GetConst());
  outputs.emplace_back("Z", float_type({-1, 2}, {"n", ""}).GetConst());
  graph.SetInputs(inputs);
  graph.SetOutputs(outputs);
  Ort::AllocatorWithDefaultOptions allocator;
  const int64_t shape[] = {2, 2};
  auto w = Ort::Value::CreateTensor<float>(allocator, shape, 2);
  for (int i = 0; i < 4; ++i) w.GetTensorMutableData<float>()[i] = static_cast<float>(i);
  graph.AddInitializer("W", w, false);
  const float alpha = 2;
  std::vector<Ort::OpAttr> attributes;
  attributes.push_back(Ort::OpAttr("alpha", &alpha, 1, ORT_OP_ATTR_FLOAT));
  Ort::Node node("Gemm", "", "gemm", {"X", "W"}, {"Z"}, attributes);
  graph.AddNode(node);
  Ort::Model model({{"", 18}});
  model.AddGraph(graph);
  Ort::Session s(env(), model, Ort::SessionOptions());
  EXPECT_EQ(s.GetOpset(""), 18);
  std::vector<float> x = {1, 2};
  const char *in[] = {"X"}, *out[] = {"Z"};
  auto input = floats(x, {1, 2});
  auto results = s.Run(Ort::RunOptions{nullptr}, in, &input, 1, out, 1);
  EXPECT_EQ(results[0].GetTensorData<float>()[0], 8);
  EXPECT_EQ(results[0].GetTensorData<float>()[1], 14);
}

TEST(Cxx, ModelEdited) {
  const std::string bytes = matmul_model();
  auto s = Ort::Session::CreateModelEditorSession(env(), bytes.data(), bytes.size(), Ort::SessionOptions());
  EXPECT_EQ(s.GetOpset(""), 17);
  Ort::Graph graph;
  std::vector<Ort::ValueInfo> outputs;
  outputs.emplace_back("N", float_type({-1, 4}, {"batch", ""}).GetConst());
  graph.SetOutputs(outputs);
  Ort::Node node("Neg", "", "neg", {"Z"}, {"N"});
  graph.AddNode(node);
  Ort::Model model(std::vector<Ort::Model::DomainOpsetPair>{});
  model.AddGraph(graph);
  s.FinalizeModelEditorSession(model, Ort::SessionOptions());
  std::vector<float> x = {1, 2, 3};
  const char *in[] = {"X"}, *out[] = {"N"};
  auto input = floats(x, {1, 3});
  auto results = s.Run(Ort::RunOptions{nullptr}, in, &input, 1, out, 1);
  EXPECT_EQ(results[0].GetTensorData<float>()[3], -50);
}

TEST(Cxx, Adapters) {
  // An adapter file with one parameter: X = [[1, 2, 3]].
  const auto word = [](uint32_t v) { return std::string(reinterpret_cast<const char*>(&v), 4); };
  const auto half = [](uint16_t v) { return std::string(reinterpret_cast<const char*>(&v), 2); };
  std::string file = word(12) + "TORT" + word(0);
  file += word(static_cast<uint32_t>(-20)) + word(1) + word(1) + word(1) + word(44 - 28);  // 12: table, vtable at 32
  file += half(12) + half(20) + half(4) + half(8) + half(12) + half(16);                   // 32: vtable
  file += word(1) + word(4);                                                               // 44: one parameter, at 52
  file += word(static_cast<uint32_t>(-20)) + word(84 - 56) + word(92 - 60) + word(1) + word(112 - 68);  // 52: table
  file += half(12) + half(20) + half(4) + half(8) + half(12) + half(16);                                // 72: vtable
  file += word(1) + std::string("X\0\0\0", 4);                                                          // 84: name
  const int64_t shape[] = {1, 3};
  file += word(2) + std::string(reinterpret_cast<const char*>(shape), 16);  // 92: dims
  const float items[] = {1, 2, 3};
  file += word(12) + std::string(reinterpret_cast<const char*>(items), 12);  // 112: bytes
  auto adapter = Ort::LoraAdapter::CreateLoraAdapterFromArray(file.data(), file.size(), nullptr);
  auto s = session(matmul_model());
  Ort::RunOptions options;
  options.AddActiveLoraAdapter(adapter);
  const char* out[] = {"Z"};
  EXPECT_EQ(s.Run(options, nullptr, nullptr, 0, out, 1)[0].GetTensorData<float>()[3], 50);
  // Truncated and damaged files are refused.
  for (size_t n = 0; n < file.size(); ++n)
    EXPECT_NE(failure([&] {
                Ort::LoraAdapter::CreateLoraAdapterFromArray(std::string(file, 0, n).data(), n, nullptr);
              }).first,
              ORT_OK);
  for (size_t n = 0; n < file.size(); ++n) {
    std::string damaged = file;
    damaged[n] = static_cast<char>(damaged[n] ^ 0xff);
    failure([&] { Ort::LoraAdapter::CreateLoraAdapterFromArray(damaged.data(), damaged.size(), nullptr); });
  }
  EXPECT_EQ(failure([&] { Ort::LoraAdapter::CreateLoraAdapter("/nonexistent", nullptr); }).first, ORT_INVALID_ARGUMENT);
}

TEST(Cxx, PlacementOfNodes) {
  Ort::SessionOptions options;
  EXPECT_EQ(failure([&] { session(matmul_model(), options).GetEpGraphAssignmentInfo(); }).first, ORT_FAIL);
  options.AddConfigEntry("session.record_ep_graph_assignment_info", "1");
  auto s = session(matmul_model(), options);
  auto parts = s.GetEpGraphAssignmentInfo();
  ASSERT_FALSE(parts.empty());
  EXPECT_EQ(parts[0].GetEpName(), "CPUExecutionProvider");
  EXPECT_FALSE(parts[0].GetNodes().empty());
}

TEST(Cxx, HalfFloats) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const auto h = Ort::Float16_t::FromBits(static_cast<uint16_t>(bits));
    if (!h.IsNaN()) { ASSERT_EQ(Ort::Float16_t(h.ToFloat()).val, bits); }
    const auto b = Ort::BFloat16_t::FromBits(static_cast<uint16_t>(bits));
    if (!b.IsNaN()) { ASSERT_EQ(Ort::BFloat16_t(b.ToFloat()).val, bits); }
  }
  EXPECT_EQ(Ort::Float16_t(1.0f + 1.0f / 2048).val, 0x3C00);  // a tie goes to the even neighbour
  EXPECT_EQ(Ort::Float16_t(1.0f + 3.0f / 2048).val, 0x3C02);
  EXPECT_TRUE(Ort::Float16_t(65520.0f).IsInfinity());
  EXPECT_EQ(Ort::Float16_t(65519.0f).val, 0x7BFF);
  EXPECT_EQ(Ort::Float16_t(2.98023224e-8f).val, 0);  // half of the smallest: to even
  EXPECT_EQ(Ort::Float16_t(3e-8f).val, 1);
  EXPECT_TRUE(Ort::Float16_t(-0.0f) == Ort::Float16_t(0.0f));
}

/// Calls a slot with zeros and NULLs: it may refuse or do nothing, it must not crash.
template <class R, class... Args>
void call_with_nothing(R (*slot)(Args...) noexcept) {
  if constexpr (std::is_same_v<R, OrtStatus*>) Ort::GetApi().ReleaseStatus(slot(Args{}...));
  else static_cast<void>(slot(Args{}...));
}

TEST(Cxx, NullArgumentsEverywhere) {
  const OrtApi& api = Ort::GetApi();
#define SIZE(type, bytes)
#define FIELD(type, name, offset)
#define CODE(name, value)
#define SLOT(table, index, name) call_slot_##table([&](const auto& t) { call_with_nothing(t.name); });
  const auto call_slot_OrtApiBase = [](auto&&) {};
  const auto call_slot_OrtTrainingApi = [](auto&&) {};
  const auto call_slot_OrtApi = [&](auto&& f) { f(api); };
  const auto call_slot_OrtModelEditorApi = [&](auto&& f) { f(*api.GetModelEditorApi()); };
  const auto call_slot_OrtCompileApi = [&](auto&& f) { f(*api.GetCompileApi()); };
  const auto call_slot_OrtInteropApi = [&](auto&& f) { f(*api.GetInteropApi()); };
  const auto call_slot_OrtEpApi = [&](auto&& f) { f(*api.GetEpApi()); };
  const auto call_slot_OrtModelPackageApi = [&](auto&& f) { f(*api.GetModelPackageApi()); };
#include "layout.inc"
  static_cast<void>(call_slot_OrtApiBase);
  static_cast<void>(call_slot_OrtTrainingApi);
}

}  // namespace
