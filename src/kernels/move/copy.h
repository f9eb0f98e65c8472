// Copies between dense and strided memory, and the operators that are one such copy: slice, expand, tile, concat, pad.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "tensor/shape.h"
#include "threads/team.h"

namespace tenon::kernels {

// Everything in kernels/move works on elements of `width` bytes: 1, 2, 4, 8 or 16. Element types below 8 bits are
// unpacked to bytes first and packed again afterwards (packed.h). Pointers need no more alignment than the element has.
// Source and destination must not overlap unless a function says so.

/// memcpy on several threads.
void copy_bytes(void* dst, const void* src, int64_t bytes, const Team& team);

/// Writes `count` copies of the element at `value` (which may lie anywhere outside of dst).
void fill(void* dst, const void* value, int64_t count, int width, const Team& team);

/// dst[sum i_k * dst_strides[k]] = src[sum i_k * src_strides[k]] for all 0 <= i_k < dims[k].
/// Strides count elements; source strides may be negative or zero; destination strides must not make two positions
/// meet. The three lists have the same length, any rank.
void copy_strided(void* dst, std::span<const int64_t> dst_strides, const void* src,
                  std::span<const int64_t> src_strides, std::span<const int64_t> dims, int width, const Team& team);

/// The elements that a slice takes from one axis: start, start + step, ... (count of them). All inside the axis.
struct SliceRange {
  int64_t start = 0;
  int64_t step = 1;
  int64_t count = 0;
};
/// Turns start, end and step of ONNX Slice (negative: from the end; clamped) into a range of an axis of size `dim`.
/// Fails when step is 0. Any 64-bit values are accepted.
Result<SliceRange> slice_range(int64_t start, int64_t end, int64_t step, int64_t dim);
/// Dense dst of shape {ranges[k].count} from dense src of shape `dims`; one range per axis.
void slice(void* dst, const void* src, std::span<const int64_t> dims, std::span<const SliceRange> ranges, int width,
           const Team& team);
/// The reverse: writes dense `src` of shape {ranges[k].count} into the places of dense dst (shape `dims`) that the
/// ranges name.
void slice_assign(void* dst, std::span<const int64_t> dims, std::span<const SliceRange> ranges, const void* src,
                  int width, const Team& team);
/// Reverses the order along each axis whose entry in `reversed` is true.
void flip(void* dst, const void* src, std::span<const int64_t> dims, std::span<const bool> reversed, int width,
          const Team& team);

/// Broadcasts src (shape src_dims, aligned to the right of dst_dims) to dst. Fails when a dimension is neither equal
/// nor 1.
Status expand(void* dst, std::span<const int64_t> dst_dims, const void* src, std::span<const int64_t> src_dims,
              int width, const Team& team);

/// dst has shape dims[k] * repeats[k]; repeats >= 0, one per axis.
void tile(void* dst, const void* src, std::span<const int64_t> dims, std::span<const int64_t> repeats, int width,
          const Team& team);

/// One input of concat or one output of split: dense [outer, axis, inner].
struct AxisPart {
  void* data = nullptr;
  int64_t axis = 0;
};
/// dst [outer, sum of parts' axis, inner]; the parts are read only. inner counts elements.
void concat(void* dst, std::span<const AxisPart> parts, int64_t outer, int64_t inner, int width, const Team& team);
/// src [outer, sum of parts' axis, inner] into the parts.
void split(std::span<const AxisPart> parts, const void* src, int64_t outer, int64_t inner, int width, const Team& team);

enum class PadMode { kConstant, kReflect, kEdge, kWrap };
/// dst has shape dims[k] + before[k] + after[k] (each >= 0, checked); negative pads cut. `value` is one element, read
/// for kConstant only. kReflect needs at least 2 elements on an axis that is padded (1 is taken as edge), and reflects
/// more than once when the pad is longer than the axis. Fails when a mode has nothing to copy from (an empty axis).
Status pad(void* dst, const void* src, std::span<const int64_t> dims, std::span<const int64_t> before,
           std::span<const int64_t> after, PadMode mode, const void* value, int width, const Team& team);

}  // namespace tenon::kernels
