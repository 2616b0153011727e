// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/api/byte_input.h"
#include "host/api/byte_output.h"
#include "host/api/http_exchange.h"
#include "host/api/http_options.h"

namespace drover {

// The channel of an exchange, over Beast's websocket. What comes is read ahead, a little, so that a
// client's pings are answered and its going is noticed while nobody reads. A client that is not
// trusted yet has the memory of one small message.
class WebSocket : public WebSocketChannel {
 public:
  struct Parts {
    Loop* loop;
    ByteStream* stream;
    ByteInput* input;
    ByteOutput* output;
    const HttpServerOptions* options;
    std::function<void()> on_end;  // called when nothing more can come
  };

  explicit WebSocket(Parts parts);
  ~WebSocket() override;

  // Whether the request is one that Accept will take; if not, why.
  static Status Check(const HttpRequest& request);
  // Messages may be large from now on, and are read ahead. Before, one small message is read.
  void Trust();
  // Answers the request.
  Co<Status> Accept(HttpRequest request);
  // Closes with CODE unless it is closed, and returns when nothing uses the stream any more.
  Co<void> End(int code);

  Co<Result<WebSocketMessage>> Read(Context context) override;
  Co<Status> Write(Context context, bool text, std::string bytes) override;
  Co<Status> Close(int code, std::string reason) override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace drover
