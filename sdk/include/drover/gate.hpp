// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <utility>

// Counts the callbacks that are inside a driver instance. Closing it makes shutdown safe: no
// callback enters any more, and Close returns when the last one has left.
namespace drover {
inline namespace sdk_v1 {

class Gate {
 public:
  // A stay inside; false when the gate is closed.
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

  // WAKE is called once when the gate closes, at once if it is closed already. It wakes a thread
  // that waits inside for something that will not come any more. Returns its number for Forget.
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
  std::list<Waker> wakers_;  // of the few threads that wait inside
};

}  // namespace sdk_v1
}  // namespace drover
