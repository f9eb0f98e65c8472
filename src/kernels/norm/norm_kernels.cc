// The vector loops of softmax and normalisation for every instruction set.
// SPDX-License-Identifier: MIT
#include "kernels/norm/norm_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/norm/norm_kernels.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/elementwise/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace {

using D = hn::ScalableTag<float>;
using V = hn::Vec<D>;
constexpr int64_t kBlock = 1024;  // elements summed in f32 before the sum goes on in f64

// Reads and writes whole vectors, and a last part of one, of which the missing lanes read as 0.
struct Lanes {
  D d;
  int64_t n;
  int64_t width = static_cast<int64_t>(hn::Lanes(D()));
  HWY_INLINE V load(const float* p, int64_t i) const {
    return i + width <= n ? hn::LoadU(d, p + i) : hn::LoadN(d, p + i, static_cast<size_t>(n - i));
  }
  HWY_INLINE void store(V v, float* p, int64_t i) const {
    if (i + width <= n) hn::StoreU(v, d, p + i);
    else hn::StoreN(v, d, p + i, static_cast<size_t>(n - i));
  }
};
#define TENON_EACH(l, i) for (int64_t i = 0; i < l.n; i += l.width)

// Sums f(i) over n elements: vectors in f32 within a block, blocks in f64. f gives 0 for missing lanes.
template <class F>
HWY_INLINE double BlockSum(const Lanes& l, const F& f) {
  double total = 0;
  for (int64_t start = 0; start < l.n; start += kBlock) {
    const int64_t end = std::min(l.n, start + kBlock);
    V a = hn::Zero(l.d), b = a;
    int64_t i = start;
    for (; i + 2 * l.width <= end; i += 2 * l.width) {
      a = hn::Add(a, f(i));
      b = hn::Add(b, f(i + l.width));
    }
    for (; i < end; i += l.width) a = hn::Add(a, f(i));
    total += static_cast<double>(hn::ReduceSum(l.d, hn::Add(a, b)));
  }
  return total;
}
HWY_INLINE V Present(const Lanes& l, int64_t i, V v) {
  return i + l.width <= l.n ? v : hn::IfThenElseZero(hn::FirstN(l.d, static_cast<size_t>(l.n - i)), v);
}

double ExpSum(const float* x, float shift, float* y, int64_t n) {
  const Lanes l{D(), n};
  const V s = hn::Set(l.d, shift);
  return BlockSum(l, [&](int64_t i) HWY_ATTR {
    const V e = vmath::ExpFlush(l.d, hn::Sub(l.load(x, i), s));
    l.store(e, y, i);
    return Present(l, i, e);
  });
}
void ExpScale(const float* x, float shift, float factor, float* y, int64_t n) {
  const Lanes l{D(), n};
  const V s = hn::Set(l.d, shift), f = hn::Set(l.d, factor);
  TENON_EACH(l, i) l.store(hn::Mul(vmath::ExpFlush(l.d, hn::Sub(l.load(x, i), s)), f), y, i);
}
void ExpSumEach(const float* x, const float* shift, float* y, float* sum, int64_t n) {
  const Lanes l{D(), n};
  TENON_EACH(l, i) {
    const V e = vmath::ExpFlush(l.d, hn::Sub(l.load(x, i), l.load(shift, i)));
    l.store(hn::Add(l.load(sum, i), e), sum, i);
    l.store(e, y, i);
  }
}
void ExpScaleEach(const float* x, const float* shift, const float* factor, float* y, int64_t n) {
  const Lanes l{D(), n};
  TENON_EACH(l, i) {
    const V e = vmath::ExpFlush(l.d, hn::Sub(l.load(x, i), l.load(shift, i)));
    l.store(hn::Mul(e, l.load(factor, i)), y, i);
  }
}
void Subtract(const float* x, float a, float b, float* y, int64_t n) {
  const Lanes l{D(), n};
  const V va = hn::Set(l.d, a), vb = hn::Set(l.d, b);
  TENON_EACH(l, i) l.store(hn::Sub(hn::Sub(l.load(x, i), va), vb), y, i);
}
void SubtractEach(const float* x, const float* a, const float* b, float* y, int64_t n) {
  const Lanes l{D(), n};
  TENON_EACH(l, i) l.store(hn::Sub(hn::Sub(l.load(x, i), l.load(a, i)), l.load(b, i)), y, i);
}
void Scale(const float* x, float a, float* y, int64_t n) {
  const Lanes l{D(), n};
  const V va = hn::Set(l.d, a);
  TENON_EACH(l, i) l.store(hn::Mul(l.load(x, i), va), y, i);
}
void ScaleEach(const float* x, const float* a, float* y, int64_t n) {
  const Lanes l{D(), n};
  TENON_EACH(l, i) l.store(hn::Mul(l.load(x, i), l.load(a, i)), y, i);
}
void Affine(const float* x, float a, float b, bool silu, float* y, int64_t n) {
  const Lanes l{D(), n};
  const V va = hn::Set(l.d, a), vb = hn::Set(l.d, b);
  if (silu) {
    TENON_EACH(l, i) {
      const V v = hn::MulAdd(l.load(x, i), va, vb);
      l.store(vmath::TimesSigmoid(l.d, v, v), y, i);
    }
  } else {
    TENON_EACH(l, i) l.store(hn::MulAdd(l.load(x, i), va, vb), y, i);
  }
}
void AffineEach(const float* x, const float* a, const float* b, bool silu, float* y, int64_t n) {
  const Lanes l{D(), n};
  if (silu) {
    TENON_EACH(l, i) {
      const V v = hn::MulAdd(l.load(x, i), l.load(a, i), l.load(b, i));
      l.store(vmath::TimesSigmoid(l.d, v, v), y, i);
    }
  } else {
    TENON_EACH(l, i) l.store(hn::MulAdd(l.load(x, i), l.load(a, i), l.load(b, i)), y, i);
  }
}
void Add(const float* x, const float* s, const float* b, float* y, int64_t n) {
  const Lanes l{D(), n};
  TENON_EACH(l, i) {
    const V v = hn::Add(l.load(x, i), l.load(s, i));
    l.store(b ? hn::Add(v, l.load(b, i)) : v, y, i);
  }
}
double SquaresAbout(const float* x, float mean, int64_t n) {
  const Lanes l{D(), n};
  const V m = hn::Set(l.d, mean);
  return BlockSum(l, [&](int64_t i) HWY_ATTR {
    const V c = hn::Sub(l.load(x, i), m);
    return Present(l, i, hn::Mul(c, c));
  });
}
void Normalize(const float* x, float mean, float inv, const float* scale, float offset, const float* bias, float* y,
               int64_t n) {
  const Lanes l{D(), n};
  const V m = hn::Set(l.d, mean), v = hn::Set(l.d, inv), o = hn::Set(l.d, offset);
  if (scale && bias) {
    TENON_EACH(l, i) {
      const V t = hn::Mul(hn::Sub(l.load(x, i), m), v);
      l.store(hn::MulAdd(t, hn::Add(l.load(scale, i), o), l.load(bias, i)), y, i);
    }
    return;
  }
  TENON_EACH(l, i) {
    V t = hn::Mul(hn::Sub(l.load(x, i), m), v);
    if (scale) t = hn::Mul(t, hn::Add(l.load(scale, i), o));
    if (bias) t = hn::Add(t, l.load(bias, i));
    l.store(t, y, i);
  }
}
void AddSquares(const float* x, float* sum, int64_t n) {
  const Lanes l{D(), n};
  TENON_EACH(l, i) {
    const V v = l.load(x, i);
    l.store(hn::MulAdd(v, v, l.load(sum, i)), sum, i);
  }
}
void Response(const float* x, const float* sum, float alpha, float beta, float bias, float* y, int64_t n) {
  const Lanes l{D(), n};
  const V a = hn::Set(l.d, alpha), e = hn::Set(l.d, -beta), b = hn::Set(l.d, bias);
  TENON_EACH(l, i) {
    const V p = vmath::Pow(l.d, hn::MulAdd(l.load(sum, i), a, b), e);
    l.store(hn::Mul(l.load(x, i), p), y, i);
  }
}

constexpr NormKernels kTable = {ExpSum,       ExpScale,     ExpSumEach, ExpScaleEach, Subtract,
                                SubtractEach, Scale,        ScaleEach,  Affine,       AffineEach,
                                Add,          SquaresAbout, Normalize,  AddSquares,   Response};

}  // namespace
const NormKernels& NormLookup() { return kTable; }
}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon {
HWY_EXPORT(NormLookup);
const NormKernels& norm_kernels() { return HWY_DYNAMIC_DISPATCH(NormLookup)(); }
}  // namespace tenon
#endif
