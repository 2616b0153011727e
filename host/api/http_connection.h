// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "host/api/browser_check.h"
#include "host/api/byte_budget.h"
#include "host/api/byte_input.h"
#include "host/api/byte_output.h"
#include "host/api/byte_stream.h"
#include "host/api/http_server.h"
#include "host/api/request_parser.h"
#include "host/base/gate.h"
#include "host/base/live_count.h"

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
  HttpConnection(Context stop, HttpService* service, std::unique_ptr<ByteStream> stream,
                 std::string remote);
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

  Co<bool> Handshake();
  Co<bool> ServeRequest();
  Co<bool> FirstByte();
  // Returns false if PART could not be read; a client that was wrong or slow got its answer.
  Co<bool> Read(RequestParser* parser, Part part);
  // The same for a body, whose room is held in SHARE.
  Co<bool> ReadBody(RequestParser* parser, ByteBudget::Share* share);
  Co<bool> Handle(RequestParser* parser);
  Co<void> Refuse(int status, std::string text);
  Co<void> End();

  Context stop_;
  HttpService* service_;
  const HttpServerOptions& options_;
  std::unique_ptr<ByteStream> stream_;
  std::string remote_;
  ByteInput input_;
  ByteOutput output_;
  Gate gate_;
  Loop::TimerId stop_timer_ = 0;
  Subscription on_stop_;
  std::function<void()> trust_ = [] {};
  bool linger_ = false;  // the client has an answer to read before we close
};

}  // namespace drover
