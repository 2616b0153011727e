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
  bool text = true;  // whether the message is text; else binary
  std::string bytes;
};

// The two directions of an upgraded connection. Only one reader may wait at a time, and writers
// take turns. The channel sends pings and answers the pings of the client, so its user need not do
// this. The channel belongs to its exchange and to the exchange's thread.
class WebSocketChannel {
 public:
  virtual ~WebSocketChannel() = default;

  // Returns the next message. Returns Code::kUnavailable if the client has closed the connection
  // or has disconnected. If CONTEXT ends first, returns the context's error, and no message is
  // lost.
  virtual Co<Result<WebSocketMessage>> Read(Context context) = 0;
  // Returns when the operating system has taken the message. The end of CONTEXT does not end a
  // write that has begun. Only the server's write_stall limits such a write.
  virtual Co<Status> Write(Context context, bool text, std::string bytes) = 0;
  // Sends CODE and REASON, and ends the connection within a second. The CODE 1000 means "normal".
  // Later reads return Code::kUnavailable.
  virtual Co<Status> Close(int code, std::string reason) = 0;
};

// Bytes that many streams send. They are stored once, in the form of an HTTP chunk.
class SharedPiece {
 public:
  // BYTES must not be empty.
  explicit SharedPiece(std::string_view bytes);

  std::string_view plain() const { return chunk().substr(begin_, size_); }
  std::string_view chunk() const { return chunk_; }

 private:
  std::string chunk_;
  std::size_t begin_ = 0;
  std::size_t size_ = 0;
};

// One request and its answer. The exchange lives on the thread of its connection until the
// handler's coroutine has returned. All calls must be made on that thread, one after the other.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  // Returns the request. The body of the request is dropped when the answer begins, because the
  // answer may take as long as the client likes.
  virtual const HttpRequest& request() const = 0;
  virtual Loop* loop() = 0;
  // Returns a context that ends when the client has disconnected or the server stops. If a client
  // closes only its sending side, the context ends as soon as the server has sent nothing to the
  // client for a second.
  virtual const Context& context() const = 0;

  // Call it when the client has shown that it may use the server. From then on, the connection is
  // not closed to make room for others, and the messages of its websocket may be large. Before
  // this call, the websocket reads only the first message, which must be small.
  virtual void Trust() {}

  // Sends the whole answer. Call it once. Returns Code::kUnavailable if the client has
  // disconnected or does not read.
  virtual Co<Status> Reply(HttpReply reply) = 0;
  // Begins an answer of unknown length, to which Write adds bytes. The answer ends when the
  // handler returns. If the handler throws, the connection is closed and the client's answer is
  // incomplete.
  virtual Co<Status> StartStream(HttpReply head) = 0;
  // Sends BYTES without a delay. Waits while the client is slow, but at most write_stall without
  // any progress. Returns Code::kCancelled if the answer has no body, such as the answer to a
  // HEAD. The handler then need not make more bytes.
  virtual Co<Status> Write(std::string bytes) = 0;
  // Does the same as Write for a PIECE that other streams send too, but without a copy where
  // possible.
  virtual Co<Status> WriteShared(std::shared_ptr<const SharedPiece> piece) {
    std::string bytes(piece->plain());
    co_return co_await Write(std::move(bytes));
  }

  // Accepts the upgrade to a websocket that the client requests. An error means that the request
  // is not a correct request for an upgrade, and the handler may then call Reply. The exchange
  // owns the channel.
  virtual Co<Result<WebSocketChannel*>> AcceptWebSocket() = 0;
};

}  // namespace drover
