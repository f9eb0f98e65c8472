// Memory plan: lifetimes, which slots share a region, what leaves as output, what is released when.
// SPDX-License-Identifier: MIT
#include <algorithm>

#include "exec/compiler.h"

namespace tenon::exec {

namespace {
constexpr int64_t kHintDimension = 64;  // stands for every symbol when regions are compared by size
}

void Compiler::find_lives() {
  lives_.assign(p_.slots_.size(), {});
  auto touch = [&](int32_t slot, int32_t at) {
    int32_t r = p_.root_of(slot);
    if (r < 0) return;
    auto& life = lives_[static_cast<size_t>(r)];
    if (life.first < 0) life.first = at;
    life.last = std::max(life.last, at);
  };
  for (size_t i = 0; i < p_.steps_.size(); ++i) {
    const Step& s = p_.steps_[i];
    for (uint32_t k = 0; k < s.in_count; ++k) touch(p_.operands_[s.in + k], static_cast<int32_t>(i));
    for (uint32_t k = 0; k < s.out_count; ++k) touch(p_.operands_[s.out + k], static_cast<int32_t>(i));
  }
  int32_t end = static_cast<int32_t>(p_.steps_.size());
  for (int32_t slot : p_.outputs_) touch(slot, end);
  // Inner loops stand before the loops around them. What a loop reads from outside lives until the loop is over.
  for (auto& loop : loops_)
    for (auto& life : lives_)
      if (life.first >= 0 && life.first < loop.begin && life.last >= loop.begin && life.last <= loop.end)
        life.last = loop.end + 1;
  // States are set before the first iteration and read after the last one.
  for (auto& loop : loops_)
    for (auto& life : lives_)
      if (life.first >= loop.begin && life.first <= loop.end) {
        bool state = false;
        const Step& first = p_.steps_[static_cast<size_t>(life.first)];
        state = first.kind == StepKind::kMove && life.first < loop.end;
        if (state) life.last = std::max(life.last, loop.end + 1);
      }
}

void Compiler::choose_outputs() {
  auto& outputs = model_.main().outputs();
  for (size_t i = 0; i < outputs.size(); ++i) p_.outputs_.push_back(slot_of(outputs[i]));
  for (size_t i = 0; i < outputs.size(); ++i) {
    auto& root = p_.slots_[static_cast<size_t>(p_.root_of(p_.outputs_[i]))];
    if (root.storage != Storage::kArena || root.dtype == DType::kString) continue;
    root.storage = Storage::kOutput;
    root.output = static_cast<int32_t>(i);
  }
}

int64_t Compiler::hint_bytes(int32_t slot) {
  auto& dims = slot_dims_[static_cast<size_t>(slot)];
  int64_t count = 1;
  std::vector<int64_t> symbols(p_.symbol_count_, kHintDimension);
  for (ir::Dim d : dims) {
    auto v = d.is_const() ? std::optional<int64_t>(d.value()) : ir::evaluate(d, symbols);
    if (!checked_mul(count, std::max<int64_t>(v.value_or(kHintDimension), 0), &count)) return kMaxSize;
  }
  return byte_size(p_.slots_[static_cast<size_t>(slot)].dtype, count);
}

/// Lets the step's first output take the region of an input that dies there.
bool Compiler::reuse_input(const Step& step, int32_t slot, int32_t at) {
  if (step.kind != StepKind::kKernel || p_.operands_[step.out] != slot) return false;
  uint8_t mask = step.node->def->trait.in_place;
  auto& out = p_.slots_[static_cast<size_t>(slot)];
  auto& out_dims = slot_dims_[static_cast<size_t>(slot)];
  for (uint32_t k = 0; k < step.in_count && k < 8; ++k) {
    if (!(mask >> k & 1)) continue;
    int32_t in = p_.operands_[step.in + k];
    int32_t root = p_.root_of(in);
    if (root < 0) continue;
    auto& r = p_.slots_[static_cast<size_t>(root)];
    auto same = [&](int32_t s) {
      return slot_dims_[static_cast<size_t>(s)] == out_dims &&
             bit_width(p_.slots_[static_cast<size_t>(s)].dtype) == bit_width(out.dtype);
    };
    if (r.storage != Storage::kArena || r.region < 0 || lives_[static_cast<size_t>(root)].last != at || !same(in))
      continue;
    if (bit_width(r.dtype) != bit_width(out.dtype)) continue;
    bool safe = region_users_[static_cast<size_t>(r.region)] == root;
    for (uint32_t j = 0; j < step.in_count; ++j) {  // other views of the same memory must have the same form
      int32_t other = p_.operands_[step.in + j];
      if (other >= 0 && p_.root_of(other) == root && !same(other)) safe = false;
    }
    if (!safe) continue;
    out.region = r.region;
    return true;
  }
  return false;
}

void Compiler::place_regions() {
  struct Free {
    int32_t region;
    int32_t from;  // first step at which it may be used again
  };
  std::vector<int32_t> order;
  for (size_t s = 0; s < p_.slots_.size(); ++s)
    if (p_.slots_[s].storage == Storage::kArena && lives_[s].first >= 0) order.push_back(static_cast<int32_t>(s));
  std::stable_sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return lives_[static_cast<size_t>(a)].first < lives_[static_cast<size_t>(b)].first;
  });
  std::vector<int64_t> hint;        // per region: the largest hint of its members
  std::vector<int32_t> busy_until;  // per region
  for (int32_t slot : order) {
    auto& plan = p_.slots_[static_cast<size_t>(slot)];
    auto life = lives_[static_cast<size_t>(slot)];
    int64_t need = hint_bytes(slot);
    if (!reuse_input(p_.steps_[static_cast<size_t>(life.first)], slot, life.first)) {
      int32_t best = -1;
      for (size_t r = 0; r < hint.size(); ++r) {
        if (busy_until[r] >= life.first) continue;
        if (best < 0) {
          best = static_cast<int32_t>(r);
          continue;
        }
        int64_t now = hint[static_cast<size_t>(best)], other = hint[r];
        bool now_fits = now >= need, other_fits = other >= need;
        if (other_fits ? (!now_fits || other < now) : (!now_fits && other > now)) best = static_cast<int32_t>(r);
      }
      if (best < 0) {
        best = static_cast<int32_t>(hint.size());
        hint.push_back(0);
        busy_until.push_back(-1);
        p_.regions_.emplace_back();
        region_users_.push_back(-1);
      }
      plan.region = best;
    }
    size_t r = static_cast<size_t>(plan.region);
    p_.regions_[r].members.push_back(slot);
    hint[r] = std::max(hint[r], need);
    busy_until[r] = std::max(busy_until[r], life.last);
    region_users_[r] = slot;
  }
}

void Compiler::list_releases() {
  std::vector<std::vector<int32_t>> at(p_.steps_.size());
  for (size_t s = 0; s < p_.slots_.size(); ++s)
    if (p_.slots_[s].storage == Storage::kDynamic && lives_[s].last >= 0 &&
        lives_[s].last < static_cast<int32_t>(p_.steps_.size()))
      at[static_cast<size_t>(lives_[s].last)].push_back(static_cast<int32_t>(s));
  for (size_t i = 0; i < at.size(); ++i) {
    p_.steps_[i].release = static_cast<uint32_t>(p_.releases_.size());
    p_.steps_[i].release_count = static_cast<uint32_t>(at[i].size());
    p_.releases_.insert(p_.releases_.end(), at[i].begin(), at[i].end());
  }
}

void Compiler::finish_tape() {
  for (size_t s = 0; s < p_.slots_.size(); ++s) {
    auto& plan = p_.slots_[s];
    if (!plan.static_shape) continue;
    plan.dims = static_cast<uint32_t>(p_.dim_registers_.size());
    for (ir::Dim d : slot_dims_[s]) p_.dim_registers_.push_back(p_.tape_.add(d));
    p_.bound_order_.push_back(static_cast<int32_t>(s));
    if (plan.storage == Storage::kElements) {
      auto& elements = *model_.value(plan.value).elements;
      p_.elements_.push_back({static_cast<int32_t>(s), static_cast<uint32_t>(p_.element_registers_.size()),
                              static_cast<uint32_t>(elements.size())});
      for (ir::Dim d : elements) p_.element_registers_.push_back(p_.tape_.add(d));
    }
    if (plan.storage == Storage::kAlias) {
      auto root = p_.slots_[static_cast<size_t>(p_.root_of(static_cast<int32_t>(s)))].storage;
      if (root == Storage::kInput || root == Storage::kOutput) p_.run_aliases_.push_back(static_cast<int32_t>(s));
    }
  }
  for (size_t i = 0; i < p_.steps_.size(); ++i)
    if (p_.steps_[i].check_at_bind) p_.bind_checks_.push_back(static_cast<uint32_t>(i));
}

Status Compiler::compile() {
  find_bound_symbols();
  demand_outputs();
  for (ir::ValueId v : model_.main().inputs()) {
    int32_t s = new_slot(v, model_.value(v).type, Storage::kInput);
    slot_of_value_[v] = s;
    p_.inputs_.push_back(s);
  }
  TENON_TRY(lower_graph(model_.main()));
  forget_packed();
  choose_outputs();
  list_constants();
  find_lives();
  place_regions();
  list_releases();
  finish_tape();
  p_.facts_.steps = p_.steps_.size();
  p_.facts_.slots = p_.slots_.size();
  p_.facts_.regions = p_.regions_.size();
  return {};
}

Program::~Program() = default;

Status Program::pack(Packing& packing, const Team& team) const {
  std::lock_guard lock(constants_mutex_);
  if (packing.state.load(std::memory_order_acquire)) return {};
  opdef::PackContext context(*packing.node, team);
  TENON_TRY(context.prepare(pack_scratch_));
  TENON_ASSIGN(packing.owned, packing.kernel->pack(context));
  for (size_t i = 0; i < packing.node->inputs().size() && i < 64; ++i) {
    ir::ValueId v = packing.node->inputs()[i];
    if (v == ir::kNoValue || !model_->value(v).constant) continue;
    if (!(context.released() >> i & 1)) packing.unpacked |= uint64_t{1} << i;
    else if (--readers_[v] == 0) model_->value(v).constant->forget_data();
  }
  if (--packings_left_ == 0) pack_scratch_ = {};
  packing.state.store(packing.owned.get(), std::memory_order_release);
  return {};
}

Status Program::read_constant(ConstantSlot constant, std::span<opdef::Slot> slots) const {
  opdef::Slot& slot = slots[static_cast<size_t>(constant.slot)];
  const SlotPlan& plan = slots_[static_cast<size_t>(constant.slot)];
  if (plan.storage != Storage::kConstant || slot.tensor.data || slot.tensor.count == 0) return {};
  std::lock_guard lock(constants_mutex_);
  const Tensor& t = *model_->value(plan.value).constant;
  if (constant.any_address && t.is_deferred()) slot.tensor.data = const_cast<void*>(t.stored_bytes());
  if (slot.tensor.data) return {};
  TENON_TRY(t.ensure());
  slot.tensor.data = t.data();
  return {};
}

Result<std::shared_ptr<const Program>> Program::compile(std::unique_ptr<ir::Model> model,
                                                        const opdef::Registry& registry, const Team& team) {
  auto program = std::make_shared<Program>();
  program->model_ = std::move(model);
  Compiler compiler(*program, registry, team);
  TENON_TRY(compiler.compile());
  return std::shared_ptr<const Program>(std::move(program));
}

std::string Program::listing() const {
  static constexpr std::string_view kKinds[] = {"kernel", "view",       "move",       "jump",
                                                "branch", "loop begin", "loop next",  "loop index",
                                                "append", "collect",    "scan begin", "scan slice"};
  static constexpr std::string_view kStorages[] = {"constant", "input",    "arena",   "output",
                                                   "alias",    "elements", "dynamic", "slice"};
  std::string out;
  auto slot_text = [&](int32_t s) {
    if (s < 0) return std::string("-");
    auto& plan = slots_[static_cast<size_t>(s)];
    std::string text = cat("%", s, ":", kStorages[static_cast<size_t>(plan.storage)]);
    if (plan.region >= 0) text += cat(plan.region);
    if (plan.value != ir::kNoValue) text += cat(" ", model_->value(plan.value).type);
    return text;
  };
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Step& s = steps_[i];
    out += cat(i, ": ", kKinds[static_cast<size_t>(s.kind)], " ", s.node ? s.node->op : "", s.kernel ? "/" : "",
               s.kernel ? s.kernel->name : std::string_view(), s.dynamic ? " dynamic" : "", " (");
    for (uint32_t k = 0; k < s.in_count; ++k) out += cat(k ? ", " : "", slot_text(operands_[s.in + k]));
    out += ") -> ";
    for (uint32_t k = 0; k < s.out_count; ++k) out += cat(k ? ", " : "", slot_text(operands_[s.out + k]));
    if (s.target >= 0) out += cat(" target ", s.target);
    out += "\n";
  }
  return out;
}

}  // namespace tenon::exec
