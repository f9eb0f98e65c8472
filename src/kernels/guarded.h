// Test memory with guard zones: Guarded<T> notices writes before and behind its elements.
// SPDX-License-Identifier: MIT
#pragma once
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

#include "threads/pool.h"
#include "threads/team.h"

namespace tenon::kernels {

/// `n` elements of T between two zones of a known pattern, which check() verifies (and the destructor).
template <class T>
class Guarded {
 public:
  explicit Guarded(int64_t n) : n_(n), bytes_(static_cast<size_t>(n) * sizeof(T) + 2 * kZone, kPattern) {}
  explicit Guarded(const std::vector<T>& items) : Guarded(static_cast<int64_t>(items.size())) {
    for (size_t i = 0; i < items.size(); ++i) data()[i] = items[i];
  }
  ~Guarded() { check(); }
  T* data() { return reinterpret_cast<T*>(bytes_.data() + kZone); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + kZone); }
  T& operator[](int64_t i) { return data()[i]; }
  int64_t size() const { return n_; }
  std::vector<T> items() const { return std::vector<T>(data(), data() + n_); }
  void check() const {
    for (size_t i = 0; i < kZone; ++i) {
      ASSERT_EQ(bytes_[i], kPattern) << "written " << kZone - i << " bytes before the start";
      ASSERT_EQ(bytes_[bytes_.size() - 1 - i], kPattern) << "written behind the end";
    }
  }

 private:
  static constexpr size_t kZone = 128;
  static constexpr uint8_t kPattern = 0xA5;
  int64_t n_;
  std::vector<uint8_t> bytes_;
};

/// A team of seven threads of a pool of their own.
inline Team wide_team() {
  static Pool pool(7);
  return Team(&pool, 7);
}

/// A small fixed sequence of pseudo-random numbers.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2654435769u + 88172645463325252u) {}
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_;
  }
  /// In [low, high].
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  /// In [-1, 1).
  float unit() { return static_cast<float>(static_cast<int64_t>(next() >> 40)) / 8388608.0f - 1.0f; }

 private:
  uint64_t state_;
};

}  // namespace tenon::kernels
