// Linear quantisation: data goes through blocks of fixed size, rows of which share their parameters.
// SPDX-License-Identifier: MIT
#include "kernels/quant/linear.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/small_float.h"
#include "kernels/move/packed.h"
#include "kernels/quant/linear_rows.h"

namespace tenon::kernels {
namespace {

constexpr int64_t kBlock = 4096;  // elements a thread takes at a time: packed types keep whole bytes
constexpr int64_t kTile = 256;    // parameters converted at a time

const FloatFormat* small_format(DType t) {
  switch (t) {
    case DType::kF8E4M3FN: return &kFormatE4M3FN;
    case DType::kF8E4M3FNUZ: return &kFormatE4M3FNUZ;
    case DType::kF8E5M2: return &kFormatE5M2;
    case DType::kF8E5M2FNUZ: return &kFormatE5M2FNUZ;
    case DType::kF4E2M1: return &kFormatE2M1;
    default: return nullptr;
  }
}
// Range of an integer type that can be quantised to, and the type of one unpacked element.
struct Limits {
  DType unpacked = DType::kUndefined;
  int32_t low = 0, high = 0;
};
Limits limits(DType t) {
  switch (t) {
    case DType::kU8: return {DType::kU8, 0, 255};
    case DType::kI8: return {DType::kI8, -128, 127};
    case DType::kU16: return {DType::kU16, 0, 65535};
    case DType::kI16: return {DType::kI16, -32768, 32767};
    case DType::kU4: return {DType::kU8, 0, 15};
    case DType::kI4: return {DType::kI8, -8, 7};
    case DType::kU2: return {DType::kU8, 0, 3};
    case DType::kI2: return {DType::kI8, -2, 1};
    default: return {};
  }
}
bool is_float(DType t) { return t == DType::kF32 || t == DType::kF16 || t == DType::kBF16; }

float read_float(const void* x, DType t, int64_t i) {
  if (t == DType::kF32) return static_cast<const float*>(x)[i];
  const uint16_t h = static_cast<const uint16_t*>(x)[i];
  return t == DType::kF16 ? f16_to_f32(h) : bf16_to_f32(h);
}
int32_t read_integer(const void* x, DType t, int64_t i) {
  switch (t) {
    case DType::kU8: return static_cast<const uint8_t*>(x)[i];
    case DType::kI8: return static_cast<const int8_t*>(x)[i];
    case DType::kU16: return static_cast<const uint16_t*>(x)[i];
    case DType::kI16: return static_cast<const int16_t*>(x)[i];
    case DType::kI32: return static_cast<const int32_t*>(x)[i];
    default: break;
  }
  const int bits = bit_width(t), per = 8 / bits;
  const int v = static_cast<const uint8_t*>(x)[i / per] >> (i % per * bits) & ((1 << bits) - 1);
  const bool is_signed = t == DType::kI4 || t == DType::kI2;
  return is_signed && v >> (bits - 1) ? v - (1 << bits) : v;
}

// Parameters by element: calls f(begin, n, row) for runs of [begin, end) with one row each.
struct Parameters {
  const QuantLayout& layout;
  const void* scale;
  DType scale_type;
  const void* zero;  // null: 0
  DType zero_type;

  template <class F>
  void each_row(int64_t begin, int64_t end, F&& f) const {
    const QuantLayout& q = layout;
    float scales[kTile];
    int32_t zeros[kTile];
    const int64_t blocks = q.blocked ? (q.axis + q.block - 1) / q.block : 0;
    // Neighbours have parameters of their own when the innermost index is one that parameters have.
    const bool each = q.blocked ? q.inner > 1 : q.inner == 1;
    for (int64_t at = begin; at < end;) {
      const int64_t k = at % q.inner, a = at / q.inner % q.axis, o = at / q.inner / q.axis;
      int64_t n, first;
      if (q.blocked) {
        first = (o * blocks + a / q.block) * q.inner + k;
        n = each ? q.inner - k : std::min(q.axis, (a / q.block + 1) * q.block) - a;
      } else {
        first = a;
        n = each ? q.axis - a : q.inner - k;
      }
      n = std::min(n, end - at);
      if (each) n = std::min(n, kTile);
      const int64_t wanted = each ? n : 1;
      for (int64_t i = 0; i < wanted; ++i) {
        scales[i] = read_float(scale, scale_type, first + i);
        zeros[i] = zero && !small_format(zero_type) ? read_integer(zero, zero_type, first + i) : 0;
      }
      f(at, n, QuantRow{scales, zeros, each ? 1 : 0});
      at += n;
    }
  }
};

Status check_layout(const QuantLayout& q) {
  if (q.outer < 0 || q.axis < 0 || q.inner < 0 || q.block < 1) return invalid("invalid layout of scales");
  return {};
}

}  // namespace

Status quantize_linear(void* y, DType y_type, const void* x, DType x_type, const void* scale, DType scale_type,
                       const void* zero_point, const QuantLayout& layout, bool saturate, const Team& team) {
  TENON_TRY(check_layout(layout));
  const FloatFormat* format = small_format(y_type);
  const Limits range = limits(y_type);
  if ((!format && range.unpacked == DType::kUndefined) || !(is_float(x_type) || x_type == DType::kI32) ||
      !is_float(scale_type)) {
    return error(Code::kNotImplemented, "quantising ", name(x_type), " with a scale of ", name(scale_type), " to ",
                 name(y_type));
  }
  const int64_t count = layout.count();
  const int bits = bit_width(y_type);
  const Parameters parameters{layout, scale, scale_type, zero_point, y_type};
  const double ns = kBlock * (format ? 12.0 : 0.4);
  team.parallel_for_cost((count + kBlock - 1) / kBlock, ns, [&](int64_t first, int64_t last) {
    uint8_t unpacked[kBlock];
    float values[kBlock];
    for (int64_t b = first; b < last; ++b) {
      const int64_t begin = b * kBlock, end = std::min(count, begin + kBlock);
      const float* source = static_cast<const float*>(x) + begin;
      if (x_type != DType::kF32) {
        for (int64_t i = begin; i < end; ++i) {
          values[i - begin] =
              x_type == DType::kI32 ? static_cast<float>(static_cast<const int32_t*>(x)[i]) : read_float(x, x_type, i);
        }
        source = values;
      }
      uint8_t* codes = bits < 8 ? unpacked : static_cast<uint8_t*>(y) + begin * bits / 8;
      parameters.each_row(begin, end, [&](int64_t at, int64_t n, const QuantRow& row) {
        const int64_t local = at - begin;
        if (!format) {
          quantize_row(codes + local * byte_width(range.unpacked), range.unpacked, source + local, n, row, range.low,
                       range.high);
          return;
        }
        for (int64_t i = 0; i < n; ++i) {
          codes[local + i] =
              static_cast<uint8_t>(f32_to_small_float(source[local + i] / row.scale[i * row.step], *format, saturate));
        }
      });
      if (bits < 8) pack_bits(static_cast<uint8_t*>(y) + begin * bits / 8, unpacked, end - begin, bits, Team());
    }
  });
  return {};
}

Status dequantize_linear(void* y, DType y_type, const void* x, DType x_type, const void* scale, DType scale_type,
                         const void* zero_point, const QuantLayout& layout, const Team& team) {
  TENON_TRY(check_layout(layout));
  const FloatFormat* format = small_format(x_type);
  const DType unpacked_type = x_type == DType::kI32 ? x_type : limits(x_type).unpacked;
  if ((!format && unpacked_type == DType::kUndefined) || !is_float(y_type) || !is_float(scale_type)) {
    return error(Code::kNotImplemented, "dequantising ", name(x_type), " with a scale of ", name(scale_type), " to ",
                 name(y_type));
  }
  const int64_t count = layout.count();
  const int bits = bit_width(x_type);
  float table[256];
  for (uint32_t code = 0; format && code < (1u << bits); ++code) table[code] = small_float_to_f32(code, *format);
  const Parameters parameters{layout, scale, scale_type, zero_point, x_type};
  team.parallel_for_cost((count + kBlock - 1) / kBlock, kBlock * 0.4, [&](int64_t first, int64_t last) {
    uint8_t unpacked[kBlock];
    float values[kBlock];
    for (int64_t b = first; b < last; ++b) {
      const int64_t begin = b * kBlock, end = std::min(count, begin + kBlock);
      const uint8_t* codes = static_cast<const uint8_t*>(x) + begin * bits / 8;
      if (bits < 8) {
        unpack_bits(unpacked, codes, end - begin, bits, unpacked_type == DType::kI8, Team());
        codes = unpacked;
      }
      float* target = y_type == DType::kF32 ? static_cast<float*>(y) + begin : values;
      parameters.each_row(begin, end, [&](int64_t at, int64_t n, const QuantRow& row) {
        const int64_t local = at - begin;
        if (!format) {
          dequantize_row(target + local, codes + local * byte_width(unpacked_type), unpacked_type, n, row);
          return;
        }
        for (int64_t i = 0; i < n; ++i) target[local + i] = table[codes[local + i]] * row.scale[i * row.step];
      });
      if (y_type == DType::kF32) continue;
      uint16_t* halves = static_cast<uint16_t*>(y) + begin;
      for (int64_t i = 0; i < end - begin; ++i) {
        halves[i] = y_type == DType::kF16 ? f32_to_f16(values[i]) : f32_to_bf16(values[i]);
      }
    }
  });
  return {};
}

void dynamic_quantize_linear(uint8_t* y, float* scale, uint8_t* zero_point, const float* x, int64_t count,
                             const Team& team) {
  constexpr int64_t kMostParts = 64, kPart = 16384;
  const int64_t parts = std::clamp<int64_t>(count / kPart, 1, kMostParts);
  float lows[kMostParts] = {}, highs[kMostParts] = {};  // 0 is always part of the range
  team.parallel_for_cost(parts, static_cast<double>(count) / static_cast<double>(parts) * 0.12,
                         [&](int64_t begin, int64_t end) {
                           for (int64_t p = begin; p < end; ++p) {
                             const int64_t from = count * p / parts, to = count * (p + 1) / parts;
                             value_range(x + from, to - from, &lows[p], &highs[p]);
                           }
                         });
  float low = 0, high = 0;
  for (int64_t p = 0; p < parts; ++p) {
    low = std::min(low, lows[p]);
    high = std::max(high, highs[p]);
  }
  *scale = low == high ? 1.0f : (high - low) / 255.0f;
  *zero_point = static_cast<uint8_t>(std::clamp(std::nearbyint(-low / *scale), 0.0f, 255.0f));
  const int32_t zero = *zero_point;
  const QuantRow row{scale, &zero, 0};
  team.parallel_for_cost((count + kBlock - 1) / kBlock, kBlock * 0.3, [&](int64_t begin, int64_t end) {
    const int64_t from = begin * kBlock, to = std::min(count, end * kBlock);
    quantize_row(y + from, DType::kU8, x + from, to - from, row, 0, 255);
  });
}

}  // namespace tenon::kernels
