// Tensor: memory, copies and text.
// SPDX-License-Identifier: MIT
#include "tensor/tensor.h"

#include <cstdlib>
#include <cstring>
#include <new>

#include "base/os/memory.h"

namespace tenon {

StringRef StringArena::add(std::string_view text) {
  std::lock_guard lock(mutex_);
  const std::string& kept = texts_.emplace_back(text);
  return {kept.data(), kept.size()};
}

Result<Ref<Buffer>> Buffer::allocate(size_t bytes, bool zeroed) {
  void* p = os::allocate_aligned(bytes, kAlignment);
  if (!p) return error(Code::kFail, "out of memory: ", bytes, " bytes were asked for");
  if (zeroed) std::memset(p, 0, bytes);
  return Ref<Buffer>(new Buffer(p, bytes, true, {}));
}

Ref<Buffer> Buffer::wrap(void* data, size_t bytes, std::function<void()> release) {
  return Ref<Buffer>(new Buffer(data, bytes, false, std::move(release)));
}

Buffer::~Buffer() {
  if (owned_) os::free_aligned(data_, size_);
  if (release_) release_();
}

Result<Ref<Buffer>> DeferredData::get() {
  std::lock_guard lock(mutex_);
  if (!made_) { TENON_ASSIGN(made_, make()); }
  return made_;
}

const void* DeferredData::bytes() const {
  std::lock_guard lock(mutex_);
  const void* there = stored();
  return there || !made_ ? there : made_->data();
}

std::string Tensor::to_string() const { return cat(name(dtype_), list_text(shape_)); }
std::string TensorRef::to_string() const { return cat(name(dtype), list_text(shape())); }

Tensor::Tensor(DType dtype, Shape shape, Ref<Buffer> buffer, size_t offset, Ref<StringArena> strings)
    : dtype_(dtype),
      shape_(std::move(shape)),
      count_(product(shape_)),
      data_(static_cast<char*>(buffer->data()) + offset),
      buffer_(std::move(buffer)),
      strings_(std::move(strings)) {}

Tensor::Tensor(DType dtype, Shape shape, Ref<DeferredData> deferred)
    : dtype_(dtype), shape_(std::move(shape)), count_(product(shape_)), deferred_(std::move(deferred)) {}

Status Tensor::ensure() const {
  if (!is_deferred()) return {};
  TENON_ASSIGN(buffer_, deferred_->get());
  data_ = buffer_->data();
  return {};
}

Result<Tensor> Tensor::allocate(DType dtype, Shape shape) {
  TENON_ASSIGN(int64_t count, checked_count(shape));
  int64_t bits = 0;
  if (!checked_mul(count, bit_width(dtype), &bits)) return invalid("shape ", list_text(shape), " has too many bytes");
  TENON_ASSIGN(auto buffer, Buffer::allocate(static_cast<size_t>(byte_size(dtype, count))));
  Tensor t(dtype, std::move(shape), std::move(buffer));
  if (dtype == DType::kString) {
    for (auto& s : t.items<StringRef>()) new (&s) StringRef();
    t.strings_ = make_ref<StringArena>();
  }
  return t;
}

Tensor Tensor::reshaped(Shape shape) const {
  Tensor t = *this;
  t.shape_ = std::move(shape);
  return t;
}

Result<Tensor> Tensor::clone() const {
  TENON_ASSIGN(Tensor out, allocate(dtype_, shape_));
  if (dtype_ == DType::kString) copy_strings(as<StringRef>(), out.as<StringRef>(), count_, *out.strings_);
  else if (bytes()) std::memcpy(out.data(), data(), static_cast<size_t>(bytes()));
  return out;
}

void copy_strings(const StringRef* from, StringRef* to, int64_t count, StringArena& arena) {
  for (int64_t i = 0; i < count; ++i) to[i] = arena.add(from[i].view());
}

namespace {
template <class T>
void widen(const TensorRef& t, Dims& out) {
  for (T v : t.items<T>()) out.push_back(static_cast<int64_t>(v));
}
}  // namespace

Result<Dims> read_ints(const TensorRef& t) {
  Dims out;
  out.reserve(static_cast<size_t>(t.count));
  switch (t.dtype) {
    case DType::kI64: widen<int64_t>(t, out); break;
    case DType::kI32: widen<int32_t>(t, out); break;
    case DType::kI16: widen<int16_t>(t, out); break;
    case DType::kI8: widen<int8_t>(t, out); break;
    case DType::kU64: widen<uint64_t>(t, out); break;
    case DType::kU32: widen<uint32_t>(t, out); break;
    case DType::kU16: widen<uint16_t>(t, out); break;
    case DType::kU8:
    case DType::kBool: widen<uint8_t>(t, out); break;
    default: return invalid("integers were expected, not ", t.to_string());
  }
  return out;
}

}  // namespace tenon
