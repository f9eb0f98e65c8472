// What the classifiers of ai.onnx.ml share: class labels, score transforms, numbers of an input row as floats.
// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "opdef/infer.h"
#include "opdef/kernel.h"

namespace tenon::ops {
using namespace opdef;

inline constexpr TypeSet kMlNumbers{DType::kF32, DType::kF64, DType::kI32, DType::kI64};
inline constexpr TypeSet kMlLabels{DType::kI64, DType::kString};
inline constexpr TypeSet kF32Only{DType::kF32};

enum class PostTransform { kNone, kSoftmax, kLogistic, kSoftmaxZero, kProbit };
/// The attribute post_transform.
Result<PostTransform> post_transform_of(const ir::Node& n);
/// Applies a transform to the scores of one row (two or more, or a single one for kLogistic and kProbit).
void transform_scores(PostTransform t, std::span<float> scores);
float logistic(float x);

/// Class labels: integers or strings, from two attributes.
struct Labels {
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
  bool text() const { return !strings.empty(); }
  size_t size() const { return text() ? strings.size() : ints.size(); }
  /// Writes label k (0 based; without labels the number itself) at position i of a label output.
  void put(KernelContext& c, size_t output, int64_t i, size_t k) const;
};
Labels labels_of(const ir::Node& n, std::string_view ints, std::string_view strings);

/// The shape rule of classifiers: labels [rows] and f32 scores [rows, columns].
Status classifier_shape(InferContext& c, const Labels& labels, int64_t columns);
/// Rows and columns of an input [columns] (one row) or [rows, columns].
Result<std::pair<int64_t, int64_t>> rows_of(const TensorRef& x, std::string_view op);
/// Leading dimension of the same input in a shape rule.
Dim row_count(const InferContext& c, size_t i);

/// A float list attribute, empty when missing.
std::span<const float> float_list(const ir::Node& n, std::string_view name);
std::span<const std::string> text_list(const ir::Node& n, std::string_view name);

}  // namespace tenon::ops
