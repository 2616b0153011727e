// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>

#include "drover/drover.h"
#include "host/base/live_count.h"
#include "host/base/loop_port.h"
#include "host/device/device_group.h"
#include "host/driver/driver.h"

namespace drover {

using StreamMessage =
    std::variant<Fingerprint, DriverEvent, TaskUsage, DeviceGroups, DeviceStats, TaskNews>;

// The streams on which a driver sends messages, by id. A message is copied on the thread that sends
// it. The control thread then passes the messages of a stream on in the sequence in which they were
// sent. If the queue of a stream is full, a new fingerprint or sample replaces the newest message
// in the queue, and a new event is lost. Held by shared_ptr, so that posted functions can hold a
// weak pointer.
class StreamTable : public std::enable_shared_from_this<StreamTable> {
 public:
  // Calls COMPLAIN, on any thread, with an error text for each malformed message.
  StreamTable(std::shared_ptr<LoopPort> port, std::function<void(const std::string&)> complain)
      : port_(std::move(port)), complain_(std::move(complain)) {}

  // Opens a stream for messages of TYPE and returns its id. HEAR is called for each message. END is
  // called once when the driver has ended the stream, with the driver's error if there is an error.
  // Both functions are called on the control thread. Neither is called after Close. Control thread.
  std::uint64_t Open(std::int32_t type, std::function<void(StreamMessage)> hear,
                     std::function<void(std::optional<Error>)> end);
  // Closes a stream whose messages are no longer needed. Later messages are dropped. Control
  // thread.
  void Close(std::uint64_t id);

  // Send and End implement the host's functions stream_send and stream_end. [any thread]
  std::int32_t Send(std::uint64_t id, const drover_message* message);
  void End(std::uint64_t id, const drover_error* error);

  std::size_t size() const;
  // The number of open streams of all drivers, for the metrics.
  static long live() { return Stream::live(); }
  // late() counts messages for a stream that is closed or was never opened. lost() counts events
  // that a full queue has lost.
  long late() const { return late_; }
  long lost() const { return lost_; }

 private:
  struct Stream : LiveCount<Stream> {
    std::int32_t type = 0;
    std::deque<StreamMessage> queue;
    bool posted = false;
    bool ended = false;
    std::optional<Error> error;
    std::function<void(StreamMessage)> hear;
    std::function<void(std::optional<Error>)> end;
  };
  static constexpr std::size_t kMaxQueue = 256;

  static Result<StreamMessage> Decode(std::int32_t type, const drover_message* message);
  void PostDrain(std::uint64_t id, Stream* stream);
  void Drain(std::uint64_t id);

  const std::shared_ptr<LoopPort> port_;
  const std::function<void(const std::string&)> complain_;
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Stream>> streams_;
  std::atomic<long> late_{0};
  std::atomic<long> lost_{0};
};

}  // namespace drover
