// Loops over one tile: how a vector function becomes a tile kernel. For foreach_target files.
// SPDX-License-Identifier: MIT
#include <cstdint>
#include <cstring>

#include "kernels/elementwise/pointwise.h"
#if defined(TENON_KERNELS_TILE_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENON_KERNELS_TILE_LOOPS_INL_H_
#undef TENON_KERNELS_TILE_LOOPS_INL_H_
#else
#define TENON_KERNELS_TILE_LOOPS_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tenon {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(p0, p1, p2, out) for pieces of `piece` elements of types In, Out. The last, shorter piece goes through
// buffers, so that the body always sees whole pieces and there is one copy of it. Operands of one value are read from
// their repeated copy.
template <int kArity, typename In0, typename In, typename Out, class Body>
HWY_INLINE void ForPieces(const TileCall& c, size_t piece, const Body& body) {
  const auto* a = static_cast<const In0*>(c.in[0]);
  const auto* b = kArity > 1 ? static_cast<const In*>(c.in[1]) : nullptr;
  const auto* e = kArity > 2 ? static_cast<const In*>(c.in[2]) : nullptr;
  auto* out = static_cast<Out*>(c.out);
  size_t i = 0;
  for (; i + piece <= c.n; i += piece) {
    body(a + (i & c.step[0]), kArity > 1 ? b + (i & c.step[1]) : nullptr, kArity > 2 ? e + (i & c.step[2]) : nullptr,
         out + i);
  }
  const size_t left = c.n - i;
  if (left == 0) return;
  static_assert(HWY_MAX_BYTES <= kSplat, "single values are repeated for one vector of bytes");
  constexpr size_t kMost = HWY_MAX_BYTES;  // no kernel takes more elements at a time than a vector has bytes
  HWY_ALIGN In0 ta[kMost];
  HWY_ALIGN In tb[kArity > 1 ? kMost : 1], te[kArity > 2 ? kMost : 1];
  HWY_ALIGN Out to[kMost];
  std::memset(ta, 0, piece * sizeof(In0));
  std::memcpy(ta, a + (i & c.step[0]), left * sizeof(In0));
  if constexpr (kArity > 1) {
    std::memset(tb, 0, piece * sizeof(In));
    std::memcpy(tb, b + (i & c.step[1]), left * sizeof(In));
  }
  if constexpr (kArity > 2) {
    std::memset(te, 0, piece * sizeof(In));
    std::memcpy(te, e + (i & c.step[2]), left * sizeof(In));
  }
  body(ta, tb, te, to);
  std::memcpy(out + i, to, left * sizeof(Out));
}

// Kernels from a stateless functor with a static Run(d, operands...).
template <class F, typename T>
void Unary(const TileCall& c) {
  const hn::ScalableTag<T> d;
  ForPieces<1, T, T, T>(c, hn::Lanes(d), [d](const T* a, const T*, const T*, T* out) HWY_ATTR {
    hn::StoreU(F::Run(d, hn::LoadU(d, a)), d, out);
  });
}
template <class F, typename T>
void Binary(const TileCall& c) {
  const hn::ScalableTag<T> d;
  ForPieces<2, T, T, T>(c, hn::Lanes(d), [d](const T* a, const T* b, const T*, T* out) HWY_ATTR {
    hn::StoreU(F::Run(d, hn::LoadU(d, a), hn::LoadU(d, b)), d, out);
  });
}
template <class F, typename T>
void Ternary(const TileCall& c) {
  const hn::ScalableTag<T> d;
  ForPieces<3, T, T, T>(c, hn::Lanes(d), [d](const T* a, const T* b, const T* e, T* out) HWY_ATTR {
    hn::StoreU(F::Run(d, hn::LoadU(d, a), hn::LoadU(d, b), hn::LoadU(d, e)), d, out);
  });
}
// Functions of one operand with two constants: Run(d, x, a, b).
template <class F, typename T>
void WithConstants(const TileCall& c) {
  const hn::ScalableTag<T> d;
  const auto a = hn::Set(d, static_cast<T>(c.imm[0])), b = hn::Set(d, static_cast<T>(c.imm[1]));
  ForPieces<1, T, T, T>(c, hn::Lanes(d), [d, a, b](const T* x, const T*, const T*, T* out) HWY_ATTR {
    hn::StoreU(F::Run(d, hn::LoadU(d, x), a, b), d, out);
  });
}

// Eight-bit truth values (0 or 1) of sizeof(T) vectors of masks, made by test(j) for vector j.
template <typename T, class Test>
HWY_INLINE void StoreTruth(uint8_t* out, const Test& test) {
  using I = hwy::MakeSigned<T>;
  const hn::ScalableTag<I> di;
  const hn::ScalableTag<int8_t> d8;
  const auto word = [&](size_t j) HWY_ATTR { return hn::VecFromMask(di, hn::RebindMask(di, test(j))); };
  if constexpr (sizeof(T) == 1) {
    hn::StoreU(hn::BitCast(hn::ScalableTag<uint8_t>(), hn::And(word(0), hn::Set(d8, 1))), hn::ScalableTag<uint8_t>(),
               out);
  } else {
    const hn::ScalableTag<int16_t> d16;
    const auto pair16 = [&](size_t j) HWY_ATTR {  // j counts vectors of 16 bits
      if constexpr (sizeof(T) == 2) {
        return word(j);
      } else {
        const auto pair32 = [&](size_t k) HWY_ATTR {
          if constexpr (sizeof(T) == 4) {
            return word(k);
          } else {
            return hn::OrderedDemote2To(hn::ScalableTag<int32_t>(), word(2 * k), word(2 * k + 1));
          }
        };
        return hn::OrderedDemote2To(d16, pair32(2 * j), pair32(2 * j + 1));
      }
    };
    const auto bytes = hn::OrderedDemote2To(d8, pair16(0), pair16(1));
    const hn::ScalableTag<uint8_t> du8;
    hn::StoreU(hn::BitCast(du8, hn::And(bytes, hn::Set(d8, 1))), du8, out);
  }
}
template <class F, typename T>
void Compare(const TileCall& c) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  // Within a piece an operand of one value may be read at any lane: kSplat copies lie there.
  ForPieces<2, T, T, uint8_t>(c, lanes * sizeof(T), [=](const T* a, const T* b, const T*, uint8_t* out) HWY_ATTR {
    StoreTruth<T>(
        out, [&](size_t j) HWY_ATTR { return F::Run(d, hn::LoadU(d, a + j * lanes), hn::LoadU(d, b + j * lanes)); });
  });
}
template <class F, typename T>
void Test(const TileCall& c) {
  const hn::ScalableTag<T> d;
  const size_t lanes = hn::Lanes(d);
  const bool p = c.imm[0] != 0, q = c.imm[1] != 0;
  ForPieces<1, T, T, uint8_t>(c, lanes * sizeof(T), [=](const T* a, const T*, const T*, uint8_t* out) HWY_ATTR {
    StoreTruth<T>(out, [&](size_t j) HWY_ATTR { return F::Run(d, hn::LoadU(d, a + j * lanes), p, q); });
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace tenon
HWY_AFTER_NAMESPACE();

#endif
