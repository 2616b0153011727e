// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "host/base/context.h"
#include "host/driver/driver.h"
#include "host/plugin/plugin_host.h"
#include "host/process/process_service.h"

namespace drover {

// A command that a driver runs for a task in addition to the task's own process. The command is a
// session of the process service. If the session has a terminal, the bridge copies between the
// terminal's master side and the driver's file descriptors. Control thread.
class ExecBridge {
 public:
  struct Request {
    std::vector<std::string> command;
    bool tty = false;
    TerminalSize size;
    UniqueFd input;
    UniqueFd output;
    UniqueFd error;
  };

  ExecBridge(PluginHost* host, RunId run, Request request);
  ~ExecBridge();

  // Runs the command to its end. Call it once.
  Co<Result<ExecExit>> Run();

  // Resize and End may be called at any time while Run is active. A call before the session exists
  // takes effect when the session starts.
  Status Resize(TerminalSize size);
  void End();

 private:
  Co<void> CopyInput();
  Co<void> CopyOutput();

  PluginHost* host_;
  RunId run_;
  Request request_;
  Context context_;
  std::unique_ptr<ExecSession> session_;
  struct Streams;
  std::unique_ptr<Streams> streams_;
};

}  // namespace drover
