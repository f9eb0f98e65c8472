// Lookup of tile kernels: which function runs one vocabulary entry on one compute type.
// SPDX-License-Identifier: MIT
#pragma once
#include "kernels/elementwise/pointwise.h"

namespace tenon {

// Element types live in tiles as compute types: f32, f64, bool and the integers of 8 to 64 bits. Floats of 16 bits and
// below are f32, integers below 8 bits are i8 or u8. Truth values are bytes of 0 or 1.
constexpr DType compute_type(DType t) {
  switch (t) {
    case DType::kF16:
    case DType::kBF16:
    case DType::kF8E4M3FN:
    case DType::kF8E4M3FNUZ:
    case DType::kF8E5M2:
    case DType::kF8E5M2FNUZ:
    case DType::kF8E8M0:
    case DType::kF4E2M1: return DType::kF32;
    case DType::kU4:
    case DType::kU2: return DType::kU8;
    case DType::kI4:
    case DType::kI2: return DType::kI8;
    default: return t;
  }
}

// Every lookup gives null where there is no kernel. kGreater and kGreaterEqual are asked for with swapped operands.

/// The kernel of a function on a compute type (of its first number operand; kPow on integers has i64 exponents).
TileFn find_function(Fn fn, DType compute);
/// Memory to compute type; null when they are the same. Sub-byte elements are read from the first nibble on.
TileFn find_load(DType type);
/// Compute type to memory; null when they are the same. Values are rounded; those of 8 bits and below must be exact.
TileFn find_store(DType type);
/// Compute type of `from` to values of `to` in its compute type, rounded, clamped or cut as cast.h says. imm[0] is
/// "saturate". Null when nothing is to be done.
TileFn find_cast(DType from, DType to);
/// Rounds f32 values to those of a narrower float type.
TileFn find_round(DType type);

/// Vector kernels of arithmetic, comparison, selection (tile_arithmetic.cc).
TileFn vector_arithmetic(Fn fn, DType compute);
/// Vector kernels of f32 mathematics and activations (tile_math.cc).
TileFn vector_math(Fn fn);
/// Vector kernels of conversions (tile_cast.cc); f16 and bf16 stand for memory here. Null for the uncommon ones.
TileFn vector_cast(DType from, DType to);
/// f32 to the nearest f16 or bf16, staying in f32.
TileFn vector_round(DType type);
/// Plain loops for everything else (tile_scalar.cc).
TileFn scalar_function(Fn fn, DType compute);

}  // namespace tenon
