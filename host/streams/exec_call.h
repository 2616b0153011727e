// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/base/live_count.h"
#include "host/request/api_agent.h"

namespace drover {

// Lets another thread use an exec session, which only the control thread may access. Both threads
// share this object.
class ExecCall : public std::enable_shared_from_this<ExecCall>, public LiveCount<ExecCall> {
 public:
  explicit ExecCall(const ApiAgent* agent) : agent_(agent) {}

  // Runs the command. Returns when the command has ended or could not be started. Call it once, in
  // a coroutine on the loop CALLER.
  Co<Result<ExitResult>> Run(Loop* caller, std::string alloc_id, std::string task,
                             ExecRequest request);
  // Sets the size of the terminal. The call may come before the session begins. [any thread]
  void Resize(TerminalSize size);
  // Ends the command. Run returns after the command has ended. [any thread]
  void Cancel();

 private:
  static Co<Result<ExitResult>> OnControl(std::shared_ptr<ExecCall> self, std::string alloc_id,
                                          std::string task, std::shared_ptr<ExecRequest> request);

  const ApiAgent* const agent_;
  // Only the control thread uses the members below.
  std::optional<Context> context_;  // exists while the command starts and runs
  TaskExecSession* session_ = nullptr;
  std::optional<TerminalSize> size_;
  bool cancelled_ = false;
};

}  // namespace drover
