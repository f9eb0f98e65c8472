// Pictures as inputs: PNG, JPEG (where the libraries were found), PPM and PGM.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "array.h"

namespace tenon::cli {

struct Picture {
  int width = 0, height = 0, channels = 0;  ///< channels 1 or 3
  std::vector<uint8_t> pixels;              ///< row by row, channels together
};

/// Whether the name ends like a picture's.
bool is_picture(const std::string& path);
/// Formats this build reads: "png jpeg ppm".
std::string picture_formats();
Picture read_picture(const std::string& path);

struct PictureChoices {
  double scale = 1.0 / 255;
  std::vector<double> mean, std;  ///< per channel, after scaling; empty: 0 and 1
};

/// A tensor for an input of this type and shape (-1: free): the picture is resized (bilinear, half-pixel centres) to
/// the height and width of the input, laid out channels first or last as the shape tells, and, for float inputs, (pixel
/// * scale - mean) / std. Integer inputs get the pixels. Faults of kInput when no layout fits.
Array picture_array(const Picture& picture, ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                    const PictureChoices& choices);

}  // namespace tenon::cli
