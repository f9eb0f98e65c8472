// Sparse tensors: made from arrays, and their parts as arrays.
// SPDX-License-Identifier: MIT
#pragma once
#include "engine.h"

namespace tenon::python {

void define_sparse(nb::module_& m);

}  // namespace tenon::python
