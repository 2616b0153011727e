// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "drover/call.hpp"

// Streams of messages from a driver to the host.
namespace drover {
inline namespace sdk_v1 {

namespace abi {

class StreamState;

// The streams of an instance that have not ended.
class StreamTable {
 public:
  void Add(std::uint64_t id, const std::shared_ptr<StreamState>& stream) { open_.Add(id, stream); }
  DROVER_SDK_ONCE void Remove(std::uint64_t id) {
    std::lock_guard<std::mutex> lock(mutex_);
    open_.Remove(id);
    ended_.notify_all();
  }
  std::shared_ptr<StreamState> Find(std::uint64_t id) const { return open_.Find(id); }
  template <typename Visit>
  void ForAll(Visit&& visit) const {
    open_.ForAll(visit);
  }
  // Waits until the stream has ended and returns true. Returns false if it has not ended at
  // DEADLINE (in ns of CLOCK_BOOTTIME).
  DROVER_SDK_ONCE bool Join(std::uint64_t id, std::int64_t deadline) {
    // Limit the wait, so that wait_for does not overflow when it adds the current time.
    constexpr std::int64_t kLongest = std::int64_t{1000} * 24 * 3600 * 1000000000;
    std::int64_t now = BootNow();
    std::int64_t left = deadline <= now ? 0 : deadline - now;
    if (left > kLongest || left < 0) left = kLongest;
    std::unique_lock<std::mutex> lock(mutex_);
    return ended_.wait_for(lock, std::chrono::nanoseconds(left), [&] { return !open_.Has(id); });
  }

 private:
  std::mutex mutex_;  // locked during a removal, so that a waiting Join notices the removal
  std::condition_variable ended_;
  OpenTable<StreamState> open_;
};

// One stream. SENDING_ is locked while a message is sent and while the stream ends. So no message
// follows the end, even if the driver still calls Send. A cancellation ends the stream at once.
class StreamState {
 public:
  StreamState(const drover_host* host, std::shared_ptr<StreamTable> table, std::uint64_t id)
      : host_(host), table_(std::move(table)), id_(id) {}
  StreamState(const StreamState&) = delete;
  StreamState& operator=(const StreamState&) = delete;
  ~StreamState() { End(nullptr); }

  std::uint64_t id() const { return id_; }
  bool cancelled() const { return cancelled_; }

  // Sends MESSAGE. Returns false if the stream is cancelled or has ended.
  DROVER_SDK_ONCE bool Send(const void* message) {
    bool go_on = false;
    {
      std::lock_guard<std::mutex> lock(sending_);
      if (!ended_ && !cancelled_) {
        go_on = host_->stream_send(host_, id_, static_cast<const drover_message*>(message)) == 0;
      }
    }
    if (!go_on) Cancel();
    return go_on && !EndIfCancelled();
  }

  DROVER_SDK_ONCE void End(const drover_error* error) noexcept {
    std::lock_guard<std::mutex> lock(sending_);
    EndLocked(error);
  }

  // Cancels the stream. Never blocks: if another thread is sending a message, that thread ends the
  // stream.
  DROVER_SDK_ONCE void Cancel() {
    std::function<void()> hear;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      cancelled_ = true;
      hear.swap(on_end_);
    }
    EndIfCancelled();
    if (hear) hear();
  }
  // Closes the stream of a verb that the driver has refused. The host does not know this stream, so
  // stream_end is not called.
  DROVER_SDK_ONCE void Disarm() noexcept {
    std::lock_guard<std::mutex> lock(sending_);
    if (ended_) return;
    ended_ = true;
    table_->Remove(id_);
  }
  DROVER_SDK_ONCE void OnCancel(std::function<void()> hear) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!cancelled_) {
        on_end_ = std::move(hear);
        return;
      }
    }
    hear();
  }

 private:
  DROVER_SDK_ONCE bool EndIfCancelled() {
    if (!cancelled_) return false;
    std::unique_lock<std::mutex> lock(sending_, std::try_to_lock);
    if (lock.owns_lock()) EndLocked(nullptr);
    return true;
  }
  void EndLocked(const drover_error* error) noexcept {
    if (ended_) return;
    ended_ = true;
    host_->stream_end(host_, id_, error);
    table_->Remove(id_);
  }

  const drover_host* const host_;
  const std::shared_ptr<StreamTable> table_;
  const std::uint64_t id_;
  std::atomic<bool> cancelled_{false};
  std::mutex sending_;
  bool ended_ = false;
  std::mutex mutex_;
  std::function<void()> on_end_;
};

}  // namespace abi

// A stream of messages of type T to the host. All copies are the same stream. The stream ends when
// its last copy is destroyed. [any-thread]
template <typename T>
class Stream {
 public:
  explicit Stream(std::shared_ptr<abi::StreamState> state) : state_(std::move(state)) {}

  // Sends MESSAGE. Returns false if the host wants no more messages. Then the stream has ended, and
  // the driver must not use the stream any more.
  bool Send(const T& message) const {
    bool go_on = false;
    abi::With(message, [&](const void* out) { go_on = state_->Send(out); });
    return go_on;
  }
  std::uint64_t id() const { return state_->id(); }
  bool cancelled() const { return state_->cancelled(); }
  // Calls HEAR once when the host cancels the stream, or at once if the stream is cancelled
  // already. HEAR must not block.
  void OnCancel(std::function<void()> hear) const { state_->OnCancel(std::move(hear)); }
  // Ends the stream without an error.
  void End() const { state_->End(nullptr); }
  // Ends the stream with an error. After a recoverable error the host subscribes again later.
  void Fail(const Error& error) const {
    drover_error out = abi::EmptyError();
    abi::FillError(&out, error);
    state_->End(&out);
  }

 private:
  std::shared_ptr<abi::StreamState> state_;
};

}  // namespace sdk_v1
}  // namespace drover
