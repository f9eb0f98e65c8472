// Conversions between case tensors and real tensors, and their comparison.
// SPDX-License-Identifier: MIT
#include "case_tensor.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/small_float.h"

namespace tenon::cases {
namespace {

/// Low 64 bits of a whole number; NaN is 0, values beyond int64 and uint64 saturate.
uint64_t low_bits(double v) {
  if (std::isnan(v)) return 0;
  v = std::trunc(v);
  if (v >= 18446744073709551616.0) return ~uint64_t{0};
  if (v >= 9223372036854775808.0) return static_cast<uint64_t>(v);
  if (v <= -9223372036854775808.0) return uint64_t{1} << 63;
  return static_cast<uint64_t>(static_cast<int64_t>(v));
}

template <class T>
void put(void* data, int64_t i, T v) {
  std::memcpy(static_cast<char*>(data) + i * static_cast<int64_t>(sizeof(T)), &v, sizeof(T));
}
template <class T>
T get(const void* data, int64_t i) {
  T v;
  std::memcpy(&v, static_cast<const char*>(data) + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
  return v;
}

const FloatFormat* format_of(DType t) {
  switch (t) {
    case DType::kF8E4M3FN: return &kFormatE4M3FN;
    case DType::kF8E4M3FNUZ: return &kFormatE4M3FNUZ;
    case DType::kF8E5M2: return &kFormatE5M2;
    case DType::kF8E5M2FNUZ: return &kFormatE5M2FNUZ;
    case DType::kF4E2M1: return &kFormatE2M1;
    default: return nullptr;
  }
}

uint8_t e8m0_of(double v) {
  if (std::isnan(v)) return 255;
  if (v <= 0) return 0;
  return static_cast<uint8_t>(std::clamp(std::ceil(std::log2(v)) + 127.0, 0.0, 254.0));
}

void put_bits(void* data, int64_t i, int bits, uint32_t code) {
  int64_t bit = i * bits;
  auto* byte = static_cast<uint8_t*>(data) + bit / 8;
  int shift = static_cast<int>(bit % 8);
  uint32_t mask = ((1u << bits) - 1) << shift;
  *byte = static_cast<uint8_t>((*byte & ~mask) | ((code << shift) & mask));
}
uint32_t get_bits(const void* data, int64_t i, int bits) {
  int64_t bit = i * bits;
  return (static_cast<const uint8_t*>(data)[bit / 8] >> (bit % 8)) & ((1u << bits) - 1);
}

double default_tolerance(DType t) {
  switch (t) {
    case DType::kF32:
    case DType::kC64: return 2e-6;
    case DType::kF64:
    case DType::kC128: return 1e-12;
    case DType::kF16: return 2e-3;
    case DType::kBF16: return 1.6e-2;
    case DType::kF8E4M3FN:
    case DType::kF8E4M3FNUZ: return 0.07;
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ: return 0.13;
    default: return 0;
  }
}

}  // namespace

void store(DType dtype, void* data, int64_t i, double v) {
  switch (dtype) {
    case DType::kF32: put(data, i, static_cast<float>(v)); break;
    case DType::kF64: put(data, i, v); break;
    case DType::kF16: put(data, i, f32_to_f16(static_cast<float>(v))); break;
    case DType::kBF16: put(data, i, f32_to_bf16(static_cast<float>(v))); break;
    case DType::kBool: put(data, i, static_cast<uint8_t>(v != 0)); break;
    case DType::kU8:
    case DType::kI8: put(data, i, static_cast<uint8_t>(low_bits(v))); break;
    case DType::kU16:
    case DType::kI16: put(data, i, static_cast<uint16_t>(low_bits(v))); break;
    case DType::kU32:
    case DType::kI32: put(data, i, static_cast<uint32_t>(low_bits(v))); break;
    case DType::kU64:
    case DType::kI64: put(data, i, low_bits(v)); break;
    case DType::kC64:
      put(data, 2 * i, static_cast<float>(v));
      put(data, 2 * i + 1, 0.0f);
      break;
    case DType::kC128:
      put(data, 2 * i, v);
      put(data, 2 * i + 1, 0.0);
      break;
    case DType::kF8E8M0: put(data, i, e8m0_of(v)); break;
    case DType::kU4:
    case DType::kI4: put_bits(data, i, 4, static_cast<uint32_t>(low_bits(v))); break;
    case DType::kU2:
    case DType::kI2: put_bits(data, i, 2, static_cast<uint32_t>(low_bits(v))); break;
    case DType::kF4E2M1: put_bits(data, i, 4, f32_to_small_float(static_cast<float>(v), kFormatE2M1, true)); break;
    default:
      if (auto* f = format_of(dtype))
        put(data, i, static_cast<uint8_t>(f32_to_small_float(static_cast<float>(v), *f, true)));
  }
}

double load(DType dtype, const void* data, int64_t i) {
  switch (dtype) {
    case DType::kF32: return get<float>(data, i);
    case DType::kF64: return get<double>(data, i);
    case DType::kF16: return f16_to_f32(get<uint16_t>(data, i));
    case DType::kBF16: return bf16_to_f32(get<uint16_t>(data, i));
    case DType::kBool: return get<uint8_t>(data, i) != 0;
    case DType::kU8: return get<uint8_t>(data, i);
    case DType::kI8: return get<int8_t>(data, i);
    case DType::kU16: return get<uint16_t>(data, i);
    case DType::kI16: return get<int16_t>(data, i);
    case DType::kU32: return get<uint32_t>(data, i);
    case DType::kI32: return get<int32_t>(data, i);
    case DType::kU64: return static_cast<double>(get<uint64_t>(data, i));
    case DType::kI64: return static_cast<double>(get<int64_t>(data, i));
    case DType::kC64: return get<float>(data, 2 * i);
    case DType::kC128: return get<double>(data, 2 * i);
    case DType::kF8E8M0: return e8m0_to_f32(get<uint8_t>(data, i));
    case DType::kU4: return get_bits(data, i, 4);
    case DType::kI4: return static_cast<int>(get_bits(data, i, 4) ^ 8) - 8;
    case DType::kU2: return get_bits(data, i, 2);
    case DType::kI2: return static_cast<int>(get_bits(data, i, 2) ^ 2) - 2;
    case DType::kF4E2M1: return small_float_to_f32(get_bits(data, i, 4), kFormatE2M1);
    default:
      if (auto* f = format_of(dtype)) return small_float_to_f32(get<uint8_t>(data, i), *f);
      return 0;
  }
}

Tensor make_tensor(const opdef::CaseTensor& t, DType dtype) {
  if (t.dtype != DType::kUndefined) dtype = t.dtype;
  Tensor out = Tensor::allocate(dtype, t.dims).value();
  if (dtype == DType::kString) {
    auto arena = make_ref<StringArena>();
    for (int64_t i = 0; i < out.count(); ++i)
      out.as<StringRef>()[i] = arena->add(t.strings.empty() ? std::to_string(t.data[static_cast<size_t>(i)])
                                                            : t.strings[static_cast<size_t>(i)]);
    out.set_strings(arena);
    return out;
  }
  if (out.bytes()) std::memset(out.data(), 0, static_cast<size_t>(out.bytes()));
  for (int64_t i = 0; i < out.count(); ++i) store(dtype, out.data(), i, t.data[static_cast<size_t>(i)]);
  return out;
}

opdef::CaseTensor read_tensor(const Tensor& t) {
  opdef::CaseTensor out;
  out.dtype = t.dtype();
  out.dims = t.shape();
  for (int64_t i = 0; i < t.count(); ++i) {
    if (t.dtype() == DType::kString) out.strings.emplace_back(t.as<StringRef>()[i].view());
    else out.data.push_back(load(t.dtype(), t.data(), i));
  }
  return out;
}

std::string difference(const opdef::CaseTensor& expected, const Tensor& actual, double tolerance, double least) {
  if (expected.dtype != DType::kUndefined && expected.dtype != actual.dtype())
    return cat("element type ", name(actual.dtype()), " where ", name(expected.dtype), " is expected");
  if (!(expected.dims == actual.shape()))
    return cat("shape ", list_text(actual.shape()), " where ", list_text(expected.dims), " is expected");
  if (actual.dtype() == DType::kString) {
    Tensor want = make_tensor(expected, DType::kString);
    for (int64_t i = 0; i < actual.count(); ++i)
      if (want.as<StringRef>()[i].view() != actual.as<StringRef>()[i].view())
        return cat("'", actual.as<StringRef>()[i].view(), "' at ", i, " where '", want.as<StringRef>()[i].view(),
                   "' is expected");
    return {};
  }
  Tensor rounded = make_tensor(expected, actual.dtype());
  double largest = least;
  for (int64_t i = 0; i < rounded.count(); ++i)
    if (double v = std::fabs(load(actual.dtype(), rounded.data(), i)); std::isfinite(v)) largest = std::max(largest, v);
  if (tolerance == 0) tolerance = default_tolerance(actual.dtype());
  else if (default_tolerance(actual.dtype()) > 2e-6) tolerance = std::max(tolerance, default_tolerance(actual.dtype()));
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < actual.count(); ++i) {
    double w = load(actual.dtype(), rounded.data(), i), a = load(actual.dtype(), actual.data(), i);
    if (w == a || (std::isnan(w) && std::isnan(a))) continue;
    if (std::fabs(w - a) <= tolerance * largest) continue;
    if (wrong++ == 0) first = i;
  }
  if (!wrong) return {};
  return cat(wrong, " of ", actual.count(), " elements differ, first at ", first, ": ",
             load(actual.dtype(), actual.data(), first), " where ", load(actual.dtype(), rounded.data(), first),
             " is expected");
}

}  // namespace tenon::cases
