// Arrays of numpy: reading and writing .npy and .npz files.
// SPDX-License-Identifier: MIT
#include "array_file.h"

#include <zip.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

#include "commands.h"

namespace tenon::cli {
namespace {

struct TypeName {
  ONNXTensorElementDataType type;
  const char* name;
  const char* code;
  size_t bytes;
};
constexpr TypeName kTypes[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, "float32", "<f4", 4},   {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, "float64", "<f8", 8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, "float16", "<f2", 2}, {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, "int8", "|i1", 1},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, "uint8", "|u1", 1},     {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, "int16", "<i2", 2},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, "uint16", "<u2", 2},   {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, "int32", "<i4", 4},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, "uint32", "<u4", 4},   {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, "int64", "<i8", 8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, "uint64", "<u8", 8},   {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, "bool", "|b1", 1},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, "bfloat16", nullptr, 2},
};

const TypeName* find(ONNXTensorElementDataType type) {
  for (auto& t : kTypes)
    if (t.type == type) return &t;
  return nullptr;
}

std::string field(const std::string& header, const std::string& name, const std::string& path) {
  size_t at = header.find("'" + name + "'");
  if (at == std::string::npos || (at = header.find(':', at)) == std::string::npos)
    throw Failure(path + ": no numpy array (the header has no " + name + ")");
  return header.substr(at + 1);
}

/// The array in the bytes of a .npy file.
Array parse_npy(const std::string& data, const std::string& path) {
  if (data.size() < 10 || data.compare(0, 6, "\x93NUMPY") != 0) throw Failure(path + ": no numpy array");
  auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(data[i])); };
  bool wide = byte(6) >= 2;
  size_t start = wide ? 12 : 10;
  if (data.size() < start) throw Failure(path + ": no numpy array");
  size_t length = wide ? byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24 : byte(8) | byte(9) << 8;
  if (length > data.size() - start) throw Failure(path + ": the numpy header is cut off");
  std::string header = data.substr(start, length);
  Array a;
  std::string descr = field(header, "descr", path);
  size_t open = descr.find('\''), close = open == std::string::npos ? open : descr.find('\'', open + 1);
  if (close == std::string::npos) throw Failure(path + ": no simple numpy element type");
  std::string code = descr.substr(open + 1, close - open - 1);
  size_t width = 0;
  for (auto& t : kTypes)
    if (t.code && (code == t.code || (t.bytes == 1 && code.substr(1) == std::string(t.code).substr(1)))) {
      a.type = t.type;
      width = t.bytes;
    }
  if (!width) throw Failure(path + ": the numpy element type '" + code + "' is not supported here");
  bool fortran = field(header, "fortran_order", path).find("True") < 3;
  std::string shape = field(header, "shape", path);
  size_t left = shape.find('('), right = shape.find(')');
  if (left == std::string::npos || right == std::string::npos || right < left) throw Failure(path + ": no shape in the numpy header");
  std::stringstream list(shape.substr(left + 1, right - left - 1));
  std::string item;
  size_t count = 1;
  while (std::getline(list, item, ',')) {
    if (item.find_first_not_of(" ") == std::string::npos) continue;
    char* end = nullptr;
    long long d = std::strtoll(item.c_str(), &end, 10);
    if (d < 0 || end == item.c_str()) throw Failure(path + ": the numpy header has the dimension '" + item + "'");
    a.shape.push_back(d);
    if (__builtin_mul_overflow(count, static_cast<size_t>(d), &count)) throw Failure(path + ": the shape is too large");
  }
  size_t have = data.size() - start - length;
  if (count > have / width) throw Failure(path + ": the data is cut off");
  const char* from = data.data() + start + length;
  a.bytes.assign(from, from + count * width);
  if (fortran && a.shape.size() > 1 && count > 0) {
    for (size_t flat = 0; flat < count; ++flat) {
      size_t rest = flat, place = 0, stride = 1;
      std::vector<size_t> index(a.shape.size());
      for (size_t k = a.shape.size(); k-- > 0;) {
        index[k] = rest % static_cast<size_t>(a.shape[k]);
        rest /= static_cast<size_t>(a.shape[k]);
      }
      for (size_t k = 0; k < a.shape.size(); ++k) {
        place += index[k] * stride;
        stride *= static_cast<size_t>(a.shape[k]);
      }
      std::memcpy(a.bytes.data() + flat * width, from + place * width, width);
    }
  }
  return a;
}

std::string npy_bytes(const Array& a) {
  auto* t = find(a.type);
  if (!t || !t->code) throw Failure(std::string("arrays of ") + element_name(a.type) + " cannot be saved for numpy");
  std::string shape;
  for (int64_t d : a.shape) shape += std::to_string(d) + ",";
  std::string header = std::string("{'descr': '") + t->code + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  while ((10 + header.size() + 1) % 64) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += '\1';
  out += '\0';
  out += static_cast<char>(header.size() & 0xff);
  out += static_cast<char>(header.size() >> 8);
  out += header;
  out.append(a.bytes.data(), a.bytes.size());
  return out;
}

}  // namespace

int64_t Array::count() const {
  int64_t n = 1;
  for (int64_t d : shape) n *= d;
  return n;
}
size_t element_bytes(ONNXTensorElementDataType type) {
  auto* t = find(type);
  return t ? t->bytes : 0;
}
const char* element_name(ONNXTensorElementDataType type) {
  auto* t = find(type);
  return t ? t->name : type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING ? "string" : "?";
}

Array read_npy(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  if (!f) throw Failure(path + ": cannot be opened");
  std::stringstream all;
  all << f.rdbuf();
  return parse_npy(all.str(), path);
}

std::vector<std::pair<std::string, Array>> read_npz(const std::string& path) {
  int code = 0;
  zip_t* z = zip_open(path.c_str(), ZIP_RDONLY, &code);
  if (!z) throw Failure(path + ": cannot be opened as an .npz archive");
  std::vector<std::pair<std::string, Array>> out;
  try {
    for (zip_int64_t i = 0; i < zip_get_num_entries(z, 0); ++i) {
      zip_stat_t s;
      if (zip_stat_index(z, static_cast<zip_uint64_t>(i), 0, &s) != 0) throw Failure(path + ": a damaged archive");
      std::string name = s.name, data;
      zip_file_t* f = zip_fopen_index(z, static_cast<zip_uint64_t>(i), 0);
      if (!f) throw Failure(path + ": " + name + " cannot be read");
      char buffer[1 << 16];
      zip_int64_t n;
      while ((n = zip_fread(f, buffer, sizeof buffer)) > 0) data.append(buffer, static_cast<size_t>(n));
      zip_fclose(f);
      if (n < 0) throw Failure(path + ": " + name + " is damaged");
      if (name.size() > 4 && name.substr(name.size() - 4) == ".npy") name.resize(name.size() - 4);
      out.emplace_back(name, parse_npy(data, path + " (" + name + ")"));
    }
  } catch (...) {
    zip_discard(z);
    throw;
  }
  zip_discard(z);
  return out;
}

void write_npy(const std::string& path, const Array& array) {
  std::string data = npy_bytes(array), temporary = path + ".part";
  {
    std::ofstream f(temporary, std::ios::binary);
    f.write(data.data(), static_cast<std::streamsize>(data.size()));
    if (!f.flush()) {
      std::remove(temporary.c_str());
      throw Failure(path + ": cannot be written");
    }
  }
  if (std::rename(temporary.c_str(), path.c_str()) != 0) {
    std::remove(temporary.c_str());
    throw Failure(path + ": cannot be written");
  }
}

void write_npz(const std::string& path, const std::vector<std::pair<std::string, Array>>& arrays) {
  std::string temporary = path + ".part";
  int code = 0;
  zip_t* z = zip_open(temporary.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &code);
  if (!z) throw Failure(path + ": cannot be written");
  std::vector<std::string> kept;  // libzip reads the buffers when the archive is closed
  kept.reserve(arrays.size());
  try {
    for (auto& [name, array] : arrays) {
      kept.push_back(npy_bytes(array));
      zip_source_t* s = zip_source_buffer(z, kept.back().data(), kept.back().size(), 0);
      zip_int64_t at = s ? zip_file_add(z, (name + ".npy").c_str(), s, ZIP_FL_ENC_UTF_8) : -1;
      if (at < 0) throw Failure(path + ": output '" + name + "' cannot be written");
      zip_set_file_compression(z, static_cast<zip_uint64_t>(at), ZIP_CM_STORE, 0);
    }
  } catch (...) {
    zip_discard(z);
    std::remove(temporary.c_str());
    throw;
  }
  if (zip_close(z) != 0 || std::rename(temporary.c_str(), path.c_str()) != 0) {
    zip_discard(z);
    std::remove(temporary.c_str());
    throw Failure(path + ": cannot be written");
  }
}

}  // namespace tenon::cli
