// OrtLoraAdapter: named tensors that a run may take as further inputs.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "ort/onnxruntime_c_api.h"
#include "tensor/value.h"

struct OrtLoraAdapter {
  int64_t adapter_version = 0, model_version = 0;
  std::vector<std::pair<std::string, tenon::ValueRef>> parameters;
};
