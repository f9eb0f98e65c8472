// ZipMap, DictVectorizer and CastMap: between tensors and maps.
// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

#include "kernels/elementwise/cast.h"
#include "opdef/cases.h"
#include "ops/ml/scores.h"

namespace tenon::ops {
namespace {

Labels zip_labels(const ir::Node& n) { return labels_of(n, "classlabels_int64s", "classlabels_strings"); }

Status zip_shape(InferContext& c) {
  Labels l = zip_labels(c.node());
  if (l.size() == 0) return invalid("ZipMap: one of classlabels_int64s and classlabels_strings is required");
  if (c.has_shape(0)) {
    const DimVector& x = c.shape(0);
    if (x.empty() || x.size() > 2)
      return invalid("ZipMap: the input has rank ", x.size(), ", [classes] or [rows, classes] is needed");
    if (x.back().is_const() && x.back().value() != static_cast<int64_t>(l.size()))
      return invalid("ZipMap: the input has ", x.back(), " columns for ", l.size(), " labels");
  }
  c.set(0, Type::sequence(Type::map(l.text() ? DType::kString : DType::kI64, Type::tensor(DType::kF32))));
  return {};
}

struct ZipState final : KernelState {
  ValueRef keys;
};
Result<StatePtr> pack_zip(PackContext& c) {
  auto s = std::make_unique<ZipState>();
  Labels l = zip_labels(c.node());
  if (l.text()) {
    TENON_ASSIGN(Tensor t, Tensor::allocate(DType::kString, Shape{static_cast<int64_t>(l.size())}));
    auto arena = make_ref<StringArena>();
    for (size_t i = 0; i < l.size(); ++i) t.as<StringRef>()[i] = arena->add(l.strings[i]);
    t.set_strings(std::move(arena));
    s->keys = tensor_value(std::move(t));
  } else {
    s->keys = tensor_value(Tensor::of(std::span<const int64_t>(l.ints)));
  }
  return StatePtr(std::move(s));
}
Status run_zip(KernelContext& c) {
  TENON_ASSIGN(auto size, rows_of(c.in(0), "ZipMap"));
  const ValueRef& keys = c.state<ZipState>().keys;
  if (size.second != keys->tensor.count())
    return invalid("ZipMap: the input has ", size.second, " columns for ", keys->tensor.count(), " labels");
  // The values of all maps stand in one block.
  const auto [rows, columns] = size;
  TENON_ASSIGN(auto memory,
               Buffer::allocate(static_cast<size_t>(std::max<int64_t>(rows * columns, 1)) * sizeof(float)));
  std::copy_n(c.in(0).as<float>(), rows * columns, static_cast<float*>(memory->data()));
  auto out = make_ref<Value>(Value::Kind::kSequence);
  out->items.reserve(static_cast<size_t>(rows));
  for (int64_t r = 0; r < rows; ++r) {
    auto map = make_ref<Value>(Value::Kind::kMap);
    map->items.reserve(2);
    map->items.push_back(keys);
    map->items.push_back(
        tensor_value(Tensor(DType::kF32, Shape{columns}, memory, static_cast<size_t>(r * columns) * sizeof(float))));
    out->items.push_back(std::move(map));
  }
  c.set_out_value(0, std::move(out));
  return {};
}

/// The two tensors of the map at input 0.
Result<std::pair<const Tensor*, const Tensor*>> map_at(KernelContext& c) {
  const ValueRef& v = c.in_value(0);
  if (!v || v->kind != Value::Kind::kMap || v->items.size() != 2 || v->items[0]->kind != Value::Kind::kTensor ||
      v->items[1]->kind != Value::Kind::kTensor || v->items[0]->tensor.count() != v->items[1]->tensor.count())
    return invalid(c.node().op, ": the input is no map of single elements");
  return std::pair<const Tensor*, const Tensor*>(&v->items[0]->tensor, &v->items[1]->tensor);
}

void copy_element(const Tensor& from, int64_t i, const TensorRef& to, int64_t k, StringArena& strings) {
  if (from.dtype() == DType::kString) to.as<StringRef>()[k] = strings.add(from.as<StringRef>()[i].view());
  else
    std::copy_n(from.as<const char>() + i * byte_width(from.dtype()), byte_width(from.dtype()),
                to.as<char>() + k * byte_width(to.dtype));
}

Status dict_shape(InferContext& c) {
  Labels l = labels_of(c.node(), "int64_vocabulary", "string_vocabulary");
  DType t =
      c.has(0) && c.type(0).kind == Type::Kind::kMap && c.type(0).inner ? c.type(0).inner->dtype : DType::kUndefined;
  c.set(0, t, {Dim(1), Dim(static_cast<int64_t>(l.size()))});
  return {};
}
/// One row: the value of each word of the vocabulary, 0 where the map does not have it.
Status run_dict(KernelContext& c) {
  Labels l = labels_of(c.node(), "int64_vocabulary", "string_vocabulary");
  TENON_ASSIGN(auto map, map_at(c));
  auto [keys, values] = map;
  if (c.out(0).dtype != values->dtype())
    return invalid("DictVectorizer: the map holds ", name(values->dtype()), " where ", name(c.out(0).dtype),
                   " was expected");
  if (l.text() != (keys->dtype() == DType::kString))
    return invalid("DictVectorizer: the keys and the vocabulary are of different kinds");
  TENON_TRY(c.allocate(0, Dims{1, static_cast<int64_t>(l.size())}));
  const TensorRef& out = c.out(0);
  if (out.dtype == DType::kString) std::fill_n(out.as<StringRef>(), out.count, StringRef());
  else std::fill_n(out.as<char>(), out.bytes(), char{0});
  std::map<std::string, int64_t, std::less<>> words;
  std::map<int64_t, int64_t> numbers;
  for (size_t i = 0; i < l.size(); ++i) {
    if (l.text()) words.try_emplace(l.strings[i], static_cast<int64_t>(i));
    else numbers.try_emplace(l.ints[i], static_cast<int64_t>(i));
  }
  for (int64_t i = 0; i < keys->count(); ++i) {
    int64_t at = -1;
    if (l.text()) {
      if (auto it = words.find(keys->as<StringRef>()[i].view()); it != words.end()) at = it->second;
    } else if (keys->dtype() == DType::kI64) {
      if (auto it = numbers.find(keys->as<int64_t>()[i]); it != numbers.end()) at = it->second;
    }
    if (at >= 0) copy_element(*values, i, out, at, c.strings());
  }
  return {};
}

Result<DType> cast_type(const ir::Node& n) {
  auto to = n.string_or("cast_to", "TO_FLOAT");
  if (to == "TO_FLOAT") return DType::kF32;
  if (to == "TO_INT64") return DType::kI64;
  if (to == "TO_STRING") return DType::kString;
  return invalid("CastMap: cast_to '", to, "' is none of TO_FLOAT, TO_INT64, TO_STRING");
}
Status cast_map_shape(InferContext& c) {
  TENON_ASSIGN(DType t, cast_type(c.node()));
  auto form = c.node().string_or("map_form", "DENSE");
  if (form != "DENSE" && form != "SPARSE") return invalid("CastMap: map_form '", form, "' is neither DENSE nor SPARSE");
  if (form == "SPARSE" && c.attr("max_map", 1) < 1) return invalid("CastMap: max_map is ", c.attr("max_map", 1));
  c.set(0, t, {Dim(1), form == "SPARSE" ? Dim(c.attr("max_map", 1)) : Dim::unknown()});
  return {};
}
/// One row: the values in the order of their keys, or (SPARSE) each at the place that its key names.
Status run_cast_map(KernelContext& c) {
  TENON_ASSIGN(auto map, map_at(c));
  auto [keys, values] = map;
  if (keys->dtype() != DType::kI64) return invalid("CastMap: the keys are ", name(keys->dtype()), ", int64 is needed");
  bool sparse = c.node().string_or("map_form", "DENSE") == "SPARSE";
  std::map<int64_t, int64_t> order;
  for (int64_t i = 0; i < keys->count(); ++i) order.try_emplace(keys->as<int64_t>()[i], i);
  int64_t n = sparse ? c.node().int_or("max_map", 1) : static_cast<int64_t>(order.size());
  TENON_TRY(c.allocate(0, Dims{1, n}));
  const TensorRef& out = c.out(0);
  if (out.dtype == DType::kString)
    std::fill_n(out.as<StringRef>(), out.count, sparse ? c.strings().add("0") : StringRef());
  else std::fill_n(out.as<char>(), out.bytes(), char{0});
  int64_t next = 0;
  for (auto [key, i] : order) {
    int64_t at = sparse ? key : next++;
    if (at < 0 || at >= n) {
      if (sparse && at < 0) return invalid("CastMap: the key ", at, " names no place");
      continue;
    }
    if (values->dtype() == DType::kString) {
      std::string text(values->as<StringRef>()[i].view());
      char* end = nullptr;
      if (out.dtype == DType::kString) out.as<StringRef>()[at] = c.strings().add(text);
      else if (out.dtype == DType::kF32) out.as<float>()[at] = std::strtof(text.c_str(), &end);
      else out.as<int64_t>()[at] = std::strtoll(text.c_str(), &end, 10);
      if (end && end == text.c_str()) return invalid("CastMap: '", text, "' is no number");
    } else if (out.dtype == DType::kString) {
      out.as<StringRef>()[at] = c.strings().add(cat(values->as<float>()[i]));
    } else {
      convert(values->dtype(), values->as<const char>() + i * byte_width(values->dtype()), out.dtype,
              out.as<char>() + at * byte_width(out.dtype), 1);
    }
  }
  return {};
}

constexpr Trait kMakesValues{.kernel_sizes_output = true};

}  // namespace

TENON_OP(zip_map){
    .name = "ZipMap",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {port("X", kF32Only)},
    .out = {any_kind(port("Z", kF32Only))},
    .attributes = {{"classlabels_int64s", 'I'}, {"classlabels_strings", 'S'}},
    .shape = zip_shape,
    .trait = kMakesValues,
};
TENON_CPU(zip_map){{{{.name = "values", .pack = pack_zip, .run = run_zip}}}};
TENON_CASES(zip_map) {}  // sequence_test.cc

TENON_OP(dict_vectorizer){
    .name = "DictVectorizer",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {any_kind(port("X", kMlLabels))},
    .out = {port("Y", TypeSet{DType::kF32, DType::kF64, DType::kI64, DType::kString})},
    .attributes = {{"int64_vocabulary", 'I'}, {"string_vocabulary", 'S'}},
    .shape = dict_shape,
    .trait = kMakesValues,
};
TENON_CPU(dict_vectorizer){{{{.name = "values", .run = run_dict}}}};
TENON_CASES(dict_vectorizer) {}  // sequence_test.cc

TENON_OP(cast_map){
    .name = "CastMap",
    .domain = "ai.onnx.ml",
    .since = {1},
    .in = {any_kind(port("X", kMlLabels))},
    .out = {port("Y", TypeSet{DType::kF32, DType::kI64, DType::kString})},
    .attributes = {{"cast_to", 's'}, {"map_form", 's'}, {"max_map", 'i'}},
    .shape = cast_map_shape,
    .trait = kMakesValues,
};
TENON_CPU(cast_map){{{{.name = "values", .run = run_cast_map}}}};
TENON_CASES(cast_map) {}  // sequence_test.cc

}  // namespace tenon::ops
