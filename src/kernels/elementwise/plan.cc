// Planning of element-wise programs: types, kernels, tile buffers.
// SPDX-License-Identifier: MIT
#include <cstring>
#include <vector>

#include "kernels/elementwise/pointwise.h"
#include "kernels/elementwise/tile_kernels.h"

namespace tenon {

namespace {

template <typename T>
void fill_constant(const TileCall& c) {
  T* out = static_cast<T*>(c.out);
  for (size_t i = 0; i < c.n; ++i) out[i] = static_cast<T>(c.imm[0]);
}
TileFn constant_kernel(DType compute) {
  switch (compute) {
    case DType::kF32: return fill_constant<float>;
    case DType::kF64: return fill_constant<double>;
    case DType::kBool: return fill_constant<bool>;
    case DType::kI8: return fill_constant<int8_t>;
    case DType::kU8: return fill_constant<uint8_t>;
    case DType::kI16: return fill_constant<int16_t>;
    case DType::kU16: return fill_constant<uint16_t>;
    case DType::kI32: return fill_constant<int32_t>;
    case DType::kU32: return fill_constant<uint32_t>;
    case DType::kI64: return fill_constant<int64_t>;
    default: return fill_constant<uint64_t>;
  }
}
// The constant inside the range of its type, so that the conversion above is defined.
double within(DType compute, double v) {
  const int bits = bit_width(compute);
  if (compute == DType::kF32 || compute == DType::kF64 || compute == DType::kBool) return v;
  const bool is_signed =
      compute == DType::kI8 || compute == DType::kI16 || compute == DType::kI32 || compute == DType::kI64;
  if (v != v) return 0;
  double top = 1;
  for (int i = 0; i < (is_signed ? bits - 1 : bits); ++i) top *= 2;
  const double low = is_signed ? -top : 0;
  const double high = bits == 64 ? top * (1 - 0x1p-53) : top - 1;
  return v < low ? low : v > high ? high : v;
}

template <typename T>
void copy_tile(const TileCall& c) {
  if (c.step[0]) {
    if (c.out != c.in[0]) std::memcpy(c.out, c.in[0], c.n * sizeof(T));
    return;
  }
  const T v = *static_cast<const T*>(c.in[0]);
  T* out = static_cast<T*>(c.out);
  for (size_t i = 0; i < c.n; ++i) out[i] = v;
}
TileFn copy_kernel(int width) {
  switch (width) {
    case 1: return copy_tile<uint8_t>;
    case 2: return copy_tile<uint16_t>;
    case 4: return copy_tile<uint32_t>;
    default: return copy_tile<uint64_t>;
  }
}

// Functions that give a value of the operands' type when they get such values: nothing to round.
bool stays_in_type(Fn fn) {
  switch (fn) {
    case Fn::kMin:
    case Fn::kMax:
    case Fn::kClip:
    case Fn::kWhere:
    case Fn::kAbs:
    case Fn::kNeg:
    case Fn::kSign:
    case Fn::kRelu:
    case Fn::kIdentity:
    case Fn::kThresholdedRelu: return true;
    default: return false;
  }
}
bool is_small_float(DType t) { return t != DType::kF32 && compute_type(t) == DType::kF32; }

double cost_of(Fn fn, DType compute) {
  if (vector_arithmetic(fn, compute)) return 0.25;
  if (compute == DType::kF32 && vector_math(fn)) return fn == Fn::kPow ? 4 : 1;
  return info(fn).rule == TypeRule::kFloat || fn == Fn::kPow ? 20 : 2;
}

}  // namespace

// Lowers a program to steps on values, then gives each value a place.
class PointwisePlanner {
 public:
  PointwisePlanner(const Program& program, std::span<const DType> inputs, std::span<const DType> types)
      : program_(program), types_(types) {
    plan_.input_types_ = SmallVector<DType, 4>(inputs);
    for (uint8_t r : program.outputs) plan_.output_types_.push_back(types[r]);
    uses_.resize(types.size());
    for (const Instruction& step : program.code) {
      for (int i = 0; i < info(step.fn).arity; ++i) ++uses_[step.in[i]];
    }
  }

  Result<PointwisePlan> make() {
    for (int i = 0; i < program_.inputs; ++i) add_value(Kind::kInput, bit_width(types_[i]));
    registers_.assign(types_.size(), -1);
    for (size_t k = 0; k < program_.code.size(); ++k) {
      TENON_TRY(lower(program_.code[k], static_cast<size_t>(program_.inputs) + k));
    }
    bind_outputs();
    TENON_TRY(place_values());
    return std::move(plan_);
  }

 private:
  enum class Kind : uint8_t { kInput, kConstant, kStep };
  struct ValueInfo {
    Kind kind;
    int bits;
    int place = -1;
    int last_use = -1;
  };
  struct Micro {
    TileFn run;
    int arity;
    int in[3];
    int out;
    double imm[2];
  };

  int add_value(Kind kind, int bits) {
    values_.push_back({kind, bits});
    return static_cast<int>(values_.size()) - 1;
  }
  int emit(TileFn run, std::initializer_list<int> in, DType compute, double imm0 = 0, double imm1 = 0,
           double cost = 0.25) {
    Micro m{run, static_cast<int>(in.size()), {0, 0, 0}, add_value(Kind::kStep, bit_width(compute)), {imm0, imm1}};
    int n = 0;
    for (int v : in) m.in[n++] = v;
    micros_.push_back(m);
    plan_.ns_per_item_ += cost;
    return m.out;
  }
  // A constant of an element type, rounded to it.
  int constant(DType type, double v) {
    const DType compute = compute_type(type);
    if (compute == DType::kF32) {
      float f = static_cast<float>(v);
      if (TileFn round = find_round(type)) {
        const double saturate = 1;
        round({&f, {&f, nullptr, nullptr}, {0, 0, 0}, 1, &saturate});
      }
      v = f;
    }
    Micro m{constant_kernel(compute),
            0,
            {0, 0, 0},
            add_value(Kind::kConstant, bit_width(compute)),
            {within(compute, v), 0}};
    constants_.push_back(m);
    return m.out;
  }
  // The value of a register in its compute type; inputs are converted when first needed.
  int value_of(uint8_t reg) {
    int& v = registers_[reg];
    if (v < 0) {  // an input
      v = reg;
      if (TileFn load = find_load(types_[reg])) v = emit(load, {reg}, compute_type(types_[reg]));
    }
    return v;
  }
  int cast(int v, DType from, DType to) {
    if (TileFn f = find_cast(from, to))
      return emit(f, {v}, compute_type(to), 1, 0, vector_cast(compute_type(from), compute_type(to)) ? 0.3 : 1.5);
    return v;
  }
  Status missing(const Instruction& step, DType type) {
    return error(Code::kNotImplemented, info(step.fn).name, " has no kernel for ", name(type));
  }

  Status lower(const Instruction& step, size_t reg) {
    const FnInfo& f = info(step.fn);
    const DType type = types_[reg];
    const DType compute = compute_type(type);
    int in[3] = {};
    for (int i = 0; i < f.arity; ++i) in[i] = value_of(step.in[i]);
    const DType first = f.arity > 0 ? types_[step.in[f.rule == TypeRule::kSelect ? 1 : 0]] : type;
    const DType first_compute = compute_type(first);
    int& out = registers_[reg];
    const auto apply = [&](Fn fn, std::initializer_list<int> args) -> Status {
      TileFn run = find_function(fn, first_compute);
      if (!run) return missing(step, first);
      out = emit(run, args, compute, step.imm[0], step.imm[1], cost_of(fn, first_compute));
      return Status();
    };
    switch (step.fn) {
      case Fn::kIdentity: out = in[0]; break;
      case Fn::kConstant: out = constant(type, step.imm[0]); break;
      case Fn::kCast: {
        out = cast(in[0], first, type);
        if (first != type && is_small_float(type)) {
          const bool stored_only = uses_[reg] == 0 && bit_width(type) == 16;
          if (!stored_only) out = emit(find_round(type), {out}, compute, step.imm[0]);
        }
        return Status();
      }
      case Fn::kSquare: TENON_TRY(apply(Fn::kMul, {in[0], in[0]})); break;
      case Fn::kAddImm: TENON_TRY(apply(Fn::kAdd, {in[0], constant(type, step.imm[0])})); break;
      case Fn::kMulImm: TENON_TRY(apply(Fn::kMul, {in[0], constant(type, step.imm[0])})); break;
      case Fn::kClipImm: {
        const int lo = constant(type, step.imm[0]), hi = constant(type, step.imm[1]);
        TENON_TRY(apply(Fn::kClip, {in[0], lo, hi}));
        return Status();
      }
      case Fn::kGreater: TENON_TRY(apply(Fn::kLess, {in[1], in[0]})); break;
      case Fn::kGreaterEqual: TENON_TRY(apply(Fn::kLessEqual, {in[1], in[0]})); break;
      case Fn::kPow: {
        const DType exponent = types_[step.in[1]];
        const bool whole_base = first_compute != DType::kF32 && first_compute != DType::kF64;
        const DType exponent_compute = compute_type(exponent);
        const bool whole_exponent = exponent_compute != DType::kF32 && exponent_compute != DType::kF64;
        if (whole_base && whole_exponent) {
          TENON_TRY(apply(Fn::kPow, {in[0], cast(in[1], exponent, DType::kI64)}));
        } else if (first_compute == DType::kF32 && exponent != DType::kF64) {
          TENON_TRY(apply(Fn::kPow, {in[0], cast(in[1], exponent, DType::kF32)}));
        } else {  // through f64
          const int a = cast(in[0], first, DType::kF64), b = cast(in[1], exponent, DType::kF64);
          const int y = emit(find_function(Fn::kPow, DType::kF64), {a, b}, DType::kF64, 0, 0, 40);
          out = cast(y, DType::kF64, type);
        }
        break;
      }
      default:
        switch (f.arity) {
          case 1: TENON_TRY(apply(step.fn, {in[0]})); break;
          case 2: TENON_TRY(apply(step.fn, {in[0], in[1]})); break;
          default: TENON_TRY(apply(step.fn, {in[0], in[1], in[2]})); break;
        }
    }
    if (is_small_float(type) && !stays_in_type(step.fn) && step.fn != Fn::kConstant &&
        !(uses_[reg] == 0 && bit_width(type) == 16)) {
      out = emit(find_round(type), {out}, compute, 1);
    }
    return Status();
  }

  // An output is written by the step that makes it when the type is right and no later step reads an input, whose
  // memory the output may be. Otherwise a copy or conversion follows at the end.
  void bind_outputs() {
    const int n = static_cast<int>(program_.outputs.size());
    SmallVector<int, 8> sources;
    int last_input_read = -1;
    for (uint8_t reg : program_.outputs) {
      const int v = registers_[reg] < 0 && !find_load(types_[reg]) ? reg : value_of(reg);
      registers_[reg] = v;
      sources.push_back(v);
    }
    for (size_t k = 0; k < micros_.size(); ++k) {
      for (int i = 0; i < micros_[k].arity; ++i) {
        if (values_[micros_[k].in[i]].kind == Kind::kInput) last_input_read = static_cast<int>(k);
      }
    }
    for (int v : sources) {
      if (values_[v].kind == Kind::kInput) last_input_read = static_cast<int>(micros_.size());
    }
    // Raw copies of inputs come first among the final steps, as later ones may overwrite the input's memory.
    for (int pass = 0; pass < 2; ++pass) {
      for (int o = 0; o < n; ++o) {
        const int v = sources[o];
        const bool raw = values_[v].kind == Kind::kInput;
        if (raw != (pass == 0)) continue;
        const DType type = plan_.output_types_[o];
        const TileFn store = find_store(type);
        if (!store && values_[v].kind == Kind::kStep && values_[v].place < 0 && maker(v) >= last_input_read) {
          values_[v].place = program_.inputs + o;
          continue;
        }
        const int copy = emit(store ? store : copy_kernel(byte_width(type)), {v}, type);
        values_[copy].place = program_.inputs + o;
      }
    }
  }
  int maker(int v) const {
    for (size_t k = 0; k < micros_.size(); ++k) {
      if (micros_[k].out == v) return static_cast<int>(k);
    }
    return -1;
  }

  Status place_values() {
    for (int i = 0; i < program_.inputs; ++i) values_[i].place = i;
    int next = program_.inputs + static_cast<int>(program_.outputs.size());
    for (const Micro& m : constants_) {
      values_[m.out].place = next++;
      if (next > kMaxPlaces) return too_long();
      add_step(m);
    }
    plan_.constants_ = static_cast<int>(constants_.size());
    const int first_buffer = next;
    for (size_t k = 0; k < micros_.size(); ++k) {
      for (int i = 0; i < micros_[k].arity; ++i) values_[micros_[k].in[i]].last_use = static_cast<int>(k);
    }
    std::vector<int> free_at;  // per buffer: the step after whose end it is free
    for (size_t k = 0; k < micros_.size(); ++k) {
      ValueInfo& v = values_[micros_[k].out];
      if (v.place < 0) {
        size_t b = 0;
        while (b < free_at.size() && free_at[b] >= static_cast<int>(k)) ++b;
        if (b == free_at.size()) free_at.push_back(0);
        free_at[b] = v.last_use < static_cast<int>(k) ? static_cast<int>(k) : v.last_use;
        v.place = first_buffer + static_cast<int>(b);
        if (v.place >= kMaxPlaces) return too_long();
        if (plan_.buffer_bytes_ < v.bits / 8) plan_.buffer_bytes_ = v.bits / 8;
      }
      add_step(micros_[k]);
    }
    plan_.buffers_ = static_cast<int>(free_at.size());
    return next <= kMaxPlaces ? Status() : too_long();
  }
  static Status too_long() {
    return error(Code::kNotImplemented, "element-wise program: more than ", kMaxPlaces,
                 " inputs, outputs and values alive");
  }
  void add_step(const Micro& m) {
    PointwisePlan::Step s{
        m.run, static_cast<uint8_t>(m.arity), static_cast<uint8_t>(values_[m.out].place), {}, {m.imm[0], m.imm[1]}};
    for (int i = 0; i < m.arity; ++i) s.in[i] = static_cast<uint8_t>(values_[m.in[i]].place);
    plan_.steps_.push_back(s);
  }

  const Program& program_;
  std::span<const DType> types_;
  PointwisePlan plan_;
  std::vector<int> uses_;
  std::vector<ValueInfo> values_;
  std::vector<int> registers_;  // register to value
  std::vector<Micro> micros_, constants_;
};

Result<PointwisePlan> plan_pointwise(const Program& program, std::span<const DType> input_types) {
  TENON_ASSIGN(const auto types, register_types(program, input_types));
  if (program.inputs + static_cast<int>(program.outputs.size()) > kMaxPlaces) {
    return error(Code::kNotImplemented, "element-wise program: more than ", kMaxPlaces, " inputs and outputs");
  }
  return PointwisePlanner(program, input_types, types).make();
}

}  // namespace tenon
