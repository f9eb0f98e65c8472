// tenon bench: how long a model takes.
// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <thread>

#include "command.h"
#include "inputs.h"

namespace tenon::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct Choices {
  std::string model;
  double seconds = 3, warm_seconds = 0.5;
  int runs = 0, callers = 1;
  std::vector<int> thread_list;
  bool json = false, quiet = false;
  SessionChoices session;
  InputChoices inputs;
};

struct Figures {
  int threads = 0, callers = 1;
  double load_ms = 0, first_ms = 0, wall_s = 0;
  std::vector<double> ms;  ///< sorted
  Memory memory;
  double quantile(double q) const {
    return ms.empty() ? 0 : ms[std::min(ms.size() - 1, static_cast<size_t>(q * static_cast<double>(ms.size())))];
  }
  double mean() const {
    double sum = 0;
    for (double v : ms) sum += v;
    return ms.empty() ? 0 : sum / static_cast<double>(ms.size());
  }
};

double since_ms(Clock::time_point t) { return std::chrono::duration<double, std::milli>(Clock::now() - t).count(); }

Figures measure(const Choices& c, int threads) {
  Figures f;
  f.threads = threads;
  f.callers = c.callers;
  SessionChoices choices = c.session;
  choices.threads = threads;
  const auto begin = Clock::now();
  Ort::Session session = load(c.model, choices.make());
  f.load_ms = since_ms(begin);
  Inputs inputs = make_inputs(session, c.inputs);
  std::vector<std::string> names = session.GetOutputNames();
  std::vector<const char*> in, out;
  for (auto& n : inputs.names) in.push_back(n.c_str());
  for (auto& n : names) out.push_back(n.c_str());
  auto once = [&] {
    session.Run(Ort::RunOptions(nullptr), in.data(), inputs.values.data(), in.size(), out.data(), out.size());
  };
  try {
    auto t = Clock::now();
    once();
    f.first_ms = since_ms(t);
    for (t = Clock::now(); since_ms(t) < c.warm_seconds * 1000;) once();
    std::atomic<int> left{c.runs > 0 ? c.runs : 1 << 30};
    std::atomic<bool> failed{false};
    std::string fault;
    std::vector<std::vector<double>> all(static_cast<size_t>(c.callers));
    const auto start = Clock::now();
    auto work = [&](size_t caller) {
      try {
        while (left.fetch_sub(1) > 0 && (c.runs > 0 || since_ms(start) < c.seconds * 1000) && !failed) {
          const auto from = Clock::now();
          once();
          all[caller].push_back(since_ms(from));
          if (caller == 0 && !c.quiet && isatty(2) && all[0].size() % 16 == 1) {
            std::fprintf(stderr, "\r%d threads: %zu runs, %.1f s ", threads, all[0].size(), since_ms(start) / 1000);
            std::fflush(stderr);
          }
        }
      } catch (const std::exception& e) {
        if (!failed.exchange(true)) fault = e.what();
      }
    };
    std::vector<std::thread> workers;
    for (size_t i = 1; i < all.size(); ++i) workers.emplace_back(work, i);
    work(0);
    for (auto& w : workers) w.join();
    f.wall_s = since_ms(start) / 1000;
    if (!c.quiet && isatty(2)) std::fprintf(stderr, "\r%50s\r", "");
    if (failed) throw Fault(kRun, fault);
    for (auto& list : all) f.ms.insert(f.ms.end(), list.begin(), list.end());
  } catch (const Ort::Exception& e) { throw Fault(kRun, e.what()); }
  std::sort(f.ms.begin(), f.ms.end());
  f.memory = process_memory();
  return f;
}

void bench(const Choices& c) {
  std::vector<int> list = c.thread_list.empty() ? std::vector<int>{c.session.threads} : c.thread_list;
  nlohmann::json report = {
      {"model", c.model}, {"engine", Ort::GetVersionString()}, {"results", nlohmann::json::array()}};
  if (!c.json) {
    std::printf("%s\n%8s %8s %10s %10s %10s %10s %10s %10s %10s\n", c.model.c_str(), "threads", "runs", "load ms",
                "first ms", "p50 ms", "p90 ms", "p99 ms", "min ms", "runs/s");
  }
  for (int threads : list) {
    const Figures f = measure(c, threads);
    const double rate = f.wall_s > 0 ? static_cast<double>(f.ms.size()) / f.wall_s : 0;
    if (c.json) {
      report["results"].push_back({{"threads", f.threads},
                                   {"callers", f.callers},
                                   {"runs", f.ms.size()},
                                   {"load_ms", f.load_ms},
                                   {"first_ms", f.first_ms},
                                   {"p50_ms", f.quantile(0.5)},
                                   {"p90_ms", f.quantile(0.9)},
                                   {"p99_ms", f.quantile(0.99)},
                                   {"min_ms", f.quantile(0)},
                                   {"mean_ms", f.mean()},
                                   {"runs_per_second", rate},
                                   {"memory_bytes", f.memory.now},
                                   {"peak_memory_bytes", f.memory.peak}});
    } else {
      std::printf("%8s %8zu %10.1f %10.3f %10.3f %10.3f %10.3f %10.3f %10.1f\n",
                  threads == 0 ? "all" : std::to_string(threads).c_str(), f.ms.size(), f.load_ms, f.first_ms,
                  f.quantile(0.5), f.quantile(0.9), f.quantile(0.99), f.quantile(0), rate);
      std::fflush(stdout);
    }
  }
  if (c.json) {
    std::printf("%s\n", report.dump(2).c_str());
  } else {
    const Memory m = process_memory();
    std::printf("memory of the process: %s now, %s at its peak\n", bytes_text(static_cast<double>(m.now)).c_str(),
                bytes_text(static_cast<double>(m.peak)).c_str());
  }
}

}  // namespace

void add_bench(CLI::App& app, int& exit) {
  auto c = std::make_shared<Choices>();
  CLI::App* bench_app = app.add_subcommand("bench", "Measures how long a model takes to load and to run");
  bench_app->footer(R"(
Examples
  tenon bench model.onnx                           3 seconds of runs on all processors
  tenon bench model.onnx --sweep 1,2,4 -d batch=8  one line for each number of threads
  tenon bench model.onnx --callers 4 -t 1          four runs at once, each on one thread
  tenon bench model.onnx -n 200 --json > a.json    exactly 200 runs, figures for programs

p50, p90 and p99 are quantiles of single runs; the first run is shown apart and not counted.
Leave the machine alone meanwhile, and compare ratios rather than milliseconds.
Exit codes: 0 done, 2 wrong usage, 3 the model does not load, 4 a run fails, 5 an input is not usable.)");
  bench_app->add_option("model", c->model, "The model (.onnx)")->required();
  bench_app->add_option("--seconds", c->seconds, "How long is measured")
      ->capture_default_str()
      ->check(CLI::PositiveNumber);
  bench_app->add_option("--warm-up", c->warm_seconds, "Seconds of runs before that")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  bench_app->add_option("-n,--runs", c->runs, "Number of runs instead of a time")->check(CLI::NonNegativeNumber);
  bench_app->add_option("--callers", c->callers, "How many runs go on at once")
      ->capture_default_str()
      ->check(CLI::Range(1, 1024));
  bench_app->add_option("--sweep", c->thread_list, "Numbers of threads to measure one after another: 1,2,4")
      ->delimiter(',');
  bench_app->add_flag("--json", c->json, "Figures as JSON");
  bench_app->add_flag("-q,--quiet", c->quiet, "No progress");
  c->inputs.add_to(*bench_app);
  c->session.add_to(*bench_app);
  bench_app->callback([c, &exit] {
    bench(*c);
    exit = kOk;
  });
}

}  // namespace tenon::cli
