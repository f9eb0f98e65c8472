// Pictures as inputs.
// SPDX-License-Identifier: MIT
#include "picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "command.h"
#include "npy.h"

#ifdef TENON_CLI_PNG
#include <png.h>
#endif
#ifdef TENON_CLI_JPEG
#include <jpeglib.h>

#include <csetjmp>
#endif

namespace tenon::cli {
namespace {

constexpr int kMaxSide = 1 << 16;

[[noreturn]] void bad(const std::string& path, const std::string& why) { throw Fault(kInput, path + ": " + why); }

Picture read_pnm(const std::vector<uint8_t>& b, const std::string& path) {
  size_t at = 2;
  auto number = [&] {
    for (;;) {
      while (at < b.size() && (b[at] == ' ' || b[at] == '\n' || b[at] == '\r' || b[at] == '\t')) ++at;
      if (at >= b.size() || b[at] != '#') break;
      while (at < b.size() && b[at] != '\n') ++at;
    }
    int v = 0;
    if (at >= b.size() || b[at] < '0' || b[at] > '9') bad(path, "the picture's header is malformed");
    while (at < b.size() && b[at] >= '0' && b[at] <= '9' && v < kMaxSide) v = v * 10 + (b[at++] - '0');
    return v;
  };
  Picture p;
  p.channels = b[1] == '6' ? 3 : 1;
  p.width = number();
  p.height = number();
  if (number() != 255) bad(path, "only pictures of 8 bits a channel are read");
  ++at;
  const size_t size = static_cast<size_t>(p.width) * static_cast<size_t>(p.height) * static_cast<size_t>(p.channels);
  if (p.width < 1 || p.height < 1 || at > b.size() || b.size() - at < size)
    bad(path, "the picture is shorter than its header says");
  p.pixels.assign(b.begin() + static_cast<ptrdiff_t>(at), b.begin() + static_cast<ptrdiff_t>(at + size));
  return p;
}

#ifdef TENON_CLI_PNG
Picture read_png(const std::vector<uint8_t>& b, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, b.data(), b.size())) bad(path, image.message);
  const bool color = image.format & PNG_FORMAT_FLAG_COLOR;
  image.format = color ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  Picture p;
  p.width = static_cast<int>(image.width);
  p.height = static_cast<int>(image.height);
  p.channels = color ? 3 : 1;
  if (p.width > kMaxSide || p.height > kMaxSide) {
    png_image_free(&image);
    bad(path, "the picture is too large");
  }
  p.pixels.resize(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, p.pixels.data(), 0, nullptr)) bad(path, image.message);
  return p;
}
#endif

#ifdef TENON_CLI_JPEG
struct JpegFault {
  jpeg_error_mgr manager;
  std::jmp_buf back;
  char text[JMSG_LENGTH_MAX];
};

/// False with a text in `fault`. Holds no C++ object that a jump would skip.
bool decode_jpeg(const std::vector<uint8_t>& b, Picture& p, JpegFault& fault) {
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&fault.manager);
  fault.manager.error_exit = [](j_common_ptr c) {
    auto* f = reinterpret_cast<JpegFault*>(c->err);
    f->manager.format_message(c, f->text);
    std::longjmp(f->back, 1);
  };
  fault.manager.output_message = [](j_common_ptr) {};
  jpeg_create_decompress(&info);
  if (setjmp(fault.back)) {
    jpeg_destroy_decompress(&info);
    return false;
  }
  jpeg_mem_src(&info, b.data(), b.size());
  jpeg_read_header(&info, TRUE);
  info.out_color_space = info.num_components == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_start_decompress(&info);
  p.width = static_cast<int>(info.output_width);
  p.height = static_cast<int>(info.output_height);
  p.channels = info.output_components;
  const size_t row = static_cast<size_t>(p.width) * static_cast<size_t>(p.channels);
  p.pixels.resize(row * static_cast<size_t>(p.height));
  while (info.output_scanline < info.output_height) {
    JSAMPROW line = p.pixels.data() + row * info.output_scanline;
    jpeg_read_scanlines(&info, &line, 1);
  }
  jpeg_finish_decompress(&info);
  jpeg_destroy_decompress(&info);
  return true;
}
#endif

/// Pixel (x, y) of the picture resized to width x height.
double sample(const Picture& p, int width, int height, int x, int y, int channel) {
  auto place = [](int at, int to, int from, int& low, int& high) {
    const double c = std::clamp((at + 0.5) * from / to - 0.5, 0.0, from - 1.0);
    low = static_cast<int>(c);
    high = std::min(low + 1, from - 1);
    return c - low;
  };
  int x0, x1, y0, y1;
  const double fx = place(x, width, p.width, x0, x1), fy = place(y, height, p.height, y0, y1);
  auto at = [&](int px, int py) {
    const size_t i = (static_cast<size_t>(py) * static_cast<size_t>(p.width) + static_cast<size_t>(px)) *
                     static_cast<size_t>(p.channels);
    return static_cast<double>(p.pixels[i + static_cast<size_t>(p.channels == 1 ? 0 : channel)]);
  };
  const double top = at(x0, y0) * (1 - fx) + at(x1, y0) * fx, bottom = at(x0, y1) * (1 - fx) + at(x1, y1) * fx;
  return top * (1 - fy) + bottom * fy;
}

}  // namespace

bool is_picture(const std::string& path) {
  std::string lower = path;
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const char* end : {".png", ".jpg", ".jpeg", ".ppm", ".pgm", ".pnm"})
    if (lower.ends_with(end)) return true;
  return false;
}

std::string picture_formats() {
  std::string out = "ppm, pgm";
#ifdef TENON_CLI_PNG
  out += ", png";
#endif
#ifdef TENON_CLI_JPEG
  out += ", jpeg";
#endif
  return out;
}

Picture read_picture(const std::string& path) {
  const auto b = read_file(path);
  if (b.size() > 8 && b[0] == 'P' && (b[1] == '6' || b[1] == '5')) return read_pnm(b, path);
#ifdef TENON_CLI_PNG
  if (b.size() > 8 && b[0] == 0x89 && b[1] == 'P') return read_png(b, path);
#endif
#ifdef TENON_CLI_JPEG
  if (b.size() > 8 && b[0] == 0xff && b[1] == 0xd8) {
    Picture p;
    auto fault = std::make_unique<JpegFault>();
    if (!decode_jpeg(b, p, *fault)) bad(path, fault->text);
    return p;
  }
#endif
  bad(path, "not a picture that this build reads (" + picture_formats() + ")");
}

Array picture_array(const Picture& p, ONNXTensorElementDataType type, const std::vector<int64_t>& shape,
                    const PictureChoices& choices) {
  const size_t rank = shape.size();
  if (rank < 2 || rank > 4 || (rank == 4 && shape[0] > 1))
    throw Fault(kInput, "the input is no picture: its shape has " + std::to_string(rank) + " dimensions");
  auto is_channels = [](int64_t d) { return d == 1 || d == 3; };
  const bool first = rank >= 3 && (is_channels(shape[rank - 3]) || !is_channels(shape[rank - 1]));
  const size_t h_at = rank == 2 ? 0 : first ? rank - 2 : rank - 3, w_at = h_at + 1;
  const size_t c_at = first ? rank - 3 : rank - 1;
  int channels = rank == 2 ? 1 : shape[c_at] > 0 ? static_cast<int>(shape[c_at]) : 3;
  if (channels != 1 && channels != 3)
    throw Fault(kInput, "the input has " + std::to_string(channels) + " channels; pictures have 1 or 3");
  const int height = shape[h_at] > 0 ? static_cast<int>(shape[h_at]) : p.height,
            width = shape[w_at] > 0 ? static_cast<int>(shape[w_at]) : p.width;
  Array out;
  const bool is_float = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE ||
                        type == ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16 || type == ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16;
  out.type = ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT;
  out.shape = shape;
  if (rank == 4) out.shape[0] = 1;
  if (rank > 2) out.shape[c_at] = channels;
  out.shape[h_at] = height;
  out.shape[w_at] = width;
  std::vector<float> data(out.count());
  auto of = [&](const std::vector<double>& list, int c, double fallback) {
    return list.empty() ? fallback
                        : list[static_cast<size_t>(c) < list.size() ? static_cast<size_t>(c) : list.size() - 1];
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int c = 0; c < channels; ++c) {
        double v = channels == 1 && p.channels == 3
                       ? 0.299 * sample(p, width, height, x, y, 0) + 0.587 * sample(p, width, height, x, y, 1) +
                             0.114 * sample(p, width, height, x, y, 2)
                       : sample(p, width, height, x, y, c);
        v = is_float ? (v * choices.scale - of(choices.mean, c, 0)) / of(choices.std, c, 1) : std::round(v);
        const int64_t at = first || rank == 2 ? (static_cast<int64_t>(c) * height + y) * width + x
                                              : (static_cast<int64_t>(y) * width + x) * channels + c;
        data[static_cast<size_t>(at)] = static_cast<float>(v);
      }
  out.bytes.assign(reinterpret_cast<const uint8_t*>(data.data()),
                   reinterpret_cast<const uint8_t*>(data.data() + data.size()));
  return converted(out, type);
}

}  // namespace tenon::cli
