// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "drover/error.hpp"
#include "engine/http_client.h"

namespace drover_docker {

// Reads any number of long answers (logs, statistics, events) on one thread. A second thread
// connects, so an engine that hangs delays no answer that has begun. [any-thread]
class StreamLoop {
 public:
  enum class Next {
    kMore,  // goes on
    kStop,  // ends the stream without an error
    kWait,  // reads nothing more until wait_fd takes bytes; then Resume is called
  };
  // All functions run on the loop's thread, must not block and must not throw.
  struct Handlers {
    std::function<void(const HttpHead&)> begin;  // may be null; the answer has a status 200 to 299
    std::function<Next(std::string_view)> take;  // a piece of the body, at most 16 KiB
    std::function<Next()> resume;                // after kWait; may be null if take never waits
    std::function<int()> wait_fd;                // the descriptor that must take bytes
    // Called once, as the last. ERROR is absent if the answer was complete, or after kStop.
    std::function<void(std::optional<drover::Error> error)> end;
  };

  // CLIENT must outlive the loop.
  explicit StreamLoop(const HttpClient* client);
  StreamLoop(const StreamLoop&) = delete;
  StreamLoop& operator=(const StreamLoop&) = delete;
  // Ends all streams with Error(kCancelled) and joins the threads.
  ~StreamLoop();

  // Begins a stream. limits.total and max_body do not count here; first_byte and silence do.
  // Returns its number. At most 4096 streams are open; END of one above it gets
  // Error(kResourceExhausted).
  std::uint64_t Open(HttpRequest request, HttpLimits limits, Handlers handlers);
  // Ends a stream soon, with Error(kCancelled). Returns at once. A number without a stream is
  // ignored.
  void Cancel(std::uint64_t number);
  // Runs WORK on the loop's thread at TIME, or when the loop ends if that is earlier.
  void At(SteadyTime time, std::function<void()> work);

 private:
  class Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace drover_docker
