// Walks down trees: eight rows of a tree at a time, or eight trees for a row.
// SPDX-License-Identifier: MIT
#include "ops/ml/tree_walk.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon::ops {
namespace {

constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

/// The largest T that is not above v; NaN stays NaN.
template <class T>
T round_down(double v) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return v;
  } else {
    constexpr double kLargest = static_cast<double>(std::numeric_limits<float>::max());
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    if (std::isnan(v)) return std::numeric_limits<float>::quiet_NaN();
    if (v == std::numeric_limits<double>::infinity()) return kInfinity;
    if (v >= kLargest) return std::numeric_limits<float>::max();
    if (v < -kLargest) return -kInfinity;
    float near = static_cast<float>(v);
    return static_cast<double>(near) > v ? std::nextafter(near, -kInfinity) : near;
  }
}

/// `x < v` as `x <= split`.
double below(double v) {
  constexpr double kLowest = -std::numeric_limits<double>::infinity();
  return v == kLowest ? kNever : std::nextafter(v, kLowest);
}

template <class T>
bool has_missing(const T* x, int64_t n) {
  bool a = false, b = false, c = false, d = false;
  int64_t i = 0;
  for (; i + 4 <= n; i += 4) {
    a |= x[i] != x[i];
    b |= x[i + 1] != x[i + 1];
    c |= x[i + 2] != x[i + 2];
    d |= x[i + 3] != x[i + 3];
  }
  for (; i < n; ++i) a |= x[i] != x[i];
  return a || b || c || d;
}

/// Whether every inner node has one parent, or is one root.
bool is_forest(const Forest& f) {
  std::vector<bool> met(f.nodes.size());
  auto meet = [&](int32_t at) {
    if (at < 0) return true;
    bool first = !met[static_cast<size_t>(at)];
    met[static_cast<size_t>(at)] = true;
    return first;
  };
  for (int32_t root : f.roots)
    if (!meet(root)) return false;
  for (auto& node : f.nodes)
    if (!meet(node.yes) || !meet(node.no)) return false;
  return true;
}

}  // namespace

template <class T>
void TreeWalk<T>::build(const Forest& f, TreeAggregate how) {
  how_ = how;
  size_t most = 2 * f.nodes.size() + f.roots.size();
  if (most * sizeof(Node) > std::numeric_limits<uint32_t>::max() || !is_forest(f)) return;
  usable_ = true;
  const bool adds = how == TreeAggregate::kSum || how == TreeAggregate::kAverage;
  for (auto& leaf : f.leaves) single_ &= leaf.end == leaf.begin + 1 || (adds && leaf.end == leaf.begin);
  auto offset = [](size_t i) { return static_cast<uint32_t>(i * sizeof(Node)); };
  auto extend = [&](size_t n) {
    size_t at = nodes_.size();
    nodes_.resize(at + n), kinds_.resize(at + n), origin_.resize(at + n);
    if (single_) value_.resize(at + n), target_.resize(at + n);
    return at;
  };
  struct Open {
    int32_t from;
    size_t to;
    int32_t depth;
  };
  std::vector<Open> open;
  nodes_.reserve(most), kinds_.reserve(most), origin_.reserve(most);
  if (single_) value_.reserve(most), target_.reserve(most);
  for (int32_t root : f.roots) {
    size_t start = extend(1);
    Tree tree{offset(start), INT32_MAX, 0};
    open.push_back({root, start, 0});
    while (!open.empty()) {
      auto [from, to, depth] = open.back();
      open.pop_back();
      if (from < 0) {
        tree.least = std::min(tree.least, depth);
        tree.most = std::max(tree.most, depth);
        nodes_[to] = {std::numeric_limits<T>::infinity(), 0, offset(to)};
        kinds_[to] = kOrder | kMissingFirst;
        origin_[to] = ~from;
        auto& leaf = f.leaves[static_cast<size_t>(~from)];
        if (single_ && leaf.end > leaf.begin) {
          target_[to] = f.weights[static_cast<size_t>(leaf.begin)].target;
          value_[to] = f.weights[static_cast<size_t>(leaf.begin)].value;
        }
        continue;
      }
      const Forest::Node& node = f.nodes[static_cast<size_t>(from)];
      double split = node.split;
      bool swapped = false;  // the first child is `no`
      Kind kind = kOrder;
      switch (node.mode) {
        case TreeMode::kLessEqual: break;
        case TreeMode::kLess: split = below(split); break;
        case TreeMode::kGreater: swapped = !std::isnan(split); break;
        case TreeMode::kGreaterEqual:
          swapped = !std::isnan(split);
          split = below(split);
          break;
        case TreeMode::kEqual: kind = kEqual; break;
        case TreeMode::kNotEqual: kind = kEqual, swapped = true; break;
        case TreeMode::kMember: kind = kMember; break;
      }
      // Without a rule for missing values they fail every comparison but `not equal`.
      bool missing_yes = node.missing_goes_yes || node.mode == TreeMode::kNotEqual;
      kinds_[to] = static_cast<uint8_t>(kind | (missing_yes != swapped ? kMissingFirst : 0));
      ordered_ &= kind == kOrder;
      T value = round_down<T>(split);
      if (kind == kEqual && static_cast<double>(value) != split) value = std::numeric_limits<T>::quiet_NaN();
      size_t child = extend(2);
      nodes_[to] = {value, static_cast<uint32_t>(node.feature), offset(child)};
      origin_[to] = from;
      open.push_back({swapped ? node.yes : node.no, child + 1, depth + 1});
      open.push_back({swapped ? node.no : node.yes, child, depth + 1});
    }
    trees_.push_back(tree);
  }
}

template <class T>
template <bool kPlain>
inline uint32_t TreeWalk<T>::next(const Forest& f, uint32_t at, const T* row) const {
  const Node& n = node(at);
  T v = row[n.feature];
  if constexpr (kPlain) {
    return n.child + static_cast<uint32_t>(!(v <= n.split)) * static_cast<uint32_t>(sizeof(Node));
  } else {
    uint8_t kind = kinds_[at / sizeof(Node)];
    bool first = v <= n.split;
    if ((kind & kTest) == kEqual) first = v == n.split;
    if ((kind & kTest) == kMember) {
      auto& from = f.nodes[static_cast<size_t>(origin_[at / sizeof(Node)])];
      auto end = f.members.begin() + from.members_end;
      first = std::find(f.members.begin() + from.members, end, static_cast<double>(v)) != end;
    }
    if (v != v) first = (kind & kMissingFirst) != 0;
    return n.child + static_cast<uint32_t>(!first) * static_cast<uint32_t>(sizeof(Node));
  }
}

template <class T>
template <bool kPlain>
inline void TreeWalk<T>::descend(const Forest& f, Lanes& lanes, int32_t least, int32_t most) const {
  int32_t step = 0;
  uint32_t at[kLanes];
  for (int l = 0; l < kLanes; ++l) at[l] = lanes.at[l];
  for (; step < least; ++step) {
#pragma GCC unroll 8
    for (int l = 0; l < kLanes; ++l) at[l] = next<kPlain>(f, at[l], lanes.row[l]);
  }
  for (; step < most; ++step) {
    uint32_t moved = 0;
#pragma GCC unroll 8
    for (int l = 0; l < kLanes; ++l) {
      uint32_t to = next<kPlain>(f, at[l], lanes.row[l]);
      moved |= to ^ at[l];
      at[l] = to;
    }
    if (!moved) break;
  }
  for (int l = 0; l < kLanes; ++l) lanes.at[l] = at[l];
}

template <class T>
inline void TreeWalk<T>::add_weight(int32_t target, double value, double* scores) const {
  double& to = scores[target];
  if (how_ == TreeAggregate::kMin) to = std::min(to, value);
  else if (how_ == TreeAggregate::kMax) to = std::max(to, value);
  else to += value;
}

template <class T>
inline void TreeWalk<T>::add_leaf(const Forest& f, size_t node, double* scores) const {
  if (single_) return add_weight(target_[node], value_[node], scores);
  const Forest::Leaf& leaf = f.leaves[static_cast<size_t>(origin_[node])];
  for (int32_t w = leaf.begin; w < leaf.end; ++w)
    add_weight(f.weights[static_cast<size_t>(w)].target, f.weights[static_cast<size_t>(w)].value, scores);
}

template <class T>
template <bool kPlain>
void TreeWalk<T>::evaluate_block(const Forest& f, const T* x, int64_t rows, int64_t columns, double* scores) const {
  const int64_t whole = rows / kLanes * kLanes;
  Lanes lanes;
  if (whole) {
    for (const Tree& tree : trees_) {
      for (int64_t r = 0; r < whole; r += kLanes) {
        for (int l = 0; l < kLanes; ++l) lanes.at[l] = tree.root, lanes.row[l] = x + (r + l) * columns;
        descend<kPlain>(f, lanes, tree.least, tree.most);
        for (int l = 0; l < kLanes; ++l) add_leaf(f, lanes.at[l] / sizeof(Node), scores + (r + l) * f.targets);
      }
    }
  }
  for (int64_t r = whole; r < rows; ++r) {
    for (size_t t = 0; t < trees_.size(); t += kLanes) {
      const int count = static_cast<int>(std::min<size_t>(kLanes, trees_.size() - t));
      int32_t least = INT32_MAX, most = 0;
      for (int l = 0; l < kLanes; ++l) {
        const Tree& tree = trees_[t + static_cast<size_t>(std::min(l, count - 1))];
        lanes.at[l] = tree.root, lanes.row[l] = x + r * columns;
        least = std::min(least, tree.least), most = std::max(most, tree.most);
      }
      descend<kPlain>(f, lanes, least, most);
      for (int l = 0; l < count; ++l) add_leaf(f, lanes.at[l] / sizeof(Node), scores + r * f.targets);
    }
  }
}

template <class T>
void TreeWalk<T>::evaluate(const Forest& f, const T* x, int64_t rows, int64_t columns, double* scores,
                           const Team& team) const {
  const int64_t targets = f.targets;
  const double start = how_ == TreeAggregate::kMin   ? static_cast<double>(INFINITY)
                       : how_ == TreeAggregate::kMax ? -static_cast<double>(INFINITY)
                                                     : 0.0;
  // Rows of a block stay in the second level cache while all trees pass over them.
  const int64_t row_bytes = std::max<int64_t>(columns, 1) * static_cast<int64_t>(sizeof(T));
  const int64_t block = std::clamp<int64_t>((int64_t{256} << 10) / row_bytes / kLanes, 1, 64) * kLanes;
  team.parallel_for_cost(rows, 15.0 * static_cast<double>(f.roots.size() + 1), [&](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; r += block) {
      const int64_t n = std::min(block, end - r);
      const T* from = x + r * columns;
      double* to = scores + r * targets;
      std::fill_n(to, n * targets, start);
      if (!usable_) {
        for (int64_t i = 0; i < n; ++i)
          for (int32_t root : f.roots) {
            const Forest::Leaf& leaf = f.descend(root, from + i * columns);
            for (int32_t w = leaf.begin; w < leaf.end; ++w) {
              const Forest::Weight& weight = f.weights[static_cast<size_t>(w)];
              add_weight(weight.target, weight.value, to + i * targets);
            }
          }
      } else if (ordered_ && !has_missing(from, n * columns)) {
        evaluate_block<true>(f, from, n, columns, to);
      } else {
        evaluate_block<false>(f, from, n, columns, to);
      }
      if (how_ == TreeAggregate::kSum) continue;
      for (int64_t i = 0; i < n * targets; ++i) {
        if (how_ != TreeAggregate::kAverage) to[i] = std::isinf(to[i]) ? 0 : to[i];  // no tree spoke of it
        else if (!f.roots.empty()) to[i] /= static_cast<double>(f.roots.size());
      }
    }
  });
}

template class TreeWalk<float>;
template class TreeWalk<double>;

}  // namespace tenon::ops
