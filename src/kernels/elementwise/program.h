// Program: a list of scalar functions over typed registers, the common form of element-wise operators and chains.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

#include "base/small_vector.h"
#include "base/status.h"
#include "tensor/dtype.h"

namespace tenon {

/// The scalar functions; meanings, immediates and error bounds stand in functions.inc.
enum class Fn : uint8_t {
#define TENON_FN(id, arity, rule, immediates, ulp, meaning) id,
#include "kernels/elementwise/functions.inc"
#undef TENON_FN
};

/// How the type of a result follows from the operands. "Numbers" are all types but bool and string; types below 8 bits
/// take part in kAny and kCastTo only.
enum class TypeRule : uint8_t {
  kNumeric,    ///< operands of one number type, the result too
  kFloat,      ///< floats only, otherwise the same
  kInteger,    ///< integers only, otherwise the same
  kLogic,      ///< bool to bool
  kCompare,    ///< two operands of one type (bool too) to bool
  kFloatTest,  ///< a float to bool
  kSelect,     ///< bool, T, T to T
  kPower,      ///< T and any number type to T
  kAny,        ///< T to T
  kCastTo,     ///< anything to Instruction::to
};

/// Facts about a function.
struct FnInfo {
  std::string_view name;  ///< "kAdd" without the k
  int arity;              ///< registers read, 0 to 3
  TypeRule rule;
  std::string_view immediates;  ///< names of imm[0], imm[1]
  double ulp;                   ///< largest error of the f32 form, 0 for exact
  std::string_view meaning;
};
const FnInfo& info(Fn fn);

/// One step. Registers 0 .. inputs - 1 are the program's inputs; instruction k writes register inputs + k.
struct Instruction {
  Fn fn = Fn::kIdentity;
  uint8_t in[3] = {0, 0, 0};
  DType to = DType::kUndefined;  ///< kCast and kConstant: the result type
  double imm[2] = {0, 0};        ///< for integer types: whole numbers up to 2^53 in size
};

/// A straight-line program. 16-bit and 8-bit floats are computed in f32 and rounded after each instruction, so that a
/// chain gives the same bits as its operators one by one.
struct Program {
  int inputs = 0;
  SmallVector<Instruction, 4> code;
  SmallVector<uint8_t, 4> outputs;  ///< registers that leave; an input register may leave too

  /// A program with one function and one output: the single operators.
  static Program single(Fn fn, double imm0 = 0, double imm1 = 0);
  /// Cast. `saturate` counts for f8 targets only: false turns overflow into infinity or NaN.
  static Program cast(DType to, bool saturate = true);

  /// Appends an instruction and returns its register.
  uint8_t emit(Fn fn, std::initializer_list<uint8_t> in, double imm0 = 0, double imm1 = 0);
  uint8_t emit_cast(uint8_t in, DType to, bool saturate = true);
  uint8_t emit_constant(DType type, double value);
};

/// The types of all registers for given input types. Fails with a sentence that names the instruction when a rule is
/// broken or a register does not exist yet.
Result<SmallVector<DType, 16>> register_types(const Program& program, std::span<const DType> inputs);

}  // namespace tenon
