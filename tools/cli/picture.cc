// Pictures as model inputs: PNG through libpng.
// SPDX-License-Identifier: MIT
#include "picture.h"

#include <png.h>

#include <cstring>

#include "commands.h"

namespace tenon::cli {

bool is_picture(const std::string& path) { return path.size() > 4 && path.substr(path.size() - 4) == ".png"; }

Array read_picture(const std::string& path, ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  if (shape.size() != 4) throw Failure(path + ": a picture needs an input of four dimensions");
  auto channels_at = [&](size_t i) { return shape[i] == 1 || shape[i] == 3; };
  bool first = channels_at(1) || !channels_at(3);
  int64_t channels = shape[first ? 1 : 3] == 1 ? 1 : 3;
  if (shape[first ? 1 : 3] > 0 && shape[first ? 1 : 3] != channels) throw Failure(path + ": the input has " + std::to_string(shape[first ? 1 : 3]) + " channels; a picture has 1 or 3");
  bool whole = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8;
  if (!whole && type != ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT) throw Failure(path + ": pictures fit inputs of uint8 or float32");
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) throw Failure(path + ": " + image.message);
  if (image.width > 20000 || image.height > 20000) {
    png_image_free(&image);
    throw Failure(path + ": the picture is larger than 20000 x 20000");
  }
  image.format = channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  std::vector<unsigned char> pixels(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, pixels.data(), 0, nullptr)) throw Failure(path + ": " + image.message);
  int64_t h = image.height, w = image.width;
  int64_t want_h = shape[first ? 2 : 1], want_w = shape[first ? 3 : 2];
  if ((want_h >= 0 && want_h != h) || (want_w >= 0 && want_w != w))
    throw Failure(path + ": the picture is " + std::to_string(w) + " x " + std::to_string(h) + ", the input takes " + std::to_string(want_w) + " x " + std::to_string(want_h));
  Array a;
  a.type = type;
  a.shape = first ? std::vector<int64_t>{1, channels, h, w} : std::vector<int64_t>{1, h, w, channels};
  a.bytes.resize(pixels.size() * (whole ? 1 : 4));
  for (int64_t p = 0; p < h * w; ++p)
    for (int64_t c = 0; c < channels; ++c) {
      size_t to = static_cast<size_t>(first ? c * h * w + p : p * channels + c);
      unsigned char v = pixels[static_cast<size_t>(p * channels + c)];
      if (whole) a.bytes[to] = static_cast<char>(v);
      else {
        float f = static_cast<float>(v) / 255.0f;
        std::memcpy(a.bytes.data() + 4 * to, &f, 4);
      }
    }
  return a;
}

}  // namespace tenon::cli
