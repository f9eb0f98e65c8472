// Discrete Fourier transform of any length in double.
// SPDX-License-Identifier: MIT
#include "ops/math/fourier.h"

#include <bit>
#include <cmath>
#include <numbers>
#include <utility>

namespace tenon::ops {
namespace {

bool is_power(int64_t n) { return std::has_single_bit(static_cast<uint64_t>(n)); }
int64_t padded(int64_t n) {
  return is_power(n) ? n : static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(2 * n - 1)));
}

}  // namespace

int64_t Fourier::table_size(int64_t n) { return is_power(n) ? n / 2 + 1 : padded(n) / 2 + 1 + n + padded(n); }
int64_t Fourier::work_size(int64_t n) { return is_power(n) ? 0 : padded(n); }

Fourier::Fourier(int64_t n, bool inverse, Complex* tables)
    : n_(n), m_(padded(n)), turn_(tables), chirp_(tables + m_ / 2 + 1), filter_(chirp_ + n) {
  const double sign = inverse ? 1 : -1;
  // Bluestein's own transforms are always forward; the chirp carries the direction.
  const double direction = is_power(n) ? sign : -1;
  for (int64_t i = 0; i < m_ / 2 + 1; ++i) {
    double angle = direction * 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(m_);
    turn_[i] = {std::cos(angle), std::sin(angle)};
  }
  if (is_power(n)) return;
  // i^2 modulo 2 n keeps the angle exact for long transforms.
  uint64_t square = 0;
  for (int64_t i = 0; i < n; ++i) {
    double angle = sign * std::numbers::pi * static_cast<double>(square) / static_cast<double>(n);
    chirp_[i] = {std::cos(angle), std::sin(angle)};
    square = (square + 2 * static_cast<uint64_t>(i) + 1) % (2 * static_cast<uint64_t>(n));
  }
  for (int64_t i = 0; i < m_; ++i) filter_[i] = {};
  for (int64_t i = 0; i < n; ++i) {
    filter_[i] = {chirp_[i].re, -chirp_[i].im};
    if (i) filter_[m_ - i] = filter_[i];
  }
  power_of_two(filter_, false);
}

/// Decimation in time; `backwards` conjugates the turns.
void Fourier::power_of_two(Complex* x, bool backwards) const {
  for (int64_t i = 1, j = 0; i < m_; ++i) {
    int64_t bit = m_ >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j |= bit;
    if (i < j) std::swap(x[i], x[j]);
  }
  for (int64_t half = 1; half < m_; half *= 2) {
    const int64_t step = m_ / (2 * half);
    for (int64_t base = 0; base < m_; base += 2 * half)
      for (int64_t k = 0; k < half; ++k) {
        Complex t = turn_[k * step];
        if (backwards) t.im = -t.im;
        const Complex a = x[base + k], b = t * x[base + k + half];
        x[base + k] = a + b;
        x[base + k + half] = a - b;
      }
  }
}

void Fourier::run(Complex* x, Complex* work) const {
  if (is_power(n_)) {
    power_of_two(x, false);
    return;
  }
  for (int64_t i = 0; i < n_; ++i) work[i] = x[i] * chirp_[i];
  for (int64_t i = n_; i < m_; ++i) work[i] = {};
  power_of_two(work, false);
  for (int64_t i = 0; i < m_; ++i) work[i] = work[i] * filter_[i];
  power_of_two(work, true);
  const double scale = 1.0 / static_cast<double>(m_);
  for (int64_t i = 0; i < n_; ++i) {
    Complex y = work[i] * chirp_[i];
    x[i] = {y.re * scale, y.im * scale};
  }
}

}  // namespace tenon::ops
