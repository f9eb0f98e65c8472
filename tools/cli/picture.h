// Pictures as model inputs.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "array_file.h"

namespace tenon::cli {

/// Whether the name ends like a picture that read_picture takes: .png.
bool is_picture(const std::string& path);
/// Reads a PNG as RGB (or grey for one channel) for an input of this type and shape (-1: any size): channels first
/// (1, C, H, W) or last (1, H, W, C), C 1 or 3. Values are 0..255 for uint8 and 0..1 for float. The picture must have
/// the size where the shape states one. Throws Failure.
Array read_picture(const std::string& path, ONNXTensorElementDataType type, const std::vector<int64_t>& shape);

}  // namespace tenon::cli
