// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/live_count.h"
#include "host/http/http_exchange.h"

namespace drover {

// An answer that goes on as long as its client stays. While nothing else is written, heartbeats
// show the client that the stream lives. Used on the thread of its exchange; call End before its
// destruction.
class LiveStream : public LiveCount<LiveStream> {
 public:
  // EXCHANGE outlives it.
  explicit LiveStream(HttpExchange* exchange)
      : exchange_(exchange),
        context_(exchange->context().Child()),
        written_(exchange->loop()),
        background_(exchange->loop()) {}

  // Sends the head, and from then on HEARTBEAT whenever INTERVAL has passed without a write. Empty:
  // never. Code::kCancelled: the client has asked for the head only.
  Co<Status> Start(HttpReply head, std::string heartbeat, Duration interval);
  // Writers take turns. Waits while the client is slow; Code::kUnavailable when it has gone.
  Co<Status> Write(std::string bytes);
  // The same for bytes that other streams send too.
  Co<Status> WriteShared(std::shared_ptr<const SharedPiece> piece);
  // Returns when no heartbeat runs any more. The answer ends when the handler returns.
  Co<void> End();

  // Ends when the client has gone, when the server stops, and by End.
  const Context& context() const { return context_; }

 private:
  Co<void> Beat(std::string heartbeat, Duration interval);
  // Begin waits for the turn to write, and Done ends it. An error ends the stream. Done returns
  // STATUS.
  Co<Status> Begin();
  Status Done(Status status);

  HttpExchange* const exchange_;
  const Context context_;
  bool writing_ = false;
  TimePoint last_write_;
  Event written_;
  Gate background_;
};

}  // namespace drover
