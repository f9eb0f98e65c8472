// Runs: checks of what clients pass, the sentences they search for, asynchronous runs, bindings.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>

#include "abi/entry.h"
#include "abi/lora.h"
#include "abi/session.h"
#include "threads/pool.h"

namespace tenon::abi {

namespace {

/// "cpu:0;gpu:0": which arenas give memory back after the run. Only the CPU's exists.
Status check_shrink_list(std::string_view list) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(';'), list.size());
    const std::string_view item = list.substr(0, end);
    const size_t colon = item.find(':');
    int64_t id = 0;
    if (item.substr(0, colon) != "cpu" || colon == std::string_view::npos || !parse_int(item.substr(colon + 1), &id))
      return invalid("Unsupported device specified in the memory arena shrink list: ", item);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return {};
}

/// Puts the words in front of a failure inside a node that the peer puts there.
Status with_node_sentence(Status status) {
  const std::string_view place = status.context("node");  // "NAME   (DOMAIN OP-VERSION, cpu)"
  const size_t gap = place.find("   (");
  if (status.ok() || gap == std::string_view::npos) return status;
  std::string_view name = place.substr(0, gap), rest = place.substr(gap + 4);
  if (name.find(" giving '") != std::string_view::npos) name = {};
  rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  const std::string_view op = rest.substr(0, rest.find_last_of('-'));
  const std::string sentence =
      cat("Non-zero status code returned while running ", op, " node. Name:'", name, "' Status Message: ");
  return std::move(status).prefix(sentence);
}

}  // namespace

Status run_session(OrtSession& session, const OrtRunOptions* run_options, const char* const* input_names,
                   const OrtValue* const* inputs, size_t input_count, const char* const* output_names,
                   size_t output_count, OrtValue** outputs) {
  TENON_TRY(check_ready(session));
  if (input_count != 0) TENON_REQUIRE(input_names, inputs);
  if (output_count == 0) return invalid("At least one output should be requested.");
  TENON_REQUIRE(output_names, outputs);
  std::vector<ValueRef> fed(input_count), results(output_count);
  std::vector<const char*> names(input_names, input_names + input_count);
  for (size_t i = 0; i < input_count; ++i) {
    if (!input_names[i] || *input_names[i] == '\0') return invalid("input name cannot be empty");
    if (!inputs[i]) return invalid("NULL input supplied for input ", input_names[i]);
    Value& v = unwrapped(*const_cast<Value*>(from_ort(inputs[i])));
    refresh_strings(v);
    fed[i] = ValueRef(&v);
  }
  for (size_t i = 0; i < output_count; ++i) {
    if (!output_names[i] || *output_names[i] == '\0') return invalid("output name cannot be empty");
    if (outputs[i]) results[i] = ValueRef(&unwrapped(*from_ort(outputs[i])));
  }
  const session::RunOptions* options = run_options ? &run_options->run : nullptr;
  if (options) {
    if (options->terminate.load()) return error(Code::kFail, "Exiting due to terminate flag being set to true.");
    if (auto it = options->config.find("memory.enable_memory_arena_shrinkage"); it != options->config.end())
      TENON_TRY(check_shrink_list(it->second));
  }
  // Adapters are further inputs; what the client feeds itself wins.
  for (const OrtLoraAdapter* adapter : run_options ? run_options->adapters : std::vector<const OrtLoraAdapter*>())
    for (const auto& [name, value] : adapter->parameters)
      if (std::none_of(names.begin(), names.end(), [&](const char* n) { return name == n; })) {
        names.push_back(name.c_str());
        fed.push_back(value);
      }
  Status status = session.session->run(options, names, fed, {output_names, output_count}, results);
  if (!status.ok()) {
    status = with_node_sentence(std::move(status));
    session.logger.log(ORT_LOGGING_LEVEL_ERROR, "run.cc:0 run", status.to_string());
    return status;
  }
  for (size_t i = 0; i < output_count; ++i) {
    if (outputs[i]) {
      Value& given = unwrapped(*from_ort(outputs[i]));
      // Strings written in place: the client's std::string objects get the new contents.
      const std::span<std::string> texts = string_objects(given.tensor);
      for (size_t k = 0; k < texts.size(); ++k) texts[k] = std::string(given.tensor.as<StringRef>()[k].view());
      refresh_strings(given.tensor);
    } else {
      outputs[i] = give(std::move(results[i]));
    }
  }
  return {};
}

OrtStatus* slots::Run(OrtSession* session, const OrtRunOptions* run_options, const char* const* input_names,
                      const OrtValue* const* inputs, size_t input_len, const char* const* output_names,
                      size_t output_names_len, OrtValue** outputs) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session);
    return run_session(*session, run_options, input_names, inputs, input_len, output_names, output_names_len, outputs);
  });
}

OrtStatus* slots::RunAsync(OrtSession* session, const OrtRunOptions* run_options, const char* const* input_names,
                           const OrtValue* const* input, size_t input_len, const char* const* output_names,
                           size_t output_names_len, OrtValue** output, RunAsyncCallbackFn run_async_callback,
                           void* user_data) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, run_async_callback);
    if (session->options.intra_op_threads == 1)
      return invalid("intra op thread pool must have at least one thread for RunAsync");
    // The client keeps everything it passed alive until the callback was called.
    Pool::process().post([=] {
      OrtStatus* status = guarded([&] {
        return run_session(*session, run_options, input_names, input, input_len, output_names, output_names_len,
                           output);
      });
      run_async_callback(user_data, output, status ? 0 : output_names_len, status);
    });
    return {};
  });
}

// ---- binding ----

namespace {

bool has_name(const std::vector<session::Argument>& list, const char* name) {
  for (const session::Argument& a : list)
    if (a.name == name) return true;
  return false;
}

void bind(std::vector<OrtIoBinding::Bound>& list, const char* name, ValueRef value, bool fresh) {
  for (OrtIoBinding::Bound& b : list)
    if (b.name == name) {
      b.value = std::move(value);
      b.fresh = fresh;
      return;
    }
  list.push_back({name, std::move(value), fresh});
}

}  // namespace

OrtStatus* slots::CreateIoBinding(OrtSession* session, OrtIoBinding** out) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, out);
    TENON_TRY(check_ready(*session));
    auto binding = std::make_unique<OrtIoBinding>();
    binding->session = session;
    *out = binding.release();
    return {};
  });
}

void slots::ReleaseIoBinding(OrtIoBinding* input) noexcept { delete input; }

OrtStatus* slots::BindInput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(binding_ptr, name, val_ptr);
    const session::Session& s = *binding_ptr->session->session;
    if (!has_name(s.inputs(), name) && !has_name(s.overridable(), name))
      return error(Code::kFail, "Failed to find input name in the mapping: ", name);
    bind(binding_ptr->inputs, name, share(val_ptr), false);
    return {};
  });
}

OrtStatus* slots::BindOutput(OrtIoBinding* binding_ptr, const char* name, const OrtValue* val_ptr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(binding_ptr, name, val_ptr);
    bind(binding_ptr->outputs, name, share(val_ptr), false);
    return {};
  });
}

OrtStatus* slots::BindOutputToDevice(OrtIoBinding* binding_ptr, const char* name,
                                     const OrtMemoryInfo* mem_info_ptr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(binding_ptr, name, mem_info_ptr);
    if (mem_info_ptr->device.type != OrtMemoryInfoDeviceType_CPU)
      return invalid("Output '", name, "' cannot be placed on ", mem_info_ptr->name, ": this build runs on the CPU");
    bind(binding_ptr->outputs, name, {}, true);
    return {};
  });
}

OrtStatus* slots::RunWithBinding(OrtSession* session, const OrtRunOptions* run_options,
                                 const OrtIoBinding* binding_ptr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(session, binding_ptr);
    auto& binding = *const_cast<OrtIoBinding*>(binding_ptr);  // the values that the run makes are kept there
    std::vector<const char*> input_names, output_names;
    std::vector<const OrtValue*> inputs;
    std::vector<OrtValue*> outputs;
    for (const auto& b : binding.inputs) {
      input_names.push_back(b.name.c_str());
      inputs.push_back(to_ort(b.value.get()));
    }
    for (const auto& b : binding.outputs) {
      output_names.push_back(b.name.c_str());
      outputs.push_back(b.fresh ? nullptr : to_ort(b.value.get()));
    }
    TENON_TRY(run_session(*session, run_options, input_names.data(), inputs.data(), inputs.size(), output_names.data(),
                          outputs.size(), outputs.data()));
    for (size_t i = 0; i < outputs.size(); ++i)
      if (binding.outputs[i].fresh) binding.outputs[i].value = ValueRef::adopt(from_ort(outputs[i]));
    return {};
  });
}

OrtStatus* slots::GetBoundOutputNames(const OrtIoBinding* binding_ptr, OrtAllocator* allocator, char** buffer,
                                      size_t** lengths, size_t* count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(binding_ptr, allocator, buffer, lengths, count);
    *buffer = nullptr;
    *lengths = nullptr;
    *count = binding_ptr->outputs.size();
    if (*count == 0) return {};
    std::string all;
    for (const auto& b : binding_ptr->outputs) all += b.name;
    void* sizes = nullptr;
    TENON_TRY(allocate_bytes(allocator, *count * sizeof(size_t), &sizes));
    char* text = nullptr;
    if (Status s = allocate_text(allocator, all, &text); !s.ok()) {
      allocator->Free(allocator, sizes);
      return s;
    }
    for (size_t i = 0; i < *count; ++i) static_cast<size_t*>(sizes)[i] = binding_ptr->outputs[i].name.size();
    *lengths = static_cast<size_t*>(sizes);
    *buffer = text;
    return {};
  });
}

OrtStatus* slots::GetBoundOutputValues(const OrtIoBinding* binding_ptr, OrtAllocator* allocator, OrtValue*** output,
                                       size_t* output_count) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(binding_ptr, allocator, output, output_count);
    *output = nullptr;
    *output_count = binding_ptr->outputs.size();
    if (*output_count == 0) return {};
    for (const auto& b : binding_ptr->outputs)
      if (!b.value) return error(Code::kFail, "Output '", b.name, "' has no value yet: run the session first");
    void* list = nullptr;
    TENON_TRY(allocate_bytes(allocator, *output_count * sizeof(OrtValue*), &list));
    *output = static_cast<OrtValue**>(list);
    for (size_t i = 0; i < *output_count; ++i) (*output)[i] = give(binding_ptr->outputs[i].value);
    return {};
  });
}

void slots::ClearBoundInputs(OrtIoBinding* binding_ptr) noexcept {
  if (binding_ptr) binding_ptr->inputs.clear();
}
void slots::ClearBoundOutputs(OrtIoBinding* binding_ptr) noexcept {
  if (binding_ptr) binding_ptr->outputs.clear();
}

// Copies on the CPU are done when they return: nothing to wait for.
OrtStatus* slots::SynchronizeBoundInputs(OrtIoBinding* binding_ptr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(binding_ptr);
    return {};
  });
}
OrtStatus* slots::SynchronizeBoundOutputs(OrtIoBinding* binding_ptr) noexcept {
  return guarded([&]() -> Status {
    TENON_REQUIRE(binding_ptr);
    return {};
  });
}

}  // namespace tenon::abi
