// Decision trees as one flat array, made from any form that the operators of ai.onnx.ml have.
// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "ir/graph.h"

namespace tenon::ops {

enum class TreeMode : uint8_t { kLessEqual, kLess, kGreaterEqual, kGreater, kEqual, kNotEqual, kMember };
enum class TreeAggregate : uint8_t { kAverage, kSum, kMin, kMax };

/// Trees with leaves that add weights to targets. Immutable after it is built; every walk down a tree ends.
struct Forest {
  struct Node {
    int32_t feature = 0;
    TreeMode mode = TreeMode::kLessEqual;
    bool missing_goes_yes = false;
    int32_t yes = 0, no = 0;               ///< a node, or a leaf as ~leaf
    int32_t members = 0, members_end = 0;  ///< kMember: a range of `members`
    double split = 0;
  };
  struct Leaf {
    int32_t begin = 0, end = 0;  ///< a range of `weights`
  };
  struct Weight {
    int32_t target;
    double value;
  };
  std::vector<Node> nodes;
  std::vector<Leaf> leaves;
  std::vector<Weight> weights;
  std::vector<double> members;
  std::vector<int32_t> roots;  ///< a node, or a leaf as ~leaf
  int64_t targets = 1;
  int64_t features = 0;  ///< one more than the largest feature index

  /// Fails when a path down from a root meets a node twice, or an index is out of range.
  Status check(std::string_view op) const;
  /// The leaf that a row reaches.
  template <class T>
  const Leaf& descend(int32_t root, const T* row) const;
};

/// From the attributes of TreeEnsemble-5.
Result<Forest> forest_of_ensemble(const ir::Node& n);
/// From the attributes of TreeEnsembleClassifier and TreeEnsembleRegressor; leaf weights under "class" or "target".
Result<Forest> forest_of_lists(const ir::Node& n, std::string_view prefix, int64_t targets);
/// A list attribute of floats, or the tensor `name_as_tensor` in its place.
std::vector<double> real_list(const ir::Node& n, std::string_view name);

}  // namespace tenon::ops
