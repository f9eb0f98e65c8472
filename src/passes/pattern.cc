// Matching with choices that are taken back, and the application of rules, found by their root's operator.
// SPDX-License-Identifier: MIT
#include "passes/pattern.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "base/small_float.h"

namespace tenon::passes {

using ir::kNoValue;
using ir::Node;
using ir::ValueId;

struct PatternNode {
  enum Kind { kAny, kConstant, kNumber, kOp, kEither } kind = kAny;
  std::string name;  ///< of the binding or the operator
  double number = 0;
  std::vector<Term> operands;
  bool commutes = false, shared = false;
  std::function<bool(const Node&)> condition;
};

namespace {
Term make(PatternNode n) { return Term(std::make_shared<const PatternNode>(std::move(n))); }
PatternNode of_kind(PatternNode::Kind kind, std::string name, std::vector<Term> operands = {}) {
  PatternNode n;
  n.kind = kind;
  n.name = std::move(name);
  n.operands = std::move(operands);
  n.commutes = n.name == "Add" || n.name == "Mul";
  return n;
}
}  // namespace

Term::Term(double number) {
  PatternNode n;
  n.kind = PatternNode::kNumber;
  n.number = number;
  node_ = std::make_shared<const PatternNode>(std::move(n));
}
Term Term::where(std::function<bool(const Node&)> condition) const {
  PatternNode n = *node_;
  n.condition = std::move(condition);
  return make(std::move(n));
}
Term Term::shared() const {
  PatternNode n = *node_;
  n.shared = true;
  return make(std::move(n));
}
Term any(std::string name) { return make(of_kind(PatternNode::kAny, std::move(name))); }
Term constant(std::string name) { return make(of_kind(PatternNode::kConstant, std::move(name))); }
Term op(std::string name, std::vector<Term> operands) {
  return make(of_kind(PatternNode::kOp, std::move(name), std::move(operands)));
}
Term operator+(Term a, Term b) { return op("Add", {std::move(a), std::move(b)}); }
Term operator-(Term a, Term b) { return op("Sub", {std::move(a), std::move(b)}); }
Term operator*(Term a, Term b) { return op("Mul", {std::move(a), std::move(b)}); }
Term operator/(Term a, Term b) { return op("Div", {std::move(a), std::move(b)}); }
Term operator|(Term a, Term b) { return make(of_kind(PatternNode::kEither, {}, {std::move(a), std::move(b)})); }

std::optional<double> scalar_constant(const Tensor& t) {
  if (t.count() != 1) return std::nullopt;
  switch (t.dtype()) {
    case DType::kF32: return *t.as<float>();
    case DType::kF64: return *t.as<double>();
    case DType::kF16: return f16_to_f32(*t.as<uint16_t>());
    case DType::kBF16: return bf16_to_f32(*t.as<uint16_t>());
    default: return std::nullopt;
  }
}
std::optional<double> scalar_constant(const ir::Model& m, ValueId v) {
  const Tensor* t = v == kNoValue ? nullptr : m.constant(v);
  return t ? scalar_constant(*t) : std::nullopt;
}

class Matcher {
 public:
  explicit Matcher(Match& m) : m_(m) {}
  /// Fills the match when the pattern is the root's value.
  bool run(const Term& pattern) {
    return match(*pattern.node(), m_.root_.output(0), [this] { return closed(); });
  }

 private:
  using Next = std::function<bool()>;

  bool match(const PatternNode& p, ValueId v, const Next& next) {
    if (v == kNoValue) return false;
    const ir::Model& model = m_.model_;
    switch (p.kind) {
      case PatternNode::kConstant:
        if (!model.constant(v)) return false;
        [[fallthrough]];
      case PatternNode::kAny: {
        auto [at, fresh] = m_.bound_.try_emplace(p.name, v);
        if (!fresh) return at->second == v && next();
        if (next()) return true;
        m_.bound_.erase(p.name);
        return false;
      }
      case PatternNode::kNumber: {
        auto number = scalar_constant(model, v);
        return number && std::fabs(*number - p.number) <= 1e-4 * std::fabs(p.number) && next();
      }
      case PatternNode::kEither:
        return std::any_of(p.operands.begin(), p.operands.end(),
                           [&](const Term& t) { return match(*t.node(), v, next); });
      case PatternNode::kOp: break;
    }
    Node* n = model.value(v).producer;
    if (!n || n->graph != m_.root_.graph || !n->domain.empty() || n->op != p.name || n->outputs().size() != 1)
      return false;
    if (n->inputs().size() < p.operands.size() || (p.condition && !p.condition(*n))) return false;
    for (size_t i = p.operands.size(); i < n->inputs().size(); ++i)
      if (n->inputs()[i] != kNoValue) return false;
    const bool fresh = !p.shared && std::find(m_.nodes_.begin(), m_.nodes_.end(), n) == m_.nodes_.end();
    if (fresh) m_.nodes_.push_back(n);
    if (operands(p, *n, 0, false, next)) return true;
    if (p.commutes && operands(p, *n, 0, true, next)) return true;
    if (fresh) m_.nodes_.pop_back();
    return false;
  }

  bool operands(const PatternNode& p, const Node& n, size_t i, bool swapped, const Next& next) {
    if (i == p.operands.size()) return next();
    return match(*p.operands[i].node(), n.inputs()[swapped ? 1 - i : i],
                 [&, i] { return operands(p, n, i + 1, swapped, next); });
  }

  /// Whether no inner value is read from outside.
  bool closed() const {
    for (size_t i = 1; i < m_.nodes_.size(); ++i) {
      auto& info = m_.model_.value(m_.nodes_[i]->output(0));
      if (info.output_uses) return false;
      for (auto& use : info.uses)
        if (std::find(m_.nodes_.begin(), m_.nodes_.end(), use.node) == m_.nodes_.end()) return false;
    }
    return true;
  }

  Match& m_;
};

namespace {

bool is_disabled(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(';'), list.size());
    if (list.substr(0, end) == name) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

void collect_roots(const PatternNode& p, std::vector<std::string>& roots) {
  if (p.kind == PatternNode::kOp) roots.push_back(p.name);
  for (const Term& t : p.operands)
    if (p.kind == PatternNode::kEither) collect_roots(*t.node(), roots);
}

class Rewriter {
 public:
  Rewriter(const std::vector<Rule>& rules, const opdef::Registry& registry, std::string_view disabled,
           std::vector<RuleEvent>* log)
      : registry_(registry), log_(log) {
    for (const Rule& r : rules) {
      if (is_disabled(disabled, r.name)) continue;
      std::vector<std::string> roots;
      collect_roots(*r.from.node(), roots);
      std::sort(roots.begin(), roots.end());
      roots.erase(std::unique(roots.begin(), roots.end()), roots.end());
      for (auto& root : roots) by_root_[root].push_back(&r);
    }
  }

  Status run(ir::Graph& g) {
    if (by_root_.empty()) return {};
    for (Node& n : g.nodes())  // a match lies in one graph: what fires in this one changes nothing for those
      for (ir::Graph* inner : n.subgraphs()) TENON_TRY(run(*inner));
    for (bool changed = true; changed;) {
      changed = false;
      for (auto it = g.nodes().begin(); it != g.nodes().end();) {
        Node& n = *it++;  // a match holds nodes before the root only
        TENON_ASSIGN(bool fired, visit(n));
        changed |= fired;
      }
    }
    return {};
  }

 private:
  Result<bool> visit(Node& n) {
    auto rules = by_root_.find(n.op);
    if (rules == by_root_.end() || !n.domain.empty() || n.outputs().size() != 1 || n.output(0) == kNoValue)
      return false;
    for (const Rule* r : rules->second) {
      Match m(n.graph->model(), n);
      if (!Matcher(m).run(r->from)) continue;
      auto made = r->become(m);
      if (log_)
        log_->push_back({r->name, n.label(), made ? std::string() : m.refused().empty() ? "declined" : m.refused()});
      if (!made) continue;
      TENON_TRY(replace(m, std::move(*made)));
      return true;
    }
    return false;
  }

  Status replace(const Match& m, Replacement made) {
    Node& root = m.root();
    ir::Graph& g = *root.graph;
    const ValueId result = root.output(0);
    std::vector<std::string> origins = ir::origins_of(m.nodes());
    g.set_node_output(root, 0, kNoValue);
    Node& fused = g.add(std::move(made.op), std::move(made.inputs), {result}, std::move(made.domain), &root);
    fused.name = root.name;
    fused.origins = std::move(origins);
    for (auto& [name, value] : made.attributes) fused.set(name, std::move(value));
    TENON_TRY(opdef::bind_node(fused, registry_));
    // The root reads the others: it goes first, then whatever nobody reads any more.
    std::vector<Node*> left = m.nodes();
    g.remove(root);
    left.erase(left.begin());
    for (bool removed = true; removed && !left.empty();) {
      removed = false;
      for (size_t i = left.size(); i-- > 0;) {
        if (m.model().value(left[i]->output(0)).use_count()) continue;
        g.remove(*left[i]);
        left.erase(left.begin() + static_cast<ptrdiff_t>(i));
        removed = true;
      }
    }
    return {};
  }

  const opdef::Registry& registry_;
  std::vector<RuleEvent>* log_;
  std::unordered_map<std::string, std::vector<const Rule*>> by_root_;
};

}  // namespace

Status apply_rules(ir::Graph& graph, const std::vector<Rule>& rules, const opdef::Registry& registry,
                   std::string_view disabled, std::vector<RuleEvent>* log) {
  return Rewriter(rules, registry, disabled, log).run(graph);
}

}  // namespace tenon::passes
