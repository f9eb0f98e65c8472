// SmallVector<T, N>: a list of plain values that lives in place up to N items and on the heap beyond.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>

namespace tenon {

template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  SmallVector() = default;
  explicit SmallVector(size_t n, T fill = T()) { assign(n, fill); }
  SmallVector(std::initializer_list<T> items) { append(items.begin(), items.size()); }
  explicit SmallVector(std::span<const T> items) { append(items.data(), items.size()); }
  SmallVector(const SmallVector& o) { append(o.data(), o.size_); }
  SmallVector(SmallVector&& o) noexcept { steal(o); }
  SmallVector& operator=(const SmallVector& o) {
    if (this != &o) {
      size_ = 0;
      append(o.data(), o.size_);
    }
    return *this;
  }
  SmallVector& operator=(SmallVector&& o) noexcept {
    if (this != &o) {
      heap_.reset();
      steal(o);
    }
    return *this;
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T* data() { return heap_ ? heap_.get() : inline_; }
  const T* data() const { return heap_ ? heap_.get() : inline_; }
  T& operator[](size_t i) { return data()[i]; }
  const T& operator[](size_t i) const { return data()[i]; }
  T* begin() { return data(); }
  T* end() { return data() + size_; }
  const T* begin() const { return data(); }
  const T* end() const { return data() + size_; }
  T& back() { return data()[size_ - 1]; }
  const T& back() const { return data()[size_ - 1]; }

  void clear() { size_ = 0; }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    size_t grown = n > 2 * size_t{capacity_} ? n : 2 * size_t{capacity_};
    auto fresh = std::make_unique<T[]>(grown);
    std::memcpy(fresh.get(), data(), size_ * sizeof(T));
    heap_ = std::move(fresh);
    capacity_ = static_cast<uint32_t>(grown);
  }
  void resize(size_t n, T fill = T()) {
    reserve(n);
    for (size_t i = size_; i < n; ++i) data()[i] = fill;
    size_ = static_cast<uint32_t>(n);
  }
  void assign(size_t n, T fill) {
    size_ = 0;
    resize(n, fill);
  }
  void push_back(T item) {
    reserve(size_ + 1);
    data()[size_++] = item;
  }
  void pop_back() { --size_; }
  void append(const T* items, size_t n) {
    if (n == 0) return;
    reserve(size_ + n);
    std::memcpy(static_cast<void*>(data() + size_), items, n * sizeof(T));
    size_ += static_cast<uint32_t>(n);
  }
  void insert(size_t at, T item) {
    push_back(item);
    for (size_t i = size_ - 1; i > at; --i) data()[i] = data()[i - 1];
    data()[at] = item;
  }
  void erase(size_t at) {
    for (size_t i = at + 1; i < size_; ++i) data()[i - 1] = data()[i];
    --size_;
  }
  operator std::span<const T>() const { return {data(), size_}; }  // NOLINT(google-explicit-constructor)
  operator std::span<T>() { return {data(), size_}; }              // NOLINT(google-explicit-constructor)
  friend bool operator==(const SmallVector& a, const SmallVector& b) {
    if (a.size_ != b.size_) return false;
    for (size_t i = 0; i < a.size_; ++i)
      if (!(a[i] == b[i])) return false;
    return true;
  }

 private:
  void steal(SmallVector& o) {
    size_ = o.size_;
    capacity_ = o.capacity_;
    heap_ = std::move(o.heap_);
    if (!heap_) std::memcpy(static_cast<void*>(inline_), o.inline_, size_ * sizeof(T));
    o.size_ = 0;
    o.capacity_ = N;
  }
  uint32_t size_ = 0;
  uint32_t capacity_ = N;
  std::unique_ptr<T[]> heap_;
  T inline_[N];
};

}  // namespace tenon
