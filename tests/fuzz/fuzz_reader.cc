// Fuzz target: any bytes as a model; the reader must answer, and what it accepts must be well formed.
// SPDX-License-Identifier: MIT
#include <cstdlib>

#include "model/read.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  auto model = tenon::model::read_model_bytes({data, size});
  if (model.ok() && (*model)->value_count() < 1000 && !tenon::ir::verify(**model).ok()) std::abort();
  return 0;
}
