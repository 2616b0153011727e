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

// The client's side of a websocket. Use it on one thread only. After Open, the object sends and
// receives only in Wait.
class WebSocketClient {
 public:
  // Opens the websocket at TARGET, a path with its query. An error has the agent's text.
  static Result<std::unique_ptr<WebSocketClient>> Open(const Endpoint& endpoint,
                                                       const std::string& target);
  WebSocketClient(const WebSocketClient&) = delete;
  WebSocketClient& operator=(const WebSocketClient&) = delete;
  ~WebSocketClient();

  // Adds a text message to the messages that have not been sent yet.
  void Send(std::string text);
  // Returns the number of bytes that have not been sent yet.
  std::size_t unsent() const;
  // Returns the next message that has arrived, or nothing if no message is complete. After the last
  // message, returns an error with the agent's reason for the end of the websocket. The error is
  // Code::kCancelled if the agent gave no reason, and Code::kUnavailable if the connection was
  // lost.
  Result<std::optional<std::string>> Receive();
  // Sends and receives messages. Returns when a message has arrived or was sent, when one of FDS
  // can be read, or when MOST has passed. Ignores descriptors of -1.
  Status Wait(const std::vector<int>& fds, Duration most);

 private:
  struct State;
  explicit WebSocketClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover
