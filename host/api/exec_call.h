// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "host/api/api_agent.h"
#include "host/base/live_count.h"

namespace drover {

// The object by which another thread uses a session, which lives on the control thread. Both
// threads share it.
class ExecCall : public std::enable_shared_from_this<ExecCall>, public LiveCount<ExecCall> {
 public:
  explicit ExecCall(const ApiAgent* agent) : agent_(agent) {}

  // Returns when the command has ended, or could not be started. Call it once, in a coroutine of
  // CALLER.
  Co<Result<ExitResult>> Run(Loop* caller, std::string alloc_id, std::string task,
                             ExecRequest request);
  // Sets the terminal's size, also before the session begins. [any thread]
  void Resize(TerminalSize size);
  // Ends the command; Run returns when that is done. [any thread]
  void Cancel();

 private:
  static Co<Result<ExitResult>> OnControl(std::shared_ptr<ExecCall> self, std::string alloc_id,
                                          std::string task, std::shared_ptr<ExecRequest> request);

  const ApiAgent* const agent_;
  // For the control thread:
  std::optional<Context> context_;  // while the command starts and runs
  TaskExecSession* session_ = nullptr;
  std::optional<TerminalSize> size_;
  bool cancelled_ = false;
};

}  // namespace drover
