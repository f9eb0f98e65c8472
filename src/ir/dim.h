// Dim: a dimension or small integer as an expression over symbols: sums, products, floor divisions, minima, maxima and
// broadcasts, kept in a normal form so that equal pointers mean proved equality.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/small_vector.h"

namespace tenon::ir {

struct DimNode;
class DimPool;

/// A constant, an expression, or unknown. Two words, plain data. Arithmetic on constants is immediate and checked:
/// overflow gives unknown. An expression lives in the DimPool of its symbols, which must outlive it.
class Dim {
 public:
  Dim() = default;                       ///< the constant 0
  Dim(int64_t value) : value_(value) {}  // NOLINT(google-explicit-constructor)
  static Dim of(const DimNode* node) {
    Dim d;
    d.node_ = node;
    return d;
  }
  static Dim unknown();

  bool is_const() const { return node_ == nullptr; }
  bool is_unknown() const;
  /// True for anything that is not unknown.
  bool known() const { return !is_unknown(); }
  int64_t value() const { return value_; }  ///< only for constants
  bool is(int64_t v) const { return node_ == nullptr && value_ == v; }
  const DimNode* node() const { return node_; }
  /// "7", "batch", "2*seq+1", "?"
  std::string to_string() const;

  /// Proved equality: the same constant or the same normal form. Unknown equals nothing.
  friend bool operator==(Dim a, Dim b) { return a.node_ == b.node_ && a.value_ == b.value_ && !a.is_unknown(); }
  friend Dim operator+(Dim a, Dim b);
  friend Dim operator-(Dim a, Dim b);
  friend Dim operator*(Dim a, Dim b);

 private:
  const DimNode* node_ = nullptr;
  int64_t value_ = 0;
};

/// floor(a / b); unknown when b is the constant 0.
Dim floor_div(Dim a, Dim b);
/// ceil(a / b) for b > 0.
Dim ceil_div(Dim a, Dim b);
Dim dim_max(Dim a, Dim b);
Dim dim_min(Dim a, Dim b);
/// The numpy broadcast of two dimensions that are equal or one of which is 1: a == 1 ? b : a.
Dim dim_broadcast(Dim a, Dim b);
/// True when the expression can be shown to be >= 0 (dimension symbols are).
bool is_non_negative(Dim a);
/// a - b when that is a constant, whatever the symbols are.
std::optional<int64_t> constant_difference(Dim a, Dim b);

using DimVector = SmallVector<Dim, 6>;
/// Product of all dimensions.
Dim dim_product(std::span<const Dim> dims);
/// "[batch,3,2*h]"
std::string dims_text(std::span<const Dim> dims);
/// The dimensions as integers, or nothing when one is not constant.
std::optional<SmallVector<int64_t, 8>> constant_dims(std::span<const Dim> dims);

/// Owns symbols and expressions. Symbols are numbered from 0 in the order of creation. Not thread-safe: built while a
/// model is loaded, only read afterwards.
class DimPool {
 public:
  DimPool();
  ~DimPool();
  DimPool(const DimPool&) = delete;
  DimPool& operator=(const DimPool&) = delete;
  /// A new symbol. Names are for messages; several symbols may have none.
  Dim fresh(std::string_view name = {}, bool non_negative = true);
  /// The symbol of this name, made on first use: dimension parameters of a model.
  Dim named(std::string_view name);
  size_t symbol_count() const;
  std::string_view symbol_name(size_t symbol) const;

 private:
  std::unique_ptr<struct DimTable> table_;
};

/// The number of the symbol when the expression is just one symbol.
std::optional<uint32_t> as_symbol(Dim a);
/// Calls visit(symbol number) for every symbol of the expression.
void visit_symbols(Dim a, const std::function<void(uint32_t)>& visit);
/// Replaces symbols by other expressions (an entry that is unknown leaves the symbol).
Dim substitute(Dim a, std::span<const Dim> by_symbol);

/// Many expressions compiled to one straight list of integer instructions, shared parts computed once.
class DimTape {
 public:
  /// Adds an expression and returns the register that will hold it.
  uint32_t add(Dim a);
  uint32_t register_count() const { return static_cast<uint32_t>(register_count_); }
  /// Evaluates all; `symbols` by symbol number, `registers` has register_count() places. False when an intermediate
  /// result overflows or a division by zero occurs.
  bool run(std::span<const int64_t> symbols, std::span<int64_t> registers) const;

 private:
  enum class Op : uint8_t { kConst, kSymbol, kAdd, kMul, kFloorDiv, kMax, kMin, kBroadcast };
  struct Instruction {
    Op op;
    uint32_t to, a, b;
    int64_t value;
  };
  uint32_t emit(Op op, uint32_t a, uint32_t b, int64_t value);
  uint32_t add_node(const DimNode* n);
  std::vector<Instruction> code_;
  std::unordered_map<const DimNode*, uint32_t> done_;
  std::unordered_map<int64_t, uint32_t> constants_;
  uint32_t register_count_ = 0;
};

/// The value of one expression; nothing when a symbol is missing (negative entries mean missing is not used: pass all).
std::optional<int64_t> evaluate(Dim a, std::span<const int64_t> symbols);

}  // namespace tenon::ir
