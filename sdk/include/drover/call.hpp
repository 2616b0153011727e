// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "drover/codec.hpp"
#include "drover/open_table.hpp"

// The asynchronous calls of the host. Each must be completed exactly once.
namespace drover {
inline namespace sdk_v1 {

namespace abi {

inline std::int64_t BootNow() {
  timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000000000 + now.tv_nsec;
}

class CallState;

using CallTable = OpenTable<CallState>;

// One open call. If its last owner goes without a completion, the call completes with an error: a
// driver can lose a call, but never leaves the host waiting for it.
class CallState {
 public:
  CallState(const drover_host* host, std::shared_ptr<CallTable> table, const drover_call& call)
      : host_(host),
        table_(std::move(table)),
        id_(call.id),
        run_(Decode(call.run_id)),
        deadline_(call.deadline) {}
  CallState(const CallState&) = delete;
  CallState& operator=(const CallState&) = delete;
  DROVER_SDK_ONCE ~CallState() {
    if (completed_) return;
    try {
      Fail(Error(Code::kInternal, "the driver dropped the call without completing it"));
    } catch (...) {
      Complete(nullptr, nullptr);
    }
  }

  std::uint64_t id() const { return id_; }
  const RunId& run() const { return run_; }
  std::int64_t deadline() const { return deadline_; }
  bool cancelled() const { return cancelled_; }
  bool completed() const { return completed_; }

  // The first completion counts.
  DROVER_SDK_ONCE void Complete(const drover_error* error, const void* result) noexcept {
    if (completed_.exchange(true)) return;
    Forget();
    host_->complete(host_, id_, error, result);
  }
  // COMPLETE builds the result struct and completes the call with it.
  DROVER_SDK_ONCE void CompleteBy(Ref<> complete) noexcept {
    if (Guard(nullptr, complete) == DROVER_OK) return;
    Fail(Error(Code::kResourceExhausted, "the driver is out of memory"));
  }
  DROVER_SDK_ONCE void Fail(const Error& error) noexcept {
    drover_error out = EmptyError();
    FillError(&out, error);
    Complete(&out, nullptr);
  }
  // WORK completes the call. An exception that it throws becomes the answer.
  DROVER_SDK_ONCE void Try(Ref<> work) noexcept {
    try {
      work();
    } catch (...) {
      Fail(CurrentError());
    }
  }
  // For a refused verb: the host does not expect a completion. False if there was one already.
  DROVER_SDK_ONCE bool Disarm() noexcept {
    if (completed_.exchange(true)) return false;
    Forget();
    return true;
  }

  // The host has given the call up or, with WHY, the instance ends.
  DROVER_SDK_ONCE void Cancel(const Error* why = nullptr) {
    std::function<void()> hear;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (cancelled_.exchange(true)) return;
      if (why != nullptr) why_cancelled_ = *why;
      hear.swap(on_cancel_);
    }
    if (hear) hear();
  }
  // Set before any function of OnCancel is called.
  const Error& why_cancelled() const { return why_cancelled_; }
  DROVER_SDK_ONCE void OnCancel(std::function<void()> hear) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (completed_) return;
      if (!cancelled_) {
        on_cancel_ = std::move(hear);
        return;
      }
    }
    hear();
  }

 private:
  void Forget() noexcept {
    std::function<void()> hear;  // may own this call: destroyed outside of the lock
    {
      std::lock_guard<std::mutex> lock(mutex_);
      hear.swap(on_cancel_);
    }
    table_->Remove(id_);
  }

  const drover_host* const host_;
  const std::shared_ptr<CallTable> table_;
  const std::uint64_t id_;
  const RunId run_;
  const std::int64_t deadline_;
  std::atomic<bool> completed_{false};
  std::atomic<bool> cancelled_{false};
  std::mutex mutex_;
  std::function<void()> on_cancel_;
  Error why_cancelled_{Code::kCancelled, "the call was given up"};
};

}  // namespace abi

// The common part of all calls. Blocking methods get it alone, since they complete the call by
// returning. [any-thread]
class CallView {
 public:
  explicit CallView(std::shared_ptr<abi::CallState> state) : state_(std::move(state)) {}

  std::uint64_t id() const { return state_->id(); }
  const RunId& run_id() const { return state_->run(); }
  // The host wants no answer any more; complete soon, with anything.
  bool cancelled() const { return state_->cancelled(); }
  // Time until the host calls the driver unhealthy; negative afterwards.
  Duration remaining() const {
    if (state_->deadline() == std::numeric_limits<std::int64_t>::max()) return Duration::max();
    return Duration(state_->deadline() - abi::BootNow());
  }
  // HEAR is called once, from a thread of the host's pool, when the call is cancelled; at once if
  // it is already. It replaces an earlier function, and is dropped at the completion.
  void OnCancel(std::function<void()> hear) const { state_->OnCancel(std::move(hear)); }
  // For a call that only waits: it fails when it is cancelled. Its keeper may still complete it.
  void FailOnCancel() const {
    std::weak_ptr<abi::CallState> weak = state_;
    state_->OnCancel([weak] {
      if (auto state = weak.lock()) state->Fail(state->why_cancelled());
    });
  }
  // True after a completion by any owner: further completions have no effect.
  bool completed() const { return state_->completed(); }

 protected:
  std::shared_ptr<abi::CallState> state_;
};

// A call that awaits a T. Copies are the same call: the first completion counts, and when the last
// copy goes without one, the host gets an error. [any-thread]
template <typename T>
class Call : public CallView {
 public:
  using CallView::CallView;

  void Complete(const T& value) const {
    state_->CompleteBy(
        [&] { abi::With(value, [&](const void* result) { state_->Complete(nullptr, result); }); });
  }
  void Fail(const Error& error) const { state_->Fail(error); }
  void Finish(const Outcome<T>& outcome) const {
    if (outcome.ok()) {
      Complete(outcome.value());
    } else {
      Fail(outcome.error());
    }
  }
  // Completes with the result or the exception of WORK.
  template <typename Work>
  void Run(Work&& work) const noexcept {
    state_->Try([&] { Complete(work()); });
  }
};

// Adds CALL to WAITERS, and removes the calls that have been completed meanwhile.
template <typename T>
void AddWaiter(std::vector<Call<T>>* waiters, Call<T> call) {
  waiters->erase(std::remove_if(waiters->begin(), waiters->end(),
                                [](const Call<T>& waiter) { return waiter.completed(); }),
                 waiters->end());
  waiters->push_back(std::move(call));
}

}  // namespace sdk_v1
}  // namespace drover
