// Steps of recurrent layers, vectorised over hidden units.
// SPDX-License-Identifier: MIT
#include "kernels/rnn/step.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rnn/step.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "kernels/elementwise/vector_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tenon::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace vm = tenon::HWY_NAMESPACE::vmath;

// Vectors that divide a block.
template <class T>
using Tag = hn::CappedTag<T, kRnnBlock>;

constexpr int64_t kRows = 6;      // batch entries that share a load of the weights
constexpr int64_t kMaxGates = 4;  // parts of a row of gates: LSTM i o f c; GRU z r h and the input's share of h

// c[i, p] += a[i, :] b[p] for kR rows and kP panels of kRnnBlock columns. Each sum runs over k in order, whatever kR
// and kP are, so results do not depend on the batch.
template <class T, int kR, int kP>
HWY_NOINLINE void accumulate(T* c, int64_t ldc, const T* HWY_RESTRICT a, int64_t lda, int64_t k,
                             const T* HWY_RESTRICT b, int64_t panel) {
  const Tag<T> d;
  using V = hn::Vec<Tag<T>>;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  constexpr int kMost = kRnnBlock * static_cast<int>(sizeof(T)) / 16;  // vectors of a block when they are shortest
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
  for (int i = 0; i < kR; ++i) {
    for (int p = 0; p < kP; ++p) {
      for (int64_t at = 0; at < kRnnBlock; at += n) {
        V sum = hn::LoadU(d, c + i * ldc + p * kRnnBlock + at);
        for (int64_t q = 0; q < k; ++q) {
          sum = hn::MulAdd(hn::Set(d, a[i * lda + q]), hn::LoadU(d, b + p * panel + q * kRnnBlock + at), sum);
        }
        hn::StoreU(sum, d, c + i * ldc + p * kRnnBlock + at);
      }
    }
  }
  (void)kMost;
#else
  constexpr int kN = static_cast<int>(kRnnBlock / hn::MaxLanes(Tag<T>()));
  static_assert(kN <= kMost);
  V sum[kR][kP][kN];
  HWY_UNROLL(6)
  for (int i = 0; i < kR; ++i) {
    HWY_UNROLL(4)
    for (int p = 0; p < kP; ++p) {
      HWY_UNROLL(8)
      for (int v = 0; v < kN; ++v) sum[i][p][v] = hn::LoadU(d, c + i * ldc + p * kRnnBlock + v * n);
    }
  }
  for (int64_t q = 0; q < k; ++q) {
    HWY_UNROLL(4)
    for (int p = 0; p < kP; ++p) {
      HWY_UNROLL(8)
      for (int v = 0; v < kN; ++v) {
        const V w = hn::LoadU(d, b + p * panel + q * kRnnBlock + v * n);
        HWY_UNROLL(6)
        for (int i = 0; i < kR; ++i) sum[i][p][v] = hn::MulAdd(hn::Set(d, a[i * lda + q]), w, sum[i][p][v]);
      }
    }
  }
  HWY_UNROLL(6)
  for (int i = 0; i < kR; ++i) {
    HWY_UNROLL(4)
    for (int p = 0; p < kP; ++p) {
      HWY_UNROLL(8)
      for (int v = 0; v < kN; ++v) hn::StoreU(sum[i][p][v], d, c + i * ldc + p * kRnnBlock + v * n);
    }
  }
#endif
}

template <class T>
void accumulate_any(T* c, int64_t ldc, const T* a, int64_t lda, int64_t rows, int64_t k, const T* b, int64_t panel,
                    int64_t panels) {
  if (rows == 1) {
    switch (panels) {
      case 1: return accumulate<T, 1, 1>(c, ldc, a, lda, k, b, panel);
      case 2: return accumulate<T, 1, 2>(c, ldc, a, lda, k, b, panel);
      case 3: return accumulate<T, 1, 3>(c, ldc, a, lda, k, b, panel);
      default: return accumulate<T, 1, 4>(c, ldc, a, lda, k, b, panel);
    }
  }
  for (int64_t p = 0; p < panels; ++p, b += panel, c += kRnnBlock) {
    switch (rows) {
      case 2: accumulate<T, 2, 1>(c, ldc, a, lda, k, b, panel); break;
      case 3: accumulate<T, 3, 1>(c, ldc, a, lda, k, b, panel); break;
      case 4: accumulate<T, 4, 1>(c, ldc, a, lda, k, b, panel); break;
      case 5: accumulate<T, 5, 1>(c, ldc, a, lda, k, b, panel); break;
      default: accumulate<T, 6, 1>(c, ldc, a, lda, k, b, panel); break;
    }
  }
}

double plain(const RnnFunction& f, double x) {
  const double alpha = f.alpha, beta = f.beta;
  switch (f.kind) {
    case RnnActivation::kRelu: return x < 0 ? 0 : x;
    case RnnActivation::kTanh: return std::tanh(x);
    case RnnActivation::kSigmoid: return 1 / (1 + std::exp(-x));
    case RnnActivation::kAffine: return alpha * x + beta;
    case RnnActivation::kLeakyRelu: return x < 0 ? alpha * x : x;
    case RnnActivation::kThresholdedRelu: return x < alpha ? 0 : x;
    case RnnActivation::kScaledTanh: return alpha * std::tanh(beta * x);
    case RnnActivation::kHardSigmoid: return std::clamp(alpha * x + beta, 0.0, 1.0);
    case RnnActivation::kElu: return x < 0 ? alpha * std::expm1(x) : x;
    case RnnActivation::kSoftsign: return x / (1 + std::abs(x));
    case RnnActivation::kSoftplus: return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
  }
  return x;
}

template <class D, class V = hn::Vec<D>>
HWY_INLINE V activate(D d, const RnnFunction& f, V x) {
  using T = hn::TFromD<D>;
  if constexpr (sizeof(T) == 8) {
    T lanes[kRnnBlock];
    hn::StoreU(x, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = plain(f, lanes[i]);
    return hn::LoadU(d, lanes);
  } else {
    const V alpha = hn::Set(d, f.alpha), beta = hn::Set(d, f.beta), zero = hn::Zero(d), one = hn::Set(d, 1.0f);
    switch (f.kind) {
      case RnnActivation::kRelu: return hn::IfThenElse(hn::Lt(x, zero), zero, x);
      case RnnActivation::kTanh: return vm::Tanh(d, x);
      case RnnActivation::kSigmoid: return vm::Sigmoid(d, x);
      case RnnActivation::kAffine: return hn::MulAdd(alpha, x, beta);
      case RnnActivation::kLeakyRelu: return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(alpha, x), x);
      case RnnActivation::kThresholdedRelu: return hn::IfThenElse(hn::Lt(x, alpha), zero, x);
      case RnnActivation::kScaledTanh: return hn::Mul(alpha, vm::Tanh(d, hn::Mul(beta, x)));
      case RnnActivation::kHardSigmoid: return hn::Min(hn::Max(hn::MulAdd(alpha, x, beta), zero), one);
      case RnnActivation::kElu:
        return hn::IfThenElse(hn::Lt(x, zero), hn::Mul(alpha, vm::Expm1(d, hn::Min(x, zero))), x);
      case RnnActivation::kSoftsign: return hn::Div(x, hn::Add(one, hn::Abs(x)));
      case RnnActivation::kSoftplus: return vm::Softplus(d, x);
    }
    return x;
  }
}

// Bound of the pre-activations; NaN stays.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V bounded(D d, V x, float clip) {
  if (clip <= 0) return x;
  const V high = hn::Set(d, static_cast<hn::TFromD<D>>(clip)), low = hn::Neg(high);
  return hn::IfThenElse(hn::Gt(x, high), high, hn::IfThenElse(hn::Lt(x, low), low, x));
}

template <class T>
void finish_lstm(const RnnStep<T>& s, const T* g, int64_t at, T* c, T* h) {
  const Tag<T> d;
  const float clip = s.config->clip;
  const auto& f = s.functions;
  for (int64_t j = 0; j < kRnnBlock; j += static_cast<int64_t>(hn::Lanes(d))) {
    auto i = hn::LoadU(d, g + j), o = hn::LoadU(d, g + kRnnBlock + j), fg = hn::LoadU(d, g + 2 * kRnnBlock + j);
    const auto cell = hn::LoadU(d, g + 3 * kRnnBlock + j), old = hn::LoadU(d, c + j);
    if (s.peephole) {
      i = hn::MulAdd(hn::LoadU(d, s.peephole + at + j), old, i);
      fg = hn::MulAdd(hn::LoadU(d, s.peephole + 2 * s.stride + at + j), old, fg);
    }
    i = activate(d, f[0], bounded(d, i, clip));
    if (s.config->input_forget) fg = hn::Sub(hn::Set(d, T{1}), i);
    else fg = activate(d, f[0], bounded(d, fg, clip));
    const auto fresh = hn::MulAdd(fg, old, hn::Mul(i, activate(d, f[1], bounded(d, cell, clip))));
    if (s.peephole) o = hn::MulAdd(hn::LoadU(d, s.peephole + s.stride + at + j), fresh, o);
    o = activate(d, f[0], bounded(d, o, clip));
    hn::StoreU(fresh, d, c + j);
    hn::StoreU(hn::Mul(o, activate(d, f[2], fresh)), d, h + j);
  }
}

// (1 - z) candidate + z old.
template <class D, class V = hn::Vec<D>>
HWY_INLINE V mix(V z, V candidate, V old) {
  return hn::MulAdd(z, hn::Sub(old, candidate), candidate);
}

template <class T>
void step_blocks(const RnnStep<T>& s, int phase, int64_t begin, int64_t end) {
  const Tag<T> d;
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  const RnnConfig& config = *s.config;
  const int64_t gates = config.gates(), hidden = config.hidden_size, panel = hidden * kRnnBlock;
  const int64_t x_row = s.stride * gates;
  const bool gru = config.kind == RnnKind::kGru, before = gru && config.linear_before_reset;
  const int64_t first = phase == 1 ? 2 : 0, panels = !gru || before ? gates : phase == 0 ? 2 : 1;
  const float clip = config.clip;
  alignas(64) T gate[kRows * kMaxGates * kRnnBlock];
  constexpr int64_t kGateRow = kMaxGates * kRnnBlock;
  for (int64_t block = begin; block < end; ++block) {
    const int64_t at = block * kRnnBlock;
    const T* weights = s.r + (block * gates + first) * panel;
    for (int64_t b0 = 0; b0 < s.batch; b0 += kRows) {
      const int64_t rows = std::min(kRows, s.batch - b0);
      for (int64_t i = 0; i < rows; ++i) {
        const T* x = s.x + s.rows[b0 + i] * x_row + block * gates * kRnnBlock;
        T* to = gate + i * kGateRow;
        std::copy_n(x + first * kRnnBlock, panels * kRnnBlock, to);
        if (before) {  // the two shares of h stay apart until r is known
          std::copy_n(x + 2 * kRnnBlock, kRnnBlock, to + 3 * kRnnBlock);
          std::copy_n(s.hidden_bias + at, kRnnBlock, to + 2 * kRnnBlock);
        }
      }
      const T* state = phase == 1 ? s.reset : s.h;
      accumulate_any(gate, kGateRow, state + b0 * s.stride, s.stride, rows, hidden, weights, panel, panels);
      for (int64_t i = 0; i < rows; ++i) {
        const T* g = gate + i * kGateRow;
        const int64_t place = (b0 + i) * s.stride + at;
        if (!s.active[b0 + i]) {
          std::copy_n(s.h + place, kRnnBlock, s.h_new + place);
          continue;
        }
        if (config.kind == RnnKind::kLstm) {
          finish_lstm(s, g, at, s.c + place, s.h_new + place);
          continue;
        }
        for (int64_t j = 0; j < kRnnBlock; j += n) {
          const auto g0 = bounded(d, hn::LoadU(d, g + j), clip);
          const auto old = hn::LoadU(d, s.h + place + j);
          T* to = s.h_new + place + j;
          if (!gru) {
            hn::StoreU(activate(d, s.functions[0], g0), d, to);
          } else if (phase == 1) {
            const auto z = hn::LoadU(d, s.update + place + j);
            hn::StoreU(mix<decltype(d)>(z, activate(d, s.functions[1], g0), old), d, to);
          } else {
            const auto z = activate(d, s.functions[0], g0);
            const auto r = activate(d, s.functions[0], bounded(d, hn::LoadU(d, g + kRnnBlock + j), clip));
            if (before) {
              const auto sum = hn::MulAdd(r, hn::LoadU(d, g + 2 * kRnnBlock + j), hn::LoadU(d, g + 3 * kRnnBlock + j));
              hn::StoreU(mix<decltype(d)>(z, activate(d, s.functions[1], bounded(d, sum, clip)), old), d, to);
            } else {
              hn::StoreU(z, d, s.update + place + j);
              hn::StoreU(hn::Mul(r, old), d, s.reset + place + j);
            }
          }
        }
      }
    }
  }
}

void add_scaled_any(float* HWY_RESTRICT out, const float* HWY_RESTRICT base, const int32_t* HWY_RESTRICT products,
                    const float* HWY_RESTRICT scale, float by, int64_t count) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> di;
  const auto factor = hn::Set(d, by);
  const int64_t n = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + n <= count; i += n) {
    const auto product = hn::ConvertTo(d, hn::LoadU(di, products + i));
    hn::StoreU(hn::Add(hn::LoadU(d, base + i), hn::Mul(product, hn::Mul(factor, hn::LoadU(d, scale + i)))), d, out + i);
  }
  for (; i < count; ++i) {
    const float product = static_cast<float>(products[i]) * (by * scale[i]);
    out[i] = base[i] + product;
  }
}

void step_f32(const RnnStep<float>& s, int phase, int64_t begin, int64_t end) { step_blocks(s, phase, begin, end); }
void step_f64(const RnnStep<double>& s, int phase, int64_t begin, int64_t end) { step_blocks(s, phase, begin, end); }

}  // namespace tenon::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tenon::kernels {
HWY_EXPORT(step_f32);
HWY_EXPORT(step_f64);
HWY_EXPORT(add_scaled_any);
void rnn_step(const RnnStep<float>& step, int phase, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(step_f32)(step, phase, begin, end);
}
void rnn_step(const RnnStep<double>& step, int phase, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(step_f64)(step, phase, begin, end);
}
void add_scaled(float* out, const float* base, const int32_t* products, const float* scale, float by, int64_t count) {
  HWY_DYNAMIC_DISPATCH(add_scaled_any)(out, base, products, scale, by, count);
}
}  // namespace tenon::kernels
#endif
