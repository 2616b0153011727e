// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/client/endpoint.h"

namespace drover {

// The client's side of a websocket. One thread; after Open nothing happens but in Wait.
class WebSocketClient {
 public:
  // Asks for the websocket at TARGET, a path with its query. An error has the agent's text.
  static Result<std::unique_ptr<WebSocketClient>> Open(const Endpoint& endpoint,
                                                       const std::string& target);
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;
  ~WebSocketClient();

  // Puts a message of text behind those that have not been sent yet.
  void Send(std::string text);
  // The bytes that have not been sent yet.
  std::size_t unsent() const;
  // The next message that has come; nothing when none is complete. After the last one, an error:
  // the reason with which the agent has closed, or Code::kCancelled when it gave none, or
  // Code::kUnavailable when the connection is lost.
  Result<std::optional<std::string>> Receive();
  // Sends and receives until something has come or was sent, one of FDS (-1: none) can be read, or
  // MOST has passed.
  Status Wait(const std::vector<int>& fds, Duration most);

 private:
  struct State;
  explicit WebSocketClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
