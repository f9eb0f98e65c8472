// Einsum: products and sums named by letters, computed pair by pair as matrix products.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <string>

#include "kernels/gemm/gemm.h"
#include "kernels/move/copy.h"
#include "opdef/cases.h"
#include "opdef/infer.h"
#include "ops/convert.h"
#include "ops/math/whole_matmul.h"

namespace tenon::ops {
namespace {

/// A letter as 0..51; the dimensions of an ellipsis are 52, 53, ... counted from the right.
using Labels = SmallVector<uint8_t, 16>;
constexpr uint8_t kEllipsis = 52;
constexpr size_t kMaxLabels = 64;

struct Equation {
  std::vector<Labels> in;
  Labels out;
};

/// One side's term; `rank` of the operand tells how many dimensions the ellipsis has (-1: as many as `ellipsis`).
Result<Labels> term(std::string_view text, int64_t rank, int64_t* ellipsis) {
  Labels out;
  std::string letters;
  for (char ch : text)
    if (ch != ' ') letters.push_back(ch);
  size_t dots = letters.find("...");
  int64_t named = static_cast<int64_t>(letters.size()) - (dots == std::string::npos ? 0 : 3);
  int64_t hidden = dots == std::string::npos ? 0 : rank < 0 ? *ellipsis : rank - named;
  if (rank >= 0 && (hidden < 0 || (dots == std::string::npos && named != rank)))
    return invalid("Einsum: term '", letters, "' names ", named, " dimensions of an operand of rank ", rank);
  if (hidden > static_cast<int64_t>(kMaxLabels) - kEllipsis)
    return error(Code::kNotImplemented, "Einsum: an ellipsis for ", hidden, " dimensions");
  for (size_t i = 0; i < letters.size(); ++i) {
    if (i == dots) {
      for (int64_t k = hidden; k-- > 0;) out.push_back(static_cast<uint8_t>(kEllipsis + k));
      i += 2;
      continue;
    }
    char ch = letters[i];
    if (ch >= 'A' && ch <= 'Z') out.push_back(static_cast<uint8_t>(ch - 'A'));
    else if (ch >= 'a' && ch <= 'z') out.push_back(static_cast<uint8_t>(ch - 'a' + 26));
    else return invalid("Einsum: the equation has the character '", ch, "'");
  }
  if (rank >= 0) *ellipsis = std::max(*ellipsis, hidden);
  return out;
}

Result<Equation> parse(std::string_view text, std::span<const int> ranks) {
  Equation e;
  size_t arrow = text.find("->");
  std::string_view left = text.substr(0, arrow);
  int64_t ellipsis = 0;
  size_t operand = 0;
  for (size_t begin = 0; begin <= left.size(); ++operand) {
    size_t comma = std::min(left.find(',', begin), left.size());
    if (operand >= ranks.size())
      return invalid("Einsum: the equation '", text, "' has more than the ", ranks.size(), " operands");
    TENON_ASSIGN(Labels labels, term(left.substr(begin, comma - begin), ranks[operand], &ellipsis));
    e.in.push_back(std::move(labels));
    begin = comma + 1;
  }
  if (operand != ranks.size())
    return invalid("Einsum: the equation '", text, "' has ", operand, " terms for ", ranks.size(), " operands");
  std::array<int, kMaxLabels> seen{};
  for (auto& labels : e.in)
    for (uint8_t l : labels) ++seen[l];
  if (arrow != std::string_view::npos) {
    TENON_ASSIGN(e.out, term(text.substr(arrow + 2), -1, &ellipsis));
    std::array<bool, kMaxLabels> given{};
    for (uint8_t l : e.out) {
      if (!seen[l] || given[l])
        return invalid("Einsum: the output of '", text, "' has a letter that is ",
                       given[l] ? "there twice" : "in no operand");
      given[l] = true;
    }
  } else {  // the ellipsis, then the letters that stand once, in order
    for (int64_t k = ellipsis; k-- > 0;) e.out.push_back(static_cast<uint8_t>(kEllipsis + k));
    for (uint8_t l = 0; l < kEllipsis; ++l)
      if (seen[l] == 1) e.out.push_back(l);
  }
  return e;
}

Status einsum_shape(InferContext& c) {
  std::vector<int> ranks;
  for (size_t i = 0; i < c.in.size(); ++i) {
    if (!c.has_shape(i)) {
      c.set(0, c.dtype(0));
      return {};
    }
    ranks.push_back(c.rank(i));
  }
  TENON_ASSIGN(Equation e, parse(c.node().string_or("equation", ""), ranks));
  std::array<Dim, kMaxLabels> dims;
  std::array<bool, kMaxLabels> known{};
  for (size_t i = 0; i < e.in.size(); ++i)
    for (size_t k = 0; k < e.in[i].size(); ++k) {
      uint8_t l = e.in[i][k];
      Dim d = c.shape(i)[k];
      if (!known[l]) dims[l] = d;
      else if (dims[l].is_const() && d.is_const() && dims[l].value() != d.value() && !dims[l].is(1) && !d.is(1))
        return invalid("Einsum: dimension ", static_cast<int64_t>(k), " of operand ", i, " is ", d,
                       " where the same letter was ", dims[l]);
      else dims[l] = ir::dim_broadcast(dims[l], d);
      known[l] = true;
    }
  DimVector out;
  for (uint8_t l : e.out) out.push_back(dims[l]);
  c.set(0, c.dtype(0), std::move(out));
  return {};
}

/// A dense tensor in scratch with distinct labels.
template <class T>
struct Operand {
  const T* data = nullptr;
  Labels labels;
  Dims dims;
  int find(uint8_t l) const {
    for (size_t i = 0; i < labels.size(); ++i)
      if (labels[i] == l) return static_cast<int>(i);
    return -1;
  }
};

template <class T>
class Contraction {
 public:
  Contraction(KernelContext& c, const std::array<int64_t, kMaxLabels>& sizes) : c_(c), sizes_(sizes) {}

  /// The labels in this order, as a dense tensor; the operand itself when it is so already.
  Result<const T*> arranged(const Operand<T>& x, const Labels& order) {
    Dims strides = row_major_strides(x.dims), from, dims;
    bool same = x.labels.size() == order.size();
    for (size_t i = 0; i < order.size(); ++i) {
      int k = x.find(order[i]);
      same = same && k == static_cast<int>(i);
      from.push_back(strides[static_cast<size_t>(k)]);
      dims.push_back(x.dims[static_cast<size_t>(k)]);
    }
    if (same) return x.data;
    TENON_ASSIGN(T * to, memory(product(dims)));
    kernels::copy_strided(to, row_major_strides(dims), x.data, from, dims, sizeof(T), c_.team());
    return static_cast<const T*>(to);
  }

  /// Distinct labels: diagonals are taken, dimensions of 1 that others have larger are dropped.
  Result<Operand<T>> distinct(const T* data, const Labels& labels, std::span<const int64_t> dims) {
    Operand<T> x;
    Dims strides = row_major_strides(dims), from;
    for (size_t i = 0; i < labels.size(); ++i) {
      if (dims[i] == 1 && sizes_[labels[i]] != 1) continue;
      int k = x.find(labels[i]);
      if (k >= 0) {
        from[static_cast<size_t>(k)] += strides[i];
        continue;
      }
      x.labels.push_back(labels[i]);
      x.dims.push_back(dims[i]);
      from.push_back(strides[i]);
    }
    x.data = data;
    if (x.labels.size() == labels.size()) return x;
    TENON_ASSIGN(T * to, memory(product(x.dims)));
    kernels::copy_strided(to, row_major_strides(x.dims), data, from, x.dims, sizeof(T), c_.team());
    x.data = to;
    return x;
  }

  /// Sums over the labels that are not needed.
  Result<Operand<T>> summed(Operand<T> x, const std::array<bool, kMaxLabels>& needed) {
    Labels keep, drop;
    for (uint8_t l : x.labels) (needed[l] ? keep : drop).push_back(l);
    if (drop.empty()) return x;
    Labels order = keep;
    order.append(drop.data(), drop.size());
    TENON_ASSIGN(const T* rows, arranged(x, order));
    Operand<T> y;
    y.labels = keep;
    for (uint8_t l : keep) y.dims.push_back(sizes_[l]);
    int64_t inner = 1, outer = product(y.dims);
    for (uint8_t l : drop) inner *= sizes_[l];
    TENON_ASSIGN(T * to, memory(outer));
    c_.team().parallel_for_cost(outer, static_cast<double>(inner), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_floating_point_v<T>) {
          double sum = 0;
          for (int64_t k = 0; k < inner; ++k) sum += static_cast<double>(rows[i * inner + k]);
          to[i] = static_cast<T>(sum);
        } else {
          T sum = 0;
          for (int64_t k = 0; k < inner; ++k) sum += rows[i * inner + k];
          to[i] = sum;
        }
      }
    });
    y.data = to;
    return y;
  }

  /// The product of two operands, summed over what both have and nobody needs any more.
  Result<Operand<T>> product_of(const Operand<T>& a, const Operand<T>& b, const std::array<bool, kMaxLabels>& needed) {
    Labels batch, left, right, inner;
    for (uint8_t l : a.labels) {
      if (b.find(l) < 0) left.push_back(l);
      else (needed[l] ? batch : inner).push_back(l);
    }
    for (uint8_t l : b.labels)
      if (a.find(l) < 0) right.push_back(l);
    auto size = [&](const Labels& labels) {
      int64_t n = 1;
      for (uint8_t l : labels) n *= sizes_[l];
      return n;
    };
    Labels order_a = batch, order_b = batch;
    order_a.append(left.data(), left.size());
    order_a.append(inner.data(), inner.size());
    order_b.append(inner.data(), inner.size());
    order_b.append(right.data(), right.size());
    TENON_ASSIGN(const T* pa, arranged(a, order_a));
    TENON_ASSIGN(const T* pb, arranged(b, order_b));
    Operand<T> y;
    y.labels = batch;
    y.labels.append(left.data(), left.size());
    y.labels.append(right.data(), right.size());
    for (uint8_t l : y.labels) y.dims.push_back(sizes_[l]);
    const int64_t batches = size(batch), m = size(left), n = size(right), k = size(inner);
    TENON_ASSIGN(int64_t count, checked_count(y.dims));
    TENON_ASSIGN(T * to, memory(count));
    y.data = to;
    if (count == 0) return y;
    if constexpr (std::is_floating_point_v<T>) {
      kernels::Gemm<T> g;
      g.m = m;
      g.n = n;
      g.k = k;
      g.a = pa;
      g.lda = std::max<int64_t>(k, 1);
      g.b = pb;
      g.ldb = g.ldc = n;
      g.c = to;
      g.batch = batches;
      g.stride_a = m * k;
      g.stride_b = k * n;
      g.stride_c = m * n;
      TENON_ASSIGN(void* scratch, c_.scratch(static_cast<size_t>(kernels::gemm_scratch_bytes(g, c_.team().width()))));
      kernels::gemm(g, c_.team(), scratch);
    } else {
      for (int64_t i = 0; i < batches; ++i)
        whole_matmul(pa + i * m * k, pb + i * k * n, to + i * m * n, m, n, k, false, false, c_.team());
    }
    return y;
  }

 private:
  Result<T*> memory(int64_t count) {
    TENON_ASSIGN(void* p, c_.scratch(static_cast<size_t>(count) * sizeof(T)));
    return static_cast<T*>(p);
  }
  KernelContext& c_;
  const std::array<int64_t, kMaxLabels>& sizes_;
};

/// T computes; whole numbers wrap in 64 bits, whose low bits are those of every narrower type.
template <class T>
Status run_typed(KernelContext& c) {
  std::vector<int> ranks;
  for (size_t i = 0; i < c.inputs(); ++i) ranks.push_back(c.in(i).rank);
  TENON_ASSIGN(Equation e, parse(c.node().string_or("equation", ""), ranks));
  std::array<int64_t, kMaxLabels> sizes;
  sizes.fill(1);
  for (size_t i = 0; i < c.inputs(); ++i)
    for (size_t k = 0; k < e.in[i].size(); ++k) {
      int64_t d = c.in(i).dims[k], &size = sizes[e.in[i][k]];
      if (d != size && d != 1 && size != 1)
        return invalid("Einsum: operand ", i, " has ", d, " where the same letter was ", size);
      if (d != 1) size = d;
    }
  Contraction<T> work(c, sizes);
  Operand<T> all;
  for (size_t i = 0; i < c.inputs(); ++i) {
    std::array<bool, kMaxLabels> later{}, anywhere{};
    for (uint8_t l : e.out) later[l] = anywhere[l] = true;
    for (size_t j = i + 1; j < e.in.size(); ++j)
      for (uint8_t l : e.in[j]) later[l] = anywhere[l] = true;
    for (uint8_t l : all.labels) anywhere[l] = true;
    const T* data = nullptr;
    if constexpr (std::is_floating_point_v<T>) {
      TENON_ASSIGN(data, input_as<T>(c, i));
    } else {
      TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(c.in(i).count) * sizeof(T)));
      convert(c.in(i).dtype, c.in(i).data, DType::kI64, p, c.in(i).count, true, c.team());
      data = static_cast<const T*>(p);
    }
    TENON_ASSIGN(Operand<T> x, work.distinct(data, e.in[i], c.in(i).shape()));
    TENON_ASSIGN(x, work.summed(std::move(x), anywhere));
    if (i == 0) {
      TENON_ASSIGN(all, work.summed(std::move(x), later));
      continue;
    }
    // What only the product so far has and nobody needs is summed before, the rest by the product.
    std::array<bool, kMaxLabels> before = later;
    for (uint8_t l : x.labels) before[l] = true;
    TENON_ASSIGN(all, work.summed(std::move(all), before));
    TENON_ASSIGN(all, work.product_of(all, x, later));
    TENON_ASSIGN(all, work.summed(std::move(all), later));  // letters that an operand had as 1
  }
  TENON_ASSIGN(const T* result, work.arranged(all, e.out));
  if constexpr (std::is_floating_point_v<T>)
    convert(dtype_of<T>, result, c.out(0).dtype, c.out(0).data, c.out(0).count, true, c.team());
  else convert(DType::kI64, result, c.out(0).dtype, c.out(0).data, c.out(0).count, true, c.team());
  return {};
}

Status run_einsum(KernelContext& c) {
  DType t = c.in(0).dtype;
  return t == DType::kF64 ? run_typed<double>(c) : kFloats.has(t) ? run_typed<float>(c) : run_typed<uint64_t>(c);
}

}  // namespace

TENON_OP(einsum){
    .name = "Einsum",
    .since = {12, 28},
    .in = {variadic(port("Inputs", kNumbers, "T"))},
    .out = {port("Output", kNumbers, "T")},
    .attributes = {{"equation", 's', true}},
    .shape = einsum_shape,
};
TENON_CPU(einsum){{{{.name = "pairs", .run = run_einsum}}}};

TENON_CASES(einsum) {
  cases.types(kNumbers);
  auto a = values({2, 3}, {1, 2, 3, 4, 5, 6});
  auto b = values({3, 2}, {1, 0, 2, 1, 0, 3});
  cases.add("product").in(a).in(b).attr_s("equation", "ij,jk->ik").out(values({2, 2}, {5, 11, 14, 23}));
  cases.add("implicit output").in(a).in(b).attr_s("equation", "ij, jk").out(values({2, 2}, {5, 11, 14, 23}));
  cases.add("transpose").in(a).attr_s("equation", "ij->ji").out(values({3, 2}, {1, 4, 2, 5, 3, 6}));
  cases.add("sum").in(a).attr_s("equation", "ij->i").out(values({2}, {6, 15}));
  cases.add("sum of all").in(a).attr_s("equation", "ij->").out(values({}, {21}));
  cases.add("trace").in(values({2, 2}, {1, 2, 3, 4})).attr_s("equation", "ii").out(values({}, {5}));
  cases.add("diagonal").in(values({2, 2}, {1, 2, 3, 4})).attr_s("equation", "ii->i").out(values({2}, {1, 4}));
  cases.add("outer")
      .in(values({2}, {1, 2}))
      .in(values({3}, {3, 4, 5}))
      .attr_s("equation", "i,j->ij")
      .out(values({2, 3}, {3, 4, 5, 6, 8, 10}));
  cases.add("element by element")
      .in(a)
      .in(a)
      .attr_s("equation", "ij,ij->ij")
      .out(values({2, 3}, {1, 4, 9, 16, 25, 36}));
  cases.add("batch with ellipsis")
      .in(values({2, 1, 2}, {1, 2, 3, 4}))
      .in(values({2, 2, 1}, {1, 2, 3, 4}))
      .attr_s("equation", "...ij,...jk->...ik")
      .out(values({2, 1, 1}, {5, 25}));
  cases.add("three")
      .in(values({2}, {1, 2}))
      .in(values({2, 2}, {1, 2, 3, 4}))
      .in(values({2}, {1, 1}))
      .attr_s("equation", "i,ij,j->")
      .out(values({}, {17}));
  cases.add("sum on one side").in(a).in(values({2}, {1, 2})).attr_s("equation", "ij,i->i").out(values({2}, {6, 30}));
  cases.add("broadcast of one")
      .in(values({1, 2}, {1, 2}))
      .in(values({3, 2}, {1, 2, 3, 4, 5, 6}))
      .attr_s("equation", "ij,ij->ij")
      .out(values({3, 2}, {1, 4, 3, 8, 5, 12}));
  cases.add("wrong rank")
      .in(typed(DType::kF32, range({2, 3}, 0, 1)))
      .attr_s("equation", "ijk->i")
      .fails("names 3 dimensions");
  cases.add("unknown letter")
      .in(typed(DType::kF32, range({2, 3}, 0, 1)))
      .attr_s("equation", "ij->k")
      .fails("in no operand");
  cases.add("sizes differ")
      .in(typed(DType::kF32, range({2, 3}, 0, 1)))
      .in(typed(DType::kF32, range({2, 3}, 0, 1)))
      .attr_s("equation", "ij,jk->ik")
      .fails("Einsum");
}

}  // namespace tenon::ops
