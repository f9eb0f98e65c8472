// Operators that a custom operator calls: CreateOp and InvokeOp.
// SPDX-License-Identifier: MIT
#include <cstring>

#include "abi/custom/custom_op.h"
#include "abi/entry.h"
#include "abi/options.h"
#include "abi/values.h"
#include "ops/table.h"

/// What CreateOp keeps: the node is built anew for the types of each call.
struct OrtOp {
  std::string name, domain;
  int version = 0;
  std::vector<tenon::ir::Attribute> attributes;
  int inputs = 0, outputs = 0;
};

namespace tenon::abi {

OrtStatus* slots::CreateOp(const OrtKernelInfo* info, const char* op_name, const char* domain, int version,
                           const char**, const ONNXTensorElementDataType*, int, const OrtOpAttr* const* attr_values,
                           int attr_count, int input_count, int output_count, OrtOp** ort_op) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(info, op_name, ort_op);
    if (attr_count < 0 || input_count < 0 || output_count < 0) return invalid("a count is negative");
    if (attr_count != 0) TENON_REQUIRE(attr_values);
    auto op = std::make_unique<OrtOp>();
    op->name = op_name;
    op->domain = !domain || std::strcmp(domain, "ai.onnx") == 0 ? "" : domain;
    op->version = version;
    op->inputs = input_count;
    op->outputs = output_count;
    for (int i = 0; i < attr_count; ++i) {
      if (!attr_values[i]) return invalid("attribute ", i, " must not be NULL");
      TENON_ASSIGN(auto copy, copy_attribute(*attr_values[i]->attribute));
      op->attributes.push_back(std::move(copy));
    }
    if (!ops::registry().find(op->domain, op->name))
      return error(Code::kFail, "There is no operator ", op->domain.empty() ? "ai.onnx" : op->domain, ":", op->name);
    *ort_op = op.release();
    return {};
  });
}

void slots::ReleaseOp(OrtOp* input) noexcept { delete input; }

OrtStatus* slots::InvokeOp(const OrtKernelContext* context, const OrtOp* ort_op, const OrtValue* const* input_values,
                           int input_count, OrtValue* const* output_values, int output_count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, ort_op);
    if (input_count != ort_op->inputs || output_count != ort_op->outputs)
      return invalid("The operator was made for ", ort_op->inputs, " inputs and ", ort_op->outputs, " outputs");
    if (input_count != 0) TENON_REQUIRE(input_values);
    TENON_REQUIRE(output_values);
    ir::Model model;
    std::vector<ir::ValueId> in, out;
    std::vector<const Tensor*> tensors;
    for (int i = 0; i < input_count; ++i) {
      if (!input_values[i]) {
        in.push_back(ir::kNoValue);
        tensors.push_back(nullptr);
        continue;
      }
      const Value& v = unwrapped(*from_ort(input_values[i]));
      if (v.kind != Value::Kind::kTensor) return error(Code::kNotImplemented, "InvokeOp takes tensors only");
      refresh_strings(v.tensor);
      ir::DimVector dims;
      for (int64_t d : v.tensor.shape()) dims.push_back(ir::Dim(d));
      in.push_back(model.add_value(cat("in", i), &model.main(), ir::Type::tensor(v.tensor.dtype(), dims)));
      tensors.push_back(&v.tensor);
    }
    for (int i = 0; i < output_count; ++i)
      out.push_back(output_values[i] ? model.add_value(cat("out", i), &model.main()) : ir::kNoValue);
    ir::Node& node = model.main().add(ort_op->name, in, out, ort_op->domain);
    node.opset = ort_op->version;
    for (const ir::Attribute& a : ort_op->attributes) {
      TENON_ASSIGN(auto copy, copy_attribute(a));
      node.set(copy.name, std::move(copy.value));
    }
    TENON_TRY(opdef::bind_node(node, ops::registry()));
    TENON_TRY(opdef::infer_node(node));
    TENON_ASSIGN(auto results, opdef::evaluate_node(node, tensors, ops::registry(), context->c->team()));
    for (int i = 0; i < output_count; ++i) {
      if (!output_values[i]) continue;
      const ValueRef made = tensor_value(results[static_cast<size_t>(i)]);
      TENON_TRY(copy_tensor(to_ort(made.get()), output_values[i]));
    }
    return {};
  });
}

OrtStatus* slots::KernelContext_GetResource(const OrtKernelContext* context, int, int, void** resource) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, resource);
    *resource = nullptr;
    return error(Code::kFail, "The CPU provider has no resources to hand out");
  });
}

}  // namespace tenon::abi
