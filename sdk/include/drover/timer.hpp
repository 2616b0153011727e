// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "drover/gate.hpp"
#include "drover/types.hpp"

// Timers of the host. A driver that uses them needs no waiting thread.
namespace drover {
inline namespace sdk_v1 {

namespace abi {

// Runs FUNCTION inside the gate. Does nothing if the gate is closed.
DROVER_SDK_ONCE inline void RunInside(const std::shared_ptr<Gate>& gate, Ref<> function) noexcept {
  try {
    Gate::Pass pass = gate->Enter();
    if (pass) function();
  } catch (...) {
    // No caller can handle the exception. A callback reports its errors by completing calls. If the
    // exception destroys the last owner of a call, that call completes with an error.
  }
}

// The timers of an instance that are set and have not fired yet.
class TimerTable : public std::enable_shared_from_this<TimerTable> {
 public:
  TimerTable(const drover_host* host, const drover_timer* service, std::shared_ptr<Gate> gate)
      : host_(host), service_(service), gate_(std::move(gate)) {}

  std::uint64_t After(Duration delay, std::function<void()> function) {
    if (service_ == nullptr) throw Error(Code::kUnimplemented, "the host has no timers");
    auto job = std::make_unique<Job>(Job{shared_from_this(), 0, 0, std::move(function)});
    {
      std::lock_guard<std::mutex> lock(mutex_);
      job->number = ++last_number_;
      jobs_[job->number] = job.get();
    }
    std::uint64_t number = job->number;
    // The host passes the job to Fire, which may run before service_->after returns.
    std::uint64_t id =
        service_->after(host_, delay.count() < 0 ? 0 : delay.count(), &Fire, job.get());
    std::lock_guard<std::mutex> lock(mutex_);
    if (id == 0) {
      jobs_.erase(number);
      throw Error(Code::kUnavailable, "the host set no timer");
    }
    job.release();
    auto found = jobs_.find(number);
    if (found != jobs_.end()) found->second->id = id;
    return number;
  }

  bool Cancel(std::uint64_t number) {
    std::uint64_t id = 0;
    Job* job = nullptr;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      auto found = jobs_.find(number);
      if (found == jobs_.end()) return false;
      job = found->second;
      id = job->id;
    }
    if (service_->cancel(host_, id) != 1) return false;
    std::unique_ptr<Job> owned(job);  // destroyed after the lock is released
    std::lock_guard<std::mutex> lock(mutex_);
    jobs_.erase(number);
    return true;
  }

  void CancelAll() {
    std::vector<std::uint64_t> numbers;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      for (auto& item : jobs_) numbers.push_back(item.first);
    }
    for (std::uint64_t number : numbers) Cancel(number);
  }

 private:
  struct Job {
    std::shared_ptr<TimerTable> table;
    std::uint64_t number;
    std::uint64_t id;  // the host's id of the timer
    std::function<void()> function;
  };
  static void Fire(void* context) noexcept {
    std::unique_ptr<Job> job(static_cast<Job*>(context));
    {
      std::lock_guard<std::mutex> lock(job->table->mutex_);
      job->table->jobs_.erase(job->number);
    }
    RunInside(job->table->gate_, job->function);
  }

  const drover_host* const host_;
  const drover_timer* const service_;
  const std::shared_ptr<Gate> gate_;
  std::mutex mutex_;
  std::uint64_t last_number_ = 0;
  std::map<std::uint64_t, Job*> jobs_;
};

}  // namespace abi

// A timer that has been set. The destructor does not cancel the timer. [any-thread]
class Timer {
 public:
  Timer() = default;
  Timer(std::shared_ptr<abi::TimerTable> table, std::uint64_t number)
      : table_(std::move(table)), number_(number) {}

  // Cancels the timer. Returns true if the function will not run. Returns false if it has run or is
  // running.
  bool Cancel() { return table_ != nullptr && table_->Cancel(number_); }

 private:
  std::shared_ptr<abi::TimerTable> table_;
  std::uint64_t number_ = 0;
};

}  // namespace sdk_v1
}  // namespace drover
