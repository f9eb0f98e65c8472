// Runs one case of an operator as a model with one node.
// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "opdef/cases.h"
#include "tensor/tensor.h"
#include "threads/team.h"

namespace tenon::cases {

/// How the inputs of the model are stated.
enum class Form {
  kVariable,  ///< inputs with known dimensions (those marked constant are initializers)
  kConstant,  ///< all initializers
  kSymbolic,  ///< inputs whose dimensions are symbols
  kRankless,  ///< inputs without a shape
};
inline constexpr Form kForms[] = {Form::kVariable, Form::kConstant, Form::kSymbolic, Form::kRankless};
std::string_view name(Form form);

/// Builds the model, infers, upgrades to the newest version, computes on the team; checks that inferred and actual
/// types agree. `wanted[i]` says whether output i is asked for.
Result<std::vector<Tensor>> run_case(const opdef::OpDef& op, const opdef::Case& c, const std::vector<Tensor>& inputs,
                                     const std::vector<bool>& wanted, Form form, const Team& team);

}  // namespace tenon::cases
