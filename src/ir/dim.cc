// Dim: normal form, arithmetic, printing and evaluation of dimension expressions.
// SPDX-License-Identifier: MIT
#include "ir/dim.h"

#include <algorithm>
#include <functional>

#include "tensor/shape.h"

namespace tenon::ir {

/// coefficient * atom * atom ...; atoms sorted by number.
struct Monomial {
  int64_t coefficient;
  std::vector<const DimNode*> atoms;
};

enum class DimKind : uint8_t { kUnknown, kSymbol, kSum, kFloorDiv, kMax, kMin, kBroadcast };

struct DimNode {
  DimKind kind;
  DimTable* table = nullptr;
  uint32_t number = 0;  ///< order of creation: sorts atoms
  uint32_t symbol = 0;  ///< kSymbol
  bool non_negative = false;
  std::string name;             ///< kSymbol
  std::vector<Monomial> terms;  ///< kSum, at least one term
  int64_t constant = 0;         ///< kSum
  Dim a, b;                     ///< the other kinds
  uint32_t weight = 1;          ///< nodes below: bounds the size of expressions
};

struct DimTable {
  std::deque<DimNode> nodes;
  std::vector<const DimNode*> symbols;
  std::unordered_map<std::string, const DimNode*> interned;
  std::unordered_map<std::string, const DimNode*> by_name;
};

namespace {

constexpr uint32_t kMaxWeight = 200;
constexpr size_t kMaxTerms = 32;
const DimNode kUnknownNode{DimKind::kUnknown};

struct Sum {
  std::vector<Monomial> terms;
  int64_t constant = 0;
  bool valid = true;
};

bool atoms_less(const std::vector<const DimNode*>& x, const std::vector<const DimNode*>& y) {
  return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(),
                                      [](const DimNode* p, const DimNode* q) { return p->number < q->number; });
}

Sum to_sum(Dim d) {
  Sum s;
  if (d.is_const()) s.constant = d.value();
  else if (d.is_unknown()) s.valid = false;
  else if (d.node()->kind == DimKind::kSum) {
    s.terms = d.node()->terms;
    s.constant = d.node()->constant;
  } else s.terms.push_back({1, {d.node()}});
  return s;
}

void normalise(Sum& s) {
  std::sort(s.terms.begin(), s.terms.end(), [](auto& x, auto& y) { return atoms_less(x.atoms, y.atoms); });
  std::vector<Monomial> out;
  for (auto& t : s.terms) {
    if (!out.empty() && out.back().atoms == t.atoms) {
      if (!checked_add(out.back().coefficient, t.coefficient, &out.back().coefficient)) s.valid = false;
    } else out.push_back(std::move(t));
  }
  std::erase_if(out, [](auto& t) { return t.coefficient == 0; });
  s.terms = std::move(out);
  if (s.terms.size() > kMaxTerms) s.valid = false;
}

std::string key_of(const DimNode& n) {
  std::string k(1, static_cast<char>('a' + static_cast<int>(n.kind)));
  auto put = [&](int64_t v) { k.append(reinterpret_cast<const char*>(&v), sizeof v); };
  auto put_dim = [&](Dim d) {
    put(d.is_const() ? -1 : d.node()->number);
    put(d.is_const() ? d.value() : 0);
  };
  if (n.kind == DimKind::kSum) {
    put(n.constant);
    for (auto& t : n.terms) {
      put(t.coefficient);
      put(static_cast<int64_t>(t.atoms.size()));
      for (auto* a : t.atoms) put(a->number);
    }
  } else {
    put_dim(n.a);
    put_dim(n.b);
  }
  return k;
}

bool node_non_negative(const DimNode& n);

Dim intern(DimTable* table, DimNode n) {
  uint32_t weight = 1;
  if (n.kind == DimKind::kSum) {
    for (auto& t : n.terms)
      for (auto* a : t.atoms) weight += a->weight;
  } else {
    for (Dim d : {n.a, n.b}) weight += d.is_const() ? 1 : d.node()->weight;
  }
  if (weight > kMaxWeight) return Dim::unknown();
  std::string key = key_of(n);
  auto found = table->interned.find(key);
  if (found != table->interned.end()) return Dim::of(found->second);
  n.table = table;
  n.weight = weight;
  n.number = static_cast<uint32_t>(table->nodes.size());
  n.non_negative = node_non_negative(n);
  const DimNode* kept = &table->nodes.emplace_back(std::move(n));
  table->interned.emplace(std::move(key), kept);
  return Dim::of(kept);
}

Dim from_sum(DimTable* table, Sum s) {
  normalise(s);
  if (!s.valid) return Dim::unknown();
  if (s.terms.empty()) return Dim(s.constant);
  if (s.constant == 0 && s.terms.size() == 1 && s.terms[0].coefficient == 1 && s.terms[0].atoms.size() == 1)
    return Dim::of(s.terms[0].atoms[0]);
  DimNode n{DimKind::kSum};
  n.terms = std::move(s.terms);
  n.constant = s.constant;
  return intern(table, std::move(n));
}

DimTable* table_of(Dim a, Dim b) { return a.is_const() ? b.node()->table : a.node()->table; }

bool node_non_negative(const DimNode& n) {
  switch (n.kind) {
    case DimKind::kUnknown: return false;
    case DimKind::kSymbol: return n.non_negative;
    case DimKind::kSum:
      if (n.constant < 0) return false;
      for (auto& t : n.terms) {
        if (t.coefficient < 0) return false;
        for (auto* a : t.atoms)
          if (!a->non_negative) return false;
      }
      return true;
    case DimKind::kMax: return is_non_negative(n.a) || is_non_negative(n.b);
    default: return is_non_negative(n.a) && is_non_negative(n.b);
  }
}

int64_t floor_div_int(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

Dim binary(DimKind kind, Dim a, Dim b) {
  DimNode n{kind};
  n.a = a;
  n.b = b;
  return intern(table_of(a, b), std::move(n));
}

bool commutes(const Dim& a, const Dim& b) {  // order of the operands of max and min
  auto rank = [](const Dim& d) { return d.is_const() ? -1 : static_cast<int64_t>(d.node()->number); };
  return rank(a) <= rank(b);
}

/// Divides a sum by one monomial when every term has it as a factor.
bool divide_exactly(const Sum& s, const Monomial& by, Sum* out) {
  auto divide_term = [&](const Monomial& t) -> bool {
    if (t.coefficient % by.coefficient != 0) return false;
    Monomial r{t.coefficient / by.coefficient, t.atoms};
    for (auto* atom : by.atoms) {
      auto it = std::find(r.atoms.begin(), r.atoms.end(), atom);
      if (it == r.atoms.end()) return false;
      r.atoms.erase(it);
    }
    if (r.atoms.empty()) out->constant += r.coefficient;
    else out->terms.push_back(std::move(r));
    return true;
  };
  for (auto& t : s.terms)
    if (!divide_term(t)) return false;
  if (s.constant != 0) {
    if (!by.atoms.empty() || s.constant % by.coefficient != 0) return false;
    out->constant += s.constant / by.coefficient;
  }
  return true;
}

}  // namespace

Dim Dim::unknown() { return Dim::of(&kUnknownNode); }
bool Dim::is_unknown() const { return node_ == &kUnknownNode; }

Dim operator+(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown()) return Dim::unknown();
  if (a.is_const() && b.is_const()) {
    int64_t r;
    return checked_add(a.value_, b.value_, &r) ? Dim(r) : Dim::unknown();
  }
  if (a.is(0)) return b;
  if (b.is(0)) return a;
  Sum s = to_sum(a), t = to_sum(b);
  if (!checked_add(s.constant, t.constant, &s.constant)) return Dim::unknown();
  s.terms.insert(s.terms.end(), t.terms.begin(), t.terms.end());
  return from_sum(table_of(a, b), std::move(s));
}

Dim operator-(Dim a, Dim b) { return a + b * Dim(-1); }

Dim operator*(Dim a, Dim b) {
  if (a.is(0) || b.is(0)) return Dim(0);
  if (a.is_unknown() || b.is_unknown()) return Dim::unknown();
  if (a.is_const() && b.is_const()) {
    int64_t r;
    return checked_mul(a.value_, b.value_, &r) ? Dim(r) : Dim::unknown();
  }
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  Sum s = to_sum(a), t = to_sum(b), r;
  if (s.terms.size() * t.terms.size() > 4 * kMaxTerms) return Dim::unknown();
  if (s.constant) s.terms.push_back({s.constant, {}});
  if (t.constant) t.terms.push_back({t.constant, {}});
  for (auto& x : s.terms)
    for (auto& y : t.terms) {
      Monomial m;
      if (!checked_mul(x.coefficient, y.coefficient, &m.coefficient)) return Dim::unknown();
      m.atoms = x.atoms;
      m.atoms.insert(m.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::sort(m.atoms.begin(), m.atoms.end(), [](auto* p, auto* q) { return p->number < q->number; });
      if (m.atoms.empty()) r.constant += m.coefficient;
      else r.terms.push_back(std::move(m));
    }
  return from_sum(table_of(a, b), std::move(r));
}

Dim floor_div(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown() || b.is(0)) return Dim::unknown();
  if (b.is(1)) return a;
  if (a.is_const() && b.is_const()) return Dim(floor_div_int(a.value(), b.value()));
  if (a == b) return Dim(1);  // a zero divisor is found when the expression is evaluated elsewhere
  Sum s = to_sum(a), d = to_sum(b), exact;
  Monomial by;
  bool single = d.terms.size() + (d.constant != 0) == 1;
  if (single) {
    by = d.terms.empty() ? Monomial{d.constant, {}} : d.terms[0];
    if (divide_exactly(s, by, &exact)) return from_sum(table_of(a, b), std::move(exact));
  }
  if (b.is_const() && b.value() > 0 && !s.terms.empty()) {
    // floor((k*b*x + r) / b) = k*x + floor(r / b)
    Sum whole, rest;
    int64_t k = b.value();
    for (auto& t : s.terms) (t.coefficient % k == 0 ? whole : rest).terms.push_back(t);
    if (!whole.terms.empty() && !rest.terms.empty()) {
      for (auto& t : whole.terms) t.coefficient /= k;
      rest.constant = s.constant;
      DimTable* table = table_of(a, b);
      return from_sum(table, whole) + floor_div(from_sum(table, rest), b);
    }
    if (!rest.terms.empty() && (s.constant >= k || s.constant < 0)) {
      int64_t q = floor_div_int(s.constant, k);
      if (q != 0) {
        s.constant -= q * k;
        return floor_div(from_sum(table_of(a, b), s), b) + Dim(q);
      }
    }
    if (!whole.terms.empty()) {
      for (auto& t : whole.terms) t.coefficient /= k;
      whole.constant = floor_div_int(s.constant, k);
      return from_sum(table_of(a, b), whole);
    }
    // floor(floor(x / m) / k) = floor(x / (m * k))
    if (s.constant == 0 && s.terms.size() == 1 && s.terms[0].coefficient == 1 && s.terms[0].atoms.size() == 1) {
      const DimNode* inner = s.terms[0].atoms[0];
      int64_t m;
      if (inner->kind == DimKind::kFloorDiv && inner->b.is_const() && inner->b.value() > 0 &&
          checked_mul(inner->b.value(), k, &m))
        return floor_div(inner->a, Dim(m));
    }
  }
  return binary(DimKind::kFloorDiv, a, b);
}

Dim ceil_div(Dim a, Dim b) { return floor_div(a + b - Dim(1), b); }

std::optional<int64_t> constant_difference(Dim a, Dim b) {
  Dim d = a - b;
  if (d.is_const()) return d.value();
  return std::nullopt;
}

Dim dim_max(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown()) return Dim::unknown();
  if (auto d = constant_difference(a, b)) return *d >= 0 ? a : b;
  if (is_non_negative(a - b)) return a;
  if (is_non_negative(b - a)) return b;
  return commutes(a, b) ? binary(DimKind::kMax, a, b) : binary(DimKind::kMax, b, a);
}

Dim dim_min(Dim a, Dim b) {
  if (a.is_unknown() || b.is_unknown()) return Dim::unknown();
  if (auto d = constant_difference(a, b)) return *d >= 0 ? b : a;
  if (is_non_negative(a - b)) return b;
  if (is_non_negative(b - a)) return a;
  return commutes(a, b) ? binary(DimKind::kMin, a, b) : binary(DimKind::kMin, b, a);
}

Dim dim_broadcast(Dim a, Dim b) {
  if (a == b) return a;
  if (a.is(1)) return b;
  if (b.is(1)) return a;
  if (a.is_const() && b.is_const()) return Dim::unknown();
  if (a.is_const() && a.value() > 1) return a;
  if (b.is_const() && b.value() > 1) return b;
  if (a.is_unknown() || b.is_unknown()) return Dim::unknown();
  return commutes(a, b) ? binary(DimKind::kBroadcast, a, b) : binary(DimKind::kBroadcast, b, a);
}

bool is_non_negative(Dim a) {
  if (a.is_const()) return a.value() >= 0;
  return !a.is_unknown() && a.node()->non_negative;
}

Dim dim_product(std::span<const Dim> dims) {
  Dim r(1);
  for (Dim d : dims) r = r * d;
  return r;
}

std::string dims_text(std::span<const Dim> dims) {
  std::string out = "[";
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i) out += ',';
    out += dims[i].to_string();
  }
  return out + "]";
}

std::optional<SmallVector<int64_t, 8>> constant_dims(std::span<const Dim> dims) {
  SmallVector<int64_t, 8> out;
  for (Dim d : dims) {
    if (!d.is_const()) return std::nullopt;
    out.push_back(d.value());
  }
  return out;
}

std::string Dim::to_string() const {
  if (is_const()) return cat(value_);
  switch (node_->kind) {
    case DimKind::kUnknown: return "?";
    case DimKind::kSymbol: return node_->name.empty() ? cat("d", node_->symbol) : node_->name;
    case DimKind::kSum: {
      std::string out;
      for (auto& t : node_->terms) {
        if (!out.empty() && t.coefficient > 0) out += '+';
        if (t.coefficient == -1) out += '-';
        else if (t.coefficient != 1) out += cat(t.coefficient, '*');
        for (size_t i = 0; i < t.atoms.size(); ++i) {
          if (i) out += '*';
          out += Dim::of(t.atoms[i]).to_string();
        }
      }
      if (node_->constant > 0) out += '+';
      if (node_->constant != 0) out += cat(node_->constant);
      return out;
    }
    case DimKind::kFloorDiv: return cat("floor((", node_->a, ")/(", node_->b, "))");
    case DimKind::kMax: return cat("max(", node_->a, ",", node_->b, ")");
    case DimKind::kMin: return cat("min(", node_->a, ",", node_->b, ")");
    case DimKind::kBroadcast: return cat("broadcast(", node_->a, ",", node_->b, ")");
  }
  return "?";
}

DimPool::DimPool() : table_(std::make_unique<DimTable>()) {}
DimPool::~DimPool() = default;

Dim DimPool::fresh(std::string_view name, bool non_negative) {
  DimNode n{DimKind::kSymbol};
  n.table = table_.get();
  n.number = static_cast<uint32_t>(table_->nodes.size());
  n.symbol = static_cast<uint32_t>(table_->symbols.size());
  n.non_negative = non_negative;
  n.name = name;
  const DimNode* kept = &table_->nodes.emplace_back(std::move(n));
  table_->symbols.push_back(kept);
  return Dim::of(kept);
}

Dim DimPool::named(std::string_view name) {
  auto found = table_->by_name.find(std::string(name));
  if (found != table_->by_name.end()) return Dim::of(found->second);
  Dim d = fresh(name);
  table_->by_name.emplace(name, d.node());
  return d;
}

size_t DimPool::symbol_count() const { return table_->symbols.size(); }
std::string_view DimPool::symbol_name(size_t symbol) const { return table_->symbols[symbol]->name; }

std::optional<uint32_t> as_symbol(Dim a) {
  if (a.is_const() || a.node()->kind != DimKind::kSymbol) return std::nullopt;
  return a.node()->symbol;
}

void visit_symbols(Dim a, const std::function<void(uint32_t)>& visit) {
  if (a.is_const() || a.is_unknown()) return;
  const DimNode& n = *a.node();
  if (n.kind == DimKind::kSymbol) visit(n.symbol);
  else if (n.kind == DimKind::kSum) {
    for (auto& t : n.terms)
      for (auto* atom : t.atoms) visit_symbols(Dim::of(atom), visit);
  } else {
    visit_symbols(n.a, visit);
    visit_symbols(n.b, visit);
  }
}

Dim substitute(Dim a, std::span<const Dim> by_symbol) {
  if (a.is_const() || a.is_unknown()) return a;
  const DimNode& n = *a.node();
  switch (n.kind) {
    case DimKind::kSymbol: return n.symbol < by_symbol.size() && by_symbol[n.symbol].known() ? by_symbol[n.symbol] : a;
    case DimKind::kSum: {
      Dim r(n.constant);
      for (auto& t : n.terms) {
        Dim m(t.coefficient);
        for (auto* atom : t.atoms) m = m * substitute(Dim::of(atom), by_symbol);
        r = r + m;
      }
      return r;
    }
    case DimKind::kFloorDiv: return floor_div(substitute(n.a, by_symbol), substitute(n.b, by_symbol));
    case DimKind::kMax: return dim_max(substitute(n.a, by_symbol), substitute(n.b, by_symbol));
    case DimKind::kMin: return dim_min(substitute(n.a, by_symbol), substitute(n.b, by_symbol));
    case DimKind::kBroadcast: return dim_broadcast(substitute(n.a, by_symbol), substitute(n.b, by_symbol));
    case DimKind::kUnknown: break;
  }
  return a;
}

uint32_t DimTape::emit(Op op, uint32_t a, uint32_t b, int64_t value) {
  code_.push_back({op, register_count_, a, b, value});
  return register_count_++;
}

uint32_t DimTape::add(Dim a) {
  if (!a.is_const()) return add_node(a.node());
  auto [it, fresh] = constants_.try_emplace(a.value(), 0);
  if (fresh) it->second = emit(Op::kConst, 0, 0, a.value());
  return it->second;
}

uint32_t DimTape::add_node(const DimNode* n) {
  auto found = done_.find(n);
  if (found != done_.end()) return found->second;
  uint32_t r = 0;
  switch (n->kind) {
    case DimKind::kUnknown: r = emit(Op::kFloorDiv, add(Dim(0)), add(Dim(0)), 0); break;  // fails when run
    case DimKind::kSymbol: r = emit(Op::kSymbol, 0, 0, n->symbol); break;
    case DimKind::kSum: {
      bool first = true;
      for (auto& t : n->terms) {
        uint32_t m = add_node(t.atoms[0]);
        for (size_t i = 1; i < t.atoms.size(); ++i) m = emit(Op::kMul, m, add_node(t.atoms[i]), 0);
        if (t.coefficient != 1) m = emit(Op::kMul, m, add(Dim(t.coefficient)), 0);
        r = first ? m : emit(Op::kAdd, r, m, 0);
        first = false;
      }
      if (n->constant) r = emit(Op::kAdd, r, add(Dim(n->constant)), 0);
      break;
    }
    default: {
      uint32_t x = add(n->a), y = add(n->b);
      Op op = n->kind == DimKind::kFloorDiv ? Op::kFloorDiv
              : n->kind == DimKind::kMax    ? Op::kMax
              : n->kind == DimKind::kMin    ? Op::kMin
                                            : Op::kBroadcast;
      r = emit(op, x, y, 0);
    }
  }
  done_.emplace(n, r);
  return r;
}

bool DimTape::run(std::span<const int64_t> symbols, std::span<int64_t> r) const {
  for (const Instruction& i : code_) {
    switch (i.op) {
      case Op::kConst: r[i.to] = i.value; break;
      case Op::kSymbol: r[i.to] = symbols[static_cast<size_t>(i.value)]; break;
      case Op::kAdd:
        if (!checked_add(r[i.a], r[i.b], &r[i.to])) return false;
        break;
      case Op::kMul:
        if (!checked_mul(r[i.a], r[i.b], &r[i.to])) return false;
        break;
      case Op::kFloorDiv:
        if (r[i.b] == 0) return false;
        r[i.to] = floor_div_int(r[i.a], r[i.b]);
        break;
      case Op::kMax: r[i.to] = std::max(r[i.a], r[i.b]); break;
      case Op::kMin: r[i.to] = std::min(r[i.a], r[i.b]); break;
      case Op::kBroadcast: r[i.to] = r[i.a] == 1 ? r[i.b] : r[i.a]; break;
    }
  }
  return true;
}

std::optional<int64_t> evaluate(Dim a, std::span<const int64_t> symbols) {
  if (a.is_const()) return a.value();
  DimTape tape;
  uint32_t at = tape.add(a);
  std::vector<int64_t> registers(tape.register_count());
  if (!tape.run(symbols, registers)) return std::nullopt;
  return registers[at];
}

}  // namespace tenon::ir
