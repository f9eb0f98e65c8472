// OpDef: what an operator is: name, versions, ports, shape rule, upgrade and traits. One constant per operator.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "base/status.h"
#include "ir/graph.h"
#include "kernels/elementwise/program.h"
#include "tensor/dtype.h"

namespace tenon::opdef {

class InferContext;
class Build;

/// A list inside a constant: fixed capacity, no start-up code.
template <class T, int N>
struct List {
  T item[N] = {};
  int n = 0;
  constexpr List() = default;
  constexpr List(std::initializer_list<T> items) {
    for (auto& i : items) item[n++] = i;
  }
  constexpr const T* begin() const { return item; }
  constexpr const T* end() const { return item + n; }
  constexpr int size() const { return n; }
  constexpr const T& operator[](int i) const { return item[i]; }
};

// Type sets that schemas use.
inline constexpr TypeSet kFloats{DType::kF16, DType::kBF16, DType::kF32, DType::kF64};
inline constexpr TypeSet kSignedInts{DType::kI8, DType::kI16, DType::kI32, DType::kI64};
inline constexpr TypeSet kUnsignedInts{DType::kU8, DType::kU16, DType::kU32, DType::kU64};
inline constexpr TypeSet kInts = kSignedInts | kUnsignedInts;
inline constexpr TypeSet kNumbers = kFloats | kInts;
inline constexpr TypeSet kIndices{DType::kI32, DType::kI64};
inline constexpr TypeSet kI64Only{DType::kI64};
inline constexpr TypeSet kBytes{DType::kU8, DType::kI8};
inline constexpr TypeSet kBools{DType::kBool};
inline constexpr TypeSet kStrings{DType::kString};
inline constexpr TypeSet kComplex{DType::kC64, DType::kC128};
inline constexpr TypeSet kFloat8{DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ,
                                 DType::kF8E8M0};
inline constexpr TypeSet kSubBytes{DType::kU4, DType::kI4, DType::kF4E2M1, DType::kU2, DType::kI2};
/// Every element type, strings included.
inline constexpr TypeSet kAll = kNumbers | kBools | kStrings | kComplex | kFloat8 | kSubBytes;

/// An input or output position. Ports with the same type variable carry the same element type.
struct Port {
  std::string_view name;
  TypeSet types;
  std::string_view var = {};  ///< "T": shared type variable; empty: on its own
  bool optional = false;
  bool variadic = false;       ///< the last port, repeated
  bool heterogeneous = false;  ///< a variadic port whose repetitions may differ in type
  bool any_kind = false;       ///< sequences, maps and optionals are accepted too
};
constexpr Port port(std::string_view name, TypeSet types, std::string_view var = {}) { return {name, types, var}; }
constexpr Port optional(Port p) {
  p.optional = true;
  return p;
}
constexpr Port variadic(Port p) {
  p.variadic = true;
  return p;
}
constexpr Port heterogeneous(Port p) {
  p.variadic = p.heterogeneous = true;
  return p;
}
constexpr Port any_kind(Port p) {
  p.any_kind = true;
  return p;
}

/// Computes output types and shapes (and element expressions of small integer outputs). See opdef/infer.h.
using ShapeRule = Status (*)(InferContext&);
/// Rewrites a node read at an older version (node.since) into the newest form, in place or through new nodes.
using Upgrade = Status (*)(ir::Node&, Build&);

/// What passes and the executor may rely on.
struct Trait {
  /// Element-wise operators: the node as a program over the inputs that are given (numpy broadcasting, one output).
  /// Null: not pointwise.
  Program (*program)(const ir::Node&) = nullptr;
  /// Output 0 has the elements of input 0 in the same order: only the dimensions differ. No copy is made.
  bool view = false;
  /// Bit i: output 0 may be written over input i when both have the same byte size and the input dies here. The kernel
  /// reads each element of the input before it writes the same element of the output.
  uint8_t in_place = 0;
  /// Output dimensions depend on contents that only running the kernel tells (NonZero): the kernel allocates its
  /// outputs.
  bool kernel_sizes_output = false;
  bool commutative = false;
  /// Gives a result for all contents of its inputs: once types and shapes are right nothing can fail.
  bool total = false;
  bool deterministic = true;  ///< false: random; never folded or merged
  bool control_flow = false;  ///< lowered by exec, has no kernel
  /// Dimension handling for the layout pass.
  enum class Layout : uint8_t { kOpaque, kAgnostic, kChannels } layout = Layout::kOpaque;
};
/// An element-wise operator; all inputs may be overwritten.
constexpr Trait pointwise(Program (*program)(const ir::Node&), bool commutative = false) {
  Trait t;
  t.program = program;
  t.in_place = 0xff;
  t.total = true;
  t.commutative = commutative;
  t.layout = Trait::Layout::kAgnostic;
  return t;
}
/// A pointwise operator that is one function without immediates.
template <Fn fn>
constexpr Trait pointwise(bool commutative = false) {
  return pointwise([](const ir::Node&) { return Program::single(fn); }, commutative);
}
constexpr Trait view_trait() {
  Trait t;
  t.view = true;
  return t;
}

/// Attribute facts used for validation: type letter and whether the model must give it.
/// 'i' int, 'f' float, 's' string, 't' tensor, 'g' graph, 'I' ints, 'F' floats, 'S' strings, 'p' type, 'n' sparse
/// tensor
struct AttributeDef {
  std::string_view name;
  char type;
  bool required = false;
};

struct OpDef {
  std::string_view name;
  std::string_view domain = {};  ///< "" is ai.onnx
  List<int, 24> since;           ///< versions of the operator set that changed this operator, ascending
  List<Port, 24> in, out;
  List<AttributeDef, 24> attributes = {};  ///< empty: not checked
  ShapeRule shape = nullptr;
  Upgrade upgrade = nullptr;
  Trait trait = {};

  /// The since-version that applies in an operator set version; 0 when the operator is newer than that.
  constexpr int since_for(int opset) const {
    int best = 0;
    for (int v : since)
      if (v <= opset) best = v;
    return best;
  }
  constexpr int newest() const { return since.n ? since[since.n - 1] : 0; }
  constexpr int min_inputs() const {
    int k = 0;
    for (int i = 0; i < in.n; ++i)
      if (!in[i].optional && !in[i].variadic) k = i + 1;
    return k;
  }
  /// The port of an input or output position: the last one repeats when variadic; null beyond the end.
  const Port* input_port(size_t i) const { return pick(in, i); }
  const Port* output_port(size_t i) const { return pick(out, i); }

  static const Port* pick(const List<Port, 24>& ports, size_t i) {
    if (i < static_cast<size_t>(ports.n)) return &ports.item[i];
    if (ports.n && ports.item[ports.n - 1].variadic) return &ports.item[ports.n - 1];
    return nullptr;
  }
};

/// Declares the OP facet: TENON_OP(softplus) { .name = "Softplus", ... };
#define TENON_OP(id)                          \
  extern const ::tenon::opdef::OpDef op_##id; \
  constinit const ::tenon::opdef::OpDef op_##id =

}  // namespace tenon::opdef
