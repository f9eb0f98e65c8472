// Threads of the operating system: starting them, sleeping on a word, forking, and how many processors there are.
// SPDX-License-Identifier: MIT
#pragma once
#include <atomic>
#include <cstdint>

namespace tenon::os {

/// A running thread, as an opaque word.
using Thread = uintptr_t;

/// Starts `entry(argument)` on a new thread. Returns false when the system refuses.
bool start_thread(void (*entry)(void*), void* argument, Thread* out);
/// Waits for the end of the thread and releases it.
void join_thread(Thread thread);
/// Lets the thread release itself when it ends.
void detach_thread(Thread thread);
/// Identifies the calling thread; differs between threads that live at the same time, never 0.
Thread this_thread();

/// Sleeps while `*word == expected`, until wake_word; may return for no reason.
void wait_word(const std::atomic<uint32_t>* word, uint32_t expected);
/// Wakes up to `count` threads that sleep on the word. The word may already be gone: its address is only a name.
void wake_word(const std::atomic<uint32_t>* word, int count);

/// Tells the processor that this is a waiting loop.
inline void pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__) || defined(__arm__)
  asm volatile("yield" ::: "memory");
#endif
}
/// A clock for short intervals, in nanoseconds.
int64_t monotonic_ns();

/// Registers functions that fork() calls: `prepare` before, then `parent` and `child` in the two processes.
void at_fork(void (*prepare)(), void (*parent)(), void (*child)());

/// Processors in the affinity mask of the process, at least 1.
int affinity_cpus();
/// The processor quota of the control group (version 1 or 2) of this process in whole processors, rounded up;
/// 0 when there is none.
int quota_cpus();

}  // namespace tenon::os
