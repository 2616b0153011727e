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

// A command that a driver runs beside one of its processes: the session of the process service,
// and with a terminal the copying between its master side and the driver's descriptors. Control
// thread.
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

  // Runs the command to its end. Once.
  Co<Result<ExecExit>> Run();

  // Both may be called at any time while Run goes on; before the session stands they take effect
  // when it does.
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
