// Inputs of a run: from files, or made up from the model's signature.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "command.h"
#include "picture.h"

namespace tenon::cli {

/// An input or output as the model states it.
struct Port {
  std::string name, type;  ///< type: "float32[batch,3]", "seq(...)"
  bool is_tensor = false;
  ONNXTensorElementDataType element = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> dims;         ///< -1: free
  std::vector<std::string> symbols;  ///< names of free dimensions
  bool has_shape = true;
};
std::vector<Port> input_ports(const Ort::Session& session);
std::vector<Port> output_ports(const Ort::Session& session);

struct InputChoices {
  std::vector<std::string> files, shapes;
  std::string fill = "random";
  unsigned seed = 0;
  std::vector<int64_t> int_range = {0, 1};
  PictureChoices picture;
  void add_to(CLI::App& app);
};

struct Inputs {
  std::vector<std::string> names;
  std::vector<Ort::Value> values;
  std::vector<std::string> notes;  ///< where each came from: "from cat.png", "random"
};
/// Every input of the session: from its file, else made up. Faults of kInput.
Inputs make_inputs(const Ort::Session& session, const InputChoices& choices);

}  // namespace tenon::cli
