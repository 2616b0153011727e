// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/http/http_message.h"

namespace drover {

class Loop;

struct HttpTls {
  std::string cert_file;  // a PEM file with the certificate chain; empty without TLS
  std::string key_file;   // a PEM file
  std::string ca_file;    // a PEM file with the authority for clients' certificates
  bool verify_client = false;

  bool enabled() const { return !cert_file.empty(); }
};

// The address and the limits of an HTTP server. A limit of 0 connections means no limit.
// ConnectionTable decides which connection is closed when there are too many.
struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IP address
  int port = 4646;                    // 0 means any free port
  int threads = 2;
  HttpTls tls;

  // The names that a Host header may have besides "localhost" and IP addresses. The server checks
  // the header only if IsLocalOnly returns true. Another name then indicates DNS rebinding.
  std::vector<std::string> hosts;
  // Further origins whose pages may use the server, such as "https://ui.example:8443". The
  // server's own origin is always allowed.
  std::vector<std::string> origins;

  // The server calls this function after the head of a request has come, and before it takes room
  // for the body. The function returns false if nobody needs the body. The body is then read and
  // discarded, and the handler gets an empty body. If the function returns an error, the request
  // is refused with the error's message and 403, or with 429 if the code is kResourceExhausted. The
  // request has no body yet, and LOOP is that of the calling thread. If the function is null, all
  // bodies are kept. Several threads call the function.
  std::function<Result<bool>(const HttpRequest& request, Loop* loop)> wants_body;

  int max_connections = 4096;
  // The maximum number of connections of one client. Each user of this machine is one client, and
  // so is each IP address of another machine.
  int max_connections_per_client = 2048;
  std::size_t max_header_bytes = 16 << 10;
  std::size_t max_body_bytes = 8 << 20;
  // The maximum total size of the bodies that are being read or handled. Bodies of at most
  // small_body_bytes have a separate limit, so that they never wait for a few large bodies.
  // ByteBudget decides whose turn is next.
  std::size_t max_total_body_bytes = 32 << 20;
  std::size_t max_total_small_body_bytes = 16 << 20;
  std::size_t small_body_bytes = 64 << 10;
  std::size_t max_message_bytes = 1 << 20;  // maximum size of one websocket message
  // The maximum size of a websocket message before HttpExchange::Trust is called.
  std::size_t max_first_message_bytes = 4 << 10;

  Duration header_time = 10s;  // limit for a TLS handshake, and for a head from its first byte
  Duration body_wait = 30s;    // limit until there is room for a body; see max_total_body_bytes
  Duration body_time = 60s;    // limit for a whole body, after there is room for it
  Duration idle_time = 120s;   // limit until the first byte of a request comes
  Duration write_stall = 30s;  // limit for a write without any progress
  // After the client has closed its sending side, the context of the exchange ends when the server
  // has sent nothing for this time. See HttpExchange.
  Duration half_close_time = 1s;
  Duration linger_time = 1s;  // limit for the client to close after the last answer
  Duration stop_time = 1s;    // limit for unfinished answers when the server stops
  // The time between the pings of a websocket. A client that sends nothing for two intervals is
  // treated as disconnected.
  Duration ping_interval = 20s;
};

}  // namespace drover
