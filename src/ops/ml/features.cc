// Row by row preparation of features: ArrayFeatureExtractor, Binarizer, FeatureVectorizer, Imputer, Normalizer, Scaler
// and OneHotEncoder. SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <map>

#include "kernels/move/copy.h"
#include "kernels/move/gather.h"
#include "opdef/cases.h"
#include "ops/convert.h"
#include "ops/ml/scores.h"
#include "ops/operands.h"

namespace tenon::ops {
namespace {

// ArrayFeatureExtractor: columns of the last axis by an index list; a vector becomes one row.
Status extractor_shape(InferContext& c) {
  DType t = c.dtype(0);
  if (!c.has_shape(0)) {
    c.set(0, t);
    return {};
  }
  Dim count = Dim::unknown();
  if (c.has_shape(1)) count = ir::dim_product(c.shape(1));
  if (count.is(0)) return invalid("ArrayFeatureExtractor: there are no indices");
  if (c.rank(0) == 0) return invalid("ArrayFeatureExtractor: the input is a scalar");
  DimVector dims = c.shape(0);
  if (dims.size() == 1) dims.insert(0, Dim(1));
  dims.back() = count;
  c.set(0, t, std::move(dims));
  return {};
}
Status run_extractor(KernelContext& c) {
  const TensorRef& x = c.in(0);
  int64_t columns = x.dims[x.rank - 1];
  for (int64_t v : c.in(1).items<int64_t>())
    if (v < 0 || v >= columns)
      return invalid("ArrayFeatureExtractor: index ", v, " is outside of ", columns, " columns");
  return kernels::gather(c.out(0).data, x.data, product(x.shape(), 0, x.shape().size() - 1), columns, 1,
                         indices_of(c.in(1)), byte_width(x.dtype), c.team());
}

/// Calls f with a zero of the element type of a kMlNumbers tensor.
template <class F>
Status by_number(DType t, F&& f) {
  switch (t) {
    case DType::kF32: return f(float{});
    case DType::kF64: return f(double{});
    case DType::kI32: return f(int32_t{});
    default: return f(int64_t{});
  }
}

Status run_binarizer(KernelContext& c) {
  const TensorRef& x = c.in(0);
  double threshold = static_cast<double>(c.node().float_or("threshold", 0));
  return by_number(x.dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    const T* in = x.as<T>();
    T* out = c.out(0).as<T>();
    for (int64_t i = 0; i < x.count; ++i) out[i] = static_cast<T>(static_cast<double>(in[i]) > threshold ? 1 : 0);
    return {};
  });
}

Status vectorizer_shape(InferContext& c) {
  auto sizes = c.ints("inputdimensions");
  if (!sizes.empty() && sizes.size() != c.in.size())
    return invalid("FeatureVectorizer: ", sizes.size(), " inputdimensions for ", c.in.size(), " inputs");
  Dim columns(0);
  for (size_t i = 0; i < c.in.size(); ++i) {
    Dim d = Dim::unknown();
    if (!sizes.empty()) {
      if (sizes[i] < 1) return invalid("FeatureVectorizer: inputdimensions ", list_text(sizes), " must be positive");
      d = Dim(sizes[i]);
    } else if (c.has_shape(i) && c.rank(i) >= 1) {
      d = c.shape(i).back();
    }
    columns = columns + d;
  }
  c.set(0, DType::kF32, {row_count(c, 0), columns});
  return {};
}
/// Columns beyond an input's own are 0; what it has more is left out.
Status run_vectorizer(KernelContext& c) {
  const TensorRef& out = c.out(0);
  int64_t rows = out.dims[0], width = out.dims[1], at = 0;
  std::fill_n(out.as<float>(), out.count, 0.0f);
  auto sizes = c.node().ints("inputdimensions");
  for (size_t i = 0; i < c.inputs(); ++i) {
    TENON_ASSIGN(auto size, rows_of(c.in(i), "FeatureVectorizer"));
    if (size.first != rows)
      return invalid("FeatureVectorizer: input ", i, " has ", size.first, " rows, input 0 has ", rows);
    int64_t slots = sizes.empty() ? size.second : sizes[i];
    TENON_ASSIGN(const float* x, input_as<float>(c, i));
    for (int64_t r = 0; r < rows; ++r)
      std::copy_n(x + r * size.second, std::min(slots, size.second), out.as<float>() + r * width + at);
    at += slots;
  }
  return {};
}

Status run_imputer(KernelContext& c) {
  const TensorRef& x = c.in(0);
  bool floats = x.dtype == DType::kF32 || x.dtype == DType::kF64;
  auto f = float_list(c.node(), "imputed_value_floats");
  auto i64 = c.node().ints("imputed_value_int64s");
  size_t n = floats ? f.size() : i64.size();
  int64_t columns = x.rank ? x.dims[x.rank - 1] : 1;
  if (n == 0 || (n != 1 && static_cast<int64_t>(n) != columns))
    return invalid("Imputer: ", n, floats ? " imputed_value_floats" : " imputed_value_int64s", " for ", columns,
                   " features");
  return by_number(x.dtype, [&](auto zero) -> Status {
    using T = decltype(zero);
    T replaced = floats ? static_cast<T>(c.node().float_or("replaced_value_float", 0))
                        : static_cast<T>(c.node().int_or("replaced_value_int64", 0));
    const T* in = x.as<T>();
    T* out = c.out(0).as<T>();
    for (int64_t i = 0; i < x.count; ++i) {
      size_t k = n == 1 ? 0 : static_cast<size_t>(i % columns);
      bool hit = in[i] == replaced || (in[i] != in[i] && replaced != replaced);
      out[i] = !hit ? in[i] : floats ? static_cast<T>(f[k]) : static_cast<T>(i64[k]);
    }
    return {};
  });
}

Status float_rows_shape(InferContext& c) {
  if (c.has_shape(0)) c.set(0, DType::kF32, c.shape(0));
  else c.set(0, DType::kF32);
  return {};
}
Status normalizer_shape(InferContext& c) {
  auto norm = c.node().string_or("norm", "MAX");
  if (norm != "MAX" && norm != "L1" && norm != "L2")
    return invalid("Normalizer: norm '", norm, "' is none of MAX, L1, L2");
  return float_rows_shape(c);
}
Status run_normalizer(KernelContext& c) {
  TENON_ASSIGN(auto size, rows_of(c.in(0), "Normalizer"));
  auto [rows, columns] = size;
  auto norm = c.node().string_or("norm", "MAX");
  TENON_ASSIGN(const float* x, input_as<float>(c, 0));
  float* y = c.out(0).as<float>();
  for (int64_t r = 0; r < rows && columns; ++r) {
    const float* row = x + r * columns;
    double by = norm == "MAX" ? -INFINITY : 0;
    for (int64_t i = 0; i < columns; ++i) {
      double v = static_cast<double>(row[i]);
      by = norm == "MAX" ? std::max(by, v) : by + (norm == "L1" ? std::fabs(v) : v * v);
    }
    if (norm == "L2") by = std::sqrt(by);
    for (int64_t i = 0; i < columns; ++i)
      y[r * columns + i] = by != 0 ? static_cast<float>(static_cast<double>(row[i]) / by) : row[i];
  }
  return {};
}

Status run_scaler(KernelContext& c) {
  const TensorRef& x = c.in(0);
  auto offset = float_list(c.node(), "offset"), scale = float_list(c.node(), "scale");
  int64_t columns = x.rank ? x.dims[x.rank - 1] : 1;
  for (auto v : {offset, scale})
    if (v.size() > 1 && static_cast<int64_t>(v.size()) != columns)
      return invalid("Scaler: ", v.size(), " offsets or scales for ", columns, " features");
  auto at = [&](std::span<const float> v, int64_t i, double none) {
    return v.empty() ? none : static_cast<double>(v[v.size() == 1 ? 0 : static_cast<size_t>(i % columns)]);
  };
  TENON_ASSIGN(const double* in, input_as<double>(c, 0));
  float* y = c.out(0).as<float>();
  for (int64_t i = 0; i < x.count; ++i) y[i] = static_cast<float>((in[i] - at(offset, i, 0)) * at(scale, i, 1));
  return {};
}

// OneHotEncoder ------------------------------------------------------------------------------------------------------

struct CategoryState final : KernelState {
  std::map<int64_t, int64_t> ints;
  std::map<std::string, int64_t, std::less<>> texts;
};
Result<int64_t> category_count(const ir::Node& n) {
  auto i = n.ints("cats_int64s");
  auto s = text_list(n, "cats_strings");
  if (i.empty() == s.empty()) return invalid("OneHotEncoder: one of cats_int64s and cats_strings is required");
  return static_cast<int64_t>(i.size() + s.size());
}
Status encoder_shape(InferContext& c) {
  TENON_ASSIGN(int64_t n, category_count(c.node()));
  if (!c.has_shape(0)) {
    c.set(0, DType::kF32);
    return {};
  }
  DimVector dims = c.shape(0);
  dims.push_back(Dim(n));
  c.set(0, DType::kF32, std::move(dims));
  return {};
}
Result<StatePtr> pack_encoder(PackContext& c) {
  auto s = std::make_unique<CategoryState>();
  for (int64_t v : c.node().ints("cats_int64s")) s->ints.try_emplace(v, static_cast<int64_t>(s->ints.size()));
  for (auto& v : text_list(c.node(), "cats_strings")) s->texts.try_emplace(v, static_cast<int64_t>(s->texts.size()));
  return StatePtr(std::move(s));
}
Status run_encoder(KernelContext& c) {
  const auto& s = c.state<CategoryState>();
  const TensorRef& x = c.in(0);
  TENON_ASSIGN(int64_t n, category_count(c.node()));
  bool zeros = c.node().int_or("zeros", 1) != 0, text = x.dtype == DType::kString;
  if (text ? s.texts.empty() : s.ints.empty())
    return invalid("OneHotEncoder: the input ", x, " and the categories are of different kinds");
  float* y = c.out(0).as<float>();
  std::fill_n(y, c.out(0).count, 0.0f);
  for (int64_t i = 0; i < x.count; ++i) {
    int64_t k = -1;
    if (text) {
      auto it = s.texts.find(x.as<StringRef>()[i].view());
      if (it != s.texts.end()) k = it->second;
    } else {
      int64_t v = 0;
      convert(x.dtype, x.as<const char>() + i * byte_width(x.dtype), DType::kI64, &v, 1);
      auto it = s.ints.find(v);
      if (it != s.ints.end()) k = it->second;
    }
    if (k >= 0) y[i * n + k] = 1;
    else if (!zeros) return invalid("OneHotEncoder: element ", i, " is no known category, and zeros is 0");
  }
  return {};
}

constexpr TypeSet kTexts = kMlNumbers | kStrings;

}  // namespace

TENON_OP(array_feature_extractor){
    .name = "ArrayFeatureExtractor",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kTexts, "T"), port("Y", kI64Only)},
    .out = {port("Z", kTexts, "T")},
    .shape = extractor_shape,
};
TENON_CPU(array_feature_extractor){{{{.name = "move", .run = run_extractor}}}};
TENON_CASES(array_feature_extractor) {
  cases.types(kTexts);
  auto i = [](std::vector<double> v) {
    int64_t n = static_cast<int64_t>(v.size());
    return typed(DType::kI64, values({n}, std::move(v)));
  };
  cases.add("columns").in(values({2, 3}, {1, 2, 3, 4, 5, 6})).in(i({2, 0})).out(values({2, 2}, {3, 1, 6, 4}));
  cases.add("a vector").in(values({3}, {1, 2, 3})).in(i({1})).out(values({1, 1}, {2}));
  cases.add("beyond")
      .in(typed(DType::kF32, values({1, 2}, {1, 2})))
      .in(i({2}))
      .fails("index 2 is outside of 2 columns");
}

TENON_OP(binarizer){
    .name = "Binarizer",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers, "T")},
    .out = {port("Y", kMlNumbers, "T")},
    .attributes = {{"threshold", 'f'}},
    .shape = same_as_input,
    .trait = {.in_place = 1},
};
TENON_CPU(binarizer){{{{.name = "plain", .run = run_binarizer}}}};
TENON_CASES(binarizer) {
  cases.types(kMlNumbers);
  cases.add("above 1").in(values({4}, {0, 1, 2, -3})).attr_f("threshold", 1).out(values({4}, {0, 0, 1, 0}));
}

TENON_OP(feature_vectorizer){
    .name = "FeatureVectorizer",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {variadic(port("X", kMlNumbers, "T1"))},
    .out = {port("Y", kF32Only)},
    .attributes = {{"inputdimensions", 'I'}},
    .shape = vectorizer_shape,
};
TENON_CPU(feature_vectorizer){{{{.name = "plain", .run = run_vectorizer}}}};
TENON_CASES(feature_vectorizer) {
  cases.types(kMlNumbers);
  cases.add("two")
      .in(values({2, 1}, {1, 2}))
      .in(values({2, 2}, {3, 4, 5, 6}))
      .attr("inputdimensions", std::vector<int64_t>{1, 3})
      .out(typed(DType::kF32, values({2, 4}, {1, 3, 4, 0, 2, 5, 6, 0})));
}

TENON_OP(imputer){
    .name = "Imputer",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers, "T")},
    .out = {port("Y", kMlNumbers, "T")},
    .attributes = {{"imputed_value_floats", 'F'},
                   {"imputed_value_int64s", 'I'},
                   {"replaced_value_float", 'f'},
                   {"replaced_value_int64", 'i'}},
    .shape = same_as_input,
    .trait = {.in_place = 1},
};
TENON_CPU(imputer){{{{.name = "plain", .run = run_imputer}}}};
TENON_CASES(imputer) {
  cases.types(kMlNumbers);
  cases.add("by column")
      .in(values({2, 2}, {1, 0, 0, 0}))
      .attr_floats("imputed_value_floats", {7, 8})
      .attr("imputed_value_int64s", std::vector<int64_t>{7, 8})
      .out(values({2, 2}, {1, 8, 7, 8}));
  cases.add("missing numbers")
      .in(typed(DType::kF32, values({2}, {1, NAN})))
      .attr_floats("imputed_value_floats", {3})
      .attr_f("replaced_value_float", NAN)
      .out(typed(DType::kF32, values({2}, {1, 3})));
  cases.add("no value").in(typed(DType::kF32, values({2}, {1, 2}))).fails("0 imputed_value_floats for 2 features");
}

TENON_OP(normalizer){
    .name = "Normalizer",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kF32Only)},
    .attributes = {{"norm", 's'}},
    .shape = normalizer_shape,
};
TENON_CPU(normalizer){{{{.name = "plain", .run = run_normalizer}}}};
TENON_CASES(normalizer) {
  cases.types(kMlNumbers);
  cases.add("largest").in(values({2, 2}, {1, 4, 0, 0})).out(typed(DType::kF32, values({2, 2}, {0.25, 1, 0, 0})));
  cases.add("sum")
      .in(values({1, 2}, {1, -3}))
      .attr_s("norm", "L1")
      .out(typed(DType::kF32, values({1, 2}, {0.25, -0.75})));
  cases.add("length").in(values({2}, {3, -4})).attr_s("norm", "L2").out(typed(DType::kF32, values({2}, {0.6, -0.8})));
  cases.add("unknown").in(typed(DType::kF32, values({2}, {3, -4}))).attr_s("norm", "L3").fails("norm 'L3'");
}

TENON_OP(scaler){
    .name = "Scaler",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlNumbers)},
    .out = {port("Y", kF32Only)},
    .attributes = {{"offset", 'F'}, {"scale", 'F'}},
    .shape = float_rows_shape,
};
TENON_CPU(scaler){{{{.name = "plain", .run = run_scaler}}}};
TENON_CASES(scaler) {
  cases.types(kMlNumbers);
  cases.add("by column")
      .in(values({2, 2}, {1, 2, 3, 4}))
      .attr_floats("offset", {1, 2})
      .attr_floats("scale", {2, 0.5f})
      .out(typed(DType::kF32, values({2, 2}, {0, 0, 4, 1})));
  cases.add("one for all")
      .in(values({3}, {1, 2, 3}))
      .attr_floats("offset", {1})
      .attr_floats("scale", {2})
      .out(typed(DType::kF32, values({3}, {0, 2, 4})));
  cases.add("wrong length")
      .in(typed(DType::kF32, values({1, 3}, {1, 2, 3})))
      .attr_floats("offset", {1, 2})
      .fails("for 3 features");
}

TENON_OP(one_hot_encoder){
    .name = "OneHotEncoder",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kTexts)},
    .out = {port("Y", kF32Only)},
    .attributes = {{"cats_int64s", 'I'}, {"cats_strings", 'S'}, {"zeros", 'i'}},
    .shape = encoder_shape,
};
TENON_CPU(one_hot_encoder){{{{.name = "plain", .pack = pack_encoder, .run = run_encoder}}}};
TENON_CASES(one_hot_encoder) {
  cases.types(kMlNumbers);
  cases.add("numbers")
      .in(values({3}, {5, 9, 7}))
      .attr("cats_int64s", std::vector<int64_t>{5, 7})
      .out(typed(DType::kF32, values({3, 2}, {1, 0, 0, 0, 0, 1})));
  cases.add("strings")
      .in(texts({1, 2}, {"b", "a"}))
      .attr_texts("cats_strings", {"a", "b"})
      .out(typed(DType::kF32, values({1, 2, 2}, {0, 1, 1, 0})));
  cases.add("unknown")
      .in(typed(DType::kI64, values({1}, {6})))
      .attr("cats_int64s", std::vector<int64_t>{5})
      .attr("zeros", 0)
      .fails("no known category");
}

}  // namespace tenon::ops
