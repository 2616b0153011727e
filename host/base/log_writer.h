// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/time.h"

namespace drover {

// Writes the lines of a log to a descriptor that perhaps nobody reads. Without a thread of its own,
// each caller writes its line and waits. With one, no caller waits: a line that finds no room is
// dropped and counted, and a line in its place says how many there were. [any thread]
class LogWriter {
 public:
  // Makes the line that stands for COUNT dropped lines. Called on the writer's thread.
  using GapLine = std::function<std::string(std::size_t count)>;
  LogWriter(int fd, GapLine gap, std::size_t most_bytes = std::size_t{1} << 20);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  ~LogWriter();

  // LINE ends with a newline.
  void Write(std::string_view line);

  // Starts the thread. When the system has none to give, nothing changes.
  void Start();
  // Ends the thread when everything is written, at the latest after LIMIT. Lines that are not
  // written by then are lost, and so are later ones. Otherwise callers write their lines again.
  void Finish(Duration limit);
  // Gives the thread a short time to write the lines that wait. For the handler of a signal by
  // which the process dies: the other threads still run then.
  void LastWords() const;

 private:
  struct State;
  static void Run(const std::shared_ptr<State>& state);
  const std::shared_ptr<State> state_;  // shared with the thread, which may not end in time
};

}  // namespace drover
