// Values: conversions, and the class OrtValue.
// SPDX-License-Identifier: MIT
#include "values.h"

#define NPY_NO_DEPRECATED_API NPY_1_22_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <numpy/arrayobject.h>

#include <cstring>
#include <optional>

#include "devices.h"
#include "tenon/tenon_c_api.h"

#pragma weak TenonGetApi  // absent when the module is built against another library

namespace tenon::python {
namespace {

struct Element {
  ONNXTensorElementDataType type;
  int bits;
  int numpy;       ///< type number; -1: a type of the package ml_dtypes
  const char* ml;  ///< its name there
  int plain;       ///< what stands for it without that package
};
constexpr Element kElements[] = {
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT, 32, NPY_FLOAT32, nullptr, NPY_FLOAT32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE, 64, NPY_FLOAT64, nullptr, NPY_FLOAT64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT16, 16, NPY_FLOAT16, nullptr, NPY_FLOAT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT8, 8, NPY_INT8, nullptr, NPY_INT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT16, 16, NPY_INT16, nullptr, NPY_INT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32, 32, NPY_INT32, nullptr, NPY_INT32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, 64, NPY_INT64, nullptr, NPY_INT64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT8, 8, NPY_UINT8, nullptr, NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT16, 16, NPY_UINT16, nullptr, NPY_UINT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT32, 32, NPY_UINT32, nullptr, NPY_UINT32},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT64, 64, NPY_UINT64, nullptr, NPY_UINT64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL, 8, NPY_BOOL, nullptr, NPY_BOOL},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64, 64, NPY_COMPLEX64, nullptr, NPY_COMPLEX64},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128, 128, NPY_COMPLEX128, nullptr, NPY_COMPLEX128},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_BFLOAT16, 16, -1, "bfloat16", NPY_UINT16},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FN, 8, -1, "float8_e4m3fn", NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E4M3FNUZ, 8, -1, "float8_e4m3fnuz", NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2, 8, -1, "float8_e5m2", NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E5M2FNUZ, 8, -1, "float8_e5m2fnuz", NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, 8, -1, "float8_e8m0fnu", NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT4, 4, -1, "int4", NPY_INT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT4, 4, -1, "uint4", NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT4E2M1, 4, -1, "float4_e2m1fn", NPY_UINT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, 2, -1, "int2", NPY_INT8},
    {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, 2, -1, "uint2", NPY_UINT8},
};

const Element* find(ONNXTensorElementDataType type) {
  for (auto& e : kElements)
    if (e.type == type) return &e;
  return nullptr;
}

PyArrayObject* array_pointer(nb::handle h) { return reinterpret_cast<PyArrayObject*>(h.ptr()); }

bool is_text(PyArray_Descr* d) {
  return d->type_num == NPY_OBJECT || d->type_num == NPY_UNICODE || d->type_num == NPY_STRING;
}

/// Null for strings and for types that ONNX lacks.
const Element* find(PyArray_Descr* d) {
  // Several type numbers may mean one width (long and long long): the table is asked by kind and size.
  for (auto& e : kElements) {
    if (e.numpy < 0) continue;
    if (d->type_num == e.numpy) return &e;
  }
  const int size = static_cast<int>(PyDataType_ELSIZE(d));
  if (d->kind == 'i' || d->kind == 'u')
    for (auto& e : kElements)
      if (e.numpy >= 0 && e.bits == 8 * size && e.type != ONNX_TENSOR_ELEMENT_DATA_TYPE_BOOL &&
          PyTypeNum_ISSIGNED(e.numpy) == (d->kind == 'i') && PyTypeNum_ISINTEGER(e.numpy))
        return &e;
  const char* name = reinterpret_cast<PyTypeObject*>(d->typeobj)->tp_name;
  if (const char* dot = std::strrchr(name, '.')) name = dot + 1;
  for (auto& e : kElements)
    if (e.ml && std::strcmp(e.ml, name) == 0) return &e;
  return nullptr;
}

/// The module ml_dtypes, or None.
nb::handle ml_dtypes() {
  static PyObject* module = [] {
    PyObject* m = PyImport_ImportModule("ml_dtypes");
    if (m) return m;
    PyErr_Clear();
    Py_RETURN_NONE;
  }();
  return module;
}

/// A new reference to the dtype of arrays of this element type.
PyArray_Descr* descr_of(const Element& e) {
  if (e.numpy >= 0) return PyArray_DescrFromType(e.numpy);
  nb::handle ml = ml_dtypes();
  if (!ml.is_none() && nb::hasattr(ml, e.ml)) {
    PyArray_Descr* d = nullptr;
    nb::object scalar = ml.attr(e.ml);
    if (PyArray_DescrConverter(scalar.ptr(), &d) && d) return d;
    PyErr_Clear();
  }
  return PyArray_DescrFromType(e.plain);
}

std::vector<int64_t> shape_of(nb::handle array) {
  auto* a = array_pointer(array);
  return {PyArray_DIMS(a), PyArray_DIMS(a) + PyArray_NDIM(a)};
}

nb::object contiguous(nb::handle array) {
  PyObject* a = PyArray_CheckFromAny(array.ptr(), nullptr, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED, nullptr);
  if (!a) throw nb::python_error();
  return nb::steal(a);
}

ValuePtr allocate(ONNXTensorElementDataType type, const std::vector<int64_t>& shape) {
  OrtValue* v = nullptr;
  check(api().CreateTensorAsOrtValue(cpu_allocator(), shape.data(), shape.size(), type, &v));
  return ValuePtr(v);
}

void put_text(OrtValue* value, size_t index, std::string_view text) {
  char* to = nullptr;
  check(api().GetResizedStringTensorElementBuffer(value, index, text.size(), &to));
  if (!text.empty()) std::memcpy(to, text.data(), text.size());
}

Value value_of_texts(nb::handle array) {
  auto* a = array_pointer(array);
  Value out{allocate(ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, shape_of(array)), {}};
  nb::object flat = nb::steal(PyArray_Ravel(a, NPY_CORDER));
  auto* f = array_pointer(flat);
  const npy_intp count = PyArray_SIZE(f);
  for (npy_intp i = 0; i < count; ++i) {
    nb::object item = nb::steal(PyArray_GETITEM(f, static_cast<char*>(PyArray_GETPTR1(f, i))));
    if (PyBytes_Check(item.ptr())) {
      put_text(out.p.get(), static_cast<size_t>(i),
               {PyBytes_AS_STRING(item.ptr()), static_cast<size_t>(PyBytes_GET_SIZE(item.ptr()))});
      continue;
    }
    if (!PyUnicode_Check(item.ptr())) item = nb::steal(PyObject_Str(item.ptr()));
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(item.ptr(), &size);
    if (!text) throw nb::python_error();
    put_text(out.p.get(), static_cast<size_t>(i), {text, static_cast<size_t>(size)});
  }
  return out;
}

/// Elements below a byte stand one to a byte in arrays and packed in tensors, the first in the low bits.
void pack(const uint8_t* from, uint8_t* to, size_t count, int bits) {
  const size_t per = static_cast<size_t>(8 / bits);
  const unsigned mask = (1u << bits) - 1;
  std::memset(to, 0, (count + per - 1) / per);
  for (size_t i = 0; i < count; ++i)
    to[i / per] = static_cast<uint8_t>(to[i / per] | (from[i] & mask) << (bits * static_cast<int>(i % per)));
}
void unpack(const uint8_t* from, int8_t* to, size_t count, int bits, bool is_signed) {
  const size_t per = static_cast<size_t>(8 / bits);
  const int mask = (1 << bits) - 1;
  for (size_t i = 0; i < count; ++i) {
    int v = from[i / per] >> (bits * static_cast<int>(i % per)) & mask;
    if (is_signed && v > mask / 2) v -= mask + 1;
    to[i] = static_cast<int8_t>(v);
  }
}

size_t element_count(const std::vector<int64_t>& shape) {
  size_t n = 1;
  for (int64_t d : shape) n *= static_cast<size_t>(d);
  return n;
}

struct TensorFacts {
  ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
  std::vector<int64_t> shape;
};
TensorFacts facts_of(const OrtValue* tensor) {
  OrtTensorTypeAndShapeInfo* info = nullptr;
  check(api().GetTensorTypeAndShape(tensor, &info));
  ShapeInfoPtr owner(info);
  TensorFacts out;
  check(api().GetTensorElementType(info, &out.type));
  size_t rank = 0;
  check(api().GetDimensionsCount(info, &rank));
  out.shape.resize(rank);
  check(api().GetDimensions(info, out.shape.data(), rank));
  return out;
}

nb::object new_array(PyArray_Descr* descr, const std::vector<int64_t>& shape, void* data) {
  std::vector<npy_intp> dims(shape.begin(), shape.end());
  PyObject* a = PyArray_NewFromDescr(&PyArray_Type, descr, static_cast<int>(dims.size()), dims.data(), nullptr, data,
                                     data ? NPY_ARRAY_CARRAY : 0, nullptr);
  if (!a) throw nb::python_error();
  return nb::steal(a);
}

nb::object texts_of(const OrtValue* tensor, const std::vector<int64_t>& shape) {
  size_t bytes = 0;
  check(api().GetStringTensorDataLength(tensor, &bytes));
  const size_t count = element_count(shape);
  std::vector<size_t> offsets(count + 1);
  std::string all(bytes, 0);
  check(api().GetStringTensorContent(tensor, all.data(), bytes, offsets.data(), count));
  offsets[count] = bytes;
  nb::object out = new_array(PyArray_DescrFromType(NPY_OBJECT), shape, nullptr);
  auto** items = static_cast<PyObject**>(PyArray_DATA(array_pointer(out)));
  for (size_t i = 0; i < count; ++i) {
    nb::object text = text_object(std::string_view(all).substr(offsets[i], offsets[i + 1] - offsets[i]));
    if (!text.is_valid()) throw nb::python_error();
    Py_XDECREF(items[i]);
    items[i] = text.release().ptr();
  }
  return out;
}

ValuePtr element_at(const OrtValue* value, int index) {
  OrtValue* v = nullptr;
  check(api().GetValue(value, index, cpu_allocator(), &v));
  return ValuePtr(v);
}

bool is_kind(const OrtValue* value, ONNXType kind) {
  ONNXType k = ONNX_TYPE_UNKNOWN;
  check(api().GetValueType(value, &k));
  return k == kind;
}

/// The elements of a tensor as Python numbers or texts, the items of a sequence as Python objects.
std::vector<nb::object> objects_of(ValuePtr value) {
  if (is_kind(value.get(), ONNX_TYPE_TENSOR)) {
    const TensorFacts t = facts_of(value.get());
    auto with = [&]<class T>(T, auto make) {
      void* data = nullptr;
      check(api().GetTensorMutableData(value.get(), &data));
      std::vector<nb::object> out(element_count(t.shape));
      for (size_t i = 0; i < out.size(); ++i) {
        out[i] = nb::steal(make(static_cast<const T*>(data)[i]));
        if (!out[i].is_valid()) throw nb::python_error();
      }
      return out;
    };
    switch (t.type) {
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT:
        return with(float{}, [](float v) { return PyFloat_FromDouble(static_cast<double>(v)); });
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_DOUBLE: return with(double{}, PyFloat_FromDouble);
      case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64: return with(int64_t{}, PyLong_FromLongLong);
      default: break;
    }
  }
  nb::object items = python_of(std::move(value));
  if (nb::hasattr(items, "tolist")) items = items.attr("tolist")();
  std::vector<nb::object> out;
  for (nb::handle item : items) out.push_back(nb::borrow(item));
  return out;
}

/// Makes dictionaries; maps that share their keys, as those of one sequence often do, share the Python keys.
class DictMaker {
 public:
  nb::object dict_of(const OrtValue* map) {
    ValuePtr keys = element_at(map, 0);
    if (keys.get() != last_.get()) {
      last_ = std::move(keys);
      keys_ = objects_of(element_at(map, 0));
    }
    const std::vector<nb::object> values = objects_of(element_at(map, 1));
    nb::dict out;
    for (size_t i = 0; i < keys_.size() && i < values.size(); ++i)
      if (PyDict_SetItem(out.ptr(), keys_[i].ptr(), values[i].ptr()) != 0) throw nb::python_error();
    return out;
  }

 private:
  ValuePtr last_;
  std::vector<nb::object> keys_;
};

nb::object dict_of(const OrtValue* map) { return DictMaker().dict_of(map); }

ValuePtr gather(const std::vector<ValuePtr>& items, ONNXType kind) {
  std::vector<const OrtValue*> pointers;
  for (auto& i : items) pointers.push_back(i.get());
  OrtValue* v = nullptr;
  check(api().CreateValue(pointers.data(), pointers.size(), kind, &v));
  return ValuePtr(v);
}

nb::object to_array(nb::handle object, ONNXTensorElementDataType type) {
  PyArray_Descr* descr = nullptr;
  if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) descr = PyArray_DescrFromType(NPY_OBJECT);
  else if (const Element* e = find(type)) descr = descr_of(*e);
  PyObject* a = PyArray_FromAny(object.ptr(), descr, 0, 0, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_FORCECAST, nullptr);
  if (!a) throw nb::python_error();
  return nb::steal(a);
}

[[noreturn]] void cannot_take(nb::handle object, const std::string& expected) {
  std::string type = nb::cast<std::string>(nb::str(object.type()));
  throw std::runtime_error("Unable to handle object of type " + type + (expected.empty() ? "" : " for " + expected));
}

const Value* as_value(nb::handle object, nb::object& holder) {
  if (nb::isinstance<Value>(object)) return nb::cast<const Value*>(object);
  if (PyArray_Check(object.ptr()) || PyDict_Check(object.ptr()) || PyList_Check(object.ptr())) return nullptr;
  PyObject* inner = PyObject_GetAttrString(object.ptr(), "_ortvalue");
  if (!inner) {
    PyErr_Clear();
    return nullptr;
  }
  holder = nb::steal(inner);
  return nb::isinstance<Value>(holder) ? nb::cast<const Value*>(holder) : nullptr;
}

}  // namespace

namespace {
/// An empty sequence, or an optional without value.
Value empty_value(ONNXType kind, const TypeDescription& inside) {
  if (!TenonGetApi || !TenonGetApi(2)) throw std::runtime_error("this engine library makes no values without contents");
  const TypeDescription* t = &inside;
  while (!t->inner.empty()) t = &t->inner[0];
  OrtValue* v = nullptr;
  check(TenonGetApi(2)->CreateEmptyValue(kind, t->element, &v));
  return {ValuePtr(v), {}};
}
}  // namespace

/// A value that owns or borrows through `memory`; arrays inside sequences and maps are copied by the engine.
Value value_of(nb::handle object, const TypeDescription* type) {
  if (object.is_none() && type && type->kind == ONNX_TYPE_OPTIONAL) return empty_value(ONNX_TYPE_OPTIONAL, *type);
  while (type && type->kind == ONNX_TYPE_OPTIONAL && !type->inner.empty()) type = &type->inner[0];
  const ONNXType kind = type ? type->kind : ONNX_TYPE_UNKNOWN;
  if (PyArray_Check(object.ptr())) return value_of_array(object);
  if (kind == ONNX_TYPE_SEQUENCE && (PyList_Check(object.ptr()) || PyTuple_Check(object.ptr()))) {
    std::vector<ValuePtr> items;
    std::vector<nb::object> memory;
    const TypeDescription* element = type->inner.empty() ? nullptr : &type->inner[0];
    for (nb::handle item : nb::borrow<nb::iterable>(object)) {
      Value v = value_of(item, element);
      memory.push_back(v.memory);
      items.push_back(std::move(v.p));
    }
    if (items.empty()) return empty_value(ONNX_TYPE_SEQUENCE, *type);
    nb::list kept;
    for (auto& k : memory) kept.append(k.is_valid() ? k : nb::none());
    return {gather(items, ONNX_TYPE_SEQUENCE), std::move(kept)};
  }
  if (PyDict_Check(object.ptr())) {
    const bool map = kind == ONNX_TYPE_MAP;
    const auto key_type = map ? type->element : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    const auto value_type =
        map && !type->inner.empty() ? type->inner[0].element : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    nb::dict d = nb::borrow<nb::dict>(object);
    std::vector<ValuePtr> items;
    Value keys = value_of_array(to_array(nb::list(d.keys()), key_type));
    Value values = value_of_array(to_array(nb::list(d.values()), value_type));
    items.push_back(std::move(keys.p));
    items.push_back(std::move(values.p));
    nb::list kept;
    kept.append(keys.memory.is_valid() ? keys.memory : nb::none());
    kept.append(values.memory.is_valid() ? values.memory : nb::none());
    return {gather(items, ONNX_TYPE_MAP), std::move(kept)};
  }
  if (object.is_none()) cannot_take(object, type ? type->text() : "");
  if (kind == ONNX_TYPE_TENSOR) return value_of_array(to_array(object, type->element));
  if (kind == ONNX_TYPE_UNKNOWN) return value_of_array(to_array(object, ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED));
  cannot_take(object, type->text());
}

Value value_of_array(nb::handle array, ONNXTensorElementDataType onnx_type) {
  auto* a = array_pointer(array);
  if (is_text(PyArray_DESCR(a))) return value_of_texts(array);
  const Element* e = find(PyArray_DESCR(a));
  if (onnx_type != ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED) {
    const Element* wanted = find(onnx_type);
    if (!wanted || (PyArray_ITEMSIZE(a) * 8 != wanted->bits && wanted->bits >= 8))
      throw std::runtime_error(std::string("an array of ") + std::to_string(PyArray_ITEMSIZE(a)) +
                               "-byte elements cannot hold " + element_name(onnx_type));
    e = wanted;
  }
  if (!e) {
    std::string type = nb::cast<std::string>(nb::str(array.attr("dtype")));
    throw std::runtime_error("Numpy_type " + type + " can't be converted to an ONNX element type");
  }
  const auto shape = shape_of(array);
  nb::object dense = contiguous(array);
  auto* d = array_pointer(dense);
  const size_t count = element_count(shape);
  if (e->bits < 8) {
    Value out{allocate(e->type, shape), {}};
    void* to = nullptr;
    check(api().GetTensorMutableData(out.p.get(), &to));
    pack(static_cast<const uint8_t*>(PyArray_DATA(d)), static_cast<uint8_t*>(to), count, e->bits);
    return out;
  }
  OrtValue* v = nullptr;
  check(api().CreateTensorWithDataAsOrtValue(cpu_memory_info(), PyArray_DATA(d), byte_size(e->type, count),
                                             shape.data(), shape.size(), e->type, &v));
  return {ValuePtr(v), std::move(dense)};
}

nb::object array_of(OrtValue* tensor, nb::object owner) {
  TensorFacts t = facts_of(tensor);
  if (t.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING) return texts_of(tensor, t.shape);
  const Element* e = find(t.type);
  if (!e) throw std::runtime_error(std::string("No corresponding Numpy type for Tensor Type. ") + element_name(t.type));
  void* data = nullptr;
  check(api().GetTensorMutableData(tensor, &data));
  PyArray_Descr* descr = descr_of(*e);
  if (e->bits < 8) {
    nb::object out = new_array(descr, t.shape, nullptr);
    unpack(static_cast<const uint8_t*>(data), static_cast<int8_t*>(PyArray_DATA(array_pointer(out))),
           element_count(t.shape), e->bits, e->plain == NPY_INT8);
    return out;
  }
  if (element_count(t.shape) == 0) return new_array(descr, t.shape, nullptr);
  nb::object out = new_array(descr, t.shape, data);
  if (PyArray_SetBaseObject(array_pointer(out), owner.release().ptr()) != 0) throw nb::python_error();
  return out;
}

nb::object python_of(ValuePtr value) {
  if (!value) return nb::none();
  ONNXType kind = ONNX_TYPE_UNKNOWN;
  check(api().GetValueType(value.get(), &kind));
  switch (kind) {
    case ONNX_TYPE_TENSOR: {
      OrtValue* v = value.get();
      nb::object owner = nb::cast(Value{std::move(value), {}});
      return array_of(v, std::move(owner));
    }
    case ONNX_TYPE_SEQUENCE: {
      size_t n = 0;
      check(api().GetValueCount(value.get(), &n));
      nb::list out;
      DictMaker dicts;
      for (size_t i = 0; i < n; ++i) {
        ValuePtr item = element_at(value.get(), static_cast<int>(i));
        if (is_kind(item.get(), ONNX_TYPE_MAP)) out.append(dicts.dict_of(item.get()));
        else out.append(python_of(std::move(item)));
      }
      return out;
    }
    case ONNX_TYPE_MAP: return dict_of(value.get());
    case ONNX_TYPE_OPTIONAL: {
      int has = 0;
      check(api().HasValue(value.get(), &has));
      return has ? nb::cast(Value{std::move(value), {}}) : nb::none();
    }
    default: {
      int has = 0;
      if (!take_text(api().HasValue(value.get(), &has)).empty() || !has) return nb::none();
      return nb::cast(Value{std::move(value), {}});
    }
  }
}

namespace {
/// The three types whose numbers in the C interface are not those of ONNX TensorProto, which Python speaks.
struct Renumbered {
  ONNXTensorElementDataType type;
  int onnx;
};
constexpr Renumbered kRenumbered[] = {{ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0, 24},
                                      {ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2, 25},
                                      {ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2, 26}};
}  // namespace

int onnx_number(ONNXTensorElementDataType type) {
  for (const auto& r : kRenumbered)
    if (r.type == type) return r.onnx;
  return static_cast<int>(type);
}

ONNXTensorElementDataType element_type_of(nb::handle object) {
  if (PyLong_Check(object.ptr())) {
    const int number = nb::cast<int>(object);
    for (const auto& r : kRenumbered)
      if (r.onnx == number) return r.type;
    const auto type = static_cast<ONNXTensorElementDataType>(number);
    if (type != ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING && !find(type)) throw nb::value_error("not an ONNX element type");
    return type;
  }
  PyArray_Descr* descr = nullptr;
  if (!PyArray_DescrConverter(object.ptr(), &descr)) throw nb::python_error();
  nb::object owner = nb::steal(reinterpret_cast<PyObject*>(descr));
  if (is_text(descr)) return ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
  if (const Element* e = find(descr)) return e->type;
  throw nb::value_error("ONNX has no element type for this dtype");
}

size_t byte_size(ONNXTensorElementDataType type, size_t count) {
  const Element* e = find(type);
  return e ? (count * static_cast<size_t>(e->bits) + 7) / 8 : 0;
}

void Feeds::add(nb::handle name, nb::handle object, const TypeDescription* type) {
  nb::object holder;
  if (const Value* given = as_value(object, holder)) {
    values_.push_back(given->p.get());
    kept_.push_back(holder.is_valid() ? std::move(holder) : nb::borrow(object));
  } else {
    owned_.push_back(value_of(object, type));
    values_.push_back(owned_.back().p.get());
  }
  names_.add(name);
}

namespace {

void update_in_place(Value& value, nb::handle data) {
  if (!PyArray_Check(data.ptr())) throw std::runtime_error("update_inplace takes a numpy array");
  const TensorFacts t = facts_of(value.p.get());
  const Element* e = find(PyArray_DESCR(array_pointer(data)));
  const bool same = e && e->type == t.type && e->bits >= 8;
  const size_t count = element_count(t.shape);
  if (!same || static_cast<size_t>(PyArray_SIZE(array_pointer(data))) != count)
    throw std::runtime_error("update_inplace: element type and number of elements must be those of the OrtValue");
  nb::object dense = contiguous(data);
  void* to = nullptr;
  check(api().GetTensorMutableData(value.p.get(), &to));
  if (count) std::memcpy(to, PyArray_DATA(array_pointer(dense)), byte_size(t.type, count));
}

std::string type_text(const Value& v) {
  OrtTypeInfo* info = nullptr;
  check(api().GetTypeInfo(v.p.get(), &info));
  TypeInfoPtr owner(info);
  return describe(info).text();
}

bool is_kind(const Value& v, ONNXType kind) { return is_kind(v.p.get(), kind); }

}  // namespace

void define_values(nb::module_& m) {
  if (_import_array() < 0) throw nb::python_error();
  nb::class_<Value>(m, "OrtValue", "A tensor, sequence, map or optional of the engine.")
      .def_static(
          "ortvalue_from_numpy",
          [](nb::handle array, nb::handle) {
            if (!PyArray_Check(array.ptr())) throw std::runtime_error("Creation of OrtValues needs a numpy array");
            return value_of_array(array);
          },
          nb::arg("array"), nb::arg("device") = nb::none())
      .def_static("ortvalue_from_numpy_with_onnx_type",
                  [](nb::handle array, int type) {
                    if (!PyArray_Check(array.ptr()))
                      throw std::runtime_error("Creation of OrtValues needs a numpy array");
                    return value_of_array(array, element_type_of(nb::int_(type)));
                  })
      .def_static(
          "ortvalue_from_shape_and_type",
          [](const std::vector<int64_t>& shape, nb::handle type, nb::handle) {
            return Value{allocate(element_type_of(type), shape), {}};
          },
          nb::arg("shape"), nb::arg("element_type"), nb::arg("device") = nb::none())
      .def_static(
          "ortvalue_from_shape_and_onnx_type",
          [](const std::vector<int64_t>& shape, int type, nb::handle) {
            return Value{allocate(element_type_of(nb::int_(type)), shape), {}};
          },
          nb::arg("shape"), nb::arg("element_type"), nb::arg("device") = nb::none())
      .def_static("from_object", [](nb::handle object) { return value_of(object, nullptr); })
      .def_static("from_list",
                  [](const std::vector<nb::object>& arrays) {
                    std::vector<ValuePtr> items;
                    nb::list kept;
                    for (auto& a : arrays) {
                      Value v = value_of(a, nullptr);
                      kept.append(v.memory.is_valid() ? v.memory : nb::none());
                      items.push_back(std::move(v.p));
                    }
                    return Value{gather(items, ONNX_TYPE_SEQUENCE), std::move(kept)};
                  })
      .def("numpy",
           [](nb::handle self) {
             auto& v = nb::cast<Value&>(self);
             if (!is_kind(v, ONNX_TYPE_TENSOR))
               throw std::runtime_error("Only OrtValues that are tensors can be converted to numpy arrays");
             return array_of(v.p.get(), nb::borrow(self));
           })
      .def("to_python",
           [](nb::handle self) -> nb::object {
             auto& v = nb::cast<Value&>(self);
             if (is_kind(v, ONNX_TYPE_TENSOR)) return array_of(v.p.get(), nb::borrow(self));
             if (is_kind(v, ONNX_TYPE_MAP)) return dict_of(v.p.get());
             if (!is_kind(v, ONNX_TYPE_SEQUENCE)) return nb::borrow(self);
             size_t n = 0;
             check(api().GetValueCount(v.p.get(), &n));
             nb::list out;
             for (size_t i = 0; i < n; ++i) out.append(python_of(element_at(v.p.get(), static_cast<int>(i))));
             return out;
           })
      .def("update_inplace", &update_in_place)
      .def("data_ptr",
           [](const Value& v) {
             void* data = nullptr;
             check(api().GetTensorMutableData(v.p.get(), &data));
             return reinterpret_cast<uintptr_t>(data);
           })
      .def("shape", [](const Value& v) { return facts_of(v.p.get()).shape; })
      .def("element_type", [](const Value& v) { return onnx_number(facts_of(v.p.get()).type); })
      .def("data_type", &type_text)
      .def("tensor_size_in_bytes",
           [](const Value& v) {
             size_t n = 0;
             check(api().GetTensorSizeInBytes(v.p.get(), &n));
             return n;
           })
      .def("device_name", [](const Value& v) { return device_name_of(v.p.get()); })
      .def("has_value",
           [](const Value& v) {
             int has = 0;
             check(api().HasValue(v.p.get(), &has));
             return has != 0;
           })
      .def("is_tensor", [](const Value& v) { return is_kind(v, ONNX_TYPE_TENSOR); })
      .def("is_sparse_tensor", [](const Value& v) { return is_kind(v, ONNX_TYPE_SPARSETENSOR); })
      .def("is_tensor_sequence", [](const Value& v) { return is_kind(v, ONNX_TYPE_SEQUENCE); });
  m.def("element_type_of", [](nb::handle dtype) { return onnx_number(element_type_of(dtype)); });
}

}  // namespace tenon::python
