// Decision trees: building, checking, walking.
// SPDX-License-Identifier: MIT
#include "ops/ml/tree.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "kernels/elementwise/cast.h"

namespace tenon::ops {

Status Forest::check(std::string_view op) const {
  const int64_t n = static_cast<int64_t>(nodes.size()), l = static_cast<int64_t>(leaves.size());
  auto inside = [&](int32_t at) { return at >= 0 ? at < n : ~at < l; };
  for (auto& leaf : leaves)
    for (int32_t w = leaf.begin; w < leaf.end; ++w)
      if (int32_t t = weights[static_cast<size_t>(w)].target; t < 0 || t >= targets)
        return invalid(op, ": a leaf adds to target ", t, " of ", targets);
  for (auto& node : nodes) {
    if (!inside(node.yes) || !inside(node.no)) return invalid(op, ": a node's branch leads to no node");
    if (node.feature < 0) return invalid(op, ": a node asks for feature ", node.feature);
  }
  // Depth first with a list of its own; a node that is met while it is open closes a circle.
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(nodes.size(), kNew);
  std::vector<int32_t> open;
  for (int32_t root : roots) {
    if (!inside(root)) return invalid(op, ": a root leads to no node");
    if (root < 0 || state[static_cast<size_t>(root)] == kDone) continue;
    open.push_back(root);
    while (!open.empty()) {
      int32_t at = open.back();
      uint8_t& s = state[static_cast<size_t>(at)];
      if (s != kNew) {
        s = kDone;
        open.pop_back();
        continue;
      }
      s = kOpen;
      for (int32_t next : {nodes[static_cast<size_t>(at)].yes, nodes[static_cast<size_t>(at)].no}) {
        if (next < 0) continue;
        if (state[static_cast<size_t>(next)] == kOpen) return invalid(op, ": the nodes of a tree form a circle");
        if (state[static_cast<size_t>(next)] == kNew) open.push_back(next);
      }
    }
  }
  return {};
}

template <class T>
const Forest::Leaf& Forest::descend(int32_t at, const T* row) const {
  while (at >= 0) {
    const Node& node = nodes[static_cast<size_t>(at)];
    double v = static_cast<double>(row[node.feature]);
    bool yes = false;
    switch (node.mode) {
      case TreeMode::kLessEqual: yes = v <= node.split; break;
      case TreeMode::kLess: yes = v < node.split; break;
      case TreeMode::kGreaterEqual: yes = v >= node.split; break;
      case TreeMode::kGreater: yes = v > node.split; break;
      case TreeMode::kEqual: yes = v == node.split; break;
      case TreeMode::kNotEqual: yes = v != node.split; break;
      case TreeMode::kMember:
        yes = std::find(members.begin() + node.members, members.begin() + node.members_end, v) !=
              members.begin() + node.members_end;
        break;
    }
    if (node.missing_goes_yes && std::isnan(v)) yes = true;
    at = yes ? node.yes : node.no;
  }
  return leaves[static_cast<size_t>(~at)];
}

template const Forest::Leaf& Forest::descend(int32_t, const float*) const;
template const Forest::Leaf& Forest::descend(int32_t, const double*) const;

std::vector<double> real_list(const ir::Node& n, std::string_view name) {
  std::vector<double> out;
  std::string as_tensor = std::string(name) + "_as_tensor";
  const Tensor* t = n.get<Tensor>(as_tensor);
  if (!t) t = n.get<Tensor>(name);
  if (t) {
    if (t->dtype() == DType::kString) return out;
    out.resize(static_cast<size_t>(t->count()));
    convert(t->dtype(), t->data(), DType::kF64, out.data(), t->count());
  } else if (auto* v = n.get<std::vector<float>>(name)) {
    out.assign(v->begin(), v->end());
  }
  return out;
}

Result<Forest> forest_of_ensemble(const ir::Node& n) {
  Forest f;
  auto features = n.ints("nodes_featureids"), yes = n.ints("nodes_truenodeids"), no = n.ints("nodes_falsenodeids");
  auto yes_leaf = n.ints("nodes_trueleafs"), no_leaf = n.ints("nodes_falseleafs"),
       missing = n.ints("nodes_missing_value_tracks_true");
  auto targets = n.ints("leaf_targetids"), roots = n.ints("tree_roots");
  auto splits = real_list(n, "nodes_splits"), modes = real_list(n, "nodes_modes"),
       weights = real_list(n, "leaf_weights"), sets = real_list(n, "membership_values");
  size_t count = features.size();
  if (yes.size() != count || no.size() != count || yes_leaf.size() != count || no_leaf.size() != count ||
      splits.size() != count || modes.size() != count || (!missing.empty() && missing.size() != count) ||
      targets.size() != weights.size())
    return invalid("TreeEnsemble: the lists of nodes or of leaves differ in length");
  f.targets = n.int_or("n_targets", 1);
  if (f.targets < 1 || f.targets > (int64_t{1} << 31)) return invalid("TreeEnsemble: n_targets is ", f.targets);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (targets[i] < 0 || targets[i] >= f.targets)
      return invalid("TreeEnsemble: a leaf adds to target ", targets[i], " of ", f.targets);
    f.weights.push_back({static_cast<int32_t>(targets[i]), weights[i]});
    f.leaves.push_back({static_cast<int32_t>(i), static_cast<int32_t>(i) + 1});
  }
  auto place = [](int64_t id, bool leaf, size_t size) -> Result<int32_t> {
    if (id < 0 || id >= static_cast<int64_t>(size))
      return invalid("TreeEnsemble: a branch leads to ", leaf ? "leaf " : "node ", id, " of ", size);
    return leaf ? ~static_cast<int32_t>(id) : static_cast<int32_t>(id);
  };
  size_t set = 0;
  for (size_t i = 0; i < count; ++i) {
    Forest::Node node;
    if (features[i] < 0 || features[i] > INT32_MAX)
      return invalid("TreeEnsemble: a node asks for feature ", features[i]);
    node.feature = static_cast<int32_t>(features[i]);
    f.features = std::max<int64_t>(f.features, features[i] + 1);
    if (!(modes[i] >= 0 && modes[i] <= 6)) return invalid("TreeEnsemble: node mode ", modes[i], " is outside of 0..6");
    node.mode = static_cast<TreeMode>(static_cast<int>(modes[i]));
    node.split = splits[i];
    node.missing_goes_yes = !missing.empty() && missing[i] != 0;
    TENON_ASSIGN(node.yes, place(yes[i], yes_leaf[i] != 0, yes_leaf[i] ? targets.size() : count));
    TENON_ASSIGN(node.no, place(no[i], no_leaf[i] != 0, no_leaf[i] ? targets.size() : count));
    if (node.mode == TreeMode::kMember) {
      // Sets stand one after the other, each ended by a NaN.
      node.members = static_cast<int32_t>(f.members.size());
      while (set < sets.size() && !std::isnan(sets[set])) f.members.push_back(sets[set++]);
      ++set;
      node.members_end = static_cast<int32_t>(f.members.size());
    }
    f.nodes.push_back(node);
  }
  for (int64_t r : roots) {
    if (r < 0 || r >= static_cast<int64_t>(count)) return invalid("TreeEnsemble: root ", r, " of ", count, " nodes");
    // A tree of a single leaf is a node whose branches are the same leaf.
    f.roots.push_back(static_cast<int32_t>(r));
  }
  TENON_TRY(f.check("TreeEnsemble"));
  return f;
}

Result<Forest> forest_of_lists(const ir::Node& n, std::string_view prefix, int64_t targets) {
  Forest f;
  const std::string& op = n.op;
  f.targets = targets;
  auto trees = n.ints("nodes_treeids"), ids = n.ints("nodes_nodeids"), features = n.ints("nodes_featureids");
  auto yes = n.ints("nodes_truenodeids"), no = n.ints("nodes_falsenodeids"),
       missing = n.ints("nodes_missing_value_tracks_true");
  auto splits = real_list(n, "nodes_values");
  auto* modes = n.get<std::vector<std::string>>("nodes_modes");
  size_t count = ids.size();
  if (trees.size() != count || features.size() != count || yes.size() != count || no.size() != count ||
      splits.size() != count || !modes || modes->size() != count || (!missing.empty() && missing.size() != count))
    return invalid(op, ": the lists of nodes differ in length");
  auto list = [&](const char* name) { return std::string(prefix) + name; };
  auto weight_trees = n.ints(list("_treeids")), weight_nodes = n.ints(list("_nodeids")),
       weight_targets = n.ints(list("_ids"));
  auto weights = real_list(n, list("_weights"));
  if (weight_trees.size() != weights.size() || weight_nodes.size() != weights.size() ||
      weight_targets.size() != weights.size())
    return invalid(op, ": the lists of leaf weights differ in length");
  // Where each (tree, node) ends up: inner nodes and leaves are numbered apart.
  std::map<std::pair<int64_t, int64_t>, int32_t> where;
  std::map<std::pair<int64_t, int64_t>, std::vector<Forest::Weight>> given;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weight_targets[i] < 0 || weight_targets[i] >= targets)
      return invalid(op, ": a leaf adds to target ", weight_targets[i], " of ", targets);
    given[{weight_trees[i], weight_nodes[i]}].push_back({static_cast<int32_t>(weight_targets[i]), weights[i]});
  }
  int32_t inner = 0;
  for (size_t i = 0; i < count; ++i) {
    std::pair<int64_t, int64_t> key{trees[i], ids[i]};
    int32_t at;
    if ((*modes)[i] == "LEAF") {
      at = ~static_cast<int32_t>(f.leaves.size());
      Forest::Leaf leaf{static_cast<int32_t>(f.weights.size()), 0};
      if (auto it = given.find(key); it != given.end())
        f.weights.insert(f.weights.end(), it->second.begin(), it->second.end());
      leaf.end = static_cast<int32_t>(f.weights.size());
      f.leaves.push_back(leaf);
    } else {
      at = inner++;
    }
    if (!where.try_emplace(key, at).second)
      return invalid(op, ": node ", ids[i], " of tree ", trees[i], " stands twice");
  }
  static constexpr std::pair<std::string_view, TreeMode> kModes[] = {
      {"BRANCH_LEQ", TreeMode::kLessEqual}, {"BRANCH_LT", TreeMode::kLess},  {"BRANCH_GTE", TreeMode::kGreaterEqual},
      {"BRANCH_GT", TreeMode::kGreater},    {"BRANCH_EQ", TreeMode::kEqual}, {"BRANCH_NEQ", TreeMode::kNotEqual}};
  std::map<std::pair<int64_t, int64_t>, bool> child;
  for (size_t i = 0; i < count; ++i) {
    if ((*modes)[i] == "LEAF") continue;
    Forest::Node node;
    auto mode = std::ranges::find(kModes, (*modes)[i], [](auto& m) { return m.first; });
    if (mode == std::end(kModes)) return invalid(op, ": unknown node mode '", (*modes)[i], "'");
    node.mode = mode->second;
    if (features[i] < 0 || features[i] > INT32_MAX) return invalid(op, ": a node asks for feature ", features[i]);
    node.feature = static_cast<int32_t>(features[i]);
    f.features = std::max<int64_t>(f.features, features[i] + 1);
    node.split = splits[i];
    node.missing_goes_yes = !missing.empty() && missing[i] != 0;
    for (bool side : {true, false}) {
      std::pair<int64_t, int64_t> key{trees[i], side ? yes[i] : no[i]};
      auto it = where.find(key);
      if (it == where.end())
        return invalid(op, ": a branch leads to node ", key.second, ", which tree ", key.first, " does not have");
      child[key] = true;
      (side ? node.yes : node.no) = it->second;
    }
    f.nodes.push_back(node);
  }
  for (size_t i = 0; i < count; ++i) {
    std::pair<int64_t, int64_t> key{trees[i], ids[i]};
    if (!child.count(key)) f.roots.push_back(where[key]);
  }
  TENON_TRY(f.check(op));
  return f;
}

}  // namespace tenon::ops
