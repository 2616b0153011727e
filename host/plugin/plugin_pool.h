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

// The threads of one plugin: every function of the plugin runs here, none on the control thread.
// Threads are made when they are needed. One that a job holds past its limit is written off: it is
// replaced, and ends when the job returns, if ever. When too many are held so, no job is taken any
// more.
class PluginPool {
 public:
  struct Job {
    std::string what;           // for messages: "start", "done of process.wait"
    std::function<void()> run;  // must not throw
    Duration hold{0};           // how long it may hold its thread
    bool control = false;       // one at a time among those, in the order of their posting
  };

  // CHANGED is called on the control thread when a thread was written off or came back.
  PluginPool(Loop* loop, std::shared_ptr<LoopPort> port, int threads, int written_off,
             std::function<void()> changed);
  PluginPool(const PluginPool&) = delete;
  PluginPool& operator=(const PluginPool&) = delete;
  ~PluginPool();

  // False, and the job never runs, when the pool is closed or has lost too many threads.
  // [any thread]
  bool Post(Job job);

  // Threads that are held past their limit now, and by what the oldest. [any thread]
  int held() const;
  std::string held_by() const;
  bool exhausted() const;
  int threads() const;  // alive, those held apart

  // Returns when no job waits or runs, those that hold their threads apart, or at DEADLINE.
  Co<void> Drain(TimePoint deadline);

  // Takes no more jobs, runs those that wait, and returns when all threads have ended or at
  // DEADLINE; what holds a thread then keeps it. Control thread, once.
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
