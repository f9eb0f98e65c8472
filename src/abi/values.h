// OrtValue is tenon::Value: conversions, and the string tensors that C++ clients may see as std::string arrays.
// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string>
#include <vector>

#include "abi/memory.h"
#include "ort/onnxruntime_c_api.h"
#include "tensor/value.h"

namespace tenon::abi {

inline Value* from_ort(OrtValue* v) { return reinterpret_cast<Value*>(v); }
inline const Value* from_ort(const OrtValue* v) { return reinterpret_cast<const Value*>(v); }
inline OrtValue* to_ort(Value* v) { return reinterpret_cast<OrtValue*>(v); }
inline const OrtValue* to_ort(const Value* v) { return reinterpret_cast<const OrtValue*>(v); }
/// Gives the count of the handle to the client.
inline OrtValue* give(ValueRef v) { return to_ort(v.detach()); }
/// One more handle to a value that the client keeps.
inline ValueRef share(const OrtValue* v) { return ValueRef(const_cast<Value*>(from_ort(v))); }

/// A full optional stands for what it holds.
const Value& unwrapped(const Value& v);
Value& unwrapped(Value& v);

/// A value made by a client in memory that is not plain CPU memory keeps the description it was given.
class PlacedValue : public Value {
 public:
  PlacedValue(Tensor t, OrtMemoryInfo info) : Value(std::move(t)), info(std::move(info)) {}
  OrtMemoryInfo info;
};

/// The std::string objects behind a string tensor whose elements clients may write directly. The tensor's StringRefs
/// point into them and are renewed by refresh_strings.
class StringObjects : public StringArena {
 public:
  explicit StringObjects(size_t count) : own_(count), items_(own_.data(), count) {}
  StringObjects(std::string* items, size_t count) : items_(items, count) {}
  std::span<std::string> items() const { return items_; }

 private:
  std::vector<std::string> own_;
  std::span<std::string> items_;
};

/// The std::string array of a string tensor, or an empty span when it has none yet.
std::span<std::string> string_objects(const Tensor& t);
/// Makes them, with the present contents, when there are none.
Status need_string_objects(Tensor& t);
/// Renews the StringRefs after the strings may have changed. Called before the engine reads a client's tensor.
void refresh_strings(const Tensor& t);
/// The same for a whole value.
void refresh_strings(const Value& v);

/// A fresh tensor with memory of the client's allocator. Dimensions are checked.
Result<Tensor> allocate_tensor(OrtAllocator* allocator, DType dtype, std::span<const int64_t> dims);

}  // namespace tenon::abi
