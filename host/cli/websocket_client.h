// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/cli/curl_library.h"

namespace drover {

// The client's side of a websocket, over a connection that libcurl has made: Debian 12's libcurl
// knows proxies, sockets and TLS, but no websockets. It never waits but in Open. One thread.
class WebSocketClient {
 public:
  // HANDLE has been connected (CURLOPT_CONNECT_ONLY) and belongs to it from now on.
  WebSocketClient(CurlLibrary curl, CURL* handle) : curl_(curl), handle_(handle) {}
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;
  ~WebSocketClient() { curl_.cleanup(handle_); }

  // Asks for the websocket at TARGET (a path with its query). HEADERS are lines with their ends.
  Status Open(const std::string& host, const std::string& target, const std::string& headers);

  // The socket, to be waited for.
  int fd() const;
  // Puts a message behind those that have not been sent yet.
  void Send(std::string_view text) { Queue(kText, text); }
  // What has not been sent yet, in bytes.
  std::size_t unsent() const { return out_.size(); }
  // Sends what can be sent at once.
  Status Flush();
  // The next message that has come; nothing when none is complete. When the agent has closed, its
  // reason is the error; Code::kUnavailable: the connection is lost.
  Result<std::optional<std::string>> Receive();

 private:
  enum Opcode : unsigned char {
    kMore = 0,
    kText = 1,
    kBinary = 2,
    kClose = 8,
    kPing = 9,
    kPong = 10
  };

  void Queue(Opcode opcode, std::string_view payload);
  // Takes what has come; false when there is nothing.
  Result<bool> Fill();
  Status WaitFor(short events) const;
  Result<std::string> ReadHead();
  Error Closed(std::string_view payload) const;

  const CurlLibrary curl_;
  CURL* const handle_;
  std::string in_;       // what has come and has not been understood yet
  std::string message_;  // of which more is to come
  std::string out_;
};

}  // namespace drover
