// Tests of Pool and Team: coverage of ranges, nesting, several callers, fork, sleeping workers.
// SPDX-License-Identifier: MIT
#include "base/os/threads.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <set>
#include <thread>
#include <vector>

#include "threads/pool.h"
#include "threads/team.h"

namespace tenon {
namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

double cpu_ms() {
  rusage u;
  getrusage(RUSAGE_SELF, &u);
  return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e3 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-3;
}

void expect_covered(const Team& team, int64_t n, int64_t grain) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(n));
  team.parallel_for(n, grain, [&](int64_t b, int64_t e) {
    EXPECT_LT(b, e);
    EXPECT_TRUE(e == n || e - b >= grain);
    for (int64_t i = b; i < e; ++i) seen[static_cast<size_t>(i)].fetch_add(1);
  });
  for (auto& s : seen) EXPECT_EQ(s.load(), 1);
}

TEST(Threads, CpusArePositive) {
  EXPECT_GE(usable_cpus(), 1);
  EXPECT_GE(os::affinity_cpus(), 1);
  EXPECT_GE(os::quota_cpus(), 0);
}

TEST(Threads, RangesAreCoveredOnce) {
  Pool pool(4);
  for (int width : {0, 1, 2, 3, 4, 9})
    for (int64_t n : {0, 1, 2, 3, 7, 64, 1000, 4097})
      for (int64_t grain : {0, 1, 3, 50, 5000}) expect_covered(Team(&pool, width), n, grain);
  expect_covered(Team(), 100, 1);
}

TEST(Threads, ManyShortRuns) {
  Pool pool(3);
  const Team team(&pool, 3);
  std::vector<int64_t> sum(64);
  for (int round = 0; round < 3000; ++round)
    team.parallel_for(64, 1, [&](int64_t b, int64_t e) {
      for (int64_t i = b; i < e; ++i) sum[static_cast<size_t>(i)] += i;
    });
  for (int64_t i = 0; i < 64; ++i) EXPECT_EQ(sum[static_cast<size_t>(i)], 3000 * i);
}

TEST(Threads, NestedRunsSerially) {
  Pool pool(4);
  const Team team(&pool, 4);
  std::atomic<int> inner{0};
  team.parallel_for(16, 1, [&](int64_t b, int64_t e) {
    for (int64_t i = b; i < e; ++i) {
      const auto self = std::this_thread::get_id();
      team.parallel_for(100, 1, [&](int64_t x, int64_t y) {
        EXPECT_EQ(std::this_thread::get_id(), self);
        inner.fetch_add(static_cast<int>(y - x));
      });
    }
  });
  EXPECT_EQ(inner.load(), 1600);
}

TEST(Threads, SlotsAreExclusive) {
  Pool pool(4);
  const Team team(&pool, 4);
  std::atomic<int> busy[4] = {};
  std::vector<int> done(500);
  team.for_tasks(500, [&](int64_t task, int slot) {
    ASSERT_LT(slot, 4);
    EXPECT_EQ(busy[slot].fetch_add(1), 0);
    done[static_cast<size_t>(task)]++;
    busy[slot].fetch_sub(1);
  });
  for (int d : done) EXPECT_EQ(d, 1);
}

TEST(Threads, SeveralCallersShareWorkers) {
  Pool pool(4);
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      const Team team(&pool, 1 + static_cast<int>(pool.width()) / 2);
      for (int r = 0; r < 500; ++r) team.parallel_for(40, 1, [&](int64_t b, int64_t e) { total.fetch_add(e - b); });
    });
  for (auto& t : callers) t.join();
  EXPECT_EQ(total.load(), 4 * 500 * 40);
}

TEST(Threads, WorkersHelp) {
  Pool pool(2);
  const Team team(&pool, 2);
  std::mutex m;
  std::set<std::thread::id> ids;
  for (int round = 0; round < 200 && ids.size() < 2; ++round)
    team.parallel_for(8, 1, [&](int64_t, int64_t) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::lock_guard lock(m);
      ids.insert(std::this_thread::get_id());
    });
  EXPECT_EQ(ids.size(), 2u);
}

TEST(Threads, PostedTasksRunAndMayUseTheTeam) {
  for (int width : {1, 3}) {
    std::atomic<int> sum{0};
    std::atomic<uint32_t> left{20};
    {
      Pool pool(width);
      const Team team(&pool, 0);
      for (int i = 0; i < 20; ++i)
        pool.post([&] {
          team.parallel_for(10, 1, [&](int64_t b, int64_t e) { sum.fetch_add(static_cast<int>(e - b)); });
          left.fetch_sub(1);
        });
      while (left.load() != 0) std::this_thread::yield();
    }
    EXPECT_EQ(sum.load(), 200);
  }
}

TEST(Threads, IdleWorkersSleep) {
  for (bool spin : {true, false}) {
    Pool pool(3);
    pool.set_spinning(spin);
    const Team team(&pool, 3);
    for (int i = 0; i < 50; ++i) team.parallel_for(64, 1, [](int64_t, int64_t) {});
    const double before = cpu_ms();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const double burnt = cpu_ms() - before;
    if (!kThreadSanitizer) { EXPECT_LT(burnt, 2.0); }
  }
}

TEST(Threads, WorkersRestartInAForkedChild) {
  if (kThreadSanitizer) GTEST_SKIP() << "the thread sanitizer does not support threads after fork";
  Pool pool(3);
  const Team team(&pool, 3);
  auto count = [&] {
    std::atomic<int64_t> n{0};
    for (int i = 0; i < 20; ++i) team.parallel_for(100, 1, [&](int64_t b, int64_t e) { n.fetch_add(e - b); });
    return n.load();
  };
  EXPECT_EQ(count(), 2000);
  const pid_t pid = fork();
  if (pid == 0) {
    alarm(20);
    _exit(count() == 2000 ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(count(), 2000);
}

TEST(Threads, ProcessPool) {
  EXPECT_EQ(Pool::process().width(), usable_cpus());
  expect_covered(Team(&Pool::process(), 0), 1000, 1);
}

}  // namespace
}  // namespace tenon
