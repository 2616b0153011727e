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

// One client: reads its requests one after the other and has each answered. One thread.
class HttpConnection : LiveCount<HttpConnection> {
 public:
  // REMOTE is the client's address; CLIENT is its name in ConnectionTable.
  HttpConnection(Context stop, HttpService* service, std::unique_ptr<ByteStream> stream,
                 std::string remote, std::string client);
  ~HttpConnection();

  // Returns when the connection is closed.
  Co<void> Serve();
  // The same, but only answers that there are too many connections.
  Co<void> TurnAway();
  // Ends it at once.
  void Drop() { stream_->Close(); }
  // Calls TRUST when the client has shown that it may use the server.
  void OnTrust(std::function<void()> trust) { trust_ = std::move(trust); }

  using LiveCount::live;

 private:
  enum class Part { kHead, kAll };
  using Refusal = RequestParser::Refusal;

  Co<bool> Handshake();
  Co<bool> ServeRequest();
  Co<bool> FirstByte();
  // Returns nothing if all of PART has come. Otherwise returns the answer for a client that is
  // wrong or slow, or that must give way to others because READING has ended. Status 0: no answer,
  // as the client has gone or the server stops.
  Co<std::optional<Refusal>> Read(RequestParser* parser, Part part, Context reading);
  // As Read, for a body. Discards a body that no handler needs, and refuses one that the client may
  // not send. Otherwise SHARE holds the room of the body.
  Co<std::optional<Refusal>> TakeBody(RequestParser* parser, ByteBudget::Share* share);
  // As Read, for a body that is kept.
  Co<std::optional<Refusal>> ReadBody(RequestParser* parser, ByteBudget::Share* share);
  // BODY is the room of the request's body.
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
  bool linger_ = false;  // the client has an answer to read before we close
};

}  // namespace drover
