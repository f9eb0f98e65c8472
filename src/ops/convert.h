// Runs kernels of one compute type on tensors of another: inputs are converted into scratch, outputs back from it.
// SPDX-License-Identifier: MIT
#pragma once
#include "kernels/elementwise/cast.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;

/// The type that kernels compute floats in: f32 for 16-bit and smaller floats, otherwise the type itself.
constexpr DType compute_type(DType t) { return t == DType::kF16 || t == DType::kBF16 ? DType::kF32 : t; }

/// Calls f with a value of the type that kernels compute in, float or double: with_float(dtype, [&](auto zero) {...}).
template <class F>
auto with_float(DType t, F&& f) {
  return t == DType::kF64 ? f(double{}) : f(float{});
}

/// Elements of a tensor as T: its own memory, or a converted copy in scratch.
template <class T>
Result<const T*> tensor_as(KernelContext& c, const TensorRef& t) {
  if (t.dtype == dtype_of<T>) return static_cast<const T*>(t.data);
  TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(t.count) * sizeof(T)));
  convert(t.dtype, t.data, dtype_of<T>, p, t.count, true, c.team());
  return static_cast<const T*>(p);
}

/// Input i as T; null when it is not given.
template <class T>
Result<const T*> input_as(KernelContext& c, size_t i) {
  if (!c.has(i)) return static_cast<const T*>(nullptr);
  return tensor_as<T>(c, c.in(i));
}

/// The elements of a constant (or none) as T, owned by the caller: for packing.
template <class T>
std::vector<T> constant_as(const Tensor* t) {
  std::vector<T> out;
  if (!t) return out;
  out.resize(static_cast<size_t>(t->count()));
  convert(t->dtype(), t->data(), dtype_of<T>, out.data(), t->count());
  return out;
}

/// Where a kernel writes output i as T: its own memory, or scratch that finish() converts. Null data when not wanted.
template <class T>
class OutputAs {
 public:
  static Result<OutputAs> of(KernelContext& c, size_t i) {
    OutputAs o(c, i);
    if (!c.wants(i)) return o;
    o.data_ = c.out(i).as<T>();
    if (c.out(i).dtype != dtype_of<T>) {
      TENON_ASSIGN(void* p, c.scratch(static_cast<size_t>(c.out(i).count) * sizeof(T)));
      o.data_ = static_cast<T*>(p);
    }
    return o;
  }
  T* data() const { return data_; }
  void finish() {
    if (!data_) return;
    const TensorRef& t = c_->out(i_);
    if (t.dtype != dtype_of<T>) convert(dtype_of<T>, data_, t.dtype, t.data, t.count, true, c_->team());
  }

 private:
  OutputAs(KernelContext& c, size_t i) : c_(&c), i_(i) {}
  KernelContext* c_;
  size_t i_;
  T* data_ = nullptr;
};

}  // namespace tenon::ops
