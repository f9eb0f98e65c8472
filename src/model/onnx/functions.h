// FunctionTable: the functions that a model defines itself, and how much they grow when their calls are replaced by
// bodies. SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "base/function_ref.h"
#include "base/status.h"
#include "model/onnx/proto.h"

namespace tenon::model::onnx {

/// Bounds of what a model may unfold to.
inline constexpr int64_t kMaxInlinedNodes = 1'000'000;
inline constexpr int64_t kMaxInlinedBytes = int64_t{512} << 20;
/// Calls and subgraphs inside one another.
inline constexpr int kMaxDepth = 128;

/// Versions of operator sets by domain ("" is ai.onnx).
using Opsets = std::map<std::string, int, std::less<>>;
/// Reads opset imports: of several for one domain the last counts. Fails on versions below 1 and on newer ones of
/// ai.onnx.
Result<Opsets> read_opsets(std::span<const Bytes> imports);

struct Function {
  FunctionProto proto;
  Opsets opsets;
  // Growth, once measured.
  enum class State { kNew, kActive, kMeasured } state = State::kNew;
  int64_t nodes = 0, bytes = 0;
  int height = 0;
};

class FunctionTable {
 public:
  /// `keep(domain, op)`: calls that stay nodes because the operator is known by itself.
  Status load(std::span<const Bytes> functions, FunctionRef<bool(std::string_view, std::string_view)> keep);
  bool empty() const { return by_id_.empty(); }
  /// Null when the model defines no such function.
  Function* find(std::string_view domain, std::string_view op, std::string_view overload);
  /// Refuses recursion and growth beyond the bounds, before anything is built. `nodes` are those of the main graph.
  Status check_growth(std::span<const Bytes> nodes);

 private:
  struct Growth {
    int64_t nodes = 0, bytes = 0;
    int height = 0;
  };
  Status measure_nodes(std::span<const Bytes> nodes, bool in_function, int depth, Growth* out);
  Status measure(Function& function, int depth);
  std::deque<Function> functions_;
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, Function*> by_id_;
};

}  // namespace tenon::model::onnx
