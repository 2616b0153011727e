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
#include "host/driver/driver.h"

namespace drover {

using StreamMessage = std::variant<Fingerprint, DriverEvent, TaskUsage>;

// The streams on which a driver sends, by id. Messages are copied where they arrive and handed out
// on the control thread, in order. A driver that sends faster than they are taken loses: of
// fingerprints and samples all but the newest, of events those that come too late. Held by
// shared_ptr, so that what is posted can find it gone.
class StreamTable : public std::enable_shared_from_this<StreamTable> {
 public:
  // COMPLAIN hears of broken messages. [any thread]
  StreamTable(std::shared_ptr<LoopPort> port, std::function<void(const std::string&)> complain)
      : port_(std::move(port)), complain_(std::move(complain)) {}

  // Opens a stream of messages of TYPE. Both functions are called on the control thread, HEAR for
  // each message, END once, without error when the driver has ended the stream. Neither after
  // Close. Control thread.
  std::uint64_t Open(std::int32_t type, std::function<void(StreamMessage)> hear,
                     std::function<void(std::optional<Error>)> end);
  // A stream that nobody wants any more: late messages meet nobody. Control thread.
  void Close(std::uint64_t id);

  // host->stream_send and stream_end. [any thread]
  std::int32_t Send(std::uint64_t id, const drover_message* message);
  void End(std::uint64_t id, const drover_error* error);

  std::size_t size() const;
  static long live() { return Stream::live(); }  // of all drivers; a metric
  // Messages that met no stream, since it was closed or never opened; and events that were lost.
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
