// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

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
  // EXCHANGE must outlive this object. MAY_GO_ON is called before each write, also of a heartbeat.
  // If it returns an error, nothing is written any more, and the stream ends. It may be empty.
  explicit LiveStream(HttpExchange* exchange, std::function<Status()> may_go_on = nullptr)
      : exchange_(exchange),
        may_go_on_(std::move(may_go_on)),
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
  // Every write calls Begin first and Done last. Begin waits until no other writer writes, and
  // returns an error if the client may not have the answer any more. Done lets the next writer
  // begin, and returns STATUS. If STATUS is an error, the stream ends.
  Co<Status> Begin();
  Status Done(Status status);

  HttpExchange* const exchange_;
  const std::function<Status()> may_go_on_;
  const Context context_;
  bool writing_ = false;
  TimePoint last_write_;
  Event written_;
  Gate background_;
};

}  // namespace drover
