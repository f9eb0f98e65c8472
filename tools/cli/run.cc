// tenon run: runs a model once and shows or saves the results.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "array.h"
#include "command.h"
#include "inputs.h"
#include "npy.h"

namespace tenon::cli {
namespace {

struct Choices {
  std::string model, output;
  std::vector<std::string> outputs;
  int show = 6;
  SessionChoices session;
  InputChoices inputs;
};

std::string number_text(double v, bool whole) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, whole ? "%.0f" : "%.6g", v);
  return buffer;
}

void print_array(const std::string& name, const Array& a, int show) {
  std::printf("  %s  %s", name.c_str(), array_text(a.type, a.shape).c_str());
  const size_t n = a.count();
  if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    std::printf("\n   ");
    for (size_t i = 0; i < std::min(n, static_cast<size_t>(show)); ++i) std::printf(" \"%s\"", a.texts[i].c_str());
    std::printf("%s\n", n > static_cast<size_t>(show) ? " ..." : "");
    return;
  }
  const bool whole = std::string_view(element_text(a.type)).find("float") == std::string_view::npos;
  double low = INFINITY, high = -INFINITY, sum = 0;
  size_t odd = 0;
  for (size_t i = 0; i < n; ++i) {
    const double v = element_at(a, i);
    if (!std::isfinite(v)) {
      ++odd;
      continue;
    }
    low = std::min(low, v);
    high = std::max(high, v);
    sum += v;
  }
  if (n > odd)
    std::printf("  min %s  max %s  mean %.6g", number_text(low, whole).c_str(), number_text(high, whole).c_str(),
                sum / static_cast<double>(n - odd));
  if (odd) std::printf("  %zu not finite", odd);
  std::printf("\n   ");
  for (size_t i = 0; i < std::min(n, static_cast<size_t>(show)); ++i)
    std::printf(" %s", number_text(element_at(a, i), whole).c_str());
  std::printf("%s\n", n > static_cast<size_t>(show) ? " ..." : "");
}

/// Tensors inside a value, with names for them: a sequence gives NAME.0, NAME.1; a map NAME.keys and NAME.values.
void flatten(const std::string& name, const Ort::Value& v, std::vector<std::pair<std::string, Array>>& out) {
  if (!v.HasValue()) return;
  Ort::AllocatorWithDefaultOptions allocator;
  const ONNXType kind = v.GetTypeInfo().GetONNXType();
  if (v.IsTensor()) {
    out.emplace_back(name, from_value(v));
  } else if (kind == ONNX_TYPE_MAP) {
    flatten(name + ".keys", v.GetValue(0, allocator), out);
    flatten(name + ".values", v.GetValue(1, allocator), out);
  } else if (kind == ONNX_TYPE_SEQUENCE) {
    for (size_t i = 0; i < v.GetCount(); ++i)
      flatten(name + "." + std::to_string(i), v.GetValue(static_cast<int>(i), allocator), out);
  }
}

void run(const Choices& c) {
  Ort::Session session = load(c.model, c.session.make());
  Inputs inputs = make_inputs(session, c.inputs);
  std::vector<std::string> names = c.outputs.empty() ? session.GetOutputNames() : c.outputs;
  std::vector<const char*> in, out;
  for (auto& n : inputs.names) in.push_back(n.c_str());
  for (auto& n : names) out.push_back(n.c_str());
  std::vector<Ort::Value> results;
  const auto begin = std::chrono::steady_clock::now();
  try {
    results = session.Run(Ort::RunOptions(), in.data(), inputs.values.data(), in.size(), out.data(), out.size());
  } catch (const Ort::Exception& e) { throw Fault(kRun, e.what()); }
  const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  std::vector<std::pair<std::string, Array>> arrays;
  for (size_t i = 0; i < results.size(); ++i) flatten(names[i], results[i], arrays);
  if (!c.output.empty()) {
    if (c.output.ends_with(".npy")) {
      if (arrays.size() != 1)
        throw Fault(kUsage, "a .npy file holds one array, there are " + std::to_string(arrays.size()) +
                                ": name a .npz file or use --only");
      write_file(c.output, make_npy(arrays[0].second));
    } else {
      write_file(c.output, make_npz(arrays));
    }
  }
  std::printf("inputs\n");
  for (size_t i = 0; i < inputs.names.size(); ++i) {
    auto info = inputs.values[i].GetTensorTypeAndShapeInfo();
    std::printf("  %s  %s  %s\n", inputs.names[i].c_str(), array_text(info.GetElementType(), info.GetShape()).c_str(),
                inputs.notes[i].c_str());
  }
  std::printf("outputs (%.2f ms)\n", ms);
  for (auto& [name, array] : arrays) print_array(name, array, c.show);
  if (!c.output.empty()) std::printf("written to %s\n", c.output.c_str());
  if (!c.session.profile.empty()) {
    Ort::AllocatorWithDefaultOptions allocator;
    std::printf("profile in %s\n", session.EndProfilingAllocated(allocator).get());
  }
}

}  // namespace

void add_run(CLI::App& app, int& exit) {
  auto c = std::make_shared<Choices>();
  CLI::App* run_app = app.add_subcommand("run", "Runs a model once and shows or saves the results");
  run_app->footer(R"(
Examples
  tenon run model.onnx                              made-up inputs: does it work, what comes out?
  tenon run bert.onnx -s ids=1,128 -s mask=1,128    made-up inputs of a certain shape
  tenon run resnet.onnx -i cat.png --mean 0.485,0.456,0.406 --std 0.229,0.224,0.225 -o out.npz
  tenon run model.onnx -i x=x.npy -i mask=mask.npy --only logits -o logits.npy
  tenon run model.onnx -i inputs.npz -t 4 --profile trace

Inputs without a file are made up: free dimensions are 1 unless --shape or --dim says otherwise. Pictures ()" +
                  picture_formats() + R"() are resized
to the input's height and width and laid out as its shape wants.
Exit codes: 0 done, 2 wrong usage, 3 the model does not load, 4 the run fails, 5 an input is not usable.)");
  run_app->add_option("model", c->model, "The model (.onnx)")->required();
  run_app->add_option("-o,--output", c->output, "Where results go: .npz, or .npy for a single one");
  run_app->add_option("--only", c->outputs, "Names of the outputs wanted; all by default")->type_name("NAME");
  run_app->add_option("--show", c->show, "How many elements of each output are printed")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  c->inputs.add_to(*run_app);
  c->session.add_to(*run_app);
  run_app->callback([c, &exit] {
    run(*c);
    exit = kOk;
  });
}

}  // namespace tenon::cli
