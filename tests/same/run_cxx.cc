// Runs one model through the C++ classes: reads one float tensor from a file, writes the first output to a file.
// SPDX-License-Identifier: MIT
// usage: run_cxx MODEL IN OUT THREADS INPUT DIM...
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

#include "onnxruntime_cxx_api.h"

int main(int argc, char** argv) {
  if (argc < 7) return 2;
  try {
    Ort::Env env(ORT_LOGGING_LEVEL_WARNING, "same");
    Ort::SessionOptions options;
    options.SetIntraOpNumThreads(std::atoi(argv[4]));
    Ort::Session session(env, argv[1], options);
    std::vector<int64_t> dims;
    size_t count = 1;
    for (int i = 6; i < argc; ++i) count *= static_cast<size_t>(dims.emplace_back(std::atoll(argv[i])));
    std::vector<float> data(count);
    std::ifstream(argv[2], std::ios::binary)
        .read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(count * sizeof(float)));
    auto memory = Ort::MemoryInfo::CreateCpu(OrtArenaAllocator, OrtMemTypeDefault);
    Ort::Value x = Ort::Value::CreateTensor<float>(memory, data.data(), count, dims.data(), dims.size());
    Ort::AllocatorWithDefaultOptions allocator;
    auto name = session.GetOutputNameAllocated(0, allocator);
    const char* inputs[] = {argv[5]};
    const char* outputs[] = {name.get()};
    auto y = session.Run(Ort::RunOptions{nullptr}, inputs, &x, 1, outputs, 1);
    const size_t bytes = y.front().GetTensorTypeAndShapeInfo().GetElementCount() * sizeof(float);
    std::ofstream(argv[3], std::ios::binary)
        .write(reinterpret_cast<const char*>(y.front().GetTensorData<float>()), static_cast<std::streamsize>(bytes));
  } catch (const Ort::Exception& e) {
    std::cerr << "code " << e.GetOrtErrorCode() << ": " << e.what() << "\n";
    return 1;
  }
  return 0;
}
