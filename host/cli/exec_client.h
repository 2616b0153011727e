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
  // True if the command gets standard input. If false, its input is empty.
  bool input = true;
  // True if the command gets a terminal, which has the size of this program's terminal.
  bool tty = false;
};

// Runs a command beside a task and connects it to the standard streams of this program. Must be
// used by one thread only.
class ExecClient {
 public:
  ExecClient(WebSocketClient* socket, ExecClientOptions options)
      : socket_(socket), options_(options) {}

  // Waits until the command has ended, and returns its exit code.
  Result<int> Run();

 private:
  void SendSize();
  // Returns true if standard input must be read now. This is so if standard input is open and few
  // of its bytes wait to be sent.
  bool WantsInput() const;
  bool HasInput() const;
  void ReadInput();
  void EndInput();
  // Handles the messages that have arrived. Returns the exit code if one of them contains it.
  Result<std::optional<int>> ReadMessages();

  WebSocketClient* const socket_;
  const ExecClientOptions options_;
  bool input_open_ = true;
  TimePoint next_beat_;
};

}  // namespace drover
