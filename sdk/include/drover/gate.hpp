// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

// Counts the callbacks that run inside a driver instance. After Close is called, no callback begins
// any more. Close returns when the last running callback has ended, so the instance can then be
// destroyed.
namespace drover {
inline namespace sdk_v1 {

class Gate {
 public:
  // A Pass counts as one running callback while it exists. If the gate was closed before Enter, the
  // Pass converts to false, and the callback must not run.
  class Pass {
   public:
    explicit Pass(Gate* gate) : gate_(gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->Leave();
    }
    explicit operator bool() const { return gate_ != nullptr; }

   private:
    Gate* gate_;
  };

  Pass Enter() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (closed_) return Pass(nullptr);
    ++inside_;
    return Pass(this);
  }

  // Calls WAKE once when the gate closes, or at once if the gate is closed already. WAKE must wake
  // a thread that waits inside the gate for a result. After Close, the result may never arrive.
  // Returns the number of WAKE, for Forget.
  std::uint64_t OnClose(std::function<void()> wake) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!closed_) {
        wakers_.push_back(Waker{++last_waker_, std::move(wake)});
        return last_waker_;
      }
    }
    wake();
    return 0;
  }
  void Forget(std::uint64_t waker) {
    std::lock_guard<std::mutex> lock(mutex_);
    for (auto at = wakers_.begin(); at != wakers_.end(); ++at) {
      if (at->number != waker) continue;
      wakers_.erase(at);
      return;
    }
  }

  void Close() {
    std::unique_lock<std::mutex> lock(mutex_);
    closed_ = true;
    std::list<Waker> wakers;
    wakers.swap(wakers_);
    lock.unlock();
    for (auto& waker : wakers) waker.wake();
    lock.lock();
    empty_.wait(lock, [this] { return inside_ == 0; });
  }

 private:
  struct Waker {
    std::uint64_t number;
    std::function<void()> wake;
  };

  void Leave() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (--inside_ == 0) empty_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable empty_;
  bool closed_ = false;
  int inside_ = 0;
  std::uint64_t last_waker_ = 0;
  std::list<Waker> wakers_;  // one for each thread that waits inside the gate
};

}  // namespace sdk_v1
}  // namespace drover
