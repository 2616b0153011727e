// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/cli/run_view.h"
#include "host/logs/log_follower.h"
#include "host/spec/allocation.h"

namespace drover {

// Cuts a stream into lines. A line that gets too long is cut: a task may write no line break at
// all.
class LineCutter {
 public:
  static constexpr std::size_t kMaxLine = 16 << 10;

  // The lines that DATA completes.
  std::vector<std::string> Add(const std::string& data);
  // What is left without a line break; empty when there is nothing.
  std::string TakeRest();

 private:
  std::string rest_;
};

// Shows what the tasks of one allocation write, line by line. Control thread only.
class LogPrinter {
 public:
  // The pointers outlive this, those of OPTIONS too.
  LogPrinter(Loop* loop, RunView* view, std::shared_ptr<const Allocation> alloc,
             std::string directory, LogFollowOptions options);
  ~LogPrinter();

  // Follows the output of a task from now on; again is fine.
  void Begin(const std::string& task);
  // Shows the rest and returns; nothing may be written any more.
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
