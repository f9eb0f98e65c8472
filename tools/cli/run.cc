// tenon run: one run of a model, outputs printed or saved.
// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "commands.h"
#include "inputs.h"

namespace tenon::cli {
namespace {

double number(const Array& a, size_t i) {
  auto get = [&](auto zero) {
    std::memcpy(&zero, a.bytes.data() + i * sizeof zero, sizeof zero);
    return static_cast<double>(zero);
  };
  switch (a.type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT: return get(float{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: return get(double{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8: return get(int8_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16: return get(int16_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16: return get(uint16_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32: return get(int32_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32: return get(uint32_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: return get(int64_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64: return get(uint64_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL:
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8: return get(uint8_t{});
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16: {
      uint16_t h;
      std::memcpy(&h, a.bytes.data() + i * 2, 2);
      int exponent = (h >> 10) & 31, fraction = h & 1023;
      double v = exponent == 0 ? std::ldexp(fraction, -24) : exponent == 31 ? (fraction ? NAN : INFINITY) : std::ldexp(1024 + fraction, exponent - 25);
      return h & 0x8000 ? -v : v;
    }
    default: return NAN;
  }
}

void print_output(const std::string& name, const Ort::Value& value) {
  if (!value.IsTensor()) {
    std::printf("%s: no tensor\n", name.c_str());
    return;
  }
  auto info = value.GetTensorTypeAndShapeInfo();
  if (!element_bytes(info.GetElementType())) {
    std::printf("%s: %s%s\n", name.c_str(), element_name(info.GetElementType()), shape_text(info.GetShape()).c_str());
    return;
  }
  Array a = to_array(name, value);
  size_t n = static_cast<size_t>(a.count());
  std::printf("%s: %s%s", name.c_str(), element_name(a.type), shape_text(a.shape).c_str());
  if (n) {
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (size_t i = 0; i < n; ++i) {
      double v = number(a, i);
      low = std::min(low, v);
      high = std::max(high, v);
      sum += v;
    }
    std::printf("  min %g  max %g  mean %g\n ", low, high, sum / static_cast<double>(n));
    for (size_t i = 0; i < std::min<size_t>(n, 8); ++i) std::printf(" %g", number(a, i));
    std::printf("%s", n > 8 ? " ..." : "");
  }
  std::printf("\n");
}

struct RunArguments {
  ModelOptions model;
  std::string output;
};

void run(const RunArguments& a) {
  Prepared p;
  prepare(a.model, &p);
  auto begin = std::chrono::steady_clock::now();
  auto outputs = p.run();
  double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  if (a.output.empty()) {
    for (size_t i = 0; i < outputs.size(); ++i) print_output(p.output_names[i], outputs[i]);
    std::printf("run took %.3f ms\n", ms);
    return;
  }
  std::vector<std::pair<std::string, Array>> arrays;
  for (size_t i = 0; i < outputs.size(); ++i) arrays.emplace_back(p.output_names[i], to_array(p.output_names[i], outputs[i]));
  bool single = a.output.size() > 4 && a.output.substr(a.output.size() - 4) == ".npy";
  if (single && arrays.size() != 1) throw Failure(a.output + ": the model has " + std::to_string(arrays.size()) + " outputs; save them as .npz");
  if (single) write_npy(a.output, arrays[0].second);
  else write_npz(a.output, arrays);
}

}  // namespace

void add_run(CLI::App& app, std::function<void()>& chosen) {
  auto a = std::make_shared<RunArguments>();
  auto* c = app.add_subcommand("run", "Run a model once and print or save its outputs");
  c->add_option("model", a->model.model, "The ONNX file")->required();
  c->add_option("-i,--input", a->model.inputs, "NAME=FILE (.npy, .png) or FILE.npz with all inputs by name; what is not given is random");
  c->add_option("-o,--output", a->output, "Save the outputs: .npz by name, or .npy for a single one");
  c->add_option("-d,--dim", a->model.dims, "NAME=SIZE of a symbolic dimension of random inputs (1 unless given)");
  c->add_option("--seed", a->model.seed, "Seed of random inputs");
  c->add_option("-t,--threads", a->model.threads, "Threads of the run; 0: all")->check(CLI::NonNegativeNumber);
  c->add_flag("--no-optimization", a->model.no_optimization, "Run the graph as it is");
  c->footer("Examples:\n"
            "  tenon run model.onnx                                     random inputs, outputs in short\n"
            "  tenon run model.onnx -i x=picture.png                    a picture (RGB, 0..1 for float inputs)\n"
            "  tenon run model.onnx -i in.npz -o out.npz                all inputs and outputs as numpy archives\n"
            "  tenon run model.onnx -d batch=4 --seed 7 -o out.npz      random inputs of another size");
  c->callback([a, &chosen] { chosen = [a] { run(*a); }; });
}

}  // namespace tenon::cli
