// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/logs/log_follower.h"
#include "host/spec/allocation.h"
#include "host/view/run_view.h"

namespace drover {

// Shows the output of the tasks of one allocation, line by line. Must be used on the control
// thread.
class LogPrinter {
 public:
  // All objects that the arguments point to must outlive this object, also those in OPTIONS.
  LogPrinter(Loop* loop, RunView* view, std::shared_ptr<const Allocation> alloc,
             std::string directory, LogFollowOptions options);
  ~LogPrinter();

  // Follows the output of TASK from now on. A second call for the same task has no effect.
  void Begin(const std::string& task);
  // Shows the rest of the output. No task may write after this call begins.
  Co<void> Finish();

 private:
  struct Stream;
  void Show(Stream* stream, const LogChunk& chunk);
  static Co<void> RunStream(LogPrinter* self, Stream* stream);

  Loop* const loop_;
  RunView* const view_;
  const std::shared_ptr<const Allocation> alloc_;
  const std::string directory_;
  const LogFollowOptions options_;
  Context context_;
  Gate running_;
  std::map<std::string, std::vector<std::unique_ptr<Stream>>> streams_;
};

}  // namespace drover
