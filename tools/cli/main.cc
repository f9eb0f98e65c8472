// tenon: runs, inspects and times ONNX models from the command line.
// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <cstdio>

#include "commands.h"
#include "ort/onnxruntime_cxx_api.h"

int main(int argc, char** argv) {
  CLI::App app{"Tenon runs ONNX models.\n\n"
               "  tenon inspect model.onnx                     what goes in and out, which operators\n"
               "  tenon run model.onnx --input x=picture.png   one run, outputs printed or saved\n"
               "  tenon bench model.onnx --threads 2           how long a run takes\n\n"
               "Each command explains itself: tenon run --help",
               "tenon"};
  app.set_version_flag("--version", "tenon " TENON_VERSION);
  app.require_subcommand(1);
  std::function<void()> chosen;
  tenon::cli::add_run(app, chosen);
  tenon::cli::add_inspect(app, chosen);
  tenon::cli::add_bench(app, chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    int code = app.exit(e);
    return code == 0 ? 0 : 2;
  }
  try {
    chosen();
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tenon: %s\n", e.what());
    return 1;
  }
}
