// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/address.h"
#include "engine/cancel_token.h"
#include "engine/connection.h"
#include "engine/http_message.h"

namespace drover_docker {

// Takes a piece of an answer's body, on the thread of the caller. Returns false to end the request.
// What it throws ends the request, too, and reaches the caller.
using TakeChunk = std::function<bool(std::string_view)>;

// A connection that carries raw bytes after its HTTP part. One thread may read while another one
// writes. [any-thread]
class HijackedStream {
 public:
  HijackedStream(std::unique_ptr<Connection> connection, HttpHead head, std::string first,
                 CancelToken closing);
  ~HijackedStream();

  const HttpHead& head() const { return head_; }
  // Reads up to SIZE bytes. Blocks until there is at least one. Returns 0 at the end. Throws Error.
  std::size_t Read(char* to, std::size_t size, const CancelToken& cancel);
  // Writes all BYTES. Throws Error, also if the engine takes none of them for SILENCE.
  void Write(std::string_view bytes, const CancelToken& cancel,
             drover::Duration silence = std::chrono::seconds(60));
  // Ends the data to the engine, which is the end of the input of a command. Never throws.
  void CloseWrite();

 private:
  std::mutex mutex_;  // guards the connection, never while a thread waits
  const std::unique_ptr<Connection> connection_;
  const HttpHead head_;
  std::string first_;  // bytes that arrived with the head
  const CancelToken closing_;
};

// Sends requests to one engine. Each call blocks its thread until its end, within the limits. A few
// connections are kept for later requests. [any-thread]
//
// All functions throw drover::Error: kUnavailable if the engine cannot be reached, closes early or
// answers with something that is no HTTP, kTimeout, kResourceExhausted for an answer above its
// limit, and kCancelled. A status is no error here.
class HttpClient {
 public:
  static constexpr std::size_t kMostIdle = 4;  // kept connections

  explicit HttpClient(EngineAddress address);
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;
  ~HttpClient();

  const EngineAddress& address() const { return address_; }

  // Returns the answer with its whole body.
  HttpResponse Send(const HttpRequest& request, const HttpLimits& limits,
                    const CancelToken& cancel) const;
  // Passes the body of an answer with status 200 to 299 to TAKE. The body of another answer is
  // collected, up to 64 KiB, as that of Send.
  HttpResponse Stream(const HttpRequest& request, const HttpLimits& limits,
                      const CancelToken& cancel, const TakeChunk& take) const;
  // Sends REQUEST and takes the connection over. STREAM is null if the engine refuses: the answer
  // has its reason.
  struct Hijacked {
    HttpResponse response;
    std::unique_ptr<HijackedStream> stream;
  };
  Hijacked Hijack(const HttpRequest& request, const HttpLimits& limits,
                  const CancelToken& cancel) const;
  // Connects and sends REQUEST, which has no body_fd. The caller reads the answer.
  std::unique_ptr<Connection> Begin(const HttpRequest& request, const HttpLimits& limits,
                                    const CancelToken& cancel) const;
  // Ends all calls with Error(kCancelled), and refuses new ones.
  void Close() { closing_.Cancel(); }
  const CancelToken& closing() const { return closing_; }

 private:
  class Exchange;

  std::unique_ptr<Connection> TakeIdle() const;
  void Keep(std::unique_ptr<Connection> connection) const;

  const EngineAddress address_;
  const CancelToken closing_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Connection>> idle_;
};

}  // namespace drover_docker
