// Runs of a session: names to positions, checks of what is fed, a frame from the pool.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "session/profile.h"
#include "session/session.h"

namespace tenon::session {

Session::~Session() {
  if (profile_) end_profiling();
}

Status Session::check_input(size_t index, const Value& value) const {
  const Argument& a = *program_inputs_[index];
  if (a.type.kind == ir::Type::Kind::kOptional || !a.type.known()) return {};
  bool tensor = value.kind == Value::Kind::kTensor;
  if (tensor != a.type.is_tensor()) {
    return invalid(
               "Unexpected input data type. Actual: (",
               tensor ? cat("tensor(", onnx_name(value.tensor.dtype()), ")") : std::string("a value that is no tensor"),
               ") , expected: (", a.type.onnx_text(), ")")
        .with("input", a.name);
  }
  if (!tensor) return {};
  const Tensor& t = value.tensor;
  if (t.dtype() != a.type.dtype)
    return invalid("Unexpected input data type. Actual: (tensor(", onnx_name(t.dtype()), ")) , expected: (tensor(",
                   onnx_name(a.type.dtype), "))")
        .with("input", cat(a.name, " ", a.type));
  if (!a.type.has_shape) return {};
  // As the peer: one element does where a scalar is stated (see as_scalar).
  if (a.type.shape.empty() && t.count() == 1) return {};
  if (t.shape().size() != a.type.shape.size())
    return invalid("Invalid rank for input: ", a.name, " Got: ", t.shape().size(), " Expected: ", a.type.shape.size(),
                   " Please fix either the inputs/outputs or the model.")
        .with("input", cat(a.name, " ", a.type, " was given ", t));
  std::string wrong;
  for (size_t d = 0; d < t.shape().size(); ++d)
    if (a.type.shape[d].is_const() && a.type.shape[d].value() != t.shape()[d])
      wrong += cat("\n index: ", d, " Got: ", t.shape()[d], " Expected: ", a.type.shape[d].value());
  if (!wrong.empty())
    return invalid("Got invalid dimensions for input: ", a.name, " for the following indices", wrong,
                   "\n Please fix either the inputs/outputs or the model.")
        .with("input", cat(a.name, " ", a.type, " was given ", t));
  return {};
}

namespace {
/// The value as a tensor of rank 0 where the model states a scalar and a single element was given.
ValueRef as_scalar(const Argument& a, const Value* v) {
  bool scalar = a.type.is_tensor() && a.type.has_shape && a.type.shape.empty();
  if (!scalar || v->kind != Value::Kind::kTensor || v->tensor.shape().empty()) return ValueRef(const_cast<Value*>(v));
  return tensor_value(v->tensor.reshaped(Shape{}));
}
}  // namespace

Status Session::run(const RunOptions* options, std::span<const char* const> input_names,
                    std::span<const ValueRef> inputs, std::span<const char* const> output_names,
                    std::span<ValueRef> outputs) {
  if (output_names.empty()) return invalid("No output was asked for: give at least one output name");
  SmallVector<const Value*, 16> fed(defaults_.size(), nullptr);
  for (size_t i = 0; i < input_names.size(); ++i) {
    if (!input_names[i]) return invalid("input name ", i, " is NULL");
    auto found = input_index_.find(std::string_view(input_names[i]));
    if (found == input_index_.end()) return invalid("Invalid input name: ", input_names[i]).with("model", model_name_);
    if (!inputs[i]) return invalid("the value of input '", input_names[i], "' is NULL");
    if (Status fault = check_input(found->second, *inputs[i]); !fault.ok())
      return std::move(fault).with("model", model_name_);
    fed[found->second] = inputs[i].get();
  }
  std::vector<ValueRef> ordered(defaults_.size());
  for (size_t i = 0; i < ordered.size(); ++i) {
    ordered[i] = fed[i] ? as_scalar(*program_inputs_[i], fed[i]) : defaults_[i];
    if (!ordered[i]) return error(Code::kFail, "Missing Input: ", program_inputs_[i]->name).with("model", model_name_);
  }
  std::vector<ValueRef> results(outputs_.size());
  SmallVector<bool, 16> wanted(outputs_.size(), false);
  SmallVector<size_t, 16> places;
  for (size_t i = 0; i < output_names.size(); ++i) {
    if (!output_names[i] || !*output_names[i]) return invalid("output name ", i, " is empty");
    auto found = output_index_.find(std::string_view(output_names[i]));
    if (found == output_index_.end())
      return invalid("Invalid output name: ", output_names[i]).with("model", model_name_);
    places.push_back(found->second);
    wanted[found->second] = true;
    if (outputs[i]) results[found->second] = outputs[i];
  }
  Status status = run_indexed(options, ordered, results, wanted);
  if (!status.ok() && status.has_context("contradiction")) {
    auto other = distinct();
    if (!other.ok()) return status;
    status = (*other)->run_indexed(options, ordered, results, wanted);
  }
  TENON_TRY(std::move(status));
  for (size_t i = 0; i < output_names.size(); ++i) outputs[i] = results[places[i]];
  return {};
}

Status Session::run_indexed(const RunOptions* options, std::span<const ValueRef> inputs, std::span<ValueRef> outputs,
                            std::span<const bool> wanted) {
  std::unique_ptr<exec::Frame> frame;
  {
    std::lock_guard lock(frames_mutex_);
    if (!idle_frames_.empty()) {
      frame = std::move(idle_frames_.back());
      idle_frames_.pop_back();
    }
  }
  if (!frame) frame = std::make_unique<exec::Frame>(program_);
  exec::RunSettings settings;
  settings.team = team_;
  settings.cancel = options ? &options->terminate : nullptr;
  exec::TraceSink sink;
  if (profile_) {
    sink = [this](const exec::StepTrace& step) { record(step); };
    settings.trace = &sink;
  }
  int64_t begin = profile_ ? Profile::now_ns() : 0;
  Status status = frame->run(inputs, outputs, wanted, settings);
  if (profile_) profile_->add_run(begin, Profile::now_ns());
  if (options && options->config.count("memory.enable_memory_arena_shrinkage")) frame->shrink();
  {
    std::lock_guard lock(frames_mutex_);
    idle_frames_.push_back(std::move(frame));
  }
  if (!status.ok()) return std::move(status).with("model", cat(model_name_, ", running"));
  return {};
}

void Session::shrink() {
  std::lock_guard lock(frames_mutex_);
  idle_frames_.clear();
}

int64_t Session::held_bytes() const {
  std::lock_guard lock(frames_mutex_);
  int64_t n = 0;
  for (auto& f : idle_frames_) n += f->held_bytes();
  return n;
}

void Session::record(const exec::StepTrace& step) { profile_->add_step(step); }

std::string Session::end_profiling() {
  if (!profile_) return "";
  std::string name = profile_->write();
  profile_.reset();
  return name;
}

}  // namespace tenon::session
