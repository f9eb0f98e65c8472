// Integer operands that were attributes once: reading them either way, checking axes, and the upgrade to inputs.
// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <string_view>

#include "kernels/move/gather.h"
#include "opdef/build.h"
#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;

/// Input i as integers, or the attribute where the model has that; nothing when not known yet.
inline std::optional<Dims> int_operand(const InferContext& c, size_t i, std::string_view attribute) {
  if (c.has(i)) return c.integers(i);
  auto a = c.ints(attribute);
  if (c.node().find(attribute)) return Dims(a);
  return std::nullopt;
}
/// The same as expressions.
inline std::optional<DimVector> dim_operand(const InferContext& c, size_t i, std::string_view attribute) {
  if (c.has(i)) return c.elements(i);
  if (!c.node().find(attribute)) return std::nullopt;
  DimVector out;
  for (int64_t v : c.ints(attribute)) out.push_back(v);
  return out;
}
/// The same while running: input i when it is there, else the attribute (empty when missing).
Result<Dims> int_operand(const KernelContext& c, size_t i, std::string_view attribute);

/// Axes in [-rank, rank) made non-negative, order kept; fails outside of the range and on repetitions.
Result<Dims> normal_axes(std::span<const int64_t> axes, int64_t rank, std::string_view op);

/// A dimension list of unknowns.
inline DimVector unknown_dims(size_t rank) { return DimVector(rank, Dim::unknown()); }
/// Sets output i to the element type and a known rank with unknown dimensions.
inline void set_rank(InferContext& c, size_t i, DType dtype, size_t rank) { c.set(i, dtype, unknown_dims(rank)); }

/// Upgrade: turns the ints attribute into a constant input at this position; does nothing when it is absent.
void ints_to_input(ir::Node& node, Build& b, std::string_view attribute, size_t position);
/// Puts a value at an input position, with missing inputs before it where needed.
void put_input(ir::Node& node, Build& b, size_t position, ir::ValueId value);

/// An index operand of a kernel.
inline kernels::Indices indices_of(const TensorRef& t) { return {t.data, t.count, t.dtype == DType::kI64}; }

/// The first element of an input of any number type, as double (f64 and up to 2^53 exact).
double number_at(const TensorRef& t, int64_t i = 0);
/// The same as integer: floats are truncated, saturated at the ends, NaN is 0.
int64_t integer_at(const TensorRef& t, int64_t i = 0);

/// Makes kernel operands of integer contents known as expressions: the result's elements are input 0's elements in
/// other places. `move(dst, src)` is the operator's own mover on 8-byte elements. Does nothing unless the dimensions of
/// input 0 and of output 0 (set before) are numbers, and both are small.
template <class F>
Status move_elements(InferContext& c, F&& move) {
  if (!kIndices.has(c.dtype(0)) || !c.has_shape(0) || c.out.empty() || !c.out[0].type.has_shape) return {};
  auto elements = c.elements(0);
  auto in = ir::constant_dims(c.shape(0)), out = ir::constant_dims(c.out[0].type.shape);
  if (!elements || !in || !out) return {};
  auto n_in = checked_count(*in), n_out = checked_count(*out);
  if (!n_in.ok() || !n_out.ok() || *n_out > kMaxElements || *n_in != static_cast<int64_t>(elements->size())) return {};
  Dims places(elements->size()), moved(static_cast<size_t>(*n_out));
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  TENON_TRY(move(static_cast<void*>(moved.data()), static_cast<const void*>(places.data())));
  DimVector result;
  for (int64_t p : moved) result.push_back((*elements)[static_cast<size_t>(p)]);
  c.set_elements(0, std::move(result));
  return {};
}

}  // namespace tenon::ops
