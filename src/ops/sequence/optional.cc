// Optional, OptionalHasElement, OptionalGetElement: values that may be absent.
// SPDX-License-Identifier: MIT
#include "opdef/cases.h"
#include "ops/sequence/values.h"

namespace tenon::ops {
namespace {

Status optional_shape(InferContext& c) {
  if (c.has(0) && c.type(0).known()) {
    c.set(0, Type::optional(c.type(0)));
    return {};
  }
  if (auto* t = c.node().get<Type>("type")) {
    // The attribute states the optional, or what it holds.
    c.set(0, t->kind == Type::Kind::kOptional ? *t : Type::optional(*t));
    return {};
  }
  if (!c.has(0) && c.in.empty()) return invalid("Optional: either an input or the attribute 'type' is needed");
  return {};
}

Status run_optional(KernelContext& c) {
  auto v = make_ref<Value>(Value::Kind::kOptional);
  if (c.has(0)) {
    TENON_ASSIGN(auto item, own_value(c, 0));
    v->element = item->kind == Value::Kind::kTensor ? item->tensor.dtype() : item->element;
    v->items.push_back(std::move(item));
  } else if (auto* t = c.node().get<Type>("type")) {
    const Type* inner = t;
    while (inner->inner) inner = inner->inner.get();
    v->element = inner->dtype;
  }
  c.set_out_value(0, std::move(v));
  return {};
}

/// Whether input 0 holds something: an optional may be empty, everything else is there.
bool holds(const KernelContext& c) {
  if (!c.has(0)) return false;
  const ValueRef& v = c.in_value(0);
  return !v || v->kind != Value::Kind::kOptional || !v->items.empty();
}

Status has_element_shape(InferContext& c) {
  c.set(0, DType::kBool, {});
  return {};
}
Status run_has_element(KernelContext& c) {
  *c.out(0).as<uint8_t>() = holds(c) ? 1 : 0;
  return {};
}

Status get_element_shape(InferContext& c) {
  if (!c.has(0)) return {};
  const Type& t = c.type(0);
  Type inner = t.kind == Type::Kind::kOptional ? element_type(c, 0) : t;
  if (inner.is_tensor()) inner = Type::tensor(inner.dtype);
  if (inner.known()) c.set(0, std::move(inner));
  return {};
}
Status run_get_element(KernelContext& c) {
  if (!holds(c)) return invalid("OptionalGetElement: the optional is empty");
  const ValueRef& v = c.in_value(0);
  if (v && v->kind == Value::Kind::kOptional) return give_value(c, 0, v->items[0]);
  TENON_ASSIGN(auto item, own_value(c, 0));
  return give_value(c, 0, item);
}

constexpr Trait kMakesValues{.kernel_sizes_output = true};

}  // namespace

TENON_OP(optional){
    .name = "Optional",
    .since = {15, 28},
    .in = {opdef::optional(any_kind(port("input", kAll)))},
    .out = {any_kind(port("output", kAll))},
    .attributes = {{"type", 'p'}},
    .shape = optional_shape,
    .trait = kMakesValues,
};
TENON_CPU(optional){{{{.name = "values", .run = run_optional}}}};
TENON_CASES(optional) {}  // sequence_test.cc

TENON_OP(optional_has_element){
    .name = "OptionalHasElement",
    .since = {15, 18, 28},
    .in = {opdef::optional(any_kind(port("input", kAll)))},
    .out = {port("output", kBools)},
    .shape = has_element_shape,
};
TENON_CPU(optional_has_element){{{{.name = "values", .run = run_has_element}}}};
TENON_CASES(optional_has_element) {
  cases.types(kAll);
  cases.add("a tensor").in(values({1}, {1})).out(typed(DType::kBool, values({}, {1})));
}

TENON_OP(optional_get_element){
    .name = "OptionalGetElement",
    .since = {15, 18, 28},
    .in = {any_kind(port("input", kAll))},
    .out = {any_kind(port("output", kAll))},
    .shape = get_element_shape,
    .trait = kMakesValues,
};
TENON_CPU(optional_get_element){{{{.name = "values", .run = run_get_element}}}};
TENON_CASES(optional_get_element) {
  cases.types(kNumbers | kBools | kStrings);
  cases.add("a tensor").in(values({2}, {1, 0})).out(values({2}, {1, 0}));
}

}  // namespace tenon::ops
