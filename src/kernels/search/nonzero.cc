// NonZero: counts per block first, so that blocks can write their coordinates side by side.
// SPDX-License-Identifier: MIT
#include "kernels/search/nonzero.h"

#include "kernels/move/loop.h"
#include "kernels/move/rows.h"
#include "tensor/tensor.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kBlock = 16384;

// Calls f with a test of element i; false for types without one. A value is zero when the bits of its mask are.
template <class F>
bool with_test(const void* x, DType t, F&& f) {
  const auto masked = [&](auto mask) {
    f([=](int64_t i) { return (load<decltype(mask)>(x, i) & mask) != 0; });
    return true;
  };
  switch (t) {
    case DType::kF32: return masked(uint32_t{0x7fffffff});
    case DType::kF64: return masked(uint64_t{0x7fffffffffffffff});
    case DType::kC64: return masked(uint64_t{0x7fffffff7fffffff});
    case DType::kF16:
    case DType::kBF16: return masked(uint16_t{0x7fff});
    case DType::kF8E4M3FN:
    case DType::kF8E5M2: return masked(uint8_t{0x7f});
    case DType::kF8E8M0: f([](int64_t) { return true; }); return true;  // has no zero
    case DType::kString: f([=](int64_t i) { return static_cast<const StringRef*>(x)[i].size != 0; }); return true;
    case DType::kC128:
      f([=](int64_t i) {
        const Wide v = load<Wide>(x, i);
        return ((v.low | v.high) & 0x7fffffffffffffff) != 0;
      });
      return true;
    default: break;
  }
  switch (byte_width(t)) {
    case 1: return masked(uint8_t{0xff});
    case 2: return masked(uint16_t{0xffff});
    case 4: return masked(uint32_t{0xffffffff});
    case 8: return masked(~uint64_t{0});
    default: return false;
  }
}

// Counts per block.
SmallVector<int64_t, 64> block_counts(const void* x, DType t, int64_t count, const Team& team) {
  SmallVector<int64_t, 64> counts(static_cast<size_t>((count + kBlock - 1) / kBlock));
  const bool bytes = t == DType::kBool || t == DType::kU8 || t == DType::kI8;
  with_test(x, t, [&](auto test) {
    team.parallel_for_cost(
        static_cast<int64_t>(counts.size()), kBlock * (bytes ? 0.05 : 0.5), [&](int64_t begin, int64_t end) {
          for (int64_t b = begin; b < end; ++b) {
            const int64_t stop = std::min(count, (b + 1) * kBlock);
            int64_t n = 0;
            if (bytes) {
              n = count_nonzero_bytes(static_cast<const uint8_t*>(x) + b * kBlock, stop - b * kBlock);
            } else {
              for (int64_t i = b * kBlock; i < stop; ++i) n += test(i);
            }
            counts[static_cast<size_t>(b)] = n;
          }
        });
  });
  return counts;
}

}  // namespace

int64_t count_nonzero(const void* x, DType dtype, int64_t count, const Team& team) {
  int64_t found = 0;
  for (int64_t n : block_counts(x, dtype, count, team)) found += n;
  return found;
}

void nonzero(int64_t* dst, const void* x, DType dtype, std::span<const int64_t> dims, int64_t found, const Team& team) {
  const int64_t count = product(dims);
  if (found == 0 || dims.empty()) return;
  SmallVector<int64_t, 64> starts = block_counts(x, dtype, count, team);
  int64_t sum = 0;
  for (int64_t& n : starts) {
    const int64_t here = n;
    n = sum;
    sum += here;
  }
  const size_t rank = dims.size();
  const int64_t last = dims[rank - 1];
  with_test(x, dtype, [&](auto test) {
    team.parallel_for_cost(static_cast<int64_t>(starts.size()), kBlock * 1.0, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        int64_t to = starts[static_cast<size_t>(b)];
        const int64_t stop = std::min(count, (b + 1) * kBlock);
        for (int64_t i = b * kBlock; i < stop;) {
          // One row of the last axis at a time: the other coordinates stay.
          const int64_t row = i / last, row_end = std::min(stop, (row + 1) * last), first = to;
          for (int64_t k = i; k < row_end; ++k) {
            if (test(k)) dst[static_cast<int64_t>(rank - 1) * found + to++] = k - row * last;
          }
          int64_t rest = row;
          for (size_t d = rank - 1; d-- > 0;) {
            for (int64_t k = first; k < to; ++k) dst[static_cast<int64_t>(d) * found + k] = rest % dims[d];
            rest /= dims[d];
          }
          i = row_end;
        }
      }
    });
  });
}

}  // namespace tenon::kernels
