// MatMulNBits: A times the transpose of weights of 2, 4 or 8 bits with a scale and zero point for each block along k.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "kernels/gemm/gemm.h"
#include "kernels/quant/nbits.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

struct NbitsShape {
  int64_t k = 0, n = 0, bits = 4, block = 32;
  int64_t blocks() const { return (k + block - 1) / block; }
  int64_t block_bytes() const { return block * bits / 8; }
  int64_t zero_bytes() const { return (blocks() * bits + 7) / 8; }
};

Result<NbitsShape> shape_of(const ir::Node& node) {
  NbitsShape s{node.int_or("K", 0), node.int_or("N", 0), node.int_or("bits", 4), node.int_or("block_size", 0)};
  if (s.bits != 2 && s.bits != 4 && s.bits != 8)
    return error(Code::kNotImplemented, "MatMulNBits: weights of ", s.bits, " bits; 2, 4 and 8 are supported");
  if (s.k < 1 || s.n < 1 || s.k > (int64_t{1} << 31) || s.n > (int64_t{1} << 31))
    return invalid("MatMulNBits: K ", s.k, " or N ", s.n, " is out of range");
  if (s.block < 16 || (s.block & (s.block - 1)) || s.block > (int64_t{1} << 31))
    return invalid("MatMulNBits: block_size ", s.block, " is no power of two from 16 on");
  if (node.int_or("weight_prepacked", 0) != 0)
    return error(Code::kNotImplemented, "MatMulNBits: prepacked weights of another engine");
  return s;
}

Status nbits_shape(InferContext& c) {
  TENON_ASSIGN(auto s, shape_of(c.node()));
  if (auto n = c.count(1); n && *n != s.n * s.blocks() * s.block_bytes())
    return invalid("MatMulNBits: B has ", *n, " bytes, N ", s.n, ", K ", s.k, " and block_size ", s.block, " ask for ",
                   s.n * s.blocks() * s.block_bytes());
  if (auto n = c.count(2); n && *n != s.n * s.blocks())
    return invalid("MatMulNBits: ", *n, " scales, ", s.n * s.blocks(), " are needed");
  if (auto n = c.count(3); n && c.has(3)) {
    int64_t want = c.dtype(3) == DType::kU8 ? s.n * s.zero_bytes() : s.n * s.blocks();
    if (*n != want) return invalid("MatMulNBits: zero_points has ", *n, " elements, ", want, " are needed");
  }
  if (auto n = c.count(4); n && c.has(4) && *n < s.k)
    return invalid("MatMulNBits: g_idx has ", *n, " elements, K is ", s.k);
  if (auto n = c.count(5); n && c.has(5) && *n != s.n)
    return invalid("MatMulNBits: the bias has ", *n, " elements, N is ", s.n);
  if (!c.has_shape(0)) {
    c.set(0, c.dtype(0));
    return {};
  }
  DimVector dims = c.shape(0);
  if (dims.empty() || (dims.back().is_const() && dims.back().value() != s.k))
    return invalid("MatMulNBits: A ", ir::dims_text(dims), " does not end with K = ", s.k);
  dims.back() = Dim(s.n);
  c.set(0, c.dtype(0), std::move(dims));
  return {};
}

/// out [n, k] = (q - zero) * scale.
template <class T>
Status dequantize(const NbitsShape& s, const TensorRef& b, const TensorRef& scales, const TensorRef* zeros,
                  const TensorRef* groups, T* out, const Team& team) {
  int64_t per_byte = 8 / s.bits;
  uint32_t mask = (1u << s.bits) - 1;
  std::vector<T> scale(static_cast<size_t>(scales.count)), zero;
  convert(scales.dtype, scales.data, dtype_of<T>, scale.data(), scales.count);
  if (zeros && zeros->dtype != DType::kU8) {
    zero.resize(static_cast<size_t>(zeros->count));
    convert(zeros->dtype, zeros->data, dtype_of<T>, zero.data(), zeros->count);
  }
  if (groups)
    for (int64_t i = 0; i < s.k; ++i)
      if (int32_t g = groups->as<int32_t>()[i]; g < 0 || g >= s.blocks())
        return invalid("MatMulNBits: g_idx ", g, " is outside of ", s.blocks(), " blocks");
  const uint8_t* bytes = b.as<uint8_t>();
  team.parallel_for_cost(s.n, static_cast<double>(s.k), [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const uint8_t* q = bytes + row * s.blocks() * s.block_bytes();
      for (int64_t k = 0; k < s.k; ++k) {
        int64_t block = groups ? groups->as<int32_t>()[k] : k / s.block;
        T z = static_cast<T>(1 << (s.bits - 1));
        if (!zero.empty()) z = zero[static_cast<size_t>(row * s.blocks() + block)];
        else if (zeros)
          z = static_cast<T>(
              zeros->as<uint8_t>()[row * s.zero_bytes() + block / per_byte] >> (block % per_byte * s.bits) & mask);
        uint32_t code = q[k / per_byte] >> (k % per_byte * s.bits) & mask;
        out[row * s.k + k] = (static_cast<T>(code) - z) * scale[static_cast<size_t>(row * s.blocks() + block)];
      }
    }
  });
  return {};
}

/// accuracy_level 4: the rows of A as 8-bit integers with a scale for each block, back in floats. What the integer
/// product of such operands gives, without its speed.
void round_to_8_bits(const NbitsShape& s, const float* a, float* out, int64_t rows, const Team& team) {
  team.parallel_for_cost(rows, 2.0 * static_cast<double>(s.k), [&](int64_t begin, int64_t end) {
    for (int64_t at = begin * s.k; at < end * s.k;) {
      int64_t n = std::min(s.block, s.k - at % s.k);
      float largest = 0;
      for (int64_t i = 0; i < n; ++i) largest = std::max(largest, std::fabs(a[at + i]));
      float scale = largest / 127, inverse = scale > 0 ? 1 / scale : 0;
      for (int64_t i = 0; i < n; ++i) out[at + i] = std::nearbyint(a[at + i] * inverse) * scale;
      at += n;
    }
  });
}

/// Weights that stay in their bits: all constant, zero points as codes, blocks in the order of k.
bool can_keep_bits(const KernelQuery& q) {
  return q.constant(1) && q.constant(2) && !q.has(4) && (!q.has(3) || (q.constant(3) && q.in_type(3) == DType::kU8));
}

struct PackedState final : KernelState {
  kernels::PackedNbits packed;
  bool rounds_a = false;
};

Result<StatePtr> pack_bits(PackContext& c) {
  auto s = std::make_unique<PackedState>();
  TENON_ASSIGN(auto shape, shape_of(c.node()));
  s->rounds_a = c.node().int_or("accuracy_level", 0) == 4 && shape.bits != 2;
  std::vector<float> scales = constant_as<float>(c.constant(2));
  kernels::NbitsWeights w;
  w.n = shape.n;
  w.k = shape.k;
  w.block = shape.block;
  w.bits = static_cast<int>(shape.bits);
  w.codes = c.constant(1)->as<uint8_t>();
  w.scales = scales.data();
  if (c.has(3)) w.zeros = c.constant(3)->as<uint8_t>();
  TENON_ASSIGN(s->packed, kernels::pack_nbits(w, c.team()));
  for (size_t i = 1; i < 4; ++i)
    if (c.has(i)) c.release(i);
  return StatePtr(std::move(s));
}

Status run_bits(KernelContext& c) {
  const auto& s = c.state<PackedState>();
  kernels::NbitsProduct p;
  TENON_ASSIGN(p.a, input_as<float>(c, 0));
  TENON_ASSIGN(p.bias, input_as<float>(c, 5));
  TENON_ASSIGN(auto to, OutputAs<float>::of(c, 0));
  p.b = &s.packed;
  p.c = to.data();
  p.m = c.in(0).count / s.packed.k;
  p.round_a = s.rounds_a;
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::nbits_scratch_bytes(p))));
  kernels::nbits_product(p, scratch, c.team());
  to.finish();
  return {};
}

struct NbitsState final : KernelState {
  NbitsShape shape;
  bool rounds_a = false;
  kernels::PackedB<float> packed;
};

Result<StatePtr> pack_nbits(PackContext& c) {
  auto s = std::make_unique<NbitsState>();
  TENON_ASSIGN(s->shape, shape_of(c.node()));
  s->rounds_a = c.node().int_or("accuracy_level", 0) == 4 && s->shape.bits != 2 && !c.has(4);
  const Tensor *b = c.constant(1), *scales = c.constant(2), *zeros = c.constant(3), *groups = c.constant(4);
  if (!b || !scales || (c.has(3) && !zeros) || (c.has(4) && !groups)) return StatePtr(std::move(s));
  TENON_ASSIGN(auto weights, Buffer::allocate(static_cast<size_t>(s->shape.n * s->shape.k) * sizeof(float)));
  TensorRef z, g;
  if (zeros) z = zeros->ref();
  if (groups) g = groups->ref();
  TENON_TRY(dequantize(s->shape, b->ref(), scales->ref(), zeros ? &z : nullptr, groups ? &g : nullptr,
                       static_cast<float*>(weights->data()), c.team()));
  TENON_ASSIGN(s->packed, kernels::pack_b(static_cast<const float*>(weights->data()), s->shape.k, true, s->shape.k,
                                          s->shape.n, c.team()));
  for (size_t i = 1; i < 5; ++i)
    if (c.has(i)) c.release(i);
  return StatePtr(std::move(s));
}

Status run_nbits(KernelContext& c) {
  const auto& s = c.state<NbitsState>();
  kernels::Gemm<float> g;
  TENON_ASSIGN(g.a, input_as<float>(c, 0));
  g.n = s.shape.n;
  g.k = g.lda = s.shape.k;
  g.m = c.in(0).count / g.k;
  if (s.rounds_a) {
    TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(c.in(0).count) * sizeof(float)));
    round_to_8_bits(s.shape, g.a, static_cast<float*>(p), g.m, c.team());
    g.a = static_cast<const float*>(p);
  }
  if (s.packed.data) {
    g.packed = &s.packed;
  } else {
    TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(g.n * g.k) * sizeof(float)));
    TENON_TRY(dequantize(s.shape, c.in(1), c.in(2), c.has(3) ? &c.in(3) : nullptr, c.has(4) ? &c.in(4) : nullptr,
                         static_cast<float*>(p), c.team()));
    g.b = static_cast<const float*>(p);
    g.ldb = g.k;
    g.trans_b = true;
  }
  TENON_ASSIGN(g.bias_col, input_as<float>(c, 5));
  TENON_ASSIGN(auto to, OutputAs<float>::of(c, 0));
  g.c = to.data();
  g.ldc = g.n;
  TENON_ASSIGN(void* scratch, c.scratch(static_cast<size_t>(kernels::gemm_scratch_bytes(g, c.team().width()))));
  kernels::gemm(g, c.team(), scratch);
  to.finish();
  return {};
}

constexpr TypeSet kData{DType::kF32, DType::kF16, DType::kBF16};

}  // namespace

TENON_OP(matmul_nbits){
    .name = "MatMulNBits",
    .domain = "com.microsoft",
    .since = {1},
    .in = {port("A", kData, "T1"), port("B", TypeSet{DType::kU8}), port("scales", kData, "T1"),
           optional(port("zero_points", kData | TypeSet{DType::kU8})), optional(port("g_idx", TypeSet{DType::kI32})),
           optional(port("bias", kData, "T1"))},
    .out = {port("Y", kData, "T1")},
    .attributes = {{"K", 'i', true},
                   {"N", 'i', true},
                   {"accuracy_level", 'i'},
                   {"bits", 'i'},
                   {"block_size", 'i', true},
                   {"weight_prepacked", 'i'}},
    .shape = nbits_shape,
};
TENON_CPU(matmul_nbits){{
    {.name = "packed", .can = can_keep_bits, .pack = pack_bits, .run = run_bits, .lazy = true},
    {.name = "dequantised", .pack = pack_nbits, .run = run_nbits},
}};
TENON_CASES(matmul_nbits) {
  cases.types(kData);
  auto u = [](CaseTensor t) { return typed(DType::kU8, std::move(t)); };
  auto base = [&](std::string say) {
    return cases.add(std::move(say)).attr("K", 17).attr("N", 1).attr("block_size", 16);
  };
  CaseTensor a = values({1, 17}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2});
  // 16 times code 9 with scale 1, then once code 10 with scale 0.5; zero 8 unless given.
  CaseTensor b = u(values({1, 2, 8}, {0x99, 0x99, 0x99, 0x99, 0x99, 0x99, 0x99, 0x99, 10, 0, 0, 0, 0, 0, 0, 0}));
  base("no zero points").in(a).in(b).in(values({2}, {1, 0.5})).out(values({1, 1}, {18}));
  base("packed zero points and bias")
      .in(a)
      .in(b)
      .in(values({2}, {1, 0.5}))
      .in(u(values({1}, {0x87})))
      .in(missing())
      .in(values({1}, {3}))
      .out(values({1, 1}, {37}));
  base("activations in 8 bits")
      .attr("accuracy_level", 4)
      .in(a)
      .in(b)
      .in(values({2}, {1, 0.5}))
      .out(values({1, 1}, {18}));
  base("wrong scales")
      .in(typed(DType::kF32, a))
      .in(b)
      .in(typed(DType::kF32, values({1}, {1})))
      .fails("1 scales, 2 are needed");
}

}  // namespace tenon::ops
