// A forest laid out for speed: small nodes with adjacent children, several walks at a time.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <vector>

#include "ops/ml/tree.h"
#include "threads/team.h"

namespace tenon::ops {

/// The trees of a forest for rows of T (float or double). Every comparison is brought to one form, "x <= split goes to
/// the first child, anything else to the second, which stands behind it", and a leaf is a node that leads to itself:
/// a step down needs no branch, so that the loads of eight walks overlap. Immutable after `build`.
template <class T>
class TreeWalk {
 public:
  /// Lays the trees out. Where nodes have more than one parent, or there are too many for 32-bit offsets, the walk
  /// stays empty and `evaluate` goes down the nodes of the forest. The forest has passed `check`.
  void build(const Forest& f, TreeAggregate how);

  /// scores [rows, targets] of x [rows, columns]; columns is at least f.features. The forest is the one of `build`.
  /// A score does not depend on the other rows or on the number of threads.
  void evaluate(const Forest& f, const T* x, int64_t rows, int64_t columns, double* scores, const Team& team) const;

 private:
  static constexpr int kLanes = 8;
  struct Node {
    T split;
    uint32_t feature;
    uint32_t child;  ///< distance of the first child from the first node in bytes
  };
  struct Tree {
    uint32_t root;        ///< in bytes
    int32_t least, most;  ///< steps to the nearest and to the furthest leaf
  };
  struct Lanes {
    uint32_t at[kLanes];
    const T* row[kLanes];
  };
  enum Kind : uint8_t { kOrder = 0, kEqual = 1, kMember = 2, kTest = 3, kMissingFirst = 4 };

  const Node& node(uint32_t at) const {
    return *reinterpret_cast<const Node*>(reinterpret_cast<const char*>(nodes_.data()) + at);
  }
  template <bool kPlain>
  uint32_t next(const Forest& f, uint32_t at, const T* row) const;
  template <bool kPlain>
  void descend(const Forest& f, Lanes& lanes, int32_t least, int32_t most) const;
  template <bool kPlain>
  void evaluate_block(const Forest& f, const T* x, int64_t rows, int64_t columns, double* scores) const;
  void add_leaf(const Forest& f, size_t node, double* scores) const;
  void add_weight(int32_t target, double value, double* scores) const;

  TreeAggregate how_ = TreeAggregate::kSum;
  bool usable_ = false;
  bool ordered_ = true;  ///< no equality, no sets
  bool single_ = true;   ///< each leaf has one weight: in value_ and target_
  std::vector<Node> nodes_;
  std::vector<Tree> trees_;
  std::vector<uint8_t> kinds_;
  std::vector<int32_t> origin_;  ///< a node of the forest, of a leaf its leaf
  std::vector<double> value_;
  std::vector<int32_t> target_;
};

}  // namespace tenon::ops
