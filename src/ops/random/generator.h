// Random numbers by counter: the i-th number of a draw is a hash of the draw's key and i, so any thread can make it.
// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "opdef/kernel.h"

namespace tenon::ops {

/// A bijection of 64 bits that spreads every input bit over all output bits (two rounds of xor-shift and multiply).
inline uint64_t mix_bits(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The numbers of one run of a node.
struct Draw {
  uint64_t key = 0;
  uint64_t bits(uint64_t i) const { return mix_bits(key + mix_bits(i + 0x9e3779b97f4a7c15u)); }
  /// In [0, 1).
  double uniform(int64_t i) const { return static_cast<double>(bits(static_cast<uint64_t>(i)) >> 11) * 0x1p-53; }
  /// Mean 0, deviation 1 (Box and Muller).
  double normal(int64_t i) const {
    uint64_t n = static_cast<uint64_t>(i);
    double u = (static_cast<double>(bits(2 * n) >> 11) + 1) * 0x1p-53;  // (0, 1]
    double angle = 2 * std::numbers::pi * static_cast<double>(bits(2 * n + 1) >> 11) * 0x1p-53;
    return std::sqrt(-2 * std::log(u)) * std::cos(angle);
  }
};

/// A node's source of draws. With a seed the first run, the second run... give the same numbers in every session.
struct RandomState final : opdef::KernelState {
  explicit RandomState(const float* seed) {
    static std::atomic<uint64_t> nodes{0};
    if (seed) base = mix_bits(std::bit_cast<uint32_t>(*seed) + 1);
    else base = mix_bits(reinterpret_cast<uintptr_t>(this)) ^ mix_bits(nodes.fetch_add(1) + 0x5851f42d4c957f2du);
  }
  Draw next() const { return {mix_bits(base + runs.fetch_add(1, std::memory_order_relaxed))}; }
  uint64_t base = 0;
  mutable std::atomic<uint64_t> runs{0};  ///< the only part that changes: which run this is
};

/// The `pack` of every random kernel: reads the attribute "seed".
Result<opdef::StatePtr> pack_random(opdef::PackContext& c);

}  // namespace tenon::ops
