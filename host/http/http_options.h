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

struct HttpTls {
  std::string cert_file;  // PEM, with its chain; empty: no TLS
  std::string key_file;   // PEM
  std::string ca_file;    // PEM; signs the clients' certificates
  bool verify_client = false;

  bool enabled() const { return !cert_file.empty(); }
};

// The address and the limits of an HTTP server. A limit of 0 connections means no limit.
// ConnectionTable decides which connection must go when there are too many.
struct HttpServerOptions {
  std::string address = "127.0.0.1";  // an IP address
  int port = 4646;                    // 0: any that is free
  int threads = 2;
  HttpTls tls;

  // If only this machine can connect, a Host header may have these names, "localhost" or an IP
  // address. Any other name comes from a browser that a foreign name has led here.
  std::vector<std::string> hosts;
  // Origins ("https://ui.example:8443"), beside the server's own, whose pages may use the server.
  std::vector<std::string> origins;

  // Called after the head of a request has come, before room for its body is taken. False: nobody
  // needs the body, so it is read and discarded, and the handler sees none. An error: the request
  // is refused (403) with its message. Null: all bodies are kept. Callable from several threads.
  std::function<Result<bool>(const HttpRequest& request)> wants_body;

  int max_connections = 4096;
  // Per user of this machine, or per IP address of other machines.
  int max_connections_per_client = 2048;
  std::size_t max_header_bytes = 16 << 10;
  std::size_t max_body_bytes = 8 << 20;
  // The bodies of all requests that are being read or handled have this room together. Bodies of at
  // most small_body_bytes have room of their own, so that they never wait for a few large ones.
  // ByteBudget decides whose turn is next.
  std::size_t max_total_body_bytes = 32 << 20;
  std::size_t max_total_small_body_bytes = 16 << 20;
  std::size_t small_body_bytes = 64 << 10;
  std::size_t max_message_bytes = 1 << 20;        // of a websocket
  std::size_t max_first_message_bytes = 4 << 10;  // until HttpExchange::Trust

  Duration header_time = 10s;     // for a TLS handshake; for a head, from its first byte
  Duration body_wait = 30s;       // for the turn of a body; see max_total_body_bytes
  Duration body_time = 60s;       // for a whole body, from its turn
  Duration idle_time = 120s;      // for the first byte of a request
  Duration write_stall = 30s;     // for some progress of a write
  Duration half_close_time = 1s;  // see HttpExchange::context
  Duration linger_time = 1s;      // for the client to close, after the last answer
  Duration stop_time = 1s;        // for answers that are under way when the server stops
  Duration ping_interval = 20s;   // of websockets; a client silent for two of them is gone
};

}  // namespace drover
