// Attributes.
// SPDX-License-Identifier: MIT
#include "abi/op_attr.h"

#include <cstring>

#include "abi/entry.h"
#include "abi/values.h"

namespace tenon::abi {

OrtOpAttrType attribute_type(const ir::Attribute& attribute) {
  const auto& v = attribute.value;
  if (std::holds_alternative<int64_t>(v)) return ORT_OP_ATTR_INT;
  if (std::holds_alternative<float>(v)) return ORT_OP_ATTR_FLOAT;
  if (std::holds_alternative<std::string>(v)) return ORT_OP_ATTR_STRING;
  if (std::holds_alternative<std::vector<int64_t>>(v)) return ORT_OP_ATTR_INTS;
  if (std::holds_alternative<std::vector<float>>(v)) return ORT_OP_ATTR_FLOATS;
  if (std::holds_alternative<std::vector<std::string>>(v)) return ORT_OP_ATTR_STRINGS;
  if (std::holds_alternative<std::unique_ptr<ir::Graph>>(v)) return ORT_OP_ATTR_GRAPH;
  if (std::holds_alternative<Tensor>(v)) return ORT_OP_ATTR_TENSOR;
  return ORT_OP_ATTR_UNDEFINED;
}

namespace {

Status copy_out(const void* from, size_t bytes, const char* what, void* data, size_t room, size_t* size) {
  *size = bytes;
  if (room < bytes) return invalid("Size of data not large enough to hold the ", what, ".");
  if (bytes == 0) return {};
  TENON_REQUIRE(data);
  std::memcpy(data, from, bytes);
  return {};
}

template <class T>
Status copy_one(const ir::Attribute& a, const char* name, void* data, size_t room, size_t* size) {
  const T* item = std::get_if<T>(&a.value);
  *size = sizeof(T);
  if (!item) return invalid("Attribute has no ", name, " value.");
  return copy_out(item, sizeof(T), name, data, room, size);
}

template <class T>
Status copy_list(const ir::Attribute& a, const char* name, void* data, size_t room, size_t* size) {
  const auto* items = std::get_if<std::vector<T>>(&a.value);
  if (!items) return invalid("Attribute has no ", name, " values.");
  return copy_out(items->data(), items->size() * sizeof(T), cat("array of ", name).c_str(), data, room, size);
}

}  // namespace

Status read_attribute(const ir::Attribute& a, OrtOpAttrType type, void* data, size_t room, size_t* size) {
  switch (type) {
    case ORT_OP_ATTR_INT: return copy_one<int64_t>(a, "int64", data, room, size);
    case ORT_OP_ATTR_FLOAT: return copy_one<float>(a, "float", data, room, size);
    case ORT_OP_ATTR_INTS: return copy_list<int64_t>(a, "int64", data, room, size);
    case ORT_OP_ATTR_FLOATS: return copy_list<float>(a, "float", data, room, size);
    case ORT_OP_ATTR_STRING: {
      const auto* text = std::get_if<std::string>(&a.value);
      if (!text) return invalid("Attribute has no string value.");
      return copy_out(text->data(), text->size(), "string", data, room, size);
    }
    case ORT_OP_ATTR_STRINGS: {  // one after the other, each with a terminator
      const auto* texts = std::get_if<std::vector<std::string>>(&a.value);
      if (!texts) return invalid("Attribute has no string values.");
      std::string all;
      for (const std::string& text : *texts) {
        all += text;
        all += '\0';
      }
      return copy_out(all.data(), all.size(), "array of strings", data, room, size);
    }
    default: return invalid("Attributes of type ", static_cast<int>(type), " cannot be read this way");
  }
}

Result<ir::Attribute> copy_attribute(const ir::Attribute& from) {
  ir::Attribute to;
  to.name = from.name;
  const bool copied = std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_copy_assignable_v<T> && !std::is_same_v<T, std::vector<std::unique_ptr<ir::Graph>>>) {
          to.value = value;
          return true;
        }
        return false;
      },
      from.value);
  if (!copied) return error(Code::kNotImplemented, "The attribute '", from.name, "' holds a graph and is not copied");
  return to;
}

OrtStatus* slots::CreateOpAttr(const char* name, const void* data, int len, OrtOpAttrType type,
                               OrtOpAttr** op_attr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(name, op_attr);
    if (len < 0) return invalid("the length ", len, " is negative");
    if (len != 0) TENON_REQUIRE(data);
    const auto n = static_cast<size_t>(len);
    auto attribute = std::make_unique<ir::Attribute>();
    attribute->name = name;
    auto& value = attribute->value;
    switch (type) {
      case ORT_OP_ATTR_INT:
        TENON_REQUIRE(data);
        value = *static_cast<const int64_t*>(data);
        break;
      case ORT_OP_ATTR_FLOAT:
        TENON_REQUIRE(data);
        value = *static_cast<const float*>(data);
        break;
      case ORT_OP_ATTR_STRING: value = std::string(static_cast<const char*>(data), n); break;
      case ORT_OP_ATTR_INTS: {
        const auto* items = static_cast<const int64_t*>(data);
        value = std::vector<int64_t>(items, items + n);
        break;
      }
      case ORT_OP_ATTR_FLOATS: {
        const auto* items = static_cast<const float*>(data);
        value = std::vector<float>(items, items + n);
        break;
      }
      case ORT_OP_ATTR_STRINGS: {
        const auto* items = static_cast<const char* const*>(data);
        for (size_t i = 0; i < n; ++i)
          if (!items[i]) return invalid("string ", i, " must not be NULL");
        value = std::vector<std::string>(items, items + n);
        break;
      }
      case ORT_OP_ATTR_TENSOR: {
        TENON_REQUIRE(data);
        const Value& v = unwrapped(*from_ort(static_cast<const OrtValue*>(data)));
        if (v.kind != Value::Kind::kTensor) return invalid("the data of a tensor attribute must be a tensor");
        value = v.tensor;
        break;
      }
      default: return error(Code::kFail, "Attribute type not supported yet.");
    }
    *op_attr = new OrtOpAttr(std::move(attribute));
    return {};
  });
}

void slots::ReleaseOpAttr(OrtOpAttr* input) noexcept { delete input; }

OrtStatus* slots::ReadOpAttr(const OrtOpAttr* op_attr, OrtOpAttrType type, void* data, size_t len,
                             size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(op_attr, out);
    return read_attribute(*op_attr->attribute, type, data, len, out);
  });
}

OrtStatus* slots::OpAttr_GetType(const OrtOpAttr* attribute, OrtOpAttrType* type) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(attribute, type);
    *type = attribute_type(*attribute->attribute);
    return {};
  });
}

OrtStatus* slots::OpAttr_GetName(const OrtOpAttr* attribute, const char** name) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(attribute, name);
    *name = attribute->attribute->name.c_str();
    return {};
  });
}

OrtStatus* slots::OpAttr_GetTensorAttributeAsOrtValue(const OrtOpAttr* attribute, OrtValue** attr_tensor) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(attribute, attr_tensor);
    const auto* tensor = std::get_if<Tensor>(&attribute->attribute->value);
    if (!tensor) return invalid("Attribute '", attribute->attribute->name, "' is not a tensor");
    *attr_tensor = give(tensor_value(*tensor));
    return {};
  });
}

}  // namespace tenon::abi
