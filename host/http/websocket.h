// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/http/byte_input.h"
#include "host/http/byte_output.h"
#include "host/http/http_exchange.h"
#include "host/http/http_options.h"

namespace drover {

// The websocket of an exchange, on top of Beast's websocket. It reads a little ahead. While nobody
// calls Read, it can thus answer the client's pings and notice the end of the connection. Before
// Trust is called, it holds at most one small message.
class WebSocket : public WebSocketChannel {
 public:
  struct Parts {
    Loop* loop;
    ByteStream* stream;
    ByteInput* input;
    ByteOutput* output;
    const HttpServerOptions* options;
    std::function<void()> on_end;  // called when no more message can come
  };

  explicit WebSocket(Parts parts);
  ~WebSocket() override;

  // Returns an error if REQUEST does not ask for a websocket that Accept can open. The error says
  // why.
  static Status Check(const HttpRequest& request);
  // From this call on, messages may be large and are read ahead. Before this call, only one small
  // message is read.
  void Trust();
  // Opens the websocket by answering REQUEST.
  Co<Status> Accept(HttpRequest request);
  // Closes the websocket with CODE, unless it is already closed. Returns when no operation of the
  // websocket uses the stream any more.
  Co<void> End(int code);

  Co<Result<WebSocketMessage>> Read(Context context) override;
  Co<Status> Write(Context context, bool text, std::string bytes) override;
  Co<Status> Close(int code, std::string reason) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover
