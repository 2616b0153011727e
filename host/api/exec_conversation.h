// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/api/exec_call.h"
#include "host/api/exec_pipe.h"
#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/http/http_exchange.h"

namespace drover {

// Connects a client and a command through a websocket, in messages of JSON. Each side waits until
// the other has taken its bytes, so that none pile up. Used on the thread of the exchange.
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
  Co<void> Report(ExitResult exit, bool tty);

  HttpExchange* const exchange_;
  WebSocketChannel* const channel_;
  const std::shared_ptr<ExecCall> call_;
  const Context context_;  // ends with the client
  std::unique_ptr<ExecPipe> input_;
  std::unique_ptr<ExecPipe> output_;
  std::unique_ptr<ExecPipe> error_;  // null with a terminal
  Status broken_;                    // an error if a message of the client was invalid
  Event answered_;                   // the call has returned the command's result, or an error
  bool refused_ = false;             // it has returned an error
  Gate outputs_;
  Gate background_;
};

// Closes with the code that clients expect for ERROR: 1008 if it is their mistake, else 1011.
Co<void> CloseWith(WebSocketChannel* channel, Error error);

}  // namespace drover
