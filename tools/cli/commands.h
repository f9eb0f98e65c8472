// The commands of the tool: each adds its options to the parser and runs when it was chosen.
// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <stdexcept>
#include <string>

namespace CLI {
class App;
}

namespace tenon::cli {

/// A fault of the call or of a file, told to the user as it is.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void add_run(CLI::App& app, std::function<void()>& chosen);
void add_inspect(CLI::App& app, std::function<void()>& chosen);
void add_bench(CLI::App& app, std::function<void()>& chosen);

}  // namespace tenon::cli
