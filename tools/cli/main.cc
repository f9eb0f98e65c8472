// The command line tool: tenon run, inspect, bench.
// SPDX-License-Identifier: MIT
#include <cstdio>

#include "command.h"

int main(int argc, char** argv) {
  using namespace tenon::cli;  // NOLINT
  CLI::App app("Tenon runs ONNX models.", "tenon");
  app.require_subcommand(0, 1);
  app.set_help_all_flag("--help-all", "Help of every command");
  app.footer(R"(
tenon COMMAND --help explains a command with examples. Begin with
  tenon inspect model.onnx
  tenon run model.onnx)");
  app.set_version_flag("--version",
                       [] { return "tenon " + Ort::GetVersionString() + "\n" + Ort::GetBuildInfoString(); });
  int exit = kOk;
  add_run(app, exit);
  add_inspect(app, exit);
  add_bench(app, exit);
  try {
    app.parse(argc, argv);
    if (!app.get_subcommands().empty()) return exit;
    std::fputs(app.help().c_str(), stderr);
    return kUsage;
  } catch (const CLI::ParseError& e) { return app.exit(e) == 0 ? kOk : kUsage; } catch (const Fault& e) {
    std::fprintf(stderr, "tenon: %s\n", e.what());
    return e.code;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tenon: %s\n", e.what());
    return kRun;
  }
}
