// Tests of tree walks against going down node by node.
// SPDX-License-Identifier: MIT
#include "ops/ml/tree_walk.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "threads/pool.h"

namespace tenon::ops {
namespace {

struct Random {
  uint32_t seed = 1;
  uint32_t below(uint32_t n) {
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % n;
  }
};

/// How the trees of a test look.
struct Shape {
  int trees = 1;
  int inner = 10;  ///< inner nodes of a tree
  bool chain = false;
  bool one_mode = false;  ///< only kLessEqual, without rules for missing values
  bool shared = false;    ///< some nodes have two parents
  int weights = 1;        ///< weights of a leaf; 0: every other leaf has none
  int targets = 1;
  int features = 5;
};

/// A value of rows and splits: few, so that rows meet the splits exactly.
double number(Random& random) {
  switch (random.below(14)) {
    case 0: return std::numeric_limits<double>::infinity();
    case 1: return -std::numeric_limits<double>::infinity();
    case 2: return 0.1;  // no float
    case 3: return -0.0;
    case 4: return 1e300;
    case 5: return -1e300;
    default: return static_cast<double>(random.below(8)) - 3;
  }
}

Forest forest_of(const Shape& shape, Random& random) {
  Forest f;
  f.targets = shape.targets;
  f.features = shape.features;
  auto leaf = [&] {
    Forest::Leaf l{static_cast<int32_t>(f.weights.size()), 0};
    int n = shape.weights ? shape.weights : static_cast<int>(f.leaves.size() % 2);
    for (int w = 0; w < n; ++w)
      f.weights.push_back({static_cast<int32_t>(random.below(static_cast<uint32_t>(shape.targets))),
                           static_cast<double>(random.below(2000)) / 7 - 140});
    l.end = static_cast<int32_t>(f.weights.size());
    f.leaves.push_back(l);
    return ~static_cast<int32_t>(f.leaves.size() - 1);
  };
  for (int t = 0; t < shape.trees; ++t) {
    const int32_t first = static_cast<int32_t>(f.nodes.size());
    if (shape.inner == 0) f.roots.push_back(leaf());
    else f.roots.push_back(first);
    for (int i = 0; i < shape.inner; ++i) {
      Forest::Node node;
      node.feature = static_cast<int32_t>(random.below(static_cast<uint32_t>(shape.features)));
      node.split = random.below(12) ? number(random) : std::nan("");
      if (!shape.one_mode) {
        node.mode = static_cast<TreeMode>(random.below(7));
        node.missing_goes_yes = random.below(2) != 0;
      }
      node.members = static_cast<int32_t>(f.members.size());
      if (node.mode == TreeMode::kMember)
        for (uint32_t m = random.below(4); m-- > 0;) f.members.push_back(number(random));
      node.members_end = static_cast<int32_t>(f.members.size());
      node.yes = leaf();
      node.no = leaf();
      f.nodes.push_back(node);
      if (i == 0) continue;
      // Below a node that stands before it, in the place of a leaf.
      for (int32_t at = shape.chain ? first + i - 1
                                    : first + static_cast<int32_t>(random.below(static_cast<uint32_t>(i)));
           ; at = at == first ? first + i - 1 : at - 1) {
        Forest::Node& parent = f.nodes[static_cast<size_t>(at)];
        int32_t& side = (i % 2 && parent.yes < 0) || parent.no >= 0 ? parent.yes : parent.no;
        if (side >= 0) continue;
        side = first + i;
        break;
      }
    }
    if (shape.shared && shape.inner > 2)
      f.nodes[static_cast<size_t>(first)].yes = f.nodes[static_cast<size_t>(first)].no;
  }
  return f;
}

template <class T>
std::vector<double> plain(const Forest& f, const std::vector<T>& x, int64_t rows, TreeAggregate how) {
  std::vector<double> out;
  for (int64_t r = 0; r < rows; ++r) {
    std::vector<double> s(static_cast<size_t>(f.targets), how == TreeAggregate::kMin   ? HUGE_VAL
                                                          : how == TreeAggregate::kMax ? -HUGE_VAL
                                                                                       : 0);
    for (int32_t root : f.roots) {
      auto& leaf = f.descend(root, x.data() + r * f.features);
      for (int32_t w = leaf.begin; w < leaf.end; ++w) {
        auto& weight = f.weights[static_cast<size_t>(w)];
        double& to = s[static_cast<size_t>(weight.target)];
        if (how == TreeAggregate::kMin) to = std::min(to, weight.value);
        else if (how == TreeAggregate::kMax) to = std::max(to, weight.value);
        else to += weight.value;
      }
    }
    for (double v : s) {
      if (how == TreeAggregate::kAverage && !f.roots.empty()) v /= static_cast<double>(f.roots.size());
      if (how >= TreeAggregate::kMin && std::isinf(v)) v = 0;
      out.push_back(v);
    }
  }
  return out;
}

template <class T>
void compare(const Shape& shape, int64_t rows, bool missing, TreeAggregate how, uint32_t seed) {
  Random random{seed};
  Forest f = forest_of(shape, random);
  ASSERT_TRUE(f.check("test").ok());
  std::vector<T> x(static_cast<size_t>(rows * f.features));
  for (T& v : x) v = static_cast<T>(missing && random.below(5) == 0 ? std::nan("") : number(random));
  TreeWalk<T> walk;
  walk.build(f, how);
  const std::vector<double> want = plain(f, x, rows, how);
  for (int threads : {1, 3}) {
    Pool pool(threads);
    std::vector<double> got(want.size(), 99);
    walk.evaluate(f, x.data(), rows, f.features, got.data(), Team(&pool, threads));
    ASSERT_EQ(0, std::memcmp(got.data(), want.data(), got.size() * sizeof(double)))
        << rows << " rows, " << shape.trees << " trees of " << shape.inner << " nodes, aggregate "
        << static_cast<int>(how) << ", seed " << seed << ", threads " << threads;
  }
}

void compare_all(const Shape& shape, uint32_t seed) {
  for (int64_t rows : {1, 7, 8, 9, 17, 1000})
    for (bool missing : {false, true})
      for (auto how : {TreeAggregate::kSum, TreeAggregate::kAverage, TreeAggregate::kMin, TreeAggregate::kMax}) {
        ASSERT_NO_FATAL_FAILURE(compare<float>(shape, rows, missing, how, seed));
        ASSERT_NO_FATAL_FAILURE(compare<double>(shape, rows, missing, how, seed));
      }
}

TEST(TreeWalk, AllModesWithMissingValues) {
  for (int trees : {1, 3, 8, 20})
    for (uint32_t seed = 1; seed < 4; ++seed) ASSERT_NO_FATAL_FAILURE(compare_all({.trees = trees}, seed));
}
TEST(TreeWalk, OrderedTrees) {
  for (int trees : {1, 9})
    for (uint32_t seed = 1; seed < 4; ++seed)
      ASSERT_NO_FATAL_FAILURE(compare_all({.trees = trees, .inner = 31, .one_mode = true}, seed));
}
TEST(TreeWalk, DeepChains) {
  compare_all({.trees = 2, .inner = 300, .chain = true}, 5);
  compare_all({.trees = 9, .inner = 100, .chain = true, .one_mode = true}, 6);
}
TEST(TreeWalk, TreesOfOneLeaf) { compare_all({.trees = 3, .inner = 0}, 7); }
TEST(TreeWalk, NoTrees) { compare_all({.trees = 0}, 8); }
TEST(TreeWalk, SharedNodes) { compare_all({.trees = 4, .shared = true}, 9); }
TEST(TreeWalk, SeveralTargetsAndWeights) {
  compare_all({.trees = 10, .weights = 3, .targets = 4}, 10);
  compare_all({.trees = 10, .weights = 1, .targets = 4}, 11);
  compare_all({.trees = 10, .weights = 0, .targets = 2}, 12);
}

}  // namespace
}  // namespace tenon::ops
