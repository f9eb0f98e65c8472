// Writers of single protobuf fields, for tests that make models by hand, faults included.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::model::onnx::test {

inline std::string varint(uint64_t v) {
  std::string out;
  for (; v >= 0x80; v >>= 7) out += static_cast<char>(v | 0x80);
  return out + static_cast<char>(v);
}
inline std::string num(uint32_t field, uint64_t v) { return varint(field << 3) + varint(v); }
inline std::string sub(uint32_t field, std::string_view bytes) {
  return varint(field << 3 | 2) + varint(bytes.size()) + std::string(bytes);
}
using Names = std::initializer_list<std::string_view>;
inline std::string all(uint32_t field, Names items) {
  std::string out;
  for (auto i : items) out += sub(field, i);
  return out;
}

inline std::string attribute(std::string_view name, int type, std::string_view body) {
  return sub(5, sub(1, name) + std::string(body) + num(20, static_cast<uint64_t>(type)));
}
inline std::string int_attribute(std::string_view name, int64_t v) {
  return attribute(name, 2, num(3, static_cast<uint64_t>(v)));
}
inline std::string ref_attribute(std::string_view name, int type, std::string_view of) {
  return attribute(name, type, sub(21, of));
}
inline std::string node(std::string_view op, Names in, Names out, std::string_view more = {},
                        std::string_view domain = {}, std::string_view name = {}) {
  return all(1, in) + all(2, out) + sub(4, op) + std::string(more) + (domain.empty() ? "" : sub(7, domain)) +
         (name.empty() ? "" : sub(3, name));
}
inline std::string value(std::string_view name, int type = 1, std::initializer_list<int64_t> dims = {2}) {
  std::string shape;
  for (int64_t d : dims) shape += sub(1, num(1, static_cast<uint64_t>(d)));
  return sub(1, name) + sub(2, sub(1, num(1, static_cast<uint64_t>(type)) + sub(2, shape)));
}
/// `more` holds the contents: sub(9, raw bytes), sub(4, packed floats), ...
inline std::string tensor(std::string_view name, int type, std::initializer_list<int64_t> dims,
                          std::string_view more = {}) {
  std::string out;
  for (int64_t d : dims) out += num(1, static_cast<uint64_t>(d));
  return out + num(2, static_cast<uint64_t>(type)) + sub(8, name) + std::string(more);
}
template <class T>
std::string raw_of(std::initializer_list<T> items) {
  return std::string(reinterpret_cast<const char*>(items.begin()), items.size() * sizeof(T));
}
struct GraphParts {
  std::vector<std::string> nodes, initializers, inputs, outputs;
  std::string more;
};
inline std::string graph(const GraphParts& p) {
  std::string out;
  for (auto& n : p.nodes) out += sub(1, n);
  out += sub(2, "g");
  for (auto& n : p.initializers) out += sub(5, n);
  for (auto& n : p.inputs) out += sub(11, n);
  for (auto& n : p.outputs) out += sub(12, n);
  return out + p.more;
}
inline std::string opset(int64_t version, std::string_view domain = {}) {
  return sub(8, (domain.empty() ? "" : sub(1, domain)) + num(2, static_cast<uint64_t>(version)));
}
inline std::string model(std::string_view graph, std::string_view more = {}, int64_t ir = 8, int64_t version = 17) {
  return num(1, static_cast<uint64_t>(ir)) + opset(version) + sub(7, graph) + std::string(more);
}
inline std::string function(std::string_view name, Names in, Names out, std::vector<std::string> nodes,
                            std::string_view more = {}) {
  std::string body = sub(1, name) + all(4, in) + all(5, out);
  for (auto& n : nodes) body += sub(7, n);
  return sub(25, body + sub(9, num(2, 17)) + sub(9, sub(1, "f") + num(2, 1)) + sub(10, "f") + std::string(more));
}

}  // namespace tenon::model::onnx::test
