// Tensor: shared memory with an element type and a shape; TensorRef: the borrowed view that kernels get.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/ref.h"
#include "base/status.h"
#include "tensor/dtype.h"
#include "tensor/shape.h"

namespace tenon {

inline constexpr size_t kAlignment = 64;

/// Where memory lives. Numbers are those of OrtMemoryInfoDeviceType and OrtDeviceMemoryType.
struct Device {
  int type = 0;  ///< 0 CPU, 1 GPU, 2 FPGA, 3 NPU
  uint32_t vendor = 0;
  int id = 0;
  int memory = 0;
  friend bool operator==(const Device&, const Device&) = default;
};

/// One element of a string tensor: borrowed characters, alive as long as the tensor's StringArena (or, inside a run,
/// the run's arena, the inputs and the constants).
struct StringRef {
  const char* data = "";
  size_t size = 0;
  std::string_view view() const { return {data, size}; }
};

/// Owns the characters of string tensors. add() is safe from several threads.
class StringArena : public RefCounted {
 public:
  StringRef add(std::string_view text);
  /// Whether anything was added.
  bool used() const { return !texts_.empty(); }

 private:
  std::mutex mutex_;
  std::deque<std::string> texts_;
};

/// A block of memory with its release function.
class Buffer : public RefCounted {
 public:
  /// Fresh memory, aligned to kAlignment, not initialised (zeroed = true clears it). Fails when memory runs out.
  static Result<Ref<Buffer>> allocate(size_t bytes, bool zeroed = false);
  /// Memory of somebody else; `release` runs when the last handle goes (may be empty: borrowed).
  static Ref<Buffer> wrap(void* data, size_t bytes, std::function<void()> release = {});

  void* data() const { return data_; }
  size_t size() const { return size_; }
  ~Buffer() override;

 private:
  Buffer(void* data, size_t size, bool owned, std::function<void()> release)
      : data_(data), size_(size), owned_(owned), release_(std::move(release)) {}
  void* data_;
  size_t size_;
  bool owned_;
  std::function<void()> release_;
};

/// Contents of a constant that are made when somebody first reads them: a folded weight, or bytes of a file that no
/// element type may be read from where they stand. Handles share one; get() is safe from several threads.
class DeferredData : public RefCounted {
 public:
  /// The memory, aligned to kAlignment; made by the first call.
  Result<Ref<Buffer>> get();
  /// The same contents at an address of any alignment, when they can be had without making anything; else null.
  const void* bytes() const;

 protected:
  /// Called once; may let go of what it was made from, but not of what stored() gave.
  virtual Result<Ref<Buffer>> make() = 0;
  virtual const void* stored() const { return nullptr; }

 private:
  mutable std::mutex mutex_;
  Ref<Buffer> made_;
};

/// What a kernel sees of a tensor: dense, row-major, borrowed. `dims` points at `rank` dimensions that live elsewhere.
struct TensorRef {
  void* data = nullptr;
  const int64_t* dims = nullptr;
  int32_t rank = 0;
  DType dtype = DType::kUndefined;
  int64_t count = 0;  ///< elements: the product of the dimensions

  std::span<const int64_t> shape() const { return {dims, static_cast<size_t>(rank)}; }
  template <class T>
  T* as() const {
    return static_cast<T*>(data);
  }
  template <class T>
  std::span<T> items() const {
    return {as<T>(), static_cast<size_t>(count)};
  }
  int64_t bytes() const { return byte_size(dtype, count); }
  /// "f32[2,3]"
  std::string to_string() const;
};

/// A dense row-major tensor that shares ownership of its memory. Copying copies the handle.
class Tensor {
 public:
  Tensor() = default;
  /// Fresh memory (see Buffer::allocate); string elements start empty.
  static Result<Tensor> allocate(DType dtype, Shape shape);
  /// A view of `buffer` from byte `offset` on; the caller has checked that it is large enough.
  Tensor(DType dtype, Shape shape, Ref<Buffer> buffer, size_t offset = 0, Ref<StringArena> strings = {});
  /// Contents that are made when data() or ensure() is first called; at least one element, no strings.
  Tensor(DType dtype, Shape shape, Ref<DeferredData> deferred);
  /// A rank-1 (or rank-0) tensor of copied values.
  template <class T>
  static Tensor of(std::span<const T> items);
  template <class T>
  static Tensor scalar(T item);

  bool empty_handle() const { return !buffer_ && !deferred_; }
  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t count() const { return count_; }
  int64_t bytes() const { return byte_size(dtype_, count_); }
  /// The elements. Deferred contents are made now; null when that fails (call ensure() first to see why).
  void* data() const {
    if (deferred_ && !data_) [[unlikely]]
      (void)ensure().ok();
    return data_;
  }
  template <class T>
  T* as() const {
    return static_cast<T*>(data());
  }
  template <class T>
  std::span<T> items() const {
    return {as<T>(), static_cast<size_t>(count_)};
  }
  const Ref<Buffer>& buffer() const {
    (void)data();
    return buffer_;
  }
  /// Makes deferred contents. Not safe against other users of the same handle (of copies: yes).
  Status ensure() const;
  /// Whether the contents are still to be made.
  bool is_deferred() const { return deferred_ && !data_; }
  /// The contents at an address of any alignment without making anything; null when they must be made.
  const void* stored_bytes() const { return is_deferred() ? deferred_->bytes() : data_; }
  const Ref<StringArena>& strings() const { return strings_; }
  /// Lets go of the memory; type and shape stay, data() is null from now on.
  void forget_data() {
    data_ = nullptr;
    buffer_ = nullptr;
    deferred_ = nullptr;
  }
  void set_strings(Ref<StringArena> arena) { strings_ = std::move(arena); }
  Device device;

  /// A view with other dimensions of the same element count.
  Tensor reshaped(Shape shape) const;
  /// A deep copy in fresh memory, with its own strings.
  Result<Tensor> clone() const;
  /// The borrowed view; it points into this object and must not outlive it.
  TensorRef ref() const { return {data(), shape_.data(), static_cast<int32_t>(shape_.size()), dtype_, count_}; }
  std::string to_string() const;

 private:
  DType dtype_ = DType::kUndefined;
  Shape shape_;
  int64_t count_ = 0;
  mutable void* data_ = nullptr;
  mutable Ref<Buffer> buffer_;
  Ref<StringArena> strings_;
  Ref<DeferredData> deferred_;
};

/// All elements of a tensor of an integer type (i64, i32, and the other integer widths, bool) as int64.
Result<Dims> read_ints(const TensorRef& t);

/// Copies `count` string handles and their characters into the arena.
void copy_strings(const StringRef* from, StringRef* to, int64_t count, StringArena& arena);

template <class T>
Tensor Tensor::of(std::span<const T> items) {
  auto t = allocate(dtype_of<T>, Shape{static_cast<int64_t>(items.size())});
  Tensor out = t.ok() ? std::move(t).value() : Tensor();
  for (size_t i = 0; i < items.size(); ++i) out.as<T>()[i] = items[i];
  return out;
}
template <class T>
Tensor Tensor::scalar(T item) {
  return of(std::span<const T>(&item, 1)).reshaped(Shape{});
}

}  // namespace tenon
