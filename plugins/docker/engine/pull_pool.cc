// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/pull_pool.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include "engine/own_thread.h"

namespace drover_docker {
namespace {

using std::chrono::steady_clock;

// How often a waiter looks whether it is cancelled.
constexpr std::chrono::milliseconds kWaiterTick(50);
constexpr std::chrono::milliseconds kReportPause(250);

std::string WholeSeconds(drover::Duration time) {
  const double seconds = std::chrono::duration<double>(time).count();
  if (seconds < 1) return std::to_string(static_cast<int>(seconds * 1000)) + " ms";
  return std::to_string(static_cast<long>(seconds)) + " s";
}

}  // namespace

// One pull. The pool's lock guards all but CANCEL.
struct PullPool::Work {
  std::string key;
  Pull pull;
  CancelToken cancel;
  std::thread thread;
  bool started = false;
  bool ended = false;  // the thread takes the lock no more
  int waiters = 0;
  PullProgress progress;
  SteadyTime moved = steady_clock::now();  // the last progress
  std::optional<drover::Outcome<std::string>> result;
  std::condition_variable changed;
};

PullPool::PullPool(unsigned most) : most_(most == 0 ? 1 : most) {}

PullPool::~PullPool() {
  std::vector<std::shared_ptr<Work>> threads;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    for (const auto& [key, work] : open_) {
      work->cancel.Cancel();
      if (!work->started && !work->result) {
        work->result = drover::Error(drover::Code::kCancelled, "the driver ends");
        work->changed.notify_all();
      }
    }
    queue_.clear();
    threads.swap(threads_);
    for (const auto& work : threads) work->cancel.Cancel();
  }
  for (const auto& work : threads) work->thread.join();
}

std::string PullPool::Get(const std::string& key, Pull pull, const PullLimits& limits,
                          const PullCallback& report, const CancelToken& cancel) {
  const SteadyTime end = DeadlineAfter(limits.total);
  std::unique_lock<std::mutex> lock(mutex_);
  if (closed_) throw drover::Error(drover::Code::kCancelled, "the driver ends");
  JoinEnded();
  std::shared_ptr<Work>& slot = open_[key];
  if (slot == nullptr) {
    slot = std::make_shared<Work>();
    slot->key = key;
    slot->pull = std::move(pull);
    queue_.push_back(slot);
  }
  const std::shared_ptr<Work> work = slot;
  ++work->waiters;
  StartSome();
  // Leaves the work in every case; the last one who leaves gives it up.
  struct Leave {
    PullPool* pool;
    std::unique_lock<std::mutex>& lock;
    const std::shared_ptr<Work>& work;
    ~Leave() {
      if (!lock.owns_lock()) lock.lock();
      if (--work->waiters > 0 || work->result) return;
      work->cancel.Cancel();
      const auto found = pool->open_.find(work->key);
      if (found != pool->open_.end() && found->second == work) pool->open_.erase(found);
      auto& queue = pool->queue_;
      queue.erase(std::remove(queue.begin(), queue.end(), work), queue.end());
    }
  } const leave{this, lock, work};

  PullProgress reported;
  SteadyTime report_at{};
  for (;;) {
    if (work->result) return work->result->value();
    cancel.Check();
    const SteadyTime now = steady_clock::now();
    if (now >= end) {
      throw drover::Error(drover::Code::kTimeout,
                          "the image is not there after " + WholeSeconds(limits.total) +
                              ": raise image_pull_timeout if that is too short",
                          true);
    }
    if (work->started && limits.silence > drover::Duration(0) &&
        now - work->moved >= limits.silence) {
      throw drover::Error(
          drover::Code::kTimeout,
          "the pull of the image has made no progress for " + WholeSeconds(limits.silence), true);
    }
    if (report && now >= report_at && !(work->progress == reported)) {
      reported = work->progress;
      report_at = now + kReportPause;
      lock.unlock();
      report(reported);
      lock.lock();
      continue;
    }
    work->changed.wait_for(lock, kWaiterTick);
  }
}

// Starts the works that have their turn. Called with the lock.
void PullPool::StartSome() {
  while (running_ < most_ && !queue_.empty() && !closed_) {
    const std::shared_ptr<Work> work = queue_.front();
    queue_.erase(queue_.begin());
    work->started = true;
    work->moved = steady_clock::now();
    try {
      threads_.push_back(work);
      work->thread = std::thread([this, work] { Run(work); });
      ++running_;
    } catch (...) {
      if (!threads_.empty() && threads_.back() == work) threads_.pop_back();
      work->result = drover::abi::CurrentError();
      open_.erase(work->key);
      work->changed.notify_all();
    }
  }
}

void PullPool::Run(const std::shared_ptr<Work>& work) {
  PrepareOwnThread("docker-pull");
  std::optional<drover::Outcome<std::string>> result;
  try {
    result = work->pull(
        [&](const PullProgress& progress) {
          std::lock_guard<std::mutex> lock(mutex_);
          if (work->progress == progress) return;
          work->progress = progress;
          work->moved = steady_clock::now();
          work->changed.notify_all();
        },
        work->cancel);
  } catch (...) {
    result = drover::Outcome<std::string>(drover::abi::CurrentError());
  }
  // What the function owns must not outlive the pull.
  work->pull = nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  work->result = std::move(result);
  const auto found = open_.find(work->key);
  if (found != open_.end() && found->second == work) open_.erase(found);
  --running_;
  work->ended = true;
  work->changed.notify_all();
  StartSome();
}

// Called with the lock, which an ended thread needs no more.
void PullPool::JoinEnded() {
  std::vector<std::shared_ptr<Work>> left;
  for (auto& work : threads_) {
    if (work->ended) {
      work->thread.join();
    } else {
      left.push_back(work);
    }
  }
  threads_.swap(left);
}

std::size_t PullPool::size() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return open_.size();
}

}  // namespace drover_docker
