// Values: between numpy arrays, Python lists and dicts, and OrtValue.
// SPDX-License-Identifier: MIT
#pragma once
#include <string>
#include <vector>

#include "engine.h"
#include "types.h"

namespace tenon::python {

/// An OrtValue and the Python object whose memory it borrows. The class OrtValue of the module.
struct Value {
  ValuePtr p;
  nb::object memory;
};

/// What one run is fed with.
class Feeds {
 public:
  /// Adds an input. Arrays of numbers that are contiguous are borrowed; lists and scalars become arrays of the input's
  /// element type; lists of arrays sequences; dicts maps. `type` may be null when the name is unknown.
  void add(nb::handle name, nb::handle object, const TypeDescription* type);
  const char* const* names() const { return names_.data(); }
  const OrtValue* const* values() const { return values_.data(); }
  size_t size() const { return values_.size(); }

 private:
  CStrings names_;
  std::vector<const OrtValue*> values_;
  std::vector<Value> owned_;
  std::vector<nb::object> kept_;
};

/// A tensor of an array: borrowed when it is contiguous numbers, else copied. `onnx_type` other than undefined: the
/// bits of the array are taken as this type of the same width.
Value value_of_array(nb::handle array, ONNXTensorElementDataType onnx_type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED);
/// The value of any object that can be fed: arrays, lists and scalars (arrays of the element type that `type` tells),
/// lists of arrays, dicts. `type` may be null.
Value value_of(nb::handle object, const TypeDescription* type);
/// An array that shares the tensor's memory and keeps `owner` alive (strings: an object array of copies).
nb::object array_of(OrtValue* tensor, nb::object owner);
/// The Python form of any value, which is taken over: array, list, dict, or None for an optional without value.
nb::object python_of(ValuePtr value);

/// Element type of something that numpy takes for a dtype, or of an ONNX number. Throws for types ONNX lacks.
ONNXTensorElementDataType element_type_of(nb::handle dtype_or_number);
/// The number that ONNX TensorProto (and so Python) has for a type of the C interface.
int onnx_number(ONNXTensorElementDataType type);
/// Bytes of `count` elements.
size_t byte_size(ONNXTensorElementDataType type, size_t count);

void define_values(nb::module_& m);

}  // namespace tenon::python
