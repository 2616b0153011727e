// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/base/co.h"
#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/base/loop_port.h"
#include "host/driver/driver_limits.h"

namespace drover {

// The threads of one plugin. Every function of the plugin runs on them, and none on the control
// thread. The pool makes threads when it needs them. If a job holds its thread past its limit, the
// thread is written off and another thread replaces it. A thread that was written off ends when its
// job returns. When too many threads are held in this way, the pool takes no more jobs.
class PluginPool {
 public:
  struct Job {
    std::string what;           // name for messages, such as "start"
    std::function<void()> run;  // must not throw
    Duration hold{0};           // the longest time that the job may hold its thread
    // Control jobs run one at a time, in the order in which they were posted.
    bool control = false;
  };

  // Calls CHANGED on the control thread when a thread was written off, or when the job of such a
  // thread has returned.
  PluginPool(Loop* loop, std::shared_ptr<LoopPort> port, int threads, int written_off,
             std::function<void()> changed);
  PluginPool(const PluginPool&) = delete;
  PluginPool& operator=(const PluginPool&) = delete;
  ~PluginPool();

  // Returns false, and never runs the job, if the pool is closed or has lost too many threads.
  // [any thread]
  bool Post(Job job);

  // held() is the number of threads that are now held past their limit. held_by() names the job
  // that holds the oldest of these threads. [any thread]
  int held() const;
  std::string held_by() const;
  bool exhausted() const;
  int threads() const;  // living threads, without those that are held past their limit

  // Returns when no job waits or runs, at the latest at DEADLINE. Does not wait for jobs that hold
  // their threads past their limit.
  Co<void> Drain(TimePoint deadline);

  // Refuses new jobs and runs the jobs that wait. Returns when all threads have ended, at the
  // latest at DEADLINE. Detaches the threads that have not ended at DEADLINE. Control thread; call
  // it once.
  Co<void> Close(TimePoint deadline);

 private:
  struct State;
  static void Work(const std::shared_ptr<State>& state, std::uint64_t id);
  static bool MakeThread(const std::shared_ptr<State>& state);
  static void Watch(const std::shared_ptr<State>& state);

  Loop* loop_;
  std::shared_ptr<State> state_;
};

}  // namespace drover
