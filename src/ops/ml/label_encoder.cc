// LabelEncoder and CategoryMapper: keys replaced by values.
// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstring>
#include <map>
#include <string>
#include <unordered_map>

#include "kernels/elementwise/cast.h"
#include "opdef/cases.h"
#include "ops/ml/scores.h"

namespace tenon::ops {
namespace {

/// A list of keys or values as it stands in attributes: numbers as int64 or double, or strings.
struct Items {
  DType dtype = DType::kUndefined;
  std::vector<int64_t> ints;
  std::vector<double> reals;
  std::vector<std::string> texts;
  size_t size() const { return ints.size() + reals.size() + texts.size(); }
  bool is_text() const { return dtype == DType::kString; }
  bool is_real() const { return dtype == DType::kF32 || dtype == DType::kF64; }
};

Result<Items> items_of_tensor(const Tensor& t) {
  Items out;
  out.dtype = t.dtype();
  if (out.is_text()) {
    for (auto& s : t.items<StringRef>()) out.texts.emplace_back(s.view());
  } else if (out.is_real()) {
    out.reals.resize(static_cast<size_t>(t.count()));
    convert(t.dtype(), t.data(), DType::kF64, out.reals.data(), t.count());
  } else if (kSignedInts.has(t.dtype())) {
    out.ints.resize(static_cast<size_t>(t.count()));
    convert(t.dtype(), t.data(), DType::kI64, out.ints.data(), t.count());
  } else {
    return error(Code::kNotImplemented, "LabelEncoder: keys or values of type ", name(t.dtype()));
  }
  return out;
}

/// keys_* or values_*.
Result<Items> items_of(const ir::Node& n, const std::string& what) {
  if (auto* t = n.get<Tensor>(what + "_tensor")) return items_of_tensor(*t);
  Items out;
  if (auto v = n.ints(what + "_int64s"); !v.empty()) {
    out.dtype = DType::kI64;
    out.ints.assign(v.begin(), v.end());
  } else if (auto f = float_list(n, what + "_floats"); !f.empty()) {
    out.dtype = DType::kF32;
    out.reals.assign(f.begin(), f.end());
  } else if (auto s = text_list(n, what + "_strings"); !s.empty()) {
    out.dtype = DType::kString;
    out.texts.assign(s.begin(), s.end());
  }
  return out;
}

struct LabelState final : KernelState {
  std::map<int64_t, size_t> ints;
  std::unordered_map<std::string, size_t> texts;
  std::map<double, size_t> reals;
  ptrdiff_t nan = -1;  ///< the value of the key NaN
  Items values, fallback;
};

/// Keys of one type and values of another; the fallback has one element.
Result<std::unique_ptr<LabelState>> make_state(const Items& keys, Items values, Items fallback, std::string_view op) {
  if (keys.size() != values.size()) return invalid(op, ": ", keys.size(), " keys for ", values.size(), " values");
  auto s = std::make_unique<LabelState>();
  size_t i = 0;
  for (int64_t k : keys.ints) s->ints.try_emplace(k, i++);
  for (auto& k : keys.texts) s->texts.try_emplace(k, i++);
  for (double k : keys.reals) {
    if (std::isnan(k)) s->nan = static_cast<ptrdiff_t>(i++);
    else s->reals.try_emplace(k, i++);
  }
  s->values = std::move(values);
  s->fallback = std::move(fallback);
  return s;
}

/// Version 1: one list of classes, from strings to their numbers or back.
bool first_version(const ir::Node& n) { return n.find("classes_strings") != nullptr; }

Result<DType> value_type(const ir::Node& n, DType in) {
  if (first_version(n)) return in == DType::kString ? DType::kI64 : DType::kString;
  TENON_ASSIGN(Items values, items_of(n, "values"));
  if (values.dtype == DType::kUndefined)
    return invalid("LabelEncoder: one of values_tensor, values_int64s, values_floats, values_strings is required");
  return values.dtype;
}

Status label_shape(InferContext& c) {
  DType in = c.dtype(0);
  if (first_version(c.node()) && in == DType::kUndefined) return {};
  TENON_ASSIGN(DType t, value_type(c.node(), in));
  if (c.has_shape(0)) c.set(0, t, c.shape(0));
  else c.set(0, t);
  return {};
}

Items fallback_of(const ir::Node& n, DType type) {
  Items out;
  out.dtype = type;
  if (out.is_text()) out.texts.emplace_back(n.string_or("default_string", "_Unused"));
  else if (out.is_real()) out.reals.push_back(static_cast<double>(n.float_or("default_float", -0.0f)));
  else out.ints.push_back(n.int_or("default_int64", -1));
  return out;
}

Items numbers_up_to(size_t n) {
  Items out;
  out.dtype = DType::kI64;
  for (size_t i = 0; i < n; ++i) out.ints.push_back(static_cast<int64_t>(i));
  return out;
}
Items text_items(std::span<const std::string> s) {
  Items out;
  out.dtype = DType::kString;
  out.texts.assign(s.begin(), s.end());
  return out;
}

Result<StatePtr> pack_label_encoder(PackContext& c) {
  const ir::Node& n = c.node();
  TENON_ASSIGN(DType type, value_type(n, c.in_type(0)));
  Items fallback = fallback_of(n, type), keys, values;
  if (first_version(n)) {
    auto classes = text_list(n, "classes_strings");
    keys = numbers_up_to(classes.size());
    values = text_items(classes);
    if (c.in_type(0) == DType::kString) std::swap(keys, values);
  } else {
    TENON_ASSIGN(keys, items_of(n, "keys"));
    TENON_ASSIGN(values, items_of(n, "values"));
    if (auto* t = n.get<Tensor>("default_tensor")) {
      TENON_ASSIGN(fallback, items_of_tensor(*t));
      if (fallback.size() != 1 || fallback.is_text() != values.is_text() || fallback.is_real() != values.is_real())
        return invalid("LabelEncoder: default_tensor ", t->to_string(), " must hold one element of the values' kind");
    }
    bool fits = keys.is_text() == (c.in_type(0) == DType::kString) &&
                keys.is_real() == (c.in_type(0) == DType::kF32 || c.in_type(0) == DType::kF64);
    if (!fits)
      return invalid("LabelEncoder: keys of type ", name(keys.dtype), " for an input of type ", name(c.in_type(0)));
  }
  TENON_ASSIGN(auto s, make_state(keys, std::move(values), std::move(fallback), "LabelEncoder"));
  return StatePtr(std::move(s));
}

Status run_lookup(KernelContext& c) {
  const auto& s = c.state<LabelState>();
  const TensorRef &x = c.in(0), &y = c.out(0);
  std::vector<StringRef> shared;
  if (y.dtype == DType::kString) {
    for (auto& t : s.values.texts) shared.push_back({t.data(), t.size()});  // the state outlives the run
  }
  auto put = [&](int64_t i, ptrdiff_t at) {
    const Items& from = at < 0 ? s.fallback : s.values;
    size_t k = at < 0 ? 0 : static_cast<size_t>(at);
    if (y.dtype == DType::kString) {
      y.as<StringRef>()[i] = at < 0 ? StringRef{from.texts[0].data(), from.texts[0].size()} : shared[k];
    } else if (from.is_real()) {
      convert(DType::kF64, &from.reals[k], y.dtype, y.as<char>() + i * byte_width(y.dtype), 1);
    } else {
      convert(DType::kI64, &from.ints[k], y.dtype, y.as<char>() + i * byte_width(y.dtype), 1);
    }
  };
  auto look = [&](auto& map, const auto& key) {
    auto it = map.find(key);
    return it == map.end() ? ptrdiff_t{-1} : static_cast<ptrdiff_t>(it->second);
  };
  for (int64_t i = 0; i < x.count; ++i) {
    if (x.dtype == DType::kString) {
      put(i, look(s.texts, std::string(x.as<StringRef>()[i].view())));
      continue;
    }
    const char* at = x.as<const char>() + i * byte_width(x.dtype);
    if (x.dtype == DType::kF32 || x.dtype == DType::kF64) {
      double v = 0;
      convert(x.dtype, at, DType::kF64, &v, 1);
      put(i, std::isnan(v) ? s.nan : look(s.reals, v));
    } else {
      int64_t v = 0;
      convert(x.dtype, at, DType::kI64, &v, 1);
      put(i, look(s.ints, v));
    }
  }
  return {};
}

Status mapper_shape(InferContext& c) {
  DType in = c.dtype(0);
  if (in == DType::kUndefined) return {};
  DType t = in == DType::kString ? DType::kI64 : DType::kString;
  if (c.has_shape(0)) c.set(0, t, c.shape(0));
  else c.set(0, t);
  return {};
}
Result<StatePtr> pack_mapper(PackContext& c) {
  const ir::Node& n = c.node();
  Items numbers;
  numbers.dtype = DType::kI64;
  auto i = n.ints("cats_int64s");
  numbers.ints.assign(i.begin(), i.end());
  Items keys = text_items(text_list(n, "cats_strings")), values = numbers;
  if (c.in_type(0) != DType::kString) std::swap(keys, values);
  DType type = values.dtype;
  TENON_ASSIGN(auto s, make_state(keys, std::move(values), fallback_of(n, type), "CategoryMapper"));
  return StatePtr(std::move(s));
}

constexpr TypeSet kLabelTypes{DType::kF32, DType::kF64, DType::kI64, DType::kI32, DType::kI16, DType::kString};

}  // namespace

TENON_OP(label_encoder){
    .name = "LabelEncoder",
    .domain = "ai.onnx.ml",
    .since = {1, 2, 4},
    .in = {port("X", kLabelTypes)},
    .out = {port("Y", kLabelTypes)},
    .attributes = {{"classes_strings", 'S'},
                   {"default_float", 'f'},
                   {"default_int64", 'i'},
                   {"default_string", 's'},
                   {"default_tensor", 't'},
                   {"keys_floats", 'F'},
                   {"keys_int64s", 'I'},
                   {"keys_strings", 'S'},
                   {"keys_tensor", 't'},
                   {"values_floats", 'F'},
                   {"values_int64s", 'I'},
                   {"values_strings", 'S'},
                   {"values_tensor", 't'}},
    .shape = label_shape,
};
TENON_CPU(label_encoder){{{{.name = "table", .pack = pack_label_encoder, .run = run_lookup}}}};
TENON_CASES(label_encoder) {
  cases.add("strings to numbers")
      .in(texts({3}, {"b", "x", "a"}))
      .attr_texts("keys_strings", {"a", "b"})
      .attr("values_int64s", std::vector<int64_t>{5, 6})
      .out(typed(DType::kI64, values({3}, {6, -1, 5})));
  cases.add("numbers to strings")
      .in(typed(DType::kI64, values({2}, {2, 9})))
      .attr("keys_int64s", std::vector<int64_t>{1, 2})
      .attr_texts("values_strings", {"x", "y"})
      .out(texts({2}, {"y", "_Unused"}));
  cases.add("floats with a missing number")
      .in(typed(DType::kF32, values({3}, {0.5, NAN, 2})))
      .attr_floats("keys_floats", {0.5f, NAN})
      .attr_floats("values_floats", {1, 2})
      .attr_f("default_float", 7)
      .out(typed(DType::kF32, values({3}, {1, 2, 7})));
  cases.add("version 1")
      .in(texts({2}, {"b", "a"}))
      .attr_texts("classes_strings", {"a", "b"})
      .opset(1)
      .out(typed(DType::kI64, values({2}, {1, 0})));
  cases.add("lengths")
      .in(typed(DType::kI64, values({1}, {1})))
      .attr("keys_int64s", std::vector<int64_t>{1, 2})
      .attr("values_int64s", std::vector<int64_t>{1})
      .fails("2 keys for 1 values");
}

TENON_OP(category_mapper){
    .name = "CategoryMapper",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kMlLabels)},
    .out = {port("Y", kMlLabels)},
    .attributes = {{"cats_int64s", 'I'}, {"cats_strings", 'S'}, {"default_int64", 'i'}, {"default_string", 's'}},
    .shape = mapper_shape,
};
TENON_CPU(category_mapper){{{{.name = "table", .pack = pack_mapper, .run = run_lookup}}}};
TENON_CASES(category_mapper) {
  auto both = [&](std::string say) {
    return cases.add(std::move(say))
        .attr("cats_int64s", std::vector<int64_t>{3, 4})
        .attr_texts("cats_strings", {"c", "d"});
  };
  both("to numbers").in(texts({2}, {"d", "?"})).out(typed(DType::kI64, values({2}, {4, -1})));
  both("to strings").in(typed(DType::kI64, values({2}, {3, 0}))).out(texts({2}, {"c", "_Unused"}));
}

}  // namespace tenon::ops
