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

// The connection of one client. It reads the client's requests one after the other and has each
// request answered. Use it on one thread only.
class HttpConnection : LiveCount<HttpConnection> {
 public:
  // REMOTE is the address of the client, and CLIENT is its name in ConnectionTable.
  HttpConnection(Context stop, HttpService* service, std::unique_ptr<ByteStream> stream,
                 std::string remote, std::string client);
  ~HttpConnection();

  // Serves the client. Returns when the connection is closed.
  Co<void> Serve();
  // Only answers that there are too many connections. Returns when the connection is closed.
  Co<void> TurnAway();
  // Closes the connection at once.
  void Drop() { stream_->Close(); }
  // Sets the function TRUST. It is called when the client has shown that it may use the server.
  void OnTrust(std::function<void()> trust) { trust_ = std::move(trust); }

  using LiveCount::live;

 private:
  enum class Part { kHead, kAll };
  using Refusal = RequestParser::Refusal;

  Co<bool> Handshake();
  Co<bool> ServeRequest();
  Co<bool> FirstByte();
  // Returns nothing if all of PART has come. Otherwise returns the answer for the client, which
  // was wrong or slow, or must give way to others. The client must give way to others if READING
  // has ended. The status of the answer is 0 if there is no answer, because the client has
  // disconnected or the server stops.
  Co<std::optional<Refusal>> Read(RequestParser* parser, Part part, Context reading);
  // Does the same as Read for a body. Discards a body that no handler needs, and refuses a body
  // that the client may not send. Otherwise SHARE holds the room of the body.
  Co<std::optional<Refusal>> TakeBody(RequestParser* parser, ByteBudget::Share* share);
  // Does the same as Read for a body that is kept.
  Co<std::optional<Refusal>> ReadBody(RequestParser* parser, ByteBudget::Share* share);
  // Has the request answered. BODY is the room of the request's body.
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
  bool linger_ = false;  // whether the client must read an answer before the close
};

}  // namespace drover
