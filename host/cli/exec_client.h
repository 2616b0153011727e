// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/base/time.h"
#include "host/cli/exec_terminal.h"
#include "host/client/websocket_client.h"

namespace drover {

struct ExecClientOptions {
  bool input = true;  // standard input goes to the command; else its input is empty
  bool tty = false;   // it has a terminal, of the size of this one
};

// A command beside a task, with the standard streams of this program. One thread.
class ExecClient {
 public:
  ExecClient(WebSocketClient* socket, ExecClientOptions options)
      : socket_(socket), options_(options) {}

  // Returns the exit code of the command when it has ended.
  Result<int> Run();

 private:
  void SendSize();
  // Standard input is read while not much of it waits to be sent.
  bool WantsInput() const;
  bool HasInput() const;
  void ReadInput();
  void EndInput();
  // Takes what has come; the exit code when that is it.
  Result<std::optional<int>> ReadMessages();

  WebSocketClient* const socket_;
  const ExecClientOptions options_;
  bool input_open_ = true;
  TimePoint next_beat_;
};

}  // namespace drover
