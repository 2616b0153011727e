// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "host/base/co.h"
#include "host/base/result.h"
#include "host/http/http_exchange.h"
#include "host/http/http_options.h"

namespace drover {

class TlsContext;

// Answers one request; called on the thread of its connection. Returning without an answer means
// 500, and so does an exception.
using HttpHandler = std::function<Co<void>(HttpExchange*)>;

// An HTTP/1.1 server that knows nothing about its content. It has threads of its own, each with a
// loop; a connection belongs to one of them. Do not call Stop on these threads.
class HttpServer {
 public:
  // The server listens when this returns. The handler must be callable from several threads.
  static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Replaces the certificate and rules for connections that come from now on. The options must have
  // enabled TLS. See TlsContext::Load. [any thread]
  void UseTls(std::shared_ptr<TlsContext> tls);

  int port() const;         // the port in use, also if the options say 0
  int connections() const;  // their present number; a metric

  // Stops accepting, ends the contexts of all exchanges, and returns when their handlers have
  // returned and all connections are closed.
  void Stop();

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
