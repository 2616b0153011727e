// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "host/api/http_exchange.h"
#include "host/api/http_options.h"
#include "host/base/co.h"
#include "host/base/result.h"

namespace drover {

class TlsContext;

// Answers one request; called on the thread of its connection. Returning without an answer means
// 500, and so does an exception.
using HttpHandler = std::function<Co<void>(HttpExchange*)>;

// An HTTP/1.1 server that knows nothing of what it serves. It has threads of its own, each with a
// loop; a connection belongs to one of them. Stop is not for these threads.
class HttpServer {
 public:
  // Listens when it returns. The handler must be callable from several threads.
  static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options, HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();

  // What connections that come from now on see instead of the certificate and rules of the options,
  // which must have had some; see TlsContext::Load. [any thread]
  void UseTls(std::shared_ptr<TlsContext> tls);

  int port() const;         // the real one
  int connections() const;  // right now; a metric

  // Accepts nothing more, ends the contexts of all exchanges and returns when their handlers have
  // returned and all is closed.
  void Stop();

 private:
  struct State;
  explicit HttpServer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
