// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "host/api/http_message.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace drover {

struct WebSocketMessage {
  bool text = true;  // else binary
  std::string bytes;
};

// The two directions of an upgraded connection. One reader at a time; writers take turns. Pings are
// sent and answered by itself. Belongs to its exchange, and to the exchange's thread.
class WebSocketChannel {
 public:
  virtual ~WebSocketChannel() = default;

  // The next message. Code::kUnavailable when the client has closed the connection or has gone; the
  // error of the context when that ends first, and then nothing is lost.
  virtual Co<Result<WebSocketMessage>> Read(Context context) = 0;
  // Returns when the message has been given to the system. A write that has begun is not ended by
  // its context but by the server's write_stall.
  virtual Co<Status> Write(Context context, bool text, std::string bytes) = 0;
  // Says why (1000 is "normal") and ends the connection within a second; what is read later is
  // Code::kUnavailable.
  virtual Co<Status> Close(int code, std::string reason) = 0;
};

// Bytes that many streams send: they are kept once, framed as a chunk of HTTP, too.
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
// returned; everything here is for that thread, and one call follows the other.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  // Its body is gone once the answer has begun: that may take as long as the client likes.
  virtual const HttpRequest& request() const = 0;
  virtual Loop* loop() = 0;
  // Ends when the client has gone or the server stops. A client that only closes its sending side
  // counts as gone when it has been sent nothing for a second.
  virtual const Context& context() const = 0;

  // The client has shown that it may use the server: its connection is not closed any more to make
  // room for others, and the messages of its websocket may be large. Until then its first message
  // is read, a small one, and nothing behind it.
  virtual void Trust() {}

  // The whole answer, once. Code::kUnavailable: the client has gone or does not read.
  virtual Co<Status> Reply(HttpReply reply) = 0;
  // An answer of unknown length: HEAD's body is ignored, what Write sends follows. It ends when the
  // handler returns; when the handler throws, the client sees it cut short.
  virtual Co<Status> StartStream(HttpReply head) = 0;
  // Sends at once, and waits while the client is slow: at most write_stall without any progress.
  virtual Co<Status> Write(std::string bytes) = 0;
  // The same of what others send, too, without a copy where there need be none.
  virtual Co<Status> WriteShared(std::shared_ptr<const SharedPiece> piece) {
    std::string bytes(piece->plain());
    co_return co_await Write(std::move(bytes));
  }

  // Accepts the upgrade that the client asks for. An error means that it asked for none, or
  // wrongly; the handler may then Reply. The channel is the exchange's.
  virtual Co<Result<WebSocketChannel*>> AcceptWebSocket() = 0;
};

}  // namespace drover
