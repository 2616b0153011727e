// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "host/base/gate.h"
#include "host/base/live_count.h"
#include "host/http/browser_check.h"
#include "host/http/byte_budget.h"
#include "host/http/byte_input.h"
#include "host/http/byte_output.h"
#include "host/http/byte_stream.h"
#include "host/http/http_server.h"
#include "host/http/request_parser.h"

namespace drover {

// The state that all connections of a server share.
struct HttpService {
  HttpService(HttpServerOptions given, HttpHandler answers)
      : options(std::move(given)),
        handler(std::move(answers)),
        bodies(options.max_total_body_bytes),
        small_bodies(options.max_total_small_body_bytes),
        local_only(IsLocalOnly(options)) {}

  const HttpServerOptions options;
  const HttpHandler handler;
  ByteBudget bodies;
  ByteBudget small_bodies;
  const bool local_only;
};

// The connection of one client. It reads the client's requests one after the other, and calls the
// server's handler to answer each request. Use it on one thread only.
class HttpConnection : LiveCount<HttpConnection> {
 public:
  // REMOTE is the address of the client, and CLIENT is the name of the client in ConnectionTable.
  HttpConnection(Context stop, HttpService* service, std::unique_ptr<ByteStream> stream,
                 std::string remote, std::string client);
  ~HttpConnection();

  // Serves the client. Returns when the connection is closed.
  Co<void> Serve();
  // Answers that there are too many connections, and serves no request. Returns when the
  // connection is closed.
  Co<void> TurnAway();
  // Closes the connection at once.
  void Drop() { stream_->Close(); }
  // Sets the function TRUST. It is called when the client has shown that it may use the server.
  void OnTrust(std::function<void()> trust) { trust_ = std::move(trust); }
  // Sets the function IDLE. It is called with true when the wait for a request begins, and with
  // false when this wait ends.
  void OnIdle(std::function<void(bool)> idle) { idle_ = std::move(idle); }

  using LiveCount::live;

 private:
  enum class Part { kHead, kAll };
  using Refusal = RequestParser::Refusal;

  Co<bool> Handshake();
  Co<bool> ServeRequest();
  Co<bool> FirstByte();
  // Reads PART of a request, and returns nothing if all of PART has come. Otherwise returns the
  // answer to the client. Such an answer is necessary if the request is invalid or comes too
  // slowly, or if the context READING has ended. READING ends when other clients need the room of
  // the body. The status is 0 if no answer must be sent, because the client has disconnected or
  // the server stops.
  Co<std::optional<Refusal>> Read(RequestParser* parser, Part part, Context reading);
  // Reads the body of a request, and returns the same as Read. Discards a body that no handler
  // needs, and refuses a body that the client may not send. If the body is kept, SHARE holds its
  // room.
  Co<std::optional<Refusal>> TakeBody(RequestParser* parser, ByteBudget::Share* share);
  // Reads and keeps the body of a request, and returns the same as Read.
  Co<std::optional<Refusal>> ReadBody(RequestParser* parser, ByteBudget::Share* share);
  // Fills in what REQUEST says about its client.
  void DescribeClient(HttpRequest* request) const;
  // Calls the handler to answer the request. BODY is the room of the request's body. Returns
  // whether another request may follow on the connection.
  Co<bool> Handle(RequestParser* parser, ByteBudget::Share* body);
  Co<void> Refuse(Refusal refusal);
  Co<void> End();

  Context stop_;
  HttpService* service_;
  const HttpServerOptions& options_;
  std::unique_ptr<ByteStream> stream_;
  std::string remote_;
  std::string client_;
  ByteInput input_;
  ByteOutput output_;
  Gate gate_;
  Loop::TimerId stop_timer_ = 0;
  Subscription on_stop_;
  std::function<void()> trust_ = [] {};
  std::function<void(bool)> idle_ = [](bool) {};
  bool linger_ = false;  // whether the client must read an answer before the close
};

}  // namespace drover
