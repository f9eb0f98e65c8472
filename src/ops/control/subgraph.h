// What the control-flow operators share: joining the types of two ways a value can be made.
// SPDX-License-Identifier: MIT
#pragma once
#include "opdef/infer.h"

namespace tenon::ops {
using namespace opdef;

/// The type that covers both: dimensions that are not proved equal become unknown, differing ranks drop the shape.
/// Fails when the element types or kinds differ.
inline Result<Type> join_types(const Type& a, const Type& b, std::string_view op) {
  if (!a.known()) return b;
  if (!b.known()) return a;
  if (a.kind != b.kind ||
      (a.is_tensor() && a.dtype != b.dtype && a.dtype != DType::kUndefined && b.dtype != DType::kUndefined))
    return error(Code::kFail, "Type Error: ", op, ": a value is ", a.onnx_text(), " one way and ", b.onnx_text(),
                 " the other");
  Type out = a;
  if (out.dtype == DType::kUndefined) out.dtype = b.dtype;
  if (!a.has_shape || !b.has_shape || a.shape.size() != b.shape.size()) {
    out.has_shape = false;
    out.shape.clear();
    return out;
  }
  for (size_t i = 0; i < out.shape.size(); ++i)
    if (!(a.shape[i] == b.shape[i])) out.shape[i] = Dim::unknown();
  return out;
}

/// Widens the type of a loop's state so that it covers `next` too: dimensions that change from one iteration to the
/// other become symbols of their own. True when `state` changed. `initial` is the type it entered the loop with.
inline Result<bool> widen(Type& state, const Type& initial, const Type& next, ir::DimPool& pool, std::string_view op) {
  TENON_ASSIGN(Type joined, join_types(state, next, op));
  if (!state.has_shape && state.known()) return false;
  bool changed = joined.has_shape != state.has_shape || joined.kind != state.kind || joined.dtype != state.dtype;
  for (size_t i = 0; i < joined.shape.size(); ++i) {
    if (!joined.shape[i].is_unknown()) continue;
    bool free_already =
        state.has_shape && initial.has_shape && i < initial.shape.size() && !(state.shape[i] == initial.shape[i]);
    joined.shape[i] = free_already ? state.shape[i] : pool.fresh();
    changed |= !free_already;
  }
  if (changed) state = std::move(joined);
  return changed;
}

}  // namespace tenon::ops
