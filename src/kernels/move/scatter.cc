// ScatterElements and ScatterND with their reductions by element type.
// SPDX-License-Identifier: MIT
#include "kernels/move/scatter.h"

#include <cmath>
#include <type_traits>

#include "base/small_float.h"
#include "kernels/move/loop.h"

namespace tenon::kernels {
namespace {

// How an element type is read into arithmetic and written back.
template <class T>
struct Plain {
  using Memory = T;
  using Value = T;
  static T read(T v) { return v; }
  static T write(T v) { return v; }
};
struct Half {
  using Memory = uint16_t;
  using Value = float;
  static float read(uint16_t v) { return f16_to_f32(v); }
  static uint16_t write(float v) { return f32_to_f16(v); }
};
struct Brain {
  using Memory = uint16_t;
  using Value = float;
  static float read(uint16_t v) { return bf16_to_f32(v); }
  static uint16_t write(float v) { return f32_to_bf16(v); }
};
template <const FloatFormat& kFormat>
struct Eight {
  using Memory = uint8_t;
  using Value = float;
  static float read(uint8_t v) { return small_float_to_f32(v, kFormat); }
  static uint8_t write(float v) { return static_cast<uint8_t>(f32_to_small_float(v, kFormat, true)); }
};
struct Truth {
  using Memory = uint8_t;
  using Value = bool;
  static bool read(uint8_t v) { return v != 0; }
  static uint8_t write(bool v) { return v; }
};

template <class T>
T reduce(ScatterOp op, T old, T update) {
  if constexpr (std::is_same_v<T, bool>) {
    return op == ScatterOp::kAdd || op == ScatterOp::kMax ? old || update : old && update;
  } else if constexpr (std::is_integral_v<T>) {
    using U = std::conditional_t<(sizeof(T) < 4), uint32_t, std::make_unsigned_t<T>>;  // wraps
    switch (op) {
      case ScatterOp::kAdd: return static_cast<T>(static_cast<U>(old) + static_cast<U>(update));
      case ScatterOp::kMul: return static_cast<T>(static_cast<U>(old) * static_cast<U>(update));
      case ScatterOp::kMin: return std::min(old, update);
      default: return std::max(old, update);
    }
  } else {
    switch (op) {
      case ScatterOp::kAdd: return old + update;
      case ScatterOp::kMul: return old * update;
      case ScatterOp::kMin: return std::isnan(old) || old < update ? old : update;
      default: return std::isnan(old) || old > update ? old : update;
    }
  }
}

// Calls f with the access type of the element type; false when it has no reductions.
template <class F>
bool with_type(DType t, F&& f) {
  switch (t) {
    case DType::kF32: f(Plain<float>()); return true;
    case DType::kF64: f(Plain<double>()); return true;
    case DType::kU8: f(Plain<uint8_t>()); return true;
    case DType::kI8: f(Plain<int8_t>()); return true;
    case DType::kU16: f(Plain<uint16_t>()); return true;
    case DType::kI16: f(Plain<int16_t>()); return true;
    case DType::kU32: f(Plain<uint32_t>()); return true;
    case DType::kI32: f(Plain<int32_t>()); return true;
    case DType::kU64: f(Plain<uint64_t>()); return true;
    case DType::kI64: f(Plain<int64_t>()); return true;
    case DType::kBool: f(Truth()); return true;
    case DType::kF16: f(Half()); return true;
    case DType::kBF16: f(Brain()); return true;
    case DType::kF8E4M3FN: f(Eight<kFormatE4M3FN>()); return true;
    case DType::kF8E4M3FNUZ: f(Eight<kFormatE4M3FNUZ>()); return true;
    case DType::kF8E5M2: f(Eight<kFormatE5M2>()); return true;
    case DType::kF8E5M2FNUZ: f(Eight<kFormatE5M2FNUZ>()); return true;
    default: return false;
  }
}

Status check_type(DType dtype, ScatterOp op) {
  if (byte_width(dtype) == 0) return error(Code::kNotImplemented, "scatter of packed ", name(dtype));
  if (op != ScatterOp::kNone && !with_type(dtype, [](auto) {})) {
    return error(Code::kNotImplemented, "scatter with a reduction of ", name(dtype));
  }
  return {};
}

// Applies one row of n updates to n elements.
void apply_row(void* dst, int64_t to, const void* updates, int64_t from, int64_t n, DType dtype, ScatterOp op) {
  if (op == ScatterOp::kNone) {
    const int width = byte_width(dtype);
    std::memcpy(byte_at(dst, to, width), byte_at(updates, from, width), static_cast<size_t>(n * width));
    return;
  }
  with_type(dtype, [&](auto access) {
    using A = decltype(access);
    using M = typename A::Memory;
    for (int64_t i = 0; i < n; ++i) {
      const auto old = A::read(load<M>(dst, to + i)), update = A::read(load<M>(updates, from + i));
      store(dst, to + i, A::write(reduce<typename A::Value>(op, old, update)));
    }
  });
}

}  // namespace

Status scatter_elements(void* dst, DType dtype, std::span<const int64_t> dims, const Indices& indices,
                        std::span<const int64_t> index_dims, const void* updates, int64_t axis, ScatterOp op,
                        const Team& team) {
  const size_t rank = dims.size(), a = static_cast<size_t>(axis);
  if (index_dims.size() != rank) return invalid("indices have rank ", index_dims.size(), ", data has rank ", rank);
  for (size_t i = 0; i < rank; ++i) {
    if (i != a && index_dims[i] > dims[i]) {
      return invalid("indices have ", index_dims[i], " in dimension ", i, " where data has ", dims[i]);
    }
  }
  TENON_TRY(check_type(dtype, op));
  TENON_TRY(check_indices(indices, dims[a], team));
  // Lines along the axis never meet, so each is a unit of work; inside a line the order of the indices is kept.
  const Dims to = row_major_strides(dims), from = row_major_strides(index_dims);
  const int64_t size = dims[a], to_axis = to[a], from_axis = from[a], n = index_dims[a];
  Loop<2> lines{Dims(index_dims), {to, from}};
  lines.dims[a] = n == 0 ? 0 : 1;
  if (!collapse(&lines, 1)) return {};
  const auto run = [&](auto&& element) {
    team.parallel_for_cost(product(lines.dims), 5.0 * static_cast<double>(n), [&](int64_t begin, int64_t end) {
      constexpr int64_t kTogether = 16;  // neighbouring lines are walked side by side: they share cache lines
      Odometer<2> at(lines, lines.dims.size(), begin);
      for (int64_t i = begin; i < end; i += kTogether) {
        const int64_t count = std::min(kTogether, end - i);
        int64_t first_to[kTogether], first_from[kTogether];
        for (int64_t k = 0; k < count; ++k, at.next()) {
          first_to[k] = at.offset[0];
          first_from[k] = at.offset[1];
        }
        for (int64_t j = 0; j < n; ++j) {
          for (int64_t k = 0; k < count; ++k) {
            const int64_t source = first_from[k] + j * from_axis;
            int64_t index = indices[source];
            if (index < 0) index += size;
            element(first_to[k] + index * to_axis, source);
          }
        }
      }
    });
  };
  if (op == ScatterOp::kNone) {
    by_width(byte_width(dtype), [&](auto u) {
      using U = decltype(u);
      run([&](int64_t target, int64_t source) { store(dst, target, load<U>(updates, source)); });
    });
  } else {
    with_type(dtype, [&](auto access) {
      using A = decltype(access);
      using M = typename A::Memory;
      run([&](int64_t target, int64_t source) {
        const auto old = A::read(load<M>(dst, target)), update = A::read(load<M>(updates, source));
        store(dst, target, A::write(reduce<typename A::Value>(op, old, update)));
      });
    });
  }
  return {};
}

Status scatter_nd(void* dst, DType dtype, std::span<const int64_t> dims, const Indices& indices,
                  std::span<const int64_t> index_dims, const void* updates, ScatterOp op, const Team& team) {
  if (index_dims.empty()) return invalid("indices are a scalar; their last dimension must be the length of a tuple");
  const int64_t tuple = index_dims.back();
  if (tuple < 0 || tuple > static_cast<int64_t>(dims.size())) {
    return invalid("tuples of ", tuple, " for data of rank ", dims.size());
  }
  TENON_TRY(check_type(dtype, op));
  const size_t t = static_cast<size_t>(tuple);
  const int64_t items = product(index_dims, 0, index_dims.size() - 1), inner = product(dims, t, dims.size());
  const Dims strides = row_major_strides(dims);
  for (int64_t i = 0; i < items * tuple; ++i) {
    const int64_t size = dims[static_cast<size_t>(i % tuple)], v = indices[i];
    if (v < -size || v >= size) [[unlikely]] {
      return invalid("index ", v, " at position ", i, " is outside of [", -size, ", ", size - 1, "] of dimension ",
                     i % tuple);
    }
  }
  if (items == 0 || inner == 0) return {};
  // Tuples may repeat, so they are applied in order; the threads share out the elements of a row.
  const auto apply = [&](int64_t begin, int64_t end) {
    for (int64_t i = 0; i < items; ++i) {
      int64_t to = 0;
      for (size_t k = 0; k < t; ++k) {
        int64_t v = indices[i * tuple + static_cast<int64_t>(k)];
        if (v < 0) v += dims[k];
        to += v * strides[k];
      }
      apply_row(dst, to + begin, updates, i * inner + begin, end - begin, dtype, op);
    }
  };
  constexpr int64_t kRowBlock = 256;
  const int64_t blocks = (inner + kRowBlock - 1) / kRowBlock;
  team.parallel_for_cost(
      blocks, static_cast<double>(items) * (5.0 * static_cast<double>(tuple) + 30.0),
      [&](int64_t begin, int64_t end) { apply(begin * kRowBlock, std::min(inner, end * kRowBlock)); });
  return {};
}

}  // namespace tenon::kernels
