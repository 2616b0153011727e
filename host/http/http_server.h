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

// Answers one request, on the thread of the request's connection. If the handler returns without
// an answer or throws an exception, the server answers 500.
using HttpHandler = std::function<Co<void>(HttpExchange*)>;

// An HTTP/1.1 server that does not depend on the content that it serves. The server has threads of
// its own, each with a loop. Each connection belongs to one of these threads. Do not call Stop on
// these threads.
class HttpServer {
 public:
  // Starts a server. The server listens when this call returns. HANDLER must be callable from
  // several threads.
  static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // Replaces the certificate and the TLS rules for connections that come from now on. TLS must be
  // enabled in the options. See TlsContext::Load. [any thread]
  void UseTls(std::shared_ptr<TlsContext> tls);

  int port() const;         // the port in use, even if the options have 0
  int connections() const;  // the present number of connections, for a metric

  // Stops accepting connections, and ends the contexts of all exchanges. Returns when all handlers
  // have returned and all connections are closed.
  void Stop();

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
