// Kernels of custom operators: made when the session loads, called in every run.
// SPDX-License-Identifier: MIT
#include "abi/custom/custom_op.h"
#include "abi/entry.h"
#include "abi/env.h"
#include "abi/type_info.h"
#include "abi/values.h"

namespace tenon::abi {

namespace {

struct CustomState : opdef::KernelState {
  CustomState(const OrtCustomOp* op, void* kernel) : op(op), kernel(kernel) {}
  ~CustomState() override { op->KernelDestroy(kernel); }
  const OrtCustomOp* op;
  void* kernel;
};

/// A value over memory of the frame, valid until the kernel returns.
ValueRef borrowed(const TensorRef& t) {
  return tensor_value(Tensor(t.dtype, Shape(t.shape()), Buffer::wrap(t.data, static_cast<size_t>(t.bytes()))));
}

/// Moves what the client wrote into its std::string objects to where the engine keeps strings.
void collect_strings(OrtKernelContext& context) {
  for (size_t i = 0; i < context.outputs.size(); ++i) {
    if (!context.outputs[i] || context.outputs[i]->tensor.dtype() != DType::kString) continue;
    const std::span<std::string> texts = string_objects(context.outputs[i]->tensor);
    auto* refs = context.c->out(i).as<StringRef>();
    for (size_t k = 0; k < texts.size(); ++k) refs[k] = context.c->strings().add(texts[k]);
  }
}

}  // namespace

Result<opdef::StatePtr> pack_custom(opdef::PackContext& c) {
  const CustomOp& def = CustomOp::of(c.node());
  std::vector<DType> types;
  for (size_t i = 0; i < c.node().inputs().size(); ++i) types.push_back(c.in_type(i));
  TENON_ASSIGN(const OrtCustomOp* op, choose_variant(def, c.node(), types));
  const OrtKernelInfo info{&c.node(), def.context};
  void* kernel = nullptr;
  TENON_TRY(call_client([&]() -> Status {
    if (op->version >= 16 && op->CreateKernelV2) return from_ort(op->CreateKernelV2(op, api_table(), &info, &kernel));
    kernel = op->CreateKernel(op, api_table(), &info);
    return {};
  }));
  return opdef::StatePtr(new CustomState(op, kernel));
}

Status run_custom(opdef::KernelContext& c) {
  const auto& state = c.state<CustomState>();
  OrtKernelContext context{&c, CustomOp::of(c.node()).context, {}, {}};
  context.inputs.resize(c.inputs());
  context.outputs.resize(c.outputs());
  TENON_TRY(call_client([&]() -> Status {
    if (state.op->version >= 16 && state.op->KernelComputeV2)
      return from_ort(state.op->KernelComputeV2(state.kernel, &context));
    state.op->KernelCompute(state.kernel, &context);
    return {};
  }));
  collect_strings(context);
  for (size_t i = 0; i < c.outputs(); ++i)
    if (c.wants(i) && !context.outputs[i]) {
      if (output_kind(*state.op, i) == INPUT_OUTPUT_REQUIRED)
        return error(Code::kFail, "The custom operator ", state.op->GetName(state.op), " made no output ", i);
      TENON_TRY(c.allocate(i, Dims{0}));
    }
  return {};
}

OrtStatus* slots::KernelContext_GetInputCount(const OrtKernelContext* context, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, out);
    *out = context->c->inputs();
    return {};
  });
}

OrtStatus* slots::KernelContext_GetOutputCount(const OrtKernelContext* context, size_t* out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, out);
    *out = context->c->outputs();
    return {};
  });
}

OrtStatus* slots::KernelContext_GetInput(const OrtKernelContext* context, size_t index, const OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, out);
    auto& k = *const_cast<OrtKernelContext*>(context);
    *out = nullptr;
    if (index >= k.inputs.size()) return error(Code::kFail, "Input ", index, " of ", k.inputs.size(), " was asked for");
    if (!k.c->has(index)) return {};
    if (!k.inputs[index]) {
      const ValueRef& value = k.c->in_value(index);
      k.inputs[index] = value && value->kind != Value::Kind::kTensor ? value : borrowed(k.c->in(index));
    }
    *out = to_ort(k.inputs[index].get());
    return {};
  });
}

OrtStatus* slots::KernelContext_GetOutput(OrtKernelContext* context, size_t index, const int64_t* dim_values,
                                          size_t dim_count, OrtValue** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, out);
    if (dim_count != 0) TENON_REQUIRE(dim_values);
    *out = nullptr;
    auto& outputs = context->outputs;
    if (index >= outputs.size()) return error(Code::kFail, "Output ", index, " of ", outputs.size(), " was asked for");
    if (!context->c->wants(index)) return {};
    const std::span<const int64_t> dims(dim_values, dim_count);
    for (int64_t d : dims)
      if (d < 0) return invalid("The shape ", list_text(dims), " of output ", index, " is negative");
    if (!outputs[index]) {
      TENON_TRY(context->c->allocate(index, dims));
      const TensorRef& t = context->c->out(index);
      if (t.dtype == DType::kString) {
        TENON_ASSIGN(auto tensor, allocate_tensor(default_allocator(), DType::kString, dims));
        outputs[index] = tensor_value(std::move(tensor));
      } else {
        outputs[index] = borrowed(t);
      }
    } else if (!(outputs[index]->tensor.shape() == Shape(dims))) {
      return invalid("Output ", index, " was asked for as ", list_text(dims), " after ",
                     list_text(outputs[index]->tensor.shape()));
    }
    *out = to_ort(outputs[index].get());
    return {};
  });
}

// Outputs are placed when the kernel names their shapes: none is there before.
OrtStatus* slots::KernelContext_GetPreallocatedOutput(const OrtKernelContext* context, size_t output_index,
                                                      OrtValue** output) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, output);
    if (output_index >= context->outputs.size())
      return error(Code::kFail, "Output ", output_index, " of ", context->outputs.size(), " was asked for");
    *output = nullptr;
    return {};
  });
}

OrtStatus* slots::KernelContext_GetGPUComputeStream(const OrtKernelContext* context, void** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, out);
    *out = nullptr;
    return {};
  });
}

OrtStatus* slots::KernelContext_GetSyncStream(const OrtKernelContext* context, OrtSyncStream** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, out);
    *out = nullptr;
    return {};
  });
}

OrtStatus* slots::KernelContext_GetLogger(const OrtKernelContext* context, const OrtLogger** logger) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, logger);
    *logger = context->context->logger;
    return {};
  });
}

OrtStatus* slots::KernelContext_GetAllocator(const OrtKernelContext* context, const OrtMemoryInfo* mem_info,
                                             OrtAllocator** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, mem_info, out);
    if (!(mem_info->device == cpu_memory_info().device)) return error(Code::kFail, "No requested allocator available");
    *out = new_cpu_allocator(*mem_info);
    return {};
  });
}

OrtStatus* slots::KernelContext_GetScratchBuffer(const OrtKernelContext* context, const OrtMemoryInfo* mem_info,
                                                 size_t count_or_bytes, void** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, mem_info, out);
    if (!(mem_info->device == cpu_memory_info().device)) return error(Code::kFail, "No requested allocator available");
    *out = nullptr;
    if (count_or_bytes == 0) return {};
    TENON_ASSIGN(*out, context->c->scratch(count_or_bytes));
    return {};
  });
}

OrtStatus* slots::KernelContext_ParallelFor(const OrtKernelContext* context, void (*fn)(void*, size_t), size_t total,
                                            size_t num_batch, void* usr_data) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(context, fn);
    if (total == 0) return {};
    const auto n = static_cast<int64_t>(total);
    const int64_t grain = num_batch == 0 ? 1 : std::max<int64_t>(1, n / static_cast<int64_t>(num_batch));
    context->c->team().parallel_for(n, grain, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fn(usr_data, static_cast<size_t>(i));
    });
    return {};
  });
}

}  // namespace tenon::abi
