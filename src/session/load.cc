// The load pipeline: read, check, simplify, optimise, compile.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "model/read.h"
#include "model/write.h"
#include "ops/table.h"
#include "passes/pipeline.h"
#include "session/profile.h"
#include "session/session.h"

namespace tenon::session {
namespace {

constexpr int64_t kMaxInputElements = 8;  // small integer inputs whose contents may decide shapes

Argument argument_of(const ir::Model& m, ir::ValueId v) {
  auto& info = m.value(v);
  Argument a{info.name, info.type, {}};
  for (ir::Dim d : info.type.shape) {
    auto symbol = ir::as_symbol(d);
    a.dim_names.emplace_back(symbol ? m.dims_handle()->symbol_name(*symbol) : std::string_view());
  }
  return a;
}

/// Before IR version 4 every initializer stood among the inputs; only from then on is that a default to override.
void drop_weight_inputs(ir::Model& m) {
  if (m.ir_version >= 4) return;
  auto& g = m.main();
  for (size_t i = g.inputs().size(); i-- > 0;)
    if (m.value(g.inputs()[i]).constant) g.remove_input(i);
}

Status override_dimensions(ir::Model& m, const SessionOptions& options) {
  if (options.free_dimensions.empty()) return {};
  std::vector<ir::Dim> by_symbol(m.dims().symbol_count(), ir::Dim::unknown());
  for (size_t s = 0; s < by_symbol.size(); ++s) {
    auto found = options.free_dimensions.find(m.dims().symbol_name(s));
    if (found == options.free_dimensions.end()) continue;
    if (found->second < 0) return invalid("the free dimension '", found->first, "' was given the size ", found->second);
    by_symbol[s] = ir::Dim(found->second);
  }
  for (size_t v = 0; v < m.value_count(); ++v)
    for (ir::Dim& d : m.value(static_cast<ir::ValueId>(v)).type.shape) d = ir::substitute(d, by_symbol);
  return {};
}

/// Names of dimensions bind nobody: each becomes a symbol of its own.
void separate_dimensions(ir::Model& m) {
  for (ir::ValueId v : m.main().inputs())
    for (ir::Dim& d : m.value(v).type.shape)
      if (auto symbol = ir::as_symbol(d)) d = m.dims().fresh(std::string(m.dims().symbol_name(*symbol)));
}

/// Lets shape rules follow the contents of small integer inputs.
void name_input_elements(ir::Model& m) {
  for (ir::ValueId v : m.main().inputs()) {
    auto& info = m.value(v);
    if (!info.type.is_tensor() || !info.type.has_shape || info.constant) continue;
    if (info.type.dtype != DType::kI64 && info.type.dtype != DType::kI32) continue;
    ir::Dim count = ir::dim_product(info.type.shape);
    if (!count.is_const() || count.value() > kMaxInputElements || info.type.rank() > 1) continue;
    ir::DimVector elements;
    for (int64_t i = 0; i < count.value(); ++i) elements.push_back(m.dims().fresh({}, false));
    info.elements = std::move(elements);
  }
}

model::ReadOptions read_options(const SessionOptions& options) {
  model::ReadOptions r;
  auto direct = options.config.find("session.use_ort_model_bytes_directly");
  r.borrow = direct != options.config.end() && direct->second == "1";
  r.external_folder = options.external_folder;
  auto folder = options.config.find("session.model_external_initializers_file_folder_path");
  if (folder != options.config.end()) r.external_folder = folder->second;
  r.external_files = options.external_files;
  for (auto& [name, value] : options.initializers) r.initializers.emplace(name, value->tensor);
  return r;
}

}  // namespace

Status Session::prepare(std::unique_ptr<ir::Model> owned) {
  ir::Model& m = *owned;
  drop_weight_inputs(m);
  metadata_.producer = m.producer_name;
  metadata_.graph_name = m.main().name;
  metadata_.domain = m.domain;
  metadata_.description = m.doc;
  metadata_.graph_description = m.main().doc;
  metadata_.version = m.model_version;
  metadata_.custom = m.metadata;
  const opdef::Registry& registry = options_.registry ? *options_.registry : ops::registry();
  TENON_TRY(opdef::bind_graph(m.main(), registry));
  TENON_TRY(override_dimensions(m, options_));
  for (ir::ValueId v : m.main().inputs()) (m.value(v).constant ? overridable_ : inputs_).push_back(argument_of(m, v));
  for (ir::ValueId v : m.main().outputs()) outputs_.push_back(argument_of(m, v));
  if (options_.distinct_dimensions) separate_dimensions(m);
  name_input_elements(m);

  passes::PipelineOptions pipeline;
  pipeline.level = static_cast<int>(options_.level);
  if (auto off = options_.config.find("optimization.disable_specified_optimizers"); off != options_.config.end())
    pipeline.disabled = off->second;
  TENON_TRY(passes::run_pipeline(m, registry, pipeline));
  if (!options_.optimized_model_path.empty() && !options_.distinct_dimensions)
    TENON_TRY(model::write_model_file(m, options_.optimized_model_path));

  // What the file left open about the outputs is known now.
  for (size_t i = 0; i < outputs_.size(); ++i) {
    ir::Type& stated = outputs_[i].type;
    const ir::Type& found = m.value(m.main().outputs()[i]).type;
    if (!stated.known() || (stated.is_tensor() && !stated.has_shape && found.has_shape)) {
      std::string name = outputs_[i].name;
      outputs_[i] = argument_of(m, m.main().outputs()[i]);
      outputs_[i].name = name;
    }
  }
  for (ir::ValueId v : m.main().inputs()) {
    auto& info = m.value(v);
    input_index_[info.name] = defaults_.size();
    defaults_.push_back(info.constant ? tensor_value(*info.constant) : nullptr);
    if (info.constant) info.constant.reset();
    for (auto* list : {&inputs_, &overridable_})
      for (auto& a : *list)
        if (a.name == info.name) program_inputs_.push_back(&a);
  }
  for (size_t i = 0; i < outputs_.size(); ++i) output_index_.emplace(outputs_[i].name, i);
  if (options_.private_pool && options_.intra_threads > 1) own_pool_ = std::make_unique<Pool>(options_.intra_threads);
  Pool* pool = own_pool_ ? own_pool_.get() : &Pool::process();
  team_ = options_.intra_threads == 1 ? Team() : Team(pool, options_.intra_threads);
  TENON_ASSIGN(program_, exec::Program::compile(std::move(owned), registry, team_));
  if (options_.profiling) profile_ = std::make_unique<Profile>(options_.profile_prefix);
  profile_start_ns_ = profile_ ? profile_->start_ns() : 0;
  return {};
}

Result<std::unique_ptr<Session>> Session::load(const std::string& path, const SessionOptions& options) {
  std::unique_ptr<Session> s(new Session);
  s->options_ = options;
  s->model_name_ = path;
  TENON_ASSIGN(auto model, model::read_model_file(path, read_options(options)));
  Status status = s->prepare(std::move(model));
  if (!status.ok())
    return std::move(status).prefix(cat("Load model from ", path, " failed:")).with("model", cat(path, ", loading"));
  s->reload_ = [path](const SessionOptions& o) { return load(path, o); };
  return s;
}

Result<std::unique_ptr<Session>> Session::load(std::span<const uint8_t> bytes, const SessionOptions& options) {
  std::unique_ptr<Session> s(new Session);
  s->options_ = options;
  s->model_name_ = "model in memory";
  TENON_ASSIGN(auto model, model::read_model_bytes(bytes, read_options(options)));
  Status status = s->prepare(std::move(model));
  if (!status.ok()) return std::move(status).with("model", "in memory, loading");
  if (!s->program_->model().backing.empty()) {  // the bytes stay alive with the program
    std::shared_ptr<const exec::Program> program = s->program_;
    s->reload_ = [program](const SessionOptions& o) {
      auto& bytes = program->model().backing.front();
      return load(std::span<const uint8_t>(static_cast<const uint8_t*>(bytes->data()), bytes->size()), o);
    };
  }
  return s;
}

Result<std::unique_ptr<Session>> Session::load(std::unique_ptr<ir::Model> model, std::string name,
                                               const SessionOptions& options) {
  std::unique_ptr<Session> s(new Session);
  s->options_ = options;
  s->model_name_ = std::move(name);
  Status status = s->prepare(std::move(model));
  if (!status.ok()) return std::move(status).with("model", cat(s->model_name_, ", loading"));
  return s;
}

Result<Session*> Session::distinct() {
  std::lock_guard lock(distinct_mutex_);
  if (distinct_) return distinct_.get();
  SessionOptions options = options_;
  options.distinct_dimensions = true;
  options.profiling = false;
  options.optimized_model_path.clear();
  if (!reload_)
    return error(Code::kNotImplemented, "dimensions of one name differ, and the model cannot be read again");
  TENON_ASSIGN(distinct_, reload_(options));
  return distinct_.get();
}

}  // namespace tenon::session
