// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/time.h"

namespace drover {

// Writes the lines of a log to a descriptor that nobody may read. Without a thread each line is
// written by whoever has it, and waits; with one, nobody waits: what finds no room is dropped and
// counted, and a line in its place says how many there were. [any thread]
class LogWriter {
 public:
  // Makes the line that stands for COUNT dropped ones. Callable from the writer's thread.
  using GapLine = std::function<std::string(std::size_t count)>;
  LogWriter(int fd, GapLine gap, std::size_t most_bytes = std::size_t{1} << 20);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  ~LogWriter();

  // LINE with its newline.
  void Write(std::string_view line);

  // Gets a thread of its own; where there is none to be had, all stays as it is.
  void Start();
  // Ends the thread when everything is written, and at the latest after LIMIT. What has not been
  // written then is lost, and so is what comes later; otherwise lines are written as before Start.
  void Finish(Duration limit);
  // Gives the thread a short time to write what waits: for the handler of a signal by which the
  // process dies. The other threads still run then.
  void LastWords() const;

 private:
  struct State;
  static void Run(const std::shared_ptr<State>& state);
  const std::shared_ptr<State> state_;  // shared with the thread, which may not end in time
};

}  // namespace drover
