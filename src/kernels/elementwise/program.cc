// Facts about the scalar functions, building of programs, and the type rules.
// SPDX-License-Identifier: MIT
#include "kernels/elementwise/program.h"

namespace tenon {

namespace {

constexpr FnInfo kInfo[] = {
#define TENON_FN(id, arity, rule, immediates, ulp, meaning) \
  {std::string_view(#id).substr(1), arity, TypeRule::rule, immediates, ulp, meaning},
#include "kernels/elementwise/functions.inc"
#undef TENON_FN
};

constexpr TypeSet kFloats(DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kF8E4M3FN, DType::kF8E4M3FNUZ,
                          DType::kF8E5M2, DType::kF8E5M2FNUZ);
constexpr TypeSet kIntegers(DType::kI8, DType::kI16, DType::kI32, DType::kI64, DType::kU8, DType::kU16, DType::kU32,
                            DType::kU64);
constexpr TypeSet kNumbers = kFloats | kIntegers;
constexpr TypeSet kBool = TypeSet(DType::kBool);
constexpr TypeSet kCastable =
    kNumbers | kBool | TypeSet(DType::kU4, DType::kI4, DType::kU2, DType::kI2, DType::kF4E2M1, DType::kF8E8M0);

Status refuse(const FnInfo& f, size_t operand, DType type, std::string_view wanted) {
  return invalid(f.name, ": operand ", operand, " is ", name(type), "; ", wanted);
}

Result<DType> result_type(const Instruction& step, const FnInfo& f, std::span<const DType> in) {
  const auto all_in = [&](TypeSet set, std::string_view wanted, size_t from = 0) -> Status {
    for (size_t i = from; i < in.size(); ++i) {
      if (!set.has(in[i])) return refuse(f, i, in[i], wanted);
      if (in[i] != in[from]) return refuse(f, i, in[i], cat("operand ", from, " is ", name(in[from])));
    }
    return Status();
  };
  switch (f.rule) {
    case TypeRule::kNumeric: TENON_TRY(all_in(kNumbers, "a number type is needed")); return in[0];
    case TypeRule::kFloat: TENON_TRY(all_in(kFloats, "a float type is needed")); return in[0];
    case TypeRule::kInteger: TENON_TRY(all_in(kIntegers, "an integer type is needed")); return in[0];
    case TypeRule::kLogic: TENON_TRY(all_in(kBool, "bool is needed")); return DType::kBool;
    case TypeRule::kCompare: TENON_TRY(all_in(kNumbers | kBool, "a number or bool is needed")); return DType::kBool;
    case TypeRule::kFloatTest: TENON_TRY(all_in(kFloats, "a float type is needed")); return DType::kBool;
    case TypeRule::kSelect:
      if (in[0] != DType::kBool) return refuse(f, 0, in[0], "bool is needed");
      TENON_TRY(all_in(kCastable, "a number or bool is needed", 1));
      return in[1];
    case TypeRule::kPower:
      for (size_t i = 0; i < 2; ++i) {
        if (!kNumbers.has(in[i])) return refuse(f, i, in[i], "a number type is needed");
      }
      return in[0];
    case TypeRule::kAny: TENON_TRY(all_in(kCastable, "a number or bool is needed")); return in[0];
    case TypeRule::kCastTo:
      TENON_TRY(all_in(kCastable, "a number or bool is needed"));
      if (!kCastable.has(step.to)) return invalid(f.name, ": cannot make ", name(step.to));
      return step.to;
  }
  return invalid("unknown type rule");
}

}  // namespace

const FnInfo& info(Fn fn) { return kInfo[static_cast<size_t>(fn)]; }

Program Program::single(Fn fn, double imm0, double imm1) {
  Program p;
  p.inputs = info(fn).arity;
  Instruction step;
  step.fn = fn;
  for (int i = 0; i < p.inputs; ++i) step.in[i] = static_cast<uint8_t>(i);
  step.imm[0] = imm0;
  step.imm[1] = imm1;
  p.code.push_back(step);
  p.outputs.push_back(static_cast<uint8_t>(p.inputs));
  return p;
}

Program Program::cast(DType to, bool saturate) {
  Program p = single(Fn::kCast, saturate);
  p.code[0].to = to;
  return p;
}

uint8_t Program::emit(Fn fn, std::initializer_list<uint8_t> in, double imm0, double imm1) {
  Instruction step;
  step.fn = fn;
  size_t n = 0;
  for (uint8_t r : in) {
    if (n < 3) step.in[n++] = r;
  }
  step.imm[0] = imm0;
  step.imm[1] = imm1;
  code.push_back(step);
  return static_cast<uint8_t>(static_cast<size_t>(inputs) + code.size() - 1);
}

uint8_t Program::emit_cast(uint8_t in, DType to, bool saturate) {
  const uint8_t r = emit(Fn::kCast, {in}, saturate);
  code.back().to = to;
  return r;
}

uint8_t Program::emit_constant(DType type, double value) {
  const uint8_t r = emit(Fn::kConstant, {}, value);
  code.back().to = type;
  return r;
}

Result<SmallVector<DType, 16>> register_types(const Program& program, std::span<const DType> inputs) {
  if (program.inputs < 0 || inputs.size() != static_cast<size_t>(program.inputs)) {
    return invalid("element-wise program: ", inputs.size(), " input types for ", program.inputs, " inputs");
  }
  if (inputs.size() + program.code.size() > 255) { return invalid("element-wise program: more than 255 registers"); }
  SmallVector<DType, 16> types{inputs};
  for (const Instruction& step : program.code) {
    const FnInfo& f = info(step.fn);
    DType in[3] = {};
    for (int i = 0; i < f.arity; ++i) {
      if (step.in[i] >= types.size()) {
        return invalid(f.name, ": operand ", i, " is register ", static_cast<int>(step.in[i]), " of ", types.size());
      }
      in[i] = types[step.in[i]];
    }
    TENON_ASSIGN(DType type, result_type(step, f, {in, static_cast<size_t>(f.arity)}));
    types.push_back(type);
  }
  for (uint8_t r : program.outputs) {
    if (r >= types.size())
      return invalid("element-wise program: output register ", static_cast<int>(r), " of ", types.size());
    if (!kCastable.has(types[r])) return invalid("element-wise program: cannot write ", name(types[r]));
  }
  return types;
}

}  // namespace tenon
