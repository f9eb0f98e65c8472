// Threads of the operating system, by POSIX threads and Linux futexes.
// SPDX-License-Identifier: MIT
#include "base/os/threads.h"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#if defined(__linux__)
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace tenon::os {
namespace {

struct Start {
  void (*entry)(void*);
  void* argument;
};

void* run_start(void* p) {
  const Start start = *static_cast<Start*>(p);
  delete static_cast<Start*>(p);
  start.entry(start.argument);
  return nullptr;
}

#if defined(__linux__)
/// The first `size - 1` bytes of a small file; false when it cannot be read.
bool read_small(const std::string& path, char* text, size_t size) {
  std::FILE* f = std::fopen(path.c_str(), "re");
  if (!f) return false;
  const size_t n = std::fread(text, 1, size - 1, f);
  text[n] = 0;
  std::fclose(f);
  return true;
}

int whole_cpus(long long quota, long long period) {
  if (quota <= 0 || period <= 0) return 0;
  return static_cast<int>(std::min<long long>((quota + period - 1) / period, 1 << 16));
}

int tighter(int a, int b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

/// Quota of one folder of the control group tree, by either version's files.
int quota_of_folder(const std::string& folder, bool v2) {
  char text[128];
  if (v2) {
    long long quota = 0, period = 0;
    if (!read_small(folder + "/cpu.max", text, sizeof text)) return 0;
    if (std::sscanf(text, "%lld %lld", &quota, &period) != 2) return 0;  // "max 100000": no quota
    return whole_cpus(quota, period);
  }
  if (!read_small(folder + "/cpu.cfs_quota_us", text, sizeof text)) return 0;
  const long long quota = std::atoll(text);
  if (!read_small(folder + "/cpu.cfs_period_us", text, sizeof text)) return 0;
  return whole_cpus(quota, std::atoll(text));
}

/// The tightest quota from the group's folder up to the mount point: a parent's quota binds its children.
int quota_of_path(const std::string& mount, std::string path, bool v2) {
  int best = 0;
  while (true) {
    best = tighter(best, quota_of_folder(path == "/" ? mount : mount + path, v2));
    const size_t slash = path.find_last_of('/');
    if (slash == std::string::npos || path == "/") return best;
    path = slash == 0 ? "/" : path.substr(0, slash);
  }
}
#endif

}  // namespace

bool start_thread(void (*entry)(void*), void* argument, Thread* out) {
  auto* start = new Start{entry, argument};
  pthread_t id;
  if (pthread_create(&id, nullptr, run_start, start) != 0) {
    delete start;
    return false;
  }
  *out = (Thread)id;
  return true;
}

void join_thread(Thread thread) { pthread_join((pthread_t)thread, nullptr); }
void detach_thread(Thread thread) { pthread_detach((pthread_t)thread); }
Thread this_thread() { return (Thread)pthread_self(); }

int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void at_fork(void (*prepare)(), void (*parent)(), void (*child)()) { pthread_atfork(prepare, parent, child); }

#if defined(__linux__)

void wait_word(const std::atomic<uint32_t>* word, uint32_t expected) {
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, nullptr, nullptr, 0);
}

void wake_word(const std::atomic<uint32_t>* word, int count) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, nullptr, nullptr, 0);
}

int affinity_cpus() {
  for (int cpus = 1024; cpus <= 1 << 18; cpus *= 4) {  // the call fails while the mask is smaller than the kernel's
    cpu_set_t* set = CPU_ALLOC(cpus);
    if (!set) break;
    const size_t size = CPU_ALLOC_SIZE(cpus);
    const bool ok = sched_getaffinity(0, size, set) == 0;
    const int n = ok ? CPU_COUNT_S(size, set) : 0;
    CPU_FREE(set);
    if (ok && n > 0) return n;
  }
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

int quota_cpus() {
  std::FILE* f = std::fopen("/proc/self/cgroup", "re");
  if (!f) return 0;
  int best = 0;
  char line[4096];
  while (std::fgets(line, sizeof line, f)) {  // "ID:CONTROLLERS:PATH"
    char* controllers = std::strchr(line, ':');
    char* path = controllers ? std::strchr(controllers + 1, ':') : nullptr;
    if (!path) continue;
    *path++ = 0;
    ++controllers;
    path[std::strcspn(path, "\n")] = 0;
    if (*controllers == 0) {
      best = tighter(best, quota_of_path("/sys/fs/cgroup", path, true));
      best = tighter(best, quota_of_path("/sys/fs/cgroup/unified", path, true));
      continue;
    }
    const std::string list = std::string(",") + controllers + ",";
    if (list.find(",cpu,") == std::string::npos) continue;
    best = tighter(best, quota_of_path("/sys/fs/cgroup/cpu", path, false));
    best = tighter(best, quota_of_path("/sys/fs/cgroup/cpu,cpuacct", path, false));
  }
  std::fclose(f);
  return best;
}

#else

void wait_word(const std::atomic<uint32_t>* word, uint32_t expected) { word->wait(expected); }
void wake_word(const std::atomic<uint32_t>* word, int) { const_cast<std::atomic<uint32_t>*>(word)->notify_all(); }
int affinity_cpus() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }
int quota_cpus() { return 0; }

#endif

}  // namespace tenon::os
