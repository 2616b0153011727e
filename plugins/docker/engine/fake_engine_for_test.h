// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "drover/process.hpp"
#include "engine/address.h"

namespace drover_docker {

// A container engine for tests: a server on a Unix socket that does what the test says, also what
// no engine should do. Each connection has a thread.
class FakeEngine {
 public:
  struct Request {
    std::string method;
    std::string target;  // without the version of the API
    std::string head;
    std::string body;
  };
  class Peer {
   public:
    Peer(int fd, std::string rest) : fd_(fd), rest_(std::move(rest)) {}
    // Return false if the client has gone away.
    bool Send(std::string_view bytes);
    bool Answer(int status, std::string_view body);
    bool BeginChunks(int status = 200);
    bool Chunk(std::string_view bytes);
    bool EndChunks() { return Send("0\r\n\r\n"); }
    // Returns what the client sends next; empty at the end.
    std::string Read();
    // Waits until the client has closed the connection, or the engine ends.
    void AwaitClose();
    void Close() { closed_ = true; }  // after the handler
    bool closed() const { return closed_; }

   private:
    friend class FakeEngine;
    int fd_;
    std::string rest_;  // bytes behind the request
    bool closed_ = false;
  };
  using Handler = std::function<void(const Request&, Peer&)>;

  // Version and ping are answered before HANDLER is asked.
  explicit FakeEngine(Handler handler);
  FakeEngine(const FakeEngine&) = delete;
  FakeEngine& operator=(const FakeEngine&) = delete;
  ~FakeEngine();

  EngineAddress address() const;
  // Ends all connections, and takes new ones only after Start.
  void Stop();
  void Start();
  // Returns the requests so far, such as "GET /info".
  std::vector<std::string> requests() const;
  int connections() const { return connections_; }

 private:
  void Accept(int listener);
  void Serve(int fd);
  bool ReadRequest(Peer* peer, Request* out);

  const Handler handler_;
  std::string directory_;
  drover::Fd listener_;
  std::thread accepting_;
  std::atomic<int> connections_{0};
  mutable std::mutex mutex_;
  bool stopped_ = true;
  std::list<std::thread> threads_;
  std::list<int> open_;
  std::vector<std::string> requests_;
};

// Returns FRAME as a container without a terminal writes it.
std::string FrameForTest(int kind, std::string_view text);

// Waits up to 20 s until DONE returns true. Returns its last result.
bool Eventually(const std::function<bool()>& done);

}  // namespace drover_docker
