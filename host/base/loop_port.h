// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "host/base/loop.h"

namespace drover {

// The way from a driver's threads to the control thread. A driver may keep threads for as long as
// the process lives, so the loop can be gone when they call: then nothing happens.
class LoopPort {
 public:
  explicit LoopPort(Loop* loop) : loop_(loop) {}

  // Runs FUNCTION on the control thread, later; false, and it never runs, after Close. [any thread]
  bool Post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    if (loop_ == nullptr) return false;
    loop_->Post(std::move(function));
    return true;
  }
  // Before the loop is destroyed.
  void Close() {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Loop* loop_;
};

}  // namespace drover
