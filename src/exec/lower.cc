// Lowering: graph nodes become steps; If, Loop and Scan become jumps in the same flat list.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "exec/compiler.h"
#include "opdef/infer.h"

namespace tenon::exec {

void Compiler::find_bound_symbols() {
  bound_symbol_.assign(model_.dims().symbol_count(), false);
  auto& inputs = model_.main().inputs();
  for (size_t i = 0; i < inputs.size(); ++i) {
    auto& v = model_.value(inputs[i]);
    auto source = [&](ir::Dim d, bool element, size_t at) {
      auto symbol = ir::as_symbol(d);
      if (!symbol) return;
      bound_symbol_[*symbol] = true;
      p_.symbol_sources_.push_back({*symbol, static_cast<uint16_t>(i), element, static_cast<uint32_t>(at)});
    };
    for (size_t d = 0; d < v.type.shape.size(); ++d) source(v.type.shape[d], false, d);
    if (v.elements)
      for (size_t e = 0; e < v.elements->size(); ++e) source((*v.elements)[e], true, e);
  }
  p_.symbol_count_ = model_.dims().symbol_count();
}

bool Compiler::is_static(ir::Dim d) const {
  if (d.is_const()) return true;
  if (d.is_unknown()) return false;
  bool all = true;
  ir::visit_symbols(d, [&](uint32_t s) { all &= s < bound_symbol_.size() && bound_symbol_[s]; });
  return all;
}

bool Compiler::is_static(const ir::Type& t) const {
  if (!t.is_tensor() || !t.has_shape || t.dtype == DType::kUndefined) return false;
  return std::all_of(t.shape.begin(), t.shape.end(), [&](ir::Dim d) { return is_static(d); });
}

bool Compiler::has_static_elements(const ir::ValueInfo& v) const {
  if (!v.elements || v.is_input || v.constant || !is_static(v.type)) return false;
  if (v.type.dtype != DType::kI64 && v.type.dtype != DType::kI32) return false;
  auto count = ir::dim_product(v.type.shape);
  if (!count.is(static_cast<int64_t>(v.elements->size()))) return false;
  return std::all_of(v.elements->begin(), v.elements->end(), [&](ir::Dim d) { return is_static(d); });
}

void Compiler::demand(ir::ValueId v) {
  if (v != ir::kNoValue) demand_work_.push_back(v);
}

/// Marks the nodes whose results are needed. What only feeds shape arithmetic that the tape does is not.
void Compiler::demand_outputs() {
  for (ir::ValueId v : model_.main().outputs()) demand(v);
  while (!demand_work_.empty()) {
    auto& v = model_.value(demand_work_.back());
    demand_work_.pop_back();
    if (!v.producer || has_static_elements(v)) continue;
    ir::Node& n = *v.producer;
    if (!demanded_.insert(&n).second) continue;
    bool view = n.def->trait.view && v.producer_index == 0 && is_static(v.type);
    for (size_t i = 0; i < n.inputs().size(); ++i)
      if (!view || i == 0) demand(n.inputs()[i]);
    for (ir::Graph* g : n.subgraphs())
      for (ir::ValueId o : g->outputs()) demand(o);
  }
}

int32_t Compiler::new_slot(ir::ValueId v, const ir::Type& type, Storage storage) {
  int32_t s = static_cast<int32_t>(p_.slots_.size());
  SlotPlan plan;
  plan.storage = storage;
  plan.dtype = type.is_tensor() ? type.dtype : DType::kUndefined;
  plan.value = v;
  plan.conditional = conditional_ > 0;
  p_.slots_.push_back(plan);
  slot_dims_.emplace_back();
  if (storage != Storage::kDynamic && storage != Storage::kInput && storage != Storage::kConstant) put_dims(s, type);
  return s;
}

void Compiler::put_dims(int32_t slot, const ir::Type& type) {
  auto& plan = p_.slots_[static_cast<size_t>(slot)];
  plan.static_shape = true;
  plan.rank = type.rank();
  slot_dims_[static_cast<size_t>(slot)] = type.shape;
}

int32_t Compiler::temporary() { return new_slot(ir::kNoValue, {}, Storage::kDynamic); }

/// The slot for a value that a step computes: in the arena when its size follows from the inputs, else dynamic.
int32_t Compiler::define(ir::ValueId v) {
  if (v == ir::kNoValue) return -1;
  auto found = slot_of_value_.find(v);
  if (found != slot_of_value_.end()) return found->second;
  auto& info = model_.value(v);
  int32_t s = new_slot(v, info.type, is_static(info.type) ? Storage::kArena : Storage::kDynamic);
  slot_of_value_[v] = s;
  return s;
}

/// The slot to read a value from.
int32_t Compiler::slot_of(ir::ValueId v) {
  if (v == ir::kNoValue) return -1;
  auto found = slot_of_value_.find(v);
  if (found != slot_of_value_.end()) return found->second;
  auto& info = model_.value(v);
  int32_t s;
  if (info.constant) {
    s = new_slot(v, info.type, Storage::kConstant);
    p_.facts_.constant_bytes += info.constant->bytes();
  } else if (has_static_elements(info)) {
    s = new_slot(v, info.type, Storage::kElements);
  } else {
    return define(v);
  }
  slot_of_value_[v] = s;
  return s;
}

Step& Compiler::emit(StepKind kind, std::initializer_list<int32_t> in, std::initializer_list<int32_t> out) {
  Step s;
  s.kind = kind;
  s.node = current_;
  s.in = static_cast<uint32_t>(p_.operands_.size());
  s.in_count = static_cast<uint32_t>(in.size());
  p_.operands_.insert(p_.operands_.end(), in);
  s.out = static_cast<uint32_t>(p_.operands_.size());
  s.out_count = static_cast<uint32_t>(out.size());
  p_.operands_.insert(p_.operands_.end(), out);
  return p_.steps_.emplace_back(s);
}

Status Compiler::lower_graph(ir::Graph& graph) {
  bool inner = &graph != &model_.main();
  conditional_ += inner;
  for (auto& node : graph.nodes())
    if (demanded_.count(&node)) TENON_TRY(lower_node(node));
  conditional_ -= inner;
  return {};
}

Status Compiler::lower_node(ir::Node& node) {
  auto* outer = current_;
  current_ = &node;
  Status s = [&]() -> Status {
    if (node.op == "If" && node.domain.empty()) return lower_if(node);
    if (node.op == "Loop" && node.domain.empty()) return lower_loop(node);
    if (node.op == "Scan" && node.domain.empty()) return lower_scan(node);
    if (node.def->trait.view && lower_view(node)) return {};
    return lower_kernel(node);
  }();
  current_ = outer;
  if (!s.ok()) s.add_context("node", cat(node.label(), "   (", node.domain_text(), " ", node.op, "-", node.since, ")"));
  return s;
}

bool Compiler::lower_view(ir::Node& node) {
  ir::ValueId out = node.output(0), in = node.input(0);
  auto& out_info = model_.value(out);
  auto& in_info = model_.value(in);
  if (!in_info.type.is_tensor() || (in_info.type.dtype == DType::kString && model_.value(out).output_uses))
    return false;
  int32_t from = slot_of(in);
  auto storage = p_.slots_[static_cast<size_t>(p_.root_of(from))].storage;
  if (is_static(out_info.type) && storage != Storage::kDynamic && storage != Storage::kSlice) {
    int32_t s = new_slot(out, out_info.type, Storage::kAlias);
    p_.slots_[static_cast<size_t>(s)].root = from;
    slot_of_value_[out] = s;
    if (conditional_ > 0) emit(StepKind::kView, {from}, {s});
    return true;
  }
  int32_t s = new_slot(out, out_info.type, Storage::kDynamic);
  slot_of_value_[out] = s;
  std::vector<int32_t> in_slots;
  for (ir::ValueId v : node.inputs()) in_slots.push_back(slot_of(v));
  Step& step = emit(StepKind::kView);
  step.dynamic = true;
  step.in_count = static_cast<uint32_t>(in_slots.size());
  step.in = static_cast<uint32_t>(p_.operands_.size());
  p_.operands_.insert(p_.operands_.end(), in_slots.begin(), in_slots.end());
  step.out = static_cast<uint32_t>(p_.operands_.size());
  step.out_count = 1;
  p_.operands_.push_back(s);
  return true;
}

Status Compiler::lower_kernel(ir::Node& node) {
  const opdef::OpEntry* entry = registry_.entry(node.def);
  TENON_ASSIGN(const opdef::Kernel* kernel, opdef::choose_kernel(node, entry ? entry->cpu : nullptr));
  const opdef::KernelState* state = nullptr;
  int32_t packing = -1;
  if (kernel->pack && kernel->lazy && constant_input_bytes(node) >= kLazyFrom) {
    packing = static_cast<int32_t>(p_.packings_.size());
    p_.packings_.emplace_back(&node, kernel);
  } else if (kernel->pack) {
    opdef::PackContext pack(node, team_);
    TENON_ASSIGN(auto made, kernel->pack(pack));
    for (size_t i = 0; i < node.inputs().size() && i < 64; ++i)
      if (pack.released() >> i & 1) ++released_[node.inputs()[i]];
    state = made.get();
    p_.states_.push_back(std::move(made));
  }
  bool kernel_sizes = node.def->trait.kernel_sizes_output;
  bool inputs_static = true, any_symbol = false;
  std::vector<int32_t> in, out;
  for (ir::ValueId v : node.inputs()) {
    in.push_back(slot_of(v));
    if (v == ir::kNoValue) continue;
    auto& type = model_.value(v).type;
    if (p_.slots_[static_cast<size_t>(in.back())].storage == Storage::kDynamic || !is_static(type))
      inputs_static = false;
    for (ir::Dim d : type.shape) any_symbol |= !d.is_const();
    if (auto& e = model_.value(v).elements)
      for (ir::Dim d : *e) any_symbol |= !d.is_const();
  }
  bool dynamic = false;
  for (ir::ValueId v : node.outputs()) {
    int32_t s = -1;
    if (v != ir::kNoValue) {
      // An output nobody reads still gets memory: kernels need not ask.
      if (kernel_sizes) {
        s = new_slot(v, model_.value(v).type, Storage::kDynamic);
        slot_of_value_[v] = s;
      } else {
        s = define(v);
      }
      if (p_.slots_[static_cast<size_t>(s)].storage == Storage::kDynamic) dynamic = true;
    }
    out.push_back(s);
  }
  Step& step = emit(StepKind::kKernel);
  step.in = static_cast<uint32_t>(p_.operands_.size());
  step.in_count = static_cast<uint32_t>(in.size());
  p_.operands_.insert(p_.operands_.end(), in.begin(), in.end());
  step.out = static_cast<uint32_t>(p_.operands_.size());
  step.out_count = static_cast<uint32_t>(out.size());
  p_.operands_.insert(p_.operands_.end(), out.begin(), out.end());
  step.kernel = kernel;
  step.state = state;
  step.packing = packing;
  step.dynamic = dynamic && !kernel_sizes;
  step.check_at_run = !step.dynamic && !inputs_static;
  step.check_at_bind = !step.dynamic && inputs_static && any_symbol && !kernel_sizes;
  return {};
}

int64_t Compiler::constant_input_bytes(const ir::Node& node) const {
  int64_t bytes = 0;
  for (ir::ValueId v : node.inputs())
    if (const Tensor* t = v == ir::kNoValue ? nullptr : model_.constant(v)) bytes += t->bytes();
  return bytes;
}

/// Weights that every reader holds in packed form give their own memory back; of those that the first run packs the
/// readers are counted here. What steps read as it is gets its pointer when a frame first runs.
void Compiler::forget_packed() {
  auto readers_of = [&](const ir::ValueInfo& info) {
    int n = info.output_uses;
    for (auto& use : info.uses) n += demanded_.count(use.node) > 0;
    return n;
  };
  for (auto [v, packed] : released_) {
    auto& info = model_.value(v);
    if (info.constant && readers_of(info) == packed) info.constant->forget_data();
  }
  p_.packings_left_ = p_.packings_.size();
  for (auto& packing : p_.packings_)
    for (ir::ValueId v : packing.node->inputs()) {
      if (v == ir::kNoValue || !model_.value(v).constant) continue;
      auto packed = released_.find(v);
      p_.readers_[v] = readers_of(model_.value(v)) - (packed == released_.end() ? 0 : packed->second);
    }
}

/// Which constants the steps read as they are: their contents are looked up when a frame first runs.
void Compiler::list_constants() {
  enum : uint8_t { kUnread, kAnyAddress, kAligned };
  std::vector<uint8_t> read(p_.slots_.size(), kUnread);
  auto mark = [&](int32_t slot, bool any_address) {
    slot = p_.root_of(slot);
    if (slot < 0 || p_.slots_[static_cast<size_t>(slot)].storage != Storage::kConstant) return;
    auto& how = read[static_cast<size_t>(slot)];
    how = std::max<uint8_t>(how, any_address ? kAnyAddress : kAligned);
  };
  for (const Step& s : p_.steps_)
    for (uint32_t i = 0; i < s.in_count; ++i) {
      int32_t slot = p_.operands_[s.in + i];
      bool packed = slot >= 0 && s.packing >= 0 && p_.slots_[static_cast<size_t>(slot)].storage == Storage::kConstant;
      if (!packed) mark(slot, s.kernel && i < 8 && (s.kernel->unaligned >> i & 1));
    }
  for (int32_t slot : p_.outputs_) mark(slot, false);
  for (size_t s = 0; s < read.size(); ++s)
    if (read[s] != kUnread) p_.constants_.push_back({static_cast<int32_t>(s), read[s] == kAnyAddress});
}

Status Compiler::lower_if(ir::Node& node) {
  auto& yes = **node.get<std::unique_ptr<ir::Graph>>("then_branch");
  auto& no = **node.get<std::unique_ptr<ir::Graph>>("else_branch");
  int32_t condition = slot_of(node.input(0));
  std::vector<int32_t> out;
  for (ir::ValueId v : node.outputs()) out.push_back(define(v));
  auto branch = [&](ir::Graph& g) -> Status {
    TENON_TRY(lower_graph(g));
    for (size_t i = 0; i < out.size(); ++i)
      if (out[i] >= 0) emit(StepKind::kMove, {slot_of(g.outputs()[i])}, {out[i]});
    return {};
  };
  emit(StepKind::kBranch, {condition});
  size_t branch_at = p_.steps_.size() - 1;
  TENON_TRY(branch(yes));
  emit(StepKind::kJump);
  size_t jump_at = p_.steps_.size() - 1;
  p_.steps_[branch_at].target = static_cast<int32_t>(p_.steps_.size());
  TENON_TRY(branch(no));
  p_.steps_[jump_at].target = static_cast<int32_t>(p_.steps_.size());
  return {};
}

/// Moves all at once: a state that is read from another state of the same body goes through a temporary.
void Compiler::move_states(const std::vector<int32_t>& from, const std::vector<int32_t>& to) {
  std::vector<int32_t> source = from;
  for (size_t i = 0; i < from.size(); ++i) {
    int32_t root = p_.root_of(from[i]);
    bool other_state = false;
    for (size_t j = 0; j < to.size(); ++j) other_state |= j != i && to[j] == root;
    // A moving slice must be copied too: the next iteration points elsewhere.
    if (!other_state) continue;
    source[i] = temporary();
    p_.slots_[static_cast<size_t>(source[i])].dtype = p_.slots_[static_cast<size_t>(from[i])].dtype;
    emit(StepKind::kMove, {from[i]}, {source[i]}).index = 1;  // always a copy
  }
  for (size_t i = 0; i < from.size(); ++i)
    if (source[i] != to[i]) emit(StepKind::kMove, {source[i]}, {to[i]});
}

Status Compiler::lower_loop(ir::Node& node) {
  ir::Graph& body = **node.get<std::unique_ptr<ir::Graph>>("body");
  size_t states = node.inputs().size() < 2 ? 0 : node.inputs().size() - 2;
  uint16_t loop = static_cast<uint16_t>(p_.loop_count_++);
  size_t first_accumulator = p_.accumulator_count_;
  size_t scans = node.outputs().size() - states;
  p_.accumulator_count_ += scans;
  int32_t trip = slot_of(node.input(0)), condition = slot_of(node.input(1));
  std::vector<int32_t> initial, state;
  for (size_t i = 0; i < states; ++i) initial.push_back(slot_of(node.input(i + 2)));
  int32_t begin = static_cast<int32_t>(p_.steps_.size());
  for (size_t i = 0; i < states; ++i) {
    state.push_back(define(body.inputs()[i + 2]));
    emit(StepKind::kMove, {initial[i]}, {state[i]});
  }
  int32_t index_slot = define(body.inputs()[0]), condition_slot = define(body.inputs()[1]);
  Step& start = emit(StepKind::kLoopBegin, {trip, condition});
  start.loop = loop;
  start.index = static_cast<uint16_t>(first_accumulator);
  start.axis = static_cast<int32_t>(scans);
  size_t start_at = p_.steps_.size() - 1;
  int32_t body_at = static_cast<int32_t>(p_.steps_.size());
  emit(StepKind::kLoopIndex, {}, {index_slot, condition_slot}).loop = loop;
  TENON_TRY(lower_graph(body));
  for (size_t i = 0; i < scans; ++i) {
    Step& s = emit(StepKind::kAppend, {slot_of(body.outputs()[states + 1 + i])});
    s.loop = loop;
    s.index = static_cast<uint16_t>(first_accumulator + i);
  }
  // The condition is read before states move: it may be computed from one.
  std::vector<int32_t> next;
  for (size_t i = 0; i < states; ++i) next.push_back(slot_of(body.outputs()[i + 1]));
  int32_t go_on = slot_of(body.outputs()[0]);
  if (std::find(state.begin(), state.end(), p_.root_of(go_on)) != state.end()) {
    int32_t kept = temporary();
    p_.slots_[static_cast<size_t>(kept)].dtype = DType::kBool;
    emit(StepKind::kMove, {go_on}, {kept}).index = 1;
    go_on = kept;
  }
  move_states(next, state);
  Step& again = emit(StepKind::kLoopNext, {go_on});
  again.loop = loop;
  again.target = body_at;
  loops_.push_back({begin, static_cast<int32_t>(p_.steps_.size()) - 1});
  p_.steps_[start_at].target = static_cast<int32_t>(p_.steps_.size());
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    if (node.outputs()[i] == ir::kNoValue) continue;
    int32_t out = define(node.outputs()[i]);
    if (i < states) emit(StepKind::kMove, {state[i]}, {out});
    else emit(StepKind::kCollect, {}, {out}).index = static_cast<uint16_t>(first_accumulator + i - states);
  }
  return {};
}

Status Compiler::lower_scan(ir::Node& node) {
  ir::Graph& body = **node.get<std::unique_ptr<ir::Graph>>("body");
  size_t scans = static_cast<size_t>(node.int_or("num_scan_inputs", 0));
  size_t states = node.inputs().size() - scans;
  size_t collected = node.outputs().size() - states;
  uint16_t loop = static_cast<uint16_t>(p_.loop_count_++);
  size_t first_accumulator = p_.accumulator_count_;
  p_.accumulator_count_ += collected;
  auto entry = [](std::span<const int64_t> list, size_t i) { return i < list.size() ? list[i] : int64_t{0}; };
  auto in_axes = node.ints("scan_input_axes"), in_ways = node.ints("scan_input_directions");
  auto out_axes = node.ints("scan_output_axes"), out_ways = node.ints("scan_output_directions");
  std::vector<int32_t> initial, state, sources;
  for (size_t i = 0; i < states; ++i) initial.push_back(slot_of(node.input(i)));
  for (size_t i = 0; i < scans; ++i) sources.push_back(slot_of(node.input(states + i)));
  int32_t begin = static_cast<int32_t>(p_.steps_.size());
  for (size_t i = 0; i < states; ++i) {
    state.push_back(define(body.inputs()[i]));
    emit(StepKind::kMove, {initial[i]}, {state[i]});
  }
  // Operands of ScanBegin: each scanned input; its axis follows from the slice steps below.
  Step& start = emit(StepKind::kScanBegin);
  start.loop = loop;
  start.index = static_cast<uint16_t>(first_accumulator);
  start.axis = static_cast<int32_t>(collected);
  start.in = static_cast<uint32_t>(p_.operands_.size());
  start.in_count = static_cast<uint32_t>(scans);
  size_t start_at = p_.steps_.size() - 1;
  for (size_t i = 0; i < scans; ++i) p_.operands_.push_back(sources[i]);
  p_.steps_[start_at].out = static_cast<uint32_t>(p_.operands_.size());
  int32_t body_at = static_cast<int32_t>(p_.steps_.size());
  for (size_t i = 0; i < scans; ++i) {
    ir::ValueId v = body.inputs()[states + i];
    int32_t to =
        new_slot(v, model_.value(v).type, is_static(model_.value(v).type) ? Storage::kSlice : Storage::kDynamic);
    slot_of_value_[v] = to;
    Step& s = emit(StepKind::kScanSlice, {sources[i]}, {to});
    s.loop = loop;
    s.axis = static_cast<int32_t>(entry(in_axes, i));
    s.reverse = entry(in_ways, i) == 1;
  }
  TENON_TRY(lower_graph(body));
  for (size_t i = 0; i < collected; ++i) {
    Step& s = emit(StepKind::kAppend, {slot_of(body.outputs()[states + i])});
    s.loop = loop;
    s.index = static_cast<uint16_t>(first_accumulator + i);
  }
  std::vector<int32_t> next;
  for (size_t i = 0; i < states; ++i) next.push_back(slot_of(body.outputs()[i]));
  move_states(next, state);
  Step& again = emit(StepKind::kLoopNext, {-1});
  again.loop = loop;
  again.target = body_at;
  loops_.push_back({begin, static_cast<int32_t>(p_.steps_.size()) - 1});
  p_.steps_[start_at].target = static_cast<int32_t>(p_.steps_.size());
  for (size_t i = 0; i < node.outputs().size(); ++i) {
    if (node.outputs()[i] == ir::kNoValue) continue;
    int32_t out = define(node.outputs()[i]);
    if (i < states) {
      emit(StepKind::kMove, {state[i]}, {out});
      continue;
    }
    Step& s = emit(StepKind::kCollect, {}, {out});
    s.index = static_cast<uint16_t>(first_accumulator + i - states);
    s.axis = static_cast<int32_t>(entry(out_axes, i - states));
    s.reverse = entry(out_ways, i - states) == 1;
  }
  return {};
}

}  // namespace tenon::exec
