// InferenceSession and SessionIOBinding.
// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "engine.h"
#include "options.h"
#include "types.h"

namespace tenon::python {

struct Metadata {
  std::string producer_name, graph_name, domain, description, graph_description;
  int64_t version = 0;
  std::map<std::string, std::string> custom;
};

class Session {
 public:
  /// `model`: a path (str) or bytes. `providers`: pairs of name and options.
  Session(nb::handle model, nb::object options, const std::vector<std::pair<std::string, TextMap>>& providers,
          const std::vector<std::string>& disabled_optimizers);
  nb::list run(nb::handle output_names, nb::dict feeds, const RunOptions* options);
  nb::list run_values(nb::dict feeds, nb::handle output_names, const RunOptions* options);
  void run_async(nb::handle output_names, nb::dict feeds, nb::object callback, nb::object user_data,
                 nb::object options);

  SessionPtr p;
  std::vector<NodeArg> inputs, outputs, overridable;
  std::vector<std::string> providers;
  std::map<std::string, TextMap> provider_options;
  Metadata metadata;

 private:
  std::vector<ValuePtr> run_raw(const CStrings& names, nb::dict feeds, const RunOptions* options);
  void feed(nb::dict feeds, class Feeds& out) const;
  std::map<std::string, const TypeDescription*, std::less<>> types_;
  nb::object options_;  ///< keeps borrowed memory alive
};

void define_session(nb::module_& m);

}  // namespace tenon::python
