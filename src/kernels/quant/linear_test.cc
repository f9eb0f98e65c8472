// Tests of linear quantisation against the formulas, for every type and layout.
// SPDX-License-Identifier: MIT
#include "kernels/quant/linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/small_float.h"
#include "kernels/guarded.h"
#include "kernels/move/packed.h"
#include "kernels/quant/linear_rows.h"
#include "tensor/shape.h"

namespace tenon::kernels {
namespace {

const QuantLayout kLayouts[] = {{1, 1, 1000, 1, false}, {1, 1, 0, 1, false},   {3, 5, 67, 1, false},
                                {7, 300, 1, 1, false},  {2, 10, 9, 3, true},   {5, 33, 1, 16, true},
                                {1, 1, 9001, 1, false}, {40, 300, 1, 1, false}};

int64_t parameter(const QuantLayout& q, int64_t i) {
  const int64_t k = i % q.inner, a = i / q.inner % q.axis, o = i / q.inner / q.axis;
  return q.blocked ? (o * ((q.axis + q.block - 1) / q.block) + a / q.block) * q.inner + k : a;
}
int64_t parameters(const QuantLayout& q) {
  return q.blocked ? q.outer * ((q.axis + q.block - 1) / q.block) * q.inner : q.axis;
}

TEST(Quantize, IntegersAllLayouts) {
  struct Type {
    DType type;
    int low, high;
  };
  const Type types[] = {{DType::kU8, 0, 255},         {DType::kI8, -128, 127}, {DType::kU16, 0, 65535},
                        {DType::kI16, -32768, 32767}, {DType::kU4, 0, 15},     {DType::kI4, -8, 7},
                        {DType::kU2, 0, 3},           {DType::kI2, -2, 1}};
  Random random(1);
  for (const QuantLayout& q : kLayouts) {
    for (const Type& t : types) {
      const int64_t n = q.count(), p = parameters(q);
      const int bits = bit_width(t.type);
      std::vector<float> x, scale;
      std::vector<int> zero;
      std::vector<uint8_t> zero_bytes;
      for (int64_t i = 0; i < p; ++i) {
        scale.push_back(0.25f * static_cast<float>(random.between(1, 4)));
        zero.push_back(static_cast<int>(random.between(t.low, t.high)));
      }
      for (int64_t i = 0; i < n; ++i) {
        x.push_back(static_cast<float>(random.between(-80, 80)) / 8 * static_cast<float>(t.high) / 20);
      }
      for (float bad : {NAN, INFINITY, -INFINITY, 1e30f}) {
        if (n > 100) x[static_cast<size_t>(random.between(0, n - 1))] = bad;
      }
      // Zero points in memory form.
      std::vector<uint8_t> raw;
      for (int z : zero) {
        raw.push_back(static_cast<uint8_t>(z));
        if (bits == 16) raw.push_back(static_cast<uint8_t>(z >> 8));
      }
      if (bits < 8) {
        zero_bytes.resize(static_cast<size_t>(byte_size(t.type, p)));
        pack_bits(zero_bytes.data(), raw.data(), p, bits, Team());
      } else {
        zero_bytes = raw;
      }
      for (bool with_zero : {true, false}) {
        for (const Team& team : {Team(), wide_team()}) {
          Guarded<uint8_t> y(byte_size(t.type, n));
          const void* zp = with_zero ? zero_bytes.data() : nullptr;
          ASSERT_TRUE(
              quantize_linear(y.data(), t.type, x.data(), DType::kF32, scale.data(), DType::kF32, zp, q, true, team)
                  .ok());
          Guarded<float> back(n);
          ASSERT_TRUE(
              dequantize_linear(back.data(), DType::kF32, y.data(), t.type, scale.data(), DType::kF32, zp, q, team)
                  .ok());
          for (int64_t i = 0; i < n; ++i) {
            const size_t k = static_cast<size_t>(parameter(q, i));
            const int z = with_zero ? zero[k] : 0;
            const double r = std::nearbyint(double(x[static_cast<size_t>(i)]) / scale[k]);
            const double want = std::clamp<double>(std::isnan(r) ? z : r + z, t.low, t.high);
            int got;
            if (bits == 16) {
              got = t.low < 0 ? reinterpret_cast<int16_t*>(y.data())[i] : reinterpret_cast<uint16_t*>(y.data())[i];
            } else if (bits == 8) {
              got = t.low < 0 ? static_cast<int8_t>(y[i]) : y[i];
            } else {
              got = y[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1);
              if (t.low < 0 && got > t.high) got -= 1 << bits;
            }
            ASSERT_EQ(got, want) << name(t.type) << " element " << i << " of " << n << " x "
                                 << x[static_cast<size_t>(i)];
            ASSERT_EQ(back[i], static_cast<float>(got - z) * scale[k]);
          }
        }
      }
    }
  }
}

TEST(Quantize, SmallFloatsAndHalves) {
  const QuantLayout q{1, 1, 100, 1, false};
  std::vector<float> x;
  for (int i = 0; i < 100; ++i) x.push_back(static_cast<float>(i - 50) * (i % 7 == 0 ? 100.0f : 0.3f));
  const float scale = 0.5f;
  const struct {
    DType type;
    const FloatFormat* format;
  } types[] = {{DType::kF8E4M3FN, &kFormatE4M3FN},
               {DType::kF8E5M2, &kFormatE5M2},
               {DType::kF8E4M3FNUZ, &kFormatE4M3FNUZ},
               {DType::kF8E5M2FNUZ, &kFormatE5M2FNUZ},
               {DType::kF4E2M1, &kFormatE2M1}};
  for (const auto& t : types) {
    for (bool saturate : {true, false}) {
      Guarded<uint8_t> y(byte_size(t.type, 100));
      Guarded<float> back(100);
      ASSERT_TRUE(
          quantize_linear(y.data(), t.type, x.data(), DType::kF32, &scale, DType::kF32, nullptr, q, saturate, Team())
              .ok());
      ASSERT_TRUE(
          dequantize_linear(back.data(), DType::kF32, y.data(), t.type, &scale, DType::kF32, nullptr, q, Team()).ok());
      for (int64_t i = 0; i < 100; ++i) {
        const uint32_t code = f32_to_small_float(x[static_cast<size_t>(i)] / scale, *t.format, saturate);
        const uint32_t got = t.type == DType::kF4E2M1 ? y[i / 2] >> (i % 2 * 4) & 15 : y[i];
        ASSERT_EQ(got, code);
        const float want = small_float_to_f32(code, *t.format) * scale;
        if (std::isnan(want)) ASSERT_TRUE(std::isnan(back[i]));
        else ASSERT_EQ(back[i], want);
      }
    }
  }
  uint16_t h[100], hs = f32_to_f16(0.5f), out[100];
  for (int i = 0; i < 100; ++i) h[i] = f32_to_f16(x[static_cast<size_t>(i)]);
  int8_t y[100];
  ASSERT_TRUE(quantize_linear(y, DType::kI8, h, DType::kF16, &hs, DType::kF16, nullptr, q, true, Team()).ok());
  ASSERT_TRUE(dequantize_linear(out, DType::kF16, y, DType::kI8, &hs, DType::kF16, nullptr, q, Team()).ok());
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(y[i], std::clamp(std::nearbyint(f16_to_f32(h[i]) * 2), -128.0f, 127.0f));
    EXPECT_EQ(f16_to_f32(out[i]), static_cast<float>(y[i]) * 0.5f);
  }
  const int32_t wide[] = {-7, 1 << 30, 5};
  float f[3];
  ASSERT_TRUE(
      dequantize_linear(f, DType::kF32, wide, DType::kI32, &scale, DType::kF32, nullptr, {1, 1, 3, 1, false}, Team())
          .ok());
  EXPECT_EQ(f[0], -3.5f);
  EXPECT_EQ(f[1], 536870912.0f);
  uint8_t byte[8] = {};
  EXPECT_EQ(quantize_linear(byte, DType::kI64, f, DType::kF32, &scale, DType::kF32, nullptr, {}, true, Team()).code(),
            Code::kNotImplemented);
  EXPECT_EQ(dequantize_linear(f, DType::kF64, byte, DType::kU8, &scale, DType::kF32, nullptr, {}, Team()).code(),
            Code::kNotImplemented);
}

TEST(Quantize, Dynamic) {
  Random random(2);
  for (int64_t n : {0, 1, 7, 64, 1000, 300001}) {
    for (int kind = 0; kind < 4; ++kind) {
      std::vector<float> x;
      for (int64_t i = 0; i < n; ++i)
        x.push_back(kind == 0 ? random.unit() : kind == 1 ? 1 + random.unit() : kind == 2 ? -1 - random.unit() : 0);
      float low = 0, high = 0;
      for (float v : x) low = std::min(low, v), high = std::max(high, v);
      const float scale = low == high ? 1 : (high - low) / 255;
      const float zero = std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f);
      for (const Team& team : {Team(), wide_team()}) {
        Guarded<uint8_t> y(n);
        float s = 0;
        uint8_t z = 1;
        dynamic_quantize_linear(y.data(), &s, &z, x.data(), n, team);
        ASSERT_EQ(s, scale);
        ASSERT_EQ(z, zero);
        for (int64_t i = 0; i < n; ++i) {
          ASSERT_EQ(y[i], std::clamp(std::nearbyint(x[static_cast<size_t>(i)] / scale) + zero, 0.0f, 255.0f));
        }
      }
    }
  }
}

TEST(Quantize, ScaledSumsRoundAfterEachOperation) {
  Random random(3);
  for (int64_t n : {0, 1, 7, 16, 33, 100}) {
    std::vector<int32_t> sums;
    std::vector<float> scales, bias;
    for (int64_t i = 0; i < n; ++i) {
      sums.push_back(static_cast<int32_t>(random.unit() * 2e9f));
      scales.push_back(random.unit());
      bias.push_back(random.unit() * 1e6f);
    }
    scales.push_back(0.3f);
    for (int kind = 0; kind < 4; ++kind) {
      const bool each = kind & 1, add = kind & 2;
      Guarded<float> y(n);
      scale_sums(y.data(), sums.data(), n, {0.7f, scales.data(), each, add ? bias.data() : nullptr});
      for (int64_t i = 0; i < n; ++i) {
        const auto k = static_cast<size_t>(i);
        const float factor = 0.7f * scales[each ? k : 0];
        float want = static_cast<float>(sums[k]) * factor;
        if (add) want += bias[k];
        ASSERT_EQ(y[i], want);
      }
    }
  }
}

}  // namespace
}  // namespace tenon::kernels
