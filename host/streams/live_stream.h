// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/base/live_count.h"
#include "host/http/http_exchange.h"

namespace drover {

// An answer that continues until its client disconnects. While nothing else is written, heartbeats
// show the client that the stream is alive. Use the object only on the thread of its exchange, and
// call End before the object is destroyed.
class LiveStream : public LiveCount<LiveStream> {
 public:
  // EXCHANGE must outlive this object.
  explicit LiveStream(HttpExchange* exchange)
      : exchange_(exchange),
        context_(exchange->context().Child()),
        written_(exchange->loop()),
        background_(exchange->loop()) {}

  // Sends HEAD. From then on, sends HEARTBEAT whenever nothing was written for INTERVAL. If
  // HEARTBEAT is empty, sends no heartbeats. Returns Code::kCancelled if the client has requested
  // the head only.
  Co<Status> Start(HttpReply head, std::string heartbeat, Duration interval);
  // Writes BYTES. Several writers take turns. Waits while the client is slow, and returns
  // Code::kUnavailable when the client has disconnected.
  Co<Status> Write(std::string bytes);
  // Writes a PIECE that other streams send too. Waits and fails as Write does.
  Co<Status> WriteShared(std::shared_ptr<const SharedPiece> piece);
  // Stops the heartbeats. Returns when no heartbeat is being written. The answer itself ends when
  // the handler of the request returns.
  Co<void> End();

  // Returns the context of the stream. It ends when the client has disconnected, when the server
  // stops, or when End is called.
  const Context& context() const { return context_; }

 private:
  Co<void> Beat(std::string heartbeat, Duration interval);
  // Every write calls Begin first and Done last. Begin waits until no other writer writes. Done
  // lets the next writer begin, and returns STATUS. If STATUS is an error, the stream ends.
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
