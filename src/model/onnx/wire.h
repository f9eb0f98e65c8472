// WireReader: walks the fields of one protobuf message. Lengths are 64-bit and checked, nothing is copied.
// Source of the format: https://protobuf.dev/programming-guides/encoding
// SPDX-License-Identifier: MIT
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace tenon::model::onnx {

using Bytes = std::span<const uint8_t>;

enum class Wire : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// One field as it stands in the file. Fixed numbers are in `value` too, as raw bits.
struct Field {
  uint32_t number = 0;
  Wire wire = Wire::kVarint;
  uint64_t value = 0;
  Bytes bytes;
};

inline std::string_view text_of(Bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

/// for (Field f; in.next(f);) switch (f.number) { case 1: in.take(f, name); ... }  return in.status();
/// Unknown fields are passed over by not naming them. The first fault ends the loop and is told by status().
/// The views that take() gives point into the message.
class WireReader {
 public:
  /// `message` names the message in errors.
  WireReader(Bytes bytes, std::string_view message) : at_(bytes.data()), end_(at_ + bytes.size()), message_(message) {}

  /// Reads the next field; false at the end or at a fault.
  bool next(Field& f) {
    if (at_ == end_ || fault_) return false;
    uint64_t tag = 0;
    if (!varint(tag)) return false;
    if (tag > 0xffffffffu || (tag >> 3) == 0) return fail("a field has no valid number");
    f.number = static_cast<uint32_t>(tag >> 3);
    f.bytes = {};
    switch (tag & 7) {
      case 0: f.wire = Wire::kVarint; return varint(f.value);
      case 1: f.wire = Wire::kFixed64; return fixed<uint64_t>(f.value);
      case 2: {
        f.wire = Wire::kBytes;
        uint64_t length = 0;
        if (!varint(length)) return false;
        if (length > left()) return fail("a field is longer than the bytes that are left");
        f.bytes = {at_, static_cast<size_t>(length)};
        at_ += length;
        return true;
      }
      case 5: f.wire = Wire::kFixed32; return fixed<uint32_t>(f.value);
      default: return fail("a field has an unknown form (groups are not used in ONNX)");
    }
  }

  /// Success when all bytes were read without a fault; else INVALID_PROTOBUF.
  Status status() const {
    if (!fault_) return {};
    return error(Code::kInvalidProtobuf, "Protobuf parsing failed. ", message_, ": ", fault_);
  }

  void take(const Field& f, int64_t& out) {
    if (expect(f, Wire::kVarint)) out = static_cast<int64_t>(f.value);
  }
  void take(const Field& f, int32_t& out) {
    if (expect(f, Wire::kVarint)) out = static_cast<int32_t>(static_cast<uint32_t>(f.value));
  }
  void take(const Field& f, float& out) {
    if (expect(f, Wire::kFixed32)) out = std::bit_cast<float>(static_cast<uint32_t>(f.value));
  }
  void take(const Field& f, std::string_view& out) {
    if (expect(f, Wire::kBytes)) out = text_of(f.bytes);
  }
  void take(const Field& f, Bytes& out) {
    if (expect(f, Wire::kBytes)) out = f.bytes;
  }
  template <class T>
    requires(std::is_same_v<T, std::string_view> || std::is_same_v<T, Bytes>)
  void add(const Field& f, std::vector<T>& out) {
    T item;
    take(f, item);
    if (!fault_) out.push_back(item);
  }
  /// Repeated integers, packed or one by one; `add_one(uint64_t)` gets each.
  template <class F>
  void each_varint(const Field& f, const F& add_one) {
    if (f.wire == Wire::kVarint) return add_one(f.value);
    if (!expect(f, Wire::kBytes)) return;
    WireReader inner(f.bytes, message_);
    for (uint64_t v = 0; inner.at_ != inner.end_ && inner.varint(v);) add_one(v);
    if (inner.fault_) fault_ = inner.fault_;
  }
  /// Repeated floats or doubles (T), packed or one by one, as bytes: add_some(pointer, count).
  template <class T, class F>
  void each_fixed(const Field& f, const F& add_some) {
    if (f.wire == (sizeof(T) == 4 ? Wire::kFixed32 : Wire::kFixed64)) {
      T v;
      std::memcpy(&v, &f.value, sizeof v);
      return add_some(reinterpret_cast<const uint8_t*>(&v), size_t{1});
    }
    if (!expect(f, Wire::kBytes)) return;
    if (f.bytes.size() % sizeof(T)) return static_cast<void>(fail("a packed list ends inside a number"));
    add_some(f.bytes.data(), f.bytes.size() / sizeof(T));
  }
  void add(const Field& f, std::vector<int64_t>& out) {
    each_varint(f, [&](uint64_t v) { out.push_back(static_cast<int64_t>(v)); });
  }
  void add(const Field& f, std::vector<float>& out) {
    each_fixed<float>(f, [&](const uint8_t* from, size_t n) {
      const size_t old = out.size();
      out.resize(old + n);
      if (n) std::memcpy(out.data() + old, from, n * sizeof(float));
    });
  }
  /// For callers that find a fault in a field's meaning.
  bool fail(const char* what) {
    if (!fault_) fault_ = what;
    return false;
  }

 private:
  uint64_t left() const { return static_cast<uint64_t>(end_ - at_); }
  bool expect(const Field& f, Wire wire) { return f.wire == wire || fail("a field has the wrong form"); }
  bool varint(uint64_t& out) {
    if (at_ != end_ && *at_ < 0x80) {
      out = *at_++;
      return true;
    }
    uint64_t v = 0;
    for (int shift = 0; shift < 70; shift += 7) {
      if (at_ == end_) return fail("the bytes end inside a number");
      const uint8_t b = *at_++;
      if (shift == 63 && b > 1) return fail("a number has more than 64 bits");
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) {
        out = v;
        return true;
      }
    }
    return fail("a number has more than 64 bits");
  }
  template <class T>
  bool fixed(uint64_t& out) {
    if (left() < sizeof(T)) return fail("the bytes end inside a number");
    T v;
    std::memcpy(&v, at_, sizeof v);
    at_ += sizeof v;
    out = v;
    return true;
  }
  const uint8_t* at_;
  const uint8_t* end_;
  std::string_view message_;
  const char* fault_ = nullptr;
};

}  // namespace tenon::model::onnx
