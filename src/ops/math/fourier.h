// Discrete Fourier transform of any length in double: radix 2, and Bluestein's chirp for lengths that are no power
// of 2. SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>

namespace tenon::ops {

struct Complex {
  double re = 0, im = 0;
  friend Complex operator*(Complex a, Complex b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
  friend Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
  friend Complex operator-(Complex a, Complex b) { return {a.re - b.re, a.im - b.im}; }
};

/// Transforms of one length. The tables lie in the caller's memory and are shared by threads.
class Fourier {
 public:
  /// Numbers of tables and of working memory for length n >= 1; nothing is needed beyond them.
  static int64_t table_size(int64_t n);
  static int64_t work_size(int64_t n);
  /// Fills the tables. `inverse` flips the sign of the exponent; nothing is scaled.
  Fourier(int64_t n, bool inverse, Complex* tables);
  /// x[0, n) in place; `work` has work_size(n) numbers of this thread.
  void run(Complex* x, Complex* work) const;

 private:
  void power_of_two(Complex* x, bool backwards) const;
  int64_t n_, m_;  ///< m_: the power of two that is transformed, n_ or at least 2 n_ - 1
  Complex *turn_, *chirp_, *filter_;
};

}  // namespace tenon::ops
