// Gather by an index list: along an axis, element by element, and by coordinate tuples.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>

#include "base/status.h"
#include "tensor/shape.h"
#include "threads/team.h"

namespace tenon::kernels {

/// An index operand: i32 or i64, dense. Negative values count from the end.
struct Indices {
  const void* data = nullptr;
  int64_t count = 0;
  bool is64 = true;

  int64_t operator[](int64_t i) const {
    return is64 ? static_cast<const int64_t*>(data)[i] : static_cast<const int32_t*>(data)[i];
  }
};

/// Fails, naming the first bad index and its place, unless -size <= index < size holds for each.
Status check_indices(const Indices& indices, int64_t size, const Team& team);

// The functions below check every index before the destination is touched. Strings move as 16-byte handles.

/// Gather: src [outer, axis, inner], dst [outer, indices.count, inner]. inner counts elements.
Status gather(void* dst, const void* src, int64_t outer, int64_t axis, int64_t inner, const Indices& indices, int width,
              const Team& team);

/// GatherElements: dst and indices have shape index_dims; same rank as src_dims, and no dimension but `axis` larger.
Status gather_elements(void* dst, const void* src, std::span<const int64_t> src_dims, const Indices& indices,
                       std::span<const int64_t> index_dims, int64_t axis, int width, const Team& team);

/// GatherND: the last dimension of index_dims is the length of a tuple. The first batch_dims dimensions of both agree.
/// dst has shape index_dims[:-1] + src_dims[batch_dims + tuple:]. Always 64-bit indices in ONNX; 32-bit work as well.
Status gather_nd(void* dst, const void* src, std::span<const int64_t> src_dims, const Indices& indices,
                 std::span<const int64_t> index_dims, int64_t batch_dims, int width, const Team& team);

}  // namespace tenon::kernels
