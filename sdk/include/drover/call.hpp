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

// The host's asynchronous calls to a driver. The driver must complete each call exactly once.
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

// One open call. If its last owner is destroyed before the call is completed, the call completes
// with an error. So the host never waits for a call that a driver has lost.
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
  // Asks the host, which cannot report the cancellation of create otherwise.
  bool IsCancelledByHost() const { return host_->call_is_cancelled(host_, id_) != 0; }

  // Completes the call. Only the first completion has an effect.
  DROVER_SDK_ONCE void Complete(const drover_error* error, const void* result) noexcept {
    if (completed_.exchange(true)) return;
    Forget();
    host_->complete(host_, id_, error, result);
  }
  // Runs COMPLETE, which must build the result struct and complete the call with it. If COMPLETE
  // throws, the call completes with an error.
  DROVER_SDK_ONCE void CompleteBy(Ref<> complete) noexcept {
    if (Guard(nullptr, complete) == DROVER_OK) return;
    Fail(Error(Code::kResourceExhausted, "the driver is out of memory"));
  }
  DROVER_SDK_ONCE void Fail(const Error& error) noexcept {
    drover_error out = EmptyError();
    FillError(&out, error);
    Complete(&out, nullptr);
  }
  // Runs WORK, which must complete the call. If WORK throws, the call completes with that exception
  // as its error.
  DROVER_SDK_ONCE void Try(Ref<> work) noexcept {
    try {
      work();
    } catch (...) {
      Fail(CurrentError());
    }
  }
  // Closes the call of a verb that the driver has refused. The host expects no completion then.
  // Returns false if the call had been completed already.
  DROVER_SDK_ONCE bool Disarm() noexcept {
    if (completed_.exchange(true)) return false;
    Forget();
    return true;
  }

  // Marks the call as cancelled and calls the function that OnCancel has set. WHY is null if the
  // host has given the call up. Otherwise the instance shuts down, and WHY is the error for the
  // call.
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
  // Returns the reason for the cancellation. Cancel stores the reason before it calls the function
  // that OnCancel has stored.
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
    // The function that OnCancel has stored may own this call, so destroy it without the lock.
    std::function<void()> hear;
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

// The part of a call that does not depend on the type of its result. A blocking method gets only a
// CallView, since it completes the call by returning. [any-thread]
class CallView {
 public:
  explicit CallView(std::shared_ptr<abi::CallState> state) : state_(std::move(state)) {}

  std::uint64_t id() const { return state_->id(); }
  const RunId& run_id() const { return state_->run(); }
  // True if the host has given the call up, or if the instance shuts down. The driver must then
  // complete the call soon, with any result.
  bool cancelled() const { return state_->cancelled(); }
  // Returns the time until the call's deadline, after which the host reports the driver as
  // unhealthy. The time is negative after the deadline, and Duration::max() if the call has no
  // deadline.
  Duration remaining() const {
    if (state_->deadline() == std::numeric_limits<std::int64_t>::max()) return Duration::max();
    return Duration(state_->deadline() - abi::BootNow());
  }
  // Calls HEAR once, on a thread of the host's pool, when the call is cancelled. If the call is
  // cancelled already, HEAR is called at once. HEAR replaces the function of an earlier OnCancel.
  // HEAR is dropped when the call completes.
  void OnCancel(std::function<void()> hear) const { state_->OnCancel(std::move(hear)); }
  // After this function, a cancellation completes the call with an error. Use it for a call that
  // only waits for an event. A later completion by the owner of the call has no effect.
  void FailOnCancel() const {
    std::weak_ptr<abi::CallState> weak = state_;
    state_->OnCancel([weak] {
      if (auto state = weak.lock()) state->Fail(state->why_cancelled());
    });
  }
  // True if any owner has completed the call. Further completions have no effect.
  bool completed() const { return state_->completed(); }

 protected:
  std::shared_ptr<abi::CallState> state_;
};

// A call that needs a result of type T. All copies are the same call, and only the first completion
// has an effect. If the last copy is destroyed without a completion, the host gets an error.
// [any-thread]
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
  // Runs WORK. Completes the call with the result of WORK, or with the exception that WORK throws.
  template <typename Work>
  void Run(Work&& work) const noexcept {
    state_->Try([&] { Complete(work()); });
  }
};

// Adds CALL to WAITERS. First removes the calls in WAITERS that have been completed.
template <typename T>
void AddWaiter(std::vector<Call<T>>* waiters, Call<T> call) {
  waiters->erase(std::remove_if(waiters->begin(), waiters->end(),
                                [](const Call<T>& waiter) { return waiter.completed(); }),
                 waiters->end());
  waiters->push_back(std::move(call));
}

}  // namespace sdk_v1
}  // namespace drover
