// Inputs of a run: from files, or random by the model's signature.
// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "array_file.h"
#include "ort/onnxruntime_cxx_api.h"

namespace tenon::cli {

/// What the commands that run models have in common.
struct ModelOptions {
  std::string model;
  int threads = 0;
  bool no_optimization = false;
  std::vector<std::string> inputs;  ///< NAME=FILE or FILE.npz
  std::vector<std::string> dims;    ///< NAME=SIZE for symbolic dimensions of random inputs
  uint64_t seed = 1;
};

/// A loaded model with named inputs ready to run; keeps the memory of the inputs.
struct Prepared {
  Ort::Env env{ORT_LOGGING_LEVEL_ERROR, "tenon"};
  Ort::Session session{nullptr};
  std::vector<std::string> input_names, output_names;
  std::vector<Array> arrays;
  std::vector<Ort::Value> values;

  std::vector<Ort::Value> run();
};
/// Loads the model and makes its inputs. Throws Failure or Ort::Exception.
void prepare(const ModelOptions& options, Prepared* out);

/// A tensor's elements as an Array. Throws Failure for other values.
Array to_array(const std::string& name, const Ort::Value& value);
std::string shape_text(const std::vector<int64_t>& shape);

}  // namespace tenon::cli
