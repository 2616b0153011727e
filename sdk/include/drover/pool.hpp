// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

// The few threads on which a driver's blocking methods run. They come when they are needed.
namespace drover {
inline namespace sdk_v1 {

class Pool {
 public:
  explicit Pool(unsigned max_threads) : max_threads_(max_threads) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { Stop(); }

  // Runs JOB on a thread of the pool; after Stop it is dropped. Throws when there is neither a
  // thread nor a way to make one.
  void Post(std::function<void()> job) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (stopped_) return;
      jobs_.push_back(std::move(job));
      if (idle_ < jobs_.size() && threads_.size() < max_threads_) {
        try {
          threads_.emplace_back([this] { Run(); });
          return;
        } catch (...) {
          if (threads_.empty()) {
            jobs_.pop_back();
            throw;
          }
        }
      }
    }
    wake_.notify_one();  // without the lock, which the thread that wakes takes at once
  }

  // Drops what is queued and joins the threads. Not for a thread of the pool.
  void Stop() {
    std::deque<std::function<void()>> dropped;
    std::vector<std::thread> threads;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
      dropped.swap(jobs_);
      threads.swap(threads_);
      wake_.notify_all();
    }
    for (std::thread& thread : threads) thread.join();
  }

 private:
  void Run() noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      ++idle_;
      wake_.wait(lock, [this] { return stopped_ || !jobs_.empty(); });
      --idle_;
      if (stopped_) return;
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();  // the wrapper's jobs do not throw
      job = nullptr;
      lock.lock();
    }
  }

  const unsigned max_threads_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool stopped_ = false;
};

}  // namespace sdk_v1
}  // namespace drover
