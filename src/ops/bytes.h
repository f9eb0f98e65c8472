// Lets movers work on whole bytes: types below 8 bits are unpacked into scratch before a kernel and packed after it.
// SPDX-License-Identifier: MIT
#pragma once
#include "kernels/move/packed.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;

/// Bytes of one element as the movers see it: 1 for types below 8 bits.
inline int mover_width(DType t) { return is_sub_byte(t) ? 1 : byte_width(t); }

/// The memory of an input with whole-byte elements: its own, or an unpacked copy in scratch.
inline Result<const void*> input_bytes(KernelContext& c, size_t i) {
  const TensorRef& t = c.in(i);
  if (!is_sub_byte(t.dtype)) return static_cast<const void*>(t.data);
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(t.count)));
  bool is_signed = t.dtype == DType::kI4 || t.dtype == DType::kI2;
  kernels::unpack_bits(static_cast<uint8_t*>(p), t.as<uint8_t>(), t.count, bit_width(t.dtype), is_signed, c.team());
  return static_cast<const void*>(p);
}

/// Where a mover writes output i: its own memory, or scratch bytes that finish() packs.
class OutputBytes {
 public:
  static Result<OutputBytes> of(KernelContext& c, size_t i) {
    OutputBytes o(c, i);
    o.data_ = c.out(i).data;
    if (is_sub_byte(c.out(i).dtype)) { TENON_ASSIGN(o.data_, c.scratch(static_cast<size_t>(c.out(i).count))); }
    return o;
  }
  void* data() const { return data_; }
  void finish() {
    const TensorRef& t = c_->out(i_);
    if (is_sub_byte(t.dtype))
      kernels::pack_bits(t.as<uint8_t>(), static_cast<const uint8_t*>(data_), t.count, bit_width(t.dtype), c_->team());
  }

 private:
  OutputBytes(KernelContext& c, size_t i) : c_(&c), i_(i) {}
  KernelContext* c_;
  size_t i_;
  void* data_ = nullptr;
};

}  // namespace tenon::ops
