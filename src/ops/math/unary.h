// What element-wise operators of one input share: facts and cases.
// SPDX-License-Identifier: MIT
#pragma once
#include "opdef/cases.h"
#include "ops/pointwise.h"

namespace tenon::ops {

/// Facts of an operator that maps each element of X to one of Y of the same type.
constexpr OpDef unary_op(std::string_view name, List<int, 24> since, TypeSet types, Trait trait,
                         List<AttributeDef, 24> attributes = {}) {
  return {.name = name,
          .since = since,
          .in = {port("X", types, "T")},
          .out = {port("Y", types, "T")},
          .attributes = attributes,
          .shape = same_as_input,
          .trait = trait};
}

/// Cases over all types of the operator's input, with values in [low, high].
inline void unary_cases(Cases& cases, double (*f)(double), double low, double high) {
  cases.types(cases.op().in[0].types);
  cases.reference(unary_reference(f));
  add_unary_cases(cases, low, high);
}

}  // namespace tenon::ops
