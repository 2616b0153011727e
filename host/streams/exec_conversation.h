// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "host/base/event.h"
#include "host/base/gate.h"
#include "host/http/http_exchange.h"
#include "host/streams/exec_call.h"
#include "host/streams/exec_pipe.h"

namespace drover {

// Connects a client and a command through a websocket, with JSON messages. Neither side sends more
// bytes before the other side has read the earlier bytes, so bytes do not accumulate. Use the
// object only on the thread of the exchange.
class ExecConversation {
 public:
  struct Command {
    std::string alloc_id;
    std::string task;
    std::vector<std::string> words;
    bool tty = false;
  };

  // EXCHANGE and CHANNEL must outlive this object. MAY_GO_ON is called from time to time. If it
  // returns an error, the command is ended, and the client receives the error.
  ExecConversation(HttpExchange* exchange, WebSocketChannel* channel,
                   std::shared_ptr<ExecCall> call, std::function<Status()> may_go_on);

  // Runs COMMAND. Returns when the command has ended and the websocket is closed. If the client
  // disconnects, the command is ended.
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
  const std::function<Status()> may_go_on_;
  const Context context_;  // ends when the client disconnects, or may not go on
  std::unique_ptr<ExecPipe> input_;
  std::unique_ptr<ExecPipe> output_;
  std::unique_ptr<ExecPipe> error_;  // null if the command has a terminal
  // An error if the client sent an invalid message, or may not go on.
  Status broken_;
  Event answered_;        // set when ExecCall::Run has returned
  bool refused_ = false;  // whether ExecCall::Run has returned an error
  Gate outputs_;
  Gate background_;
};

// Closes CHANNEL with the websocket code that clients expect for ERROR. The code is 1008 if the
// error is the client's mistake, and 1011 otherwise.
Co<void> CloseWith(WebSocketChannel* channel, Error error);

}  // namespace drover
