// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host/base/unique_fd.h"
#include "host/http/http_server.h"

namespace drover {

// An HTTP/1.1 server for many Unix sockets, which come and go. All of them are served by one thread
// with a loop, and share the limits of the options. So a socket costs one file descriptor and a few
// hundred bytes. A socket accepts 64 connections at once, and then 1000 each second; the others
// wait in its backlog. Do not call Stop on the server's thread.
class HttpSocketServer {
 public:
  // Starts the thread. Of OPTIONS, the address, the port, the number of threads and TLS do not
  // count. Names in the Host header are not checked, since no browser connects to these sockets.
  static std::unique_ptr<HttpSocketServer> Start(HttpServerOptions options, HttpHandler handler);
  HttpSocketServer(const HttpSocketServer&) = delete;
  HttpSocketServer& operator=(const HttpSocketServer&) = delete;
  ~HttpSocketServer();

 private:
  struct State;

 public:
  // A socket is served as long as this object lives. After that its connections are closed, within
  // HttpServerOptions::stop_time. The object may outlive the server. [any thread]
  class Served {
   public:
    Served(std::shared_ptr<State> state, std::uint64_t id) : state_(std::move(state)), id_(id) {}
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;
    ~Served();

   private:
    const std::shared_ptr<State> state_;
    const std::uint64_t id_;
  };

  // Serves LISTENER, a Unix socket that listens. CLIENT is the name of all its clients, which have
  // HttpServerOptions::max_connections_per_client together. If all connections of the server are
  // used, the group with the most of them makes room for GROUP; see ConnectionTable. [any thread]
  std::unique_ptr<Served> Serve(UniqueFd listener, std::string client, std::string group = "");

  // Ends the contexts of all exchanges. Returns when all handlers have returned and all connections
  // and sockets are closed.
  void Stop();

 private:
  explicit HttpSocketServer(std::shared_ptr<State> state);
  const std::shared_ptr<State> state_;
};

}  // namespace drover
