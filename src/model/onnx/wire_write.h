// Message: a protobuf message under construction. Large contents are borrowed, not copied.
// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tenon::model::onnx {

class Message {
 public:
  void number(uint32_t field, int64_t v) {
    varint(field << 3);
    varint(static_cast<uint64_t>(v));
  }
  void real(uint32_t field, float v) {
    varint(field << 3 | 5);
    const auto bits = std::bit_cast<uint32_t>(v);
    for (int i = 0; i < 4; ++i) tail().push_back(static_cast<char>(bits >> (8 * i)));
    size_ += 4;
  }
  void text(uint32_t field, std::string_view v) {
    varint(field << 3 | 2);
    varint(v.size());
    tail().append(v);
    size_ += v.size();
  }
  /// As text(), but leaves it out when empty.
  void text_if(uint32_t field, std::string_view v) {
    if (!v.empty()) text(field, v);
  }
  /// The bytes are borrowed until the message was written.
  void bytes(uint32_t field, const void* data, size_t size) {
    if (size < 4096) return text(field, {static_cast<const char*>(data), size});
    varint(field << 3 | 2);
    varint(size);
    pieces_.push_back({{}, {static_cast<const char*>(data), size}});
    size_ += size;
  }
  void message(uint32_t field, Message&& inner) {
    varint(field << 3 | 2);
    varint(inner.size_);
    size_ += inner.size_;
    for (auto& p : inner.pieces_) {
      if (p.borrowed.data()) pieces_.push_back(std::move(p));
      else tail().append(p.own);
    }
  }
  uint64_t size() const { return size_; }
  /// Calls write(data, size) for each piece in order until one fails.
  template <class F>
  auto each_piece(const F& write) const -> decltype(write(nullptr, size_t{})) {
    for (auto& p : pieces_) {
      const std::string_view v = p.borrowed.data() ? p.borrowed : std::string_view(p.own);
      if (auto s = write(v.data(), v.size()); !s.ok()) return s;
    }
    return {};
  }

 private:
  struct Piece {
    std::string own;
    std::string_view borrowed;
  };
  std::string& tail() {
    if (pieces_.empty() || pieces_.back().borrowed.data()) pieces_.emplace_back();
    return pieces_.back().own;
  }
  void varint(uint64_t v) {
    std::string& out = tail();
    for (; v >= 0x80; v >>= 7, ++size_) out.push_back(static_cast<char>(v | 0x80));
    out.push_back(static_cast<char>(v));
    ++size_;
  }
  std::vector<Piece> pieces_;
  uint64_t size_ = 0;
};

}  // namespace tenon::model::onnx
