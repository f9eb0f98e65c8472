// Case tables: makers of case tensors and attributes.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"

namespace tenon::opdef {

CaseTensor range(Shape dims, double low, double high) {
  CaseTensor t;
  int64_t n = product(dims);
  t.dims = std::move(dims);
  for (int64_t i = 0; i < n; ++i) {
    int64_t shuffled =
        n > 2 ? static_cast<int64_t>((static_cast<uint64_t>(i) * 2654435761u + 12345u) % static_cast<uint64_t>(n)) : i;
    t.data.push_back(n > 1 ? low + (high - low) * static_cast<double>(shuffled) / static_cast<double>(n - 1) : low);
  }
  return t;
}
CaseTensor values(Shape dims, std::vector<double> data) {
  CaseTensor t;
  t.dims = std::move(dims);
  t.data = std::move(data);
  return t;
}
CaseTensor ints(std::vector<int64_t> data) {
  CaseTensor t;
  t.dtype = DType::kI64;
  t.dims = {static_cast<int64_t>(data.size())};
  for (int64_t v : data) t.data.push_back(static_cast<double>(v));
  t.constant = true;
  return t;
}
CaseTensor typed(DType dtype, CaseTensor t) {
  t.dtype = dtype;
  return t;
}
CaseTensor constant(CaseTensor t) {
  t.constant = true;
  return t;
}
CaseTensor missing() {
  CaseTensor t;
  t.missing = true;
  return t;
}
CaseTensor texts(Shape dims, std::vector<std::string> strings) {
  CaseTensor t;
  t.dtype = DType::kString;
  t.dims = std::move(dims);
  t.strings = std::move(strings);
  return t;
}

namespace {
template <class T>
const T* find(const Case& c, std::string_view name) {
  for (auto& a : c.attributes)
    if (a.name == name) return std::get_if<T>(&a.value);
  return nullptr;
}
}  // namespace

int64_t Case::attr(std::string_view name, int64_t fallback) const {
  auto* v = find<int64_t>(*this, name);
  return v ? *v : fallback;
}
double Case::attr_f(std::string_view name, double fallback) const {
  auto* v = find<float>(*this, name);
  return v ? *v : fallback;
}
std::vector<int64_t> Case::attr_ints(std::string_view name) const {
  auto* v = find<std::vector<int64_t>>(*this, name);
  return v ? *v : std::vector<int64_t>();
}
std::string Case::attr_s(std::string_view name, std::string fallback) const {
  auto* v = find<std::string>(*this, name);
  return v ? *v : fallback;
}

std::vector<float> Case::attr_floats(std::string_view name) const {
  auto* v = find<std::vector<float>>(*this, name);
  return v ? *v : std::vector<float>();
}
std::vector<std::string> Case::attr_strings(std::string_view name) const {
  auto* v = find<std::vector<std::string>>(*this, name);
  return v ? *v : std::vector<std::string>();
}

Cases::Add& Cases::Add::attr(std::string_view name, int64_t v) {
  c_->attributes.push_back({std::string(name), v});
  return *this;
}
Cases::Add& Cases::Add::attr_f(std::string_view name, float v) {
  c_->attributes.push_back({std::string(name), v});
  return *this;
}
Cases::Add& Cases::Add::attr(std::string_view name, std::vector<int64_t> v) {
  c_->attributes.push_back({std::string(name), std::move(v)});
  return *this;
}
Cases::Add& Cases::Add::attr_s(std::string_view name, std::string_view v) {
  c_->attributes.push_back({std::string(name), std::string(v)});
  return *this;
}
Cases::Add& Cases::Add::attr_floats(std::string_view name, std::vector<float> v) {
  c_->attributes.push_back({std::string(name), std::move(v)});
  return *this;
}

Cases::Add& Cases::Add::attr_strings(std::string_view name, std::vector<std::string> v) {
  c_->attributes.push_back({std::string(name), std::move(v)});
  return *this;
}
Cases::Add& Cases::Add::attr_tensor(std::string_view name, Tensor v) {
  c_->attributes.push_back({std::string(name), std::move(v)});
  return *this;
}

Cases::Add& Cases::Add::attr_texts(std::string_view name, std::vector<std::string> v) {
  c_->attributes.push_back({std::string(name), std::move(v)});
  return *this;
}

Cases::Add Cases::add(std::string say) {
  cases_.emplace_back().say = std::move(say);
  return Add(cases_.back());
}

std::vector<CaseTensor> map_elements(const CaseTensor& t, const std::function<double(double)>& f) {
  CaseTensor out;
  out.dims = t.dims;
  for (double v : t.data) out.data.push_back(f(v));
  return {out};
}

Reference unary_reference(double (*f)(double)) {
  return [f](const Case&, const std::vector<CaseTensor>& in) { return map_elements(in[0], f); };
}

void add_unary_cases(Cases& cases, double low, double high) {
  cases.add("a row").in(range({7}, low, high));
  cases.add("a scalar").in(range({}, low, high));
  cases.add("nothing").in(range({0, 4}, low, high));
  cases.add("a matrix with a tail").in(range({5, 19}, low, high));
  cases.add("long").in(range({3001}, low, high));
}

}  // namespace tenon::opdef
