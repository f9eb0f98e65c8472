// tenon bench: how long a run takes.
// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "commands.h"
#include "inputs.h"

namespace tenon::cli {
namespace {

struct BenchArguments {
  ModelOptions model;
  int runs = 0;
  int warmup = 3;
  double seconds = 3;
  bool json = false;
};

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void bench(const BenchArguments& a) {
  double start = now_ms();
  Prepared p;
  prepare(a.model, &p);
  double load = now_ms() - start;
  for (int i = 0; i < a.warmup; ++i) p.run();
  std::vector<double> times;
  bool show = !a.json && isatty(2);
  double begin = now_ms(), shown = begin;
  while (a.runs > 0 ? static_cast<int>(times.size()) < a.runs : now_ms() - begin < a.seconds * 1000) {
    double t = now_ms();
    p.run();
    times.push_back(now_ms() - t);
    if (show && now_ms() - shown > 200) {
      shown = now_ms();
      std::fprintf(stderr, "\r%zu runs, last %.3f ms   ", times.size(), times.back());
    }
  }
  if (show) std::fprintf(stderr, "\r%40s\r", "");
  std::sort(times.begin(), times.end());
  auto at = [&](double q) { return times[std::min(times.size() - 1, static_cast<size_t>(q * static_cast<double>(times.size())))]; };
  double sum = 0;
  for (double t : times) sum += t;
  nlohmann::json j = {{"model", a.model.model}, {"threads", a.model.threads}, {"load_ms", load}, {"runs", times.size()},
                      {"min_ms", times.front()}, {"p50_ms", at(0.5)}, {"p90_ms", at(0.9)}, {"p99_ms", at(0.99)},
                      {"max_ms", times.back()}, {"mean_ms", sum / static_cast<double>(times.size())}};
  if (a.json) {
    std::printf("%s\n", j.dump(2).c_str());
    return;
  }
  std::printf("load %.1f ms\n%zu runs: min %.3f  p50 %.3f  p90 %.3f  p99 %.3f  max %.3f ms\n", load, times.size(),
              times.front(), at(0.5), at(0.9), at(0.99), times.back());
}

}  // namespace

void add_bench(CLI::App& app, std::function<void()>& chosen) {
  auto a = std::make_shared<BenchArguments>();
  auto* c = app.add_subcommand("bench", "Time the runs of a model");
  c->add_option("model", a->model.model, "The ONNX file")->required();
  c->add_option("-i,--input", a->model.inputs, "NAME=FILE (.npy, .png) or FILE.npz; what is not given is random");
  c->add_option("-d,--dim", a->model.dims, "NAME=SIZE of a symbolic dimension of random inputs (1 unless given)");
  c->add_option("-r,--runs", a->runs, "How many runs; 0: as many as fit into --seconds")->check(CLI::NonNegativeNumber);
  c->add_option("-s,--seconds", a->seconds, "How long to measure")->check(CLI::PositiveNumber);
  c->add_option("-w,--warmup", a->warmup, "Runs that do not count")->check(CLI::NonNegativeNumber);
  c->add_option("-t,--threads", a->model.threads, "Threads of a run; 0: all")->check(CLI::NonNegativeNumber);
  c->add_option("--seed", a->model.seed, "Seed of random inputs");
  c->add_flag("--no-optimization", a->model.no_optimization, "Run the graph as it is");
  c->add_flag("--json", a->json, "Figures as JSON");
  c->footer("Examples:\n"
            "  tenon bench model.onnx --threads 1\n"
            "  tenon bench model.onnx -d batch=8 -r 200 --json");
  c->callback([a, &chosen] { chosen = [a] { bench(*a); }; });
}

}  // namespace tenon::cli
