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

// The asynchronous calls of the host, each to be completed exactly once.
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

// One open call. Its last owner's end without completion is a completion with an error, so that a
// driver can lose a call but never leave the host waiting for it.
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
  // COMPLETE lays the result out and completes with it.
  DROVER_SDK_ONCE void CompleteBy(Ref<> complete) noexcept {
    if (Guard(nullptr, complete) == DROVER_OK) return;
    Fail(Error(Code::kResourceExhausted, "the driver is out of memory"));
  }
  DROVER_SDK_ONCE void Fail(const Error& error) noexcept {
    drover_error out = EmptyError();
    FillError(&out, error);
    Complete(&out, nullptr);
  }
  // WORK completes; what it throws is the answer.
  DROVER_SDK_ONCE void Try(Ref<> work) noexcept {
    try {
      work();
    } catch (...) {
      Fail(CurrentError());
    }
  }
  // The verb was refused: the host does not expect a completion. False if there was one.
  DROVER_SDK_ONCE bool Disarm() noexcept {
    if (completed_.exchange(true)) return false;
    Forget();
    return true;
  }

  // The host has given the call up, or, with a reason, the instance ends.
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

// What every call has; for blocking methods, which complete it by returning. [any-thread]
class CallView {
 public:
  explicit CallView(std::shared_ptr<abi::CallState> state) : state_(std::move(state)) {}

  std::uint64_t id() const { return state_->id(); }
  const RunId& run_id() const { return state_->run(); }
  // The host wants no answer any more; complete soon, with anything.
  bool cancelled() const { return state_->cancelled(); }
  // Time until the host calls the driver unhealthy; negative when it is over.
  Duration remaining() const {
    if (state_->deadline() == std::numeric_limits<std::int64_t>::max()) return Duration::max();
    return Duration(state_->deadline() - abi::BootNow());
  }
  // HEAR is called once, from a thread of the host's pool, when the call is cancelled; at once if
  // it is already. It replaces an earlier one, and goes with the completion.
  void OnCancel(std::function<void()> hear) const { state_->OnCancel(std::move(hear)); }
  // For a call that only waits: it fails when it is cancelled. Who keeps it may still complete it.
  void FailOnCancel() const {
    std::weak_ptr<abi::CallState> weak = state_;
    state_->OnCancel([weak] {
      if (auto state = weak.lock()) state->Fail(state->why_cancelled());
    });
  }
  // It has been completed, by whomever: nothing will come of it.
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
  // Completes with what WORK returns or throws.
  template <typename Work>
  void Run(Work&& work) const noexcept {
    state_->Try([&] { Complete(work()); });
  }
};

// Keeps CALL among those that wait for the same, without those that were given up meanwhile.
template <typename T>
void AddWaiter(std::vector<Call<T>>* waiters, Call<T> call) {
  waiters->erase(std::remove_if(waiters->begin(), waiters->end(),
                                [](const Call<T>& waiter) { return waiter.completed(); }),
                 waiters->end());
  waiters->push_back(std::move(call));
}

}  // namespace sdk_v1
}  // namespace drover
