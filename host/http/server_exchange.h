// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/http/byte_budget.h"
#include "host/http/byte_input.h"
#include "host/http/byte_output.h"
#include "host/http/gzip_encoder.h"
#include "host/http/http_exchange.h"
#include "host/http/http_options.h"
#include "host/http/reply_head.h"
#include "host/http/websocket.h"

namespace drover {

// The exchange of a connection. It frames the answer, and notices when the client has
// disconnected.
class ServerExchange : public HttpExchange {
 public:
  struct Parts {
    Loop* loop;
    ByteStream* stream;
    ByteInput* input;
    ByteOutput* output;
    const HttpServerOptions* options;
    bool http_1_0;
    bool keep_alive;          // whether the client wants to keep the connection open
    ByteBudget::Share* body;  // the room of the request's body
    std::function<void()> trust;
  };

  ServerExchange(Parts parts, Context stop, HttpRequest request);
  ~ServerExchange() override;

  const HttpRequest& request() const override { return request_; }
  Loop* loop() override { return parts_.loop; }
  const Context& context() const override { return context_; }
  void Trust() override;
  Co<Status> Reply(HttpReply reply) override;
  Co<Status> StartStream(HttpReply head) override;
  Co<Status> Write(std::string bytes) override;
  Co<Status> WriteShared(std::shared_ptr<const SharedPiece> piece) override;
  Co<Result<WebSocketChannel*>> AcceptWebSocket() override;

  // Ends the answer when the handler has returned. FAILED is set if the handler threw an
  // exception, and THROWN is the text of the exception.
  Co<void> Finish(bool failed, std::string thrown);
  // Returns whether another request may follow on the connection.
  bool keep_alive() const { return keep_alive_; }

 private:
  enum class Answer { kNone, kStream, kWebSocket, kDone };

  void LetGoOfBody();
  void WatchHalfClosed();
  bool WantsGzip(const HttpReply& reply) const;
  std::string Chunk(std::string bytes) const;
  Co<Status> Send(std::string bytes);
  // If STATUS is an error, records that the client has disconnected. Returns STATUS.
  Status Sent(Status status);

  Parts parts_;
  Context context_;
  HttpRequest request_;
  Answer answer_ = Answer::kNone;
  bool keep_alive_;
  bool bodyless_ = false;  // set for HEAD and for a status without a body
  bool chunked_ = false;
  std::unique_ptr<GzipEncoder> gzip_;  // exists for a stream if the client wants gzip
  std::unique_ptr<WebSocket> websocket_;
  Loop::TimerId half_closed_timer_ = 0;
  Subscription on_end_;
};

}  // namespace drover
