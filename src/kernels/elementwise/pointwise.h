// The tile engine: runs a Program over broadcast operands in pieces that stay in the first-level cache.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/small_vector.h"
#include "base/status.h"
#include "kernels/elementwise/program.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon {

/// One call of a tile kernel: n elements. An operand of step 0 holds one value, repeated kSplat times from its address
/// on; one of step ~0 holds n elements. out may be an operand of the same element width.
struct TileCall {
  void* out;
  const void* in[3];
  size_t step[3];
  size_t n;
  const double* imm;
};
using TileFn = void (*)(const TileCall&);
/// Elements for which a single value is repeated; as many as the widest vector of bytes has.
inline constexpr size_t kSplat = 64;

/// A program made ready for fixed element types: which kernel runs on which tile buffer. Immutable, shareable between
/// threads, free of shapes.
class PointwisePlan {
 public:
  std::span<const DType> input_types() const { return input_types_; }
  std::span<const DType> output_types() const { return output_types_; }

 private:
  friend class PointwisePlanner;
  friend class PointwiseRun;
  // A place holds one value of a tile: inputs come first, then outputs, constants and buffers.
  struct Step {
    TileFn run;
    uint8_t arity;
    uint8_t out;
    uint8_t in[3];
    double imm[2];
  };
  SmallVector<DType, 4> input_types_, output_types_;
  SmallVector<Step, 4> steps_;  ///< the first constants_ of them fill the constants
  int constants_ = 0;
  int buffers_ = 0;
  int buffer_bytes_ = 0;  ///< bytes of one element in a buffer
  double ns_per_item_ = 0;
};
/// Inputs, outputs, constants and live intermediate values together.
inline constexpr int kMaxPlaces = 64;

/// Checks the types and chooses kernels. Fails with kInvalidArgument (types, registers) or kNotImplemented (a type that
/// a function does not have; a chain of more than kMaxPlaces inputs, outputs, constants and values alive).
Result<PointwisePlan> plan_pointwise(const Program& program, std::span<const DType> input_types);

/// Runs the plan. `in` and `out` are as many and of the types that the plan says. All outputs have one shape, to which
/// the inputs broadcast by the rules of numpy (the caller has checked it, e.g. with tenon::broadcast). An output may be
/// the memory of an input with the same shape and element width; other overlaps are not allowed. Never allocates for
/// ranks up to 8 and up to 8 inputs. Results do not depend on the team.
void run_pointwise(const PointwisePlan& plan, std::span<const TensorRef> in, std::span<const TensorRef> out,
                   const Team& team);

/// An input read with element strides of its own (0 broadcasts), one for each dimension of the output: slices,
/// transposed views, expanded tensors. Types below 8 bits are addressed in elements too.
struct StridedInput {
  const void* data = nullptr;
  std::span<const int64_t> strides;
};
/// The same with strided inputs. `shape` is the shape of every output; outputs are dense.
void run_pointwise_strided(const PointwisePlan& plan, std::span<const int64_t> shape, std::span<const StridedInput> in,
                           std::span<void* const> out, const Team& team);

/// Runs the plan on one row of n elements on the calling thread: for epilogues of other kernels (bias, activation,
/// residual on a finished tile of a GEMM). An input is n dense elements, or a single one when `single` is set.
struct RowInput {
  const void* data = nullptr;
  bool single = false;
};
void run_pointwise_row(const PointwisePlan& plan, int64_t n, std::span<const RowInput> in, std::span<void* const> out);

}  // namespace tenon
