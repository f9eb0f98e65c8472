// The workers of a pool: what they wait for, how they choose work, how they survive a fork.
// SPDX-License-Identifier: MIT
#include "threads/pool.h"

#include <algorithm>
#include <mutex>

#include "base/os/threads.h"
#include "threads/pool_state.h"

namespace tenon {
namespace {

constexpr int64_t kMinSpinNs = 25'000;
constexpr int64_t kMaxSpinNs = 200'000;
constexpr int kMaxWidth = 1024;

// Every pool is in this list, for fork(). The lock order is: list, then one pool.
constinit std::mutex g_list_mutex;
constinit Pool::State* g_list = nullptr;

}  // namespace

int usable_cpus() {
  const int cpus = os::affinity_cpus();
  const int quota = os::quota_cpus();
  return std::max(1, quota > 0 ? std::min(cpus, quota) : cpus);
}

/// Holds all pool locks across a fork, so that the child finds them in order; the child has no workers any more.
struct ForkHooks {
  static void prepare() {
    g_list_mutex.lock();
    for (Pool::State* s = g_list; s; s = s->next_pool) s->mutex.lock();
  }
  static void parent() {
    for (Pool::State* s = g_list; s; s = s->next_pool) s->mutex.unlock();
    g_list_mutex.unlock();
  }
  static void child() {
    for (Pool::State* s = g_list; s; s = s->next_pool) {
      s->workers.clear();
      s->spinners = s->sleepers = 0;
      // A job of the forking thread itself goes on there alone; its helpers stayed in the parent.
      for (Job* job : s->jobs) job->active.store(0, std::memory_order_relaxed);
      s->jobs.clear();
      s->tasks.clear();
      s->mutex.unlock();
    }
    g_list_mutex.unlock();
  }
};

Pool::State::State(int pool_width) : width(std::clamp(pool_width, 1, kMaxWidth)) {
  static const bool registered = (os::at_fork(ForkHooks::prepare, ForkHooks::parent, ForkHooks::child), true);
  (void)registered;
  workers.reserve(static_cast<size_t>(width));
  std::lock_guard lock(g_list_mutex);
  next_pool = g_list;
  g_list = this;
}

Pool::State::~State() {
  {
    std::lock_guard lock(g_list_mutex);
    State** link = &g_list;
    while (*link != this) link = &(*link)->next_pool;
    *link = next_pool;
  }
  std::vector<std::unique_ptr<Worker>> ending;
  {
    std::lock_guard lock(mutex);
    stopping = true;
    epoch.fetch_add(1, std::memory_order_release);
    ending.swap(workers);
  }
  os::wake_word(&epoch, kMaxWidth);
  for (auto& w : ending) os::join_thread(w->thread);
}

void Pool::State::start_workers(int wanted) {
  while (static_cast<int>(workers.size()) < wanted) {
    auto worker = std::make_unique<Worker>();
    worker->state = this;
    // The new thread first takes the mutex that we hold, so it sees its own record complete.
    if (!os::start_thread([](void* w) { static_cast<Worker*>(w)->state->work(*static_cast<Worker*>(w)); }, worker.get(),
                          &worker->thread))
      return;  // fewer helpers: the callers do the work
    workers.push_back(std::move(worker));
  }
}

bool Pool::State::in_body(os::Thread self) const {
  for (const Job* job : jobs)
    if (job->caller == self) return true;
  for (const auto& w : workers)
    if (w->thread == self) return w->in_body;
  return false;
}

int Pool::State::announce(int count) {
  epoch.fetch_add(1, std::memory_order_release);
  return std::clamp(count - spinners, 0, sleepers);
}

Job* Pool::State::neediest_job() const {
  Job* best = nullptr;
  uint32_t least = 0;
  for (Job* job : jobs) {
    const uint32_t helpers = job->active.load(std::memory_order_relaxed) & ~Job::kWaiting;
    if (helpers >= static_cast<uint32_t>(job->max_helpers) || job->finished_handing_out()) continue;
    if (!best || helpers < least) {
      best = job;
      least = helpers;
    }
  }
  return best;
}

void Pool::State::work(Worker& me) {
  int64_t spin_ns = kMaxSpinNs;
  std::unique_lock lock(mutex);
  while (!stopping) {
    if (!tasks.empty()) {  // a task can only run here; a job also proceeds on its caller
      std::function<void()> task = std::move(tasks.front());
      tasks.pop_front();
      lock.unlock();
      task();
      task = nullptr;
      lock.lock();
      continue;
    }
    if (Job* job = neediest_job()) {
      job->active.fetch_add(1, std::memory_order_relaxed);
      me.in_body = true;
      lock.unlock();
      job->run_chunks();
      job->leave();  // the job may be gone from here on
      lock.lock();
      me.in_body = false;
      continue;
    }
    const uint32_t seen = epoch.load(std::memory_order_acquire);
    if (spinning.load(std::memory_order_relaxed)) {
      ++spinners;
      lock.unlock();
      const int64_t start = os::monotonic_ns();
      int64_t waited = 0;
      while (epoch.load(std::memory_order_acquire) == seen && waited < spin_ns) {
        for (int i = 0; i < 16; ++i) os::pause();
        waited = os::monotonic_ns() - start;
      }
      lock.lock();
      --spinners;
      // Work that comes soon makes the next wait longer, a wait for nothing makes it shorter.
      const bool came = epoch.load(std::memory_order_acquire) != seen;
      spin_ns = std::clamp(came ? std::max(spin_ns, 2 * waited) : spin_ns / 2, kMinSpinNs, kMaxSpinNs);
      if (came) continue;
    }
    ++sleepers;
    lock.unlock();
    os::wait_word(&epoch, seen);
    lock.lock();
    --sleepers;
  }
}

Pool& Pool::process() {
  static Pool* const pool = new Pool(usable_cpus());
  return *pool;
}

Pool::Pool(int width) : state_(std::make_unique<State>(width)) {}
Pool::~Pool() = default;

int Pool::width() const { return state_->width; }

void Pool::set_spinning(bool on) { state_->spinning.store(on, std::memory_order_relaxed); }

void Pool::post(std::function<void()> task) {
  int wakes;
  bool homeless;
  {
    std::lock_guard lock(state_->mutex);
    state_->start_workers(std::max(1, std::min(state_->width - 1, static_cast<int>(state_->tasks.size()) + 1)));
    homeless = state_->workers.empty();
    if (!homeless) state_->tasks.push_back(std::move(task));
    wakes = state_->announce(1);
  }
  if (homeless) return task();  // the system gave no thread at all
  if (wakes) os::wake_word(&state_->epoch, wakes);
}

}  // namespace tenon
