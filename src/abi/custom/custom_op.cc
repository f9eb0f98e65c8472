// From OrtCustomOp to registry entries: ports, versions, shape rule, kernel.
// SPDX-License-Identifier: MIT
#include "abi/custom/custom_op.h"

#include <algorithm>

#include "abi/entry.h"
#include "abi/session.h"
#include "abi/type_info.h"
#include "ops/table.h"

namespace tenon::abi {

OrtCustomOpInputOutputCharacteristic input_kind(const OrtCustomOp& op, size_t i) {
  return op.version >= 8 && op.GetInputCharacteristic ? op.GetInputCharacteristic(&op, i) : INPUT_OUTPUT_REQUIRED;
}
OrtCustomOpInputOutputCharacteristic output_kind(const OrtCustomOp& op, size_t i) {
  return op.version >= 8 && op.GetOutputCharacteristic ? op.GetOutputCharacteristic(&op, i) : INPUT_OUTPUT_REQUIRED;
}
int start_version(const OrtCustomOp& op) {
  return op.version >= 17 && op.GetStartVersion ? std::max(op.GetStartVersion(&op), 1) : 1;
}
int end_version(const OrtCustomOp& op) {
  return op.version >= 17 && op.GetEndVersion ? op.GetEndVersion(&op) : INT32_MAX;
}

namespace {

bool variadic_homogeneous(const OrtCustomOp& op, bool input) {
  auto* function = input ? op.GetVariadicInputHomogeneity : op.GetVariadicOutputHomogeneity;
  return op.version < 14 || !function || function(&op) != 0;
}

/// Ports of one direction. An undefined type accepts everything.
Status add_ports(const OrtCustomOp& op, bool input, opdef::List<opdef::Port, 24>& ports) {
  const size_t count = input ? op.GetInputTypeCount(&op) : op.GetOutputTypeCount(&op);
  if (count > 24)
    return error(Code::kNotImplemented, "it has ", count, input ? " inputs" : " outputs", "; 24 are possible");
  for (size_t i = 0; i < count; ++i) {
    const DType t = from_ort(input ? op.GetInputType(&op, i) : op.GetOutputType(&op, i));
    opdef::Port port;
    port.types = t == DType::kUndefined ? opdef::kAll : TypeSet(t);
    port.any_kind = t == DType::kUndefined;
    const auto kind = input ? input_kind(op, i) : output_kind(op, i);
    port.optional = kind == INPUT_OUTPUT_OPTIONAL;
    if (kind == INPUT_OUTPUT_VARIADIC) {
      if (i + 1 != count) return invalid("only the last ", input ? "input" : "output", " can be variadic");
      port.variadic = true;
      port.heterogeneous = !variadic_homogeneous(op, input);
    }
    if (i < static_cast<size_t>(ports.n)) {  // a further variant: its types are possible too
      ports.item[i].types = ports.item[i].types | port.types;
      ports.item[i].optional |= port.optional;
    } else {
      ports.item[ports.n++] = port;
    }
  }
  return {};
}

Status check_op(const OrtCustomOp& op) {
  if (!op.GetName || !op.GetInputType || !op.GetInputTypeCount || !op.GetOutputType || !op.GetOutputTypeCount ||
      !op.KernelDestroy)
    return invalid("A custom operator lacks one of its functions");
  const bool v2 = op.version >= 16 && op.CreateKernelV2 && op.KernelComputeV2;
  if (!v2 && (!op.CreateKernel || !op.KernelCompute))
    return invalid("The custom operator ", op.GetName(&op), " has no CreateKernel or no KernelCompute");
  return {};
}

bool accepts(const OrtCustomOp& op, const std::vector<DType>& types) {
  const size_t count = op.GetInputTypeCount(&op);
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i] == DType::kUndefined) continue;
    if (count == 0 || (i >= count && input_kind(op, count - 1) != INPUT_OUTPUT_VARIADIC)) return false;
    const DType wanted = from_ort(op.GetInputType(&op, std::min(i, count - 1)));
    if (wanted != DType::kUndefined && wanted != types[i]) return false;
  }
  return true;
}

}  // namespace

Result<const OrtCustomOp*> choose_variant(const CustomOp& def, const ir::Node& node,
                                          const std::vector<DType>& input_types) {
  const OrtCustomOp* fits = nullptr;
  for (const OrtCustomOp* op : def.variants) {
    if (node.opset != 0 && (node.opset < start_version(*op) || node.opset > end_version(*op))) continue;
    if (!accepts(*op, input_types)) continue;
    if (!fits || start_version(*op) > start_version(*fits)) fits = op;
  }
  if (fits) return fits;
  std::string types;
  for (DType t : input_types) types += cat(types.empty() ? "" : ", ", t == DType::kUndefined ? "-" : onnx_name(t));
  return error(Code::kFail, "No custom operator ", def.domain, ":", def.name, " takes (", types, ") in version ",
               node.opset);
}

Result<std::shared_ptr<const opdef::Registry>> custom_registry(const OrtSessionOptions& options,
                                                               const OrtLogger& logger) {
  if (options.domains.empty()) return std::shared_ptr<const opdef::Registry>();
  /// The registry and what its entries point at, in one object.
  struct Owner {
    CustomContext context;
    std::deque<CustomOp> ops;
    opdef::Registry registry{ops::registry().all()};
  };
  auto owner = std::make_shared<Owner>();
  owner->context.config = options.config;
  owner->context.logger = &logger;
  owner->context.registry = &owner->registry;
  for (const OrtCustomOpDomain* domain : options.domains)
    for (const OrtCustomOp* op : domain->ops) {
      TENON_TRY(check_op(*op));
      const char* provider = op->GetExecutionProviderType ? op->GetExecutionProviderType(op) : nullptr;
      if (provider && std::string_view(provider) != "CPUExecutionProvider") continue;
      const std::string name = op->GetName(op), domain_name = domain->name == "ai.onnx" ? "" : domain->name;
      CustomOp* def = nullptr;
      for (CustomOp& known : owner->ops)
        if (known.name_text == name && known.domain_text == domain_name) def = &known;
      if (!def) {
        def = &owner->ops.emplace_back();
        def->name_text = name;
        def->domain_text = domain_name;
        def->name = def->name_text;
        def->domain = def->domain_text;
        def->context = &owner->context;
        def->shape = infer_custom;
        def->trait.kernel_sizes_output = true;
        def->trait.deterministic = false;  // the client's code runs exactly when the model says so
        def->kernels.list = {{.name = "custom", .pack = pack_custom, .run = run_custom}};
      }
      def->variants.push_back(op);
      const auto within = [&](Status s) {
        return s.ok() ? Status() : std::move(s).prefix(cat("Custom operator ", domain->name, ":", name, ": "));
      };
      TENON_TRY(within(add_ports(*op, true, def->in)));
      TENON_TRY(within(add_ports(*op, false, def->out)));
      const int since = start_version(*op);
      auto& list = def->since;
      if (std::find(list.begin(), list.end(), since) == list.end() && list.n < 24) {
        list.item[list.n++] = since;
        std::sort(list.item, list.item + list.n);
      }
    }
  for (CustomOp& def : owner->ops) owner->registry.add({&def, &def.kernels, nullptr});
  return std::shared_ptr<const opdef::Registry>(owner, &owner->registry);
}

Status infer_custom(opdef::InferContext& c) {
  const CustomOp& def = CustomOp::of(c.node());
  std::vector<DType> types;
  for (const auto& in : c.in) types.push_back(in.present ? in.type.dtype : DType::kUndefined);
  TENON_ASSIGN(const OrtCustomOp* op, choose_variant(def, c.node(), types));
  const size_t count = op->GetOutputTypeCount(op);
  for (size_t i = 0; i < c.output_count() && count != 0; ++i) {
    DType t = from_ort(op->GetOutputType(op, std::min(i, count - 1)));
    if (t == DType::kUndefined) t = c.dtype(0);
    c.set(i, t);
  }
  if (op->version < 17 || !op->InferOutputShapeFn) return {};
  OrtShapeInferContext context{&c, {}, {}};
  return call_client([&] { return from_ort(op->InferOutputShapeFn(op, &context)); });
}

}  // namespace tenon::abi
