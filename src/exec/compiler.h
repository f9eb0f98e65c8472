// Compiler: lowers a graph to the steps of a Program and plans its memory.
// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "exec/program.h"

namespace tenon::exec {

class Compiler {
 public:
  Compiler(Program& program, const opdef::Registry& registry, const Team& team)
      : p_(program), model_(*program.model_), registry_(registry), team_(team) {}
  Status compile();

 private:
  /// Constant inputs from this size on are packed by the first run, not while a model is loaded.
  static constexpr int64_t kLazyFrom = 1 << 16;
  struct LoopRange {
    int32_t begin, end;
  };
  struct Life {
    int32_t first = -1, last = -1;
  };

  // lower.cc: nodes to steps.
  void find_bound_symbols();
  bool is_static(ir::Dim d) const;
  bool is_static(const ir::Type& t) const;
  bool has_static_elements(const ir::ValueInfo& v) const;
  void demand_outputs();
  void demand(ir::ValueId v);
  int32_t slot_of(ir::ValueId v);
  int32_t new_slot(ir::ValueId v, const ir::Type& type, Storage storage);
  int32_t temporary();
  void put_dims(int32_t slot, const ir::Type& type);
  Step& emit(StepKind kind, std::initializer_list<int32_t> in = {}, std::initializer_list<int32_t> out = {});
  Status lower_graph(ir::Graph& graph);
  Status lower_node(ir::Node& node);
  Status lower_kernel(ir::Node& node);
  bool lower_view(ir::Node& node);
  Status lower_if(ir::Node& node);
  Status lower_loop(ir::Node& node);
  Status lower_scan(ir::Node& node);
  void move_states(const std::vector<int32_t>& from, const std::vector<int32_t>& to);
  int32_t define(ir::ValueId v);
  int64_t constant_input_bytes(const ir::Node& node) const;
  void forget_packed();
  void list_constants();

  // plan.cc: lifetimes and memory.
  void find_lives();
  void choose_outputs();
  void place_regions();
  bool reuse_input(const Step& step, int32_t slot, int32_t at);
  void list_releases();
  void finish_tape();
  int64_t hint_bytes(int32_t slot);

  Program& p_;
  ir::Model& model_;
  const opdef::Registry& registry_;
  Team team_;
  std::vector<bool> bound_symbol_;
  std::unordered_set<const ir::Node*> demanded_;
  std::vector<ir::ValueId> demand_work_;
  std::unordered_map<ir::ValueId, int32_t> slot_of_value_;
  std::vector<ir::DimVector> slot_dims_;  ///< per slot, for static ones
  std::vector<LoopRange> loops_;
  std::vector<Life> lives_;
  std::vector<int32_t> region_users_;  ///< current occupant of each region, for in-place reuse
  std::vector<int64_t> hint_registers_;
  std::unordered_map<ir::ValueId, int> released_;  ///< constants: how many readers have packed them
  const ir::Node* current_ = nullptr;
  int conditional_ = 0;  ///< branches and loop bodies around the node being lowered
};

}  // namespace tenon::exec
