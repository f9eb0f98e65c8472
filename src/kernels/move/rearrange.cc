// Depth and space, reversed sequences, roll, range, eye.
// SPDX-License-Identifier: MIT
#include "kernels/move/rearrange.h"

#include <cmath>

#include "base/small_float.h"
#include "kernels/move/copy.h"
#include "kernels/move/loop.h"
#include "kernels/move/transpose.h"

namespace tenon::kernels {

Status depth_to_space(void* dst, const void* src, int64_t n, int64_t c, int64_t h, int64_t w, int64_t block,
                      bool columns_first, int width, const Team& team) {
  if (block < 1 || block > 65536 || c % (block * block) != 0) {
    return invalid(c, " channels are not a multiple of the squared block size ", block);
  }
  const int64_t rest = c / (block * block);
  if (columns_first) {
    transpose(dst, src, Dims{n, rest, block, block, h, w}, Dims{0, 1, 4, 2, 5, 3}, width, team);
  } else {
    transpose(dst, src, Dims{n, block, block, rest, h, w}, Dims{0, 3, 4, 1, 5, 2}, width, team);
  }
  return {};
}

Status space_to_depth(void* dst, const void* src, int64_t n, int64_t c, int64_t h, int64_t w, int64_t block, int width,
                      const Team& team) {
  if (block < 1 || h % block != 0 || w % block != 0) {
    return invalid("height ", h, " and width ", w, " are not multiples of the block size ", block);
  }
  transpose(dst, src, Dims{n, c, h / block, block, w / block, block}, Dims{0, 3, 5, 1, 2, 4}, width, team);
  return {};
}

Status reverse_sequence(void* dst, const void* src, int64_t time, int64_t batch, int64_t inner, bool time_first,
                        const Indices& lengths, int width, const Team& team) {
  if (lengths.count != batch) return invalid(lengths.count, " sequence lengths for a batch of ", batch);
  for (int64_t b = 0; b < batch; ++b) {
    if (lengths[b] < 0 || lengths[b] > time) {
      return invalid("sequence length ", lengths[b], " at position ", b, " is outside of [0, ", time, "]");
    }
  }
  const int64_t row = inner * width;
  if (row == 0) return {};
  team.parallel_for_cost(time * batch, 3.0 + static_cast<double>(row) * 0.1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t t = time_first ? i / batch : i % time, b = time_first ? i % batch : i / time, length = lengths[b];
      const int64_t from_t = t < length ? length - 1 - t : t,
                    from = time_first ? from_t * batch + b : b * time + from_t;
      std::memcpy(byte_at(dst, i, row), byte_at(src, from, row), static_cast<size_t>(row));
    }
  });
  return {};
}

void roll(void* dst, const void* src, int64_t outer, int64_t axis, int64_t inner, int64_t shift, int width,
          const Team& team) {
  if (axis == 0) return;
  shift = ((shift % axis) + axis) % axis;
  const Dims strides{axis * inner, 1};
  copy_strided(byte_at(dst, shift * inner, width), strides, src, strides, Dims{outer, (axis - shift) * inner}, width,
               team);
  copy_strided(dst, strides, byte_at(src, (axis - shift) * inner, width), strides, Dims{outer, shift * inner}, width,
               team);
}

namespace {

template <class T>
Result<int64_t> count_float(double start, double limit, double delta) {
  if (delta == 0) return invalid("delta is 0");
  const double n = std::ceil((limit - start) / delta);
  if (std::isnan(n)) return invalid("start ", start, ", limit ", limit, ", delta ", delta, " give no count");
  if (n > static_cast<double>(kMaxSize)) return invalid("too many elements: ", n);
  return n > 0 ? static_cast<int64_t>(n) : int64_t{0};
}
Result<int64_t> count_integer(int64_t start, int64_t limit, int64_t delta) {
  if (delta == 0) return invalid("delta is 0");
  if (delta > 0 ? start >= limit : start <= limit) return int64_t{0};
  // Unsigned distances cannot overflow.
  const uint64_t low = static_cast<uint64_t>(start), high = static_cast<uint64_t>(limit);
  const uint64_t distance = delta > 0 ? high - low : low - high;
  const uint64_t step = delta > 0 ? static_cast<uint64_t>(delta) : uint64_t{0} - static_cast<uint64_t>(delta);
  const uint64_t n = (distance - 1) / step + 1;
  if (n > static_cast<uint64_t>(kMaxSize)) return invalid("too many elements: ", n);
  return static_cast<int64_t>(n);
}

}  // namespace

Result<int64_t> range_count(const void* start, const void* limit, const void* delta, DType dtype) {
  switch (dtype) {
    case DType::kF32: return count_float<float>(load<float>(start, 0), load<float>(limit, 0), load<float>(delta, 0));
    case DType::kF64:
      return count_float<double>(load<double>(start, 0), load<double>(limit, 0), load<double>(delta, 0));
    case DType::kF16:
      return count_float<float>(f16_to_f32(load<uint16_t>(start, 0)), f16_to_f32(load<uint16_t>(limit, 0)),
                                f16_to_f32(load<uint16_t>(delta, 0)));
    case DType::kBF16:
      return count_float<float>(bf16_to_f32(load<uint16_t>(start, 0)), bf16_to_f32(load<uint16_t>(limit, 0)),
                                bf16_to_f32(load<uint16_t>(delta, 0)));
    case DType::kI16: return count_integer(load<int16_t>(start, 0), load<int16_t>(limit, 0), load<int16_t>(delta, 0));
    case DType::kI32: return count_integer(load<int32_t>(start, 0), load<int32_t>(limit, 0), load<int32_t>(delta, 0));
    case DType::kI64: return count_integer(load<int64_t>(start, 0), load<int64_t>(limit, 0), load<int64_t>(delta, 0));
    default: return error(Code::kNotImplemented, "range of ", name(dtype));
  }
}

void range(void* dst, const void* start, const void* delta, int64_t count, DType dtype, const Team& team) {
  const auto run = [&](auto&& element) {
    team.parallel_for_cost(count, 1.0, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) store(dst, i, element(i));
    });
  };
  const auto floats = [&](auto first, auto step) {
    using T = decltype(first);
    return [=](int64_t i) { return static_cast<T>(first + static_cast<T>(i) * step); };
  };
  const auto integers = [&](auto first, auto step) {
    using T = decltype(first);
    return [=](int64_t i) {
      return static_cast<T>(static_cast<uint64_t>(first) + static_cast<uint64_t>(i) * static_cast<uint64_t>(step));
    };
  };
  switch (dtype) {
    case DType::kF32: run(floats(load<float>(start, 0), load<float>(delta, 0))); return;
    case DType::kF64: run(floats(load<double>(start, 0), load<double>(delta, 0))); return;
    case DType::kF16: {
      const auto f = floats(f16_to_f32(load<uint16_t>(start, 0)), f16_to_f32(load<uint16_t>(delta, 0)));
      run([&](int64_t i) { return f32_to_f16(f(i)); });
      return;
    }
    case DType::kBF16: {
      const auto f = floats(bf16_to_f32(load<uint16_t>(start, 0)), bf16_to_f32(load<uint16_t>(delta, 0)));
      run([&](int64_t i) { return f32_to_bf16(f(i)); });
      return;
    }
    case DType::kI16: run(integers(load<int16_t>(start, 0), load<int16_t>(delta, 0))); return;
    case DType::kI32: run(integers(load<int32_t>(start, 0), load<int32_t>(delta, 0))); return;
    case DType::kI64: run(integers(load<int64_t>(start, 0), load<int64_t>(delta, 0))); return;
    default: return;
  }
}

void eye(void* dst, int64_t rows, int64_t cols, int64_t k, const void* one, int width, const Team& team) {
  k = std::clamp(k, -rows - 1, cols + 1);
  team.parallel_for_cost(rows, static_cast<double>(cols * width) * 0.1 + 2, [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      std::memset(byte_at(dst, r * cols, width), 0, static_cast<size_t>(cols * width));
      const int64_t c = r + k;
      if (c >= 0 && c < cols) std::memcpy(byte_at(dst, r * cols + c, width), one, static_cast<size_t>(width));
    }
  });
}

}  // namespace tenon::kernels
