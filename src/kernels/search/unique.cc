// Unique: places are sorted by their items, equal neighbours form groups.
// SPDX-License-Identifier: MIT
#include "kernels/search/unique.h"

#include <algorithm>
#include <numeric>

#include "kernels/search/order.h"
#include "tensor/tensor.h"

namespace tenon::kernels {
namespace {

// `compare(i, j)` is below, at or above 0 as item i is below, equal to or above item j.
template <class Compare>
UniqueResult group(int64_t items, bool sorted, Compare&& compare) {
  UniqueResult r;
  std::vector<int64_t> order(static_cast<size_t>(items));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t i, int64_t j) {
    const int c = compare(i, j);
    return c != 0 ? c < 0 : i < j;
  });
  r.inverse.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || compare(order[i - 1], order[i]) != 0) {
      r.first.push_back(order[i]);
      r.counts.push_back(0);
    }
    ++r.counts.back();
    r.inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(r.first.size()) - 1;
  }
  if (sorted) return r;
  std::vector<size_t> by_place(r.first.size());
  std::iota(by_place.begin(), by_place.end(), size_t{0});
  std::sort(by_place.begin(), by_place.end(), [&](size_t a, size_t b) { return r.first[a] < r.first[b]; });
  UniqueResult out;
  std::vector<int64_t> now(by_place.size());
  for (size_t i = 0; i < by_place.size(); ++i) {
    out.first.push_back(r.first[by_place[i]]);
    out.counts.push_back(r.counts[by_place[i]]);
    now[by_place[i]] = static_cast<int64_t>(i);
  }
  for (int64_t k : r.inverse) out.inverse.push_back(now[static_cast<size_t>(k)]);
  return out;
}

// Lexicographic comparison of items of several elements.
template <class Element>
auto by_elements(int64_t outer, int64_t items, int64_t inner, Element&& element) {
  return [=](int64_t i, int64_t j) {
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t k = 0; k < inner; ++k) {
        const auto a = element((o * items + i) * inner + k), b = element((o * items + j) * inner + k);
        if (a != b) return a < b ? -1 : 1;
      }
    }
    return 0;
  };
}

}  // namespace

Result<UniqueResult> unique(const void* x, DType dtype, int64_t outer, int64_t items, int64_t inner, bool sorted) {
  UniqueResult r;
  if (dtype == DType::kString) {
    const StringRef* texts = static_cast<const StringRef*>(x);
    return group(items, sorted, by_elements(outer, items, inner, [texts](int64_t i) { return texts[i].view(); }));
  }
  const bool known = with_order(dtype, [&](auto order) {
    using Order = decltype(order);
    const auto* values = static_cast<const typename Order::Memory*>(x);
    r = group(items, sorted, by_elements(outer, items, inner, [values](int64_t i) { return Order::key(values[i]); }));
  });
  if (!known) return error(Code::kNotImplemented, "unique of ", name(dtype));
  return r;
}

}  // namespace tenon::kernels
