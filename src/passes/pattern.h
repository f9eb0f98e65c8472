// The rule language: operators build a pattern that reads as the mathematics, a rule says what it becomes.
// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"
#include "opdef/registry.h"

namespace tenon::passes {

struct PatternNode;

/// A part of a pattern; a value type, so that `x * 0.5 * (erf + 1)` reads like the mathematics. + and * match both
/// orders of their operands.
class Term {
 public:
  Term(double number);  // NOLINT(google-explicit-constructor): a float constant of one element, within 1e-4 relative
  explicit Term(std::shared_ptr<const PatternNode> node) : node_(std::move(node)) {}
  /// Only nodes for which this holds.
  Term where(std::function<bool(const ir::Node&)> condition) const;
  /// The node may have other readers; it is left to them.
  Term shared() const;
  const std::shared_ptr<const PatternNode>& node() const { return node_; }

 private:
  std::shared_ptr<const PatternNode> node_;
};

/// Any value; the same one wherever the name stands.
Term any(std::string name);
/// A value whose contents are known.
Term constant(std::string name);
/// An ai.onnx operator of one output with exactly these operands; missing ones at the end may be left out.
Term op(std::string name, std::vector<Term> operands);
Term operator+(Term a, Term b);
Term operator-(Term a, Term b);
Term operator*(Term a, Term b);
Term operator/(Term a, Term b);
/// Either form, the left one first.
Term operator|(Term a, Term b);

/// What a pattern was found to be.
class Match {
 public:
  Match(ir::Model& model, ir::Node& root) : model_(model), root_(root) {}
  ir::Model& model() const { return model_; }
  /// The node that gives the result.
  ir::Node& root() const { return root_; }
  ir::ValueId operator[](const std::string& name) const { return bound_.at(name); }
  const ir::Type& type(const std::string& name) const { return model_.value(bound_.at(name)).type; }
  const ir::Type& result_type() const { return model_.value(root_.output(0)).type; }
  const Tensor& tensor(const std::string& name) const { return *model_.constant(bound_.at(name)); }
  /// All nodes of the match but the shared ones, the root first.
  const std::vector<ir::Node*>& nodes() const { return nodes_; }
  /// Notes why the rule does not apply and gives nothing back.
  std::nullopt_t refuse(std::string reason) {
    refused_ = std::move(reason);
    return std::nullopt;
  }
  const std::string& refused() const { return refused_; }

 private:
  friend class Matcher;
  ir::Model& model_;
  ir::Node& root_;
  std::map<std::string, ir::ValueId> bound_;
  std::vector<ir::Node*> nodes_;
  std::string refused_;
};

/// The node that takes the place of a match; it gives the root's value, of the same type.
struct Replacement {
  std::string op, domain;
  std::vector<ir::ValueId> inputs;
  std::vector<std::pair<std::string, ir::Attribute::Value>> attributes;
};

struct Rule {
  std::string name;
  Term from;
  /// Checks what the pattern cannot say and tells the replacement; nothing: the rule does not apply here.
  std::function<std::optional<Replacement>(Match&)> become;
};

/// A rule that fired or declined, for explain.
struct RuleEvent {
  std::string rule, node, reason;  ///< reason: empty when it fired
};

/// Applies rules in the graph and its subgraphs until none fires. An inner value of a match is read by nothing outside
/// of it and is no output of a graph. Rules named in `disabled` (separated by ';') stay out. `log` may be null.
Status apply_rules(ir::Graph& graph, const std::vector<Rule>& rules, const opdef::Registry& registry,
                   std::string_view disabled = {}, std::vector<RuleEvent>* log = nullptr);

/// The number in a float constant of one element; nothing for others.
std::optional<double> scalar_constant(const Tensor& tensor);
std::optional<double> scalar_constant(const ir::Model& model, ir::ValueId value);
}  // namespace tenon::passes
