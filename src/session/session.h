// Session: a loaded, optimised and compiled model, and its runs.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "exec/frame.h"
#include "ir/type.h"
#include "opdef/registry.h"
#include "tensor/value.h"
#include "threads/pool.h"

namespace tenon::session {

/// Levels as the peer names them; numbers are those of GraphOptimizationLevel.
enum class OptimizationLevel : int { kNone = 0, kBasic = 1, kExtended = 2, kLayout = 3, kAll = 99 };

struct SessionOptions {
  OptimizationLevel level = OptimizationLevel::kAll;
  /// Threads of one run, the caller included; 0: all that the process may use.
  int intra_threads = 0;
  int inter_threads = 0;
  /// A pool of this session alone; otherwise the process-wide one is shared.
  bool private_pool = false;
  std::string log_id;
  int log_severity = -1;
  bool profiling = false;
  std::string profile_prefix;
  std::string optimized_model_path;                              ///< written after loading when set
  std::map<std::string, std::string, std::less<>> config;        ///< session config entries
  std::map<std::string, int64_t, std::less<>> free_dimensions;   ///< dimension parameter name to size
  std::map<std::string, int64_t, std::less<>> free_denotations;  ///< dimension denotation to size
  std::map<std::string, ValueRef, std::less<>> initializers;     ///< replace initializers of these names
  /// External data files given as memory: name to bytes. They must outlive the session.
  std::map<std::string, std::span<const uint8_t>, std::less<>> external_files;
  /// Dimensions of the inputs that carry the same name may differ all the same.
  bool distinct_dimensions = false;
  std::string external_folder;  ///< where external data of a model in memory lies
  /// Operators beyond ops::registry(): custom ones. Must outlive the session.
  std::shared_ptr<const opdef::Registry> registry;
};

struct RunOptions {
  std::string tag;
  int log_severity = -1;
  std::map<std::string, std::string, std::less<>> config;
  CancelFlag terminate{false};
};

/// A named input or output of the model, as the file states it; dimensions without a number are symbols, whose printed
/// name is that of the file ("" when it has none).
struct Argument {
  std::string name;
  ir::Type type;
  std::vector<std::string> dim_names;  ///< per dimension: the parameter's name, "" for numbers and anonymous ones
};

struct Metadata {
  std::string producer, graph_name, domain, description, graph_description;
  int64_t version = 0;
  std::vector<std::pair<std::string, std::string>> custom;
};

class Session {
 public:
  /// From a file. Codes as the peer's: NO_SUCHFILE, INVALID_PROTOBUF, INVALID_GRAPH, FAIL, NOT_IMPLEMENTED.
  static Result<std::unique_ptr<Session>> load(const std::string& path, const SessionOptions& options);
  /// From memory; the bytes are copied unless config "session.use_ort_model_bytes_directly" is "1".
  static Result<std::unique_ptr<Session>> load(std::span<const uint8_t> bytes, const SessionOptions& options);
  /// From a model built in memory; `name` stands for it in messages.
  static Result<std::unique_ptr<Session>> load(std::unique_ptr<ir::Model> model, std::string name,
                                               const SessionOptions& options);
  ~Session();

  const std::vector<Argument>& inputs() const { return inputs_; }  ///< without overridable initializers
  const std::vector<Argument>& outputs() const { return outputs_; }
  const std::vector<Argument>& overridable() const { return overridable_; }
  const Metadata& metadata() const { return metadata_; }
  const SessionOptions& options() const { return options_; }
  const exec::Program& program() const { return *program_; }

  /// Runs with named values. outputs[i] null: a new value is stored there; else a tensor to be written in place.
  Status run(const RunOptions* options, std::span<const char* const> input_names, std::span<const ValueRef> inputs,
             std::span<const char* const> output_names, std::span<ValueRef> outputs);

  /// Ends profiling, writes the file and returns its name; "" when profiling was off.
  std::string end_profiling();
  int64_t profiling_start_ns() const { return profile_start_ns_; }
  /// The threads of a run.
  Team team() const { return team_; }
  /// Gives memory of idle frames back.
  void shrink();
  /// Bytes held by idle frames.
  int64_t held_bytes() const;

 private:
  Session() = default;
  Status prepare(std::unique_ptr<ir::Model> model);
  Status check_input(size_t index, const Value& value) const;
  Status run_indexed(const RunOptions* options, std::span<const ValueRef> inputs, std::span<ValueRef> outputs,
                     std::span<const bool> wanted);
  void record(const exec::StepTrace& step);

  SessionOptions options_;
  std::string model_name_;  ///< for messages: the path or "model in memory"
  std::vector<Argument> inputs_, outputs_, overridable_;
  std::vector<const Argument*> program_inputs_;  ///< in the order of the program's inputs
  std::vector<ValueRef> defaults_;               ///< per program input: the initializer, or null
  std::map<std::string, size_t, std::less<>> input_index_, output_index_;
  Metadata metadata_;
  std::unique_ptr<Pool> own_pool_;
  Team team_;
  std::shared_ptr<const exec::Program> program_;
  /// The same model compiled without trust in equal dimension names: made when inputs are fed that contradict them.
  std::mutex distinct_mutex_;
  std::unique_ptr<Session> distinct_;
  std::function<Result<std::unique_ptr<Session>>(const SessionOptions&)> reload_;
  Result<Session*> distinct();
  mutable std::mutex frames_mutex_;
  std::vector<std::unique_ptr<exec::Frame>> idle_frames_;
  struct Profile;
  std::unique_ptr<Profile> profile_;
  int64_t profile_start_ns_ = 0;
};

}  // namespace tenon::session
