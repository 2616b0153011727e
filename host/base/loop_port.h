// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <mutex>
#include <utility>

#include "host/base/loop.h"

namespace drover {

// Passes work from a driver's threads to the control thread. A driver may keep threads for as long
// as the process lives. So a thread may call Post after the loop was destroyed, and then Post does
// nothing.
class LoopPort {
 public:
  explicit LoopPort(Loop* loop) : loop_(loop) {}

  // Runs FUNCTION later on the control thread, and returns true. After Close, drops FUNCTION and
  // returns false. [any thread]
  bool Post(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    if (loop_ == nullptr) return false;
    loop_->Post(std::move(function));
    return true;
  }
  // Must be called before the loop is destroyed.
  void Close() {
    const std::lock_guard lock(mutex_);
    loop_ = nullptr;
  }

 private:
  std::mutex mutex_;
  Loop* loop_;
};

}  // namespace drover
