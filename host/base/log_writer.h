// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "host/base/time.h"

namespace drover {

// Where a LogWriter writes. [any thread]
class LogTarget {
 public:
  virtual ~LogTarget() = default;
  // Waits until the target can take more, at most for WAIT_MS. Returns whether it can.
  virtual bool HasRoom(int wait_ms) = 0;
  // Writes the beginning of TEXT and removes it from TEXT. Returns false if TEXT can never be
  // written.
  virtual bool WriteSome(std::string_view* text) = 0;
};

// Writes the lines of a log to a file descriptor that perhaps nobody reads, or to another target.
// As long as the writer has no thread, each caller writes its line and waits. With a thread, no
// caller waits. If the buffer of the thread is full, new lines are dropped. The log then contains
// one line with the number of dropped lines in their place. [any thread]
class LogWriter {
 public:
  // Returns the line that replaces COUNT dropped lines. Called on the writer's thread.
  using GapLine = std::function<std::string(std::size_t count)>;
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  LogWriter(int fd, GapLine gap, std::size_t most_bytes = kMostBytes);
  LogWriter(std::unique_ptr<LogTarget> target, GapLine gap, std::size_t most_bytes = kMostBytes);
  LogWriter(const LogWriter&) = delete;
  LogWriter& operator=(const LogWriter&) = delete;
  ~LogWriter();

  // LINE must end with a newline.
  void Write(std::string_view line);

  // Starts the thread. If the system cannot create a thread, nothing changes.
  void Start();
  // Ends the thread when all lines are written, at the latest after LIMIT. If lines are left after
  // LIMIT, these lines and all later lines are lost. Otherwise callers write their lines themselves
  // again.
  void Finish(Duration limit);
  // Waits for a short time until the thread has written the lines that are left. A handler of a
  // fatal signal calls this function; the other threads still run during the handler.
  void LastWords() const;

 private:
  struct State;
  static void Run(const std::shared_ptr<State>& state);
  const std::shared_ptr<State> state_;  // shared with the thread, which may outlive this object
};

}  // namespace drover
