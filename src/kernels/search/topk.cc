// TopK: a bounded list of candidates, refined whenever it is full; the scan passes over what cannot win.
// SPDX-License-Identifier: MIT
#include "kernels/search/topk.h"

#include <algorithm>
#include <functional>

#include "kernels/move/loop.h"
#include "kernels/move/transpose.h"
#include "kernels/search/order.h"
#include "kernels/search/scan.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kSlack = 32;       // candidates beyond k before they are refined
constexpr int64_t kPositions = 256;  // found at a time by the vector scan
constexpr int64_t kColumns = 16;     // columns brought together when the axis is not the last one
constexpr int64_t kSegment = 32768;  // a single long row is shared out in pieces of at least this

// An element in the running: greater entries come first in the result. Keys are inverted for the smallest, and indices
// always, so that of equal elements the first wins and no two entries are equal.
struct Packed {  // keys up to 32 bits, fewer than 2^32 elements
  uint64_t bits;
  Packed() = default;
  Packed(uint64_t key, int64_t index) : bits(key << 32 | (0xffffffffu - static_cast<uint64_t>(index))) {}
  uint64_t key() const { return bits >> 32; }
  int64_t index() const { return static_cast<int64_t>(0xffffffffu - (bits & 0xffffffffu)); }
  bool operator>(const Packed& o) const { return bits > o.bits; }
};
struct Pair {
  uint64_t first;
  int64_t second;
  Pair() = default;
  Pair(uint64_t key, int64_t index) : first(key), second(index) {}
  uint64_t key() const { return first; }
  int64_t index() const { return second; }
  bool operator>(const Pair& o) const { return first != o.first ? first > o.first : second < o.second; }
};

int64_t room_for(const TopkShape& s) { return std::min(s.axis, 2 * s.k + kSlack); }
bool packs(const TopkShape& s, DType dtype) { return byte_width(dtype) <= 4 && s.axis < (int64_t{1} << 32) - 1; }
int64_t columns_of(const TopkShape& s) { return s.inner == 1 ? 0 : std::min(s.inner, kColumns); }
int64_t round_up(int64_t n) { return (n + 15) / 16 * 16; }
// Scratch of one slot: candidates, positions, columns.
int64_t entry_bytes(const TopkShape& s, DType dtype) {
  return round_up(room_for(s) * (packs(s, dtype) ? int64_t{sizeof(Packed)} : int64_t{sizeof(Pair)}));
}
int64_t slot_bytes(const TopkShape& s, DType dtype) {
  return entry_bytes(s, dtype) + round_up(kPositions * 4) + round_up(columns_of(s) * s.axis * byte_width(dtype));
}

// Leaves the best min(k, n) elements of x[begin, end) in entries, in no order, and returns their number.
template <class Order, class Entry>
int64_t select_row(const typename Order::Memory* x, int64_t begin, int64_t end, const TopkShape& shape, bool vector,
                   Entry* entries, uint32_t* positions) {
  using Key = typename Order::Key;
  const int64_t room = room_for(shape), k = shape.k;
  const Key flip = shape.largest ? Key{0} : Key(~Key{0});
  const auto refine = [&](int64_t n) {
    std::nth_element(entries, entries + k - 1, entries + n, std::greater<>());
    return entries[k - 1];
  };
  int64_t i = begin, n = 0;
  for (; i < end && n < room; ++i) entries[n++] = Entry(Key(Order::key(x[i]) ^ flip), i);
  if (n <= k && i == end) return n;
  Entry bound = refine(n);
  n = k;
  if (vector) {
    if constexpr (sizeof(Key) == 4) {
      const float* values = reinterpret_cast<const float*>(x);
      while (i < end) {
        const int64_t found = scan_better(values, &i, end, values[bound.index()], shape.largest, positions, kPositions);
        for (int64_t p = 0; p < found; ++p) {
          entries[n++] = Entry(Key(Order::key(x[positions[p]]) ^ flip), positions[p]);
          if (n == room) {
            bound = refine(n);
            n = k;
          }
        }
      }
    }
  } else {
    for (; i < end; ++i) {
      const Key key = Key(Order::key(x[i]) ^ flip);
      if (key <= bound.key()) [[likely]]
        continue;  // equal keys lose: their index is higher
      entries[n++] = Entry(key, i);
      if (n == room) {
        bound = refine(n);
        n = k;
      }
    }
  }
  if (n > k) refine(n);
  return k;
}

template <class Order, class Entry>
void run(typename Order::Memory* values, int64_t* indices, const typename Order::Memory* x, DType dtype,
         const TopkShape& s, char* scratch, const Team& team) {
  using M = typename Order::Memory;
  const int64_t slot_size = slot_bytes(s, dtype), columns = columns_of(s);
  const bool vector = dtype == DType::kF32 && s.axis < (int64_t{1} << 32) - 1;
  const auto entries_of = [&](int64_t slot) { return reinterpret_cast<Entry*>(scratch + slot * slot_size); };
  const auto positions_of = [&](int64_t slot) {
    return reinterpret_cast<uint32_t*>(scratch + slot * slot_size + entry_bytes(s, dtype));
  };
  const auto finish = [&](Entry* entries, const M* row, int64_t to, int64_t step) {
    if (s.sorted) std::sort(entries, entries + s.k, std::greater<>());
    else std::sort(entries, entries + s.k, [](const Entry& a, const Entry& b) { return a.index() < b.index(); });
    for (int64_t i = 0; i < s.k; ++i) {
      indices[to + i * step] = entries[i].index();
      values[to + i * step] = row[entries[i].index()];
    }
  };
  const double row_ns = static_cast<double>(s.axis) * (vector ? 0.3 : 1.0) + static_cast<double>(s.k) * 30.0 + 100.0;
  if (s.outer == 1 && s.inner == 1) {
    // One row: its pieces are searched side by side. Entries are all different, so the best k do not depend on the cut.
    const int64_t pieces = std::clamp<int64_t>(std::min(s.axis / kSegment, s.axis / (4 * s.k + 1)), 1, team.width());
    if (pieces > 1) {
      SmallVector<int64_t, 64> found(static_cast<size_t>(pieces));
      team.parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
        for (int64_t p = begin; p < end; ++p) {
          found[static_cast<size_t>(p)] = select_row<Order>(x, s.axis * p / pieces, s.axis * (p + 1) / pieces, s,
                                                            vector, entries_of(p), positions_of(p));
        }
      });
      Entry* best = entries_of(0);
      int64_t n = found[0];
      for (int64_t p = 1; p < pieces; ++p) {
        for (int64_t i = 0; i < found[static_cast<size_t>(p)]; ++i) {
          if (n == room_for(s)) {
            std::nth_element(best, best + s.k - 1, best + n, std::greater<>());
            n = s.k;
          }
          best[n++] = entries_of(p)[i];
        }
      }
      std::nth_element(best, best + s.k - 1, best + n, std::greater<>());
      finish(best, x, 0, 1);
      return;
    }
  }
  const int64_t groups_per_outer = s.inner == 1 ? 1 : (s.inner + columns - 1) / columns;
  const int64_t groups = s.outer * groups_per_outer;
  const double group_ns = row_ns * static_cast<double>(std::max<int64_t>(columns, 1));
  const int64_t slots = std::min<int64_t>(team.width(), groups);
  team.parallel_for_cost(
      slots, group_ns * static_cast<double>(groups) / static_cast<double>(slots), [&](int64_t begin, int64_t end) {
        for (int64_t slot = begin; slot < end; ++slot) {
          Entry* entries = entries_of(slot);
          M* gathered = reinterpret_cast<M*>(reinterpret_cast<char*>(positions_of(slot)) + round_up(kPositions * 4));
          for (int64_t g = groups * slot / slots; g < groups * (slot + 1) / slots; ++g) {
            const int64_t o = g / groups_per_outer, first = g % groups_per_outer * columns;
            if (s.inner == 1) {
              const M* row = x + o * s.axis;
              select_row<Order>(row, 0, s.axis, s, vector, entries, positions_of(slot));
              finish(entries, row, o * s.k, 1);
              continue;
            }
            const int64_t count = std::min(columns, s.inner - first);
            transpose_2d(gathered, s.axis, x + o * s.axis * s.inner + first, s.inner, s.axis, count, sizeof(M));
            for (int64_t c = 0; c < count; ++c) {
              select_row<Order>(gathered + c * s.axis, 0, s.axis, s, vector, entries, positions_of(slot));
              finish(entries, gathered + c * s.axis, o * s.k * s.inner + first + c, s.inner);
            }
          }
        }
      });
}

}  // namespace

int64_t topk_scratch_bytes(const TopkShape& shape, DType dtype, int team_width) {
  if (shape.k <= 0 || shape.axis <= 0) return 0;
  return slot_bytes(shape, dtype) * team_width;
}

Status topk(void* values, int64_t* indices, const void* x, DType dtype, const TopkShape& shape, void* scratch,
            const Team& team) {
  if (shape.k < 0 || shape.k > shape.axis) return invalid("k is ", shape.k, " for an axis of ", shape.axis);
  const bool empty = shape.k == 0 || shape.outer == 0 || shape.inner == 0;
  const bool known = with_order(dtype, [&](auto order) {
    using Order = decltype(order);
    using M = typename Order::Memory;
    if (empty) return;
    const auto call = [&](auto entry) {
      run<Order, decltype(entry)>(static_cast<M*>(values), indices, static_cast<const M*>(x), dtype, shape,
                                  static_cast<char*>(scratch), team);
    };
    if constexpr (sizeof(M) <= 4) {
      if (packs(shape, dtype)) {
        call(Packed());
        return;
      }
    }
    call(Pair());
  });
  return known ? Status() : error(Code::kNotImplemented, "top k of ", name(dtype));
}

}  // namespace tenon::kernels
