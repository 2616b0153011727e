// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/api/http_exchange.h"
#include "host/api/routes/exec_call.h"
#include "host/api/routes/exec_pipe.h"
#include "host/base/event.h"
#include "host/base/gate.h"

namespace drover {

// What a client and a command say to each other through a websocket, in messages of JSON. Neither
// can make the other's bytes pile up: each waits until the other takes them. On the thread of the
// exchange.
class ExecConversation {
 public:
  struct Command {
    std::string alloc_id;
    std::string task;
    std::vector<std::string> words;
    bool tty = false;
  };

  // EXCHANGE and CHANNEL outlive it.
  ExecConversation(HttpExchange* exchange, WebSocketChannel* channel,
                   std::shared_ptr<ExecCall> call);

  // Returns when the command has ended and the websocket is closed. A client that goes ends the
  // command.
  Co<void> Run(Command command);

 private:
  Result<ExecRequest> Open(const Command& command);
  Co<void> ReadMessages();
  Co<Status> Take(std::string text);
  Co<void> CopyOutput(ExecPipe* pipe, const char* name);
  Co<void> Beat();
  Co<Status> Say(std::string message);
  Co<void> Tell(ExitResult exit, bool tty);

  HttpExchange* const exchange_;
  WebSocketChannel* const channel_;
  const std::shared_ptr<ExecCall> call_;
  const Context context_;  // ends with the client
  std::unique_ptr<ExecPipe> input_;
  std::unique_ptr<ExecPipe> output_;
  std::unique_ptr<ExecPipe> error_;  // null with a terminal
  Status broken_;                    // the client has said what makes no sense
  Event answered_;                   // the driver has said how the command has ended, or why not
  bool refused_ = false;             // it has not
  Gate outputs_;
  Gate background_;
};

// Closes with what clients take ERROR for: 1008 when it is theirs, else 1011.
Co<void> CloseWith(WebSocketChannel* channel, Error error);

}  // namespace drover
