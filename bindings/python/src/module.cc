// The extension module tenon._engine.
// SPDX-License-Identifier: MIT
#include "devices.h"
#include "engine.h"
#include "options.h"
#include "session.h"
#include "sparse.h"
#include "types.h"
#include "values.h"

NB_MODULE(_engine, m) {
  using namespace tenon::python;  // NOLINT
  nb::set_leak_warnings(false);   // objects that live until the interpreter ends are on purpose
  m.doc() = "The engine behind the package tenon: one class for each object of the C table.";
  define_errors(m);
  define_types(m);
  define_devices(m);
  define_values(m);
  define_options(m);
  define_session(m);
  define_sparse(m);
}
