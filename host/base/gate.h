// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "host/base/co.h"
#include "host/base/event.h"
#include "host/base/loop.h"

namespace drover {

// Counts the coroutines that its owner has started with Spawn. Close waits until all of them have
// ended. Control thread only.
class Gate {
 public:
  explicit Gate(Loop* loop) : loop_(loop), empty_(loop) { empty_.Set(); }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { DROVER_CHECK(running_ == 0); }

  // Starts COROUTINE and returns true. After Close, drops COROUTINE without running it and returns
  // false.
  bool Spawn(Co<void> coroutine);
  // Rejects further coroutines, and returns when all started coroutines have ended.
  Co<void> Close();
  // Returns when all started coroutines have ended. The gate stays open.
  Co<void> Join();

  int running() const { return running_; }
  bool closed() const { return closed_; }

 private:
  static Co<void> RunInside(Gate* gate, Co<void> coroutine);

  Loop* loop_;
  Event empty_;
  int running_ = 0;
  bool closed_ = false;
};

// Runs all coroutines at the same time and returns when the last has ended.
Co<void> InParallel(Loop* loop, std::vector<Co<void>> coroutines);

}  // namespace drover
