// DType: names.
// SPDX-License-Identifier: MIT
#include "tensor/dtype.h"

namespace tenon {
namespace {
struct Names {
  std::string_view ours, onnx;
};
constexpr Names kNames[kDTypeCount] = {
    {"undefined", "undefined"},
    {"f32", "float"},
    {"u8", "uint8"},
    {"i8", "int8"},
    {"u16", "uint16"},
    {"i16", "int16"},
    {"i32", "int32"},
    {"i64", "int64"},
    {"string", "string"},
    {"bool", "bool"},
    {"f16", "float16"},
    {"f64", "double"},
    {"u32", "uint32"},
    {"u64", "uint64"},
    {"c64", "complex64"},
    {"c128", "complex128"},
    {"bf16", "bfloat16"},
    {"f8e4m3fn", "float8e4m3fn"},
    {"f8e4m3fnuz", "float8e4m3fnuz"},
    {"f8e5m2", "float8e5m2"},
    {"f8e5m2fnuz", "float8e5m2fnuz"},
    {"u4", "uint4"},
    {"i4", "int4"},
    {"f4e2m1", "float4e2m1"},
    {"f8e8m0", "float8e8m0"},
    {"u2", "uint2"},
    {"i2", "int2"},
};
}  // namespace

std::string_view name(DType t) { return kNames[is_valid(t) ? static_cast<int>(t) : 0].ours; }
std::string_view onnx_name(DType t) { return kNames[is_valid(t) ? static_cast<int>(t) : 0].onnx; }

}  // namespace tenon
