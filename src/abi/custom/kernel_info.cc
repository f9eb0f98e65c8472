// Facts about the node of a custom operator, and its shape rule's view of it.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/custom/custom_op.h"
#include "abi/entry.h"
#include "abi/env.h"
#include "abi/key_values.h"
#include "abi/type_info.h"
#include "abi/values.h"

namespace tenon::abi {

namespace {

/// Text for a client that asks for the size (terminator included) first.
Status sized_text(std::string_view text, char* out, size_t* size) {
  const size_t room = *size, needed = text.size() + 1;
  *size = needed;
  if (!out) return {};
  if (room < needed)
    return invalid("Result buffer is not large enough: ", needed, " bytes are needed, ", room, " given");
  std::memcpy(out, text.data(), text.size());
  out[text.size()] = '\0';
  return {};
}

OrtStatus* text_of(const OrtKernelInfo* info, std::string_view (*get)(const ir::Node&), char* out,
                   size_t* size) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, size);
    return sized_text(get(*info->node), out, size);
  });
}

template <class T>
Result<const T*> attribute(const OrtKernelInfo* info, const char* name) {
  const T* found = info->node->get<T>(name);
  if (found) return found;
  if (!info->node->find(name))
    return error(Code::kFail, "No attribute with name:'", name, "' is defined on node ", info->node->label());
  return error(Code::kFail, "The attribute '", name, "' of node ", info->node->label(), " has another type");
}

template <class T>
OrtStatus* one(const OrtKernelInfo* info, const char* name, T* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, name, out);
    TENON_ASSIGN(const T* value, attribute<T>(info, name));
    *out = *value;
    return {};
  });
}

template <class T>
OrtStatus* list(const OrtKernelInfo* info, const char* name, T* out, size_t* size) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, name, size);
    TENON_ASSIGN(const auto* values, attribute<std::vector<T>>(info, name));
    const size_t room = *size;
    *size = values->size();
    if (!out) return {};
    if (room < values->size())
      return invalid("Result buffer is not large enough: ", values->size(), " items are needed, ", room, " given");
    std::copy(values->begin(), values->end(), out);
    return {};
  });
}

OrtStatus* port(const OrtKernelInfo* info, bool input, size_t index, ir::ValueId* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info);
    const auto ids = input ? info->node->inputs() : info->node->outputs();
    if (index >= ids.size()) return invalid("index ", index, " is beyond ", ids.size(), input ? " inputs" : " outputs");
    *out = ids[index];
    return {};
  });
}

OrtStatus* port_name(const OrtKernelInfo* info, bool input, size_t index, char* out, size_t* size) noexcept {
  ir::ValueId id = ir::kNoValue;
  if (OrtStatus* failed = port(info, input, index, &id)) return failed;
  return guarded([&]() -> Status {
    TENON_REQUIRE(size);
    return sized_text(id == ir::kNoValue ? std::string_view() : info->node->graph->model().value(id).name, out, size);
  });
}

OrtStatus* port_type(const OrtKernelInfo* info, bool input, size_t index, OrtTypeInfo** out) noexcept {
  ir::ValueId id = ir::kNoValue;
  if (OrtStatus* failed = port(info, input, index, &id)) return failed;
  return guarded([&]() -> Status {
    TENON_REQUIRE(out);
    if (id == ir::kNoValue) return error(Code::kFail, "The ", input ? "input" : "output", " is not there");
    ir::Model& model = info->node->graph->model();
    *out = type_info_of(model.value(id).type, model.dims()).release();
    return {};
  });
}

}  // namespace

OrtStatus* slots::KernelInfoGetAttribute_float(const OrtKernelInfo* info, const char* name, float* out) noexcept {
  return one(info, name, out);
}
OrtStatus* slots::KernelInfoGetAttribute_int64(const OrtKernelInfo* info, const char* name, int64_t* out) noexcept {
  return one(info, name, out);
}
OrtStatus* slots::KernelInfoGetAttribute_string(const OrtKernelInfo* info, const char* name, char* out,
                                                size_t* size) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, name, size);
    TENON_ASSIGN(const std::string* text, attribute<std::string>(info, name));
    return sized_text(*text, out, size);
  });
}
OrtStatus* slots::KernelInfoGetAttributeArray_float(const OrtKernelInfo* info, const char* name, float* out,
                                                    size_t* size) noexcept {
  return list(info, name, out, size);
}
OrtStatus* slots::KernelInfoGetAttributeArray_int64(const OrtKernelInfo* info, const char* name, int64_t* out,
                                                    size_t* size) noexcept {
  return list(info, name, out, size);
}
OrtStatus* slots::KernelInfoGetAttributeArray_string(const OrtKernelInfo* info, const char* name,
                                                     OrtAllocator* allocator, char*** out, size_t* size) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, name, allocator, out, size);
    TENON_ASSIGN(const auto* texts, attribute<std::vector<std::string>>(info, name));
    *out = nullptr;
    *size = texts->size();
    void* memory = nullptr;
    TENON_TRY(allocate_bytes(allocator, texts->size() * sizeof(char*), &memory));
    char** items = static_cast<char**>(memory);
    for (size_t i = 0; i < texts->size(); ++i) {
      Status s = allocate_text(allocator, (*texts)[i], &items[i]);
      if (s.ok()) continue;
      while (i-- > 0) allocator->Free(allocator, items[i]);
      allocator->Free(allocator, items);
      return s;
    }
    *out = items;
    return {};
  });
}
OrtStatus* slots::KernelInfoGetAttribute_tensor(const OrtKernelInfo* info, const char* name, OrtAllocator* allocator,
                                                OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, name, allocator, out);
    TENON_ASSIGN(const Tensor* tensor, attribute<Tensor>(info, name));
    TENON_ASSIGN(Tensor copy, tensor->clone());
    *out = give(tensor_value(std::move(copy)));
    return {};
  });
}

OrtStatus* slots::KernelInfo_GetInputCount(const OrtKernelInfo* info, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    *out = info->node->inputs().size();
    return {};
  });
}
OrtStatus* slots::KernelInfo_GetOutputCount(const OrtKernelInfo* info, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    *out = info->node->outputs().size();
    return {};
  });
}
OrtStatus* slots::KernelInfo_GetInputName(const OrtKernelInfo* info, size_t index, char* out, size_t* size) noexcept {
  return port_name(info, true, index, out, size);
}
OrtStatus* slots::KernelInfo_GetOutputName(const OrtKernelInfo* info, size_t index, char* out, size_t* size) noexcept {
  return port_name(info, false, index, out, size);
}
OrtStatus* slots::KernelInfo_GetInputTypeInfo(const OrtKernelInfo* info, size_t index, OrtTypeInfo** type) noexcept {
  return port_type(info, true, index, type);
}
OrtStatus* slots::KernelInfo_GetOutputTypeInfo(const OrtKernelInfo* info, size_t index, OrtTypeInfo** type) noexcept {
  return port_type(info, false, index, type);
}
OrtStatus* slots::KernelInfo_GetNodeName(const OrtKernelInfo* info, char* out, size_t* size) noexcept {
  return text_of(info, [](const ir::Node& n) { return std::string_view(n.name); }, out, size);
}
OrtStatus* slots::KernelInfo_GetOperatorDomain(const OrtKernelInfo* info, char* out, size_t* size) noexcept {
  return text_of(info, [](const ir::Node& n) { return std::string_view(n.domain); }, out, size);
}
OrtStatus* slots::KernelInfo_GetOperatorType(const OrtKernelInfo* info, char* out, size_t* size) noexcept {
  return text_of(info, [](const ir::Node& n) { return std::string_view(n.op); }, out, size);
}
OrtStatus* slots::KernelInfo_GetOperatorSinceVersion(const OrtKernelInfo* info, int* since_version) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, since_version);
    *since_version = info->node->since;
    return {};
  });
}
OrtStatus* slots::KernelInfo_GetLogger(const OrtKernelInfo* info, const OrtLogger** logger) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, logger);
    *logger = info->context->logger;
    return {};
  });
}
OrtStatus* slots::KernelInfo_GetConfigEntries(const OrtKernelInfo* info, OrtKeyValuePairs** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    *out = new OrtKeyValuePairs(info->context->config);
    return {};
  });
}

OrtStatus* slots::KernelInfoGetConstantInput_tensor(const OrtKernelInfo* info, size_t index, int* is_constant,
                                                    const OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, is_constant, out);
    *is_constant = 0;
    *out = nullptr;
    if (index >= info->node->inputs().size())
      return invalid("index ", index, " is beyond ", info->node->inputs().size(), " inputs");
    const ir::ValueId id = info->node->input(index);
    const Tensor* tensor = id == ir::kNoValue ? nullptr : info->node->graph->model().constant(id);
    if (!tensor) return {};
    const CustomContext& context = *info->context;
    const std::lock_guard lock(context.mutex);
    ValueRef& value = context.constants[tensor];
    if (!value) value = tensor_value(*tensor);
    *is_constant = 1;
    *out = to_ort(value.get());
    return {};
  });
}

OrtStatus* slots::KernelInfoGetAllocator(const OrtKernelInfo* info, OrtMemType, OrtAllocator** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, out);
    *out = new_cpu_allocator(cpu_memory_info());
    return {};
  });
}

OrtStatus* slots::CopyKernelInfo(const OrtKernelInfo* info, OrtKernelInfo** info_copy) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, info_copy);
    *info_copy = new OrtKernelInfo(*info);
    return {};
  });
}
void slots::ReleaseKernelInfo(OrtKernelInfo* input) noexcept { delete input; }

// ---- shape rules ----

OrtStatus* slots::ShapeInferContext_GetInputCount(const OrtShapeInferContext* context, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, out);
    *out = context->c->in.size();
    return {};
  });
}

OrtStatus* slots::ShapeInferContext_GetInputTypeShape(const OrtShapeInferContext* context, size_t index,
                                                      OrtTensorTypeAndShapeInfo** info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, info);
    const auto& inputs = context->c->in;
    if (index >= inputs.size()) return invalid("index ", index, " is beyond ", inputs.size(), " inputs");
    auto type = type_info_of(inputs[index].type, context->c->node().graph->model().dims());
    auto& kept = const_cast<OrtShapeInferContext*>(context)->input_types;
    *info = &kept.emplace_back(type->tensor ? std::move(*type->tensor) : OrtTensorTypeAndShapeInfo());
    return {};
  });
}

OrtStatus* slots::ShapeInferContext_GetAttribute(const OrtShapeInferContext* context, const char* attr_name,
                                                 const OrtOpAttr** attr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, attr_name, attr);
    const ir::Attribute* found = context->c->node().find(attr_name);
    if (!found) return invalid("Attribute does not exist: ", attr_name);
    *attr = &const_cast<OrtShapeInferContext*>(context)->attributes.emplace_back(*found);
    return {};
  });
}

OrtStatus* slots::ShapeInferContext_SetOutputTypeShape(const OrtShapeInferContext* context, size_t index,
                                                       const OrtTensorTypeAndShapeInfo* info) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, info);
    opdef::InferContext& c = *context->c;
    if (index >= c.output_count()) return invalid("index ", index, " is beyond ", c.output_count(), " outputs");
    bool running = false;
    for (const auto& in : c.in) running |= in.actual != nullptr;
    ir::DimVector dims;
    for (size_t i = 0; i < info->dims.size(); ++i) {
      if (info->dims[i] >= 0) dims.push_back(ir::Dim(info->dims[i]));
      else if (!running && !info->names[i].empty())
        dims.push_back(c.node().graph->model().dims().named(info->names[i]));
      else dims.push_back(ir::Dim::unknown());
    }
    c.set(index, from_ort(info->type), std::move(dims));
    return {};
  });
}

}  // namespace tenon::abi
