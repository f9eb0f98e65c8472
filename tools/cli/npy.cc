// Files of numpy. Format: numpy.lib.format; .npz is a zip archive of .npy files, stored or deflated.
// SPDX-License-Identifier: MIT
#include "npy.h"

#include <zlib.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "command.h"

namespace tenon::cli {
namespace {

constexpr size_t kMaxInflated = size_t{1} << 36;

struct NumpyType {
  const char* descr;
  ONNXTensorElementDataType type;
};
constexpr NumpyType kTypes[] = {
    {"<f4", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT},     {"<f8", ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE},
    {"<f2", ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16},   {"|i1", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8},
    {"<i2", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16},     {"<i4", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32},
    {"<i8", ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64},     {"|u1", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8},
    {"<u2", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16},    {"<u4", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32},
    {"<u8", ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64},    {"|b1", ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL},
    {"<c8", ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64}, {"<c16", ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128}};

[[noreturn]] void bad(const std::string& what, const std::string& why) { throw Fault(kInput, what + ": " + why); }

/// The value of a key in the Python dict that heads a .npy file.
std::string header_value(const std::string& header, const std::string& key, const std::string& what) {
  size_t at = header.find("'" + key + "'");
  if (at == std::string::npos) bad(what, "the header lacks " + key);
  at = header.find(':', at);
  if (at == std::string::npos) bad(what, "the header is malformed");
  at = header.find_first_not_of(' ', at + 1);
  if (at == std::string::npos) bad(what, "the header is malformed");
  const char open = header[at];
  size_t end = open == '\''  ? header.find('\'', at + 1)
               : open == '(' ? header.find(')', at)
                             : header.find_first_of(",}", at);
  if (end == std::string::npos) bad(what, "the header is malformed");
  return open == '\'' || open == '(' ? header.substr(at + 1, end - at - 1) : header.substr(at, end - at);
}

void append_utf8(std::string& out, uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | c >> 6);
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | c >> 12);
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xf0 | (c >> 18 & 7));
    out += static_cast<char>(0x80 | (c >> 12 & 63));
    out += static_cast<char>(0x80 | (c >> 6 & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

std::vector<uint32_t> code_points(const std::string& text) {
  std::vector<uint32_t> out;
  for (size_t i = 0; i < text.size();) {
    const auto b = static_cast<uint8_t>(text[i]);
    const int more = b < 0x80 ? 0 : b >= 0xf0 ? 3 : b >= 0xe0 ? 2 : b >= 0xc0 ? 1 : 0;
    uint32_t c = more == 0 ? b : b & (0x3fu >> more);
    for (int k = 1; k <= more && i + static_cast<size_t>(k) < text.size(); ++k)
      c = c << 6 | (static_cast<uint8_t>(text[i + static_cast<size_t>(k)]) & 63);
    out.push_back(c);
    i += static_cast<size_t>(more) + 1;
  }
  return out;
}

/// Column-major to row-major.
void transpose(Array& a, size_t width) {
  const size_t n = a.count(), rank = a.shape.size();
  std::vector<uint8_t> out(a.bytes.size());
  std::vector<size_t> at(rank, 0), stride(rank, 1);
  for (size_t i = 1; i < rank; ++i) stride[i] = stride[i - 1] * static_cast<size_t>(a.shape[i - 1]);
  for (size_t i = 0; i < n; ++i) {
    size_t from = 0;
    for (size_t d = 0; d < rank; ++d) from += at[d] * stride[d];
    std::memcpy(&out[i * width], &a.bytes[from * width], width);
    for (size_t d = rank; d-- > 0;) {
      if (++at[d] < static_cast<size_t>(a.shape[d])) break;
      at[d] = 0;
    }
  }
  a.bytes = std::move(out);
}

template <class T>
T little(const uint8_t* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
void put(std::vector<uint8_t>& out, T v) {
  const auto* p = reinterpret_cast<const uint8_t*>(&v);
  out.insert(out.end(), p, p + sizeof v);
}

std::vector<uint8_t> inflate_raw(const uint8_t* from, size_t size, size_t full, const std::string& what) {
  if (full > kMaxInflated || full / 1100 > size) bad(what, "the archive claims an impossible size");
  std::vector<uint8_t> out(full);
  z_stream z{};
  if (inflateInit2(&z, -MAX_WBITS) != Z_OK) bad(what, "zlib does not start");
  size_t in = 0, done = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    const size_t some = std::min<size_t>(size - in, 1u << 30), room = std::min<size_t>(full - done, 1u << 30);
    z.next_in = const_cast<uint8_t*>(from + in);
    z.avail_in = static_cast<uInt>(some);
    z.next_out = out.data() + done;
    z.avail_out = static_cast<uInt>(room);
    state = inflate(&z, Z_NO_FLUSH);
    in += some - z.avail_in;
    done += room - z.avail_out;
    if (state == Z_OK && some == z.avail_in && room == z.avail_out) break;
  }
  inflateEnd(&z);
  if (state != Z_STREAM_END || done != full) bad(what, "the archive is damaged");
  return out;
}

}  // namespace

std::vector<uint8_t> read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Fault(kInput, path + ": cannot be read");
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_file(const std::string& path, const std::vector<uint8_t>& bytes) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw Fault(kRun, path + ": cannot be written");
}

Array parse_npy(const std::vector<uint8_t>& bytes, const std::string& what) {
  if (bytes.size() < 12 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0) bad(what, "not a .npy file");
  const bool first = bytes[6] == 1;
  const size_t length = first ? little<uint16_t>(&bytes[8]) : little<uint32_t>(&bytes[8]);
  const size_t start = first ? 10 : 12;
  if (length > bytes.size() - start) bad(what, "the header is longer than the file");
  const std::string header(bytes.begin() + static_cast<ptrdiff_t>(start),
                           bytes.begin() + static_cast<ptrdiff_t>(start + length));
  std::string descr = header_value(header, "descr", what);
  Array a;
  size_t count = 1;
  std::string dims = header_value(header, "shape", what);
  std::erase(dims, ' ');
  if (!dims.empty() && dims.back() == ',') dims.pop_back();
  a.shape = parse_dims(dims);
  for (int64_t d : a.shape)
    if (__builtin_mul_overflow(count, static_cast<size_t>(d), &count)) bad(what, "the shape is too large");
  const uint8_t* data = bytes.data() + start + length;
  const size_t left = bytes.size() - start - length;
  if (descr.size() < 3) bad(what, "element type " + descr + " is not known");
  const char kind = descr[1];
  size_t width = 0;
  for (char c : descr.substr(2)) {
    if (c < '0' || c > '9' || width > 1u << 20) bad(what, "element type " + descr + " is not known");
    width = width * 10 + static_cast<size_t>(c - '0');
  }
  if (kind == 'U') width *= 4;
  size_t total = 0;
  if (__builtin_mul_overflow(count, width, &total) || total > left)
    bad(what, "the file is shorter than its shape says");
  if (kind == 'U' || kind == 'S') {
    a.type = ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
    for (size_t i = 0; i < count; ++i) {
      std::string text;
      for (size_t k = 0; k < width; k += kind == 'U' ? 4 : 1) {
        const uint32_t c = kind == 'U' ? little<uint32_t>(data + i * width + k) : data[i * width + k];
        if (c == 0) break;
        if (kind == 'U') append_utf8(text, c);
        else text += static_cast<char>(c);
      }
      a.texts.push_back(std::move(text));
    }
    return a;
  }
  if (kind != 'V') {
    if (descr[0] == '=') descr[0] = '<';
    for (auto& t : kTypes)
      if (descr.substr(1) == t.descr + 1 && (descr[0] == t.descr[0] || width == 1)) a.type = t.type;
    if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) bad(what, "element type " + descr + " is not supported");
  }
  a.bytes.assign(data, data + total);
  if (header_value(header, "fortran_order", what) == "True" && a.shape.size() > 1 && count > 0) transpose(a, width);
  return a;
}

std::vector<uint8_t> make_npy(const Array& a) {
  std::string descr, body;
  std::vector<int64_t> shape = a.shape;
  for (auto& t : kTypes)
    if (t.type == a.type) descr = t.descr;
  if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) {
    size_t longest = 1;
    std::vector<std::vector<uint32_t>> all;
    for (auto& t : a.texts) {
      all.push_back(code_points(t));
      longest = std::max(longest, all.back().size());
    }
    descr = "<U" + std::to_string(longest);
    for (auto& t : all) {
      t.resize(longest, 0);
      body.append(reinterpret_cast<const char*>(t.data()), longest * 4);
    }
  } else if (descr.empty()) {
    const int bits = element_bits(a.type);
    descr = bits == 16 ? "<u2" : "|u1";
    if (bits < 8) shape = {static_cast<int64_t>(a.bytes.size())};
  }
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (size_t i = 0; i < shape.size(); ++i)
    header += std::to_string(shape[i]) + (shape.size() == 1 || i + 1 < shape.size() ? "," : "");
  header += "), }";
  while ((10 + header.size() + 1) % 64) header += ' ';
  header += '\n';
  std::vector<uint8_t> out = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
  put(out, static_cast<uint16_t>(header.size()));
  out.insert(out.end(), header.begin(), header.end());
  if (a.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) out.insert(out.end(), body.begin(), body.end());
  else out.insert(out.end(), a.bytes.begin(), a.bytes.end());
  return out;
}

std::vector<std::pair<std::string, Array>> parse_npz(const std::vector<uint8_t>& b, const std::string& what) {
  // The directory at the end tells where each file lies; sizes beyond 32 bits stand in an extra field.
  if (b.size() < 22) bad(what, "not a .npz file");
  size_t end = b.size() - 22;
  while (end > 0 && little<uint32_t>(&b[end]) != 0x06054b50) --end;
  if (little<uint32_t>(&b[end]) != 0x06054b50) bad(what, "not a .npz file");
  uint64_t count = little<uint16_t>(&b[end + 10]), at = little<uint32_t>(&b[end + 16]);
  if (at == 0xffffffff && end >= 20 && little<uint32_t>(&b[end - 20]) == 0x07064b50) {
    const uint64_t far = little<uint64_t>(&b[end - 20 + 8]);
    if (far > b.size() || b.size() - far < 56) bad(what, "the archive is damaged");
    count = little<uint64_t>(&b[far + 32]);
    at = little<uint64_t>(&b[far + 48]);
  }
  std::vector<std::pair<std::string, Array>> out;
  for (uint64_t i = 0; i < count; ++i) {
    if (at > b.size() || b.size() - at < 46 || little<uint32_t>(&b[at]) != 0x02014b50)
      bad(what, "the archive is damaged");
    const int method = little<uint16_t>(&b[at + 10]);
    uint64_t packed = little<uint32_t>(&b[at + 20]), full = little<uint32_t>(&b[at + 24]),
             place = little<uint32_t>(&b[at + 42]);
    const size_t name_size = little<uint16_t>(&b[at + 28]), extra_size = little<uint16_t>(&b[at + 30]),
                 note = little<uint16_t>(&b[at + 32]);
    if (b.size() - at - 46 < name_size + extra_size + note) bad(what, "the archive is damaged");
    std::string name(reinterpret_cast<const char*>(&b[at + 46]), name_size);
    size_t x = at + 46 + name_size;
    const size_t x_end = x + extra_size;
    while (x + 4 <= x_end) {
      const size_t size = little<uint16_t>(&b[x + 2]);
      if (little<uint16_t>(&b[x]) == 1) {
        size_t p = x + 4;
        for (uint64_t* v : {&full, &packed, &place})
          if (*v == 0xffffffff && p + 8 <= x_end) *v = little<uint64_t>(&b[p]), p += 8;
      }
      x += 4 + size;
    }
    at += 46 + name_size + extra_size + note;
    if (place > b.size() || b.size() - place < 30) bad(what, "the archive is damaged");
    const uint64_t data = place + 30 + little<uint16_t>(&b[place + 26]) + little<uint16_t>(&b[place + 28]);
    if (data > b.size() || packed > b.size() - data) bad(what, "the archive is damaged");
    std::vector<uint8_t> file;
    if (method == 0)
      file.assign(b.begin() + static_cast<ptrdiff_t>(data), b.begin() + static_cast<ptrdiff_t>(data + packed));
    else if (method == 8) file = inflate_raw(b.data() + data, packed, full, what);
    else bad(what, "compression method " + std::to_string(method) + " is not supported");
    if (name.ends_with(".npy")) name.resize(name.size() - 4);
    out.emplace_back(name, parse_npy(file, what + "/" + name));
  }
  return out;
}

std::vector<uint8_t> make_npz(const std::vector<std::pair<std::string, Array>>& arrays) {
  std::vector<uint8_t> out, directory;
  for (auto& [key, array] : arrays) {
    const std::string name = key + ".npy";
    const std::vector<uint8_t> file = make_npy(array);
    uLong crc = crc32(0, nullptr, 0);
    for (size_t at = 0; at < file.size(); at += 1u << 30)
      crc = crc32(crc, file.data() + at, static_cast<uInt>(std::min<size_t>(file.size() - at, 1u << 30)));
    const uint64_t place = out.size(), size = file.size();
    // Sizes always stand in the 64-bit extra field, as numpy itself writes them.
    put<uint32_t>(out, 0x04034b50);
    for (uint16_t v : {45, 0x800, 0, 0, 33}) put(out, v);
    put(out, static_cast<uint32_t>(crc));
    put<uint32_t>(out, 0xffffffff);
    put<uint32_t>(out, 0xffffffff);
    put(out, static_cast<uint16_t>(name.size()));
    put<uint16_t>(out, 20);
    out.insert(out.end(), name.begin(), name.end());
    put<uint16_t>(out, 1);
    put<uint16_t>(out, 16);
    put(out, size);
    put(out, size);
    out.insert(out.end(), file.begin(), file.end());
    put<uint32_t>(directory, 0x02014b50);
    for (uint16_t v : {45, 45, 0x800, 0, 0, 33}) put(directory, v);
    put(directory, static_cast<uint32_t>(crc));
    put<uint32_t>(directory, 0xffffffff);
    put<uint32_t>(directory, 0xffffffff);
    put(directory, static_cast<uint16_t>(name.size()));
    put<uint16_t>(directory, 28);
    for (uint16_t v : {0, 0, 0}) put(directory, v);
    put<uint32_t>(directory, 0);
    put<uint32_t>(directory, 0xffffffff);
    directory.insert(directory.end(), name.begin(), name.end());
    put<uint16_t>(directory, 1);
    put<uint16_t>(directory, 24);
    put(directory, size);
    put(directory, size);
    put(directory, place);
  }
  const uint64_t start = out.size(), count = arrays.size();
  out.insert(out.end(), directory.begin(), directory.end());
  const uint64_t far = out.size();
  put<uint32_t>(out, 0x06064b50);
  put<uint64_t>(out, 44);
  for (uint16_t v : {45, 45}) put(out, v);
  for (uint32_t v : {0, 0}) put(out, v);
  put(out, count);
  put(out, count);
  put(out, static_cast<uint64_t>(directory.size()));
  put(out, start);
  put<uint32_t>(out, 0x07064b50);
  put<uint32_t>(out, 0);
  put(out, far);
  put<uint32_t>(out, 1);
  put<uint32_t>(out, 0x06054b50);
  for (uint16_t v : {0, 0, 0xffff, 0xffff}) put(out, v);
  for (int i = 0; i < 2; ++i) put<uint32_t>(out, 0xffffffff);
  put<uint16_t>(out, 0);
  return out;
}

}  // namespace tenon::cli
