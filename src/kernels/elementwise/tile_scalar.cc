// Plain tile kernels: integer division, powers and shifts, f64 mathematics, and all else without a vector kernel.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>
#include <type_traits>

#include "kernels/elementwise/tile_kernels.h"

namespace tenon {
namespace {

template <class F, typename T>
void loop1(const TileCall& c) {
  const T* a = static_cast<const T*>(c.in[0]);
  T* out = static_cast<T*>(c.out);
  for (size_t i = 0; i < c.n; ++i) out[i] = F::run(a[i & c.step[0]], c.imm);
}
template <class F, typename T, typename T1 = T>
void loop2(const TileCall& c) {
  const T* a = static_cast<const T*>(c.in[0]);
  const T1* b = static_cast<const T1*>(c.in[1]);
  T* out = static_cast<T*>(c.out);
  for (size_t i = 0; i < c.n; ++i) out[i] = F::run(a[i & c.step[0]], b[i & c.step[1]]);
}
template <class F, typename T>
void loop3(const TileCall& c) {
  const T* a = static_cast<const T*>(c.in[0]);
  const T* b = static_cast<const T*>(c.in[1]);
  const T* e = static_cast<const T*>(c.in[2]);
  T* out = static_cast<T*>(c.out);
  for (size_t i = 0; i < c.n; ++i) out[i] = F::run(a[i & c.step[0]], b[i & c.step[1]], e[i & c.step[2]]);
}

// Unsigned arithmetic of at least 32 bits: wraps without undefined behaviour.
template <typename T>
using Wrap = std::conditional_t<(sizeof(T) < 8), uint32_t, uint64_t>;
template <typename T>
T wrap_mul(T a, T b) {
  return static_cast<T>(static_cast<Wrap<T>>(a) * static_cast<Wrap<T>>(b));
}
template <typename T>
T wrap_add(T a, T b) {
  return static_cast<T>(static_cast<Wrap<T>>(a) + static_cast<Wrap<T>>(b));
}
template <typename T>
bool is_minus_one(T v) {
  if constexpr (std::is_signed_v<T>) return v == T(-1);
  return false;
}
template <typename T>
bool is_negative(T v) {
  if constexpr (std::is_signed_v<T>) return v < T(0);
  return false;
}

struct Div {
  template <typename T>
  static T run(T a, T b) {
    if (b == 0) return 0;
    if (is_minus_one(b)) return wrap_mul(a, b);
    return static_cast<T>(a / b);
  }
};
struct Mod {
  template <typename T>
  static T run(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    } else {
      if (b == 0 || is_minus_one(b)) return 0;
      const T r = static_cast<T>(a % b);
      return r != 0 && is_negative(r) != is_negative(b) ? static_cast<T>(r + b) : r;
    }
  }
};
struct FMod {
  template <typename T>
  static T run(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::fmod(a, b);
    } else {
      return b == 0 || is_minus_one(b) ? T(0) : static_cast<T>(a % b);
    }
  }
};
struct PowInt {
  template <typename T>
  static T run(T base, int64_t e) {
    if (e < 0) {
      if (base == 1) return 1;
      if (is_minus_one(base)) return e & 1 ? base : T(1);
      return 0;
    }
    T r = 1;
    for (uint64_t n = static_cast<uint64_t>(e); n; n >>= 1) {
      if (n & 1) r = wrap_mul(r, base);
      base = wrap_mul(base, base);
    }
    return r;
  }
};
struct PowFloat {
  template <typename T>
  static T run(T a, T b) {
    return std::pow(a, b);
  }
};
struct ShiftLeft {
  template <typename T>
  static T run(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return is_negative(b) || static_cast<U>(b) >= sizeof(T) * 8
               ? T(0)
               : static_cast<T>(static_cast<uint64_t>(static_cast<U>(a)) << b);
  }
};
struct ShiftRight {
  template <typename T>
  static T run(T a, T b) {
    using U = std::make_unsigned_t<T>;
    return is_negative(b) || static_cast<U>(b) >= sizeof(T) * 8 ? T(0) : static_cast<T>(static_cast<U>(a) >> b);
  }
};
struct PRelu {
  template <typename T>
  static T run(T x, T slope) {
    return is_negative(x) ? wrap_mul(x, slope) : x;
  }
};
struct MulAdd {
  template <typename T>
  static T run(T a, T b, T e) {
    return wrap_add(wrap_mul(a, b), e);
  }
};
struct AddMul {
  template <typename T>
  static T run(T a, T b, T e) {
    return wrap_mul(wrap_add(a, b), e);
  }
};
struct Clip {
  template <typename T>
  static T run(T x, T lo, T hi) {
    const T low = x < lo ? lo : x;
    return low > hi ? hi : low;
  }
};
struct Same {
  template <typename T>
  static T run(T x, const double*) {
    return x;
  }
};
struct Negate {
  template <typename T>
  static T run(T x, const double*) {
    return static_cast<T>(Wrap<T>(0) - static_cast<Wrap<T>>(x));
  }
};
struct Sign {
  template <typename T>
  static T run(T x, const double*) {
    return static_cast<T>((x > 0) - is_negative(x));
  }
};
struct Shrink {
  template <typename T>
  static T run(T x, const double* imm) {
    const double v = static_cast<double>(x);
    const double y = v < -imm[1] ? v + imm[0] : v > imm[1] ? v - imm[0] : v != v ? v : 0;
    if constexpr (std::is_floating_point_v<T>) return static_cast<T>(y);
    return static_cast<T>(static_cast<int64_t>(y));
  }
};

// f64 mathematics: the C library.
#define TENON_F64(name, expression)                  \
  struct name {                                      \
    static double run(double x, const double* imm) { \
      (void)imm;                                     \
      return expression;                             \
    }                                                \
  };
inline double sigmoid(double x) {
  const double e = std::exp(-std::fabs(x));
  return (x < 0 ? e : 1) / (1 + e);
}
// Keeps 0 * infinity out of products with a factor that vanishes at -infinity.
inline double finite_below(double x) { return x < -std::numeric_limits<double>::max() ? -1e300 : x; }
TENON_F64(Exp, std::exp(x))
TENON_F64(Expm1, std::expm1(x))
TENON_F64(Log, std::log(x))
TENON_F64(Log1p, std::log1p(x))
TENON_F64(Sin, std::sin(x))
TENON_F64(Cos, std::cos(x))
TENON_F64(Tan, std::tan(x))
TENON_F64(Asin, std::asin(x))
TENON_F64(Acos, std::acos(x))
TENON_F64(Atan, std::atan(x))
TENON_F64(Sinh, std::sinh(x))
TENON_F64(Cosh, std::cosh(x))
TENON_F64(Tanh, std::tanh(x))
TENON_F64(Asinh, std::asinh(x))
TENON_F64(Acosh, std::acosh(x))
TENON_F64(Atanh, std::atanh(x))
TENON_F64(Erf, std::erf(x))
TENON_F64(Sigmoid, sigmoid(x))
TENON_F64(Softplus, (x > 0 ? x : 0) + std::log1p(std::exp(-std::fabs(x))) + (x != x ? x : 0))
TENON_F64(Softsign, x / (1 + std::fabs(x)))
TENON_F64(Mish, finite_below(x) * std::tanh(Softplus::run(x, imm)))
TENON_F64(Gelu, 0.5 * finite_below(x) * std::erfc(-x * 0.70710678118654752440))
TENON_F64(GeluTanh, finite_below(x) * sigmoid(x * (1.5957691216057307117 + 0.071354816272600297 * x * x)))
TENON_F64(QuickGelu, finite_below(x) * sigmoid(imm[0] * x))
TENON_F64(LeakyRelu, x < 0 ? imm[0] * x : x)
TENON_F64(ThresholdedRelu, x > imm[0] || x != x ? x : 0)
TENON_F64(Elu, x < 0 ? imm[0] * std::expm1(x) : x)
TENON_F64(Selu, imm[1] * (x < 0 ? imm[0] * std::expm1(x) : x))
TENON_F64(HardSigmoid, x != x ? x : std::fmax(0.0, std::fmin(1.0, imm[0] * x + imm[1])))
TENON_F64(HardSwish, x* HardSigmoid::run(x, imm))
struct Celu {
  static double run(double x, const double* imm) {
    const double e = imm[0] * std::expm1(x / imm[0]);
    return (x < 0 ? 0 : x) + (e > 0 ? 0 : e);
  }
};

template <typename T>
TileFn integer_function(Fn fn) {
  switch (fn) {
    case Fn::kDiv: return loop2<Div, T>;
    case Fn::kMod: return loop2<Mod, T>;
    case Fn::kFMod: return loop2<FMod, T>;
    case Fn::kPow: return loop2<PowInt, T, int64_t>;
    case Fn::kShiftLeft: return loop2<ShiftLeft, T>;
    case Fn::kShiftRight: return loop2<ShiftRight, T>;
    case Fn::kPRelu: return loop2<PRelu, T>;
    case Fn::kMulAdd: return loop3<MulAdd, T>;
    case Fn::kAddMul: return loop3<AddMul, T>;
    case Fn::kClip: return loop3<Clip, T>;
    case Fn::kAbs:
    case Fn::kRelu: return loop1<Same, T>;  // unsigned; the signed ones are vector kernels
    case Fn::kNeg: return loop1<Negate, T>;
    case Fn::kSign: return loop1<Sign, T>;
    case Fn::kShrink: return loop1<Shrink, T>;
    default: return nullptr;
  }
}

TileFn f64_function(Fn fn) {
  switch (fn) {
#define TENON_CASE(name) \
  case Fn::k##name: return loop1<name, double>;
    TENON_CASE(Exp)
    TENON_CASE(Expm1)
  TENON_CASE(Log)
  TENON_CASE(Log1p) TENON_CASE(Sin) TENON_CASE(Cos) TENON_CASE(Tan) TENON_CASE(Asin) TENON_CASE(Acos) TENON_CASE(Atan)
      TENON_CASE(Sinh) TENON_CASE(Cosh) TENON_CASE(Tanh) TENON_CASE(Asinh) TENON_CASE(Acosh) TENON_CASE(Atanh)
          TENON_CASE(Erf) TENON_CASE(Sigmoid) TENON_CASE(Softplus) TENON_CASE(Softsign) TENON_CASE(Mish)
              TENON_CASE(Gelu) TENON_CASE(GeluTanh) TENON_CASE(QuickGelu) TENON_CASE(LeakyRelu)
                  TENON_CASE(ThresholdedRelu) TENON_CASE(Elu) TENON_CASE(Selu) TENON_CASE(Celu) TENON_CASE(HardSigmoid)
                      TENON_CASE(HardSwish) TENON_CASE(Shrink)
#undef TENON_CASE
                          case Fn::kPow:
    return loop2<PowFloat, double>;
  case Fn::kMod: return loop2<Mod, double>;
  case Fn::kFMod: return loop2<FMod, double>;
    default : return nullptr;
  }
}

}  // namespace

TileFn scalar_function(Fn fn, DType compute) {
  switch (compute) {
    case DType::kF64: return f64_function(fn);
    case DType::kF32: return fn == Fn::kMod ? loop2<Mod, float> : fn == Fn::kFMod ? loop2<FMod, float> : nullptr;
    case DType::kI8: return integer_function<int8_t>(fn);
    case DType::kU8: return integer_function<uint8_t>(fn);
    case DType::kI16: return integer_function<int16_t>(fn);
    case DType::kU16: return integer_function<uint16_t>(fn);
    case DType::kI32: return integer_function<int32_t>(fn);
    case DType::kU32: return integer_function<uint32_t>(fn);
    case DType::kI64: return integer_function<int64_t>(fn);
    case DType::kU64: return integer_function<uint64_t>(fn);
    default: return nullptr;
  }
}

TileFn find_function(Fn fn, DType compute) {
  if (compute == DType::kF32) {
    if (TileFn f = vector_math(fn)) return f;
  }
  if (TileFn f = vector_arithmetic(fn, compute)) return f;
  return scalar_function(fn, compute);
}

}  // namespace tenon
