// Arrays of numpy: .npy and .npz files.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ort/onnxruntime_cxx_api.h"

namespace tenon::cli {

/// A dense row-major array with its element type.
struct Array {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
  int64_t count() const;
};
/// Bytes of one element; 0 for types that have no whole bytes (strings, 4-bit types).
size_t element_bytes(ONNXTensorElementDataType type);
/// "float32", "int64": numpy's name, or "?".
const char* element_name(ONNXTensorElementDataType type);

/// Reads one .npy file (versions 1 to 3, both orders). Throws Failure with the path.
Array read_npy(const std::string& path);
/// All arrays of an .npz file, by name.
std::vector<std::pair<std::string, Array>> read_npz(const std::string& path);
/// Writes through a temporary file that is renamed: never a partial file under the final name.
void write_npz(const std::string& path, const std::vector<std::pair<std::string, Array>>& arrays);
void write_npy(const std::string& path, const Array& array);

}  // namespace tenon::cli
