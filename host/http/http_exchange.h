// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/result.h"
#include "host/http/http_message.h"

namespace drover {

struct WebSocketMessage {
  bool text = true;  // else binary
  std::string bytes;
};

// The two directions of an upgraded connection. One reader at a time; writers take turns. The
// channel sends and answers pings itself. Belongs to its exchange, and to the exchange's thread.
class WebSocketChannel {
 public:
  virtual ~WebSocketChannel() = default;

  // Returns the next message. Code::kUnavailable: the client has closed the connection or has gone.
  // If the context ends first, returns its error, and no message is lost.
  virtual Co<Result<WebSocketMessage>> Read(Context context) = 0;
  // Returns when the system has the message. CONTEXT does not end a write that has begun; the
  // server's write_stall does.
  virtual Co<Status> Write(Context context, bool text, std::string bytes) = 0;
  // Sends CODE (1000 is "normal") and REASON, and ends the connection within a second. Later reads
  // return Code::kUnavailable.
  virtual Co<Status> Close(int code, std::string reason) = 0;
};

// Bytes that many streams send. They are stored once, framed as a chunk of HTTP.
class SharedPiece {
 public:
  // BYTES are not empty.
  explicit SharedPiece(std::string_view bytes);

  std::string_view plain() const { return chunk().substr(begin_, size_); }
  std::string_view chunk() const { return chunk_; }

 private:
  std::string chunk_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

// One request and its answer. It lives on its connection's thread until the handler's coroutine has
// returned. All calls are made on that thread, one after the other.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  // The request's body is dropped when the answer begins, as that may take as long as the client
  // likes.
  virtual const HttpRequest& request() const = 0;
  virtual Loop* loop() = 0;
  // Ends when the client has gone or the server stops. A client that only closes its sending side
  // counts as gone after nothing was sent to it for a second.
  virtual const Context& context() const = 0;

  // The client has shown that it may use the server: from now on its connection is not closed to
  // make room for others, and the messages of its websocket may be large. Before, only its first
  // message is read, which must be small.
  virtual void Trust() {}

  // Sends the whole answer, once. Code::kUnavailable: the client has gone or does not read.
  virtual Co<Status> Reply(HttpReply reply) = 0;
  // Begins an answer of unknown length; the bytes of Write follow. The answer ends when the handler
  // returns. If the handler throws, the client gets it cut short.
  virtual Co<Status> StartStream(HttpReply head) = 0;
  // Sends at once, and waits while the client is slow: at most write_stall without any progress.
  // Code::kCancelled: the answer has no body, as that of HEAD, so nothing more needs to be made.
  virtual Co<Status> Write(std::string bytes) = 0;
  // The same for bytes that other streams send too; avoids a copy where possible.
  virtual Co<Status> WriteShared(std::shared_ptr<const SharedPiece> piece) {
    std::string bytes(piece->plain());
    co_return co_await Write(std::move(bytes));
  }

  // Accepts the upgrade that the client asks for. An error means that its request is not a correct
  // one for an upgrade; the handler may then Reply. The exchange owns the channel.
  virtual Co<Result<WebSocketChannel*>> AcceptWebSocket() = 0;
};

}  // namespace drover
