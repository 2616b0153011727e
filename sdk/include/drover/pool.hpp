// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

// A pool of a few threads for a driver's blocking methods. A thread is made when it is needed, and
// ends when it has been idle for a while.
namespace drover {
inline namespace sdk_v1 {

class Pool {
 public:
  explicit Pool(unsigned max_threads, std::chrono::milliseconds idle = std::chrono::seconds(30))
      : max_threads_(std::max(1u, max_threads)), idle_limit_(idle) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool() { Stop(); }

  // Runs JOB on a thread of the pool. After Stop, JOB is dropped. Throws if the pool has no thread
  // and cannot make one.
  void Post(std::function<void()> job) {
    // Threads that have ended. Join them without the lock, since a join may take a moment.
    std::list<std::thread> ended;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ended.swap(ended_);
      if (stopped_) return Join(&ended);
      jobs_.push_back(std::move(job));
      if (idle_ < jobs_.size() && threads_.size() < max_threads_) {
        try {
          threads_.emplace_back([this] { Run(); });
        } catch (...) {
          if (threads_.empty()) {
            jobs_.pop_back();
            ended.swap(ended_);
            throw;
          }
        }
      }
    }
    // Notify without the lock, since the woken thread locks it at once.
    wake_.notify_one();
    Join(&ended);
  }

  // Returns the current number of threads, including idle threads.
  std::size_t threads() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return threads_.size();
  }

  // Drops the queued jobs and joins the threads. A thread of the pool must not call Stop.
  void Stop() {
    std::deque<std::function<void()>> dropped;
    std::list<std::thread> threads;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
      dropped.swap(jobs_);
      threads.swap(threads_);
      threads.splice(threads.end(), ended_);
      wake_.notify_all();
    }
    Join(&threads);
  }

 private:
  static void Join(std::list<std::thread>* threads) {
    for (std::thread& thread : *threads) thread.join();
  }

  void Run() noexcept {
    std::unique_lock<std::mutex> lock(mutex_);
    for (;;) {
      ++idle_;
      const bool woken =
          wake_.wait_for(lock, idle_limit_, [this] { return stopped_ || !jobs_.empty(); });
      --idle_;
      if (stopped_) return;  // Stop joins this thread
      if (!woken) return Leave();
      std::function<void()> job = std::move(jobs_.front());
      jobs_.pop_front();
      lock.unlock();
      job();  // the jobs of Host::Post do not throw
      job = nullptr;
      lock.lock();
    }
  }

  // Moves the calling thread from THREADS_ to ENDED_. The thread must hold MUTEX_, and must then
  // end. The next Post, or Stop, joins the thread.
  void Leave() noexcept {
    const auto self = std::find_if(threads_.begin(), threads_.end(), [](const std::thread& thread) {
      return thread.get_id() == std::this_thread::get_id();
    });
    ended_.splice(ended_.end(), threads_, self);
  }

  const unsigned max_threads_;
  const std::chrono::milliseconds idle_limit_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> jobs_;
  std::list<std::thread> threads_;
  std::list<std::thread> ended_;  // threads that have ended and must be joined
  std::size_t idle_ = 0;
  bool stopped_ = false;
};

// A lane is a group of threads for blocking methods. A job of one lane never waits for a job of
// another lane. So a start that takes minutes delays neither a signal nor a stop.
enum class Lane {
  kStart,    // Start, Recover, and Plan of a ProcessDriver
  kStop,     // Stop and Destroy
  kProbe,    // Probe
  kPrepare,  // Prepare; as many threads as kStart
  kOther,    // everything else
};

namespace abi {

// The pools of an instance, one for each lane.
class Lanes {
 public:
  Lanes(unsigned start_threads, unsigned stop_threads)
      : start_(start_threads),
        stop_(stop_threads),
        probe_(1),
        prepare_(start_threads),
        other_(kOtherThreads) {}

  Pool& of(Lane lane) {
    switch (lane) {
      case Lane::kStart:
        return start_;
      case Lane::kStop:
        return stop_;
      case Lane::kProbe:
        return probe_;
      case Lane::kPrepare:
        return prepare_;
      case Lane::kOther:
        break;
    }
    return other_;
  }
  // Stops all pools. A thread of one of the pools must not call it.
  void Stop() {
    for (Pool* pool : {&start_, &stop_, &probe_, &prepare_, &other_}) pool->Stop();
  }

 private:
  static constexpr unsigned kOtherThreads = 4;

  Pool start_;
  Pool stop_;
  Pool probe_;
  Pool prepare_;
  Pool other_;
};

}  // namespace abi
}  // namespace sdk_v1
}  // namespace drover
