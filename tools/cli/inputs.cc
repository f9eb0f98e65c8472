// Inputs of a run: files by name, the rest random by the model's signature.
// SPDX-License-Identifier: MIT
#include "inputs.h"

#include <cmath>
#include <cstring>
#include <random>

#include "commands.h"
#include "picture.h"

namespace tenon::cli {
namespace {

bool ends_with(const std::string& s, const std::string& tail) { return s.size() >= tail.size() && s.compare(s.size() - tail.size(), tail.size(), tail) == 0; }

template <class T>
void put(Array& a, size_t i, T v) { std::memcpy(a.bytes.data() + i * sizeof(T), &v, sizeof(T)); }

/// Floats uniform in [-1, 1], integers 0 or 1 (indices and lengths stay valid), booleans either.
Array random_array(ONNXTensorElementDataType type, std::vector<int64_t> shape, std::mt19937_64& random, const std::string& name) {
  Array a;
  a.type = type;
  a.shape = std::move(shape);
  size_t width = element_bytes(type);
  if (!width) throw Failure("input '" + name + "' has a type for which no random values are made: give it with --input");
  size_t count = static_cast<size_t>(a.count());
  a.bytes.resize(count * width);
  for (size_t i = 0; i < count; ++i) {
    double u = static_cast<double>(random() >> 11) * 0x1.0p-53;
    switch (type) {
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: put(a, i, static_cast<float>(2 * u - 1)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: put(a, i, 2 * u - 1); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: put(a, i, static_cast<uint16_t>(u < 0.5 ? 0x3800 : 0xb800)); break;
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16: put(a, i, static_cast<uint16_t>(u < 0.5 ? 0x3f00 : 0xbf00)); break;
      default: {
        int64_t v = u < 0.5;
        std::memcpy(a.bytes.data() + i * width, &v, width);  // little end first
      }
    }
  }
  return a;
}

}  // namespace

std::string shape_text(const std::vector<int64_t>& shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? "," : "") + std::to_string(shape[i]);
  return out + "]";
}

void prepare(const ModelOptions& options, Prepared* out) {
  Ort::SessionOptions so;
  so.SetIntraOpNumThreads(options.threads);
  if (options.no_optimization) so.SetGraphOptimizationLevel(ORT_DISABLE_ALL);
  out->session = Ort::Session(out->env, options.model.c_str(), so);
  Ort::AllocatorWithDefaultOptions allocator;
  std::map<std::string, std::string> files;
  std::map<std::string, Array> given;
  std::map<std::string, int64_t> sizes;
  for (auto& text : options.dims) {
    size_t eq = text.find('=');
    char* end = nullptr;
    long long n = eq == std::string::npos ? -1 : std::strtoll(text.c_str() + eq + 1, &end, 10);
    if (n < 0 || *end) throw Failure("--dim takes NAME=SIZE, not '" + text + "'");
    sizes[text.substr(0, eq)] = n;
  }
  for (auto& text : options.inputs) {
    size_t eq = text.find('=');
    if (eq != std::string::npos) files[text.substr(0, eq)] = text.substr(eq + 1);
    else if (ends_with(text, ".npz"))
      for (auto& [name, array] : read_npz(text)) given[name] = std::move(array);
    else throw Failure("--input takes NAME=FILE or an .npz file, not '" + text + "'");
  }
  std::mt19937_64 random(options.seed);
  for (size_t i = 0; i < out->session.GetInputCount(); ++i) {
    std::string name = out->session.GetInputNameAllocated(i, allocator).get();
    auto type = out->session.GetInputTypeInfo(i);
    if (type.GetONNXType() != ONNX_TYPE_TENSOR) throw Failure("input '" + name + "' is no tensor: this tool cannot make one");
    auto info = type.GetTensorTypeAndShapeInfo();
    auto shape = info.GetShape();
    Array a;
    auto file = files.find(name);
    auto array = given.find(name);
    if (file != files.end()) {
      if (ends_with(file->second, ".npy")) a = read_npy(file->second);
      else if (is_picture(file->second)) a = read_picture(file->second, info.GetElementType(), shape);
      else throw Failure(file->second + ": only .npy and .png files are read (or all inputs from one .npz)");
      files.erase(file);
    } else if (array != given.end()) {
      a = std::move(array->second);
      given.erase(array);
    } else {
      auto symbols = info.GetSymbolicDimensions();
      for (size_t d = 0; d < shape.size(); ++d) {
        if (shape[d] >= 0) continue;
        auto found = sizes.find(symbols[d]);
        shape[d] = found == sizes.end() ? 1 : found->second;
      }
      a = random_array(info.GetElementType(), shape, random, name);
    }
    out->input_names.push_back(name);
    out->arrays.push_back(std::move(a));
  }
  for (auto& [name, path] : files) throw Failure("the model has no input '" + name + "' (for " + path + ")");
  for (auto& [name, a] : given) throw Failure("the model has no input '" + name + "'");
  for (size_t i = 0; i < out->session.GetOutputCount(); ++i)
    out->output_names.push_back(out->session.GetOutputNameAllocated(i, allocator).get());
  auto memory = Ort::MemoryInfo::CreateCpu(OrtDeviceAllocator, OrtMemTypeDefault);
  for (auto& a : out->arrays)
    out->values.push_back(Ort::Value::CreateTensor(memory, a.bytes.data(), a.bytes.size(), a.shape.data(), a.shape.size(), a.type));
}

std::vector<Ort::Value> Prepared::run() {
  std::vector<const char*> in, outs;
  for (auto& n : input_names) in.push_back(n.c_str());
  for (auto& n : output_names) outs.push_back(n.c_str());
  return session.Run(Ort::RunOptions{nullptr}, in.data(), values.data(), values.size(), outs.data(), outs.size());
}

Array to_array(const std::string& name, const Ort::Value& value) {
  if (!value.IsTensor()) throw Failure("output '" + name + "' is no tensor: it cannot be shown or saved");
  auto info = value.GetTensorTypeAndShapeInfo();
  Array a;
  a.type = info.GetElementType();
  a.shape = info.GetShape();
  size_t width = element_bytes(a.type);
  if (!width) throw Failure("output '" + name + "' has an element type that cannot be shown or saved");
  auto* from = static_cast<const char*>(value.GetTensorRawData());
  a.bytes.assign(from, from + static_cast<size_t>(a.count()) * width);
  return a;
}

}  // namespace tenon::cli
